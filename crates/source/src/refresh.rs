//! `REFRESH_SOURCE`: fetch, apply the recipe, judge what it yields, keep it, page after page; or ask the Doctor.

use std::collections::VecDeque;
use std::fmt::Write as _;

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::NameCheck;
use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node};
use autoheal_engine::source::{AlertKind, Health, HealthState, SharedCause, SnapshotRole, SourceRecord};
use autoheal_engine::task::{NewTask, Task, TaskKind};
use autoheal_engine::workflow::{Outcome, StepContext, StepError, Workflow};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::add::json_of;
use crate::definition::HealPolicy;
use crate::failure::{ErrorType, Failure};
use crate::judge::{Judged, judge, page_record};
use crate::loaded::{Loaded, Stored, record, source_of};
use crate::name::SourceName;
use crate::services::{SourceServices, WebPage};
use crate::single_node::PAGE_POLICY;
use crate::{host, outage};

/// Real runs after a fix went into force in which it must prove itself.
const WATCHED_RUNS: u32 = 2;

/// What `asked_by` says of a fix, and of one that is taken back.
pub(crate) const DOCTOR: &str = "doctor";
const WATCH: &str = "watch";

/// What an alert about all hosts is about.
const EVERY_HOST: &str = "*";

/// Its one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefreshNode {
    /// Fetches, applies, judges and keeps.
    Refresh,
}

impl Node for RefreshNode {
    const ALL: &'static [Self] = &[Self::Refresh];

    fn name(self) -> &'static str {
        "refresh"
    }
}

/// A page that a run has still to ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Wanted {
    url: Url,
    /// Which page of a list it is: 1 for one that the source names, more for one that `next` led to.
    number: u32,
}

/// How a page went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    url: Url,
    /// Why its values were not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

/// The state of a run: one step asks for one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefreshState {
    source: SourceName,
    /// The pages to come, the next one first; `None` before the first step.
    wanted: Option<VecDeque<Wanted>>,
    /// The pages that were asked for.
    seen: Vec<Seen>,
    /// The accepted values of the page that was asked for last.
    values: Option<Value>,
    /// Why the run did not come so far as to know.
    broken: Option<String>,
}

impl RefreshState {
    fn is_done(&self) -> bool {
        self.wanted.as_ref().is_some_and(VecDeque::is_empty)
    }

    /// What the run failed of: what can be healed comes before what cannot.
    fn failure(&self) -> Option<&Failure> {
        let failures = || self.seen.iter().filter_map(|seen| seen.failure.as_ref());
        failures().find(|failure| failure.error_type.is_about_the_recipe()).or_else(|| failures().next())
    }
}

/// Runs sources.
pub struct RefreshWorkflow {
    services: SourceServices,
    graph: Graph<RefreshNode, RefreshState>,
}

impl RefreshWorkflow {
    /// The workflow with these services.
    ///
    /// # Errors
    ///
    /// Never, as a test shows: the graph is a constant.
    pub fn new(services: SourceServices) -> Result<Self, GraphError> {
        let targets = [("another page", Next::To(RefreshNode::Refresh)), ("no page left", Next::End)];
        let graph = GraphBuilder::new(RefreshNode::Refresh)
            .policy(RefreshNode::Refresh, PAGE_POLICY)
            .choice(RefreshNode::Refresh, &targets, |state: &RefreshState| {
                if state.is_done() { Next::End } else { Next::To(RefreshNode::Refresh) }
            })
            .build()?;
        Ok(Self { services, graph })
    }

    /// Asks for the next page, and after the last one says how the run went.
    async fn refresh(&self, state: &mut RefreshState, context: &StepContext) -> Result<(), StepError> {
        let page = state.wanted.as_mut().and_then(VecDeque::pop_front);
        // What `next` leads to is another page every day: it is judged by the blueprint alone.
        let stored = if page.as_ref().is_some_and(|page| page.number > 1) { Stored::NotWanted } else { Stored::Wanted };
        let url = page.as_ref().map(|page| &page.url);
        let loaded = Loaded::load(&self.services, state.source.as_str(), url, stored).await?;
        let page = page.unwrap_or_else(|| Wanted { url: loaded.page.clone(), number: 1 });
        let wanted = state.wanted.get_or_insert_with(|| {
            loaded.definition.more.iter().map(|url| Wanted { url: url.clone(), number: 1 }).collect()
        });
        context.progress(format!("asking for {}", page.url));
        match self.services.page(&page.url, loaded.recipe.request()).await? {
            Ok(answer) => {
                let judged = judge(&loaded, &answer);
                let is_past_the_end = page.number > 1 && judged.facts.is_empty();
                match judged.failure.clone() {
                    _ if is_past_the_end => context.note("end of the list", format!("{} has nothing", page.url)),
                    None => {
                        keep(&loaded, &answer, &judged, page.number, context)?;
                        wanted.extend(next_page(&loaded, &answer, &judged, &page));
                        state.seen.push(Seen { url: page.url, failure: None });
                        state.values = Some(judged.values);
                    }
                    Some(failure) => {
                        if failure.error_type.is_about_the_recipe() {
                            record(context, page_record(&loaded, &answer, SnapshotRole::Failing, None, context.now()));
                        }
                        state.seen.push(failed(page.url, failure, context));
                    }
                }
            }
            Err(failure) => {
                if failure.host_unknown || failure.status.is_some() {
                    let target_known = !failure.host_unknown;
                    let control_known = target_known || host::control_is_known().await;
                    let check = NameCheck { at: context.now(), target_known, control_known };
                    record(context, SourceRecord::NameCheck { source: name(&loaded), check });
                }
                if failure.error_type == ErrorType::RateLimit && !wanted.is_empty() {
                    context.note("left alone", format!("{} pages are for the next run", wanted.len()));
                    wanted.clear();
                }
                state.seen.push(failed(page.url, failure, context));
            }
        }
        // A list that leads back to where it was has no end of its own.
        wanted.retain(|next| !state.seen.iter().any(|seen| seen.url == next.url));
        if state.is_done() { conclude(&self.services, &loaded, state.failure(), context).await } else { Ok(()) }
    }
}

fn name(loaded: &Loaded) -> String {
    loaded.row.source.clone()
}

fn failed(url: Url, failure: Failure, context: &StepContext) -> Seen {
    context.note("failed", format!("{}: {}", failure.error_type, failure.message));
    Seen { failure: Some(failure.on(&url)), url }
}

/// The page that comes after this one in a list, on the same host.
fn next_page(loaded: &Loaded, answer: &WebPage, judged: &Judged, page: &Wanted) -> Option<Wanted> {
    loaded.recipe.next().filter(|next| page.number < next.limit)?;
    let url = judged.facts.next.clone()?;
    (url.origin() == answer.url.origin()).then_some(Wanted { url, number: page.number + 1 })
}

/// A good page: its values, and what later ones are compared with.
fn keep(loaded: &Loaded, page: &WebPage, found: &Judged, number: u32, context: &StepContext) -> Result<(), StepError> {
    let now = context.now();
    let version = loaded.in_force.version;
    let url = page.url.to_string();
    record(context, SourceRecord::Values { source: name(loaded), url, version, values: found.values.clone() });
    context.note("kept", format!("{} fields", loaded.recipe.fields().len()));
    if number > 1 {
        return Ok(());
    }
    if let Some(webhook) = &loaded.definition.webhook {
        let before = loaded.last.as_ref();
        if before.is_none_or(|last| last.texts != found.facts.texts) {
            let body = json!({
                "type": "values", "source": name(loaded), "url": page.url, "at": now.to_rfc3339(), "recipe_version": version,
                "is_first": before.is_none(), "values": found.values,
            });
            record(context, SourceRecord::Notice { source: name(loaded), address: webhook.to_string(), body });
        }
    }
    // The same page again is no new evidence.
    if loaded.good.first().is_none_or(|last| last.url != loaded.page.as_str() || last.content != page.html.as_bytes()) {
        let facts = json_of(&found.facts)?;
        record(context, page_record(loaded, page, SnapshotRole::Good, Some(facts), now));
    }
    if let Some(moved_to) = page.moved_to.as_ref().filter(|_| loaded.definition.heal_policy == HealPolicy::Auto) {
        context.note("moved", format!("the page is at {moved_to} for good"));
        let definition = loaded.definition.moved(&loaded.page, moved_to);
        record(context, SourceRecord::Definition { source: name(loaded), definition: json_of(&definition)? });
    }
    Ok(())
}

/// The last page was asked for: the source's health, and what follows of it. A fix proves itself in its first real runs: while it
/// does, no other fix is made, and when all of them fail for what it is about it is taken back. Otherwise the Doctor is asked, unless
/// attempts are not allowed.
async fn conclude(
    services: &SourceServices,
    loaded: &Loaded,
    failure: Option<&Failure>,
    context: &StepContext,
) -> Result<(), StepError> {
    let now = context.now();
    let version = loaded.in_force.version;
    let mut health: Health = loaded.row.health.clone();
    let Some(failure) = failure else {
        health.good_run(now);
        record(context, SourceRecord::Health { source: name(loaded), health });
        record(context, SourceRecord::Watched { source: name(loaded), version, good: true });
        return Ok(());
    };
    health.failed_run(now);
    let may_be_healed = health.state == HealthState::Degraded;
    record(context, SourceRecord::Health { source: name(loaded), health });
    // An outage says nothing about a recipe.
    let is_about_the_recipe = failure.error_type.is_about_the_recipe();
    let is_on_trial = loaded.in_force.asked_by == DOCTOR && loaded.in_force.runs < WATCHED_RUNS;
    let before = loaded.in_force.replaces.filter(|_| is_about_the_recipe && is_on_trial);
    if is_about_the_recipe {
        record(context, SourceRecord::Watched { source: name(loaded), version, good: false });
    }
    match before {
        Some(before) if loaded.in_force.runs + 1 == WATCHED_RUNS && loaded.in_force.failed_runs + 1 == WATCHED_RUNS => {
            take_back(loaded, before, context);
        }
        // The next run on schedule tells whether it was the site or the fix.
        Some(_) => context.note("on trial", "the fix in force is new: the next run decides about it"),
        // Nothing is wrong with this source in particular, and no attempt is made.
        None if outage::is_general(services, loaded, failure, now).await? => {
            let message =
                "most hosts cannot be reached: look at this machine's network. No attempt at a fix is made".to_owned();
            context.note("outage", message.clone());
            let shared = Some(SharedCause { host: EVERY_HOST.to_owned(), cause: AlertKind::Outage.name().to_owned() });
            let target = EVERY_HOST.to_owned();
            record(context, SourceRecord::Alert { target, kind: AlertKind::Outage, message, shared });
        }
        None if may_be_healed => {
            let mut task = NewTask::new(TaskKind::FixSource, name(loaded), now);
            task.context = json_of(failure)?;
            record(context, SourceRecord::Task(task));
        }
        None => {}
    }
    Ok(())
}

/// The version in force was a false positive: the one before it is in force again, and this one is not proposed again.
fn take_back(loaded: &Loaded, before: u32, context: &StepContext) {
    let (source, version) = (name(loaded), loaded.in_force.version);
    let message = format!(
        "recipe {version} of `{source}` passed its validation and failed its first {WATCHED_RUNS} runs: recipe {before} is in force \
         again; `autoheal source history {source}` shows both"
    );
    context.note("rolled back", message.clone());
    let (replaces, asked_by) = (Some(version), WATCH.to_owned());
    record(context, SourceRecord::Promoted { source: source.clone(), version: before, replaces, asked_by });
    record(context, SourceRecord::Rejected { source: source.clone(), version });
    record(context, SourceRecord::Alert { target: source, kind: AlertKind::Rollback, message, shared: None });
}

impl Workflow for RefreshWorkflow {
    type Node = RefreshNode;
    type State = RefreshState;

    fn kind(&self) -> TaskKind {
        TaskKind::RefreshSource
    }

    fn state_version(&self) -> u32 {
        2
    }

    fn graph(&self) -> &Graph<RefreshNode, RefreshState> {
        &self.graph
    }

    fn start(&self, task: &Task, _now: Timestamp) -> Result<RefreshState, StepError> {
        Ok(RefreshState { source: source_of(task)?, wanted: None, seen: Vec::new(), values: None, broken: None })
    }

    async fn step(&self, node: RefreshNode, state: &mut RefreshState, context: &StepContext) -> Result<(), StepError> {
        match node {
            RefreshNode::Refresh => self.refresh(state, context).await,
        }
    }

    fn absorb(&self, _node: RefreshNode, state: &mut RefreshState, error: &StepError, _now: Timestamp) -> bool {
        state.broken = Some(error.to_string());
        true
    }

    fn cancel(&self, state: &mut RefreshState, _now: Timestamp) {
        state.broken = Some("cancelled".to_owned());
    }

    fn is_stopped(&self, state: &RefreshState) -> bool {
        state.broken.is_some()
    }

    fn outcome(&self, state: &RefreshState, _now: Timestamp) -> Outcome {
        let failure = state.failure();
        let (healed, stop_reason) = match (failure, &state.broken) {
            (Some(failure), _) => (false, failure.error_type.name()),
            (None, Some(_)) => (false, "BROKEN"),
            (None, None) => (state.is_done(), "GOOD"),
        };
        let message = failure.map(|failure| failure.message.as_str()).or(state.broken.as_deref());
        let mut report =
            format!("# `{}`: {stop_reason}\n\n{}\n", state.source, message.unwrap_or("The values were kept."));
        // The values of one page; of several, they are in the store.
        let (mut values, mut pages) = (&state.values, &[][..]);
        if state.seen.len() > 1 {
            (values, pages) = (&None, &state.seen);
            let good = pages.iter().filter(|seen| seen.failure.is_none()).count();
            let _ = write!(report, "\n{good} of {} pages were good.\n", pages.len());
        }
        let mut results =
            json!({ "source": state.source, "values": values, "failure": failure, "error": state.broken });
        if !pages.is_empty() {
            results["pages"] = json!(pages);
        }
        Outcome { healed, stop_reason: stop_reason.to_owned(), results, report }
    }
}

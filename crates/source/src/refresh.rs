//! `REFRESH_SOURCE`: fetch, apply the recipe, judge what it yields, keep it, page after page; or ask the Doctor.

use std::fmt::Write as _;
use std::time::Duration;

use autoheal_engine::alert::{Alert, AlertKind, SharedCause};
use autoheal_engine::breaker::NameCheck;
use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node};
use autoheal_engine::source::{Health, HealthState, PageFault, SnapshotRole, SourceRecord, Stage};
use autoheal_engine::task::{NewTask, Task, TaskKind};
use autoheal_engine::workflow::{Ending, Record, StepContext, StepError, Workflow};
use autoheal_engine::{StopReason, Timestamp, counted};
use autoheal_page::Document;
use autoheal_store::RecipeRow;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::add::json_of;
use crate::definition::{Definition, HealPolicy, OnUncertain};
use crate::drift::quoted;
use crate::facts::PageFacts;
use crate::failure::{ErrorType, Failure};
use crate::fault_log::{self, Extent};
use crate::judge::{Judged, judge, page_record};
use crate::loaded::{Loaded, Page, Stored, definition_of, record, source_of};
use crate::name::SourceName;
use crate::new_field::new_fields;
use crate::services::{SourceServices, WebPage, noting_waits, store_error};
use crate::single_node::PAGE_POLICY;
use crate::{host, outage};

/// Number of real runs in which a new fix must prove itself.
const WATCHED_RUNS: u32 = 2;

/// Number of good runs after which a source that a site has slowed down is run twice as often.
const RECOVERY_RUNS: u32 = 3;

/// Time without a good run after which a site's own failure is reported.
const LONGEST_SILENCE: Duration = Duration::from_hours(24);

/// Values of `asked_by` for a fix, and for a fix that is reverted.
pub(crate) const DOCTOR: &str = "doctor";
const WATCH: &str = "watch";

/// Subject of an alert about all hosts.
pub const EVERY_HOST: &str = "*";

/// Nodes of the graph of a `REFRESH_SOURCE` run: just one.
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

/// A page that `next` led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Further {
    url: Url,
    /// Position of the page in its list, from 2.
    number: u32,
}

/// Results of the pages of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    asked: u32,
    good: u32,
    /// Number of pages whose values are not those of the last run.
    #[serde(default)]
    changed: u32,
    /// Number of good pages that the fix on trial was made for: they say nothing about it.
    #[serde(default)]
    known: u32,
    /// Failures of pages, at most [`MOST_FAILURES`], with one that can be healed among them if there is any.
    failures: Vec<Failure>,
}

/// Maximum number of failures that a run keeps; the first one that can be healed is always kept.
const MOST_FAILURES: usize = 10;

impl Seen {
    fn failed(&mut self, failure: Failure) {
        let is_about_the_recipe = |failure: &Failure| failure.error_type.is_about_the_recipe();
        if self.failures.len() < MOST_FAILURES {
            self.failures.push(failure);
        } else if is_about_the_recipe(&failure) && !self.failures.iter().any(is_about_the_recipe) {
            self.failures.pop();
            self.failures.push(failure);
        }
    }

    /// Returns the faults of all pages as diagnostics, and the extent to which the pages were read.
    fn diagnostics(&self) -> (Vec<PageFault>, Extent) {
        let is_read = |failure: &Failure| failure.error_type.is_about_the_recipe();
        let is_whole = self.failures.len() < MOST_FAILURES && self.failures.iter().all(is_read);
        let extent = if is_whole { Extent::Whole } else { Extent::Part };
        (self.failures.iter().flat_map(Failure::diagnostics).collect(), extent)
    }

    /// Returns the failure of the run: one that can be healed takes precedence.
    fn failure(&self) -> Option<&Failure> {
        let healable = self.failures.iter().find(|failure| failure.error_type.is_about_the_recipe());
        healable.or_else(|| self.failures.first())
    }
}

/// The state of a run: one step asks for one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefreshState {
    source: SourceName,
    /// Number of the source's own pages that were requested so far.
    position: usize,
    /// The page of a list that comes next.
    further: Option<Further>,
    /// Pages of that list requested so far, to detect a list that leads back to an earlier page.
    list: Vec<Url>,
    seen: Seen,
    /// Accepted values of the last requested page.
    values: Option<Value>,
    is_done: bool,
    /// Error that stopped the run before it had a result.
    broken: Option<String>,
    /// True if a user cancelled the run.
    #[serde(default)]
    is_cancelled: bool,
}

/// Workflow of `REFRESH_SOURCE` tasks.
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
                if state.is_done { Next::End } else { Next::To(RefreshNode::Refresh) }
            })
            .build()?;
        Ok(Self { services, graph })
    }

    /// Asks for the next page, and after the last one says how the run went.
    async fn refresh(&self, state: &mut RefreshState, context: &StepContext) -> Result<(), StepError> {
        let further = state.further.take();
        // What `next` leads to is another page every day: it is judged by the blueprint alone.
        let (page, stored) = match &further {
            Some(further) => (Page::At(&further.url), Stored::NotWanted),
            None => (Page::Number(state.position), Stored::Wanted),
        };
        let loaded = Loaded::load(&self.services, state.source.as_str(), page, stored).await?;
        let number = further.as_ref().map_or(1, |further| further.number);
        if further.is_none() {
            state.position += 1;
            state.list.clear();
        }
        state.list.push(loaded.page.clone());
        state.seen.asked += 1;
        context.progress(format!("asking for {}", loaded.page));
        let mut is_left_alone = false;
        match self.services.page(&loaded.page, &loaded.request()).await? {
            Ok(answer) => {
                let judged = judge(&loaded, &answer);
                match judged.failure.clone() {
                    _ if number > 1 && judged.facts.is_empty() => {
                        state.seen.asked -= 1;
                        context.note("end of the list", format!("{} has nothing", loaded.page));
                    }
                    None => {
                        let facts = (&judged.facts, &judged.values);
                        let is_changed = self.keep(&loaded, &answer, facts, number, context).await?;
                        if number == 1 && is_new(&loaded, &answer, &judged.facts) {
                            note_new_fields(&loaded, &judged.document, context);
                        }
                        state.seen.changed += u32::from(is_changed);
                        state.seen.known +=
                            u32::from(self.is_what_the_fix_was_made_for(&loaded, &answer, context).await?);
                        let next = further_page(&loaded, &answer, &judged, number);
                        state.further = next.filter(|next| !state.list.contains(&next.url));
                        state.seen.good += 1;
                        state.values = Some(judged.values);
                    }
                    Some(failure) => {
                        if failure.error_type.is_about_the_recipe() {
                            let url = &loaded.page;
                            let page = page_record(&loaded, &answer, url, SnapshotRole::Failing, None, context.now());
                            record(context, page);
                        }
                        if let Some(values) = in_part(&loaded, &judged) {
                            let url = answer.url.to_string();
                            let uncertain: Vec<&str> = judged.doubtful.iter().map(String::as_str).collect();
                            context.note("kept in part", format!("without {}", uncertain.join(", ")));
                            let (source, version) = (name(&loaded), loaded.in_force.version);
                            record(context, SourceRecord::Values { source, url, version, values: values.clone() });
                            state.values = Some(values);
                        }
                        state.seen.failed(told(failure, &loaded, context));
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
                is_left_alone = failure.error_type == ErrorType::RateLimit;
                state.seen.failed(told(failure, &loaded, context));
            }
        }
        let left = loaded.definition.pages().count().saturating_sub(state.position);
        if is_left_alone && left > 0 {
            context.note("left alone", format!("{left} pages are for the next run"));
        }
        state.is_done = is_left_alone || (state.further.is_none() && left == 0);
        if state.is_done { conclude(&self.services, &loaded, &state.seen, context).await } else { Ok(()) }
    }

    /// Returns whether this is the run right after the promotion of a fix, and the page is the one that the fix was validated on.
    async fn is_what_the_fix_was_made_for(
        &self,
        loaded: &Loaded,
        page: &WebPage,
        context: &StepContext,
    ) -> Result<bool, StepError> {
        let is_new = context.now().since(loaded.in_force.created_at) < loaded.definition.interval() / 2;
        if !is_new || !is_on_trial(loaded) {
            return Ok(false);
        }
        let (source, url) = (&loaded.row.source, loaded.page.as_str());
        let failing = self.services.store.snapshots(source, SnapshotRole::Failing, Some(url), 1).await;
        let failing = failing.map_err(|error| store_error(&error))?;
        Ok(failing.first().is_some_and(|failing| failing.content == page.html.as_bytes()))
    }

    /// Stores a good page: its values, and what later ones are compared with. Returns whether the values are new.
    async fn keep(
        &self,
        loaded: &Loaded,
        page: &WebPage,
        (facts, values): (&PageFacts, &Value),
        number: u32,
        context: &StepContext,
    ) -> Result<bool, StepError> {
        let now = context.now();
        let version = loaded.in_force.version;
        let before = self.services.store.last_values(&name(loaded), page.url.as_str()).await;
        let before = before.map_err(|error| store_error(&error))?.map(|last| last.values);
        let is_changed = before.as_ref() != Some(values);
        let source = &loaded.row.source;
        if let Some(notice) =
            values_notice(source, &loaded.definition, (&page.url, version), before.as_ref(), values, now)
        {
            record(context, notice);
        }
        let url = page.url.to_string();
        record(context, SourceRecord::Values { source: name(loaded), url, version, values: values.clone() });
        context.note("kept", counted(loaded.recipe.fields().len(), "field"));
        if number > 1 {
            return Ok(is_changed);
        }
        let moved_to = page.moved_to.as_ref().filter(|_| loaded.definition.heal_policy == HealPolicy::Auto);
        if is_new(loaded, page, facts) || moved_to.is_some() {
            let (facts, url) = (json_of(facts)?, moved_to.unwrap_or(&loaded.page));
            record(context, page_record(loaded, page, url, SnapshotRole::Good, Some(facts), now));
        }
        if let Some(moved_to) = moved_to {
            context.note("moved", format!("the page is at {moved_to} for good"));
            let definition = loaded.definition.moved(&loaded.page, moved_to);
            let (was, definition) = (loaded.row.definition.clone(), json_of(&definition)?);
            record(context, SourceRecord::Moved { source: name(loaded), was, definition });
        }
        Ok(is_changed)
    }
}

/// Returns whether a good page is new evidence: the same values of the same page are not.
fn is_new(loaded: &Loaded, page: &WebPage, facts: &PageFacts) -> bool {
    loaded.last.as_ref() != Some(facts) || loaded.good.first().is_none_or(|last| last.content != page.html.as_bytes())
}

/// Names the fields that the page has and that it had on none of the good pages that are kept.
fn note_new_fields(loaded: &Loaded, page: &Document, context: &StepContext) {
    let good = loaded.good.iter().filter(|good| good.url == loaded.page.as_str());
    let before: Vec<Document> = good.map(|good| Document::parse_bytes(&good.content)).collect();
    if before.is_empty() {
        return;
    }
    for (field, value) in new_fields(&loaded.recipe, &before, page) {
        let how = format!("to collect it: autoheal source set {} --example {field}=VALUE", loaded.row.source);
        context.note("new on the page", format!("{field}: {}; {how}", quoted(&value)));
    }
}

/// The values of a failed page without those of the uncertain fields, if the user wants them.
fn in_part(loaded: &Loaded, judged: &Judged) -> Option<Value> {
    match loaded.definition.on_uncertain {
        OnUncertain::SkipRun => None,
        OnUncertain::SkipField => judged.certain_values(&loaded.recipe),
    }
}

/// The notice of values that have changed, if the user wants one.
pub(crate) fn values_notice(
    source: &str,
    definition: &Definition,
    (url, version): (&Url, u32),
    before: Option<&Value>,
    values: &Value,
    now: Timestamp,
) -> Option<SourceRecord> {
    let webhook = definition.webhook.as_ref().filter(|_| before != Some(values))?;
    let body = json!({
        "type": "values", "source": source, "url": url, "at": now.to_rfc3339(),
        "recipe_version": version, "is_first": before.is_none(), "values": values,
    });
    Some(SourceRecord::Notice { source: source.to_owned(), address: webhook.to_string(), body })
}

fn name(loaded: &Loaded) -> String {
    loaded.row.source.clone()
}

fn told(failure: Failure, loaded: &Loaded, context: &StepContext) -> Failure {
    context.note("failed", format!("{}: {}", failure.error_type, failure.message));
    failure.on(&loaded.page)
}

/// The page that comes after this one in a list, on the same host.
fn further_page(loaded: &Loaded, answer: &WebPage, judged: &Judged, number: u32) -> Option<Further> {
    loaded.recipe.next().filter(|next| number < next.limit)?;
    let url = judged.facts.next.clone()?;
    (url.origin() == answer.url.origin()).then_some(Further { url, number: number + 1 })
}

/// Concludes a run after its last page: updates the health of the source and acts on a failure. A new fix is on trial in its first
/// real runs: no other fix is made during the trial, and the fix is rolled back if all of these runs fail because of the recipe.
/// Otherwise a failure starts the Doctor, unless attempts are not allowed.
async fn conclude(
    services: &SourceServices,
    loaded: &Loaded,
    seen: &Seen,
    context: &StepContext,
) -> Result<(), StepError> {
    let failure = seen.failure();
    let now = context.now();
    let version = loaded.in_force.version;
    let (faults, extent) = seen.diagnostics();
    let observed = fault_log::observed(&services.store, &loaded.row.source, &faults, extent, now).await;
    if let Some(diagnostics) = observed.map_err(|error| store_error(&error))? {
        record(context, diagnostics);
    }
    let mut health: Health = loaded.row.health.clone();
    let Some(failure) = failure else {
        health.good_run(now);
        record(context, SourceRecord::Health { source: name(loaded), health });
        if seen.known < seen.good {
            record(context, SourceRecord::Watched { source: name(loaded), version, good: true });
        }
        let good_runs = loaded.in_force.runs.saturating_sub(loaded.in_force.failed_runs) + 1;
        let is_trusted_again = good_runs.is_multiple_of(RECOVERY_RUNS);
        if let Some(faster) = loaded.definition.recovered().filter(|_| is_trusted_again) {
            context.note("recovered", format!("run every {} s again", faster.interval().as_secs()));
            let (was, definition) = (loaded.row.definition.clone(), json_of(&faster)?);
            record(context, SourceRecord::Moved { source: name(loaded), was, definition });
        }
        return Ok(());
    };
    let is_silent = seen.good == 0 && (!failure.is_a_strike() || failure.error_type == ErrorType::RateLimit);
    health.failed_run(now);
    health.unreached = failure.unreached;
    let may_be_healed = health.state == HealthState::Degraded;
    record(context, SourceRecord::Health { source: name(loaded), health });
    // An outage says nothing about a recipe.
    let is_about_the_recipe = failure.error_type.is_about_the_recipe();
    // A restored version is not a new fix, and a version that was rolled back or rejected is not restored.
    let before = loaded.versions.iter().find(|version| {
        Some(version.version) == loaded.in_force.replaces
            && version.version < loaded.in_force.version
            && version.stage == Stage::Archived
    });
    let before = before.filter(|_| is_about_the_recipe && is_on_trial(loaded));
    if is_about_the_recipe {
        record(context, SourceRecord::Watched { source: name(loaded), version, good: false });
    }
    let is_outage = before.is_none() && outage::is_general(services, loaded, failure, now).await?;
    if is_silent && !is_outage && !failure.host_unknown {
        tell_of_a_silent_site(services, loaded, failure, context).await?;
    }
    match before {
        Some(before) if loaded.in_force.runs + 1 == WATCHED_RUNS && loaded.in_force.failed_runs + 1 == WATCHED_RUNS => {
            take_back(loaded, before, context)?;
        }
        // The next run on schedule tells whether it was the site or the fix.
        Some(_) => context.note("on trial", "the active fix is new; the next run decides about it"),
        // Nothing is wrong with this source in particular, and no attempt is made.
        None if is_outage => {
            let what = if failure.lookup_failed {
                failure.message.as_str()
            } else {
                "most hosts cannot be reached: look at this machine's network"
            };
            let message = format!("{what}. No attempt at a fix is made");
            context.note("outage", message.clone());
            let shared = Some(SharedCause { host: EVERY_HOST.to_owned(), cause: AlertKind::Outage.name().to_owned() });
            let target = EVERY_HOST.to_owned();
            context.record(Record::Alert(Alert { target, kind: AlertKind::Outage, message, shared }));
        }
        None if failure.is_of_the_site() && !failure.host_unknown => {}
        None if may_be_healed => {
            let mut task = NewTask::new(TaskKind::FixSource, name(loaded), now);
            task.context = json_of(failure)?;
            record(context, SourceRecord::Task(task));
        }
        None => {}
    }
    Ok(())
}

/// Returns whether the active version is a fix that has not proved itself yet.
fn is_on_trial(loaded: &Loaded) -> bool {
    loaded.in_force.asked_by == DOCTOR && loaded.in_force.runs < WATCHED_RUNS
}

/// Raises an alert, once, when a site has given no page for a day, in more than one run.
async fn tell_of_a_silent_site(
    services: &SourceServices,
    loaded: &Loaded,
    failure: &Failure,
    context: &StepContext,
) -> Result<(), StepError> {
    let (source, health) = (name(loaded), &loaded.row.health);
    let is_repeated = |since| health.last_failure_at.is_some_and(|failed| failed > since);
    let is_long = |since| context.now().since(since) >= LONGEST_SILENCE;
    let mut good_at = health.last_success_at.unwrap_or(loaded.row.created_at);
    if !is_repeated(good_at) || !is_long(good_at) {
        return Ok(());
    }
    // A page with wrong values is a page, too.
    for role in [SnapshotRole::Good, SnapshotRole::Failing] {
        let newest = services.store.snapshots(&source, role, None, 1).await.map_err(|error| store_error(&error))?;
        good_at = newest.first().map_or(good_at, |page| page.taken_at.max(good_at));
    }
    if !is_repeated(good_at) || !is_long(good_at) {
        return Ok(());
    }
    if services.has_alerted(&source, AlertKind::Blocked, good_at).await? {
        return Ok(());
    }
    let message = format!(
        "`{source}`: no page since {}: {}. No change of the recipe could help; `autoheal explain {}` says what can be done",
        good_at.to_rfc3339(),
        failure.message.trim_end_matches('.'),
        failure.stop_reason()
    );
    let host = loaded.page.host_str().unwrap_or_default().to_owned();
    let shared = Some(SharedCause { host, cause: failure.cause() });
    context.record(Record::Alert(Alert { target: source, kind: AlertKind::Blocked, message, shared }));
    Ok(())
}

/// Rolls back the active version, a false positive: reactivates the version before it and rejects this one for good.
fn take_back(loaded: &Loaded, before: &RecipeRow, context: &StepContext) -> Result<(), StepError> {
    let (source, version) = (name(loaded), loaded.in_force.version);
    let definition = json_of(&loaded.definition_with(&definition_of(before)?)?)?;
    let before = before.version;
    let message = format!(
        "recipe {version} of `{source}` passed its validation and failed its first {WATCHED_RUNS} runs: recipe {before} is active \
         again; `autoheal source history {source}` shows both"
    );
    context.note("rolled back", message.clone());
    let (replaces, asked_by) = (Some(version), WATCH.to_owned());
    record(context, SourceRecord::Promoted { source: source.clone(), version: before, definition, replaces, asked_by });
    record(context, SourceRecord::Rejected { source: source.clone(), version });
    context.record(Record::Alert(Alert { target: source, kind: AlertKind::Rollback, message, shared: None }));
    Ok(())
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
        Ok(RefreshState {
            source: source_of(task)?,
            position: 0,
            further: None,
            list: Vec::new(),
            seen: Seen::default(),
            values: None,
            is_done: false,
            broken: None,
            is_cancelled: false,
        })
    }

    async fn step(&self, node: RefreshNode, state: &mut RefreshState, context: &StepContext) -> Result<(), StepError> {
        match node {
            RefreshNode::Refresh => noting_waits(context, self.refresh(state, context)).await,
        }
    }

    fn on_step_failed(&self, _node: RefreshNode, state: &mut RefreshState, error: &StepError, _now: Timestamp) -> bool {
        state.broken = Some(error.to_string());
        true
    }

    fn cancel(&self, state: &mut RefreshState, _now: Timestamp) {
        state.is_cancelled = true;
    }

    fn is_stopped(&self, state: &RefreshState) -> bool {
        state.broken.is_some() || state.is_cancelled
    }

    fn ending(&self, state: &RefreshState, _now: Timestamp) -> Ending {
        let Seen { asked, good, changed, .. } = state.seen;
        let failure = state.seen.failure();
        let stop_reason = match (failure, &state.broken) {
            _ if state.is_cancelled => StopReason::Cancelled,
            (Some(failure), _) => failure.stop_reason(),
            (None, Some(_)) => StopReason::Failed,
            (None, None) if changed > 0 => StopReason::NewValues,
            (None, None) => StopReason::Good,
        };
        let outcome = stop_reason.outcome(0);
        let message = failure.map(|failure| failure.message.as_str()).or(state.broken.as_deref());
        let message = message.unwrap_or(outcome.meaning());
        let mut report = format!("# `{}`: {outcome}\n\n{message}\n", state.source);
        let mut results = json!({ "source": state.source, "failure": failure, "error": state.broken });
        // The values of one page; of several, they are in the store.
        if asked > 1 {
            let _ = write!(report, "\n{good} of {asked} pages were good.\n");
            results["values"] = Value::Null;
            results["pages"] = json!(state.seen);
        } else {
            results["values"] = json!(state.values);
        }
        Ending { outcome, stop_reason, results, report }
    }
}

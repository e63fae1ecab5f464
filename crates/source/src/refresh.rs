//! `REFRESH_SOURCE`: fetch, apply the recipe, judge what it yields, keep it; or ask the Doctor.

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::NameCheck;
use autoheal_engine::graph::{Graph, GraphError, Node};
use autoheal_engine::source::{AlertKind, Health, HealthState, SnapshotRole, SourceRecord};
use autoheal_engine::task::{NewTask, Task, TaskKind};
use autoheal_engine::workflow::{Outcome, StepContext, StepError, Workflow};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::add::json_of;
use crate::definition::HealPolicy;
use crate::failure::Failure;
use crate::judge::{Judged, judge, page_record};
use crate::loaded::{Loaded, Pages, record, source_of};
use crate::name::SourceName;
use crate::services::{SourceServices, WebPage};
use crate::{host, single_node};

/// Real runs after a fix went into force in which it must prove itself.
const WATCHED_RUNS: u32 = 2;

/// What `asked_by` says of a fix, and of one that is taken back.
pub(crate) const DOCTOR: &str = "doctor";
const WATCH: &str = "watch";

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

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefreshState {
    source: SourceName,
    /// The accepted values.
    values: Option<Value>,
    /// Why there are none.
    failure: Option<Failure>,
    /// Why the run did not come so far as to know.
    broken: Option<String>,
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
        Ok(Self { services, graph: single_node::graph(RefreshNode::Refresh)? })
    }

    async fn refresh(&self, state: &mut RefreshState, context: &StepContext) -> Result<(), StepError> {
        let loaded = Loaded::load(&self.services, state.source.as_str(), Pages::Wanted).await?;
        context.progress(format!("asking for {}", loaded.definition.url));
        match self.services.page(&loaded.definition.url, loaded.recipe.request()).await? {
            Ok(page) => {
                let judged = judge(&loaded, &page);
                match judged.failure {
                    None => {
                        keep(&loaded, &page, &judged, context)?;
                        state.values = Some(judged.values);
                    }
                    Some(failure) => {
                        if failure.error_type.is_about_the_recipe() {
                            record(context, page_record(&loaded, &page, SnapshotRole::Failing, None, context.now()));
                        }
                        fail(&loaded, &failure, context)?;
                        state.failure = Some(failure);
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
                fail(&loaded, &failure, context)?;
                state.failure = Some(failure);
            }
        }
        Ok(())
    }
}

fn name(loaded: &Loaded) -> String {
    loaded.row.source.clone()
}

/// A good run: the values, the page, the health, and the next run.
fn keep(loaded: &Loaded, page: &WebPage, found: &Judged, context: &StepContext) -> Result<(), StepError> {
    let now = context.now();
    let mut health = loaded.row.health.clone();
    health.good_run(now);
    record(context, SourceRecord::Health { source: name(loaded), health });
    let version = loaded.in_force.version;
    let url = page.url.to_string();
    record(context, SourceRecord::Values { source: name(loaded), url, version, values: found.values.clone() });
    record(context, SourceRecord::Watched { source: name(loaded), version, good: true });
    // The same page again is no new evidence.
    if loaded.good.first().is_none_or(|last| last.content != page.html.as_bytes()) {
        let facts = json_of(&found.facts)?;
        record(context, page_record(loaded, page, SnapshotRole::Good, Some(facts), now));
    }
    if let Some(moved_to) = page.moved_to.as_ref().filter(|_| loaded.definition.heal_policy == HealPolicy::Auto) {
        context.note("moved", format!("the page is at {moved_to} for good"));
        let definition = loaded.definition.at(moved_to.clone());
        record(context, SourceRecord::Definition { source: name(loaded), definition: json_of(&definition)? });
    }
    context.note("kept", format!("{} fields", loaded.recipe.fields().len()));
    Ok(())
}

/// A failed run: the health, and what follows of it. A fix proves itself in its first real runs: while it does, no other fix is
/// made, and when all of them fail for what it is about it is taken back. Otherwise the Doctor is asked, unless attempts are not
/// allowed.
fn fail(loaded: &Loaded, failure: &Failure, context: &StepContext) -> Result<(), StepError> {
    let now = context.now();
    context.note("failed", format!("{}: {}", failure.error_type, failure.message));
    let mut health: Health = loaded.row.health.clone();
    health.failed_run(now);
    let may_be_healed = health.state == HealthState::Degraded;
    record(context, SourceRecord::Health { source: name(loaded), health });
    let version = loaded.in_force.version;
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
    record(context, SourceRecord::Alert { target: source, kind: AlertKind::Rollback, message });
}

impl Workflow for RefreshWorkflow {
    type Node = RefreshNode;
    type State = RefreshState;

    fn kind(&self) -> TaskKind {
        TaskKind::RefreshSource
    }

    fn state_version(&self) -> u32 {
        1
    }

    fn graph(&self) -> &Graph<RefreshNode, RefreshState> {
        &self.graph
    }

    fn start(&self, task: &Task, _now: Timestamp) -> Result<RefreshState, StepError> {
        Ok(RefreshState { source: source_of(task)?, values: None, failure: None, broken: None })
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
        let stop_reason = match (&state.values, &state.failure) {
            (Some(_), _) => "GOOD".to_owned(),
            (None, Some(failure)) => failure.error_type.name().to_owned(),
            (None, None) => "BROKEN".to_owned(),
        };
        let message = state.failure.as_ref().map(|failure| failure.message.as_str()).or(state.broken.as_deref());
        let report = format!("# `{}`: {stop_reason}\n\n{}\n", state.source, message.unwrap_or("The values were kept."));
        let results =
            json!({ "source": state.source, "values": state.values, "failure": state.failure, "error": state.broken });
        Outcome { healed: state.values.is_some(), stop_reason, results, report }
    }
}

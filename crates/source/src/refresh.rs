//! `REFRESH_SOURCE`: fetch, apply the recipe, judge what it yields, keep it; or ask the Doctor.

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::NameCheck;
use autoheal_engine::graph::{Graph, GraphError, Node};
use autoheal_engine::source::{AlertKind, Health, HealthState, Snapshot, SnapshotRole, SourceRecord};
use autoheal_engine::task::{NewTask, Task, TaskKind};
use autoheal_engine::workflow::{Outcome, StepContext, StepError, Workflow};
use autoheal_fetch::Fetched;
use autoheal_page::Document;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::add::json_of;
use crate::definition::Definition;
use crate::failure::Failure;
use crate::loaded::{Loaded, permanent, record};
use crate::name::SourceName;
use crate::services::SourceServices;
use crate::validation::{texts, validate, values};
use crate::{host, single_node};

/// Real runs after a fix went into force in which it must prove itself.
const WATCHED_RUNS: u32 = 2;

/// What `asked_by` says of a fix.
pub(crate) const DOCTOR: &str = "doctor";

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
        let loaded = Loaded::load(&self.services, state.source.as_str()).await?;
        context.progress(format!("asking for {}", loaded.definition.url));
        match self.services.page(&loaded.definition.url, loaded.recipe.request()).await {
            Ok(answer) => {
                let page = Document::parse_bytes(&answer.body);
                let extraction = loaded.recipe.apply(&page, Some(&answer.url));
                let validation = validate(&loaded.recipe, &extraction, &loaded.history());
                match validation.failure() {
                    None => {
                        let found = Found { texts: texts(&extraction), values: values(&loaded.recipe, &extraction) };
                        keep(&loaded, &answer, &found, context)?;
                        state.values = Some(found.values);
                    }
                    Some(failure) => {
                        record(context, page_record(&loaded, &answer, SnapshotRole::Failing, None, context.now()));
                        fail(&loaded, &failure, context)?;
                        state.failure = Some(failure);
                    }
                }
            }
            Err(failure) => {
                if failure.host_unknown {
                    let check = NameCheck {
                        at: context.now(),
                        target_known: false,
                        control_known: host::control_is_known().await,
                    };
                    record(context, SourceRecord::NameCheck { source: name(&loaded), check });
                }
                fail(&loaded, &failure, context)?;
                state.failure = Some(failure);
            }
        }
        Ok(())
    }
}

/// What a page gave.
struct Found {
    texts: Value,
    values: Value,
}

fn name(loaded: &Loaded) -> String {
    loaded.row.source.clone()
}

fn page_record(
    loaded: &Loaded,
    answer: &Fetched,
    role: SnapshotRole,
    values: Option<Value>,
    now: Timestamp,
) -> SourceRecord {
    let snapshot =
        Snapshot { role, url: loaded.definition.url.to_string(), taken_at: now, content: answer.body.to_vec(), values };
    SourceRecord::Snapshot { source: name(loaded), snapshot }
}

/// A good run: the values, the page, the health, and the next run.
fn keep(loaded: &Loaded, answer: &Fetched, found: &Found, context: &StepContext) -> Result<(), StepError> {
    let now = context.now();
    let mut health = loaded.row.health.clone();
    health.good_run(now);
    record(context, SourceRecord::Health { source: name(loaded), health });
    let version = loaded.in_force.version;
    let url = answer.url.to_string();
    record(context, SourceRecord::Values { source: name(loaded), url, version, values: found.values.clone() });
    record(context, SourceRecord::Watched { source: name(loaded), version, good: true });
    // The same page again is no new evidence.
    if loaded.good.first().is_none_or(|last| last.content != answer.body) {
        record(context, page_record(loaded, answer, SnapshotRole::Good, Some(found.texts.clone()), now));
    }
    if let Some(moved_to) = answer.moved_to() {
        context.note("moved", format!("the page is at {moved_to} for good"));
        let definition = Definition { url: moved_to.clone(), ..loaded.definition.clone() };
        record(context, SourceRecord::Definition { source: name(loaded), definition: json_of(&definition)? });
    }
    context.note("kept", format!("{} values", loaded.recipe.fields().len()));
    Ok(())
}

/// A failed run: the health, and what follows of it. A fix that fails its first real runs is taken back; else the Doctor is
/// asked, unless attempts are not allowed.
fn fail(loaded: &Loaded, failure: &Failure, context: &StepContext) -> Result<(), StepError> {
    let now = context.now();
    context.note("failed", format!("{}: {}", failure.error_type, failure.message));
    let mut health: Health = loaded.row.health.clone();
    health.failed_run(now);
    let version = loaded.in_force.version;
    record(context, SourceRecord::Watched { source: name(loaded), version, good: false });
    let may_be_healed = health.state == HealthState::Degraded;
    record(context, SourceRecord::Health { source: name(loaded), health });
    let is_fix = loaded.in_force.promoted_by.as_deref() == Some(DOCTOR);
    let failed_at_once = loaded.in_force.runs + 1 == WATCHED_RUNS && loaded.in_force.failed_runs + 1 == WATCHED_RUNS;
    if let Some(before) = loaded.in_force.replaces.filter(|_| is_fix && failed_at_once) {
        let message = format!(
            "recipe {version} of `{}` passed its validation and failed its first {WATCHED_RUNS} runs: recipe {before} is in force again",
            loaded.row.source
        );
        context.note("rolled back", message.clone());
        let asked_by = "watch".to_owned();
        record(
            context,
            SourceRecord::Promoted { source: name(loaded), version: before, replaces: Some(version), asked_by },
        );
        record(context, SourceRecord::Alert { target: name(loaded), kind: AlertKind::Rollback, message });
    }
    if may_be_healed {
        let mut task = NewTask::new(TaskKind::FixSource, loaded.row.source.clone(), now);
        task.context = json_of(failure)?;
        record(context, SourceRecord::Task(task));
    }
    Ok(())
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
        let source =
            task.target.parse().map_err(|error: crate::name::InvalidSourceName| permanent(error.to_string()))?;
        Ok(RefreshState { source, values: None, failure: None, broken: None })
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

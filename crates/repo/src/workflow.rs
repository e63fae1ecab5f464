//! The workflow as the orchestrator sees it: which agent does the job of which node, and what a run came to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use autoheal_code::imports::Imports;
use autoheal_engine::alert::AlertKind;
use autoheal_engine::diagnostics::Importers;
use autoheal_engine::error_code::CodedError;
use autoheal_engine::graph::{Graph, GraphError, Node as _};
use autoheal_engine::task::{Task, TaskKind};
use autoheal_engine::workflow::{Ending, StepContext, StepError, Workflow};
use autoheal_engine::{ErrorCode, RunId, StopReason, Timestamp};
use autoheal_forge::host::StatusState;
use autoheal_forge::{ForgeError, Git, GitSettings, RepositoryAddress};

use crate::agents::{analyze, commit, diagnose, discover, fix, monitor, patch, plan};
use crate::check_result::millis;
use crate::checkout::Checkout;
use crate::drift;
use crate::folders::Folders;
use crate::graph::{HealNode, graph};
use crate::hosting::{Hosted, delivery};
use crate::model::{ModelPlanner, PromptContext, Unvarying};
use crate::report;
use crate::request::{CiMode, HealRequest};
use crate::results::HealingResults;
use crate::session::Session;
use crate::settings::HealSettings;
use crate::state::HealState;
use crate::step_error::forge_error;

/// Reason the workflow cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The graph is wrong.
    #[error("the graph of the repository workflow is wrong")]
    Graph(#[from] GraphError),
    /// git cannot be used.
    #[error("git cannot be used")]
    Git(#[from] ForgeError),
    /// The data folder is not there and cannot be made.
    #[error("the data folder cannot be used; make it, or name another one with --data-dir")]
    DataFolder(#[source] std::io::Error),
}

/// Takes a repository from red to green.
pub struct HealWorkflow {
    settings: HealSettings,
    graph: Graph<HealNode, HealState>,
    git: Arc<Git>,
    /// Open sessions by run. A session is a cache: a run without one gets a new session, made from its state.
    sessions: Mutex<HashMap<RunId, Session>>,
}

impl HealWorkflow {
    /// The workflow on this machine.
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    pub fn new(mut settings: HealSettings) -> Result<Self, SetupError> {
        settings.data_dir = real(&settings.data_dir).map_err(SetupError::DataFolder)?;
        let tokens = settings.hosts.git_tokens();
        let git = Git::new(GitSettings { tokens, limits: settings.git_limits, ..GitSettings::default() })?;
        Ok(Self { settings, graph: graph()?, git: Arc::new(git), sessions: Mutex::default() })
    }

    /// The run's own folder under the data directory.
    pub fn run_folder(&self, run: RunId) -> PathBuf {
        self.settings.data_dir.join("runs").join(run.to_string())
    }

    fn checkout(&self, state: &HealState, run: RunId) -> Result<Checkout, StepError> {
        let sites = self.settings.hosts.sites();
        let address =
            RepositoryAddress::parse_on(&state.request.repository, &sites).map_err(|error| forge_error(&error))?;
        Ok(Checkout { git: Arc::clone(&self.git), address, folders: Folders::new(self.run_folder(run)) })
    }

    /// Returns the run's session, or makes a new one if this process has none. In that case the tree is written again, which removes
    /// any candidate that a killed process was trying.
    async fn session(&self, state: &HealState, checkout: &Checkout, run: RunId) -> Result<Session, StepError> {
        let open = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
        if let Some(session) = open {
            return Ok(session);
        }
        let Some(setup) = state.analysis.setup.clone() else {
            let message = "the run has no setup: its first node did not end".to_owned();
            return Err(StepError::Permanent { code: ErrorCode::StepFailed, message });
        };
        checkout.restore(state).await?;
        Session::open(run, checkout.folders.clone(), setup, state.request.limits, &self.settings.sandbox).await
    }

    /// Ends what is kept warm for a run that has ended, and removes its folders: its clone stays, with its branch. That something cannot be ended
    /// or removed changes no verdict.
    async fn clear_up(&self, context: &StepContext) {
        let open = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&context.run);
        if let Some(session) = open
            && let Err(error) = session.close().await
        {
            context.note("warning", format!("the sandbox of the run could not be closed: {error}"));
        }
        let folders = Folders::new(self.run_folder(context.run));
        let removed = tokio::task::spawn_blocking(move || folders.remove_work()).await;
        if let Ok(Err(error)) = removed {
            context.note("warning", format!("what commands of the run left cannot be removed: {error}"));
        }
    }

    /// Sets the commit's status to failure when the run was cancelled, so that nothing waits for a verdict that will not come.
    async fn tell_of_the_end(&self, state: &mut HealState, context: &StepContext) {
        // Where nothing is verified nobody was told to wait, and a verdict stands.
        if state.request.ci == CiMode::None || state.stop != Some(StopReason::Cancelled) {
            return;
        }
        let Ok(checkout) = self.checkout(state, context.run) else { return };
        let Some(hosted) = Hosted::at(&self.settings.hosts, &checkout.address) else { return };
        if let Err(error) = delivery::status(state, &hosted, StatusState::Failure, context).await {
            context.note("warning", format!("the status of the commit could not be set: {error}"));
        }
    }

    async fn one_step(&self, node: HealNode, state: &mut HealState, context: &StepContext) -> Result<(), StepError> {
        match node {
            HealNode::Analyze => {
                let checkout = self.checkout(state, context.run)?;
                analyze::run(state, &checkout, &self.settings, context).await
            }
            node => self.in_session(node, state, context).await,
        }
    }

    fn model_planner<'a>(&'a self, importers: &'a Importers, unvarying: &'a Unvarying) -> Option<ModelPlanner<'a>> {
        let HealSettings { models, prompt_limits: limits, .. } = &self.settings;
        let prompt_context = PromptContext { limits, importers, unvarying };
        models.as_ref().map(|models| ModelPlanner { models, prompt_context })
    }

    fn keep(&self, run: RunId, session: Session) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(run, session);
    }

    /// Runs one step on a machine that has the run's clone and tree; earlier steps may have run elsewhere.
    async fn in_session(&self, node: HealNode, state: &mut HealState, context: &StepContext) -> Result<(), StepError> {
        let checkout = self.checkout(state, context.run)?;
        let hosted = Hosted::at(&self.settings.hosts, &checkout.address);
        // Taken out while it is used: a step that is dropped half-way drops its session with it, tree and all.
        let mut session = self.session(state, &checkout, context.run).await?;
        let unvarying = Unvarying::of(&checkout.folders, &self.settings.data_dir);
        match node {
            HealNode::Analyze => {}
            HealNode::Discover => discover::run(state, &session.tree(), context)?,
            HealNode::Diagnose => {
                diagnose::run(state, &mut session, context).await?;
                drift::look(state, &mut session, &checkout, &self.settings, context).await?;
            }
            HealNode::Plan => {
                if state.drift.is_put_off() {
                    drift::look(state, &mut session, &checkout, &self.settings, context).await?;
                }
                let importers = Imports::new(session.sources()).importers();
                plan::run(state, session.sources(), self.model_planner(&importers, &unvarying), &importers, context)
                    .await;
            }
            HealNode::Fix => {
                let importers = Imports::new(session.sources()).importers();
                fix::run(state, &mut session, &checkout, self.model_planner(&importers, &unvarying), context).await?;
            }
            HealNode::Patch => {
                let installer = patch::Installer { checkout: &checkout, settings: &self.settings };
                patch::run(state, &mut session, installer, context).await?;
            }
            HealNode::Commit => commit::run(state, &checkout, hosted.as_ref(), context).await?,
            HealNode::Monitor => {
                let accepted = state.fixes.accepted.len();
                monitor::run(state, &checkout, hosted.as_ref(), &self.settings.sandbox, context).await?;
                if state.fixes.accepted.len() != accepted {
                    // Its tree is not that of the branch any more.
                    return session.close().await;
                }
            }
        }
        state.totals.test_runs.add(session.take_test_runs());
        self.keep(context.run, session);
        Ok(())
    }
}

/// The folder without links on the way to it: what a sandbox shows is opened without following any.
#[expect(clippy::disallowed_methods, reason = "the host's own data folder, before any command runs")]
fn real(folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    folder.canonicalize()
}

/// Returns the request in a task's context.
fn request(task: &Task) -> Result<HealRequest, StepError> {
    serde_json::from_value(task.context.clone()).map_err(|error| StepError::Permanent {
        code: ErrorCode::InvalidInput,
        message: format!("the task's context: {error}"),
    })
}

impl Workflow for HealWorkflow {
    type Node = HealNode;
    type State = HealState;

    fn kind(&self) -> TaskKind {
        TaskKind::HealRepo
    }

    fn state_version(&self) -> u32 {
        HealState::VERSION
    }

    fn graph(&self) -> &Graph<HealNode, HealState> {
        &self.graph
    }

    fn limit(&self, node: HealNode, task: &Task) -> Duration {
        let allowed = self.graph.policy(node).timeout;
        request(task).map_or(allowed, |request| node.limit(allowed, &request.limits))
    }

    fn start(&self, task: &Task, now: Timestamp) -> Result<HealState, StepError> {
        Ok(HealState::new(request(task)?, now))
    }

    async fn step(&self, node: HealNode, state: &mut HealState, context: &StepContext) -> Result<(), StepError> {
        let began = context.now();
        let stepped = self.one_step(node, state, context).await;
        // The run ends: what the last step fixed is stored as fixed.
        if state.stop.is_some() {
            state.diagnosis.record(context);
        }
        // What fails for good is not tried again.
        if state.stop.is_some() || matches!(stepped, Err(StepError::Permanent { .. })) {
            self.clear_up(context).await;
        }
        stepped?;
        let millis = millis(context.now().since(began));
        *state.totals.agent_millis.entry(node.name().to_owned()).or_default() += millis;
        Ok(())
    }

    fn on_step_failed(&self, node: HealNode, state: &mut HealState, error: &StepError, now: Timestamp) -> bool {
        let message = match error {
            StepError::Passing { message, .. } | StepError::Permanent { message, .. } => message.clone(),
            StepError::LeaseLost => return false,
        };
        let coded = CodedError::new(error.code(), message, now)
            .with("repository", state.request.repository.clone())
            .with("step", node.name());
        state.error.get_or_insert(coded);
        state.stop_with(StopReason::Infra);
        state.rounds.close(false, state.diagnosis.log.current().count(), now);
        true
    }

    fn cancel(&self, state: &mut HealState, now: Timestamp) {
        state.stop_with(StopReason::Cancelled);
        state.rounds.close(false, state.diagnosis.log.current().count(), now);
    }

    async fn on_cancelled(&self, state: &mut HealState, context: &StepContext) {
        self.tell_of_the_end(state, context).await;
        self.clear_up(context).await;
    }

    fn on_released(&self, run: RunId) {
        // Dropped, it takes its sandbox along.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
    }

    fn is_stopped(&self, state: &HealState) -> bool {
        state.stop.is_some()
    }

    fn ending(&self, state: &HealState, now: Timestamp) -> Ending {
        let results = HealingResults::of(state, now);
        let report = report::render(state, &results, now);
        Ending {
            outcome: results.outcome,
            stop_reason: results.stop_reason,
            // A document of strings and numbers always serialises.
            results: serde_json::to_value(&results).unwrap_or_default(),
            report,
        }
    }

    fn alert(&self, ending: &Ending) -> Option<(AlertKind, String)> {
        let Ending { outcome, stop_reason, .. } = ending;
        stop_reason.alert().map(|kind| (kind, format!("{outcome}: {}", stop_reason.explanation())))
    }
}

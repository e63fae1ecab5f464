//! Walks a run in this process: no queue, no checkpoints, the real everything else.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up has failed")]

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use autoheal_engine::event::EventBody;
use autoheal_engine::graph::{Next, Node as _};
use autoheal_engine::task::{NewTask, Task, TaskKind, TaskState};
use autoheal_engine::workflow::{StepContext, StepServices, Workflow as _};
use autoheal_engine::{RunId, TaskId, Timestamp};
use autoheal_forge::SizeLimits;
use autoheal_forge::host::CodeHosts;
use autoheal_llm::Models;
use autoheal_repo::caches::CacheLimits;
use autoheal_repo::results::HealingResults;
use autoheal_repo::{HealRequest, HealSettings, HealState, HealWorkflow, PromptLimits};
use autoheal_sandbox::{
    Choice, Command, Outcome, RegistryAccess, Sandbox, SandboxError, SandboxKind, Session, Settings, Workspace,
    WorkspaceSpec,
};
use autoheal_testkit::repository::TestRepository;

/// Outcome of a run.
pub(crate) struct Healed {
    pub(crate) state: HealState,
    pub(crate) results: HealingResults,
    pub(crate) report: String,
    pub(crate) events: Vec<EventBody>,
    /// Folder with the files that the run leaves on the disk.
    pub(crate) folder: std::path::PathBuf,
    _data: Option<tempfile::TempDir>,
}

struct Recorder(Mutex<Vec<EventBody>>);

impl StepServices for Recorder {
    fn now(&self) -> Timestamp {
        now()
    }

    fn emit(&self, body: EventBody) {
        self.0.lock().unwrap().push(body);
    }

    fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(std::future::ready(true))
    }
}

pub(crate) fn now() -> Timestamp {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    Timestamp::from_millis(i64::try_from(millis).unwrap())
}

/// The sandbox that the tests use; `None`, loudly, where none works.
pub(crate) async fn sandbox(data: &std::path::Path) -> Option<Arc<dyn Sandbox>> {
    sandbox_of(Choice::Bubblewrap, data).await
}

async fn sandbox_of(choice: Choice, data: &std::path::Path) -> Option<Arc<dyn Sandbox>> {
    let settings = Settings {
        images: Settings::DEFAULT_IMAGES.map(|(image, _)| (image.0, format!("autoheal-{}:local", image.0))).into(),
        ..Settings::new(data)
    };
    match autoheal_sandbox::select(choice, &settings).await {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            autoheal_testkit::skip(&format!("healing with {choice:?}"), &error.to_string());
            None
        }
    }
}

/// A repository for which packages are installed from a registry: once, not in every run of the tests.
pub(crate) fn kept(files: &[(&str, &str)]) -> TestRepository {
    TestRepository::kept(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")), files)
}

/// Heals as asked; `None` where no sandbox works.
pub(crate) async fn heal(request: HealRequest) -> Option<Healed> {
    heal_with(request, None).await
}

/// Heals as asked with what is kept in `data`: packages stay installed from one test to the next.
pub(crate) async fn heal_in(data: &std::path::Path, request: HealRequest, models: Option<Models>) -> Option<Healed> {
    let sandbox = sandbox(data).await?;
    walk(data, None, sandbox, request, models).await
}

/// Heals as asked in the sandbox `choice` with what is kept in `data`, and without a way to any registry.
pub(crate) async fn heal_offline(choice: Choice, data: &std::path::Path, request: HealRequest) -> Option<Healed> {
    let sandbox = sandbox_of(choice, data).await?;
    Some(Box::pin(walk_with(settings(data, sandbox, RegistryAccess::default()), None, request)).await)
}

/// Heals as asked with packages of an index of the test's own. Without a sandbox, which would refuse an index on this machine.
pub(crate) async fn heal_with_index(index: &str, request: HealRequest) -> Option<Healed> {
    let data = tempfile::tempdir().unwrap();
    let place = data.path().canonicalize().unwrap();
    let settings = settings_with_index(&place, index).await?;
    Some(Box::pin(walk_with(settings, Some(data), request)).await)
}

/// Settings for packages of an index of the test's own.
pub(crate) async fn settings_with_index(data: &std::path::Path, index: &str) -> Option<HealSettings> {
    let sandbox = sandbox_of(Choice::None, data).await?;
    let environment = [("PIP_INDEX_URL".to_owned(), index.into())].into();
    Some(settings(data, sandbox, RegistryAccess { environment, ..RegistryAccess::default() }))
}

/// Heals as asked with packages of an npm registry of the test's own.
pub(crate) async fn heal_with_registry(registry: &str, request: HealRequest) -> Option<Healed> {
    let data = tempfile::tempdir().unwrap();
    let place = data.path().canonicalize().unwrap();
    let settings = settings_with_registry(&place, registry).await?;
    Some(Box::pin(walk_with(settings, Some(data), request)).await)
}

/// Settings for packages of an npm registry of the test's own.
pub(crate) async fn settings_with_registry(data: &std::path::Path, registry: &str) -> Option<HealSettings> {
    // Mounts are made with the same program.
    sandbox(data).await?;
    let sandbox = Arc::new(Showing(sandbox_of(Choice::None, data).await?));
    let environment = [("npm_config_registry".to_owned(), registry.into())].into();
    Some(settings(data, sandbox, RegistryAccess { environment, ..RegistryAccess::default() }))
}

/// Heals as asked with these settings.
pub(crate) async fn heal_set(settings: HealSettings, request: HealRequest) -> Healed {
    Box::pin(walk_with(settings, None, request)).await
}

/// A sandbox that refuses nothing, neither a registry on this machine, and yet shows mounts where they belong: the tests of a JavaScript project
/// find their packages in the tree.
struct Showing(Arc<dyn Sandbox>);

struct ShowingWorkspace {
    mounting: Vec<String>,
    inner: Box<dyn Workspace>,
}

#[async_trait::async_trait]
impl Sandbox for Showing {
    fn kind(&self) -> SandboxKind {
        self.0.kind()
    }

    async fn open(&self, spec: WorkspaceSpec) -> Result<Box<dyn Workspace>, SandboxError> {
        let mut mounting = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/"].map(str::to_owned).to_vec();
        for mount in spec.mounts.iter().filter(|mount| mount.host != mount.inside) {
            let option = if mount.writable { "--bind" } else { "--ro-bind" };
            let places = [&mount.host, &mount.inside].map(|place| place.display().to_string());
            mounting.extend(std::iter::once(option.to_owned()).chain(places));
        }
        Ok(Box::new(ShowingWorkspace { mounting, inner: self.0.open(spec).await? }))
    }
}

impl ShowingWorkspace {
    fn shown(&self, command: &Command) -> Command {
        Command { argv: [self.mounting.as_slice(), &command.argv].concat(), ..command.clone() }
    }
}

#[async_trait::async_trait]
impl Workspace for ShowingWorkspace {
    async fn run(&mut self, command: &Command) -> Result<Outcome, SandboxError> {
        let command = self.shown(command);
        self.inner.run(&command).await
    }

    async fn session(&mut self, command: &Command) -> Result<Box<dyn Session>, SandboxError> {
        let command = self.shown(command);
        self.inner.session(&command).await
    }

    async fn close(self: Box<Self>) -> Result<(), SandboxError> {
        self.inner.close().await
    }
}

/// A sandbox of which every workspace is looked at before it is opened: of all that any test of a run shows inside, nothing is a link or lies
/// behind one, and nothing lies in what commands may write.
struct Watched(Arc<dyn Sandbox>);

#[async_trait::async_trait]
impl Sandbox for Watched {
    fn kind(&self) -> SandboxKind {
        self.0.kind()
    }

    async fn open(&self, spec: WorkspaceSpec) -> Result<Box<dyn Workspace>, SandboxError> {
        let mut hosts = vec![(spec.root.clone(), true)];
        hosts.extend(spec.mounts.iter().map(|mount| (mount.host.clone(), mount.writable)));
        for (index, (host, _)) in hosts.iter().enumerate() {
            assert_eq!(host.canonicalize().unwrap(), *host, "{spec:?}");
            for (other, (writable, _)) in hosts.iter().enumerate().filter(|(_, (_, is_writable))| *is_writable) {
                assert!(
                    other == index || !host.starts_with(writable),
                    "{} lies in {}: {spec:?}",
                    host.display(),
                    writable.display()
                );
            }
        }
        self.0.open(spec).await
    }
}

/// The same in containers.
pub(crate) async fn heal_in_docker(data: &std::path::Path, request: HealRequest) -> Option<Healed> {
    let sandbox = sandbox_of(Choice::Docker, data).await?;
    walk(data, None, sandbox, request, None).await
}

/// The same with language models.
pub(crate) async fn heal_with(request: HealRequest, models: Option<Models>) -> Option<Healed> {
    let data = tempfile::tempdir().unwrap();
    let place = data.path().to_owned();
    let sandbox = sandbox(&place).await?;
    walk(&place, Some(data), sandbox, request, models).await
}

async fn walk(
    data_dir: &std::path::Path,
    data: Option<tempfile::TempDir>,
    sandbox: Arc<dyn Sandbox>,
    request: HealRequest,
    models: Option<Models>,
) -> Option<Healed> {
    // What is kept from one test to the next is installed from the registries; a folder of one test alone needs none.
    let hosts = if data.is_none() { Settings::DEFAULT_REGISTRIES.map(str::to_owned).to_vec() } else { Vec::new() };
    let registries = RegistryAccess { hosts, ..RegistryAccess::default() };
    let settings = HealSettings { models, ..settings(data_dir, sandbox, registries) };
    Some(Box::pin(walk_with(settings, data, request)).await)
}

fn settings(data_dir: &std::path::Path, sandbox: Arc<dyn Sandbox>, registries: RegistryAccess) -> HealSettings {
    HealSettings {
        data_dir: data_dir.to_owned(),
        sandbox: Arc::new(Watched(sandbox)),
        hosts: CodeHosts::default(),
        registries,
        models: None,
        prompt_limits: PromptLimits::default(),
        git_limits: SizeLimits::default(),
        drift_environments: autoheal_repo::DRIFT_ENVIRONMENTS,
        // What an earlier run of the tests installed is used again.
        caches: CacheLimits { resolved: Duration::MAX, ..CacheLimits::default() },
    }
}

async fn walk_with(settings: HealSettings, data: Option<tempfile::TempDir>, request: HealRequest) -> Healed {
    let workflow = HealWorkflow::new(settings).unwrap();
    let mut state = workflow.start(&task(&request), now()).unwrap();
    let recorder = Arc::new(Recorder(Mutex::default()));
    let run = RunId(uuid::Uuid::now_v7());
    let mut node = workflow.graph().entry();
    loop {
        let context = StepContext::new(run, node.name(), recorder.clone());
        if let Err(error) = workflow.step(node, &mut state, &context).await
            && !workflow.on_step_failed(node, &mut state, &error, now())
        {
            panic!("{}: {error}", node.name());
        }
        if workflow.is_stopped(&state) {
            break;
        }
        match workflow.graph().next(node, &state).unwrap() {
            Next::To(next) => node = next,
            Next::End => break,
        }
    }
    let ending = workflow.ending(&state, now());
    let results = serde_json::from_value(ending.results).unwrap();
    let events = recorder.0.lock().unwrap().clone();
    let folder = workflow.run_folder(run);
    Healed { state, results, report: ending.report, events, folder, _data: data }
}

fn task(request: &HealRequest) -> Task {
    let new = NewTask::new(TaskKind::HealRepo, request.repository.clone(), now());
    Task {
        id: TaskId(1),
        kind: new.kind,
        target: new.target,
        state: TaskState::InProgress,
        priority: new.priority,
        created_at: now(),
        run_at: new.run_at,
        started_at: None,
        completed_at: None,
        error_message: None,
        retry_count: 0,
        deaths: 0,
        max_retries: new.max_retries,
        host: None,
        context: serde_json::to_value(request).unwrap(),
        lease_owner: None,
        lease_until: None,
        lease_epoch: 1,
        cancel_requested: false,
    }
}

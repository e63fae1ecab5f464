//! The store, the sandbox and the workflows, as the settings say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use autoheal_engine::task::TaskKind;
#[cfg(feature = "render")]
use autoheal_fetch::render::{BrowserSandbox, RelayProgram};
use autoheal_fetch::{AllowedPlace, FetchSettings, Fetcher};
use autoheal_forge::SizeLimits;
use autoheal_forge::github::{self, GitHub};
use autoheal_forge::gitlab::{self, GitLab};
use autoheal_forge::host::connection::ConnectionSettings;
use autoheal_forge::host::{CodeHosts, HostSite};
use autoheal_orchestrator::{
    Crew, CrewSettings, MailSettings, Mailer, Maintenance, MaintenanceSettings, Notifier, Registry, Room,
    WorkerSettings, maintenance, owner,
};
use autoheal_repo::caches;
use autoheal_repo::request::{CommandLimits, HostingRequest};
use autoheal_repo::{HealRequest, HealSettings, HealWorkflow};
use autoheal_sandbox::{Choice, Image, RegistryAccess, Sandbox, SandboxError, SandboxKind, Settings};
use autoheal_source::schedule;
use autoheal_source::{AddWorkflow, DoctorWorkflow, RefreshWorkflow, SourceServices};
use autoheal_store::{Retention, Store, StoreError};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use crate::config::{
    Config, GitConfig, GitHubConfig, KindsConfig, MailConfig, SandboxConfig, github_token, gitlab_token, smtp_password,
    webhook_key,
};
use crate::exit::{Blame as _, Exit, Failure};
use crate::models::models;
use crate::printer::Printer;
use crate::private;

/// Opens the database that the settings name. By default it is in the data folder, which is created when missing.
///
/// # Errors
///
/// When it cannot be opened: the environment is at fault, or the input if the address is invalid.
pub(crate) async fn open_store(config: &Config) -> Result<Store, Failure> {
    let opened = if let Some(url) = &config.database_url {
        Store::open(url).await
    } else {
        let folder = data_dir(config)?;
        Store::open_file(&folder.join("autoheal.db")).await
    };
    opened.map_err(|error| {
        let exit = if matches!(error, StoreError::UnknownAddress) { Exit::BadInput } else { Exit::EnvironmentMissing };
        Failure { exit, error: anyhow::Error::new(error).context("cannot open the database") }
    })
}

/// Returns the data folder. Creates it when missing, accessible only to this user.
///
/// # Errors
///
/// When no data folder can be determined, or it cannot be created.
pub(crate) fn data_dir(config: &Config) -> Result<PathBuf, Failure> {
    let folder = config.data_dir().environment()?;
    make_private(&folder)
        .with_context(|| {
            format!("cannot create the data folder {}; choose another one with --data-dir", folder.display())
        })
        .environment()?;
    folder.canonicalize().environment()
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Returns the settings of the sandbox.
///
/// # Errors
///
/// As [`data_dir`].
pub(crate) fn sandbox_settings(config: &Config) -> Result<Settings, Failure> {
    let set = config.sandbox.clone();
    Ok(Settings {
        images: [(Image::PYTHON, set.python_image), (Image::NODE, set.node_image), (Image::RUST, set.rust_image)]
            .map(|(image, reference)| (image.0, reference))
            .into(),
        state_dir: data_dir(config)?.join("sandbox"),
        allow_weak_limits: set.allow_weak_limits,
        free_space: bytes(set.free_space_mib),
        docker_runtime: set.docker_runtime,
    })
}

/// Returns the workflows of this program on this machine, and the sandbox that they use. It is tried first, after everything that killed processes
/// left has been removed.
///
/// # Errors
///
/// No sandbox works here, git is missing, or a setting is invalid.
pub(crate) async fn repositories(config: &Config, sources: SourceServices) -> Result<(Registry, SandboxKind), Failure> {
    let settings = sandbox_settings(config)?;
    if let Err(error) = autoheal_sandbox::sweep(&settings).await {
        // The remains take disk space and do no harm, so the work can start.
        tracing::warn!(%error, "cannot remove the remains of killed processes");
    }
    let sandbox = autoheal_sandbox::select(config.sandbox.kind, &settings).await.map_err(no_sandbox).environment()?;
    let kind = sandbox.kind();
    Ok((registry(config, sandbox, sources)?, kind))
}

/// Returns the same workflows in a worker process, whose parent has tried the sandbox.
///
/// # Errors
///
/// The sandbox no longer works, git is missing, or a setting is invalid.
pub(crate) async fn repositories_in(
    config: &Config,
    kind: SandboxKind,
    sources: SourceServices,
) -> Result<Registry, Failure> {
    let sandbox = autoheal_sandbox::chosen(kind, &sandbox_settings(config)?).await.map_err(no_sandbox).environment()?;
    registry(config, sandbox, sources)
}

fn no_sandbox(error: SandboxError) -> anyhow::Error {
    let code = error.code();
    anyhow::Error::new(error)
        .context(format!("{code}: no sandbox works on this machine; `autoheal check` shows the missing parts"))
}

fn registry(config: &Config, sandbox: Arc<dyn Sandbox>, sources: SourceServices) -> Result<Registry, Failure> {
    let registries = registry_access(config)?;
    let settings = HealSettings {
        data_dir: data_dir(config)?,
        sandbox,
        hosts: hosts(config)?,
        registries,
        models: sources.models().cloned(),
        prompt_limits: config.heal.prompt,
        git_limits: git_limits(&config.git),
        drift_environments: config.heal.drift_environments,
        caches: config.caches(),
    };
    with_sources(Registry::new().with(HealWorkflow::new(settings).environment()?), sources)
}

/// Returns the number of bytes in a number of MiB.
const fn bytes(mib: u64) -> u64 {
    mib.saturating_mul(1 << 20)
}

/// Returns the limits on the size of a repository.
fn git_limits(set: &GitConfig) -> SizeLimits {
    SizeLimits {
        clone_bytes: bytes(set.clone_mib),
        tree_bytes: bytes(set.tree_mib),
        entries: set.tree_entries,
        memory: bytes(set.memory_mib),
        ..SizeLimits::default()
    }
}

/// Returns the network access of an install. The hosts of private indexes are parsed from the variables that name them.
fn registry_access(config: &Config) -> Result<RegistryAccess, Failure> {
    let SandboxConfig { registries: mut hosts, private_registries, install_environment, .. } = config.sandbox.clone();
    let mut environment = BTreeMap::new();
    for name in install_environment {
        let value = std::env::var(&name)
            .with_context(|| {
                format!("the variable {name}, which `sandbox.install_environment` names, is not set or not valid UTF-8")
            })
            .bad_input()?;
        let addresses = value.split_whitespace().filter_map(|word| Url::parse(word).ok());
        hosts.extend(addresses.filter_map(|address| address.host_str().map(str::to_owned)));
        environment.insert(name, SecretString::from(value));
    }
    Ok(RegistryAccess { hosts, private_hosts: private_registries, environment })
}

/// Returns the addresses of the code hosts.
///
/// # Errors
///
/// When a setting is not the address of such a host.
pub(crate) fn sites(config: &Config) -> Result<Vec<HostSite>, Failure> {
    let github = github::site_of_api(&github_api(config)?).bad_input()?;
    Ok(vec![github, gitlab::site_of(&gitlab_url(config)?).bad_input()?])
}

/// Returns the clients of the code hosts.
///
/// # Errors
///
/// When a setting is not the address of such a host, or the file of a token cannot be read.
pub(crate) fn hosts(config: &Config) -> Result<CodeHosts, Failure> {
    let connection = ConnectionSettings::default();
    let github = GitHub::new(github_api(config)?, github_token(config).bad_input()?, connection.clone()).bad_input()?;
    let gitlab = GitLab::new(&gitlab_url(config)?, gitlab_token(config).bad_input()?, connection).bad_input()?;
    Ok(CodeHosts::new([Arc::new(github) as _, Arc::new(gitlab) as _]))
}

fn github_api(config: &Config) -> Result<Url, Failure> {
    let default = || Url::parse(github::DEFAULT_API);
    Ok(config.github.api.clone().map_or_else(default, Ok)?)
}

fn gitlab_url(config: &Config) -> Result<Url, Failure> {
    Ok(config.gitlab.url.clone().map_or_else(|| Url::parse(gitlab::DEFAULT_URL), Ok)?)
}

/// Returns the request for services of the host other than pushing.
const fn hosting(set: &GitHubConfig) -> HostingRequest {
    HostingRequest {
        pull_request: set.pull_request,
        dispatch_workflows: set.dispatch_workflows,
        rerun_failed: set.rerun_failed,
        ci_seconds: set.ci_seconds,
        grace_seconds: set.grace_seconds,
        poll_millis: set.poll_millis,
    }
}

/// The workflows of sources, which need no sandbox: nothing that a page holds is executed.
///
/// # Errors
///
/// Never, as tests show: their graphs are constants.
pub(crate) fn source_registry(sources: SourceServices) -> Result<Registry, Failure> {
    with_sources(Registry::new(), sources)
}

/// Returns the notifier, which posts alerts and changes of values, and sends alerts by mail.
///
/// # Errors
///
/// When a setting is invalid.
pub(crate) fn notifier(config: &Config, store: &Store, sources: &SourceServices) -> Result<Notifier, Failure> {
    let mailer = mailer(&config.alerts.mail).context("invalid setting alerts.mail").bad_input()?;
    let fetcher = Arc::clone(sources.fetcher());
    Ok(Notifier::new(store.clone(), fetcher, config.alerts.webhook.clone(), webhook_key()).with_mailer(mailer))
}

/// Returns the mailer; `None` if no mail server is set.
fn mailer(set: &MailConfig) -> anyhow::Result<Option<Mailer>> {
    let MailConfig { server, from, to, user } = set.clone();
    let Some(server) = server else {
        let is_set = from.is_some() || user.is_some() || !to.is_empty();
        anyhow::ensure!(!is_set, "no mail server is set: set alerts.mail.server");
        return Ok(None);
    };
    let from = from.context("mail has no sender: set alerts.mail.from")?;
    // A password without a user is of no use.
    let password = smtp_password().filter(|_| user.is_some());
    Ok(Some(Mailer::new(&MailSettings { server, from, to, user, password })?))
}

/// Returns the maintenance of the database and of the data folder.
///
/// # Errors
///
/// As [`machine_id`].
pub(crate) fn maintenance(config: &Config, store: &Store) -> Result<Maintenance, Failure> {
    let days = |days: u64| Duration::from_secs(days.saturating_mul(86_400));
    let (keep, folder, limits) = (&config.keep, data_dir(config)?, config.caches());
    let evict_caches = move || {
        let evicted = caches::evict(&folder, &limits)?;
        tracing::debug!(entries = evicted.entries, bytes = evicted.bytes, "removed cached installations");
        Ok(())
    };
    let settings = MaintenanceSettings {
        data_dir: data_dir(config)?,
        machine: machine_id(config)?,
        room: room(config)?,
        retention: Retention { runs: days(keep.run_days), history: days(keep.history_days), values: keep.values },
        evict_caches: Arc::new(evict_caches),
    };
    Ok(Maintenance::new(store.clone(), settings))
}

/// Enqueues a run of every source that is due, until stopped.
pub(crate) async fn schedule_until(store: &Store, stop: &CancellationToken) {
    maintenance::schedule_until(async || schedule::enqueue_due(store, store.now()).await, stop).await;
}

/// Returns an error, at the end of a process, if it ended because a newer autoheal has migrated the database.
///
/// # Errors
///
/// When the database has a newer schema.
pub(crate) async fn ensure_current(store: &Store) -> Result<(), Failure> {
    match store.check_schema().await {
        Err(error @ StoreError::NewerSchema { .. }) => Err(error).environment(),
        // A database that cannot be reached has been reported in a warning.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Settings that a process passes to its worker processes.
#[derive(Serialize, Deserialize)]
pub(crate) struct CrewConfig {
    pub(crate) config: Config,
    /// The sandbox for commands of repositories. A process without one heals no repository.
    pub(crate) sandbox: Option<SandboxKind>,
}

/// The time beyond a step's own limit after which a worker process is ended.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the worker processes of a process with these settings.
///
/// # Errors
///
/// When the settings cannot be passed on.
pub(crate) fn crew(config: &Config, sandbox: Option<SandboxKind>) -> Result<Crew, Failure> {
    let settings = serde_json::to_value(CrewConfig { config: config.clone(), sandbox })?;
    let memory = bytes(config.worker.memory_mib);
    Ok(Crew::new(CrewSettings { arguments: vec!["worker-process".to_owned()], settings, memory, patience: PATIENCE }))
}

/// Returns a fetcher that shares its turns at hosts with no other process.
///
/// # Errors
///
/// When a setting is invalid.
pub(crate) fn fetcher(config: &Config) -> Result<Fetcher, Failure> {
    Fetcher::new(fetch_settings(config)?).bad_input()
}

/// Returns the services for running and healing sources, created once per process.
///
/// # Errors
///
/// When a setting is invalid, or the key of a language model is missing.
pub(crate) fn source_services(config: &Config, store: &Store) -> Result<SourceServices, Failure> {
    let fetcher = Fetcher::with_reservations(fetch_settings(config)?, Arc::new(store.clone())).bad_input()?;
    Ok(SourceServices::new(store.clone(), fetcher)?
        .with_models(models(config, store)?, config.source.prompt)
        .with_model_confirmation(config.source.model_confirms))
}

/// Returns the configured request to heal a repository; the caller sets the repository and the delivery of the fixes.
pub(crate) fn heal_request(config: &Config) -> HealRequest {
    let heal = &config.heal;
    HealRequest {
        team_name: heal.team.clone(),
        leader_name: heal.leader.clone(),
        retry_limit: heal.retry_limit,
        ci: heal.ci,
        limits: CommandLimits {
            run_seconds: heal.run_seconds,
            test_seconds: heal.test_seconds,
            search_seconds: heal.search_seconds,
            lsp_seconds: heal.lsp_seconds,
            install_seconds: heal.install_seconds,
            memory_mib: heal.memory_mib,
            processes: heal.processes,
            disk_mib: heal.disk_mib,
        },
        hosting: hosting(&config.github),
        lsp: heal.lsp,
        strict: heal.strict,
        all_versions: heal.all_versions,
        ..HealRequest::new(String::new())
    }
}

/// Warns about the consequences when no sandbox is used.
pub(crate) fn warn_without_sandbox(config: &Config, printer: &Printer) {
    if config.sandbox.kind == Choice::None {
        printer.warn("no sandbox: the code of the repository runs with all your rights");
    }
}

/// Returns the settings for extraction with language models.
pub(crate) fn extraction(config: &Config) -> autoheal_extract::ModelSettings {
    let set = &config.extract;
    autoheal_extract::ModelSettings {
        schema_retries: set.schema_retries,
        page_characters: set.page_characters,
        stated_characters: set.stated_characters,
        answer_tokens: set.answer_tokens,
        ..autoheal_extract::ModelSettings::default()
    }
}

/// Returns the folder with the indexes of manuals.
///
/// # Errors
///
/// If the machine has no data folder.
pub(crate) fn manuals(config: &Config) -> Result<PathBuf, Failure> {
    Ok(data_dir(config)?.join("manuals"))
}

/// The limits of a navigation.
pub(crate) const fn navigation(config: &Config) -> autoheal_navigate::Settings {
    let set = &config.navigate;
    autoheal_navigate::Settings {
        max_steps: set.max_steps,
        max_links_shown: set.max_links_shown,
        max_content_chars: set.max_content_chars,
        max_path_history: set.max_path_history,
        http_timeout: Duration::from_secs(set.http_seconds),
    }
}

fn with_sources(registry: Registry, sources: SourceServices) -> Result<Registry, Failure> {
    Ok(registry
        .with(AddWorkflow::new(sources.clone())?)
        .with(RefreshWorkflow::new(sources.clone())?)
        .with(DoctorWorkflow::new(sources)?))
}

/// The word by which this program, started again in the browser's namespace, is the way out of it.
#[cfg(feature = "render")]
pub(crate) const BROWSER_RELAY: &str = "browser-relay";

/// Returns the settings for fetching pages.
///
/// # Errors
///
/// When a setting is not a valid place, or the path of this program's own file is unknown.
pub(crate) fn fetch_settings(config: &Config) -> Result<FetchSettings, Failure> {
    let fetch = &config.fetch;
    let allowed: Result<Vec<AllowedPlace>, _> = fetch.allow_private.iter().map(|text| text.parse()).collect();
    let mut settings = FetchSettings {
        contact: fetch.contact.clone(),
        allow_private: allowed.context("invalid setting fetch.allow_private").bad_input()?,
        allow_files: fetch.allow_files.clone(),
        snapshots: fetch.snapshots.clone(),
        ..FetchSettings::default()
    };
    #[cfg(feature = "render")]
    {
        settings.render.program.clone_from(&fetch.browser);
        let program = std::env::current_exe().context("cannot determine the path of this program").environment()?;
        settings.render.relay = Some(RelayProgram { program, arguments: vec![BROWSER_RELAY.to_owned()] });
        if !fetch.browser_sandbox {
            settings.render.sandbox = BrowserSandbox::Off;
        }
    }
    settings.limits.pace.interval = Duration::from_millis(fetch.host_interval_millis);
    Ok(settings)
}

/// Returns the disk space without which no task starts.
fn room(config: &Config) -> Result<Room, Failure> {
    Ok(Room { folder: data_dir(config)?, least: bytes(config.worker.min_free_mib) })
}

/// Grace period for the running step after Ctrl-C; a step that is dropped is repeated on resume.
const GRACE: Duration = Duration::from_secs(3);

/// Returns the settings of a worker whose user waits for its tasks: a stop is short, and the limits for workers, which also have other
/// tasks, do not apply.
///
/// # Errors
///
/// As [`worker_settings`].
pub(crate) fn attended_worker_settings(config: &Config, poll: Duration) -> Result<WorkerSettings, Failure> {
    let settings = worker_settings(config)?;
    let grace = if config.worker.grace_seconds.is_some() { settings.grace } else { GRACE };
    Ok(WorkerSettings { grace, poll, kinds: BTreeMap::new(), ..settings })
}

/// Returns the settings of the workers of this process.
///
/// # Errors
///
/// As [`machine_id`].
pub(crate) fn worker_settings(config: &Config) -> Result<WorkerSettings, Failure> {
    let (set, defaults) = (&config.worker, WorkerSettings::of_this_process());
    let KindsConfig { add_source, fix_source, refresh_source, heal_repo } = set.kinds;
    let kinds = [
        (TaskKind::AddSource, add_source),
        (TaskKind::FixSource, fix_source),
        (TaskKind::RefreshSource, refresh_source),
        (TaskKind::HealRepo, heal_repo),
    ];
    Ok(WorkerSettings {
        host: machine_id(config)?,
        grace: set.grace_seconds.map_or(defaults.grace, Duration::from_secs),
        concurrency: set.concurrency.unwrap_or(defaults.concurrency),
        kinds: kinds.into_iter().filter_map(|(kind, most)| Some((kind, most?))).collect(),
        retry_in: Duration::from_secs(set.retry_seconds),
        room: room(config)?,
        ..defaults
    }
    .with_lease(Duration::from_secs(set.lease_seconds.max(1))))
}

/// The name of this machine in tasks that only it can do. It lies in the data folder: a container that is started again on the same folder
/// has another host name, and is the same machine.
///
/// # Errors
///
/// When the file cannot be made or read.
pub(crate) fn machine_id(config: &Config) -> Result<String, Failure> {
    let make = || format!("{}-{}", owner::host_name(), Uuid::now_v7().simple());
    private::kept(&data_dir(config)?, "machine-id", make).environment()
}

/// Takes over the open tasks that an earlier version, or this machine under another host name, has bound to a host name: in a database in the
/// data folder they are all of this machine; in one that machines share, those of the host name that it has now.
///
/// # Errors
///
/// As [`machine_id`]; any error that the database reports.
pub(crate) async fn adopt_tasks(config: &Config, store: &Store) -> Result<(), Failure> {
    let host = owner::host_name();
    let from = config.database_url.is_some().then_some(host.as_str());
    let adopted = store.adopt_tasks(from, &machine_id(config)?).await?;
    if adopted > 0 {
        tracing::info!(adopted, "took over tasks of an earlier name of this machine");
    }
    Ok(())
}

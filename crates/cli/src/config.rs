//! Configuration: the settings file, overridden by the environment, overridden by the flags.
//!
//! The file is the user's, never the repository's: a repository must not choose its own sandbox.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use autoheal_forge::gitlab::TokenKind;
use autoheal_llm::Provider;
use autoheal_llm::price::Price;
use autoheal_repo::caches::CacheLimits;
use autoheal_sandbox::Choice;
use figment::Figment;
use figment::providers::{Env, Format as _, Toml};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::heal_args::Ci;

mod secrets;

pub(crate) use secrets::{github_token, github_webhook_secret, gitlab_token, server_token, smtp_password, webhook_key};

/// All settings; omitted ones have the default that `--help` names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) database_url: Option<String>,
    pub(crate) log: Option<String>,
    pub(crate) log_json: Option<bool>,
    pub(crate) heal: HealConfig,
    pub(crate) github: GitHubConfig,
    pub(crate) gitlab: GitLabConfig,
    pub(crate) git: GitConfig,
    pub(crate) source: SourceConfig,
    pub(crate) sandbox: SandboxConfig,
    pub(crate) fetch: FetchConfig,
    pub(crate) worker: WorkerConfig,
    pub(crate) keep: KeepConfig,
    pub(crate) alerts: AlertConfig,
    pub(crate) server: ServerConfig,
    pub(crate) llm: LlmConfig,
    pub(crate) navigate: NavigateConfig,
    pub(crate) extract: ExtractConfig,
}

/// The defaults of `autoheal heal`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HealConfig {
    pub(crate) team: Option<String>,
    pub(crate) leader: Option<String>,
    pub(crate) retry_limit: Option<u32>,
    pub(crate) ci: Option<Ci>,
    /// Wall time of the whole run; edits accepted by then are kept.
    pub(crate) run_seconds: Option<u64>,
    /// Wall time of one run of a test suite.
    pub(crate) test_seconds: Option<u64>,
    /// Wall time of the search for the repair of one fault of logic; 0: nothing is searched for.
    pub(crate) search_seconds: Option<u64>,
    /// Deliver no change that search found where the tests allow other changes, too.
    pub(crate) strict: Option<bool>,
    /// Repeat the tests with each version of an interpreter that CI names.
    pub(crate) all_versions: Option<bool>,
    /// Ask a language server about a tree that is red, if there is one.
    pub(crate) lsp: Option<bool>,
    /// Wall time of asking language servers about one tree.
    pub(crate) lsp_seconds: Option<u64>,
    /// Wall time of one install.
    pub(crate) install_seconds: Option<u64>,
    /// Disk space of the cached installations, in GiB.
    pub(crate) cache_gib: Option<u64>,
    /// Maximum age of this data since its last use, in days.
    pub(crate) cache_days: Option<u64>,
    /// Memory of one command, in MiB.
    pub(crate) memory_mib: Option<u64>,
    /// Processes and threads of one command.
    pub(crate) processes: Option<u32>,
    /// Disk space in the folders that a command may write, in MiB.
    pub(crate) disk_mib: Option<u64>,
    /// Limits on the prompt for a language model.
    #[serde(default)]
    pub(crate) prompt: autoheal_repo::PromptLimits,
}

/// Settings for access to GitHub and its CI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GitHubConfig {
    /// Address of the API; that of a GitHub Enterprise is `https://HOST/api/v3`.
    pub(crate) api: Option<Url>,
    /// File with the token; takes precedence over the environment.
    pub(crate) token_file: Option<PathBuf>,
    /// Open a pull request, or bring it up to date.
    pub(crate) pull_request: Option<bool>,
    /// Start workflows that can be started by hand when none starts by itself.
    pub(crate) dispatch_workflows: Option<bool>,
    /// Start failed jobs again, once for each commit, when what failed may be flaky.
    pub(crate) rerun_failed: Option<bool>,
    /// Time limit for CI.
    pub(crate) ci_seconds: Option<u64>,
    /// Time limit for the first sign of CI.
    pub(crate) grace_seconds: Option<u64>,
    /// Polling interval; at least [`LEAST_POLL_MILLIS`].
    pub(crate) poll_millis: Option<u64>,
}

/// Settings for access to GitLab. Those of `github` that concern CI and change requests hold for it, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GitLabConfig {
    /// Address of the GitLab, such as `https://gitlab.example`.
    pub(crate) url: Option<Url>,
    /// File with the token; takes precedence over the environment.
    pub(crate) token_file: Option<PathBuf>,
    /// Kind of the token.
    pub(crate) token_kind: Option<TokenKind>,
}

/// Limits on the size of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GitConfig {
    /// Size of a clone on disk, in MiB.
    pub(crate) clone_mib: Option<u64>,
    /// Size of all files of one commit, in MiB.
    pub(crate) tree_mib: Option<u64>,
    /// Files and folders of one commit.
    pub(crate) tree_entries: Option<u64>,
    /// Memory of each process of git, in MiB.
    pub(crate) memory_mib: Option<u64>,
}

/// Settings for healing sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceConfig {
    /// Limits on the prompt for a language model.
    #[serde(default)]
    pub(crate) prompt: autoheal_source::PromptLimits,
}

/// Settings of the sandbox for the code of repositories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SandboxConfig {
    pub(crate) kind: Option<Choice>,
    pub(crate) python_image: Option<String>,
    pub(crate) node_image: Option<String>,
    /// The runtime of Docker's that starts containers, such as `runsc`.
    pub(crate) docker_runtime: Option<String>,
    /// Run commands also where only resource limits bind them.
    pub(crate) allow_weak_limits: Option<bool>,
    /// Disk space that must stay free on disks that commands may write to, in MiB.
    pub(crate) free_space_mib: Option<u64>,
    /// The hosts that an install may reach.
    pub(crate) registries: Option<Vec<String>>,
    /// More such hosts, which may have private addresses.
    pub(crate) private_registries: Option<Vec<String>>,
    /// Variables of this process that an install gets, and nothing else does: private indexes, and what opens them.
    pub(crate) install_environment: Option<Vec<String>>,
}

/// Settings for fetching web pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FetchConfig {
    /// Address with information about the client, for the owners of sites.
    pub(crate) contact: Option<Url>,
    /// Hosts outside the public internet that may be accessed: addresses, networks, names.
    pub(crate) allow_private: Option<Vec<String>>,
    /// Folders whose files may be read by `file://` addresses.
    pub(crate) allow_files: Option<Vec<PathBuf>>,
    /// Folder of stored pages, served instead of the network.
    pub(crate) snapshots: Option<PathBuf>,
    /// Delay between two requests to one host, in milliseconds.
    pub(crate) host_interval_millis: Option<u64>,
    /// The browser that renders pages whose scripts build them.
    pub(crate) browser: Option<PathBuf>,
    /// True if bubblewrap contains the browser. If it cannot, as in many containers, the user must turn this off explicitly.
    pub(crate) browser_sandbox: Option<bool>,
}

/// Settings of the workers that run tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkerConfig {
    pub(crate) concurrency: Option<usize>,
    /// Maximum number of tasks of each kind at once.
    #[serde(default)]
    pub(crate) kinds: KindsConfig,
    /// Delay before the first retry of a failed task.
    pub(crate) retry_seconds: Option<u64>,
    /// Duration of a claim without a heartbeat.
    pub(crate) lease_seconds: Option<u64>,
    /// Grace period for running nodes when a worker stops.
    pub(crate) grace_seconds: Option<u64>,
    /// Memory of one worker process, in MiB; commands in a sandbox have their own limit.
    pub(crate) memory_mib: Option<u64>,
    /// Minimum free disk space, in MiB, for beginning a task; 0: no minimum.
    pub(crate) min_free_mib: Option<u64>,
}

/// Retention periods of stored data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeepConfig {
    /// Closed tasks with their runs; [`LEAST_RUN_DAYS`] at least.
    pub(crate) run_days: Option<u32>,
    /// Values, attempts at fixes, alerts, decisions, accounts of models, versions of recipes.
    pub(crate) history_days: Option<u32>,
    /// Number of sets of values of one page.
    pub(crate) values: Option<u32>,
}

/// Number of tasks of each kind that a worker runs at once; 0: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KindsConfig {
    pub(crate) add_source: Option<usize>,
    pub(crate) fix_source: Option<usize>,
    pub(crate) refresh_source: Option<usize>,
    pub(crate) heal_repo: Option<usize>,
}

/// Settings for the delivery of alerts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertConfig {
    /// Address to which alerts are posted.
    pub(crate) webhook: Option<Url>,
    /// Settings for sending alerts by mail.
    pub(crate) mail: Option<MailConfig>,
}

/// Settings for sending mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailConfig {
    /// Address of the mail server.
    pub(crate) server: Url,
    /// Address of the sender.
    pub(crate) from: String,
    /// Addresses of the recipients.
    pub(crate) to: Vec<String>,
    /// User name for the login at the mail server.
    pub(crate) user: Option<String>,
}

/// Settings of the server: address, access control and limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerConfig {
    /// Address to listen at.
    pub(crate) addr: Option<SocketAddr>,
    /// Host names accepted in requests, in addition to those of this machine.
    pub(crate) hosts: Option<Vec<String>>,
    /// Origins whose pages may send requests.
    pub(crate) origins: Option<Vec<String>>,
    /// Maximum number of requests per second and client; 0: unlimited.
    pub(crate) requests_per_second: Option<u32>,
    /// Maximum number of simultaneous connections per client; 0: unlimited.
    pub(crate) connections_per_client: Option<usize>,
    /// Address to which the dashboard reports its crashes.
    pub(crate) error_sink: Option<Url>,
    /// True if clients may have the branch of a healed repository pushed.
    pub(crate) allow_push: Option<bool>,
    /// Repositories that clients of the server may have healed: folders, with the repositories below them, and addresses.
    pub(crate) repositories: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) github_webhook: GitHubWebhookConfig,
}

/// Settings of the webhook through which GitHub reports failing CI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GitHubWebhookConfig {
    /// True if a failing CI run triggers the healing of the repository.
    pub(crate) enabled: Option<bool>,
}

/// Language models and their budgets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LlmConfig {
    /// `PROVIDER/NAME`, several with commas between them, or `none`.
    pub(crate) model: Option<String>,
    /// Addresses of providers, instead of their default ones.
    #[serde(default)]
    pub(crate) base_urls: BTreeMap<Provider, Url>,
    /// Files with API keys, for providers whose key is not in the environment.
    #[serde(default)]
    pub(crate) key_files: BTreeMap<Provider, PathBuf>,
    /// Time limit for the response of a model.
    pub(crate) timeout_seconds: Option<u64>,
    /// Budget of one run.
    pub(crate) run_calls: Option<u64>,
    pub(crate) run_tokens: Option<u64>,
    pub(crate) run_dollars: Option<f64>,
    /// Budget of all runs of a day together.
    pub(crate) day_calls: Option<u64>,
    pub(crate) day_tokens: Option<u64>,
    pub(crate) day_dollars: Option<f64>,
    /// Number of characters of each prompt and response that are stored.
    pub(crate) kept_characters: Option<usize>,
    /// File to which responses are written, and file from which they are replayed.
    pub(crate) record: Option<PathBuf>,
    pub(crate) replay: Option<PathBuf>,
    /// Dollars for a million tokens, by the beginning of a model's name.
    #[serde(default)]
    pub(crate) prices: BTreeMap<String, Price>,
}

/// The limits of `autoheal navigate`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NavigateConfig {
    pub(crate) max_steps: Option<u32>,
    /// Limits on the parts of a page in a prompt: the number of links, and of characters.
    pub(crate) max_links_shown: Option<usize>,
    pub(crate) max_content_chars: Option<usize>,
    /// Maximum number of a model's last actions in a prompt.
    pub(crate) max_path_history: Option<usize>,
    /// Time limit for one page.
    pub(crate) http_seconds: Option<u64>,
}

/// Settings of `autoheal extract`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractConfig {
    /// Maximum number of further requests to a model for missing fields.
    pub(crate) schema_retries: Option<u32>,
    /// Maximum length of a page's text in a prompt, in characters.
    pub(crate) page_characters: Option<usize>,
    /// Maximum length of a page's structured data in a prompt, in characters.
    pub(crate) stated_characters: Option<usize>,
    /// The longest answer of a model, in tokens.
    pub(crate) answer_tokens: Option<u32>,
    /// Maximum number of pages processed at once.
    pub(crate) jobs: Option<usize>,
}

/// Minimum polling interval for CI, in milliseconds: a shorter one sends requests without learning more.
const LEAST_POLL_MILLIS: u64 = 1000;

/// The shortest time for which runs are kept, in days: an event of GitHub that is a week old is done once only because its job is known.
const LEAST_RUN_DAYS: u32 = 8;

/// Prefix of environment variables that are settings.
const PREFIX: &str = "AUTOHEAL_";

/// The variables that are settings, without the prefix, and the settings they are.
const VARIABLES: &[(&str, &str)] = &[
    ("DATA_DIR", "data_dir"),
    ("DATABASE_URL", "database_url"),
    ("LOG", "log"),
    ("LOG_JSON", "log_json"),
    ("TEAM", "heal.team"),
    ("LEADER", "heal.leader"),
    ("RETRY_LIMIT", "heal.retry_limit"),
    ("CI", "heal.ci"),
    ("RUN_SECONDS", "heal.run_seconds"),
    ("TEST_SECONDS", "heal.test_seconds"),
    ("SEARCH_SECONDS", "heal.search_seconds"),
    ("STRICT", "heal.strict"),
    ("ALL_VERSIONS", "heal.all_versions"),
    ("LSP", "heal.lsp"),
    ("LSP_SECONDS", "heal.lsp_seconds"),
    ("INSTALL_SECONDS", "heal.install_seconds"),
    ("CACHE_GIB", "heal.cache_gib"),
    ("CACHE_DAYS", "heal.cache_days"),
    ("MEMORY_MIB", "heal.memory_mib"),
    ("PROCESSES", "heal.processes"),
    ("DISK_MIB", "heal.disk_mib"),
    ("GITHUB_API", "github.api"),
    ("GITHUB_TOKEN_FILE", "github.token_file"),
    ("PULL_REQUEST", "github.pull_request"),
    ("DISPATCH_WORKFLOWS", "github.dispatch_workflows"),
    ("RERUN_FAILED", "github.rerun_failed"),
    ("CI_SECONDS", "github.ci_seconds"),
    ("CI_GRACE_SECONDS", "github.grace_seconds"),
    ("CI_POLL_MILLIS", "github.poll_millis"),
    ("GITLAB_URL", "gitlab.url"),
    ("GITLAB_TOKEN_FILE", "gitlab.token_file"),
    ("GITLAB_TOKEN_KIND", "gitlab.token_kind"),
    ("GIT_CLONE_MIB", "git.clone_mib"),
    ("GIT_TREE_MIB", "git.tree_mib"),
    ("GIT_TREE_ENTRIES", "git.tree_entries"),
    ("GIT_MEMORY_MIB", "git.memory_mib"),
    ("SANDBOX", "sandbox.kind"),
    ("PYTHON_IMAGE", "sandbox.python_image"),
    ("NODE_IMAGE", "sandbox.node_image"),
    ("DOCKER_RUNTIME", "sandbox.docker_runtime"),
    ("ALLOW_WEAK_LIMITS", "sandbox.allow_weak_limits"),
    ("FREE_SPACE_MIB", "sandbox.free_space_mib"),
    ("REGISTRIES", "sandbox.registries"),
    ("PRIVATE_REGISTRIES", "sandbox.private_registries"),
    ("INSTALL_ENVIRONMENT", "sandbox.install_environment"),
    ("CONTACT", "fetch.contact"),
    ("ALLOW_PRIVATE", "fetch.allow_private"),
    ("ALLOW_FILES", "fetch.allow_files"),
    ("SNAPSHOTS", "fetch.snapshots"),
    ("HOST_INTERVAL_MILLIS", "fetch.host_interval_millis"),
    ("BROWSER", "fetch.browser"),
    ("BROWSER_SANDBOX", "fetch.browser_sandbox"),
    ("CONCURRENCY", "worker.concurrency"),
    ("RETRY_SECONDS", "worker.retry_seconds"),
    ("LEASE_SECONDS", "worker.lease_seconds"),
    ("GRACE_SECONDS", "worker.grace_seconds"),
    ("WORKER_MEMORY_MIB", "worker.memory_mib"),
    ("MIN_FREE_MIB", "worker.min_free_mib"),
    ("KEEP_RUN_DAYS", "keep.run_days"),
    ("KEEP_HISTORY_DAYS", "keep.history_days"),
    ("KEEP_VALUES", "keep.values"),
    ("ALERT_WEBHOOK", "alerts.webhook"),
    ("SMTP_SERVER", "alerts.mail.server"),
    ("SMTP_USER", "alerts.mail.user"),
    ("MAIL_FROM", "alerts.mail.from"),
    ("MAIL_TO", "alerts.mail.to"),
    ("ADDR", "server.addr"),
    ("HOSTS", "server.hosts"),
    ("ORIGINS", "server.origins"),
    ("REQUESTS_PER_SECOND", "server.requests_per_second"),
    ("CONNECTIONS_PER_CLIENT", "server.connections_per_client"),
    ("ERROR_SINK", "server.error_sink"),
    ("ALLOW_PUSH", "server.allow_push"),
    ("REPOSITORIES", "server.repositories"),
    ("GITHUB_WEBHOOK", "server.github_webhook.enabled"),
    ("MODEL", "llm.model"),
    ("OPENAI_URL", "llm.base_urls.openai"),
    ("ANTHROPIC_URL", "llm.base_urls.anthropic"),
    ("GEMINI_URL", "llm.base_urls.gemini"),
    ("OLLAMA_URL", "llm.base_urls.ollama"),
    ("MODEL_TIMEOUT_SECONDS", "llm.timeout_seconds"),
    ("RUN_CALLS", "llm.run_calls"),
    ("RUN_TOKENS", "llm.run_tokens"),
    ("RUN_DOLLARS", "llm.run_dollars"),
    ("DAY_CALLS", "llm.day_calls"),
    ("DAY_TOKENS", "llm.day_tokens"),
    ("DAY_DOLLARS", "llm.day_dollars"),
    ("KEPT_CHARACTERS", "llm.kept_characters"),
    ("RECORD", "llm.record"),
    ("REPLAY", "llm.replay"),
    ("MAX_STEPS", "navigate.max_steps"),
    ("MAX_LINKS_SHOWN", "navigate.max_links_shown"),
    ("MAX_CONTENT_CHARS", "navigate.max_content_chars"),
    ("MAX_PATH_HISTORY", "navigate.max_path_history"),
    ("NAVIGATE_HTTP_SECONDS", "navigate.http_seconds"),
    ("EXTRACT_SCHEMA_RETRIES", "extract.schema_retries"),
    ("EXTRACT_PAGE_CHARACTERS", "extract.page_characters"),
    ("EXTRACT_STATED_CHARACTERS", "extract.stated_characters"),
    ("EXTRACT_ANSWER_TOKENS", "extract.answer_tokens"),
    ("EXTRACT_JOBS", "extract.jobs"),
];

/// Environment variables that have the prefix of settings but are not settings: secrets, and variables for this repository's tests.
const NOT_SETTINGS: [&str; 11] = [
    "GITHUB_TOKEN",
    "GITLAB_TOKEN",
    "TOKEN",
    "WEBHOOK_KEY",
    "GITHUB_WEBHOOK_SECRET",
    "SMTP_PASSWORD",
    "FAIL_POINT",
    "SKIP_LOG",
    "TEST_POSTGRES",
    "TEST_GITHUB_DESCRIPTION",
    "TEST_WEBHOOK_EXAMPLES",
];

impl Config {
    /// The settings of the file (the given one, or the user's when there is one) under those of the environment.
    ///
    /// # Errors
    ///
    /// For a file that cannot be read or holds an unknown key (with its line), and for a variable with a wrong value.
    pub(crate) fn load(file: Option<&Path>) -> anyhow::Result<Self> {
        let text = match file {
            Some(path) => Some((path.to_owned(), std::fs::read_to_string(path))),
            None => user_file().filter(|path| path.exists()).map(|path| (path.clone(), std::fs::read_to_string(path))),
        };
        let text = match text {
            Some((path, text)) => {
                let text = text.with_context(|| format!("the settings file {} cannot be read", path.display()))?;
                // Figment does not know lines; this pass is for its message.
                toml::from_str::<Self>(&text).with_context(|| format!("the settings file {}", path.display()))?;
                text
            }
            None => String::new(),
        };
        refuse_unknown_variables()?;
        let environment = Env::prefixed(PREFIX).map(|name| {
            let known = VARIABLES.iter().find(|(variable, _)| name == *variable);
            known.map_or(name.into(), |(_, setting)| (*setting).into())
        });
        let environment = environment.filter(|name| VARIABLES.iter().any(|(_, setting)| name == *setting));
        let config: Self = Figment::new().merge(Toml::string(&text)).merge(environment).extract()?;
        if let Some(millis) = config.github.poll_millis.filter(|millis| *millis < LEAST_POLL_MILLIS) {
            bail!(
                "github.poll_millis is {millis}; GitHub is asked once a second at most: write {LEAST_POLL_MILLIS} or more"
            );
        }
        if let Some(days) = config.keep.run_days.filter(|days| *days < LEAST_RUN_DAYS) {
            bail!("keep.run_days is {days}: write {LEAST_RUN_DAYS} or more");
        }
        Ok(config)
    }

    /// Returns the limits on the data that installs keep for later runs.
    pub(crate) fn caches(&self) -> CacheLimits {
        let standard = CacheLimits::default();
        CacheLimits {
            bytes: self.heal.cache_gib.map_or(standard.bytes, |gib| gib.saturating_mul(1 << 30)),
            age: self.heal.cache_days.map_or(standard.age, |days| Duration::from_secs(days.saturating_mul(86_400))),
        }
    }

    /// Returns the folder for runs, caches and the database.
    ///
    /// # Errors
    ///
    /// When the folder is not set and there is no home folder.
    pub(crate) fn data_dir(&self) -> anyhow::Result<PathBuf> {
        let default = || base_folder("XDG_DATA_HOME", ".local/share").map(|base| base.join("autoheal"));
        self.data_dir.clone().or_else(default).context("there is no home folder: name a data folder with --data-dir")
    }
}

/// A misspelled setting must not be passed over in silence.
fn refuse_unknown_variables() -> anyhow::Result<()> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names {
        let Some(short) = name.strip_prefix(PREFIX) else { continue };
        let known = || VARIABLES.iter().map(|(variable, _)| *variable);
        if known().chain(NOT_SETTINGS).any(|other| other == short) {
            continue;
        }
        let nearest = known().max_by(|one, other| strsim::jaro(one, short).total_cmp(&strsim::jaro(other, short)));
        let nearest = nearest.unwrap_or_default();
        bail!(
            "the environment variable {name} is no setting; the nearest one is {PREFIX}{nearest} (docs/settings.md lists them)"
        );
    }
    Ok(())
}

/// The key of a provider: from the environment, else from the file that the settings name.
///
/// # Errors
///
/// When the file cannot be read.
pub(crate) fn provider_key(provider: Provider, config: &LlmConfig) -> anyhow::Result<Option<SecretString>> {
    let from_environment = provider.key_variable().and_then(|name| std::env::var(name).ok());
    if let Some(key) = from_environment.filter(|key| !key.is_empty()) {
        return Ok(Some(key.into()));
    }
    let Some(path) = config.key_files.get(&provider) else { return Ok(None) };
    let text =
        std::fs::read_to_string(path).with_context(|| format!("the key file {} cannot be read", path.display()))?;
    Ok(Some(text.trim().to_owned().into()))
}

fn user_file() -> Option<PathBuf> {
    base_folder("XDG_CONFIG_HOME", ".config").map(|base| base.join("autoheal").join("autoheal.toml"))
}

/// A folder of the XDG base directory specification.
fn base_folder(variable: &str, under_home: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(under_home)))
}

#[cfg(test)]
mod tests {
    use super::{PREFIX, VARIABLES};

    #[test]
    fn the_manual_names_every_setting_and_its_variable() {
        let manual = include_str!("../../../docs/settings.md");
        for (variable, setting) in VARIABLES {
            let row = format!("| `{setting}` | `{PREFIX}{variable}` |");
            assert!(manual.contains(&row), "docs/settings.md has no row that begins with {row}");
        }
    }
}

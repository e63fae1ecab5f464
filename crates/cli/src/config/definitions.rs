//! All settings. Each is defined here and nowhere else: the page `docs/settings.md` and the flags of the commands are made from these.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use autoheal_extract::ModelSettings;
use autoheal_fetch::FetchSettings;
use autoheal_forge::SizeLimits;
use autoheal_forge::gitlab::TokenKind;
use autoheal_llm::Provider;
use autoheal_llm::price::Price;
use autoheal_orchestrator::WorkerSettings;
use autoheal_repo::caches::CacheLimits;
use autoheal_repo::request::{CiMode, CommandLimits, HostingRequest};
use autoheal_repo::{DRIFT_ENVIRONMENTS, HealRequest};
use autoheal_sandbox::{Choice, Image, Settings as SandboxSettings};
use autoheal_store::Retention;
use clap::Arg;
use serde::{Deserialize, Serialize};
use url::Url;

use super::setting::{GLOBAL, Setting};

/// Defines structs of settings with their defaults, and the table of all settings.
///
/// Of a struct: its documentation, its name, the beginning of its keys, and the structs nested in it. Of a setting: its documentation,
/// name, type and default, and after `=>` the functions of [`Setting`] that complete it.
macro_rules! settings {
    ($(
        $(#[doc = $about:literal])+
        $name:ident $prefix:literal ($($nested:ident: $nested_type:ty),*) {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $default:expr => $($function:ident($($argument:expr),*)).+;
            )*
        }
    )*) => {
        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(default, deny_unknown_fields)]
            pub(crate) struct $name {
                $($(#[doc = $doc])+ pub(crate) $field: $type,)*
                $(pub(crate) $nested: $nested_type,)*
            }

            impl Default for $name {
                fn default() -> Self {
                    Self { $($field: $default,)* $($nested: <$nested_type>::default(),)* }
                }
            }
        )*

        pub(crate) static SETTINGS: &[Setting] = &[
            $($(
                Setting::new::<$type>(concat!($prefix, stringify!($field)), concat!($($doc),+))
                    $(.$function($($argument),*))+,
            )*)*
        ];

        /// The beginnings of keys, such as `heal.`, each with the description of its settings.
        #[cfg(test)]
        pub(super) static SECTIONS: &[(&str, &str)] = &[$(($prefix, concat!($($about),+))),*];
    };
}

const ALL: &[&str] = &[GLOBAL];
const HEAL: &[&str] = &["heal"];
const HEAL_AND_CI: &[&str] = &["heal", "ci"];
const SANDBOXED: &[&str] = &["heal", "ci", "worker", "mcp", "serve"];

/// One MiB and one GiB, in bytes.
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// One day, in seconds.
const DAY: u64 = 24 * 60 * 60;

settings! {
    /// Settings of the whole program.
    Config "" (
        heal: HealConfig, github: GitHubConfig, gitlab: GitLabConfig, git: GitConfig, source: SourceConfig, sandbox: SandboxConfig,
        fetch: FetchConfig, worker: WorkerConfig, keep: KeepConfig, alerts: AlertConfig, server: ServerConfig,
        llm: LlmConfig, navigate: NavigateConfig, extract: ExtractConfig
    ) {
        /// Folder for runs, caches and the database
        data_dir: Option<PathBuf> = None => variable("DATA_DIR").unset("`~/.local/share/autoheal`")
            .flag("data-dir", "FOLDER", ALL).argument(global);
        /// Address of the database: `sqlite://FILE` or `postgres://...`
        database_url: Option<String> = None => variable("DATABASE_URL").unset("`autoheal.db` in the data folder")
            .flag("database-url", "URL", ALL).argument(global);
        /// Level of the log on standard error: `error`, `warn`, `info`, `debug`, `trace`, `off`, or a filter
        log: Option<String> = None => variable("LOG").unset("`off`; `info` for `worker`, `serve` and `source watch`")
            .flag("log", "LEVEL", ALL).argument(global);
        /// Write the log as JSON lines
        log_json: bool = false => variable("LOG_JSON").switch("log-json", ALL).argument(global);
    }

    /// Defaults of `autoheal heal` and `autoheal ci`, and limits for each command of a repository.
    HealConfig "heal." () {
        /// First half of the branch name `TEAM_LEADER_AI_Fix`
        team: String = request().team_name => variable("TEAM")
            .flag("team", "NAME", HEAL_AND_CI).argument(delivery);
        /// Second half of the branch name
        leader: String = request().leader_name => variable("LEADER")
            .flag("leader", "NAME", HEAL_AND_CI).argument(delivery);
        /// Maximum number of rounds after the first
        retry_limit: u32 = HealRequest::DEFAULT_RETRY_LIMIT => variable("RETRY_LIMIT")
            .flag("retry-limit", "N", HEAL_AND_CI).argument(repair);
        /// Verification of the result
        ci: CiMode = CiMode::default() => variable("CI").values(&[
                ("auto", "CI of the host for a pushed branch, otherwise local checks"),
                ("host", "Local checks, then the CI of the host"),
                ("local", "Local checks in a fresh clone and a fresh sandbox"),
                ("none", "No verification"),
            ])
            .former_value("host", "github")
            .flag("ci", "MODE", HEAL).argument(verification);
        /// Time limit for a run, in seconds; repairs that were accepted before it are kept
        run_seconds: u64 = limits().run_seconds => variable("RUN_SECONDS");
        /// Time limit for one run of a test suite, in seconds
        test_seconds: u64 = limits().test_seconds => variable("TEST_SECONDS");
        /// Time limit for the [search](healing-a-repository.md#faults-of-logic) for the repair of one fault of logic, in seconds; 0
        /// disables the search
        search_seconds: u64 = limits().search_seconds => variable("SEARCH_SECONDS")
            .flag("search-seconds", "SECONDS", HEAL).argument(repair);
        /// Maximum number of environments with older releases that the search for
        /// [dependencies that drifted](healing-a-repository.md#dependencies-that-drifted) makes in a run; 0 disables the search
        drift_environments: u32 = DRIFT_ENVIRONMENTS => variable("DRIFT_ENVIRONMENTS");
        /// Deliver no change found by [search](healing-a-repository.md#faults-of-logic) if other changes also pass the tests
        strict: bool = false => variable("STRICT").switch("strict", HEAL).argument(repair);
        /// Repeat the tests with [each version of Python](healing-a-repository.md#what-green-means) that CI names and this machine has
        all_versions: bool = false => variable("ALL_VERSIONS")
            .switch("all-versions", HEAL).argument(verification);
        /// Use the diagnostics of a [language server](healing-a-repository.md#hints-of-language-servers) on this machine (pyright, ruff,
        /// typescript-language-server), if there is one
        lsp: bool = false => variable("LSP").switch("lsp", HEAL).argument(repair);
        /// Time limit for the diagnostics of language servers for one tree, in seconds
        lsp_seconds: u64 = limits().lsp_seconds => variable("LSP_SECONDS");
        /// Time limit for one install, in seconds
        install_seconds: u64 = limits().install_seconds => variable("INSTALL_SECONDS");
        /// Maximum disk space of cached installations, in GiB; the least recently used are removed first
        cache_gib: u64 = CacheLimits::default().bytes / GIB => variable("CACHE_GIB");
        /// Maximum time since the last use of a cached installation, in days
        cache_days: u64 = CacheLimits::default().age.as_secs() / DAY => variable("CACHE_DAYS");
        /// Maximum age of a cached installation whose versions no lock file holds, in minutes: an older one is resolved anew, as CI does
        resolve_minutes: u64 = CacheLimits::default().resolved.as_secs() / 60 => variable("RESOLVE_MINUTES");
        /// Maximum memory of one command, in MiB
        memory_mib: u64 = limits().memory_mib => variable("MEMORY_MIB");
        /// Maximum number of processes and threads of one command
        processes: u32 = limits().processes => variable("PROCESSES");
        /// Maximum disk space of the folders that a command may write, and of each file, in MiB
        disk_mib: u64 = limits().disk_mib => variable("DISK_MIB");
        /// Limits for the parts of a prompt for a [model](models.md)
        prompt: autoheal_repo::PromptLimits = autoheal_repo::PromptLimits::default() => file_only();
    }

    /// Access to [GitHub](github.md), and the CI of the host.
    GitHubConfig "github." () {
        /// Address of the API of GitHub; `https://HOST/api/v3` for GitHub Enterprise
        api: Option<Url> = None => variable("GITHUB_API").unset("`https://api.github.com`")
            .flag("github-api", "URL", HEAL).argument(github);
        /// File with the token for GitHub; takes precedence over the variables of the token
        token_file: Option<PathBuf> = None => variable("GITHUB_TOKEN_FILE")
            .flag("token-file", "FILE", HEAL).argument(github);
        /// Open a pull request or merge request for the branch, or update it
        pull_request: bool = hosting().pull_request => variable("PULL_REQUEST").switch("pull-request", &[]);
        /// Start workflows that have the trigger `workflow_dispatch`, or a pipeline, if the push starts none
        dispatch_workflows: bool = hosting().dispatch_workflows => variable("DISPATCH_WORKFLOWS")
            .switch("dispatch-workflows", HEAL).argument(verification);
        /// Run failed jobs again, once per commit, if the failure may be flaky
        rerun_failed: bool = hosting().rerun_failed => variable("RERUN_FAILED")
            .off_switch("no-ci-rerun", HEAL, "Do not run failed jobs of CI again to find out if they are flaky")
            .argument(verification);
        /// Time limit for CI, in seconds
        ci_seconds: u64 = hosting().ci_seconds => variable("CI_SECONDS")
            .flag("ci-seconds", "SECONDS", HEAL).argument(|argument| verification(argument.alias("ci-timeout")));
        /// Time limit for the first sign of CI, in seconds
        grace_seconds: u64 = hosting().grace_seconds => variable("CI_GRACE_SECONDS");
        /// Polling interval for CI, in milliseconds
        poll_millis: u64 = hosting().poll_millis => variable("CI_POLL_MILLIS").limits(1000, u64::MAX);
    }

    /// Access to [GitLab](gitlab.md). The settings of `github` for CI and change requests apply to it, too.
    GitLabConfig "gitlab." () {
        /// Address of the GitLab, such as `https://gitlab.example`
        url: Option<Url> = None => variable("GITLAB_URL").unset("`https://gitlab.com`")
            .flag("gitlab-url", "URL", HEAL).argument(gitlab);
        /// File with the token for GitLab; takes precedence over the variables of the token
        token_file: Option<PathBuf> = None => variable("GITLAB_TOKEN_FILE")
            .flag("gitlab-token-file", "FILE", HEAL).argument(gitlab);
        /// Kind of the token for GitLab
        token_kind: TokenKind = TokenKind::default() => variable("GITLAB_TOKEN_KIND").values(&[
                ("private", "Personal, project or group access token"),
                ("job", "Token of a CI job"),
                ("oauth", "OAuth token"),
            ]);
    }

    /// Limits for the size of a repository, and for git.
    GitConfig "git." () {
        /// Maximum size of a clone on disk (history and files), in MiB
        clone_mib: u64 = SizeLimits::default().clone_bytes / MIB => variable("GIT_CLONE_MIB");
        /// Maximum size of all files of one commit, in MiB
        tree_mib: u64 = SizeLimits::default().tree_bytes / MIB => variable("GIT_TREE_MIB");
        /// Maximum number of files and folders of one commit
        tree_entries: u64 = SizeLimits::default().entries => variable("GIT_TREE_ENTRIES");
        /// Maximum memory of each process of git, in MiB
        memory_mib: u64 = SizeLimits::default().memory / MIB => variable("GIT_MEMORY_MIB");
    }

    /// Healing of [sources](sources.md).
    SourceConfig "source." () {
        /// Activate a fix without a review if a [model](models.md#model-confirms) and rules choose the same element
        /// independently and its value looks as before; not measured with a strong model
        model_confirms: bool = false => variable("MODEL_CONFIRMS")
            .switch("model-confirms", &["source"]).argument(|argument| argument.global(true));
        /// Limits for the parts of a prompt for a [model](models.md)
        prompt: autoheal_source::PromptLimits = autoheal_source::PromptLimits::default() => file_only();
    }

    /// The [sandbox](sandbox.md) for the code of repositories.
    SandboxConfig "sandbox." () {
        /// Sandbox for the code of repositories
        kind: Choice = Choice::default() => variable("SANDBOX").values(&[
                ("auto", "Docker if it works, otherwise bubblewrap"),
                ("docker", "Containers of a Docker engine"),
                ("bubblewrap", "Linux namespaces"),
                ("none", "No isolation: commands have all rights of the user"),
            ])
            .flag("sandbox", "KIND", SANDBOXED);
        /// Docker image for Python
        python_image: String = image(Image::PYTHON) => variable("PYTHON_IMAGE");
        /// Docker image for Node
        node_image: String = image(Image::NODE) => variable("NODE_IMAGE");
        /// Docker image for Rust
        rust_image: String = image(Image::RUST) => variable("RUST_IMAGE");
        /// Docker runtime for containers, such as `runsc`
        docker_runtime: Option<String> = None => variable("DOCKER_RUNTIME").unset("default runtime of the engine");
        /// Run commands even [without control groups](sandbox.md#the-limits), or with a bubblewrap before 0.8
        allow_weak_limits: bool = false => variable("ALLOW_WEAK_LIMITS");
        /// Minimum free space of disks that commands may write, in MiB; with less, no command starts
        free_space_mib: u64 = SandboxSettings::DEFAULT_FREE_SPACE / MIB => variable("FREE_SPACE_MIB");
        /// Hosts that an install may access
        registries: Vec<String> = SandboxSettings::DEFAULT_REGISTRIES.map(str::to_owned).to_vec()
            => variable("REGISTRIES");
        /// Further hosts that an install may access, even at private addresses, such as `["pypi.corp.example"]`
        private_registries: Vec<String> = Vec::new() => variable("PRIVATE_REGISTRIES");
        /// Environment variables that an install receives, such as `["PIP_INDEX_URL", "NPM_TOKEN"]`
        install_environment: Vec<String> = Vec::new() => variable("INSTALL_ENVIRONMENT");
    }

    /// [Fetching](fetching.md) of web pages.
    FetchConfig "fetch." () {
        /// Address with information about the client, for the owners of sites; part of the `User-Agent`
        contact: Option<Url> = None => variable("CONTACT");
        /// Hosts outside the public internet that may be accessed, such as `["127.0.0.1", "10.0.0.0/8"]`
        allow_private: Vec<String> = Vec::new() => variable("ALLOW_PRIVATE");
        /// Folders whose files may be read by `file://` addresses, such as `["/srv/pages"]`
        allow_files: Vec<PathBuf> = Vec::new() => variable("ALLOW_FILES");
        /// Folder of stored pages that replaces the network
        snapshots: Option<PathBuf> = None => variable("SNAPSHOTS");
        /// Interval between two requests to one host, in milliseconds
        host_interval_millis: u64 = millis(FetchSettings::default().limits.pace.interval)
            => variable("HOST_INTERVAL_MILLIS");
        /// Browser that renders pages built by scripts
        browser: Option<PathBuf> = None => variable("BROWSER").unset("`chromium` or `google-chrome` on `PATH`");
        /// Render pages only if bubblewrap can [contain](fetching.md#pages-that-scripts-build) the browser
        browser_sandbox: bool = true => variable("BROWSER_SANDBOX");
    }

    /// Workers, which run tasks.
    WorkerConfig "worker." (kinds: KindsConfig) {
        /// Number of tasks to run at once
        concurrency: Option<usize> = None => variable("CONCURRENCY")
            .unset("1; 4 for `serve`, of which 2 of repositories").flag("concurrency", "N", &["worker"]);
        /// Delay before the first retry of a task that the environment made fail, in seconds; it doubles with each retry, up to an hour
        retry_seconds: u64 = WorkerSettings::DEFAULT_RETRY.as_secs() => variable("RETRY_SECONDS");
        /// Duration of a claim without a heartbeat, in seconds: the time after which another worker takes over the task of a dead one
        lease_seconds: u64 = WorkerSettings::DEFAULT_LEASE.as_secs() => variable("LEASE_SECONDS");
        /// Maximum time that a stop waits for the running step, in seconds
        grace_seconds: Option<u64> = None => variable("GRACE_SECONDS").unset("60; 3 for `heal`, `source run` and `source heal`");
        /// Maximum memory of one worker process with git and the browser, in MiB; sandboxes have their own limit
        memory_mib: u64 = 4096 => variable("WORKER_MEMORY_MIB");
        /// Minimum free disk space of the data folder for starting a task, in MiB; 0 disables the check
        min_free_mib: u64 = 1024 => variable("MIN_FREE_MIB");
    }

    /// Maximum number of tasks of each kind at once; 0 disables the kind. Tasks that the user waits for are exempt.
    KindsConfig "worker.kinds." () {
        /// Tasks that add a source
        add_source: Option<usize> = None => file_only().unset(UNLIMITED);
        /// Tasks that heal a source
        fix_source: Option<usize> = None => file_only().unset(UNLIMITED);
        /// Tasks that run a source
        refresh_source: Option<usize> = None => file_only().unset(UNLIMITED);
        /// Tasks that heal a repository
        heal_repo: Option<usize> = None => file_only().unset(UNLIMITED);
    }

    /// [Retention](database.md#what-is-kept-and-for-how-long) of stored data.
    KeepConfig "keep." () {
        // An event of GitHub that is a week old is handled only once because its task is still known.
        /// Retention of closed tasks with their runs, in days
        run_days: u64 = Retention::default().runs.as_secs() / DAY => variable("KEEP_RUN_DAYS").limits(8, u64::MAX);
        /// Retention of values, attempts at fixes, alerts, decisions, usage of models and old versions of recipes, in days
        history_days: u64 = Retention::default().history.as_secs() / DAY => variable("KEEP_HISTORY_DAYS");
        /// Maximum number of sets of values of one page
        values: u32 = Retention::default().values => variable("KEEP_VALUES");
    }

    /// Delivery of [alerts](sources.md#by-mail).
    AlertConfig "alerts." (mail: MailConfig) {
        /// Address to which alerts are posted
        webhook: Option<Url> = None => variable("ALERT_WEBHOOK").private();
    }

    /// Alerts by [mail](sources.md#by-mail).
    MailConfig "alerts.mail." () {
        /// Address of the mail server: `smtp://HOST:PORT` or `smtps://HOST:PORT`
        server: Option<Url> = None => variable("SMTP_SERVER");
        /// Address of the sender, such as `autoheal <autoheal@example.com>`
        from: Option<String> = None => variable("MAIL_FROM");
        /// Addresses of the recipients, such as `["ada@example.com"]`
        to: Vec<String> = Vec::new() => variable("MAIL_TO");
        /// User name for the login at the mail server; the password is in `AUTOHEAL_SMTP_PASSWORD`
        user: Option<String> = None => variable("SMTP_USER");
    }

    /// The [server](server.md): address, access control and limits.
    ServerConfig "server." (github_webhook: GitHubWebhookConfig) {
        /// Address to listen at
        addr: SocketAddr = ([127, 0, 0, 1], 8080).into() => variable("ADDR").flag("addr", "ADDRESS:PORT", &["serve"]);
        /// File with further tokens, one line each: `NAME TOKEN`; decisions are recorded under the name
        user_tokens_file: Option<PathBuf> = None => variable("USER_TOKENS_FILE");
        /// Host names accepted with a generated token, such as `["tools.example"]`, in addition to those of this machine
        hosts: Vec<String> = Vec::new() => variable("HOSTS");
        /// Origins whose pages may send requests, such as `["https://chat.example"]`
        origins: Vec<String> = Vec::new() => variable("ORIGINS");
        /// Maximum number of requests per second and client, with bursts of four times as many; 0: unlimited
        requests_per_second: u32 = 50 => variable("REQUESTS_PER_SECOND");
        /// Maximum number of connections per client, including those that follow a run; 0: unlimited
        connections_per_client: usize = 64 => variable("CONNECTIONS_PER_CLIENT");
        /// Address to which the dashboard reports its crashes: `POST` of JSON with `message`, `stack`, `componentStack`, `page`, `at`
        error_sink: Option<Url> = None => variable("ERROR_SINK").private();
        /// Allow clients to have the branch of a healed repository pushed
        allow_push: Option<bool> = None => variable("ALLOW_PUSH").unset(
            "`false` for the tool `heal`; for the dashboard, `POST /api/heal` and events of GitHub: `true` if `server.repositories` is \
             set, otherwise `false`"
        );
        /// Repositories that clients may have healed, such as `["/srv/code", "https://github.com/OWNER/NAME"]`: folders with all
        /// repositories in them, and addresses
        repositories: Option<Vec<String>> = None => variable("REPOSITORIES")
            .unset("`mcp`: all that this user can read; `serve`: those at GitHub");
    }

    /// The [webhook](github.md#events) through which GitHub reports failed CI.
    GitHubWebhookConfig "server.github_webhook." () {
        /// Heal a repository when GitHub reports that its CI has failed
        enabled: bool = false => variable("GITHUB_WEBHOOK");
    }

    /// [Language models](models.md) and their budgets.
    LlmConfig "llm." (base_urls: BaseUrls) {
        /// Language models, used as the last resort: `PROVIDER/NAME` with `openai`, `anthropic`, `gemini` or `ollama`; several,
        /// separated by commas; or `none`
        model: String = "none".to_owned() => variable("MODEL").flag("model", "MODEL", ALL).argument(global);
        /// Files with the API keys of providers whose key is not in the environment, as `llm.key_files.PROVIDER`
        key_files: BTreeMap<Provider, PathBuf> = BTreeMap::new() => file_only();
        /// Time limit for the response of a model, in seconds; the next attempt sends a shorter prompt
        timeout_seconds: Option<u64> = None => variable("MODEL_TIMEOUT_SECONDS").unset("`120`");
        /// Maximum number of requests in one run
        run_calls: Option<u64> = models().per_run.calls => variable("RUN_CALLS").unset(UNLIMITED);
        /// Maximum number of tokens in one run, for prompts and responses
        run_tokens: Option<u64> = models().per_run.tokens => variable("RUN_TOKENS").unset(UNLIMITED);
        /// Maximum cost of one run, in dollars
        run_dollars: Option<f64> = None => variable("RUN_DOLLARS").unset(UNLIMITED);
        /// Maximum number of requests of all runs of a day (UTC)
        day_calls: Option<u64> = models().per_day.calls => variable("DAY_CALLS").unset(UNLIMITED);
        /// Maximum number of tokens of all runs of a day
        day_tokens: Option<u64> = models().per_day.tokens => variable("DAY_TOKENS").unset(UNLIMITED);
        /// Maximum cost of all runs of a day, in dollars
        day_dollars: Option<f64> = None => variable("DAY_DOLLARS").unset(UNLIMITED);
        /// Maximum number of independent requests of one run at the same time
        requests_at_once: usize = models().at_once => variable("MODEL_REQUESTS_AT_ONCE").limits(1, 64);
        /// Number of characters of each prompt and response that are stored; 0: nothing is stored
        kept_characters: usize = models().kept_text => variable("KEPT_CHARACTERS");
        /// File to which the responses of models are appended
        record: Option<PathBuf> = None => variable("RECORD")
            .flag("record", "FILE", ALL).argument(|argument| global(argument.conflicts_with("llm.replay")));
        /// File from which the responses of models are replayed; no requests are made
        replay: Option<PathBuf> = None => variable("REPLAY").flag("replay", "FILE", ALL).argument(global);
        /// Prices in dollars for a million tokens, by the beginning of the model name, as
        /// `llm.prices."openai/gpt-4o-mini" = { input = 0.15, output = 0.6, cached = 0.075 }`
        prices: BTreeMap<String, Price> = BTreeMap::new() => file_only().unset("prices that autoheal knows");
    }

    /// Addresses of providers that replace the defaults.
    BaseUrls "llm.base_urls." () {
        /// Address of an API in the format of `openai`, such as `http://127.0.0.1:8080/v1`
        openai: Option<Url> = None => variable("OPENAI_URL").unset("OpenAI");
        /// Address of an API in the format of `anthropic`
        anthropic: Option<Url> = None => variable("ANTHROPIC_URL").unset("Anthropic");
        /// Address of an API in the format of `gemini`
        gemini: Option<Url> = None => variable("GEMINI_URL").unset("Google");
        /// Address of Ollama
        ollama: Option<Url> = None => variable("OLLAMA_URL").unset("`http://127.0.0.1:11434`");
    }

    /// Limits of [`autoheal navigate`](navigating.md).
    NavigateConfig "navigate." () {
        /// Maximum number of steps (pages visited, actions of a model)
        max_steps: u32 = navigation().max_steps => variable("MAX_STEPS").limits(1, 1000)
            .flag("max-steps", "N", &["navigate"]);
        /// Maximum number of links of a page in a prompt; the most relevant are chosen
        max_links_shown: usize = navigation().max_links_shown => variable("MAX_LINKS_SHOWN");
        /// Maximum length of the text of a page in a prompt, in characters
        max_content_chars: usize = navigation().max_content_chars => variable("MAX_CONTENT_CHARS");
        /// Maximum number of the last actions of a model in a prompt
        max_path_history: usize = navigation().max_path_history => variable("MAX_PATH_HISTORY");
        /// Time limit for one page, in seconds
        http_seconds: u64 = navigation().http_timeout.as_secs() => variable("NAVIGATE_HTTP_SECONDS");
    }

    /// Limits of [`autoheal extract`](extracting.md).
    ExtractConfig "extract." () {
        /// Maximum number of further requests for missing fields in the modes `llm_dynamic_adaptive` and
        /// `rules_then_llm`; for `autoheal extract`, `LLM_SCHEMA_RETRIES` takes precedence over other variables
        schema_retries: u32 = extraction().schema_retries => variable("EXTRACT_SCHEMA_RETRIES")
            .flag("schema-retries", "N", &["extract"]).argument(|argument| argument.env("LLM_SCHEMA_RETRIES"));
        /// Maximum length of the text of a page in a prompt, in characters
        page_characters: usize = extraction().page_characters => variable("EXTRACT_PAGE_CHARACTERS");
        /// Maximum length of the structured data of a page, and of earlier results, in a prompt, in characters
        stated_characters: usize = extraction().stated_characters => variable("EXTRACT_STATED_CHARACTERS");
        /// Maximum length of a response, in tokens
        answer_tokens: u32 = extraction().answer_tokens => variable("EXTRACT_ANSWER_TOKENS");
        /// Maximum number of pages processed at once
        jobs: usize = 4 => variable("EXTRACT_JOBS").flag("jobs", "N", &["extract"]);
    }
}

const UNLIMITED: &str = "unlimited";

fn global(argument: Arg) -> Arg {
    argument.help_heading("Global options")
}

fn repair(argument: Arg) -> Arg {
    argument.help_heading("Tests and repairs")
}

fn verification(argument: Arg) -> Arg {
    argument.help_heading("Verification")
}

fn delivery(argument: Arg) -> Arg {
    argument.help_heading("Delivery")
}

fn gitlab(argument: Arg) -> Arg {
    argument.help_heading("GitLab")
}

fn github(argument: Arg) -> Arg {
    argument.help_heading("GitHub")
}

fn request() -> HealRequest {
    HealRequest::new(String::new())
}

fn limits() -> CommandLimits {
    CommandLimits::default()
}

fn hosting() -> HostingRequest {
    HostingRequest::default()
}

fn models() -> autoheal_llm::Settings {
    autoheal_llm::Settings::default()
}

fn navigation() -> autoheal_navigate::Settings {
    autoheal_navigate::Settings::default()
}

fn extraction() -> ModelSettings {
    ModelSettings::default()
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the default reference of an image.
fn image(image: Image) -> String {
    let mut images = SandboxSettings::DEFAULT_IMAGES.into_iter();
    images.find(|(other, _)| *other == image).map(|(_, reference)| reference.to_owned()).unwrap_or_default()
}

//! Command-line arguments of the program and its commands.

use std::path::PathBuf;

use autoheal_engine::{ErrorCode, RunId, TaskId};
use autoheal_sandbox::Choice;
use clap::{Args, Parser, Subcommand, ValueEnum};
use url::Url;

use crate::ci_args::CiJob;
use crate::config::{Config, LlmConfig};
use crate::extract_args::Extract;
use crate::heal_args::{Ci, How};
use crate::navigate_args::Navigate;
use crate::server_args::{Mcp, Serve};
use crate::source_args::{SourceCommand, Sources};

const OVERVIEW: &str = "\
Examples:
  autoheal heal .                          heal the repository here; the result is a new branch
  autoheal heal https://github.com/owner/repo --team Blue --leader \"Ada L\"
  autoheal heal . --dry-run                only the report and the patch
  autoheal report RUN --diff               what a run changed
  autoheal relocate --old a.html --new b.html --recipe recipe.json   selectors healed offline
  autoheal check                           what of this machine can be used

Exit codes: 0 healed or nothing to do, 1 not healed, 2 bad input, 3 environment missing, 4 internal fault, 5 partly checked, 130 cancelled.";

/// Takes broken repositories from red to green.
#[derive(Debug, Parser)]
#[command(name = "autoheal", version, about, after_help = OVERVIEW, max_term_width = 110)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Folder for runs, caches and the database [default: ~/.local/share/autoheal]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The database: `sqlite://FILE` or `postgres://...` [default: autoheal.db in the data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// The settings file [default: ~/.config/autoheal/autoheal.toml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Log level for standard error: error, warn, info, debug, trace, off, or a filter [default: off; for worker: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log: Option<String>,
    /// Log as JSON lines
    #[arg(long, global = true)]
    pub(crate) log_json: bool,
    /// Language model, used as the last resort: PROVIDER/NAME with openai, anthropic, gemini or ollama; several, separated by
    /// commas; or none [default: none]
    #[arg(long, global = true, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Write the responses of models to a file
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Replay the responses of models from a file; make no requests
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Print only data and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

impl Global {
    /// Returns the settings, overridden by these flags.
    pub(crate) fn over(&self, config: Config) -> Config {
        Config {
            data_dir: self.data_dir.clone().or(config.data_dir),
            database_url: self.database_url.clone().or(config.database_url),
            log: self.log.clone().or(config.log),
            log_json: Some(self.log_json || config.log_json.unwrap_or(false)),
            llm: LlmConfig {
                model: self.model.clone().or(config.llm.model),
                record: self.record.clone().or(config.llm.record),
                replay: self.replay.clone().or(config.llm.replay),
                ..config.llm
            },
            ..config
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Heal a repository: the result is a branch, your working tree is not touched
    Heal(Box<Heal>),
    /// Heal the checkout of a GitHub Actions job, and report the result to the job
    Ci(Box<CiJob>),
    /// Show the result of a run
    Report(Report),
    /// List, show, cancel and retry tasks
    Tasks(Tasks),
    /// List alerts: quarantines, dead letters, exhausted budgets
    Alerts(Alerts),
    /// Copy the database to a file, even while it is in use
    Backup(Backup),
    /// Draw a workflow as a Mermaid flowchart
    Graph(Graph),
    /// Explain an error code: what happened, why, and what to do
    Explain(Explain),
    /// Check which tools and sandboxes of this machine are usable
    Check(Check),
    /// Add, run, heal and inspect sources: pages that are scraped regularly
    Source(Box<Sources>),
    /// Run tasks from the queue until stopped
    Worker(Worker),
    /// Show the usage of language models
    Usage(Usage),
    /// Find the fields of a recipe again on a page whose layout has changed
    Relocate(Relocate),
    /// Extract structured data from pages: a product, a job, an article, a recipe, an event
    Extract(Extract),
    /// Find the answer to a question in a manual, by following its links
    Navigate(Box<Navigate>),
    /// Serve tools to an assistant over the Model Context Protocol
    Mcp(Mcp),
    /// Serve the dashboard, the API and the tools over HTTP, and run the requested tasks
    Serve(Serve),
    /// Do the work of another autoheal process, which starts it and talks to it on its standard streams
    #[command(hide = true)]
    WorkerProcess,
    /// Print the description of the API, `openapi.json`
    Openapi,
    /// Print the completion script for a shell
    #[command(
        after_help = "Examples:\n  autoheal completions bash > ~/.local/share/bash-completion/completions/autoheal\n  autoheal completions fish > ~/.config/fish/completions/autoheal.fish"
    )]
    Completions {
        /// Name of the shell
        shell: clap_complete::Shell,
    },
    /// Write the manual: a page for each command, for `man`
    #[command(after_help = "Examples:\n  autoheal man ~/.local/share/man/man1 && man autoheal-heal")]
    Man {
        /// The folder for the pages, made when missing
        folder: PathBuf,
    },
}

impl Command {
    /// The name it is called by.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Heal(_) => "heal",
            Self::Ci(_) => "ci",
            Self::Report(_) => "report",
            Self::Tasks(_) => "tasks",
            Self::Alerts(_) => "alerts",
            Self::Backup(_) => "backup",
            Self::Graph(_) => "graph",
            Self::Explain(_) => "explain",
            Self::Check(_) => "check",
            Self::Source(_) => "source",
            Self::Worker(_) => "worker",
            Self::Usage(_) => "usage",
            Self::Relocate(_) => "relocate",
            Self::Extract(_) => "extract",
            Self::Navigate(_) => "navigate",
            Self::Mcp(_) => "mcp",
            Self::Serve(_) => "serve",
            Self::WorkerProcess => "worker-process",
            Self::Openapi => "openapi",
            Self::Completions { .. } => "completions",
            Self::Man { .. } => "man",
        }
    }

    /// Returns the default log level: interactive commands report their errors by themselves, and log nothing.
    pub(crate) const fn log_level(&self) -> &'static str {
        match self {
            Self::Worker(_) | Self::Serve(_) => "info",
            Self::Source(sources) if matches!(sources.command, SourceCommand::Watch) => "info",
            Self::Heal(_)
            | Self::Ci(_)
            | Self::Report(_)
            | Self::Tasks(_)
            | Self::Alerts(_)
            | Self::Backup(_)
            | Self::Graph(_)
            | Self::Explain(_)
            | Self::Check(_)
            | Self::Source(_)
            | Self::Usage(_)
            | Self::Relocate(_)
            | Self::Extract(_)
            | Self::Navigate(_)
            | Self::WorkerProcess
            | Self::Openapi
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Mcp(_) => "off",
        }
    }
}

const HEAL_EXAMPLES: &str = "\
Examples:
  autoheal heal .
  autoheal heal ../shop --no-push --sandbox bubblewrap
  autoheal heal . --test-command 'python3 -m pytest tests/unit' --output results.json
  autoheal heal https://github.com/owner/repo --pull-request --token-file ~/.github-token
  autoheal heal https://gitlab.example/group/repo --gitlab-url https://gitlab.example --merge-request
  autoheal heal https://github.com/owner/repo --branch feature --ci-timeout 1800 --dispatch-workflows
  autoheal heal --resume 01920f4e-7f35-7aa0-8a43-3c0a5c1b7e11";

#[derive(Debug, Default, Args)]
#[command(after_help = HEAL_EXAMPLES)]
pub(crate) struct Heal {
    /// A folder with a git repository, `https://github.com/OWNER/REPO`, or `https://gitlab.com/GROUP/REPO`
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) repository: Option<String>,
    /// Allow the repository's own `.autoheal.toml` to make protected files editable
    #[arg(long)]
    pub(crate) trust_config: bool,
    /// Time limit for the search for the repair of one fault of logic, in seconds; 0 disables the search [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) search_seconds: Option<u64>,
    /// Use the diagnostics of a language server on this machine (pyright, ruff, typescript-language-server), if there is one
    #[arg(long)]
    pub(crate) lsp: bool,
    /// Deliver no change found by search if the tests allow other changes, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Repeat the tests with each version of Python that CI names and this machine has
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// Location of the checks that verify the result
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) ci: Option<Ci>,
    /// Do not wait for the CI of the host; the checks that pass here are sufficient
    #[arg(long, conflicts_with = "ci")]
    pub(crate) no_wait_ci: bool,
    /// Time limit for the CI of the host, in seconds [default: 600]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) ci_timeout: Option<u64>,
    /// Start workflows or a pipeline by hand when the push starts none
    #[arg(long)]
    pub(crate) dispatch_workflows: bool,
    /// Do not ask the host to run failed jobs again, to see whether they are flaky
    #[arg(long)]
    pub(crate) no_ci_rerun: bool,
    /// Open a pull request or merge request for the branch, or bring it up to date
    #[arg(long, visible_alias = "merge-request", conflicts_with_all = ["no_push", "dry_run"])]
    pub(crate) pull_request: bool,
    /// Branch to heal, instead of the one that a clone checks out
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// File with the token for GitHub [default: the token in `GITHUB_TOKEN`]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Address of GitHub's API; that of a GitHub Enterprise is `https://HOST/api/v3` [default: that of github.com]
    #[arg(long, value_name = "URL")]
    pub(crate) github_api: Option<Url>,
    /// Address of the GitLab, such as `https://gitlab.example` [default: `https://gitlab.com`]
    #[arg(long, value_name = "URL")]
    pub(crate) gitlab_url: Option<Url>,
    /// File with the token for GitLab [default: the token in `GITLAB_TOKEN`]
    #[arg(long, value_name = "FILE")]
    pub(crate) gitlab_token_file: Option<PathBuf>,
    /// Push the branch to where the clone came from; this is the default
    #[arg(long, conflicts_with_all = ["no_push", "dry_run"])]
    pub(crate) push: bool,
    /// Leave the branch in the run's own clone
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) no_push: bool,
    /// Write only the report and a patch; create no branch
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Include the uncommitted changes of a local repository
    #[arg(long)]
    pub(crate) include_uncommitted: bool,
    /// Also write the results to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Resume a run that was stopped or killed
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<RunId>,
    #[command(flatten)]
    pub(crate) how: How,
}

impl Heal {
    /// Returns the settings, overridden by these flags.
    pub(crate) fn over(&self, config: &Config) -> Config {
        let mut config = config.clone();
        let set = &mut config.gitlab;
        set.url = self.gitlab_url.clone().or(set.url.take());
        set.token_file = self.gitlab_token_file.clone().or(set.token_file.take());
        let set = &mut config.github;
        set.api = self.github_api.clone().or(set.api.take());
        set.token_file = self.token_file.clone().or(set.token_file.take());
        set.ci_seconds = self.ci_timeout.or(set.ci_seconds);
        set.pull_request = if self.pull_request { Some(true) } else { set.pull_request };
        set.dispatch_workflows = if self.dispatch_workflows { Some(true) } else { set.dispatch_workflows };
        set.rerun_failed = if self.no_ci_rerun { Some(false) } else { set.rerun_failed };
        config
    }
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Run to report; `last` for the newest
    pub(crate) run: String,
    /// Print the results as JSON instead
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the changes instead, as a unified diff
    #[arg(long, conflicts_with = "json")]
    pub(crate) diff: bool,
    /// Print the output of every command that the run started instead
    #[arg(long, conflicts_with_all = ["json", "diff"])]
    pub(crate) commands: bool,
    /// Write the output to this file instead of printing it
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to create; it must not exist yet. To restore it, start with `--database-url sqlite://FILE`, or replace autoheal.db with it
    /// while no autoheal process runs
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Alerts {
    /// Only alerts about this source, repository or host
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// Maximum number of alerts; the newest are listed
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Tasks {
    #[command(subcommand)]
    pub(crate) command: Option<TasksCommand>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TasksCommand {
    /// List tasks, the newest first (the default)
    List {
        /// Only tasks in this state, such as PENDING
        #[arg(long)]
        state: Option<String>,
        /// Maximum number of tasks
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Show one task and its runs
    Show {
        /// Number of the task
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
    /// Cancel a task; its results so far are kept
    Cancel {
        /// Number of the task
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
    /// Put a failed, cancelled or quarantined task back into the queue; its run resumes where it was
    Retry {
        /// Number of the task
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
}

fn task_id(text: &str) -> Result<TaskId, std::num::ParseIntError> {
    text.parse().map(TaskId)
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// Workflow to draw
    #[arg(value_enum)]
    pub(crate) workflow: WorkflowName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkflowName {
    /// Workflow that heals a repository
    Repo,
    /// Workflow that heals a source
    Source,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Code to explain, such as `REPO_CLONE_FAILED`; without one, all are listed
    #[arg(value_parser = error_code)]
    pub(crate) code: Option<ErrorCode>,
}

fn error_code(text: &str) -> Result<ErrorCode, String> {
    let code = ErrorCode::from_name(&text.to_ascii_uppercase());
    code.ok_or_else(|| "there is no such code: `autoheal explain` lists them".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Skip the attempts to escape from the sandbox, which take some seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// Number of tasks to run at once [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// Sandbox for the repositories' own code: auto, docker, bubblewrap, or none [default: auto]
    #[arg(long, value_name = "KIND")]
    pub(crate) sandbox: Option<Choice>,
}

const RELOCATE_EXAMPLES: &str = "\
Examples:
  autoheal relocate --old monday.html --new today.html --recipe recipe.json
  autoheal relocate --old monday.html.gz --old sunday.html.gz --new today.html.gz --recipe recipe.toml --json
  autoheal relocate --batch cases.jsonl --json > answers.jsonl

A line of cases.jsonl: {\"id\": \"a\", \"old\": [\"monday.html\"], \"new\": \"today.html\", \"recipe\": {\"version\": 1, \"fields\": ...}}
Exit codes: 0 every field was found (a batch: every line was answered), 1 not every field was found, 2 bad input.";

#[derive(Debug, Args)]
#[command(after_help = RELOCATE_EXAMPLES)]
pub(crate) struct Relocate {
    /// A page on which the recipe worked, plain or .gz; repeat it for more pages, the latest first
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) old: Vec<PathBuf>,
    /// Page on which it no longer works, plain or .gz
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) new: Option<PathBuf>,
    /// The recipe: JSON, or TOML when its name ends in .toml
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) recipe: Option<PathBuf>,
    /// Process each line of this file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "new", "recipe"])]
    pub(crate) batch: Option<PathBuf>,
    /// Minimum confidence (0 to 1) for accepting a relocation [default: the trained one]
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub(crate) threshold: Option<f32>,
    /// Print as JSON; for a batch, one line per case
    #[arg(long)]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is expected".to_owned())
}

/// Grouping and period of the sums.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  autoheal usage                    by day\n  autoheal usage --by model --days 7")]
pub(crate) struct Usage {
    /// Grouping of the sums
    #[arg(long, value_enum, default_value_t = By::Day)]
    pub(crate) by: By,
    /// Number of days, today included
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) days: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// Day, in UTC
    Day,
    /// Language model
    Model,
    /// Source or repository
    Target,
    /// User on whose behalf the request was made
    User,
    /// Purpose of the prompt
    Purpose,
}

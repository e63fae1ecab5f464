//! What can be asked of the program.

use std::path::PathBuf;

use autoheal_engine::{ErrorCode, RunId, TaskId};
use autoheal_repo::request::CiMode;
use autoheal_sandbox::Choice;
use clap::{Args, Parser, Subcommand, ValueEnum};
use url::Url;

use crate::ci_args::CiJob;
use crate::config::{Config, LlmConfig};
use crate::extract_args::Extract;
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

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Where runs, caches and the database are kept [default: ~/.local/share/autoheal]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The database: `sqlite://FILE` or `postgres://...` [default: autoheal.db in the data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// The settings file [default: ~/.config/autoheal/autoheal.toml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// What is logged to standard error: error, warn, info, debug, trace, off, or a filter [default: off; for worker: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log: Option<String>,
    /// Log as JSON lines
    #[arg(long, global = true)]
    pub(crate) log_json: bool,
    /// The language model that is asked last: PROVIDER/NAME with openai, anthropic, gemini or ollama, several with commas between
    /// them, or none [default: none]
    #[arg(long, global = true, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Write what models answer to a file
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Take what models answer from a file, and ask nobody
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Say nothing but data and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

impl Global {
    /// The settings with these flags over them.
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
    /// Heal the checkout of a job of GitHub Actions, and tell the job what came of it
    Ci(Box<CiJob>),
    /// Show what a run came to
    Report(Report),
    /// List, show, cancel and retry tasks
    Tasks(Tasks),
    /// Show what people were told: quarantines, dead letters, budgets that are used up
    Alerts(Alerts),
    /// Copy the database into a file, while others work on it
    Backup(Backup),
    /// Draw a workflow as a Mermaid flowchart
    Graph(Graph),
    /// Explain an error code: what happened, why, and what to do
    Explain(Explain),
    /// Check what of this machine can be used
    Check(Check),
    /// Add, run, heal and look at sources: pages that are scraped regularly
    Source(Box<Sources>),
    /// Run tasks from the queue until stopped
    Worker(Worker),
    /// Show what language models have used
    Usage(Usage),
    /// Find the fields of a recipe again on a page whose layout has changed
    Relocate(Relocate),
    /// Get what pages hold: a product, a job, an article, a recipe, an event
    Extract(Extract),
    /// Find the answer to a question in a manual, by following its links
    Navigate(Box<Navigate>),
    /// Serve tools to an assistant over the Model Context Protocol
    Mcp(Mcp),
    /// Serve the dashboard, the API and the same tools over HTTP, and do the work that is asked for there
    Serve(Serve),
    /// Does the work of another autoheal process, which starts it and talks to it on its standard streams
    #[command(hide = true)]
    WorkerProcess,
    /// Print the description of the API, `openapi.json`
    Openapi,
    /// Print what completes commands in a shell
    #[command(
        after_help = "Examples:\n  autoheal completions bash > ~/.local/share/bash-completion/completions/autoheal\n  autoheal completions fish > ~/.config/fish/completions/autoheal.fish"
    )]
    Completions {
        /// The shell
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

    /// What is logged unless a setting says otherwise: a command that a person waits for tells its errors by itself.
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
  autoheal heal https://github.com/owner/repo --branch feature --ci-timeout 1800 --dispatch-workflows
  autoheal heal --resume 01920f4e-7f35-7aa0-8a43-3c0a5c1b7e11";

#[derive(Debug, Default, Args)]
#[command(after_help = HEAL_EXAMPLES)]
pub(crate) struct Heal {
    /// A folder with a git repository, or `https://github.com/OWNER/REPO`
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) repository: Option<String>,
    /// Let the repository's own `.autoheal.toml` make files editable that never are otherwise
    #[arg(long)]
    pub(crate) trust_config: bool,
    /// How many seconds the search for the repair of one fault of logic may take; 0: nothing is searched for [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) search_seconds: Option<u64>,
    /// Ask a language server of this machine (pyright, ruff, typescript-language-server) about what is red, if there is one
    #[arg(long)]
    pub(crate) lsp: bool,
    /// Deliver no change that search found where the tests allow other changes, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Where the result is verified
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) ci: Option<Ci>,
    /// Do not wait for the CI of the host: what passes here is enough
    #[arg(long, conflicts_with = "ci")]
    pub(crate) no_wait_ci: bool,
    /// How long the CI of the host may take, in seconds [default: 600]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) ci_timeout: Option<u64>,
    /// Start workflows that can be started by hand when the push starts none
    #[arg(long)]
    pub(crate) dispatch_workflows: bool,
    /// Open a pull request for the branch, or bring it up to date
    #[arg(long, conflicts_with_all = ["no_push", "dry_run"])]
    pub(crate) pull_request: bool,
    /// The branch to heal, instead of the one that a clone checks out
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// The file that holds the token for GitHub; else it is taken from `GITHUB_TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// The address of GitHub's API; that of a GitHub Enterprise is `https://HOST/api/v3` [default: that of github.com]
    #[arg(long, value_name = "URL")]
    pub(crate) github_api: Option<Url>,
    /// Push the branch to where the clone came from; this is the default
    #[arg(long, conflicts_with_all = ["no_push", "dry_run"])]
    pub(crate) push: bool,
    /// Leave the branch in the run's own clone
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) no_push: bool,
    /// Write the report and a patch, and no branch
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take the uncommitted changes of a local repository along
    #[arg(long)]
    pub(crate) include_uncommitted: bool,
    /// Write the results here as well
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Go on with a run that was stopped or killed
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<RunId>,
    #[command(flatten)]
    pub(crate) how: How,
}

// How a repository is healed, wherever it lies. Not documented: clap would tell that as what the command does.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct How {
    /// First half of the branch's name `TEAM_LEADER_AI_Fix` [default: autoheal]
    #[arg(long, value_name = "NAME")]
    pub(crate) team: Option<String>,
    /// Second half of the branch's name [default: bot]
    #[arg(long, value_name = "NAME")]
    pub(crate) leader: Option<String>,
    /// How many rounds may follow the first [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) retry_limit: Option<u32>,
    /// The wall around the repository's own code: auto, docker, bubblewrap, or none [default: auto]
    #[arg(long, value_name = "KIND")]
    pub(crate) sandbox: Option<Choice>,
    /// How to run the tests, instead of what is detected; words, no shell
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test_command: Option<String>,
    /// How to install what the tests need, instead of what is detected; words, no shell
    #[arg(long, value_name = "COMMAND")]
    pub(crate) install_command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ci {
    /// The best that is there
    Auto,
    /// Here, and then by the CI that runs at GitHub
    #[value(name = "github")]
    #[serde(rename = "github")]
    GitHub,
    /// The branch, cloned fresh, tested in a fresh sandbox
    Local,
    /// Not at all
    None,
}

impl Heal {
    /// The settings with these flags over them.
    pub(crate) fn over(&self, config: &Config) -> Config {
        let mut config = config.clone();
        let set = &mut config.github;
        set.api = self.github_api.clone().or(set.api.take());
        set.token_file = self.token_file.clone().or(set.token_file.take());
        set.ci_seconds = self.ci_timeout.or(set.ci_seconds);
        set.pull_request = if self.pull_request { Some(true) } else { set.pull_request };
        set.dispatch_workflows = if self.dispatch_workflows { Some(true) } else { set.dispatch_workflows };
        config
    }
}

impl From<Ci> for CiMode {
    fn from(ci: Ci) -> Self {
        match ci {
            Ci::Auto => Self::Auto,
            Ci::GitHub => Self::GitHub,
            Ci::Local => Self::Local,
            Ci::None => Self::None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run; `last` for the newest
    pub(crate) run: String,
    /// Print the results as JSON instead
    #[arg(long)]
    pub(crate) json: bool,
    /// Print what was changed instead, as a unified diff
    #[arg(long, conflicts_with = "json")]
    pub(crate) diff: bool,
    /// Print the output of every command that the run started instead
    #[arg(long, conflicts_with_all = ["json", "diff"])]
    pub(crate) commands: bool,
    /// Write it here instead of printing it
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file, which must not be there yet; to go back to it, start with `--database-url sqlite://FILE`, or put it in the place of
    /// autoheal.db while nothing runs
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Alerts {
    /// Only those about this source, repository or host
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// At most so many, the newest
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
        /// Only in this state, such as PENDING
        #[arg(long)]
        state: Option<String>,
        /// At most so many
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Show one task and its runs
    Show {
        /// The task's number
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
    /// End a task; what it reached is kept
    Cancel {
        /// The task's number
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
    /// Put a task that failed, was cancelled or is quarantined back into the queue; its run goes on where it was
    Retry {
        /// The task's number
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
}

fn task_id(text: &str) -> Result<TaskId, std::num::ParseIntError> {
    text.parse().map(TaskId)
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// Which workflow
    #[arg(value_enum)]
    pub(crate) workflow: WorkflowName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkflowName {
    /// Healing a repository
    Repo,
    /// Healing a source
    Source,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Such as `REPO_CLONE_FAILED`; without one, all are listed
    #[arg(value_parser = error_code)]
    pub(crate) code: Option<ErrorCode>,
}

fn error_code(text: &str) -> Result<ErrorCode, String> {
    let code = ErrorCode::from_name(&text.to_ascii_uppercase());
    code.ok_or_else(|| "there is no such code: `autoheal explain` lists them".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Do not try the ways out of the sandbox, which takes some seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// How many tasks to run at once [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// The wall around the repositories' own code: auto, docker, bubblewrap, or none [default: auto]
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
    /// The page on which it does not, plain or .gz
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) new: Option<PathBuf>,
    /// The recipe: JSON, or TOML when its name ends in .toml
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) recipe: Option<PathBuf>,
    /// Answer each line of this file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "new", "recipe"])]
    pub(crate) batch: Option<PathBuf>,
    /// From which confidence on a new place is accepted, from 0 to 1 [default: the one that was trained]
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub(crate) threshold: Option<f32>,
    /// Print as JSON; of a batch, a line for each case
    #[arg(long)]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is expected".to_owned())
}

/// What language models have used.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  autoheal usage                    by day\n  autoheal usage --by model --days 7")]
pub(crate) struct Usage {
    /// What is summed by
    #[arg(long, value_enum, default_value_t = By::Day)]
    pub(crate) by: By,
    /// The last so many days, today included
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) days: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The day, in UTC
    Day,
    /// The model
    Model,
    /// The source or the repository
    Target,
    /// For whom
    User,
    /// The prompt
    Purpose,
}

//! Command-line arguments of the program and its commands.
//!
//! Flags that set a setting are not here: they are made from the definition of the setting (`config`).

use std::path::PathBuf;

use autoheal_engine::TaskId;
use autoheal_repo::request::CiMode;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::ci_args::CiJob;
use crate::config::{self, Config};
use crate::extract_args::Extract;
use crate::heal_args::SuiteCommands;
use crate::init_args::Init;
use crate::navigate_args::Navigate;
use crate::printer::Color;
use crate::run_name::RunName;
use crate::source_args::{SourceCommand, Sources};
use crate::terms::Term;

const OVERVIEW: &str = "\
Examples:
  autoheal heal .                          heal the repository here; the result is a new branch
  autoheal heal https://github.com/owner/repo --team Blue --leader \"Ada L\"
  autoheal heal . --dry-run                write only the report and the patch
  autoheal runs                            list the runs
  autoheal report last --diff              show the changes of the newest run
  autoheal relocate --old a.html --new b.html --recipe recipe.json   heal selectors offline
  autoheal init                            set up a repository, or a page to watch
  autoheal check                           check which tools of this machine are usable

Exit codes: 0 healed or nothing to do, 1 not healed, 2 invalid input, 3 environment incomplete, 4 internal error, 5 partly checked, 130 cancelled.";

/// Heal repositories with failing CI, and sources whose pages have changed
#[derive(Debug, Parser)]
#[command(name = "autoheal", version, after_help = OVERVIEW, max_term_width = 110)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Returns the description of the command line, with the flags of settings.
pub(crate) fn command() -> clap::Command {
    config::with_flags(Arguments::command())
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Settings file [default: ~/.config/autoheal/autoheal.toml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print only data and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Use of colours in the output
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Heal a repository; the result is a branch, and your working tree stays as it is
    Heal(Box<Heal>),
    /// Set up a repository, or a first page to watch, by three questions
    Init(Box<Init>),
    /// Heal the checkout of a GitHub Actions job, and report the result to the job
    Ci(Box<CiJob>),
    /// List runs, the newest first
    Runs(Runs),
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
    /// Explain a term: an error code, a stop reason, an outcome or a category of faults
    Explain(Explain),
    /// Check which tools and sandboxes of this machine are usable
    Check(Check),
    /// Show the settings
    Config(Settings),
    /// Add, run, heal and inspect sources: pages that are scraped regularly
    Source(Box<Sources>),
    /// Run tasks from the queue until stopped
    Worker,
    /// Show the usage of language models
    Usage(Usage),
    /// Find the fields of a recipe again on a page whose layout has changed
    Relocate(Relocate),
    /// Repair Python programs whose selectors are broken, with those that the Python package has found
    Scraper(Scrapers),
    /// Extract structured data from pages: a product, a job, an article, a recipe, an event
    Extract(Extract),
    /// Find the answer to a question in a manual, by following its links
    Navigate(Box<Navigate>),
    /// Serve tools to an assistant over the Model Context Protocol
    #[command(after_help = MCP_EXAMPLES)]
    Mcp,
    /// Serve the dashboard, the API and the tools over HTTP, and run the requested tasks
    #[command(after_help = SERVE_EXAMPLES)]
    Serve {
        /// Open the dashboard in a browser
        #[arg(long)]
        open: bool,
    },
    /// Run steps for the autoheal process that started this one
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
    /// Write a manual page for each command, for `man`
    #[command(after_help = "Examples:\n  autoheal man ~/.local/share/man/man1 && man autoheal-heal")]
    Man {
        /// Folder for the pages; created when missing
        folder: PathBuf,
    },
}

impl Command {
    /// The name it is called by.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Heal(_) => "heal",
            Self::Init(_) => "init",
            Self::Ci(_) => "ci",
            Self::Runs(_) => "runs",
            Self::Report(_) => "report",
            Self::Tasks(_) => "tasks",
            Self::Alerts(_) => "alerts",
            Self::Backup(_) => "backup",
            Self::Graph(_) => "graph",
            Self::Explain(_) => "explain",
            Self::Check(_) => "check",
            Self::Config(_) => "config",
            Self::Source(_) => "source",
            Self::Worker => "worker",
            Self::Usage(_) => "usage",
            Self::Relocate(_) => "relocate",
            Self::Scraper(_) => "scraper",
            Self::Extract(_) => "extract",
            Self::Navigate(_) => "navigate",
            Self::Mcp => "mcp",
            Self::Serve { .. } => "serve",
            Self::WorkerProcess => "worker-process",
            Self::Openapi => "openapi",
            Self::Completions { .. } => "completions",
            Self::Man { .. } => "man",
        }
    }

    /// Returns the default log level: interactive commands report their errors by themselves, and log nothing.
    pub(crate) const fn log_level(&self) -> &'static str {
        match self {
            Self::Worker | Self::Serve { .. } => "info",
            Self::Source(sources) if matches!(sources.command, SourceCommand::Watch) => "info",
            Self::Heal(_)
            | Self::Init(_)
            | Self::Ci(_)
            | Self::Runs(_)
            | Self::Report(_)
            | Self::Tasks(_)
            | Self::Alerts(_)
            | Self::Backup(_)
            | Self::Graph(_)
            | Self::Explain(_)
            | Self::Check(_)
            | Self::Config(_)
            | Self::Source(_)
            | Self::Usage(_)
            | Self::Relocate(_)
            | Self::Scraper(_)
            | Self::Extract(_)
            | Self::Navigate(_)
            | Self::WorkerProcess
            | Self::Openapi
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Mcp => "off",
        }
    }
}

const MCP_EXAMPLES: &str = "\
Examples:
  autoheal mcp                                    started by an assistant with these settings:
  { \"mcpServers\": { \"autoheal\": { \"command\": \"autoheal\", \"args\": [\"mcp\"] } } }

Tools: navigate, extract, source_list, source_run, heal. Standard output carries the protocol; the log goes to standard error.";

const SERVE_EXAMPLES: &str = "\
Examples:
  autoheal serve --open
  AUTOHEAL_TOKEN=... autoheal serve --addr 0.0.0.0:8080
  curl -H \"Authorization: Bearer $(cat ~/.local/share/autoheal/server-token)\" http://127.0.0.1:8080/api/tools

Every request needs the token: the one in AUTOHEAL_TOKEN, or a generated one, which is printed as part of the address and stored in the \
file server-token of the data folder. With a generated token the server accepts only requests from this machine.";

const HEAL_EXAMPLES: &str = "\
Examples:
  autoheal heal .
  autoheal heal ../shop --no-push --sandbox bubblewrap
  autoheal heal . --test-command 'python3 -m pytest tests/unit' --output results.json
  autoheal heal https://github.com/owner/repo --pull-request --token-file ~/.github-token
  autoheal heal https://gitlab.example/group/repo --gitlab-url https://gitlab.example --merge-request
  autoheal heal https://github.com/owner/repo --branch feature --ci-seconds 1800 --dispatch-workflows
  autoheal heal --resume 01920f4e-7f35-7aa0-8a43-3c0a5c1b7e11";

#[derive(Debug, Default, Args)]
#[command(after_help = HEAL_EXAMPLES)]
pub(crate) struct Heal {
    /// Folder with a git repository, `https://github.com/OWNER/REPO`, or `https://gitlab.com/GROUP/REPO`
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) repository: Option<String>,
    /// Branch to heal [default: the default branch of the clone]
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Include the uncommitted changes of a local repository
    #[arg(long)]
    pub(crate) include_uncommitted: bool,
    /// Allow the repository's own `.autoheal.toml` to make protected files editable
    #[arg(long)]
    pub(crate) trust_config: bool,
    /// Run to resume after it was stopped or killed: an id or the beginning of one, `last`, or `last~1`
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<RunName>,
    #[command(flatten)]
    pub(crate) suite: SuiteCommands,
    /// The same as `--ci local`
    #[arg(long, hide = true, conflicts_with = "heal.ci")]
    pub(crate) no_wait_ci: bool,
    /// Push the branch to where the clone came from, which is the default
    #[arg(long, hide = true, conflicts_with_all = ["no_push", "dry_run"])]
    pub(crate) push: bool,
    /// Leave the branch in the run's own clone
    #[arg(long, conflicts_with = "dry_run", help_heading = "Delivery")]
    pub(crate) no_push: bool,
    /// Write only the report and a patch; create no branch
    #[arg(long, help_heading = "Delivery")]
    pub(crate) dry_run: bool,
    #[arg(
        long,
        visible_alias = "merge-request",
        help = "Open a pull request or merge request for the branch, or update it [env: AUTOHEAL_PULL_REQUEST]",
        conflicts_with_all = ["no_push", "dry_run"],
        help_heading = "Delivery"
    )]
    pub(crate) pull_request: bool,
    /// Put the task into the queue for a worker or a server, and do not wait for it
    #[arg(long, conflicts_with_all = ["resume", "output"])]
    pub(crate) enqueue: bool,
    /// File to which the results are also written
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Heal {
    /// Returns the settings, overridden by these flags.
    pub(crate) fn over(&self, mut config: Config) -> Config {
        config.github.pull_request |= self.pull_request;
        if self.no_wait_ci {
            config.heal.ci = CiMode::Local;
        }
        config
    }
}

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  autoheal runs\n  autoheal runs --target parcel --limit 5\n  autoheal report last~1"
)]
pub(crate) struct Runs {
    /// Text that the source or repository contains [default: all]
    #[arg(long, value_name = "TEXT")]
    pub(crate) target: Option<String>,
    /// Maximum number of runs
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Id of the run or the beginning of one, `last` for the newest run, or `last~1` for the run before it
    pub(crate) run: RunName,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the changes as a unified diff
    #[arg(long, conflicts_with = "json")]
    pub(crate) diff: bool,
    /// Print the output of every command that the run started
    #[arg(long, conflicts_with_all = ["json", "diff"])]
    pub(crate) commands: bool,
    /// File to which the output is written [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to create; it must not exist. To restore the backup, use `--database-url sqlite://FILE`, or replace autoheal.db with it while
    /// no autoheal process runs
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Alerts {
    /// Source, repository or host of the alerts [default: all]
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// Maximum number of alerts, the newest first
    #[arg(long, value_name = "N", default_value_t = 20)]
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
    /// List tasks, the newest first; this is the default
    List {
        /// State of the tasks, such as PENDING [default: all]
        #[arg(long)]
        state: Option<String>,
        /// Maximum number of tasks
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
    },
    /// Show one task and its runs
    Show {
        /// Number of the task
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
    /// Cancel a task, and keep its results so far
    Cancel {
        /// Number of the task
        #[arg(value_parser = task_id)]
        task: TaskId,
    },
    /// Retry a failed, cancelled or quarantined task; its run resumes at its last checkpoint
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
    /// Term to explain: an error code, a stop reason, an outcome or a category, such as `NO_PROGRESS` [default: list all terms]
    #[arg(value_parser = term)]
    pub(crate) term: Option<Term>,
}

fn term(text: &str) -> Result<Term, String> {
    Term::from_name(text).ok_or_else(|| "unknown term; `autoheal explain` lists all terms".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Skip the attempts to escape from the sandbox, which take a few seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Settings {
    #[command(subcommand)]
    pub(crate) command: SettingsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SettingsCommand {
    /// Show all settings with their values and origins: default, file, environment or flag
    Show {
        /// Show only settings that differ from their defaults
        #[arg(long)]
        changed: bool,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

const RELOCATE_EXAMPLES: &str = "\
Examples:
  autoheal relocate --old monday.html --new today.html --recipe recipe.json
  autoheal relocate --old monday.html.gz --old sunday.html.gz --new today.html.gz --recipe recipe.toml --json
  autoheal relocate --batch cases.jsonl --json > answers.jsonl

Format of a line: {\"id\": \"a\", \"old\": [\"monday.html\"], \"new\": \"today.html\", \"recipe\": {\"version\": 1, \"fields\": ...}}
Exit codes: 0 all fields found (with --batch: all lines processed), 1 some fields not found, 2 invalid input.";

#[derive(Debug, Args)]
#[command(after_help = RELOCATE_EXAMPLES)]
pub(crate) struct Relocate {
    /// Page on which the recipe worked, plain or .gz; repeatable, the latest page first
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) old: Vec<PathBuf>,
    /// Page on which the recipe fails, plain or .gz
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) new: Option<PathBuf>,
    /// Recipe, in JSON, or in TOML if the name ends in .toml
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) recipe: Option<PathBuf>,
    /// File with one case per line, in JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "new", "recipe"])]
    pub(crate) batch: Option<PathBuf>,
    /// Minimum confidence (0 to 1) for accepting a relocation [default: the trained threshold]
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub(crate) threshold: Option<f32>,
    /// Print as JSON; with --batch, one line per case
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Scrapers {
    #[command(subcommand)]
    pub(crate) command: ScraperCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScraperCommand {
    /// Replace broken selectors in the files of a program by those that found the fields again
    Fix(ScraperFix),
}

const SCRAPER_FIX_EXAMPLES: &str = "\
Examples:
  autoheal scraper fix --store scraper.heal.db                show what would be changed, as a patch
  autoheal scraper fix shop --store shop/scraper.heal.db --write
  autoheal scraper fix --store scraper.heal.db | git apply
  autoheal scraper fix --store scraper.heal.db --branch new-selectors
  autoheal scraper fix https://github.com/owner/spiders --store scraper.heal.db --pull-request

Only selectors that give the known values on the pages that are kept are proposed, and only plain string literals are replaced.
Exit codes: 0 every broken selector is replaced (or none is broken), 1 some are not, 2 invalid input.";

#[derive(Debug, Args)]
#[command(after_help = SCRAPER_FIX_EXAMPLES)]
pub(crate) struct ScraperFix {
    /// Folder that the program's paths begin at, or the address of its repository on GitHub or GitLab
    #[arg(default_value = ".")]
    pub(crate) program: String,
    /// Store of the program, a SQLite file [default: the database of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write the files
    #[arg(long)]
    pub(crate) write: bool,
    /// Commit the changes to a new branch of the program's repository; the working tree stays as it is
    #[arg(long, value_name = "NAME", conflicts_with = "write")]
    pub(crate) branch: Option<String>,
    /// Push the branch, and open a pull or merge request; the branch is `autoheal-selectors` unless --branch names one
    #[arg(long, conflicts_with = "write")]
    pub(crate) pull_request: bool,
    /// Print as JSON
    #[arg(long, conflicts_with_all = ["write", "branch", "pull_request"])]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  autoheal usage                    sums by day\n  autoheal usage --by model --days 7"
)]
pub(crate) struct Usage {
    /// Grouping of the sums
    #[arg(long, value_enum, default_value_t = By::Day)]
    pub(crate) by: By,
    /// Number of days, including today
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
    /// User who requested the task
    User,
    /// Purpose of the prompt
    Purpose,
}

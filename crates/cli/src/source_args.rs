//! What can be asked about sources.

use std::path::PathBuf;

use autoheal_page::recipe::FieldName;
use autoheal_source::{CronExpression, HealPolicy, SourceName};
use clap::{Args, Subcommand, ValueEnum};
use url::Url;

const EXAMPLES: &str = "\
Examples:
  autoheal source add https://example.com/recipes/soup --name soup
  autoheal source add https://example.com/item/1 --name item --example title='Blue chair' --example price='12.50 EUR'
  autoheal source add https://example.com/offers --schema offers.schema.json
  autoheal source run soup                 fetch it now; when it fails, heal it
  autoheal source data soup --format csv   every set of values that was accepted
  autoheal source export sources/          files for git; `source import sources/` reads them
  autoheal source watch                    run every source on its schedule until stopped";

/// Pages that are scraped, break, and heal themselves.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sources {
    #[command(subcommand)]
    pub(crate) command: SourceCommand,
    /// Print as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// Add a page; without a recipe, a schema and examples, one is proposed from what the page shows
    Add(Add),
    /// Fetch sources now; a source that fails is healed
    Run {
        /// Which; all when none is named
        names: Vec<SourceName>,
    },
    /// Look at a source and heal it when something is wrong
    Heal {
        /// Which
        name: SourceName,
    },
    /// List sources with their health
    List,
    /// Show a source: its recipe, its health, its alerts
    Show {
        /// Which
        name: SourceName,
    },
    /// Show the versions of a source's recipe and every attempt at a fix
    History {
        /// Which
        name: SourceName,
    },
    /// Show how well fixes do
    Stats,
    /// Print the accepted values
    Data {
        /// Which
        name: SourceName,
        /// The form
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
        /// Only those since this time, such as 2026-11-01 or 2026-11-01T12:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// At most so many, the newest
        #[arg(long, default_value_t = 1000)]
        limit: u32,
    },
    /// Allow attempts at a fix again
    Release {
        /// Which
        name: SourceName,
    },
    /// Put an earlier version of the recipe into force again
    Rollback {
        /// Which
        name: SourceName,
        /// The version; the one before when none is named
        #[arg(long, value_name = "N")]
        to: Option<u32>,
    },
    /// Put the fix that waits into force
    Approve {
        /// Which
        name: SourceName,
    },
    /// Refuse the fix that waits; it is not proposed again
    Reject {
        /// Which
        name: SourceName,
    },
    /// Forget a source with everything of it
    Remove {
        /// Which
        name: SourceName,
    },
    /// Change what is decided about a source
    Set(Set),
    /// Write sources into a folder, a file each, to be reviewed and kept in git
    Export {
        /// The folder; it is made when missing
        folder: PathBuf,
        /// Which; all when none is named
        names: Vec<SourceName>,
    },
    /// Add or change many: a folder that `export` wrote, one of its files, a sitemap of webscraper.io, or a list of addresses
    Import {
        /// The folder or the file
        path: PathBuf,
    },
    /// Run every source on its schedule until stopped
    Watch,
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// Which
    pub(crate) name: SourceName,
    /// Seconds between two runs, instead of named times
    #[arg(long, value_name = "SECONDS", conflicts_with = "schedule")]
    pub(crate) interval: Option<u64>,
    /// When it runs, as a cron expression in UTC, such as '0 6 * * *'
    #[arg(long, value_name = "CRON")]
    pub(crate) schedule: Option<CronExpression>,
    /// Who decides about fixes
    #[arg(long, value_enum)]
    pub(crate) heal_policy: Option<Policy>,
    /// Where values are posted when they changed
    #[arg(long, value_name = "URL", conflicts_with = "no_webhook")]
    pub(crate) webhook: Option<Url>,
    /// Post them nowhere
    #[arg(long)]
    pub(crate) no_webhook: bool,
    /// A further page of the same template
    #[arg(long, value_name = "URL")]
    pub(crate) add_page: Vec<Url>,
    /// A page that is not wanted any more
    #[arg(long, value_name = "URL")]
    pub(crate) remove_page: Vec<Url>,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The page; after it, further pages of the same template
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<Url>,
    /// What to call it [default: made of the address]
    #[arg(long)]
    pub(crate) name: Option<SourceName>,
    /// A value as it stands on the page; several of one field make a list
    #[arg(long = "example", value_name = "FIELD=VALUE", value_parser = example, conflicts_with = "recipe")]
    pub(crate) examples: Vec<(FieldName, String)>,
    /// The recipe
    #[arg(
        long,
        value_name = "FILE",
        help = "The recipe, JSON or TOML; or a schema of Crawl4AI, or a sitemap of webscraper.io"
    )]
    pub(crate) recipe: Option<PathBuf>,
    /// What is wanted, as a JSON Schema: an object, or for a list page an array of objects
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recipe", "examples"])]
    pub(crate) schema: Option<PathBuf>,
    /// The page is a list of things, whatever it looks like
    #[arg(long, conflicts_with_all = ["recipe", "examples", "single"])]
    pub(crate) list: bool,
    /// The page is about one thing, whatever it looks like
    #[arg(long, conflicts_with_all = ["recipe", "examples", "schema"])]
    pub(crate) single: bool,
    /// Seconds between two runs [default: 21600, six hours]
    #[arg(long, value_name = "SECONDS", conflicts_with = "schedule")]
    pub(crate) interval: Option<u64>,
    /// When it runs, as a cron expression in UTC, such as '0 6 * * *', every day at six
    #[arg(long, value_name = "CRON")]
    pub(crate) schedule: Option<CronExpression>,
    /// Who decides about fixes: auto (the validation) or review (you)
    #[arg(long, value_enum, default_value_t = Policy::Auto)]
    pub(crate) heal_policy: Policy,
    /// Where values are posted when they changed
    #[arg(long, value_name = "URL")]
    pub(crate) webhook: Option<Url>,
    /// Let a browser run the page's scripts first
    #[arg(long)]
    pub(crate) render: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Policy {
    /// The validation
    Auto,
    /// A person
    Review,
}

impl From<Policy> for HealPolicy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Auto => Self::Auto,
            Policy::Review => Self::Review,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated, a column for each field
    Csv,
}

fn example(text: &str) -> Result<(FieldName, String), String> {
    let (name, value) = text.split_once('=').ok_or("write FIELD=VALUE")?;
    let name = FieldName::parse(name).map_err(|error| error.to_string())?;
    if value.trim().is_empty() { Err("the value is empty".to_owned()) } else { Ok((name, value.to_owned())) }
}

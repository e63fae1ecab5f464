//! Arguments of `autoheal source`.

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

/// Sources: pages that are scraped regularly, and whose recipes are healed when they break.
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
    /// Add a page; without a recipe, a schema or examples, a recipe is inferred from the page
    Add(Add),
    /// Fetch sources now; a source that fails is healed
    Run {
        /// Names of sources [default: all]
        names: Vec<SourceName>,
    },
    /// Check a source, and heal it if it fails
    Heal {
        /// Name of the source
        name: SourceName,
    },
    /// List sources with their health
    List,
    /// Show a source: its recipe, its health, its alerts
    Show {
        /// Name of the source
        name: SourceName,
    },
    /// Show the versions of a source's recipe and every attempt at a fix
    History {
        /// Name of the source
        name: SourceName,
    },
    /// Show the success rates of fixes
    Stats,
    /// Print the accepted values
    Data {
        /// Name of the source
        name: SourceName,
        /// Output format
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
        /// Only values since this time, such as 2026-11-01 or 2026-11-01T12:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Maximum number of sets of values; the newest are printed
        #[arg(long, default_value_t = 1000)]
        limit: u32,
    },
    /// Allow attempts at a fix again
    Release {
        /// Name of the source
        name: SourceName,
    },
    /// Reactivate an earlier version of the recipe
    Rollback {
        /// Name of the source
        name: SourceName,
        /// Version to reactivate [default: the previous one]
        #[arg(long, value_name = "N")]
        to: Option<u32>,
    },
    /// Approve the waiting fix, which becomes active
    Approve {
        /// Name of the source
        name: SourceName,
    },
    /// Reject the waiting fix; it is not proposed again
    Reject {
        /// Name of the source
        name: SourceName,
    },
    /// Delete a source and all its data
    Remove {
        /// Name of the source
        name: SourceName,
    },
    /// Change the settings of a source
    Set(Set),
    /// Write sources to a folder, one file each, for review and for git
    Export {
        /// Folder for the files; created when missing
        folder: PathBuf,
        /// Names of sources [default: all]
        names: Vec<SourceName>,
    },
    /// Add or change several sources: from a folder that `export` wrote, one of its files, a sitemap of webscraper.io, or a list of addresses
    Import {
        /// Folder or file to import
        path: PathBuf,
    },
    /// Run every source on its schedule until stopped
    Watch,
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// Name of the source
    pub(crate) name: SourceName,
    /// Seconds between two runs, instead of named times
    #[arg(long, value_name = "SECONDS", conflicts_with = "schedule")]
    pub(crate) interval: Option<u64>,
    /// Schedule, as a cron expression in UTC, such as '0 6 * * *'
    #[arg(long, value_name = "CRON")]
    pub(crate) schedule: Option<CronExpression>,
    /// Policy for approving fixes
    #[arg(long, value_enum)]
    pub(crate) heal_policy: Option<Policy>,
    /// Address to which changed values are posted
    #[arg(long, value_name = "URL", conflicts_with = "no_webhook")]
    pub(crate) webhook: Option<Url>,
    /// Do not post changed values
    #[arg(long)]
    pub(crate) no_webhook: bool,
    /// Further page of the same template
    #[arg(long, value_name = "URL")]
    pub(crate) add_page: Vec<Url>,
    /// Page to remove from the source
    #[arg(long, value_name = "URL")]
    pub(crate) remove_page: Vec<Url>,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Page of the source, followed by further pages of the same template
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<Url>,
    /// Name of the source [default: derived from the address]
    #[arg(long)]
    pub(crate) name: Option<SourceName>,
    /// Example of a value, as it appears on the page; several of one field make a list
    #[arg(long = "example", value_name = "FIELD=VALUE", value_parser = example, conflicts_with = "recipe")]
    pub(crate) examples: Vec<(FieldName, String)>,
    /// Recipe of the source
    #[arg(
        long,
        value_name = "FILE",
        help = "The recipe, JSON or TOML; or a schema of Crawl4AI, or a sitemap of webscraper.io"
    )]
    pub(crate) recipe: Option<PathBuf>,
    /// Schema of the wanted fields, as a JSON Schema: an object, or for a list page an array of objects
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
    /// Schedule, as a cron expression in UTC, such as '0 6 * * *', every day at six
    #[arg(long, value_name = "CRON")]
    pub(crate) schedule: Option<CronExpression>,
    /// Policy for approving fixes: auto (by the validation) or review (by you)
    #[arg(long, value_enum, default_value_t = Policy::Auto)]
    pub(crate) heal_policy: Policy,
    /// Address to which changed values are posted
    #[arg(long, value_name = "URL")]
    pub(crate) webhook: Option<Url>,
    /// Let a browser run the page's scripts first
    #[arg(long)]
    pub(crate) render: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Policy {
    /// Fixes are approved by their validation
    Auto,
    /// Fixes are approved by a reviewer
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

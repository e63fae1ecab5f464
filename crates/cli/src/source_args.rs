//! Arguments of `autoheal source`.

use std::path::PathBuf;

use autoheal_page::recipe::FieldName;
use autoheal_source::{CronExpression, HealPolicy, OnUncertain, SourceName};
use clap::{Args, Subcommand, ValueEnum};
use url::Url;

const EXAMPLES: &str = "\
Examples:
  autoheal source add https://example.com/recipes/soup --name soup
  autoheal source add https://example.com/item/1 --name item --example title='Blue chair' --example price='12.50 EUR'
  autoheal source add https://example.com/offers --schema offers.schema.json
  autoheal source add https://example.com/offers --dry-run   preview the fields and values; store nothing
  autoheal source run soup                 fetch it now; heal it if it fails
  autoheal source data soup --format csv   print all accepted values
  autoheal source accept soup              its new values are right, although they look unlike those before
  autoheal source export sources/          write files for git; `source import sources/` reads them
  autoheal source watch                    run every source on its schedule until stopped";

// Not documented: clap would take that for the description of the command.
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
    /// Fetch sources now, and heal those that fail
    Run {
        /// Names of sources [default: all]
        names: Vec<SourceName>,
        /// Put the tasks into the queue for a worker or a server, and do not wait for them
        #[arg(long, conflicts_with = "time_limit")]
        enqueue: bool,
        /// Longest time for each source, in seconds; what is left then is done by the next run
        #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..))]
        time_limit: u64,
    },
    /// Run a source, and heal it if it fails
    Heal {
        /// Name of the source
        name: SourceName,
    },
    /// List sources with their health
    List,
    /// Show a source: health, alerts, diagnostics, timeline, recipe
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
        /// Time of the oldest values, such as 2026-11-01 or 2026-11-01T12:00:00Z [default: all]
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Maximum number of sets of values, the newest first
        #[arg(long, value_name = "N", default_value_t = 1000)]
        limit: u32,
    },
    /// Release a source from quarantine, so that it is healed again
    Release {
        /// Name of the source
        name: SourceName,
    },
    /// Roll the recipe back to an earlier version
    Rollback {
        /// Name of the source
        name: SourceName,
        /// Version of the recipe [default: the previous version]
        #[arg(long, value_name = "N")]
        to: Option<u32>,
    },
    /// Approve the fix that waits for review, and activate it
    Approve {
        /// Name of the source
        name: SourceName,
    },
    /// Reject the fix that waits for review; it is not proposed again
    Reject {
        /// Name of the source
        name: SourceName,
        /// Reason, which is kept with the decision
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Undo the rejection of a fix; it waits for review again
    Reconsider {
        /// Name of the source
        name: SourceName,
        /// Version of the recipe [default: the newest rejected version]
        #[arg(long, value_name = "N")]
        version: Option<u32>,
    },
    /// Accept the values of the last failed run: the site has changed them, and the recipe is right
    Accept {
        /// Name of the source
        name: SourceName,
        /// Only print the values that would be accepted
        #[arg(long)]
        dry_run: bool,
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
    /// Import sources: a folder or a file from `export`, a sitemap of webscraper.io, or a list of addresses
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
    /// Interval between two runs, in seconds
    #[arg(long, value_name = "SECONDS", conflicts_with = "schedule", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) interval: Option<u64>,
    /// Schedule, as a cron expression in UTC, such as '0 6 * * *'
    #[arg(long, value_name = "CRON")]
    pub(crate) schedule: Option<CronExpression>,
    /// Recipe that becomes the active version
    #[arg(
        long,
        value_name = "FILE",
        help = "Recipe in JSON or TOML that becomes the active version; the next run shows whether it works"
    )]
    pub(crate) recipe: Option<PathBuf>,
    /// Example of a value on the last good page, whose field is added to the recipe; repeatable
    #[arg(long = "example", value_name = "FIELD=VALUE", value_parser = example, conflicts_with = "recipe")]
    pub(crate) examples: Vec<(FieldName, String)>,
    /// Policy for approving fixes
    #[arg(long, value_enum)]
    pub(crate) heal_policy: Option<Policy>,
    /// Fate of a run in which some fields are uncertain
    #[arg(long, value_enum)]
    pub(crate) on_uncertain: Option<WhenUncertain>,
    /// Address to which changed values are posted
    #[arg(long, value_name = "URL", value_parser = page_address, conflicts_with = "no_webhook")]
    pub(crate) webhook: Option<Url>,
    /// Stop posting changed values
    #[arg(long)]
    pub(crate) no_webhook: bool,
    /// Further page with the same template; repeatable
    #[arg(long, value_name = "URL", value_parser = page_address)]
    pub(crate) add_page: Vec<Url>,
    /// Page to remove from the source; repeatable
    #[arg(long, value_name = "URL")]
    pub(crate) remove_page: Vec<Url>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct Add {
    /// Page of the source, followed by further pages with the same template
    #[arg(required = true, value_name = "URL", value_parser = page_address)]
    pub(crate) urls: Vec<Url>,
    /// Name of the source [default: derived from the address]
    #[arg(long)]
    pub(crate) name: Option<SourceName>,
    /// Example of a value, as it appears on the page; repeatable, and several values of one field select all items of their list
    #[arg(long = "example", value_name = "FIELD=VALUE", value_parser = example, conflicts_with = "recipe")]
    pub(crate) examples: Vec<(FieldName, String)>,
    /// Recipe of the source
    #[arg(long, value_name = "FILE", help = "Recipe in JSON or TOML, schema of Crawl4AI, or sitemap of webscraper.io")]
    pub(crate) recipe: Option<PathBuf>,
    /// Schema of the wanted fields, as a JSON Schema: an object, or for a list page an array of objects
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recipe", "examples"])]
    pub(crate) schema: Option<PathBuf>,
    /// Treat the page as a list of items; with --example, of all items like the examples
    #[arg(long, conflicts_with_all = ["recipe", "single"])]
    pub(crate) list: bool,
    /// Treat the page as one item
    #[arg(long, conflicts_with_all = ["recipe", "schema"])]
    pub(crate) single: bool,
    /// Interval between two runs, in seconds [default: 21600 (6 hours)]
    #[arg(long, value_name = "SECONDS", conflicts_with = "schedule", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) interval: Option<u64>,
    /// Schedule, as a cron expression in UTC, such as '0 6 * * *' (every day at six)
    #[arg(long, value_name = "CRON")]
    pub(crate) schedule: Option<CronExpression>,
    /// Policy for approving fixes: auto (by the validation) or review (by you)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) heal_policy: Policy,
    /// Fate of a run in which some fields are uncertain
    #[arg(
        long,
        value_enum,
        help = "Fate of a run in which some fields are uncertain: skip_run (accept nothing) or skip_field (accept the other fields)",
        default_value_t
    )]
    pub(crate) on_uncertain: WhenUncertain,
    /// Address to which changed values are posted
    #[arg(long, value_name = "URL", value_parser = page_address)]
    pub(crate) webhook: Option<Url>,
    /// Render the page in a browser, which runs its scripts
    #[arg(long)]
    pub(crate) render: bool,
    /// Only print the fields, their selectors and their values; store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Policy {
    /// Fixes are approved by their validation
    #[default]
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum WhenUncertain {
    /// No values of the page are accepted
    #[default]
    SkipRun,
    /// The values of the other fields are accepted
    SkipField,
}

impl From<WhenUncertain> for OnUncertain {
    fn from(when: WhenUncertain) -> Self {
        match when {
            WhenUncertain::SkipRun => Self::SkipRun,
            WhenUncertain::SkipField => Self::SkipField,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object per line
    Jsonl,
    /// Comma-separated values, with a column for each field
    Csv,
}

/// Parses the address of a page.
pub(crate) fn page_address(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        Ok(url) if ["http", "https"].contains(&url.scheme()) && url.has_host() => Ok(url),
        _ => {
            Err("expected an address that begins with https:// or http://, such as https://example.com/page".to_owned())
        }
    }
}

fn example(text: &str) -> Result<(FieldName, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected FIELD=VALUE")?;
    let name = FieldName::parse(name).map_err(|error| error.to_string())?;
    if value.trim().is_empty() { Err("the value is empty".to_owned()) } else { Ok((name, value.to_owned())) }
}

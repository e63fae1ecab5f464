//! What can be asked of `autoheal extract`.

use autoheal_extract::Mode;
use clap::Args;
use url::Url;

const EXAMPLES: &str = "\
Examples:
  autoheal extract https://example.com/soup
  autoheal extract page.html.gz --url https://example.com/soup --json
  curl -s https://example.com/soup | autoheal extract - --markdown
  autoheal extract pages/ https://example.com/soup > items.jsonl     several: a JSON line each

Exit codes: 0 every page was read, 1 a page could not be had, 2 bad input.";

/// What a page holds.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Extract {
    /// Addresses, files (plain or .gz), folders with .html files, or - for standard input
    #[arg(required = true, value_name = "URL|FILE|-")]
    pub(crate) inputs: Vec<String>,
    /// How: `rule_based`
    #[arg(long, env = "AGENT_MODE", default_value_t = Mode::RuleBased)]
    pub(crate) mode: Mode,
    /// The address of a page that is read from a file: what its links are relative to
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<Url>,
    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

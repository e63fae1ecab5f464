//! Arguments of `autoheal extract`.

use std::path::PathBuf;

use autoheal_extract::Mode;
use clap::Args;
use url::Url;

const EXAMPLES: &str = "\
Examples:
  autoheal extract https://example.com/soup
  autoheal extract page.html.gz --url https://example.com/soup --json
  curl -s https://example.com/soup | autoheal extract - --markdown
  autoheal extract pages/ https://example.com/soup > items.jsonl     one JSON line per page
  autoheal extract --list addresses.txt --schema book.json --jobs 8 > books.jsonl
  autoheal extract https://example.com/soup --mode llm_dynamic_adaptive --model openai/gpt-4o-mini --strict

Exit codes: 0 data found on every page, 1 no data found on a page, 2 invalid input, 3 environment incomplete, 130 stopped.";

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Extract {
    /// Addresses, files (plain or .gz), folders with .html files, or - for standard input
    #[arg(required_unless_present = "list", value_name = "URL|FILE|-")]
    pub(crate) inputs: Vec<String>,
    /// File with one page per line
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
    /// Mode of extraction: `rule_based`, or with a language model `llm_fixed`, `llm_dynamic`, `llm_dynamic_adaptive` or
    /// `rules_then_llm`
    #[arg(long, env = "AGENT_MODE", default_value_t = Mode::RuleBased)]
    pub(crate) mode: Mode,
    /// Address of a page that is read from a file, for its relative links
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<Url>,
    /// Schema of the wanted data, as a JSON Schema of an object [default: an item]
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    pub(crate) schema: Option<PathBuf>,
    /// Drop values of a model that are not on the page, instead of marking them
    #[arg(long)]
    pub(crate) strict: bool,
    /// Folder for a screenshot of each page
    #[arg(long, value_name = "FOLDER")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

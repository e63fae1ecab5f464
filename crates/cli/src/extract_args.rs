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
  autoheal extract pages/ https://example.com/soup > items.jsonl     several: a JSON line each
  autoheal extract --list addresses.txt --schema book.json --jobs 8 > books.jsonl
  autoheal extract https://example.com/soup --mode llm_dynamic_adaptive --model openai/gpt-4o-mini --strict

Exit codes: 0 every page gave something, 1 a page gave nothing, 2 bad input, 3 environment missing, 130 stopped.";

/// Pages to extract, and the mode and form of the extraction.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Extract {
    /// Addresses, files (plain or .gz), folders with .html files, or - for standard input
    #[arg(required_unless_present = "list", value_name = "URL|FILE|-")]
    pub(crate) inputs: Vec<String>,
    /// File that names one page per line
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
    /// Mode of extraction: `rule_based`, or with a language model: `llm_fixed`, `llm_dynamic`, `llm_dynamic_adaptive`
    #[arg(long, env = "AGENT_MODE", default_value_t = Mode::RuleBased)]
    pub(crate) mode: Mode,
    /// Address of a page that is read from a file; its links are relative to it
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<Url>,
    /// Schema to fill instead of an item: a JSON Schema of an object
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    pub(crate) schema: Option<PathBuf>,
    /// Drop values from a model that are not on the page, instead of marking them
    #[arg(long)]
    pub(crate) strict: bool,
    /// Maximum number of further requests for missing fields, in `llm_dynamic_adaptive` [default: 2]
    #[arg(long, value_name = "N", env = "LLM_SCHEMA_RETRIES")]
    pub(crate) schema_retries: Option<u32>,
    /// Save a screenshot of each page in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Maximum number of pages processed at once [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

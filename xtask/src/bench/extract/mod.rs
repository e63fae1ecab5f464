//! Extraction by rules against public tools, on the same pages in the same run.

pub(super) mod corpus;
mod grounding;
mod report;
mod score;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::ensure;
use autoheal_extract::{ScrapedItem, rule_based};
use autoheal_page::Document;
use nix::time::{ClockId, clock_gettime};
use serde::Serialize;
use url::Url;

use corpus::Case;
use report::Report;
use score::{Fields, Value};
use tools::Tools;

/// Name of this program in the table.
const OURS: &str = "autoheal";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder with a folder for each case: `page.html.gz` and `case.json`
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Without the public tools, and without the goals that compare with them
    #[arg(long)]
    alone: bool,
    /// Measure instead whether true values are found on their pages, as what models say is checked
    #[arg(long, conflicts_with_all = ["alone", "misses"])]
    grounding: bool,
    /// Write every answer that is not exact to this file, a JSON line each
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
    /// Read only one half of the cases, chosen by a hash of their ids: tune rules on one, check them on the other
    #[arg(long)]
    half: Option<corpus::Half>,
}

/// An answer of a tool that is not exactly the true value.
#[derive(Serialize)]
struct Miss<'a> {
    case: &'a str,
    kind: &'a str,
    tool: &'a str,
    field: &'a str,
    truth: &'a Value,
    answer: Option<&'a Value>,
}

/// Measures, prints, and fails where a goal is missed.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut cases = corpus::read(&options.corpus)?;
    cases.retain(|case| options.half.is_none_or(|half| half == case.half()));
    ensure!(!cases.is_empty(), "there is no case below {}", options.corpus.display());
    if options.grounding {
        return grounding::run(&cases);
    }
    let mut tools = if options.alone { None } else { Some(Tools::start(root)?) };
    let mut report = Report::default();
    let mut misses = String::new();
    for case in &cases {
        let html = case.page()?;
        let (fields, seconds) = ours(case, &html);
        let mut answers = vec![(OURS.to_owned(), fields, seconds)];
        if let Some(tools) = &mut tools {
            answers.extend(tools.ask(case, &html)?);
        }
        for (tool, fields, seconds) in &answers {
            report.count_time(tool, *seconds);
            for (field, truth) in &case.fields {
                let answer = fields.get(field);
                let score = score::score(truth, answer);
                report.count(tool, &case.kind, field, answer.is_some_and(|answer| !answer.is_empty()), score);
                if !score.is_exact && field != "main_content" {
                    let miss = Miss { case: &case.id, kind: &case.kind, tool, field, truth, answer };
                    misses.push_str(&serde_json::to_string(&miss)?);
                    misses.push('\n');
                }
                if field == "main_content" && tool == OURS && score.f1 < 0.9 {
                    let miss = Miss { case: &case.id, kind: &case.kind, tool, field, truth, answer };
                    misses.push_str(&serde_json::to_string(&miss)?);
                    misses.push('\n');
                }
            }
        }
    }
    if let Some(tools) = tools {
        tools.end()?;
    }
    if let Some(file) = &options.misses {
        std::fs::write(file, misses)?;
    }
    report.print(cases.len());
    report.goals(!options.alone)
}

/// Returns the fields that this program extracts, and the seconds from text to item.
fn ours(case: &Case, html: &str) -> (Fields, f64) {
    let url = Url::parse(&case.address()).ok();
    let start = processor_seconds();
    let item = rule_based(&Document::parse(html), url.as_ref());
    let seconds = processor_seconds() - start;
    (fields_of(item), seconds)
}

/// Returns the processor time of this thread, in seconds, without the time in which other threads ran.
fn processor_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(f64::NAN, |time| Duration::from(time).as_secs_f64())
}

/// The fields by the names that the corpus has for them.
fn fields_of(item: ScrapedItem) -> Fields {
    let mut fields = Fields::new();
    let mut text = |name: &str, value: Option<String>| {
        fields.extend(value.map(|value| (name.to_owned(), Value::Text(value))));
    };
    text("title", item.title);
    text("author", item.author);
    text("description", item.description);
    text("image", item.image);
    text("publish_date", item.published_at.map(|date| date.date.to_string()));
    text("main_content", item.text);
    fields.insert("ingredients".to_owned(), Value::List(item.ingredients));
    fields.insert("instructions_list".to_owned(), Value::List(item.instructions));
    fields
}

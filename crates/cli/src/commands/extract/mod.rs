//! What pages hold: one page for people, several as a JSON line each.

mod input;
mod readable;

use autoheal_extract::{Mode, ScrapedItem, rule_based};
use autoheal_fetch::Fetcher;
use autoheal_page::Document;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::json;

use self::input::{Input, Page};
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::extract_args::Extract;
use crate::printer::{Printer, harmless};
use crate::wiring;

/// Extracts from what was named.
pub(super) async fn run(arguments: &Extract, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let (inputs, are_several) = input::all(&arguments.inputs)?;
    let fetcher = wiring::fetcher(config)?;
    if are_several {
        return many(arguments, &inputs, &fetcher, printer).await;
    }
    let Some(input) = inputs.first() else {
        return Err(Failure::bad_input("the folder holds no .html file: name one that does"));
    };
    let item = extract(arguments.mode, &input.page(arguments.url.as_ref(), &fetcher).await?);
    if arguments.json {
        printer.json(&item)?;
    } else if arguments.markdown {
        printer.data(&item.to_markdown())?;
    } else {
        printer.data(&harmless(&readable::text(&item)))?;
    }
    Ok(Exit::Fine)
}

/// A line for each input, in their order: what it holds, or why it could not be had.
async fn many(arguments: &Extract, inputs: &[Input], fetcher: &Fetcher, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.markdown {
        return Err(Failure::bad_input("--markdown is for one page: several are printed as JSON lines"));
    }
    let target = if printer.is_lively() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let progress = ProgressBar::with_draw_target(u64::try_from(inputs.len()).ok(), target);
    let mut failed = 0;
    for input in inputs {
        let line = match input.page(arguments.url.as_ref(), fetcher).await {
            Ok(page) => json!({"input": input.name(), "item": extract(arguments.mode, &page)}),
            Err(failure) => {
                failed += 1;
                json!({"input": input.name(), "error": format!("{:#}", failure.error)})
            }
        };
        progress.suspend(|| printer.data(&line.to_string()))?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    printer.say(&format!("{} pages, {failed} of them could not be had", inputs.len()));
    Ok(if failed == 0 { Exit::Fine } else { Exit::NotHealed })
}

fn extract(mode: Mode, page: &Page) -> ScrapedItem {
    let document = Document::parse_bytes(&page.content);
    match mode {
        Mode::RuleBased => rule_based(&document, page.url.as_ref()),
    }
}

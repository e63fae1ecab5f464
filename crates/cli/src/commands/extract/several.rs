//! Several pages: a JSON line each, in the order in which they were named, some at a time.

use autoheal_engine::counted;
use autoheal_extract::{Extracted, Extraction};
use futures_util::StreamExt as _;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::extractor::Extractor;
use super::input::Input;
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::printer::Printer;

const STOPPING: &str = "stopping: what is extracted is printed; once more to stop at once";

/// Maximum number of pages, per page processed at once, that may be started before the first of them is printed.
const AHEAD: usize = 8;

/// Outcome for one page.
enum Outcome {
    Extracted(Box<Extraction>, Vec<String>),
    Failed(Failure),
    /// The user stopped the command.
    Stopped,
}

/// Prints a line for each input, in their order: the extracted data, or an error. Processes `jobs` of them at once; the fetcher keeps the
/// delay between two requests to one host.
pub(super) async fn extract(
    extractor: &Extractor,
    inputs: &[Input],
    jobs: usize,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let target = if printer.is_lively() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let progress = ProgressBar::with_draw_target(u64::try_from(inputs.len()).ok(), target);
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    let turns = Semaphore::new(jobs.max(1));
    let one = |(number, input)| {
        let (stop, turns) = (stop.clone(), &turns);
        async move {
            let extracted = async {
                // The semaphore is never closed, so acquiring a permit always succeeds.
                let _turn = turns.acquire().await.ok();
                extractor.extract(input, number).await
            };
            let outcome = tokio::select! {
                biased;
                () = stop.cancelled() => Outcome::Stopped,
                extracted = extracted => match extracted {
                    Ok((extraction, notes)) => Outcome::Extracted(Box::new(extraction), notes),
                    Err(failure) => Outcome::Failed(failure),
                },
            };
            (input, outcome)
        }
    };
    // More than the number of concurrent pages: results wait for a slow page before them while the others continue.
    let waiting = jobs.max(1).saturating_mul(AHEAD);
    let mut outcomes = futures_util::stream::iter((1..).zip(inputs)).map(one).buffered(waiting);
    let (mut extracted, mut failed, mut is_fault) = (0, 0, false);
    while let Some((input, outcome)) = outcomes.next().await {
        let line = match outcome {
            Outcome::Extracted(extraction, notes) => {
                extracted += 1;
                line_of(&input.name(), &extraction.extracted, &notes)
            }
            Outcome::Failed(failure) => {
                failed += 1;
                is_fault |= failure.exit == Exit::InternalFault;
                json!({"input": input.name(), "error": format!("{:#}", failure.error)})
            }
            Outcome::Stopped => continue,
        };
        progress.suspend(|| printer.data(&line.to_string()))?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    let (all, stopped) = (inputs.len(), stop.is_cancelled() && extracted + failed < inputs.len());
    if stopped {
        printer.say(&format!(
            "stopped after {} of {}, {failed} without a result",
            extracted + failed,
            counted(all, "page")
        ));
    } else {
        printer.say(&format!("{}, {failed} without a result", counted(all, "page")));
    }
    Ok(match (stopped, is_fault, failed) {
        (true, ..) => Exit::Cancelled,
        (false, true, _) => Exit::InternalFault,
        (false, false, 0) => Exit::Fine,
        (false, false, _) => Exit::NotHealed,
    })
}

/// Returns the output line for a page: an item, or data in the user's own schema, with its provenance.
fn line_of(input: &str, extracted: &Extracted, notes: &[String]) -> Value {
    let mut line = match extracted {
        Extracted::Item(item) => json!({ "item": item }),
        Extracted::Own(own) => json!(own),
    };
    line["input"] = input.into();
    if !notes.is_empty() {
        line["notes"] = json!(notes);
    }
    line
}

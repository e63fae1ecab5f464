//! Benchmark of applying recipes. Reads a JSON object per line of standard input (`page`: a file in UTF-8, `recipe`) and writes
//! one per line: the shortest times, and the texts of each field. `cargo xtask bench apply` runs it next to other tools.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use autoheal_page::Document;
use autoheal_page::apply::Extraction;
use autoheal_page::recipe::Recipe;
use nix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::{Value, json};

/// Number of measurements of each page, the same as in the Python benchmark. The shortest time counts, because any other load
/// on the machine only adds to it.
const REPEATS: usize = 5;

#[derive(Deserialize)]
struct Job {
    page: String,
    recipe: Value,
}

/// Returns the processor time that this thread has used, in seconds.
fn processor_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(f64::NAN, |time| Duration::from(time).as_secs_f64())
}

/// The shortest time of some work, and its result.
fn timed<T>(work: impl Fn() -> T) -> (f64, Option<T>) {
    let mut shortest = (f64::INFINITY, None);
    for _ in 0..REPEATS {
        let start = processor_seconds();
        let result = work();
        let seconds = processor_seconds() - start;
        shortest = (seconds.min(shortest.0), Some(result));
    }
    shortest
}

fn texts(extraction: &Extraction) -> Value {
    let fields = extraction.records.iter().flat_map(|record| &record.fields);
    fields.map(|(name, outcome)| (name.to_string(), json!(outcome.texts()))).collect::<serde_json::Map<_, _>>().into()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?)?;
        let html = std::fs::read_to_string(&job.page)?;
        let recipe = Recipe::from_json(&job.recipe.to_string(), &job.page)?;
        let (parse, _) = timed(|| Document::parse(&html).len());
        let (document, expected) = timed(|| recipe.apply(&Document::parse(&html), None));
        let (ours, found) = timed(|| recipe.apply_to_html(&html, None));
        let (flat, result) = timed(|| recipe.apply_flat(&html, None));
        let is_flat = result.flatten().is_some();
        let answer = json!({
            "seconds": {"parse": parse, "document": document, "apply_to_html": ours, "flat": flat},
            "is_flat": is_flat,
            "is_same": found == expected,
            "values": {"document": expected.as_ref().map(texts)},
        });
        let mut output = std::io::stdout().lock();
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

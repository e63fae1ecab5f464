//! Many cases: a line each, answered in their order, on all processors. A case that fails is answered with its error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::Context as _;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::Relocator;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde::Deserialize;
use serde_json::{Value, json};

use super::case::Case;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::text::harmless;

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Value,
    old: Vec<PathBuf>,
    new: PathBuf,
    recipe: Value,
}

/// Answers every line of a file.
pub(super) fn run(relocator: &Relocator, file: &Path, as_json: bool, printer: &Printer) -> Result<Exit, Failure> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display())).bad_input()?;
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(place, line)| (place + 1, line))
        .collect();
    let target = if printer.is_lively() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let progress = ProgressBar::with_draw_target(u64::try_from(lines.len()).ok(), target);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(lines.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, lines) = (sender.clone(), &next, &lines);
            scope.spawn(move || {
                while let Some((place, (number, line))) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    lines.get(place).map(|line| (place, *line))
                } {
                    if sender.send((place, answer(relocator, number, line, as_json))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: BTreeMap<usize, String> = BTreeMap::new();
        let mut wanted = 0;
        for (place, answer) in receiver {
            waiting.insert(place, answer);
            while let Some(answer) = waiting.remove(&wanted) {
                progress.suspend(|| printer.data(&answer))?;
                progress.inc(1);
                wanted += 1;
            }
        }
        progress.finish_and_clear();
        Ok(Exit::Fine)
    })
}

/// Returns the answer for a line, or a description of its error.
fn answer(relocator: &Relocator, number: usize, line: &str, as_json: bool) -> String {
    let parsed: Result<Line, _> = serde_json::from_str(line);
    let (id, result) = match parsed {
        Ok(line) => (line.id.clone(), of_line(relocator, number, line)),
        Err(error) => {
            let id = serde_json::from_str::<Value>(line).map_or(Value::Null, |value| value["id"].clone());
            let wanted = r#"{"id", "old": [paths], "new": path, "recipe": {...}}"#;
            (id, Err(anyhow::anyhow!("line {number} is not a case such as {wanted}: {error}")))
        }
    };
    match result {
        Ok(answer) if as_json => serde_json::to_string(&answer).unwrap_or_default(),
        Ok(answer) => harmless(&format!("{}\n{answer}", plain(&id))),
        Err(error) if as_json => json!({"id": id, "error": format!("{error:#}")}).to_string(),
        Err(error) => harmless(&format!("{}\nerror: {error:#}\n", plain(&id))),
    }
}

fn plain(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn of_line(relocator: &Relocator, number: usize, line: Line) -> anyhow::Result<super::case::Answer> {
    let recipe = Recipe::from_json(&line.recipe.to_string(), &format!("the recipe in line {number}"))?;
    Case { id: Some(line.id), old: line.old, new: line.new, recipe }.answer(relocator)
}

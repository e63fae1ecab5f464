use autoheal_engine::time::minutes_and_seconds;
use autoheal_engine::{Outcome, Timestamp};
use autoheal_store::{RunFilter, RunRow};
use serde_json::{Value, json};

use crate::args::Runs;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::table::{Cell, Column, Table};
use crate::text::Tone;
use crate::wiring;

/// Lists runs.
pub(super) async fn run(arguments: &Runs, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let filter = RunFilter { search: arguments.target.clone(), ..RunFilter::newest(arguments.limit) };
    let runs = store.runs(&filter).await?;
    if arguments.json {
        printer.json(&runs.iter().map(document).collect::<Vec<_>>())?;
    } else if runs.is_empty() {
        printer.say("there are no runs");
    } else {
        printer.table(&table(&runs, store.now()))?;
    }
    Ok(Exit::Fine)
}

/// Returns the JSON of a run without its results.
pub(super) fn document(run: &RunRow) -> Value {
    json!({
        "run": run.run,
        "task": run.task,
        "kind": run.workflow,
        "target": run.target,
        "started_at": run.started_at.to_rfc3339(),
        "finished_at": run.finished_at.map(Timestamp::to_rfc3339),
        "outcome": run.outcome.map(Outcome::name),
        "stop_reason": run.stop_reason,
    })
}

pub(super) fn table(runs: &[RunRow], now: Timestamp) -> Table {
    let mut table = Table::new([
        Column::new("RUN"),
        Column::new("STARTED").optional(),
        Column::number("TIME").optional(),
        Column::new("KIND").optional(),
        Column::new("RESULT"),
        Column::new("TARGET").cut_start(),
    ]);
    for run in runs {
        let id = run.run.to_string();
        // The time in milliseconds, which is unique in practice.
        let short = id.get(..13).unwrap_or_default();
        let took = minutes_and_seconds(run.finished_at.unwrap_or(now).since(run.started_at));
        table.push([
            Cell::short(short, &id),
            Cell::time(Some(run.started_at), now),
            Cell::new(&took),
            Cell::new(&run.workflow),
            result(run),
            Cell::new(&run.target),
        ]);
    }
    table
}

fn result(run: &RunRow) -> Cell {
    let tone = match run.outcome {
        None => Tone::Label,
        Some(outcome) if outcome.is_well() => Tone::Good,
        Some(_) => Tone::Bad,
    };
    Cell::new(run.outcome.map_or("running", Outcome::label)).tone(tone)
}

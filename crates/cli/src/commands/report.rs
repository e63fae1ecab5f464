use std::fmt::Write as _;

use anyhow::Context as _;
use autoheal_engine::RunId;
use autoheal_store::{RunRow, Slice, Store};

use crate::args::Report;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::wiring;

/// Shows the result of a run.
pub(super) async fn run(arguments: Report, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let row = arguments.run.find(&store).await?;
    let text = if arguments.diff {
        diff(&store, row.run).await?
    } else if arguments.commands {
        commands(&store, row.run).await?
    } else if arguments.json {
        let results = row.results.as_ref().ok_or_else(|| unfinished(&row))?;
        serde_json::to_string_pretty(results)?
    } else {
        row.report.clone().ok_or_else(|| unfinished(&row))?
    };
    match &arguments.output {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display())).bad_input()?;
        }
        None if arguments.diff => printer.diff(&text)?,
        None if arguments.commands && printer.is_read() => printer.show(&text)?,
        None if arguments.commands || arguments.json => printer.data(&text)?,
        None => printer.markdown(&text)?,
    }
    Ok(Exit::Fine)
}

fn unfinished(row: &RunRow) -> Failure {
    let (run, task) = (row.run, row.task);
    Failure::bad_input(match &row.stop_reason {
        None => format!("run {run} has not ended; `autoheal heal --resume {run}` resumes it"),
        Some(reason) => {
            format!("run {run} ended without results ({reason}); `autoheal tasks retry {task}` retries it")
        }
    })
}

/// The accepted patches one after another.
pub(super) async fn diff(store: &Store, run: RunId) -> Result<String, Failure> {
    let fixes = store.fixes_of_run(run, Slice::ALL).await?;
    Ok(fixes.into_iter().filter(|(_, fix)| fix.deployed_to == "PRODUCTION").map(|(_, fix)| fix.patch).collect())
}

async fn commands(store: &Store, run: RunId) -> Result<String, Failure> {
    let mut text = String::new();
    for output in store.outputs(run, Slice::ALL).await? {
        let _ = writeln!(text, "## {}: {} ({}, {} ms)\n", output.node, output.command, output.ended, output.millis);
        text.push_str(&output.output);
        text.push_str("\n\n");
    }
    Ok(text)
}

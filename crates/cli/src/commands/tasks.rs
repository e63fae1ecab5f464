use std::fmt::Write as _;

use autoheal_engine::task::{Task, TaskState};
use autoheal_engine::{Outcome, TaskId, Timestamp};
use autoheal_store::{RunFilter, Store, TaskFilter};
use serde_json::json;

use crate::args::{Tasks, TasksCommand};
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::{Printer, harmless};
use crate::wiring;

/// Lists, shows, cancels and retries tasks.
pub(super) async fn run(arguments: Tasks, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let default = TasksCommand::List { state: None, limit: TaskFilter::default().limit };
    match arguments.command.unwrap_or(default) {
        TasksCommand::List { state, limit } => {
            let state = state.as_deref().map(parse_state).transpose()?;
            let tasks = store.tasks(&TaskFilter { state, limit, ..TaskFilter::default() }).await?;
            if arguments.json {
                printer.json(&tasks)?;
            } else {
                printer.data(&table(&tasks))?;
            }
            Ok(Exit::Fine)
        }
        TasksCommand::Show { task } => show(&store, task, arguments.json, printer).await,
        TasksCommand::Cancel { task } => cancel(&store, task, printer).await,
        TasksCommand::Retry { task } => retry(&store, task, printer).await,
    }
}

fn parse_state(text: &str) -> Result<TaskState, Failure> {
    TaskState::from_name(&text.to_ascii_uppercase()).ok_or_else(|| {
        let names: Vec<&str> = TaskState::ALL.iter().map(|state| state.name()).collect();
        Failure::bad_input(format!("unknown task state `{text}`; expected one of {}", names.join(", ")))
    })
}

fn table(tasks: &[Task]) -> String {
    let mut text = format!("{:>6}  {:<11}  {:<14}  {:<20}  TARGET\n", "TASK", "STATE", "TYPE", "CREATED");
    for task in tasks {
        let created = seconds(&task.created_at.to_rfc3339());
        let target = harmless(&task.target);
        let _ = writeln!(
            text,
            "{:>6}  {:<11}  {:<14}  {created:<20}  {target}",
            task.id,
            task.state.name(),
            task.kind.name()
        );
    }
    text
}

/// `2026-10-21T13:45:01.25Z` to the second.
fn seconds(time: &str) -> String {
    let whole = time.split(['.', 'Z']).next().unwrap_or(time);
    format!("{whole}Z")
}

async fn find(store: &Store, id: TaskId) -> Result<Task, Failure> {
    let task = store.task(id).await?;
    task.ok_or_else(|| Failure::bad_input(format!("there is no task {id}; `autoheal tasks` lists all tasks")))
}

async fn show(store: &Store, id: TaskId, as_json: bool, printer: &Printer) -> Result<Exit, Failure> {
    let task = find(store, id).await?;
    let runs = store.runs(&RunFilter { task: Some(id), ..RunFilter::newest(100) }).await?;
    if as_json {
        let runs: Vec<_> = runs
            .iter()
            .map(|run| {
                json!({
                    "run": run.run,
                    "started_at": run.started_at.to_rfc3339(),
                    "finished_at": run.finished_at.map(Timestamp::to_rfc3339),
                    "outcome": run.outcome.map(Outcome::name),
                    "stop_reason": run.stop_reason,
                })
            })
            .collect();
        printer.json(&json!({ "task": task, "runs": runs }))?;
        return Ok(Exit::Fine);
    }
    let mut text = table(std::slice::from_ref(&task));
    if let Some(owner) = &task.lease_owner {
        let _ = writeln!(text, "\nworked on by {}", harmless(owner));
    }
    if let Some(error) = &task.error_message {
        let _ = writeln!(
            text,
            "\nlast failure ({} of {} retries; workers that died at it since its last step: {} of {}): {}",
            task.retry_count,
            task.max_retries,
            task.deaths,
            Task::MOST_DEATHS,
            harmless(error)
        );
    }
    for run in &runs {
        let reason = run.stop_reason.as_deref().unwrap_or_default();
        let state = run.outcome.map_or_else(|| "not finished".to_owned(), |outcome| format!("{outcome} ({reason})"));
        let _ = writeln!(text, "\nrun {}: {}, began {}", run.run, harmless(&state), run.started_at.to_rfc3339());
    }
    printer.data(&text)?;
    Ok(Exit::Fine)
}

async fn cancel(store: &Store, id: TaskId, printer: &Printer) -> Result<Exit, Failure> {
    let task = find(store, id).await?;
    if store.request_cancel(id).await? {
        match task.state {
            TaskState::InProgress => printer.say(&format!("stopping task {id}; its results so far are kept")),
            TaskState::Pending
            | TaskState::Completed
            | TaskState::Failed
            | TaskState::Quarantined
            | TaskState::Cancelled => printer.say(&format!("cancelled task {id}")),
        }
        Ok(Exit::Fine)
    } else {
        Err(Failure::bad_input(format!("task {id} has already ended: {}", task.state.name())))
    }
}

async fn retry(store: &Store, id: TaskId, printer: &Printer) -> Result<Exit, Failure> {
    let task = find(store, id).await?;
    match task.state {
        TaskState::Failed | TaskState::Quarantined | TaskState::Cancelled => {}
        TaskState::Pending | TaskState::InProgress => {
            return Err(Failure::bad_input(format!("task {id} has not ended: {}", task.state.name())));
        }
        TaskState::Completed => {
            return Err(Failure::bad_input(format!("task {id} is completed; request the work again")));
        }
    }
    if !store.reopen(id).await? {
        return Err(Failure::bad_input("another open task requests the same work; `autoheal tasks` lists it"));
    }
    printer.say(&format!("task {id} is in the queue again"));
    Ok(Exit::Fine)
}

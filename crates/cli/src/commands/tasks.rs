use std::fmt::Write as _;

use autoheal_engine::task::{Task, TaskState};
use autoheal_engine::{TaskId, Timestamp};
use autoheal_store::{RunFilter, Store, TaskFilter};
use serde_json::{Value, json};

use crate::args::{Tasks, TasksCommand};
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::table::{Cell, Column, Table};
use crate::text::Tone;
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
                printer.json(&tasks.iter().map(document).collect::<Vec<_>>())?;
            } else if tasks.is_empty() {
                printer.say("there are no tasks");
            } else {
                printer.table(&table(&tasks, store.now()))?;
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

fn table(tasks: &[Task], now: Timestamp) -> Table {
    let mut table = Table::new([
        Column::number("TASK"),
        Column::new("STATE"),
        Column::new("TYPE").optional(),
        Column::new("CREATED").optional(),
        Column::new("TARGET").cut_start(),
    ]);
    for task in tasks {
        let tone = match task.state {
            TaskState::Pending | TaskState::Cancelled => Tone::Plain,
            TaskState::InProgress => Tone::Label,
            TaskState::Completed => Tone::Good,
            TaskState::Failed | TaskState::Quarantined => Tone::Bad,
        };
        table.push([
            Cell::of(&task.id),
            Cell::new(task.state.name()).tone(tone),
            Cell::new(task.kind.name()),
            Cell::time(Some(task.created_at), now),
            Cell::new(&task.target),
        ]);
    }
    table
}

fn document(task: &Task) -> Value {
    let time = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339);
    json!({
        "task": task.id,
        "kind": task.kind,
        "target": task.target,
        "state": task.state,
        "priority": task.priority,
        "created_at": task.created_at.to_rfc3339(),
        "run_at": task.run_at.to_rfc3339(),
        "started_at": time(task.started_at),
        "completed_at": time(task.completed_at),
        "error_message": task.error_message,
        "retry_count": task.retry_count,
        "max_retries": task.max_retries,
        "deaths": task.deaths,
        "host": task.host,
        "lease_owner": task.lease_owner,
        "lease_until": time(task.lease_until),
        "cancel_requested": task.cancel_requested,
        "context": task.context,
    })
}

async fn find(store: &Store, id: TaskId) -> Result<Task, Failure> {
    let task = store.task(id).await?;
    task.ok_or_else(|| Failure::bad_input(format!("there is no task {id}; `autoheal tasks` lists all tasks")))
}

async fn show(store: &Store, id: TaskId, as_json: bool, printer: &Printer) -> Result<Exit, Failure> {
    let task = find(store, id).await?;
    let runs = store.runs(&RunFilter { task: Some(id), ..RunFilter::newest(100) }).await?;
    if as_json {
        let runs: Vec<_> = runs.iter().map(super::runs::document).collect();
        printer.json(&json!({ "task": document(&task), "runs": runs }))?;
        return Ok(Exit::Fine);
    }
    let now = store.now();
    printer.table(&table(std::slice::from_ref(&task), now))?;
    let mut text = String::new();
    if let Some(owner) = &task.lease_owner {
        let _ = writeln!(text, "\nworker: {owner}");
    }
    if let Some(error) = &task.error_message {
        let _ = writeln!(
            text,
            "\nlast failure (retry {} of {}; workers that died since its last step: {} of {}):\n  {error}",
            task.retry_count,
            task.max_retries,
            task.deaths,
            Task::MOST_DEATHS,
        );
    }
    if !text.is_empty() {
        printer.show(&text)?;
    }
    if !runs.is_empty() {
        printer.data("")?;
        printer.table(&super::runs::table(&runs, now))?;
    }
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

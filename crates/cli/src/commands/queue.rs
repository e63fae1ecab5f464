//! Tasks that were put into the queue, for a worker or a server to do.

use autoheal_store::Enqueued;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Prints the tasks for these targets.
///
/// # Errors
///
/// When standard output cannot be written.
pub(super) fn tell(queued: &[(String, Enqueued)], json: bool, printer: &Printer) -> Result<Exit, Failure> {
    if json {
        let task = |(target, task): &(String, Enqueued)| json!({ "target": target, "task": task.id.0, "created": task.created });
        printer.json(&queued.iter().map(task).collect::<Vec<Value>>())?;
        return Ok(Exit::Fine);
    }
    for (target, task) in queued {
        let state = if task.created { "queued" } else { "was in the queue already" };
        printer.show(&format!("task {}: {target}: {state}", task.id))?;
    }
    printer.say("a worker or a server does what is queued: autoheal worker, autoheal serve; to see it: autoheal tasks");
    Ok(Exit::Fine)
}

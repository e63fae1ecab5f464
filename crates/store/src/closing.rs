//! The end of a run whose task was closed from outside.

use autoheal_engine::StopReason;
use autoheal_engine::event::EventBody;
use autoheal_engine::task::TaskState;

use crate::StoreError;
use crate::database::Dialect;
use crate::row::json;
use crate::write::{OnIdle, Write};

const CLOSING_EVENT: &str = "
    INSERT INTO run_event (run_id, sequence, at, body_json)
    SELECT run_id, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM run_event told WHERE told.run_id = run.run_id), {now}, $3
    FROM run WHERE target = $1 AND unfinished_task IN (SELECT task_id FROM task_queue WHERE state = $2)";

const CLOSE: &str = "
    UPDATE run SET finished_at = {now}, outcome = $3, stop_reason = $4
    WHERE target = $1 AND unfinished_task IN (SELECT task_id FROM task_queue WHERE state = $2)";

/// Ends the unfinished runs of the target's tasks that were closed in `state` from outside: without results, but with a final
/// event for clients that watch.
pub(crate) fn close_runs(dialect: Dialect, target: &str, state: TaskState) -> Result<[Write; 2], StoreError> {
    let reason = if state == TaskState::Cancelled { StopReason::Cancelled } else { StopReason::DeadLetter };
    let (outcome, stop_reason) = (reason.outcome(0), reason.name());
    let finished = EventBody::RunFinished { outcome: Some(outcome), stop_reason: stop_reason.to_owned() };
    let event = json("an event", &finished)?;
    let of_target = |sql| sqlx::query(dialect.sql(sql)).bind(target.to_owned()).bind(state.name());
    let maybe = |statement| Write { statement, on_idle: OnIdle::Fine };
    Ok([maybe(of_target(CLOSING_EVENT).bind(event)), maybe(of_target(CLOSE).bind(outcome.name()).bind(stop_reason))])
}

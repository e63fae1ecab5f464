//! The rows that runs leave, as a document, without what differs from run to run.

use autoheal_engine::event::EventBody;
use autoheal_store::{RunFilter, Slice, Store};
use autoheal_testkit::kill::mask;
use regex::Regex;
use serde_json::{Value, json};

/// Tasks and runs with everything of them.
pub(crate) async fn of_runs(store: &Store) -> Value {
    let mut runs = Vec::new();
    for run in store.runs(&RunFilter::newest(10)).await.unwrap() {
        let checkpoints: Vec<Value> = store
            .checkpoints(run.run)
            .await
            .unwrap()
            .into_iter()
            .map(|point| json!([point.seq, point.node, point.next_node, point.state]))
            .collect();
        let events = store.events(run.run, 0).await.unwrap().into_iter().map(|event| event.body);
        let events: Vec<_> = events.filter(|body| !matches!(body, EventBody::RunResumed { .. })).collect();
        let outputs = store.outputs(run.run, Slice::ALL).await.unwrap();
        let fixes = store.fixes_of_run(run.run, Slice::ALL).await.unwrap().into_iter().map(|(_, fix)| fix);
        runs.push(json!({
            "task": run.task,
            "workflow": run.workflow,
            "target": run.target,
            "finished": run.finished_at.is_some(),
            "outcome": run.outcome,
            "stop_reason": run.stop_reason,
            "results": run.results,
            "report": run.report,
            "checkpoints": checkpoints,
            "events": events,
            "fixes": fixes.collect::<Vec<_>>(),
            "diagnostics": store.diagnostics(run.run, Slice::ALL).await.unwrap(),
            "outputs": outputs,
        }));
    }
    let tasks = store.tasks(&autoheal_store::TaskFilter::default()).await.unwrap();
    json!({ "tasks": tasks, "runs": runs })
}

/// The rows without times, durations, leases, and the names of runs and commits; `named`: patterns that are replaced as well.
pub(crate) fn without_what_varies(mut rows: Value, named: &[(&str, &str)]) -> Value {
    mask(&mut rows, &["created_at", "started_at", "completed_at", "run_at", "first_seen_at", "last_seen_at"]);
    mask(&mut rows, &["resolved_at", "at", "millis", "agent_millis", "total_time", "timestamp"]);
    mask(
        &mut rows,
        &["last_success_at", "last_failure_at", "current_html", "original_html", "promoted_at", "released_at"],
    );
    mask(&mut rows, &["failed_at", "host", "lease_owner", "lease_until", "lease_epoch"]);
    // Asking for work that is asked for already takes a number, too.
    mask(&mut rows, &["id", "task"]);
    let varying = [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "RUN"),
        (r"\b[0-9a-f]{40}\b", "COMMIT"),
        (r"\b[0-9a-f]{12}\b", "COMMIT"),
        (r"\b\d+m \d+s\b", "TIME"),
        (r"\b\d+\.\d+\b", "SECONDS"),
    ];
    let patterns: Vec<(Regex, &str)> =
        named.iter().chain(&varying).map(|(pattern, name)| (Regex::new(pattern).unwrap(), *name)).collect();
    replace(&mut rows, &patterns);
    rows
}

/// In every text of a document.
fn replace(value: &mut Value, patterns: &[(Regex, &str)]) {
    match value {
        Value::String(text) => {
            for (pattern, name) in patterns {
                *text = pattern.replace_all(text, *name).into_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, patterns)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, patterns)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

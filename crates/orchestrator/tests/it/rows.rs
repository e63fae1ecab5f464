//! Everything that the store holds about a task, as one document, without what differs from run to run.

use autoheal_engine::TaskId;
use autoheal_engine::event::EventBody;
use autoheal_store::{RunFilter, Slice, Store};
use autoheal_testkit::kill::mask;
use serde_json::{Value, json};

pub(crate) async fn of_task(store: &Store, task: TaskId) -> Value {
    let row = store.task(task).await.unwrap().unwrap();
    let mut runs = Vec::new();
    for run in store.runs(&RunFilter::newest(100)).await.unwrap() {
        let checkpoints: Vec<Value> = store
            .checkpoints(run.run)
            .await
            .unwrap()
            .into_iter()
            .map(|point| json!([point.seq, point.node, point.next_node, point.state_version, point.state]))
            .collect();
        let events: Vec<EventBody> =
            store.events(run.run, 0).await.unwrap().into_iter().map(|event| event.body).collect();
        runs.push(json!({
            "workflow": run.workflow,
            "target": run.target,
            "finished": run.finished_at.is_some(),
            "outcome": run.outcome,
            "stop_reason": run.stop_reason,
            "results": run.results,
            "report": run.report,
            "checkpoints": checkpoints,
            "events": events.into_iter().filter(|body| !matches!(body, EventBody::RunResumed { .. })).collect::<Vec<_>>(),
            "diagnostics": store.diagnostics(run.run, Slice::ALL).await.unwrap(),
            "outputs": store.outputs(run.run, Slice::ALL).await.unwrap(),
        }));
    }
    let mut rows = json!({ "task": row, "runs": runs });
    let varying = ["created_at", "started_at", "completed_at", "run_at", "millis"];
    mask(&mut rows, &varying);
    mask(&mut rows, &["lease_owner", "lease_until", "lease_epoch"]);
    rows
}

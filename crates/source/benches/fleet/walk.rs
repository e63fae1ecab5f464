//! A worker with a simulated clock: the real queue, runs, checkpoints and records.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use autoheal_engine::event::EventBody;
use autoheal_engine::graph::{Next, Node as _};
use autoheal_engine::task::{Task, TaskState};
use autoheal_engine::workflow::{Ending, StepContext, StepServices, Workflow};
use autoheal_engine::{RunId, TaskId, Timestamp};
use autoheal_store::{Checkpoint, ClaimRequest, FinishedRun, NewRun, Store};
use uuid::Uuid;

/// The time: what it was told last, and as much as has really passed since.
pub(crate) struct Clock(Mutex<(Timestamp, Instant)>);

impl Clock {
    pub(crate) fn at(time: Timestamp) -> Arc<Self> {
        Arc::new(Self(Mutex::new((time, Instant::now()))))
    }

    /// Goes on to a time, unless that has passed.
    pub(crate) fn go_to(&self, time: Timestamp) {
        let time = time.max(self.now());
        *self.0.lock().unwrap() = (time, Instant::now());
    }
}

impl StepServices for Clock {
    fn now(&self) -> Timestamp {
        let (time, told_at) = *self.0.lock().unwrap();
        time.plus(told_at.elapsed())
    }

    fn emit(&self, _body: EventBody) {}

    fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(std::future::ready(true))
    }
}

/// Claims a task and walks its run to the end.
pub(crate) async fn run<W: Workflow>(workflow: &W, store: &Store, clock: &Arc<Clock>, id: TaskId) -> (Task, Ending) {
    let request = ClaimRequest {
        worker: "fleet".to_owned(),
        host: "fleet".to_owned(),
        kinds: vec![workflow.kind()],
        lease: Duration::from_hours(1),
        only: Some(id),
    };
    let (task, lease) = store.claim(&request).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: task.target.clone() };
    let row = NewRun {
        run,
        workflow: task.kind.name().to_owned(),
        target: task.target.clone(),
        started_at: clock.now(),
        event,
    };
    store.begin_run(&lease, &row).await.unwrap();
    let mut state = workflow.start(&task, clock.now()).unwrap();
    let mut next = Next::To(workflow.graph().entry());
    let mut seq = 0;
    while let Next::To(node) = next {
        let services: Arc<dyn StepServices> = Arc::clone(clock) as Arc<dyn StepServices>;
        let context = StepContext::new(run, node.name(), services);
        if let Err(error) = workflow.step(node, &mut state, &context).await {
            assert!(workflow.on_step_failed(node, &mut state, &error, clock.now()), "{}: {error}", node.name());
        }
        next = if workflow.is_stopped(&state) { Next::End } else { workflow.graph().next(node, &state).unwrap() };
        seq += 1;
        let json = serde_json::to_value(&state).unwrap();
        // Every node starts from the checkpoint, as it would after a restart.
        state = serde_json::from_value(json.clone()).unwrap();
        let checkpoint = Checkpoint {
            run,
            seq,
            node: node.name().to_owned(),
            next_node: match next {
                Next::To(node) => Some(node.name().to_owned()),
                Next::End => None,
            },
            state_version: workflow.state_version(),
            state: json,
            at: clock.now(),
        };
        store.checkpoint(&lease, &checkpoint, &[], &context.take_records()).await.unwrap();
    }
    let ending = workflow.ending(&state, clock.now());
    let finished = FinishedRun {
        run,
        ending: &ending,
        at: clock.now(),
        task_state: TaskState::Completed,
        events: &[],
        records: &[],
    };
    store.finish(&lease, &finished).await.unwrap();
    (task, ending)
}

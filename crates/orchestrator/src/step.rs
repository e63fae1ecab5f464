//! One node: its tries, their timeout, and its interruptions. Independent of the store.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use autoheal_engine::event::EventBody;
use autoheal_engine::graph::{Node as _, Policy};
use autoheal_engine::workflow::{Record, StepContext, StepError, StepServices, Workflow};
use autoheal_engine::{ErrorCode, RunId};
use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::lease::{Interrupt, Interrupts};

/// Result of a node.
pub(crate) enum StepEnd<S> {
    /// The node succeeded.
    Done {
        /// State after the node.
        state: S,
        /// Records for the store.
        records: Vec<Record>,
    },
    /// The last attempt of the node failed.
    Failed {
        /// Reason for the failure.
        error: StepError,
        /// Records of the last attempt, such as the output of the command that failed.
        records: Vec<Record>,
    },
    /// The node was interrupted and its future dropped.
    Interrupted(Interrupt),
}

/// Runs `node` from the state `before`, each attempt from the same state, with the attempts and timeouts of the graph's policy.
///
/// # Errors
///
/// Returns an error if `before` is not a state of this workflow.
pub(crate) async fn run<W: Workflow>(
    workflow: &W,
    node: W::Node,
    before: &Value,
    run: RunId,
    services: &Arc<dyn StepServices>,
    interrupts: &Interrupts,
) -> Result<StepEnd<W::State>, serde_json::Error> {
    let policy = workflow.graph().policy(node);
    let mut attempt = 1;
    loop {
        let mut state: W::State = serde_json::from_value(before.clone())?;
        services.emit(EventBody::NodeStarted { node: node.name().to_owned(), attempt });
        let context = StepContext::new(run, node.name(), Arc::clone(services));
        let result = tokio::select! {
            biased;
            interrupt = interrupts.during_step() => return Ok(StepEnd::Interrupted(interrupt)),
            result = one_try(workflow, node, &mut state, &context, policy) => result,
        };
        let error = match result {
            Ok(()) => return Ok(StepEnd::Done { state, records: context.take_records() }),
            Err(StepError::LeaseLost) => return Ok(StepEnd::Interrupted(Interrupt::LeaseLost)),
            Err(error @ (StepError::Passing { .. } | StepError::Permanent { .. })) => error,
        };
        let retry = matches!(error, StepError::Passing { .. }) && attempt < policy.attempts;
        let text = error.to_string();
        tracing::warn!(%run, node = node.name(), attempt, retry, error = %text, "a node failed");
        services.emit(EventBody::NodeFailed { node: node.name().to_owned(), attempt, error: text, retry });
        if !retry {
            return Ok(StepEnd::Failed { error, records: context.take_records() });
        }
        attempt += 1;
        tokio::select! {
            biased;
            interrupt = interrupts.during_pause() => return Ok(StepEnd::Interrupted(interrupt)),
            () = sleep(policy.wait_before(attempt)) => {}
        }
    }
}

async fn one_try<W: Workflow>(
    workflow: &W,
    node: W::Node,
    state: &mut W::State,
    context: &StepContext,
    policy: Policy,
) -> Result<(), StepError> {
    let step = AssertUnwindSafe(workflow.step(node, state, context)).catch_unwind();
    match timeout(policy.timeout, step).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(StepError::Permanent {
            code: ErrorCode::StepFailed,
            message: format!("node {} panicked: {}; please report this", node.name(), panic_message(&*panic)),
        }),
        Err(_) => Err(StepError::Passing {
            code: ErrorCode::StepFailed,
            message: format!("node {} did not end within {:?}", node.name(), policy.timeout),
        }),
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::time::Duration;

    use autoheal_engine::Timestamp;
    use autoheal_engine::graph::{Graph, GraphBuilder, Next, Node};
    use autoheal_engine::task::{Task, TaskKind};
    use autoheal_engine::workflow::Ending;
    use autoheal_engine::{Outcome, StopReason};
    use tokio::sync::watch;
    use tokio::time::Instant;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::lease::Hold;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct Only;

    impl Node for Only {
        const ALL: &'static [Self] = &[Self];

        fn name(self) -> &'static str {
            "only"
        }
    }

    type Job = fn(u32) -> Pin<Box<dyn Future<Output = Result<(), StepError>> + Send>>;

    /// Workflow of one node that adds one to its state and then runs `job` with the number of the attempt.
    struct Adder {
        graph: Graph<Only, u32>,
        tries: AtomicU32,
        dropped: Arc<AtomicBool>,
        job: Job,
    }

    impl Adder {
        fn new(policy: Policy, job: Job) -> Self {
            let graph = GraphBuilder::new(Only).policy(Only, policy).edge(Only, Next::End).build().unwrap();
            Self { graph, tries: AtomicU32::new(0), dropped: Arc::new(AtomicBool::new(false)), job }
        }
    }

    impl Workflow for Adder {
        type Node = Only;
        type State = u32;

        fn kind(&self) -> TaskKind {
            TaskKind::HealRepo
        }

        fn state_version(&self) -> u32 {
            1
        }

        fn graph(&self) -> &Graph<Only, u32> {
            &self.graph
        }

        fn start(&self, _task: &Task, _now: Timestamp) -> Result<u32, StepError> {
            Ok(0)
        }

        async fn step(&self, _node: Only, state: &mut u32, context: &StepContext) -> Result<(), StepError> {
            struct OnDrop(Arc<AtomicBool>);
            impl Drop for OnDrop {
                fn drop(&mut self) {
                    self.0.store(true, Ordering::SeqCst);
                }
            }
            let _on_drop = OnDrop(Arc::clone(&self.dropped));
            *state += 1;
            let attempt = self.tries.fetch_add(1, Ordering::SeqCst) + 1;
            context.note("try", attempt.to_string());
            (self.job)(attempt).await
        }

        fn on_step_failed(&self, _node: Only, _state: &mut u32, _error: &StepError, _now: Timestamp) -> bool {
            false
        }

        fn cancel(&self, _state: &mut u32, _now: Timestamp) {}

        fn is_stopped(&self, _state: &u32) -> bool {
            false
        }

        fn ending(&self, state: &u32, _now: Timestamp) -> Ending {
            let report = state.to_string();
            Ending { outcome: Outcome::Fixed, stop_reason: StopReason::Green, results: Value::Null, report }
        }
    }

    #[derive(Default)]
    struct Listener {
        heard: Mutex<Vec<String>>,
    }

    impl StepServices for Listener {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn emit(&self, body: EventBody) {
            let line = match body {
                EventBody::NodeStarted { attempt, .. } => format!("started {attempt}"),
                EventBody::NodeFailed { attempt, retry, .. } => format!("failed {attempt} retry={retry}"),
                EventBody::Note { message, .. } => format!("note {message}"),
                other => format!("{other:?}"),
            };
            self.heard.lock().unwrap().push(line);
        }

        fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(async { true })
        }
    }

    struct Stage {
        listener: Arc<Listener>,
        hold: watch::Sender<Hold>,
        interrupts: Interrupts,
    }

    impl Stage {
        fn new(grace: Duration) -> Self {
            let (hold, receiver) = watch::channel(Hold::Held);
            let interrupts = Interrupts { hold: receiver, stop: CancellationToken::new(), grace };
            Self { listener: Arc::default(), hold, interrupts }
        }

        async fn run(&self, adder: &Adder) -> StepEnd<u32> {
            let services: Arc<dyn StepServices> = Arc::<Listener>::clone(&self.listener);
            run(adder, Only, &Value::from(41), RunId(uuid::Uuid::nil()), &services, &self.interrupts).await.unwrap()
        }

        fn heard(&self) -> Vec<String> {
            self.listener.heard.lock().unwrap().clone()
        }
    }

    const MINUTE: Duration = Duration::from_mins(1);
    const HOUR: Duration = Duration::from_hours(1);

    fn policy(attempts: u32) -> Policy {
        Policy { timeout: MINUTE, attempts, backoff: Duration::from_secs(2) }
    }

    fn passing() -> StepError {
        StepError::Passing { code: ErrorCode::RepoCloneFailed, message: "no route to host".to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_passing_failure_is_tried_again_from_the_same_state_after_growing_waits() {
        let adder =
            Adder::new(policy(4), |attempt| Box::pin(async move { if attempt < 4 { Err(passing()) } else { Ok(()) } }));
        let stage = Stage::new(MINUTE);
        let begun = Instant::now();
        let StepEnd::Done { state, .. } = stage.run(&adder).await else { panic!("the fourth try is good") };
        assert_eq!(state, 42, "each try began with 41");
        assert_eq!(begun.elapsed().as_secs(), 2 + 4 + 8);
        assert_eq!(
            stage.heard(),
            [
                "started 1",
                "note 1",
                "failed 1 retry=true",
                "started 2",
                "note 2",
                "failed 2 retry=true",
                "started 3",
                "note 3",
                "failed 3 retry=true",
                "started 4",
                "note 4",
            ]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn after_its_last_try_a_step_has_failed() {
        let adder = Adder::new(policy(2), |_| Box::pin(async { Err(passing()) }));
        let stage = Stage::new(MINUTE);
        let StepEnd::Failed { error, .. } = stage.run(&adder).await else { panic!("it always fails") };
        assert_eq!(error, passing());
        assert_eq!(stage.heard().last().unwrap(), "failed 2 retry=false");
    }

    #[tokio::test(start_paused = true)]
    async fn a_permanent_failure_is_not_tried_again() {
        let adder = Adder::new(policy(5), |_| {
            Box::pin(async { Err(StepError::Permanent { code: ErrorCode::InvalidInput, message: "no".to_owned() }) })
        });
        let stage = Stage::new(MINUTE);
        assert!(matches!(stage.run(&adder).await, StepEnd::Failed { error: StepError::Permanent { .. }, .. }));
        assert_eq!(stage.heard(), ["started 1", "note 1", "failed 1 retry=false"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_that_takes_too_long_is_dropped() {
        let adder = Adder::new(policy(1), |_| {
            Box::pin(async {
                sleep(HOUR).await;
                Ok(())
            })
        });
        let stage = Stage::new(MINUTE);
        let begun = Instant::now();
        let StepEnd::Failed { error, .. } = stage.run(&adder).await else { panic!("an hour is too long") };
        assert_eq!(begun.elapsed().as_secs(), 60);
        assert_eq!(error.code(), ErrorCode::StepFailed);
        assert!(error.to_string().contains("did not end within 60s"), "{error}");
        assert!(adder.dropped.load(Ordering::SeqCst));
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_is_a_permanent_failure_and_not_the_end_of_the_worker() {
        let adder = Adder::new(policy(3), |_| Box::pin(async { panic!("index out of bounds") }));
        let StepEnd::Failed { error, .. } = Stage::new(MINUTE).run(&adder).await else { panic!("it panics") };
        assert!(matches!(error, StepError::Permanent { .. }));
        assert!(error.to_string().contains("index out of bounds"), "{error}");
    }

    /// Interrupts a step that would take 30 s, after 5 s; gives how it ended and after how long.
    async fn interrupt_after_5_s(grace: Duration, interrupt: impl Fn(&Stage)) -> (StepEnd<u32>, u64, bool) {
        let adder = Adder::new(policy(1), |_| {
            Box::pin(async {
                sleep(Duration::from_secs(30)).await;
                Ok(())
            })
        });
        let stage = Stage::new(grace);
        let begun = Instant::now();
        let interruption = async {
            sleep(Duration::from_secs(5)).await;
            interrupt(&stage);
        };
        let (end, ()) = tokio::join!(stage.run(&adder), interruption);
        (end, begun.elapsed().as_secs(), adder.dropped.load(Ordering::SeqCst))
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_lets_the_step_end_within_its_grace() {
        let (end, seconds, _) = interrupt_after_5_s(MINUTE, |stage| stage.interrupts.stop.cancel()).await;
        assert!(matches!(end, StepEnd::Done { state: 42, .. }));
        assert_eq!(seconds, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_drops_the_step_after_its_grace() {
        let grace = Duration::from_secs(10);
        let (end, seconds, dropped) = interrupt_after_5_s(grace, |stage| stage.interrupts.stop.cancel()).await;
        assert!(matches!(end, StepEnd::Interrupted(Interrupt::Stopped)));
        assert_eq!((seconds, dropped), (15, true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancel_and_a_lost_lease_drop_the_step_at_once() {
        for (hold, expected) in [(Hold::CancelRequested, Interrupt::Cancelled), (Hold::Lost, Interrupt::LeaseLost)] {
            let change = |stage: &Stage| {
                stage.hold.send_replace(hold);
            };
            let (end, seconds, dropped) = interrupt_after_5_s(MINUTE, change).await;
            assert!(matches!(end, StepEnd::Interrupted(interrupt) if interrupt == expected));
            assert_eq!((seconds, dropped), (5, true));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_does_not_wait_for_the_next_try() {
        let policy = Policy { timeout: MINUTE, attempts: 2, backoff: HOUR };
        let adder = Adder::new(policy, |_| Box::pin(async { Err(passing()) }));
        let stage = Stage::new(MINUTE);
        stage.interrupts.stop.cancel();
        let begun = Instant::now();
        assert!(matches!(stage.run(&adder).await, StepEnd::Interrupted(Interrupt::Stopped)));
        assert!(begun.elapsed() < MINUTE);
    }
}

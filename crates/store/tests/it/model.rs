//! Tests the queue against a model: for any sequence of operations, the store behaves like a few lines of code over a list.

use autoheal_engine::task::{Lease, NewTask, Task, TaskKind, TaskState};
use autoheal_engine::{TaskId, Timestamp};
use autoheal_store::{ClaimRequest, Store, StoreError, TaskFilter};
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::queue::{LONG, NO_TIME, request, task};

const HOSTS: [&str; 2] = ["here", "there"];
const FAR: Timestamp = Timestamp::from_millis(i64::MAX / 2);

#[derive(Debug, Clone)]
enum Step {
    Enqueue(NewTask),
    Claim { host: &'static str, kinds: Vec<TaskKind>, lasting: bool, only: Option<Index> },
    Heartbeat(Index),
    Release(Index),
    Fail(Index),
    Cancel(Index),
    Reopen(Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = || select(TaskKind::ALL.to_vec());
    let new = (kind(), select(vec!["a", "b", "c"]), 0..3_i32, any::<bool>(), proptest::option::of(select(&HOSTS[..])))
        .prop_map(|(kind, target, priority, far, host)| NewTask {
            kind,
            priority,
            max_retries: 1,
            host: host.map(str::to_owned),
            run_at: if far && priority == 0 { FAR } else { Timestamp::from_millis(0) },
            ..task(target)
        });
    let index = any::<Index>;
    let kinds = subsequence(TaskKind::ALL.to_vec(), 0..=4);
    let claim = (select(&HOSTS[..]), kinds, any::<bool>(), proptest::option::weighted(0.2, index()))
        .prop_map(|(host, kinds, lasting, only)| Step::Claim { host, kinds, lasting, only });
    let step = prop_oneof![
        4 => new.prop_map(Step::Enqueue),
        6 => claim,
        1 => index().prop_map(Step::Heartbeat),
        1 => index().prop_map(Step::Release),
        2 => index().prop_map(Step::Fail),
        1 => index().prop_map(Step::Cancel),
        1 => index().prop_map(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..60)
}

/// The tasks as they should be. The times are the store's: it is the only one with a clock.
#[derive(Default)]
struct Model {
    tasks: Vec<Task>,
    leases: Vec<(Lease, bool)>,
}

impl Model {
    fn task(&mut self, id: TaskId) -> &mut Task {
        self.tasks.iter_mut().find(|task| task.id == id).unwrap()
    }

    /// A worker gets the task, or it is closed because too many have died at it. Whether it is the worker's.
    fn claim(&mut self, id: TaskId) -> bool {
        let task = self.task(id);
        if task.state == TaskState::InProgress {
            task.deaths += 1;
            task.error_message = Some("the worker w died, or was cut off, while working on it".to_owned());
        }
        task.lease_epoch += 1;
        task.state = match (task.deaths >= Task::MOST_DEATHS, task.cancel_requested) {
            (false, _) => TaskState::InProgress,
            (true, true) => TaskState::Cancelled,
            (true, false) => TaskState::Quarantined,
        };
        task.state == TaskState::InProgress
    }

    fn open(&self, kind: TaskKind, target: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.state.is_open() && (task.kind, task.target.as_str()) == (kind, target))
    }

    /// From when on it may be claimed: `None` when it is closed or its lease lasts.
    fn ready_at(&self, task: &Task) -> Option<Timestamp> {
        match task.state {
            TaskState::Pending => (task.run_at != FAR).then_some(task.run_at),
            TaskState::InProgress => {
                let lasting = self.leases.iter().any(|(lease, lasting)| *lasting && is_held(lease, task));
                if lasting { None } else { task.lease_until }
            }
            TaskState::Completed | TaskState::Failed | TaskState::Quarantined | TaskState::Cancelled => None,
        }
    }

    fn next(&self, request: &ClaimRequest) -> Option<TaskId> {
        let ready = self.tasks.iter().filter_map(|task| {
            let runs_elsewhere = self.tasks.iter().any(|other| {
                other.id != task.id && other.target == task.target && other.state == TaskState::InProgress
            });
            let fits = request.kinds.contains(&task.kind)
                && task.host.as_ref().is_none_or(|host| *host == request.host)
                && request.only.is_none_or(|only| only == task.id)
                && !runs_elsewhere;
            let ready_at = self.ready_at(task).filter(|_| fits)?;
            Some((task.priority, ready_at, task.id))
        });
        ready.min().map(|(_, _, id)| id)
    }
}

fn is_held(lease: &Lease, task: &Task) -> bool {
    (lease.task, lease.epoch, TaskState::InProgress) == (task.id, task.lease_epoch, task.state)
}

/// Returns the part of a task that can be compared without knowing the time.
fn essence(task: &Task) -> impl PartialEq + std::fmt::Debug + use<> {
    let lease = (task.lease_owner.clone(), task.lease_until.is_some(), task.lease_epoch);
    let ended = (task.completed_at.is_some(), task.error_message.clone());
    (task.id, task.state, (task.retry_count, task.deaths), task.cancel_requested, lease, ended)
}

async fn apply(store: &Store, model: &mut Model, step: &Step) {
    match step {
        Step::Enqueue(new) => {
            let known = model.open(new.kind, &new.target).map(|task| task.id);
            let enqueued = store.enqueue(new).await.unwrap();
            assert_eq!(enqueued.created, known.is_none());
            assert!(known.is_none_or(|known| known == enqueued.id));
            if enqueued.created {
                model.tasks.push(store.task(enqueued.id).await.unwrap().unwrap());
            }
        }
        Step::Claim { host, kinds, lasting, only } => {
            let only = only.filter(|_| !model.tasks.is_empty()).map(|index| index.get(&model.tasks).id);
            let lease = if *lasting { LONG } else { NO_TIME };
            let request = ClaimRequest { host: (*host).to_owned(), kinds: kinds.clone(), only, ..request("w", lease) };
            let (mut expected, mut closed) = (model.next(&request), Vec::new());
            while let Some(id) = expected
                && !model.claim(id)
            {
                closed.push(id);
                expected = model.next(&request);
            }
            let claimed = store.claim(&request).await.unwrap();
            for id in closed {
                let task = model.task(id);
                end_lease(store, task, task.state).await;
            }
            assert_eq!(claimed.as_ref().map(|(task, _)| task.id), expected);
            if let Some((claimed, lease)) = claimed {
                let task = model.task(lease.task);
                task.lease_owner = Some("w".to_owned());
                task.lease_until = claimed.lease_until;
                assert_eq!(lease.epoch, task.lease_epoch);
                model.leases.push((lease, *lasting));
            }
        }
        Step::Heartbeat(index) => {
            let Some((lease, held)) = pick(model, *index) else { return };
            let answer = store.heartbeat(&lease, LONG).await;
            if held {
                assert_eq!(answer.unwrap().cancel_requested, model.task(lease.task).cancel_requested);
                model.leases.push((lease, true));
            } else {
                assert!(matches!(answer, Err(StoreError::LeaseLost(_))));
            }
        }
        Step::Release(index) => {
            let Some((lease, held)) = pick(model, *index) else { return };
            let answer = store.release(&lease).await;
            if held {
                answer.unwrap();
                let task = model.task(lease.task);
                let state = if task.cancel_requested { TaskState::Cancelled } else { TaskState::Pending };
                end_lease(store, task, state).await;
            } else {
                assert!(matches!(answer, Err(StoreError::LeaseLost(_))));
            }
        }
        Step::Fail(index) => {
            let Some((lease, held)) = pick(model, *index) else { return };
            let answer = store.fail(&lease, "broke", NO_TIME).await;
            if held {
                let task = model.task(lease.task);
                let state = match (task.cancel_requested, task.retry_count < task.max_retries) {
                    (true, _) => TaskState::Cancelled,
                    (false, true) => TaskState::Pending,
                    (false, false) => TaskState::Quarantined,
                };
                assert_eq!(answer.unwrap(), state);
                task.retry_count += 1;
                task.error_message = Some("broke".to_owned());
                end_lease(store, task, state).await;
            } else {
                assert!(matches!(answer, Err(StoreError::LeaseLost(_))));
            }
        }
        Step::Cancel(index) => {
            let Some(id) = pick_task(model, *index) else { return };
            let answer = store.request_cancel(id).await.unwrap();
            let task = model.task(id);
            assert_eq!(answer, task.state.is_open());
            if answer {
                task.cancel_requested = true;
            }
            if task.state == TaskState::Pending {
                end_lease(store, task, TaskState::Cancelled).await;
            }
        }
        Step::Reopen(index) => {
            let Some(id) = pick_task(model, *index) else { return };
            let answer = store.reopen(id).await.unwrap();
            let closed = model.task(id).clone();
            let room = model.open(closed.kind, &closed.target).is_none();
            assert_eq!(answer, room && !closed.state.is_open());
            if answer {
                let task = model.task(id);
                (task.retry_count, task.deaths, task.cancel_requested, task.error_message) = (0, 0, false, None);
                end_lease(store, task, TaskState::Pending).await;
            }
        }
    }
}

/// Updates the model's task after its lease ended: it is pending again or closed.
async fn end_lease(store: &Store, task: &mut Task, state: TaskState) {
    let stored = store.task(task.id).await.unwrap().unwrap();
    task.state = state;
    (task.lease_owner, task.lease_until) = (None, None);
    task.completed_at = (!state.is_open()).then_some(stored.run_at);
    task.run_at = stored.run_at;
}

/// One of the leases ever given, and whether it still holds.
fn pick(model: &Model, index: Index) -> Option<(Lease, bool)> {
    let leases = &model.leases;
    let (lease, _) = (!leases.is_empty()).then(|| index.get(leases))?;
    Some((lease.clone(), model.tasks.iter().any(|task| is_held(lease, task))))
}

fn pick_task(model: &Model, index: Index) -> Option<TaskId> {
    (!model.tasks.is_empty()).then(|| index.get(&model.tasks).id)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn the_queue_does_what_its_model_does(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Store::open("sqlite::memory:").await.unwrap();
            let mut model = Model::default();
            for step in &steps {
                apply(&store, &mut model, step).await;
            }
            let mut stored = store.tasks(&TaskFilter { limit: 1000, ..TaskFilter::default() }).await.unwrap();
            stored.sort_by_key(|task| task.id);
            let essences = |tasks: &[Task]| tasks.iter().map(essence).collect::<Vec<_>>();
            assert_eq!(essences(&stored), essences(&model.tasks));
        });
    }
}

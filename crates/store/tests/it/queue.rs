//! Tests of the task queue.

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::task::{Lease, NewTask, Task, TaskKind, TaskState};
use autoheal_engine::{TaskId, Timestamp};
use autoheal_store::{AlertFilter, ClaimRequest, Enqueued, Reach, Store, StoreError, TaskFilter};
use rstest::rstest;

use crate::database::Engine;

pub(crate) const LONG: Duration = Duration::from_mins(10);
/// A lease of no length has run out when it begins: the test need not wait for it.
pub(crate) const NO_TIME: Duration = Duration::ZERO;

pub(crate) fn task(target: &str) -> NewTask {
    NewTask::new(TaskKind::HealRepo, target, Timestamp::from_millis(0))
}

pub(crate) fn request(worker: &str, lease: Duration) -> ClaimRequest {
    ClaimRequest {
        worker: worker.to_owned(),
        host: "here".to_owned(),
        kinds: TaskKind::ALL.to_vec(),
        lease,
        only: None,
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Memory)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_task_goes_from_pending_to_a_worker_with_all_that_was_asked(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let mut asked = task("a/repo");
    asked.priority = 3;
    asked.max_retries = 7;
    asked.host = Some("here".to_owned());
    asked.context = serde_json::json!({"team": "a\u{0}b", "n": [1, null]});
    let Enqueued { id, created } = store.enqueue(&asked).await.unwrap();
    assert!(created);

    let pending = store.task(id).await.unwrap().unwrap();
    assert_eq!(pending.state, TaskState::Pending);
    assert_eq!((pending.started_at, pending.lease_owner.as_deref()), (None, None));

    let (claimed, lease) = store.claim(&request("w1", LONG)).await.unwrap().unwrap();
    assert_eq!(claimed, store.task(id).await.unwrap().unwrap());
    assert_eq!(claimed.state, TaskState::InProgress);
    assert_eq!((claimed.kind, claimed.target.as_str(), claimed.priority), (TaskKind::HealRepo, "a/repo", 3));
    assert_eq!((claimed.max_retries, claimed.retry_count, claimed.cancel_requested), (7, 0, false));
    assert_eq!((claimed.host.as_deref(), &claimed.context), (Some("here"), &asked.context));
    assert_eq!((claimed.lease_owner.as_deref(), claimed.lease_epoch), (Some("w1"), 1));
    assert_eq!((lease.task, lease.owner.as_str(), lease.epoch), (id, "w1", 1));
    assert!(claimed.started_at.unwrap() >= claimed.created_at);
    assert!(claimed.lease_until.unwrap() >= claimed.created_at.plus(LONG));
    assert!(store.holds(&lease).await.unwrap());
    assert!(store.claim(&request("w2", LONG)).await.unwrap().is_none());
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_stale_lease_is_refused_and_the_epoch_rises(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&task("t")).await.unwrap();
    let (_, old) = store.claim(&request("old", NO_TIME)).await.unwrap().unwrap();
    assert!(!store.holds(&old).await.unwrap(), "its time is up");
    let (taken, new) = store.claim(&request("new", LONG)).await.unwrap().unwrap();
    assert_eq!((old.epoch, new.epoch, taken.retry_count), (1, 2, 0));

    assert!(matches!(store.heartbeat(&old, LONG).await, Err(StoreError::LeaseLost(TaskId(_)))));
    assert!(matches!(store.release(&old).await, Err(StoreError::LeaseLost(_))));
    assert!(matches!(store.fail(&old, "late", NO_TIME).await, Err(StoreError::LeaseLost(_))));
    assert!(!store.holds(&old).await.unwrap());
    assert_eq!(store.task(new.task).await.unwrap().unwrap(), taken);
    assert!(store.holds(&new).await.unwrap());
    assert!(!store.heartbeat(&new, LONG).await.unwrap().cancel_requested);
}

/// Claims the task and is never heard of again.
async fn die(store: &Store, worker: &str) -> (Task, Lease) {
    store.claim(&request(worker, NO_TIME)).await.unwrap().unwrap()
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_task_that_three_workers_died_at_is_quarantined_with_an_alert(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let id = store.enqueue(&task("t")).await.unwrap().id;
    for (died, worker) in ["a", "b", "c"].into_iter().enumerate() {
        let (claimed, _) = die(&store, worker).await;
        assert_eq!((claimed.deaths, claimed.retry_count), (u32::try_from(died).unwrap(), 0));
    }
    let other = store.enqueue(&NewTask { priority: 9, ..task("other") }).await.unwrap().id;
    let (next, _) = store.claim(&request("d", LONG)).await.unwrap().unwrap();
    assert_eq!(next.id, other, "the same request goes on to the next task");
    let dead = store.task(id).await.unwrap().unwrap();
    assert_eq!((dead.state, dead.deaths, dead.lease_owner), (TaskState::Quarantined, 3, None));
    let alerts = store.alerts(&AlertFilter::about("t", 10)).await.unwrap();
    let message = &alerts[0].message;
    assert_eq!(alerts[0].kind, "DEAD_LETTER");
    for said in ["took its worker down 3 times", "the worker c died", &format!("autoheal tasks retry {id}")] {
        assert!(message.contains(said), "{said}: {message}");
    }
    assert!(store.reopen(id).await.unwrap());
    assert_eq!(die(&store, "e").await.0.deaths, 0, "a person who puts it back gives it three more");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn giving_back_and_failing_are_no_deaths(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let id = store.enqueue(&task("t")).await.unwrap().id;
    for _ in 0..5 {
        let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
        store.release(&lease).await.unwrap();
    }
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    store.fail(&lease, "no disk", NO_TIME).await.unwrap();
    let (task, _) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    assert_eq!((task.id, task.deaths, task.retry_count), (id, 0, 1));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_task_that_was_cancelled_and_takes_its_workers_down_ends_as_cancelled(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let id = store.enqueue(&task("t")).await.unwrap().id;
    die(&store, "a").await;
    store.request_cancel(id).await.unwrap();
    die(&store, "b").await;
    die(&store, "c").await;
    assert!(store.claim(&request("d", LONG)).await.unwrap().is_none());
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Cancelled);
    assert_eq!(store.alerts(&AlertFilter::newest(10)).await.unwrap(), []);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn batch_claim_takes_the_first_tasks_in_order(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let mut ids = Vec::new();
    for (target, priority) in [("third", 5), ("first", 1), ("second", 4), ("fourth", 5)] {
        ids.push(store.enqueue(&NewTask { priority, ..task(target) }).await.unwrap().id);
    }
    assert_eq!(store.claim_up_to(&request("w", LONG), 0).await.unwrap(), []);
    let claimed = store.claim_up_to(&request("w", LONG), 3).await.unwrap();
    assert_eq!(claimed.iter().map(|(task, _)| task.target.as_str()).collect::<Vec<_>>(), ["first", "second", "third"]);
    for (task, lease) in &claimed {
        assert_eq!((task.state, lease.task, lease.epoch), (TaskState::InProgress, task.id, 1));
        assert!(store.holds(lease).await.unwrap());
    }
    let rest = store.claim_up_to(&request("w", LONG), 3).await.unwrap();
    assert_eq!(rest.iter().map(|(task, _)| task.id).collect::<Vec<_>>(), [ids[3]]);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn batch_claim_never_takes_two_tasks_of_a_target(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    for target in ["a", "b"] {
        for kind in TaskKind::ALL {
            store.enqueue(&NewTask { kind, ..task(target) }).await.unwrap();
        }
    }
    let mut done = 0;
    while done < 2 * TaskKind::ALL.len() {
        let claimed = store.claim_up_to(&request("w", LONG), 5).await.unwrap();
        assert!(!claimed.is_empty(), "{done} done");
        let targets: BTreeSet<_> = claimed.iter().map(|(task, _)| &task.target).collect();
        assert_eq!(targets.len(), claimed.len());
        for (_, lease) in &claimed {
            store.fail(lease, "later", Duration::MAX).await.unwrap();
            done += 1;
        }
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn batch_claim_quarantines_fatal_task_and_returns_the_others(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let id = store.enqueue(&task("fatal")).await.unwrap().id;
    for worker in ["a", "b", "c"] {
        die(&store, worker).await;
    }
    let other = store.enqueue(&task("other")).await.unwrap().id;
    let claimed = store.claim_up_to(&request("d", LONG), 5).await.unwrap();
    assert_eq!(claimed.iter().map(|(task, _)| task.id).collect::<Vec<_>>(), [other]);
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Quarantined);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn unreadable_task_does_not_fail_batch_claim(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    store.enqueue(&task("unreadable")).await.unwrap();
    let readable = store.enqueue(&task("readable")).await.unwrap().id;
    database.execute("UPDATE task_queue SET context_json = 'not JSON' WHERE target = 'unreadable'").await;
    let claimed = store.claim_up_to(&request("w", LONG), 5).await.unwrap();
    assert_eq!(claimed.iter().map(|(task, _)| task.id).collect::<Vec<_>>(), [readable]);
    database.expire_leases().await;
    store.release(&claimed[0].1).await.unwrap();
    store.request_cancel(readable).await.unwrap();
    let alone = store.claim_up_to(&request("w", LONG), 5).await;
    assert!(matches!(alone, Err(StoreError::Corrupt { .. })), "{alone:?}");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn one_task_of_a_target_runs_at_a_time(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&NewTask { kind: TaskKind::RefreshSource, ..task("s") }).await.unwrap();
    store.enqueue(&NewTask { kind: TaskKind::FixSource, ..task("s") }).await.unwrap();
    store.enqueue(&task("other")).await.unwrap();
    let (first, lease) = store.claim(&request("a", LONG)).await.unwrap().unwrap();
    assert_eq!(first.kind, TaskKind::RefreshSource);
    let (second, _) = store.claim(&request("b", LONG)).await.unwrap().unwrap();
    assert_eq!(second.target, "other");
    assert!(store.claim(&request("c", LONG)).await.unwrap().is_none());
    store.release(&lease).await.unwrap();
    let (third, _) = store.claim(&request("c", LONG)).await.unwrap().unwrap();
    assert_eq!((third.target.as_str(), third.kind), ("s", TaskKind::RefreshSource));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn the_smallest_priority_number_then_the_longest_ready_goes_first(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    for (target, priority, run_at) in [("late", 5, 20), ("urgent", 1, 30), ("early", 5, 10), ("lazy", 9, 0)] {
        let asked = NewTask { priority, run_at: Timestamp::from_millis(run_at), ..task(target) };
        store.enqueue(&asked).await.unwrap();
    }
    let mut order = Vec::new();
    while let Some((task, _)) = store.claim(&request("w", LONG)).await.unwrap() {
        order.push(task.target);
    }
    assert_eq!(order, ["urgent", "early", "late", "lazy"]);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_task_waits_for_its_time_its_host_its_kind_and_its_name(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let far = Timestamp::from_millis(i64::MAX / 2);
    let later = store.enqueue(&NewTask { run_at: far, ..task("later") }).await.unwrap().id;
    let elsewhere = store.enqueue(&NewTask { host: Some("there".to_owned()), ..task("elsewhere") }).await.unwrap().id;
    assert!(store.claim(&request("w", LONG)).await.unwrap().is_none());
    assert!(store.claim(&ClaimRequest { only: Some(later), ..request("w", LONG) }).await.unwrap().is_none());

    let there = ClaimRequest { host: "there".to_owned(), ..request("w", LONG) };
    assert!(store.claim(&ClaimRequest { kinds: Vec::new(), ..there.clone() }).await.unwrap().is_none());
    let sources = ClaimRequest { kinds: vec![TaskKind::AddSource, TaskKind::FixSource], ..there.clone() };
    assert!(store.claim(&sources).await.unwrap().is_none());
    let also_ready = store.enqueue(&task("also-ready")).await.unwrap().id;
    let (named, _) = store.claim(&ClaimRequest { only: Some(also_ready), ..there.clone() }).await.unwrap().unwrap();
    assert_eq!(named.id, also_ready);
    assert_eq!(store.claim(&there).await.unwrap().unwrap().0.id, elsewhere);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_pending_task_is_cancelled_at_once_and_a_running_one_is_told(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let pending = store.enqueue(&task("p")).await.unwrap().id;
    assert!(store.request_cancel(pending).await.unwrap());
    assert_eq!(store.task(pending).await.unwrap().unwrap().state, TaskState::Cancelled);
    assert!(!store.request_cancel(pending).await.unwrap(), "it is not open any more");
    assert!(!store.request_cancel(TaskId(4711)).await.unwrap());

    let running = store.enqueue(&task("r")).await.unwrap().id;
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    assert!(store.request_cancel(running).await.unwrap());
    assert_eq!(store.task(running).await.unwrap().unwrap().state, TaskState::InProgress);
    assert!(store.heartbeat(&lease, LONG).await.unwrap().cancel_requested);
    store.release(&lease).await.unwrap();
    let ended = store.task(running).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.completed_at.is_some()), (TaskState::Cancelled, true));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn failures_are_retried_later_until_they_are_used_up(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let id = store.enqueue(&NewTask { max_retries: 1, ..task("t") }).await.unwrap().id;
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    assert_eq!(store.fail(&lease, "no\u{0}disk", NO_TIME).await.unwrap(), TaskState::Pending);
    let waiting = store.task(id).await.unwrap().unwrap();
    assert_eq!((waiting.retry_count, waiting.error_message.as_deref()), (1, Some("no\u{fffd}disk")));
    assert_eq!((waiting.lease_owner, waiting.lease_until, waiting.completed_at), (None, None, None));

    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    assert_eq!(store.fail(&lease, "again", LONG).await.unwrap(), TaskState::Quarantined);
    let failed = store.task(id).await.unwrap().unwrap();
    assert_eq!((failed.retry_count, failed.completed_at.is_some()), (2, true));
    assert!(store.claim(&request("w", LONG)).await.unwrap().is_none());
    let alerts = store.alerts(&AlertFilter::about("t", 10)).await.unwrap();
    assert_eq!(alerts.iter().map(|alert| alert.kind.as_str()).collect::<Vec<_>>(), ["DEAD_LETTER"]);
    let message = &alerts[0].message;
    assert!(message.contains("again") && message.contains(&format!("autoheal tasks retry {id}")), "{message}");
    let reach = Reach { post: true, mail: true };
    let claimed = store.claim_notice(store.now(), store.now().plus(LONG), reach).await.unwrap().unwrap();
    assert_eq!((claimed.alert, claimed.body["kind"].as_str()), (Some(alerts[0].alert), Some("DEAD_LETTER")));

    assert!(store.reopen(id).await.unwrap());
    assert!(!store.reopen(id).await.unwrap(), "it is open");
    let (again, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    assert_eq!((again.retry_count, again.lease_epoch, again.completed_at), (0, 3, None));
    assert_eq!(store.fail(&lease, "later", LONG).await.unwrap(), TaskState::Pending);
    assert!(store.claim(&request("w", LONG)).await.unwrap().is_none(), "not before its time");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn of_one_target_there_is_one_dead_letter_alert_a_day(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    for ago in ["0", "82800000", "7200000"] {
        let earlier = format!("UPDATE alert SET created_at = created_at - {ago}");
        database.execute(earlier).await;
        store.enqueue(&NewTask { max_retries: 0, ..task("t") }).await.unwrap();
        let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
        assert_eq!(store.fail(&lease, "no", NO_TIME).await.unwrap(), TaskState::Quarantined);
    }
    let told = store.alerts(&AlertFilter::about("t", 10)).await.unwrap();
    let hours = told[0].created_at.since(told[1].created_at).as_secs() / 3600;
    assert_eq!((told.len(), hours), (2, 25), "the second, 23 hours after the first, is left out");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_closed_task_makes_room_for_the_same_work(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let first = store.enqueue(&task("t")).await.unwrap();
    store.request_cancel(first.id).await.unwrap();
    let second = store.enqueue(&task("t")).await.unwrap();
    assert!(second.created && second.id != first.id);
    assert!(!store.reopen(first.id).await.unwrap(), "the same work is open under another number");
    assert_eq!(store.enqueue(&task("t")).await.unwrap(), Enqueued { id: second.id, created: false });
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn tasks_are_listed_by_state_kind_and_target_the_newest_first(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let a = store.enqueue(&task("a")).await.unwrap().id;
    let b = store.enqueue(&NewTask { kind: TaskKind::FixSource, ..task("b") }).await.unwrap().id;
    let c = store.enqueue(&task("c")).await.unwrap().id;
    store.request_cancel(c).await.unwrap();
    let list = |filter: TaskFilter| {
        let store = store.clone();
        async move { store.tasks(&filter).await.unwrap().into_iter().map(|task| task.id).collect::<Vec<_>>() }
    };
    assert_eq!(list(TaskFilter::default()).await, [c, b, a]);
    assert_eq!(list(TaskFilter { limit: 1, ..TaskFilter::default() }).await, [c]);
    assert_eq!(list(TaskFilter { state: Some(TaskState::Pending), ..TaskFilter::default() }).await, [b, a]);
    assert_eq!(list(TaskFilter { kind: Some(TaskKind::HealRepo), ..TaskFilter::default() }).await, [c, a]);
    assert_eq!(list(TaskFilter { target: Some("b".to_owned()), ..TaskFilter::default() }).await, [b]);
}

#[tokio::test]
async fn a_target_that_cannot_be_stored_is_refused() {
    let database = Engine::Memory.database().await.unwrap();
    for target in [String::new(), "x".repeat(2001), "a\u{0}b".to_owned()] {
        let refused = database.store.enqueue(&task(&target)).await;
        assert!(matches!(refused, Err(StoreError::Refused { what: "the target", .. })), "{refused:?}");
    }
}

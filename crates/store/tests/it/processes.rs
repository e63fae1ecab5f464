//! Several real processes on one database. A child is this test binary started again on [`worker_process`].

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use autoheal_engine::budget::Limits;
use autoheal_engine::event::EventBody;
use autoheal_engine::ledger::{CallLedger as _, Planned};
use autoheal_engine::task::{Lease, TaskState};
use autoheal_engine::workflow::Ending;
use autoheal_engine::{Outcome, RunId, StopReason, TaskId, Timestamp};
use autoheal_store::{AlertFilter, Checkpoint, FinishedRun, NewRun, RunFilter, Store, StoreError, TaskFilter, UsageBy};
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

use crate::database::Engine;
use crate::ledger::{call, planned};
use crate::queue::{LONG, request, task};

const URL: &str = "STORE_TEST_URL";
const PART: &str = "STORE_TEST_PART";

/// A child process that reads commands from its standard input and answers with lines that begin with `>`.
struct Worker {
    child: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    #[expect(clippy::disallowed_methods, reason = "the test binary itself")]
    fn start(part: &str, url: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["processes::worker_process", "--exact", "--ignored", "--nocapture"])
            .env(PART, part)
            .env(URL, url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, answers }
    }

    fn answer(&mut self) -> Option<String> {
        self.answers.by_ref().map(Result::unwrap).find_map(|line| Some(line.split_once('>')?.1.to_owned()))
    }

    fn go_on(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(line: impl std::fmt::Display) {
    println!(">{line}");
}

fn wait_for_a_line() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
#[ignore = "not a test: what the worker processes of the other tests do"]
fn worker_process() {
    let (Ok(url), Ok(part)) = (std::env::var(URL), std::env::var(PART)) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&url).await.unwrap();
        match part.as_str() {
            "drain" => drain(&store).await,
            "hold" => hold(&store).await,
            "spend" => spend(&store).await,
            "race" => race(&store).await,
            "reserve and die" => reserve_and_die(&store).await,
            "die" => die(&store, false).await,
            "advance and die" => die(&store, true).await,
            other => panic!("no part {other}"),
        }
    });
}

/// Works until nothing is ready, two tasks at a time.
async fn drain(store: &Store) {
    say("ready");
    wait_for_a_line();
    let worker = async |name: &str| {
        while let Some((task, lease)) = store.claim(&request(name, LONG)).await.unwrap() {
            let run = begin(store, &lease).await;
            finish(store, &lease, run).await.unwrap();
            say(task.id);
        }
    };
    tokio::join!(worker("one"), worker("two"));
}

/// The worst case of a call in [`planned`] is 1,000.
const BUDGET: u64 = 50_000;

fn of_today() -> Planned {
    let per_day = Limits { micro_dollars: Some(BUDGET), ..Limits::default() };
    Planned { per_day, ..planned(RunId(Uuid::now_v7())) }
}

/// Makes calls, three at a time, until the day's money is used up.
async fn spend(store: &Store) {
    say("ready");
    wait_for_a_line();
    let caller = async || {
        let mut calls = 0;
        while let Ok(reservation) = store.reserve(of_today()).await.unwrap() {
            calls += 1;
            store.settle(reservation, call("a/b", Some(if calls % 3 == 0 { 1000 } else { 400 }))).await.unwrap();
        }
        say(calls);
    };
    tokio::join!(caller(), caller(), caller());
}

/// Limits for which processes race, each of which lets in [`FIRST`].
const RACES: u128 = 60;
const FIRST: u64 = 3;

/// Reserves for one run after the other, with six tasks at a time, and settles nothing: an excess over a limit would stay.
async fn race(store: &Store) {
    let per_run = Limits { calls: Some(FIRST), ..Limits::default() };
    say("ready");
    wait_for_a_line();
    for number in 0..RACES {
        let mut reserving = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (store, wanted) = (store.clone(), Planned { per_run, ..planned(RunId(Uuid::from_u128(number))) });
            reserving.spawn(async move { store.reserve(wanted).await.unwrap().is_ok() });
        }
        say(reserving.join_all().await.into_iter().filter(|is_admitted| *is_admitted).count());
    }
}

/// Dies with four calls under way.
async fn reserve_and_die(store: &Store) {
    for _ in 0..4 {
        store.reserve(of_today()).await.unwrap().unwrap();
    }
    std::process::abort();
}

/// Claims a task, stores one checkpoint, and is then too late with the second.
async fn hold(store: &Store) {
    let (_, lease) = store.claim(&request("late", LONG)).await.unwrap().unwrap();
    let run = begin(store, &lease).await;
    store.checkpoint(&lease, &checkpoint(run, 1), &[], &[]).await.unwrap();
    say(run);
    wait_for_a_line();
    assert!(!store.holds(&lease).await.unwrap());
    let late = store.checkpoint(&lease, &checkpoint(run, 2), &[], &[]).await;
    say(matches!(late, Err(StoreError::LeaseLost(_))));
    say(matches!(finish(store, &lease, run).await, Err(StoreError::LeaseLost(_))));
}

/// Goes on with the run of the one task, or begins it, and takes the process down, after one more checkpoint or without.
async fn die(store: &Store, advance: bool) {
    let (task, lease) = store.claim(&request("pill", LONG)).await.unwrap().unwrap();
    let run = match store.open_run(task.id).await.unwrap() {
        Some(row) => row.run,
        None => begin(store, &lease).await,
    };
    if advance {
        let last = store.last_checkpoint(run).await.unwrap().map_or(0, |last| last.seq);
        store.checkpoint(&lease, &checkpoint(run, last + 1), &[], &[]).await.unwrap();
    }
    std::process::abort();
}

async fn begin(store: &Store, lease: &Lease) -> RunId {
    let run = RunId(Uuid::now_v7());
    let new = NewRun {
        run,
        workflow: "repo".to_owned(),
        target: "t".to_owned(),
        started_at: Timestamp::from_millis(1),
        event: EventBody::RunStarted { target: "t".to_owned() },
    };
    store.begin_run(lease, &new).await.unwrap();
    run
}

fn checkpoint(run: RunId, seq: i64) -> Checkpoint {
    Checkpoint {
        run,
        seq,
        node: "analyze".to_owned(),
        next_node: Some("discover".to_owned()),
        state_version: 1,
        state: json!({"commit": "abc"}),
        at: Timestamp::from_millis(2),
    }
}

async fn finish(store: &Store, lease: &Lease, run: RunId) -> Result<(), StoreError> {
    let (outcome, stop_reason) = (Outcome::Fixed, StopReason::Green);
    let ending = Ending { outcome, stop_reason, results: json!({}), report: "done".to_owned() };
    let at = Timestamp::from_millis(3);
    let events = [(at, EventBody::RunFinished { outcome: None, stop_reason: "GREEN".to_owned() })];
    let end = FinishedRun { run, ending: &ending, at, task_state: TaskState::Completed, events: &events, records: &[] };
    store.finish(lease, &end).await
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn four_thousand_tasks_are_each_done_once_by_three_processes(#[case] engine: Engine) {
    const TASKS: usize = 4000;
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let mut adding = tokio::task::JoinSet::new();
    for number in 0..TASKS {
        let store = store.clone();
        // Two kinds of work for each target, so that the workers also meet targets that are busy.
        let kind = [autoheal_engine::task::TaskKind::HealRepo, autoheal_engine::task::TaskKind::FixSource][number % 2];
        let asked = autoheal_engine::task::NewTask { kind, ..task(&format!("target-{}", number / 2)) };
        adding.spawn(async move { assert!(store.enqueue(&asked).await.unwrap().created) });
    }
    adding.join_all().await;

    let mut workers = [(); 3].map(|()| Worker::start("drain", &database.url));
    for worker in &mut workers {
        assert_eq!(worker.answer().as_deref(), Some("ready"));
    }
    workers.iter_mut().for_each(Worker::go_on);
    let done: Vec<Vec<TaskId>> = std::thread::scope(|scope| {
        let readers: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                scope.spawn(|| std::iter::from_fn(|| worker.answer()).map(|id| TaskId(id.parse().unwrap())).collect())
            })
            .collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    for worker in &mut workers {
        assert!(worker.child.wait().unwrap().success());
    }

    let mut times = BTreeMap::new();
    for id in done.iter().flatten() {
        *times.entry(*id).or_insert(0) += 1;
    }
    assert_eq!((times.len(), times.values().max()), (TASKS, Some(&1)));
    assert!(done.iter().all(|done| !done.is_empty()), "every process took part");
    let tasks = store.tasks(&TaskFilter { limit: 10_000, ..TaskFilter::default() }).await.unwrap();
    assert!(tasks.iter().all(|task| (task.state, task.lease_epoch) == (TaskState::Completed, 1)));
    assert_eq!((tasks.len(), store.runs(&RunFilter::newest(10_000)).await.unwrap().len()), (TASKS, TASKS));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn the_task_of_a_killed_process_goes_on_where_it_stopped(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    store.enqueue(&task("t")).await.unwrap();
    let mut worker = Worker::start("hold", &database.url);
    let run: RunId = worker.answer().unwrap().parse().unwrap();
    worker.child.kill().unwrap();
    worker.child.wait().unwrap();

    assert!(store.claim(&request("next", LONG)).await.unwrap().is_none(), "its lease still has time");
    database.expire_leases().await;
    let (task, lease) = store.claim(&request("next", LONG)).await.unwrap().unwrap();
    assert_eq!((lease.epoch, task.retry_count), (2, 0));
    assert_eq!(store.open_run(task.id).await.unwrap().unwrap().run, run);
    assert_eq!(store.last_checkpoint(run).await.unwrap().unwrap(), checkpoint(run, 1));
    store.checkpoint(&lease, &checkpoint(run, 2), &[], &[]).await.unwrap();
    finish(store, &lease, run).await.unwrap();
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_process_that_slept_past_its_lease_is_refused(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    store.enqueue(&task("t")).await.unwrap();
    let mut worker = Worker::start("hold", &database.url);
    let run: RunId = worker.answer().unwrap().parse().unwrap();
    database.expire_leases().await;
    let (_, lease) = store.claim(&request("next", LONG)).await.unwrap().unwrap();
    worker.go_on();
    assert_eq!((worker.answer().as_deref(), worker.answer().as_deref()), (Some("true"), Some("true")));
    assert!(worker.child.wait().unwrap().success());
    assert_eq!(store.checkpoints(run).await.unwrap(), [checkpoint(run, 1)]);
    assert_eq!(store.open_run(lease.task).await.unwrap().unwrap().run, run);
}

/// Starts a process that claims the task and dies of it, and lets the time of its lease pass.
async fn let_one_die(database: &crate::database::TestDatabase, part: &str) {
    let mut worker = Worker::start(part, &database.url);
    assert!(!worker.child.wait().unwrap().success());
    database.expire_leases().await;
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_task_that_kills_its_process_is_given_to_three_and_no_more(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let id = store.enqueue(&task("t")).await.unwrap().id;
    for _ in 0..3 {
        let_one_die(&database, "die").await;
    }
    assert!(store.claim(&request("next", LONG)).await.unwrap().is_none());
    let dead = store.task(id).await.unwrap().unwrap();
    assert_eq!((dead.state, dead.deaths), (TaskState::Quarantined, 3));
    let run = store.last_run(id).await.unwrap().unwrap();
    assert_eq!((run.stop_reason.as_deref(), run.outcome), (Some("DEAD_LETTER"), Some(Outcome::Failed)));
    assert_eq!(store.alerts(&AlertFilter::about("t", 10)).await.unwrap().len(), 1);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_run_that_gets_further_each_time_survives_any_number_of_deaths(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    store.enqueue(&task("t")).await.unwrap();
    for _ in 0..5 {
        let_one_die(&database, "advance and die").await;
    }
    let (task, lease) = store.claim(&request("next", LONG)).await.unwrap().unwrap();
    assert_eq!(task.deaths, 1, "the last, after its checkpoint");
    let run = store.open_run(task.id).await.unwrap().unwrap().run;
    assert_eq!(store.checkpoints(run).await.unwrap().len(), 5);
    finish(store, &lease, run).await.unwrap();
}

async fn spent(store: &Store) -> u64 {
    store.usage(Timestamp::default(), UsageBy::Model).await.unwrap().iter().map(|row| row.usage.micro_dollars).sum()
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn processes_that_race_for_the_last_money_never_pass_the_limit(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let mut dead = Worker::start("reserve and die", &database.url);
    assert!(!dead.child.wait().unwrap().success());
    let race = async || {
        let mut workers = [(); 4].map(|()| Worker::start("spend", &database.url));
        for worker in &mut workers {
            assert_eq!(worker.answer().as_deref(), Some("ready"));
        }
        workers.iter_mut().for_each(Worker::go_on);
        for worker in &mut workers {
            assert!(worker.child.wait().unwrap().success());
        }
        spent(&database.store).await
    };
    // The four calls of the process that died may have been made: what they may cost is kept.
    let spent = race().await;
    assert!((BUDGET - 4999..=BUDGET - 4000).contains(&spent), "{spent}");
    database.execute("UPDATE llm_reservation SET until = 1").await;
    let spent = race().await;
    assert!((BUDGET - 999..=BUDGET).contains(&spent), "{spent}");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn of_many_that_reserve_at_once_a_limit_lets_in_as_many_as_it_says(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let mut workers = [(); 4].map(|()| Worker::start("race", &database.url));
    for worker in &mut workers {
        assert_eq!(worker.answer().as_deref(), Some("ready"));
    }
    workers.iter_mut().for_each(Worker::go_on);
    for number in 0..RACES {
        let admitted: u64 = workers.iter_mut().map(|worker| worker.answer().unwrap().parse::<u64>().unwrap()).sum();
        assert_eq!(admitted, FIRST, "run {number}");
    }
}

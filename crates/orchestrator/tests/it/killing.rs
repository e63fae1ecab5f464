//! Workers in processes of their own, which are killed and stopped.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use autoheal_engine::TaskId;
use autoheal_engine::task::TaskState;
use autoheal_orchestrator::{Registry, TaskEnd, Worker, WorkerSettings};
use autoheal_store::{RunFilter, Store};
use autoheal_testkit::kill::{Scenario, kill_after_each_node};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rstest::rstest;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::database::{Database, Engine};
use crate::rows;
use crate::toy::{self, DONE, Toy, ToyNode};
use crate::walking::{finished, nodes_done, run, settings, worker};

const URL: &str = "AUTOHEAL_TEST_WORKER_URL";
const TASK: &str = "AUTOHEAL_TEST_WORKER_TASK";
const PAUSES: &str = "AUTOHEAL_TEST_WORKER_PAUSES";
const JOURNAL: &str = "AUTOHEAL_TEST_WORKER_JOURNAL";

/// No test of its own: the worker process that the tests below start, with this test's name as its argument.
#[tokio::test]
async fn worker_process() {
    let (Ok(url), Ok(task)) = (std::env::var(URL), std::env::var(TASK)) else { return };
    let store = Store::open(&url).await.unwrap();
    let toy = Toy::new(|node, _| {
        Box::pin(async move {
            if let Ok(journal) = std::env::var(JOURNAL) {
                let mut file = std::fs::OpenOptions::new().create(true).append(true).open(journal).unwrap();
                writeln!(file, "{node:?}").unwrap();
            }
            if node == ToyNode::Work && std::env::var_os(PAUSES).is_some() {
                eprintln!("paused");
                tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await.unwrap().unwrap();
            }
            Ok(())
        })
    });
    // No heartbeat comes after the pause has begun, as in a process that hangs.
    let settings =
        WorkerSettings { heartbeat: Duration::from_hours(1), lease: Duration::from_millis(500), ..settings() };
    let worker = Worker::new(store, settings, Registry::new().with(toy));
    let end = worker.run_task(TaskId(task.parse().unwrap()), CancellationToken::new()).await.unwrap();
    eprintln!("ended: {end:?}");
    assert!(matches!(end, TaskEnd::Finished { .. } | TaskEnd::LeaseLost), "{end:?}");
}

struct World {
    database: Database,
    task: TaskId,
    folder: tempfile::TempDir,
}

impl World {
    async fn new(engine: Engine) -> Option<Self> {
        let database = engine.database()?;
        let task = database.open().await.enqueue(&toy::task("one")).await.unwrap().id;
        Some(Self { database, task, folder: tempfile::TempDir::new().unwrap() })
    }

    #[expect(clippy::disallowed_methods, reason = "starts this very test binary")]
    fn worker(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "killing::worker_process", "--nocapture", "--test-threads=1"]);
        command.env(URL, &self.database.url).env(TASK, self.task.to_string());
        command.env(JOURNAL, self.journal_file());
        command
    }

    fn journal_file(&self) -> std::path::PathBuf {
        self.folder.path().join("journal")
    }

    fn journal(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.journal_file()).unwrap_or_default();
        text.lines().map(str::to_lowercase).collect()
    }

    /// A worker process that has entered the first `work` node and waits there.
    fn paused_worker(&self) -> (Child, BufReader<ChildStderr>) {
        let mut child = self
            .worker()
            .env(PAUSES, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stderr.take().unwrap());
        wait_for(&mut output, "paused");
        (child, output)
    }
}

/// Reads until a line that begins with `beginning`.
fn wait_for(output: &mut BufReader<ChildStderr>, beginning: &str) -> String {
    let mut heard = String::new();
    loop {
        let begin = heard.len();
        let length = output.read_line(&mut heard).unwrap();
        assert!(length > 0, "the worker ended before `{beginning}`:\n{heard}");
        let line = &heard[begin..];
        if line.starts_with(beginning) {
            return line.to_owned();
        }
    }
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

#[rstest]
fn killed_around_any_checkpoint_it_ends_the_same(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let runtime = Runtime::new().unwrap();
    if runtime.block_on(World::new(engine)).is_none() {
        return;
    }
    kill_after_each_node(&Scenario {
        fresh: &|| runtime.block_on(World::new(engine)).unwrap(),
        begin: &World::worker,
        resume: &World::worker,
        checkpoints: &|world| {
            runtime.block_on(async {
                let store = world.database.open().await;
                let run = store.runs(&RunFilter::newest(1)).await.unwrap()[0].run;
                store.last_checkpoint(run).await.unwrap().unwrap().seq
            })
        },
        end_state: &|world: &World| {
            runtime.block_on(async { rows::of_task(&world.database.open().await, world.task).await })
        },
    });
}

#[tokio::test]
async fn after_a_kill_only_the_node_without_a_checkpoint_is_run_again() {
    for (point, expected) in [
        ("before-checkpoint:2", ["fetch", "work", "work", "check", "work", "check"].as_slice()),
        ("after-checkpoint:2", &DONE),
    ] {
        let world = World::new(Engine::Sqlite).await.unwrap();
        assert!(!world.worker().env("AUTOHEAL_FAIL_POINT", point).output().unwrap().status.success());
        assert!(world.worker().output().unwrap().status.success());
        assert_eq!(world.journal(), expected, "killed at {point}");
    }
}

#[rstest]
#[tokio::test]
async fn a_killed_process_is_followed_by_another_at_the_next_node(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(world) = World::new(engine).await else { return };
    let store = world.database.open().await;
    let (mut child, _output) = world.paused_worker();
    signal(&child, Signal::SIGKILL);
    child.wait().unwrap();
    // A worker that serves everything finds the task when its lease has run out.
    let stop = CancellationToken::new();
    let follower = worker(&store, Toy::plain());
    let mut watcher = follower.feed().watch();
    let watching = async {
        loop {
            if matches!(watcher.recv().await.unwrap().body, autoheal_engine::event::EventBody::RunFinished { .. }) {
                return stop.cancel();
            }
        }
    };
    tokio::join!(follower.run_until(stop.clone()), watching);
    assert_eq!(store.task(world.task).await.unwrap().unwrap().state, TaskState::Completed);
    let runs = store.runs(&RunFilter::newest(10)).await.unwrap();
    assert_eq!(runs.len(), 1, "the same run");
    assert_eq!(nodes_done(&store, runs[0].run).await, DONE);
    assert_eq!(world.journal(), ["fetch", "work"], "what the killed process had begun");
}

#[rstest]
#[tokio::test]
async fn the_late_result_of_a_process_that_hung_is_refused(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let Some(world) = World::new(engine).await else { return };
    let store = world.database.open().await;
    let (mut child, mut output) = world.paused_worker();
    signal(&child, Signal::SIGSTOP);
    // Waits until the lease has run out: the process still exists, so nothing shorter is proof.
    let end = run(&worker(&store, Toy::plain()), world.task).await;
    assert_eq!(nodes_done(&store, finished(&end)).await, DONE);
    let rows = rows::of_task(&store, world.task).await;

    signal(&child, Signal::SIGCONT);
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert_eq!(wait_for(&mut output, "ended"), "ended: LeaseLost\n");
    assert!(child.wait().unwrap().success());
    assert_eq!(rows::of_task(&store, world.task).await, rows);
}

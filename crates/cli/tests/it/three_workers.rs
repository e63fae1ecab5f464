//! Three machines that share nothing but a PostgreSQL: whatever happens to them, every task ends exactly once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use autoheal_engine::TaskId;
use autoheal_engine::task::{NewTask, Task, TaskKind, TaskState};
use autoheal_orchestrator::Owner;
use autoheal_repo::HealRequest;
use autoheal_store::{RunFilter, Store, TaskFilter, system_time as now};
use autoheal_testkit::git_http::{Behaviour, GitHttp};
use autoheal_testkit::machines::{self, HUB, Machine};
use autoheal_testkit::postgres::Cluster;
use autoheal_testkit::repository::TestRepository;
use autoheal_testkit::site::Site;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::healing::sandbox;

/// More than the workers have healed when the last of them is interrupted.
const REPOSITORIES: usize = 8;
const SOURCES: usize = 3;

/// A module that does not parse, and a slow test, so that a worker can be interrupted in the middle.
const BROKEN: [(&str, &str); 4] = [
    ("shop/__init__.py", ""),
    (
        "shop/cart.py",
        "def total(prices)\n    result = 0\n    for price in prices:\n        result += price\n    return result\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_cart.py",
        "import time\nimport unittest\n\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    \
         def test_total(self):\n        time.sleep(1)\n        self.assertEqual(total([1, 2]), 3)\n",
    ),
];

const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// Nothing here takes as long.
const PATIENCE: Duration = Duration::from_mins(4);

#[test]
fn killed_frozen_and_cut_off_workers_leave_every_task_done_once() {
    const NAME: &str = "three_workers::killed_frozen_and_cut_off_workers_leave_every_task_done_once";
    if machines::enter(NAME) {
        Runtime::new().unwrap().block_on(scenario());
    }
}

/// Cluster, database, services and repositories that the machines share.
struct World {
    cluster: Cluster,
    store: Store,
    git: GitHttp,
    site: Site,
    repositories: Vec<PathBuf>,
    folder: TempDir,
}

impl World {
    async fn new() -> Option<Self> {
        let cluster = Cluster::start(HUB)?;
        let store = Store::open(cluster.url()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("git");
        fs::create_dir(&root).unwrap();
        let original = TestRepository::with_files(&BROKEN);
        let bare = |number: usize| {
            let bare = original.bare_copy(&root, &format!("repository{number}"));
            in_git(&bare, &["config", "core.logAllRefUpdates", "always"]);
            bare
        };
        let repositories = (0..REPOSITORIES).map(bare).collect();
        let (git, site) = (GitHttp::serve_at(HUB, &root, Behaviour::Open), Site::start_at(HUB).await);
        Some(Self { cluster, store, git, site, repositories, folder })
    }

    /// The machine's worker, with a home and a data folder of its own.
    fn worker(&self, number: u8, sandbox: &str) -> Worker {
        let home = self.folder.path().join(format!("machine{number}"));
        let settings = home.join(".config/autoheal");
        fs::create_dir_all(&settings).unwrap();
        fs::write(settings.join("autoheal.toml"), "[worker.kinds]\nheal_repo = 1\n").unwrap();
        let mut command = self.command(&home, &["worker", "--sandbox", sandbox, "--concurrency", "2"]);
        command.arg("--data-dir").arg(home.join("data"));
        let log = self.folder.path().join(format!("machine{number}.log"));
        let mut machine = Machine::new(number, &command, &log).with_relay(self.git.port());
        machine.begin();
        Worker { machine, home }
    }

    #[expect(clippy::disallowed_methods, reason = "starts the binary under test")]
    fn command(&self, home: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_autoheal"));
        command.args(arguments).env_clear().env("HOME", home).current_dir(home);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("AUTOHEAL_DATABASE_URL", self.cluster.url()).env("AUTOHEAL_LEASE_SECONDS", "4");
        command.env("AUTOHEAL_RETRY_SECONDS", "1");
        command.env("AUTOHEAL_ALLOW_PRIVATE", format!("[\"{HUB}\"]")).env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        command
    }

    async fn ask_for_everything(&self) {
        let home = Home::new();
        for number in 0..SOURCES {
            let path = format!("/article/{}", number + 1);
            let title = format!("title={}", self.site.values(&path)["title"].as_str().unwrap());
            let (url, name) = (self.site.url(&path), format!("source{number}"));
            let arguments = ["source", "add", url.as_str(), "--name", &name, "--example", &title];
            let added = Ended::of(&mut self.command(home.path(), &arguments));
            assert_eq!(added.code, Some(0), "{}", added.told());
            self.store.enqueue(&NewTask::new(TaskKind::RefreshSource, name, now())).await.unwrap();
        }
        for number in 0..REPOSITORIES {
            // What each machine takes for a server of its own leads to the one that they share.
            let address = format!("http://127.0.0.1:{}/repository{number}.git", self.git.port());
            let mut task = NewTask::new(TaskKind::HealRepo, address.as_str(), now());
            task.context = serde_json::to_value(HealRequest::new(address)).unwrap();
            self.store.enqueue(&task).await.unwrap();
        }
    }

    async fn tasks(&self, kind: TaskKind) -> Option<Vec<Task>> {
        self.store.tasks(&TaskFilter { kind: Some(kind), ..TaskFilter::default() }).await.ok()
    }

    /// The repository that a worker is in the middle of, if it is: a task, and the number of the claim. The worker has made progress: a
    /// task that takes down three workers without any is quarantined.
    async fn caught(&self, worker: &Worker) -> Option<(TaskId, i64)> {
        let has_progress = |task: &Task| worker.holds(task) && task.deaths == 0;
        for task in self.tasks(TaskKind::HealRepo).await?.into_iter().filter(has_progress) {
            let run = self.store.open_run(task.id).await.ok()??;
            let point = self.store.last_checkpoint(run.run).await.ok()??;
            if point.next_node.is_some() {
                return Some((task.id, task.lease_epoch));
            }
        }
        None
    }

    /// Returns `Some` if another worker has claimed the task since, or the task has ended.
    async fn was_taken_over(&self, (task, epoch): (TaskId, i64)) -> Option<()> {
        let row = self.store.task(task).await.ok()??;
        (row.lease_epoch > epoch || !row.state.is_open()).then_some(())
    }

    /// Polls until there is an answer. A database that is unavailable for the moment gives none.
    async fn until<T>(&self, what: &str, mut answer: impl AsyncFnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(answer) = answer().await {
                return answer;
            }
            assert!(begun.elapsed() < PATIENCE, "{what}: not yet\n{}", self.told().await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn told(&self) -> String {
        let mut told = format!("{:#?}\n", self.store.tasks(&TaskFilter::default()).await);
        for number in 1..=3 {
            let log = fs::read_to_string(self.folder.path().join(format!("machine{number}.log"))).unwrap_or_default();
            let _ = writeln!(told, "--- machine {number}\n{log}");
        }
        told
    }
}

struct Worker {
    machine: Machine,
    home: PathBuf,
}

impl Worker {
    fn holds(&self, task: &Task) -> bool {
        let owner = task.lease_owner.as_ref().and_then(|owner| owner.parse::<Owner>().ok());
        task.state == TaskState::InProgress && owner.is_some_and(|owner| owner.pid == self.machine.pid())
    }
}

async fn scenario() {
    let Some(sandbox) = sandbox() else { return };
    let Some(mut world) = World::new().await else { return };
    world.ask_for_everything().await;
    let mut workers = [1, 2, 3].map(|number| world.worker(number, sandbox));

    // One is killed in the middle, and its disk is lost.
    let [first, second, third] = &mut workers;
    let lost = world.until("the first is at work", async || world.caught(first).await).await;
    first.machine.signal("KILL");
    assert_eq!(first.machine.wait(), None, "it was killed");
    // Processes that it started may still be in the middle of a write: the folder is taken away from under them at once.
    fs::rename(&first.home, world.folder.path().join("lost")).unwrap();

    // One is frozen in the middle for longer than its lease, and then goes on as if nothing had been.
    let frozen = world.until("the second is at work", async || world.caught(second).await).await;
    second.machine.signal("STOP");
    world.until("what the frozen one had is taken over", async || world.was_taken_over(frozen).await).await;
    second.machine.signal("CONT");
    world.until("what the dead one had is taken over", async || world.was_taken_over(lost).await).await;

    // One loses its network in the middle for longer than its lease.
    let cut_off = world.until("the third is at work", async || world.caught(third).await).await;
    third.machine.cut_off();
    world.until("what the cut off one had is taken over", async || world.was_taken_over(cut_off).await).await;
    third.machine.reconnect();

    // The database goes away and comes back.
    world.until("the second is at work again", async || world.caught(second).await).await;
    world.cluster.restart();

    let ended = world
        .until("everything has ended", async || {
            let all = world.store.tasks(&TaskFilter::default()).await.ok()?;
            (!all.iter().any(|task| task.state.is_open())).then_some(all)
        })
        .await;
    for worker in [second, third] {
        assert!(worker.machine.is_alive(), "a worker did not survive:\n{}", world.told().await);
        worker.machine.signal("CONT");
        worker.machine.signal("TERM");
        assert_eq!(worker.machine.wait(), Some(0), "{}", world.told().await);
    }
    every_task_is_done_once(&world, &ended).await;
}

async fn every_task_is_done_once(world: &World, tasks: &[Task]) {
    let told = world.told().await;
    let runs = world.store.runs(&RunFilter::newest(1000)).await.unwrap();
    for task in tasks {
        assert_eq!((task.state, &task.lease_owner), (TaskState::Completed, &None), "{task:?}\n{told}");
        let of_task: Vec<_> = runs.iter().filter(|run| run.task == task.id).collect();
        assert_eq!(of_task.len(), 1, "one run: {of_task:?}\n{told}");
        assert!(of_task[0].finished_at.is_some(), "{of_task:?}");
    }
    for (number, repository) in world.repositories.iter().enumerate() {
        let address = format!("/repository{number}.git");
        let run = runs.iter().find(|run| run.target.ends_with(&address)).unwrap();
        let results = run.results.as_ref().unwrap();
        assert_eq!(run.stop_reason.as_deref(), Some("GREEN"), "{results:#}\n{told}");
        let commits = in_git(repository, &["rev-list", "--count", &format!("main..{BRANCH}")]);
        assert_eq!(commits, results["commit_count"].to_string());
        let pushes = in_git(repository, &["reflog", "show", "--format=%H", BRANCH]);
        assert_eq!(pushes.lines().count(), 1, "pushed once: {pushes}");
        assert_eq!(pushes, in_git(repository, &["rev-parse", BRANCH]));
    }
    for number in 0..SOURCES {
        let name = format!("source{number}");
        let good = runs.iter().filter(|run| run.target == name && run.is_well()).count();
        // Adding one counts as a run.
        let values = world.store.values(&name, autoheal_engine::Timestamp::default(), 100).await.unwrap();
        assert_eq!(values.len(), good, "{values:?}");
        let health = world.store.source(&name).await.unwrap().unwrap().health;
        assert_eq!(usize::try_from(health.success_count).unwrap(), good);
    }
}

fn in_git(repository: &Path, arguments: &[&str]) -> String {
    autoheal_testkit::repository::git(repository, arguments)
}

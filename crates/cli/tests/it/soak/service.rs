//! Programs that share a database, the inputs that they got, and the end of each.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use autoheal_engine::task::{NewTask, Task, TaskKind, TaskState};
use autoheal_engine::{JobId, TaskId};
use autoheal_repo::HealRequest;
use autoheal_repo::request::CommandLimits;
use autoheal_store::{RunFilter, RunRow, Store, TaskFilter, system_time as now};
use autoheal_testkit::repository::git;
use autoheal_testkit::site::Site;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::binary::{Ended, command_at, printed_address};

/// Limits under which a hostile input is done with soon.
fn limits() -> CommandLimits {
    CommandLimits {
        test_seconds: 15,
        run_seconds: 120,
        install_seconds: 60,
        search_seconds: 5,
        memory_mib: 512,
        disk_mib: 256,
        ..CommandLimits::default()
    }
}

/// The settings file of each program.
fn settings() -> String {
    let CommandLimits { test_seconds, run_seconds, install_seconds, search_seconds, memory_mib, disk_mib, .. } =
        limits();
    format!(
        "[heal]
test_seconds = {test_seconds}
run_seconds = {run_seconds}
install_seconds = {install_seconds}
search_seconds = {search_seconds}
memory_mib = {memory_mib}
disk_mib = {disk_mib}

[worker]
retry_seconds = 1
lease_seconds = 6
memory_mib = 768
concurrency = 2

[worker.kinds]
heal_repo = 1

[fetch]
allow_private = ['127.0.0.1']
host_interval_millis = 0
"
    )
}

const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// The address of the server, and its token.
pub(super) struct Entrance {
    pub(super) address: String,
    pub(super) token: String,
}

/// A request that was sent to the service, with its task.
struct Asked {
    task: TaskId,
    name: String,
    is_hostile: bool,
    /// The repository that is to be healed.
    repository: Option<PathBuf>,
}

/// Programs that share a database.
pub(super) struct Service {
    folder: PathBuf,
    database: Option<String>,
    sandbox: String,
    store: Store,
    programs: Mutex<BTreeMap<usize, Child>>,
    asked: Mutex<Vec<Asked>>,
}

impl Service {
    /// A service whose programs have their homes in `folder`, and their database there or where an address says.
    pub(super) async fn new(folder: &Path, database: Option<&str>, sandbox: &str) -> Self {
        let store = if let Some(address) = database {
            Store::open(address).await.unwrap()
        } else {
            let data = folder.join("home0/.local/share/autoheal");
            fs::create_dir_all(&data).unwrap();
            Store::open_file(&data.join("autoheal.db")).await.unwrap()
        };
        let (programs, asked) = (Mutex::default(), Mutex::default());
        Self {
            folder: folder.to_owned(),
            database: database.map(str::to_owned),
            sandbox: sandbox.to_owned(),
            store,
            programs,
            asked,
        }
    }

    fn command(&self, number: usize, arguments: &[&str]) -> Command {
        let home = self.folder.join(format!("home{number}"));
        let folder = home.join(".config/autoheal");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("autoheal.toml"), settings()).unwrap();
        let mut command = command_at(&home, arguments);
        command.env("AUTOHEAL_SANDBOX", &self.sandbox);
        if let Some(address) = &self.database {
            command.env("AUTOHEAL_DATABASE_URL", address);
        }
        command
    }

    fn log(&self, number: usize) -> fs::File {
        let file = self.folder.join(format!("log{number}.txt"));
        fs::OpenOptions::new().create(true).append(true).open(file).unwrap()
    }

    /// Adds a source that reads a title, which is the page's now.
    pub(super) fn add_source(&mut self, site: &Site, path: &str, name: &str) {
        let title = format!("title={}", site.values(path)["title"].as_str().unwrap());
        let url = site.url(path);
        let ended =
            Ended::of(&mut self.command(0, &["source", "add", url.as_str(), "--name", name, "--example", &title]));
        assert_eq!(ended.code, Some(0), "{}", ended.told());
    }

    /// Starts the server, which may heal what lies in a folder.
    pub(super) fn serve(&mut self, repositories: &Path) -> Entrance {
        let mut command = self.command(0, &["serve", "--addr", "127.0.0.1:0"]);
        command.env("AUTOHEAL_REPOSITORIES", json!([repositories]).to_string());
        let mut program = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(program.stderr.take().unwrap()).lines().map_while(Result::ok);
        let printed = printed_address(&mut lines);
        let (address, token) = printed.as_deref().and_then(|printed| printed.split_once("/#token=")).unwrap();
        let entrance = Entrance { address: address.to_owned(), token: token.to_owned() };
        let mut log = self.log(0);
        // A pipe that nobody reads would hold the program up.
        std::thread::spawn(move || {
            lines.try_for_each(|line| std::io::Write::write_all(&mut log, format!("{line}\n").as_bytes()))
        });
        self.programs.get_mut().unwrap().insert(0, program);
        entrance
    }

    /// Starts a worker with a home of its own.
    pub(super) fn work(&self, number: usize) {
        let mut command = self.command(number, &["worker"]);
        let program = command.stdout(Stdio::null()).stderr(self.log(number)).spawn().unwrap();
        self.programs.lock().unwrap().insert(number, program);
    }

    /// Kills a worker as a machine without memory does, and starts it anew.
    pub(super) fn kill_and_start_again(&self, number: usize) {
        let mut program = self.programs.lock().unwrap().remove(&number).unwrap();
        program.kill().unwrap();
        program.wait().unwrap();
        self.work(number);
    }

    pub(super) fn pids(&self) -> Vec<u32> {
        self.programs.lock().unwrap().values().map(Child::id).collect()
    }

    /// Lets every program end as an administrator does.
    pub(super) fn stop(&self) {
        for (number, program) in self.programs.lock().unwrap().iter_mut() {
            assert!(program.try_wait().unwrap().is_none(), "program {number} did not survive");
            kill(Pid::from_raw(i32::try_from(program.id()).unwrap()), Signal::SIGTERM).unwrap();
            assert_eq!(program.wait().unwrap().code(), Some(0), "program {number}");
        }
    }

    async fn tasks(&self) -> Vec<Task> {
        self.store.tasks(&TaskFilter { limit: 1_000_000, ..TaskFilter::default() }).await.unwrap()
    }

    /// Returns whether every task has ended, also those that followed from others.
    pub(super) async fn is_done(&self) -> bool {
        self.tasks().await.iter().all(|task| !task.state.is_open() || task.run_at > now().plus(Duration::from_mins(5)))
    }

    /// Waits until fewer than `most` tasks are open; returns `false` when the end came first.
    pub(super) async fn has_room(&self, most: usize, end: Instant) -> bool {
        loop {
            if Instant::now() >= end {
                return false;
            }
            if self.tasks().await.iter().filter(|task| task.state.is_open()).count() < most {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn note(&self, task: TaskId, name: &str, is_hostile: bool, repository: Option<PathBuf>) {
        self.asked.lock().unwrap().push(Asked { task, name: name.to_owned(), is_hostile, repository });
    }

    /// Asks the server for the healing of a repository on its machine.
    pub(super) async fn ask_for_job(&self, entrance: &Entrance, name: &str, is_hostile: bool, repository: PathBuf) {
        let asked = json!({"repositoryUrl": repository, "teamName": "AUTOHEAL", "leaderName": "BOT"}).to_string();
        let request =
            reqwest::Client::new().post(format!("{}/api/heal", entrance.address)).bearer_auth(&entrance.token);
        let answer = request.header("Content-Type", "application/json").body(asked).send().await.unwrap();
        let answer: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        let job: JobId = answer["jobId"].as_str().ok_or(&answer).unwrap().parse().unwrap();
        let task = self.store.job(job).await.unwrap().unwrap().task;
        self.note(task.id, name, is_hostile, Some(repository.join(".git")));
    }

    /// Puts a repository at an address into the queue.
    pub(super) async fn ask_for_repository(&self, name: &str, is_hostile: bool, address: String, repository: PathBuf) {
        git(&repository, &["config", "core.logAllRefUpdates", "always"]);
        let mut task = NewTask::new(TaskKind::HealRepo, address.as_str(), now());
        task.context = serde_json::to_value(HealRequest { limits: limits(), ..HealRequest::new(address) }).unwrap();
        let task = self.store.enqueue(&task).await.unwrap().id;
        self.note(task, name, is_hostile, Some(repository));
    }

    /// Puts the reading of a source into the queue, unless it is there.
    pub(super) async fn ask_for_source(&self, name: &str, is_hostile: bool) {
        let task = self.store.enqueue(&NewTask::new(TaskKind::RefreshSource, name, now())).await.unwrap();
        if task.created {
            self.note(task.id, name, is_hostile, None);
        }
    }

    /// Prints the end of every input, and fails when one is not as it has to be.
    #[expect(clippy::print_stdout, reason = "the figures of the bench")]
    pub(super) async fn hold_to_account(&self, title: &str) {
        let tasks: BTreeMap<TaskId, Task> = self.tasks().await.into_iter().map(|task| (task.id, task)).collect();
        let mut runs: BTreeMap<TaskId, Vec<RunRow>> = BTreeMap::new();
        for run in self.store.runs(&RunFilter::newest(1_000_000)).await.unwrap() {
            runs.entry(run.task).or_default().push(run);
        }
        let mut ends: BTreeMap<String, usize> = BTreeMap::new();
        let mut faults = Vec::new();
        for asked in self.asked.lock().unwrap().iter() {
            let of_task = runs.get(&asked.task).map_or(&[][..], Vec::as_slice);
            let Some(task) = tasks.get(&asked.task) else {
                faults.push(format!("{}: the task is lost", asked.name));
                continue;
            };
            let reason = of_task.first().and_then(|run| run.stop_reason.as_deref()).unwrap_or("-");
            let end = format!("{} {} {reason}", asked.name, task.state.name());
            let fault = asked.fault(task, of_task);
            faults.extend(fault.map(|fault| format!("{end}: {fault}\n{task:#?}\n{of_task:#?}")));
            *ends.entry(end).or_default() += 1;
        }
        println!("{title}: {} tasks asked for, {} in all", self.asked.lock().unwrap().len(), tasks.len());
        for (end, count) in ends {
            println!("  {count:>5}  {end}");
        }
        let taken_over: i64 = tasks.values().map(|task| (task.lease_epoch - 1).max(0)).sum();
        println!("  {taken_over:>5}  claims beyond a task's first");
        assert!(faults.is_empty(), "{title}: {}", faults.join("\n"));
    }
}

impl Asked {
    /// A fault in the end of a task.
    fn fault(&self, task: &Task, runs: &[RunRow]) -> Option<String> {
        if task.state.is_open() || runs.iter().any(|run| run.finished_at.is_none()) {
            return Some("it has not ended".to_owned());
        }
        let is_well = runs.iter().any(RunRow::is_well);
        if self.is_hostile {
            return is_well.then(|| "something hostile is called well".to_owned());
        }
        if task.state != TaskState::Completed || runs.len() != 1 || !is_well {
            return Some(format!("{} runs, well: {is_well}", runs.len()));
        }
        let repository = self.repository.as_ref()?;
        let updates = git(repository, &["reflog", "show", "--format=%H", BRANCH]).lines().count();
        (updates != 1).then(|| format!("the branch was written {updates} times"))
    }
}

impl Drop for Service {
    #[expect(clippy::print_stderr, reason = "what the programs said explains a failure")]
    fn drop(&mut self) {
        for program in self.programs.get_mut().unwrap().values_mut() {
            // It may have ended by itself.
            let _ = program.kill();
            let _ = program.wait();
        }
        if std::thread::panicking() {
            for number in 0..=3 {
                let log = fs::read_to_string(self.folder.join(format!("log{number}.txt"))).unwrap_or_default();
                eprintln!("--- {} {number}\n{log}", self.folder.display());
            }
        }
    }
}

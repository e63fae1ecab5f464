//! A service under load: `serve` on SQLite and three workers on PostgreSQL get repositories, sources and pages of which every tenth is
//! hostile, while one worker after the other is killed. Nothing is lost or done twice, nothing hostile is called well, nothing is left.
//!
//! A test runs it for two minutes; `cargo xtask bench soak --minutes N` runs it for longer, and holds it to its goals of speed and memory.
//!
//! # Layout
//!
//! - [`inputs`]: ordinary and hostile repositories and pages
//! - [`service`]: programs on one database, the inputs that they got, and the end of each
//! - [`watch`]: how soon the server answers, memory, processes, disk

mod inputs;
mod service;
mod watch;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use autoheal_testkit::git_http::{Behaviour, GitHttp};
use autoheal_testkit::site::{Plan, Site};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::inputs::{HOSTILE_PAGES, HOSTILE_REPOSITORIES, Kind, ORDINARY_REPOSITORY};
use self::service::{Entrance, Service};
use self::watch::{Processes, Pulse, size, until};
use crate::healing::sandbox;

/// The variable with the minutes of load. Where it is set, speed is held to its goal; a test alone says nothing of speed.
const MINUTES: &str = "AUTOHEAL_SOAK_MINUTES";

/// One hostile input among this many.
const HOSTILE_EACH: usize = 10;

/// The most that this share of the questions whether the server is alive may take.
const LATENCY_GOAL: (f64, Duration) = (0.99, Duration::from_millis(50));

/// The most that the process of a server or a worker may hold, in KiB: untrusted text is read in others.
const MEMORY_OF_ONE: u64 = 512 << 10;

/// The most that may lie in the folders of all programs when all is done, in bytes.
const DISK: u64 = 1 << 30;

/// The time in which everything that is under way at the end has to end.
const PATIENCE: Duration = Duration::from_mins(10);

/// Ordinary sources of each service.
const SOURCES: usize = 4;

#[test]
fn every_tenth_input_is_hostile_and_workers_die() {
    let Some(sandbox) = sandbox() else { return };
    let Some(database) = autoheal_testkit::postgres::database() else { return };
    Runtime::new().unwrap().block_on(async {
        let world = World::new(sandbox, &database).await;
        world.soak().await;
    });
}

struct World {
    folder: TempDir,
    git: GitHttp,
    site: Site,
    hostile_site: Site,
    /// The server with a database in a file.
    server: Service,
    entrance: Entrance,
    /// Three workers with a database that they share.
    workers: Service,
    length: Duration,
    is_measured: bool,
}

impl World {
    async fn new(sandbox: &str, database: &str) -> Self {
        // An error says that another test of this process was first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let minutes = std::env::var(MINUTES).ok().map(|minutes| minutes.parse::<u64>().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let repositories = folder.path().join("git");
        std::fs::create_dir(&repositories).unwrap();
        let site = Site::start().await;
        let hostile_site = Site::with(Plan { articles: HOSTILE_PAGES.len(), ..Plan::default() }).await;
        let mut server = Service::new(&folder.path().join("server"), None, sandbox).await;
        let mut workers = Service::new(&folder.path().join("workers"), Some(database), sandbox).await;
        for number in 1..=SOURCES {
            server.add_source(&site, &format!("/article/{number}"), &format!("ordinary{number}"));
            workers.add_source(&site, &format!("/article/{number}"), &format!("ordinary{number}"));
        }
        for (number, (name, change)) in (1..).zip(HOSTILE_PAGES.iter()) {
            let path = format!("/article/{number}");
            workers.add_source(&hostile_site, &path, name);
            hostile_site.set(path.as_str(), change.clone());
        }
        let entrance = server.serve(&repositories);
        for number in 1..=3 {
            workers.work(number);
        }
        let git = GitHttp::serve(&repositories, Behaviour::Open);
        let length = Duration::from_mins(minutes.unwrap_or(2));
        let is_measured = minutes.is_some();
        Self { folder, git, site, hostile_site, server, entrance, workers, length, is_measured }
    }

    async fn soak(self) {
        let (end, calls, mut processes) = (Instant::now() + self.length, Calls::default(), Processes::default());
        let mut pulse = Pulse::start(&self.entrance.address);
        let world = Arc::new(self);
        // Tasks of their own: making a repository must not hold up the others.
        let mut load = JoinSet::new();
        let (jobs, tasks, kills) = (Arc::clone(&world), Arc::clone(&world), Arc::clone(&world));
        load.spawn(async move { jobs.jobs(end).await });
        load.spawn(async move { tasks.tasks(end).await });
        load.spawn(async move { kills.kills(end).await });
        let (calling, noted) = (Arc::clone(&world), Arc::clone(&calls));
        load.spawn(async move { calling.calls(end, &noted).await });
        let work = async {
            load.join_all().await;
            let are_done = async || world.server.is_done().await && world.workers.is_done().await;
            until("everything that was asked for has ended", PATIENCE, are_done).await;
        };
        let looks = async {
            let mut timer = tokio::time::interval(Duration::from_secs(2));
            loop {
                timer.tick().await;
                processes.look(&world.pids());
            }
        };
        tokio::select! {
            () = work => {}
            () = looks => {}
        }
        pulse.stop();
        world.server.stop();
        world.workers.stop();
        world.hold_to_account(&calls, &processes, &pulse).await;
    }

    fn pids(&self) -> Vec<u32> {
        self.server.pids().into_iter().chain(self.workers.pids()).collect()
    }

    /// Asks the server to heal repositories and to read sources.
    async fn jobs(&self, end: Instant) {
        for number in 0.. {
            if !self.server.has_room(4, end).await {
                break;
            }
            let is_hostile = number % HOSTILE_EACH == 3;
            if is_hostile || number.is_multiple_of(2) {
                let (name, made) = repository(is_hostile, number / HOSTILE_EACH);
                let path = self.folder.path().join(format!("git/job{number}"));
                let repository = made();
                std::fs::rename(repository.path(), &path).unwrap();
                self.server.ask_for_job(&self.entrance, name, is_hostile, path).await;
            } else {
                self.server.ask_for_source(&format!("ordinary{}", number / 2 % SOURCES + 1), false).await;
            }
        }
    }

    /// Puts repositories and sources into the queue of the workers.
    async fn tasks(&self, end: Instant) {
        for number in 0.. {
            if !self.workers.has_room(6, end).await {
                break;
            }
            let is_hostile = number % HOSTILE_EACH == 7;
            let turn = number / HOSTILE_EACH;
            // Sources and repositories in turn, also among the hostile ones.
            if (number + turn).is_multiple_of(2) {
                // What the server begins with comes last here.
                let count = HOSTILE_REPOSITORIES.len();
                let (name, made) = repository(is_hostile, count - 1 - turn / 2 % count);
                let path = made().bare_copy(&self.folder.path().join("git"), &format!("task{number}"));
                let address = format!("http://127.0.0.1:{}/task{number}.git", self.git.port());
                self.workers.ask_for_repository(name, is_hostile, address, path).await;
            } else if is_hostile {
                self.workers.ask_for_source(HOSTILE_PAGES[turn / 2 % HOSTILE_PAGES.len()].0, true).await;
            } else {
                self.workers.ask_for_source(&format!("ordinary{}", number / 2 % SOURCES + 1), false).await;
            }
        }
    }

    /// Asks the server to extract pages.
    async fn calls(&self, end: Instant, calls: &Calls) {
        let at_once = Arc::new(Semaphore::new(4));
        let client = reqwest::Client::builder().timeout(Duration::from_mins(5)).build().unwrap();
        for number in 0.. {
            let permit = Arc::clone(&at_once).acquire_owned().await.unwrap();
            tokio::time::sleep(Duration::from_millis(250)).await;
            if Instant::now() >= end {
                break;
            }
            let is_hostile = number % HOSTILE_EACH == 5;
            let url = if is_hostile {
                self.hostile_site.url(&format!("/article/{}", number / HOSTILE_EACH % HOSTILE_PAGES.len() + 1))
            } else {
                self.site.url(&format!("/product/{}", number % 10 + 1))
            };
            let asked = client.post(format!("{}/api/tools/extract", self.entrance.address));
            let asked = asked.bearer_auth(&self.entrance.token).header("Content-Type", "application/json");
            let asked = asked.body(json!({"url": url}).to_string());
            let calls = Arc::clone(calls);
            tokio::spawn(async move {
                let answer = asked.send().await;
                calls.note(is_hostile, answer).await;
                drop(permit);
            });
        }
        let _all = at_once.acquire_many(4).await.unwrap();
    }

    /// The time between two kills.
    fn pause(&self) -> Duration {
        Duration::from_mins(1).min(self.length / 3)
    }

    /// Kills one worker after the other, and starts each again.
    async fn kills(&self, end: Instant) {
        let pause = self.pause();
        for number in (1..=3).cycle() {
            if Instant::now() + pause >= end {
                break;
            }
            tokio::time::sleep(pause).await;
            self.workers.kill_and_start_again(number);
        }
    }

    #[expect(clippy::print_stdout, reason = "the figures of the bench")]
    async fn hold_to_account(&self, calls: &Calls, processes: &Processes, pulse: &Pulse) {
        println!("{} minutes, a worker killed each {:?}", self.length.as_secs() / 60, self.pause());
        self.server.hold_to_account("serve, SQLite").await;
        self.workers.hold_to_account("3 workers, PostgreSQL").await;
        calls.hold_to_account();
        let (share, goal) = LATENCY_GOAL;
        let (middle, slow) = (pulse.quantile(0.5), pulse.quantile(share));
        println!(
            "/healthz: {} answers, p50 {middle:.1?}, p99 {slow:.1?}, most {:.1?}",
            pulse.answers(),
            pulse.quantile(1.0)
        );
        assert_eq!(pulse.missed(), Vec::<String>::new(), "the server did not answer");
        let (one, all) = (processes.most_of_one, processes.most_of_all);
        println!("memory: {} MiB in one server or worker, {} MiB in all that they start", one >> 10, all >> 10);
        let disk = size(&self.folder.path().join("server")) + size(&self.folder.path().join("workers"));
        println!("disk at the end: {} MiB", disk >> 20);
        assert!(one <= MEMORY_OF_ONE, "{one} KiB");
        assert!(disk <= DISK, "{disk} bytes");
        assert_eq!(processes.left(), Vec::<String>::new(), "processes are left");
        assert!(!self.is_measured || slow <= goal, "p99 of /healthz is {slow:?}, the goal {goal:?}");
    }
}

fn repository(is_hostile: bool, number: usize) -> Kind {
    if is_hostile { HOSTILE_REPOSITORIES[number % HOSTILE_REPOSITORIES.len()] } else { ORDINARY_REPOSITORY }
}

type Calls = Arc<CallLog>;

/// The ends of calls of tools.
#[derive(Default)]
struct CallLog {
    /// The number of calls for ordinary (`false`) and hostile pages that ended with each status.
    ends: Mutex<BTreeMap<(bool, u16), usize>>,
    wrong: Mutex<Vec<String>>,
}

impl CallLog {
    async fn note(&self, is_hostile: bool, answer: reqwest::Result<reqwest::Response>) {
        let (status, told) = match answer {
            Ok(answer) => (answer.status().as_u16(), answer.text().await.unwrap_or_default()),
            Err(error) => (0, format!("{error:?}")),
        };
        // A hostile page may be read all the same, within all limits.
        if status == 200 || is_hostile && status == 422 {
            *self.ends.lock().unwrap().entry((is_hostile, status)).or_default() += 1;
        } else {
            self.wrong.lock().unwrap().push(format!("hostile: {is_hostile}: {status} {told}"));
        }
    }

    #[expect(clippy::print_stdout, reason = "the figures of the bench")]
    fn hold_to_account(&self) {
        let count = |end| self.ends.lock().unwrap().get(&end).copied().unwrap_or_default();
        let (read, survived, refused) = (count((false, 200)), count((true, 200)), count((true, 422)));
        println!("calls: {read} pages read; hostile: {survived} read, {refused} refused");
        let wrong = self.wrong.lock().unwrap();
        assert!(wrong.is_empty(), "calls without a proper answer: {wrong:#?}");
    }
}

//! A thousand sources, all due at once, refreshed by the real binary (`autoheal source watch`) from a site on this machine:
//! whether each was done exactly once, how fast, and with how much memory.
//!
//! What is counted is what each side knows by itself: the queue and the runs by the store, the requests by the site, the memory
//! by the kernel (the program's high-water mark).
//!
//! Arguments: `--sources N`, `--concurrency N`, `--json FILE`; `--smoke`: a few sources, and no limit of memory.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a program for people, which starts the binary that it measures"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Health, Snapshot, SnapshotRole, SourceRecord};
use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_fetch::{FetchRequest, FetchSettings, Fetcher, HostLimits};
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_source::facts::PageFacts;
use autoheal_source::{Blueprint, Definition, HealPolicy, OnUncertain};
use autoheal_store::{RunFilter, Store, TaskFilter, system_time as now};
use autoheal_testkit::figures::{self, Figure, Goal};
use autoheal_testkit::site::{Plan, Site};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const RECIPE: &str = r#"{"version": 1, "fields": {
    "title": {"select": "h1.headline", "take": "text"},
    "author": {"select": "span.author", "take": "text"},
    "date": {"select": "time.published", "take": "attr:datetime", "type": "date"},
    "tags": {"select": "li.tag", "take": "text", "many": true}}}"#;

/// The most memory that the program may have used, in KiB.
const MEMORY_GOAL: u64 = 200 << 10;

/// Time limit of the bench.
const PATIENCE: Duration = Duration::from_mins(20);

struct Arguments {
    sources: usize,
    concurrency: usize,
    json: Option<String>,
    /// True if the memory is compared with the goal.
    has_goal: bool,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self { sources: 1000, concurrency: 4, json: None, has_goal: true };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap();
            match word.as_str() {
                "--sources" => arguments.sources = value().parse().unwrap(),
                "--concurrency" => arguments.concurrency = value().parse().unwrap(),
                "--json" => arguments.json = Some(value()),
                "--smoke" => arguments = Self { sources: 12, has_goal: false, ..arguments },
                // Cargo says `--bench`.
                _ => {}
            }
        }
        arguments
    }
}

/// The program, which does not outlive the bench.
struct Watch(Child);

impl Watch {
    fn start(home: &Path, concurrency: usize) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_autoheal"));
        command
            .args(["source", "watch"])
            .env_clear()
            .env("HOME", home)
            .env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]")
            .env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0")
            .env("AUTOHEAL_CONCURRENCY", concurrency.to_string())
            .current_dir(home)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(home.join("stderr.txt")).unwrap());
        Self(command.spawn().unwrap())
    }

    /// The most memory it has used so far, in KiB.
    fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    }

    fn stop(&mut self) {
        let _ = kill(Pid::from_raw(i32::try_from(self.0.id()).unwrap()), Signal::SIGTERM);
        let _ = self.0.wait();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn path_of(index: usize) -> String {
    format!("/article/{}", index + 1)
}

fn name_of(index: usize) -> String {
    format!("article-{:04}", index + 1)
}

/// Puts the sources into the store as adding them one by one would, all of them due.
async fn add_all(count: usize, site: &Site, store: &Store) {
    let settings = FetchSettings {
        allow_private: vec!["127.0.0.1".parse().unwrap()],
        limits: HostLimits::unlimited(8),
        ..FetchSettings::default()
    };
    let fetcher = Fetcher::new(settings).unwrap();
    let recipe = Recipe::parse(RECIPE, "the recipe of the bench").unwrap();
    let added_at = now().minus(Duration::from_hours(8));
    for index in 0..count {
        let (source, url) = (name_of(index), site.url(&path_of(index)));
        let body = fetcher.fetch(&FetchRequest::new(url.clone())).await.unwrap().body;
        let (_, facts) = PageFacts::look(&recipe, &Document::parse_bytes(&body), &url);
        let definition = Definition {
            schedule: None,
            url: url.clone(),
            more: Vec::new(),
            blueprint: Blueprint::of(url.clone(), &recipe),
            interval_seconds: Definition::DEFAULT_INTERVAL.as_secs(),
            slowdown: 0,
            heal_policy: HealPolicy::Auto,
            on_uncertain: OnUncertain::SkipRun,
            webhook: None,
            sites: Vec::new(),
        };
        let mut health = Health::new();
        health.good_run(added_at);
        let asked_by = "bench".to_owned();
        let mut records = vec![
            SourceRecord::Definition { source: source.clone(), definition: serde_json::to_value(&definition).unwrap() },
            SourceRecord::Health { source: source.clone(), health },
            SourceRecord::Staged {
                source: source.clone(),
                version: 1,
                recipe: serde_json::to_value(&recipe).unwrap(),
                definition: serde_json::to_value(&definition).unwrap(),
                asked_by: asked_by.clone(),
            },
            SourceRecord::Promoted {
                source: source.clone(),
                version: 1,
                definition: serde_json::to_value(&definition).unwrap(),
                replaces: None,
                asked_by,
            },
        ];
        for role in [SnapshotRole::Original, SnapshotRole::Good] {
            let values = Some(serde_json::to_value(&facts).unwrap());
            let snapshot = Snapshot { role, url: url.to_string(), taken_at: added_at, content: body.to_vec(), values };
            records.push(SourceRecord::Snapshot { source: source.clone(), snapshot });
        }
        store.change_sources(added_at, &records).await.unwrap();
    }
}

async fn refreshed(store: &Store, state: Option<TaskState>) -> usize {
    let filter = TaskFilter { state, kind: Some(TaskKind::RefreshSource), limit: 1_000_000, ..TaskFilter::default() };
    store.tasks(&filter).await.unwrap().len()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let Arguments { sources, concurrency, json: file, has_goal } = Arguments::read();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".local/share/autoheal");
    std::fs::create_dir_all(&folder).unwrap();
    let store = Store::open_file(&folder.join("autoheal.db")).await.unwrap();
    let site = Site::with(Plan { articles: sources, products: 0, lists: 0, entries: 0 }).await;
    let begun = Instant::now();
    add_all(sources, &site, &store).await;
    println!("{sources} sources were added in {:.1} s", begun.elapsed().as_secs_f64());
    let asked_before: Vec<usize> = (0..sources).map(|index| site.requests(&path_of(index))).collect();

    let begun = Instant::now();
    let mut watch = Watch::start(home.path(), concurrency);
    let mut peak = 0;
    while refreshed(&store, Some(TaskState::Completed)).await < sources {
        assert!(begun.elapsed() < PATIENCE, "not done after {} minutes", PATIENCE.as_secs() / 60);
        if let Some(status) = watch.0.try_wait().unwrap() {
            let told = std::fs::read_to_string(home.path().join("stderr.txt")).unwrap_or_default();
            panic!("the program ended ({status}): {told}");
        }
        peak = peak.max(watch.peak_memory().unwrap_or_default());
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let took = begun.elapsed();
    // What is done twice is done after the first time: it may look for what is due once more.
    tokio::time::sleep(Duration::from_secs(5)).await;
    peak = peak.max(watch.peak_memory().unwrap_or_default());
    watch.stop();

    let mut runs: BTreeMap<String, usize> = BTreeMap::new();
    for run in store.runs(&RunFilter::newest(1_000_000)).await.unwrap() {
        assert!(run.is_well(), "{:?}", run.report);
        *runs.entry(run.target).or_default() += 1;
    }
    let (mut run_once, mut kept_once, mut asked_once, mut right) = (0, 0, 0, 0);
    for (index, asked) in asked_before.iter().enumerate() {
        let name = name_of(index);
        run_once += usize::from(runs.get(&name) == Some(&1));
        let rows = store.values(&name, Timestamp::default(), 10).await.unwrap();
        kept_once += usize::from(rows.len() == 1);
        asked_once += usize::from(site.requests(&path_of(index)) - asked == 1);
        let truth = site.values(&path_of(index));
        let is_right = |row: &autoheal_store::ValueRow| {
            ["title", "author", "date", "tags"].iter().all(|field| row.values[*field] == truth[*field])
        };
        right += usize::from(rows.iter().all(is_right) && !rows.is_empty());
    }
    let (tasks, completed) = (refreshed(&store, None).await, refreshed(&store, Some(TaskState::Completed)).await);
    let rate = sources as f64 / took.as_secs_f64();
    println!(
        "refreshed by `autoheal source watch`, {concurrency} at once, in {:.1} s: {rate:.1} a second",
        took.as_secs_f64()
    );
    println!("  tasks                      {completed:6} completed of {tasks}");
    println!("  sources with exactly one run        {run_once:6}");
    println!("  with exactly one set of values      {kept_once:6}");
    println!("  with the values of the page         {right:6}");
    println!("  asked for exactly once by the site  {asked_once:6}");
    println!("  peak memory                {:6.1} MiB (at most 200)", peak as f64 / 1024.0);
    if let Some(file) = file {
        let memory = Figure::new("peak memory", peak as f64 / 1024.0, "MiB")
            .with_goal(Goal::AtMost(MEMORY_GOAL as f64 / 1024.0));
        let rate = Figure::new(format!("sources refreshed, {concurrency} at once"), rate, "/s");
        figures::write(Path::new(&file), &[rate, memory]).unwrap();
    }
    let counts = [tasks, completed, run_once, kept_once, right, asked_once];
    assert!(counts.iter().all(|count| *count == sources), "something was lost or done twice");
    assert!(peak > 0 && (peak <= MEMORY_GOAL || !has_goal), "more memory than 200 MiB, or unknown");
}

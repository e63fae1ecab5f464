//! Measures of a service while it works: how soon it answers, and what memory its processes hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use autoheal_testkit::Owner;
use tokio::time::MissedTickBehavior;

use crate::binary::descendants;

/// The time between two questions whether the server is alive.
const PERIOD: Duration = Duration::from_millis(100);

/// Answers to `/healthz`: how long each took, and which were none. Asked by a thread of its own, which nothing else holds up.
pub(super) struct Pulse {
    seen: Arc<Mutex<Answers>>,
    is_over: Arc<AtomicBool>,
    asking: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Answers {
    latencies: Vec<Duration>,
    missed: Vec<String>,
}

impl Pulse {
    /// Asks from now on. Time counts from when a question was due, so that a stall is charged to all that were due meanwhile.
    pub(super) fn start(address: &str) -> Self {
        let (seen, is_over) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let asking = {
            let (url, seen, is_over) = (format!("{address}/healthz"), Arc::clone(&seen), Arc::clone(&is_over));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            std::thread::spawn(move || runtime.block_on(ask(&url, &seen, &is_over)))
        };
        Self { seen, is_over, asking: Some(asking) }
    }

    /// Stops the requests and waits for the thread.
    pub(super) fn stop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.asking.take().unwrap().join().unwrap();
    }

    /// The latency that this share of the answers does not pass.
    pub(super) fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.seen.lock().unwrap().latencies.clone();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index"
        )]
        let index = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
        sorted.get(index).copied().unwrap_or(Duration::MAX)
    }

    pub(super) fn answers(&self) -> usize {
        self.seen.lock().unwrap().latencies.len()
    }

    pub(super) fn missed(&self) -> Vec<String> {
        self.seen.lock().unwrap().missed.clone()
    }
}

async fn ask(url: &str, seen: &Mutex<Answers>, is_over: &AtomicBool) {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
    let mut timer = tokio::time::interval(PERIOD);
    timer.set_missed_tick_behavior(MissedTickBehavior::Burst);
    while !is_over.load(Ordering::Relaxed) {
        let due = timer.tick().await;
        let answer = client.get(url).send().await;
        let mut seen = seen.lock().unwrap();
        match answer {
            Ok(answer) if answer.status() == 200 => seen.latencies.push(due.elapsed()),
            Ok(answer) => seen.missed.push(answer.status().to_string()),
            Err(error) => seen.missed.push(format!("{error:?}")),
        }
    }
}

/// Processes of the programs under test.
#[derive(Default)]
pub(super) struct Processes {
    /// By their names for a report.
    seen: BTreeMap<String, Owner>,
    /// The most that one program's own process has held, in KiB.
    pub(super) most_of_one: u64,
    /// The most that all programs and all they started have held together, in KiB; what several share counts once.
    pub(super) most_of_all: u64,
}

impl Processes {
    /// Measures these processes and all that descend from them.
    pub(super) fn look(&mut self, programs: &[u32]) {
        let mut together = 0;
        for program in programs {
            self.most_of_one = self.most_of_one.max(memory(*program, "Rss:"));
            for pid in std::iter::once(*program).chain(descendants(*program)) {
                self.seen.extend(Owner::of(pid).map(|process| (process.to_string(), process)));
                together += memory(pid, "Pss:");
            }
        }
        self.most_of_all = self.most_of_all.max(together);
    }

    /// The processes that were seen and still run, by number and name.
    pub(super) fn left(&self) -> Vec<String> {
        let name = |pid: u32| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let left = self.seen.values().filter(|process| process.is_alive());
        left.map(|process| format!("{} {}", process.pid(), name(process.pid()).trim())).collect()
    }
}

/// A figure of the memory that a process holds, in KiB: `Rss:`, or `Pss:` for its share of what others hold, too.
fn memory(pid: u32, figure: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(figure));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Bytes of the files below a folder.
pub(super) fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of_entry = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len(),
        // It went away meanwhile.
        Err(_) => 0,
    };
    entries.map(of_entry).sum()
}

/// Waits until something holds.
pub(super) async fn until(what: &str, patience: Duration, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < patience, "{what}: not after {patience:?}");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

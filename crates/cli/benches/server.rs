//! Latency of the job status in `autoheal serve`, and the memory cost of many clients following one run.
//!
//! The client is this process, the server the real binary. Each request has a scheduled send time (an open loop). The latency is
//! measured from that time to the last byte of the response, so that a stalling server is charged for all requests scheduled in the
//! meantime (Tene, "How NOT to Measure Latency"). The reference is `GET /healthz`, which does nothing, at the same rate in the same
//! session: the difference is the cost of the status itself.
//!
//! Arguments: `--rate N`, `--seconds N`, `--clients N`, `--json FILE`; `--smoke`: a small load, and no goals.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a program for people, which starts the binary that it measures"
)]

mod serve;

use std::net::SocketAddr;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use autoheal_engine::event::EventBody;
use autoheal_engine::task::{Lease, NewTask, TaskKind};
use autoheal_engine::{JobId, RunId};
use autoheal_store::{ClaimRequest, NewRun, Store, system_time as now};
use autoheal_testkit::figures::{self, Figure, Goal};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use uuid::Uuid;

use self::serve::{Serve, TOKEN};

/// Number of connections that send requests.
const CONNECTIONS: u32 = 32;

/// Warm-up time, during which no latencies are recorded.
const WARM_UP: Duration = Duration::from_secs(1);

/// The slowest that one of a hundred requests may be.
const LATENCY_GOAL: Duration = Duration::from_millis(5);

/// Maximum memory for all followers of a run together, in KiB.
const MEMORY_GOAL: u64 = 100 << 10;

/// Time limit for waiting.
const PATIENCE: Duration = Duration::from_secs(30);

struct Arguments {
    rate: u32,
    seconds: u32,
    clients: u32,
    json: Option<String>,
    /// True if the figures are compared with the goals.
    has_goals: bool,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self { rate: 1000, seconds: 10, clients: 500, json: None, has_goals: true };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap();
            match word.as_str() {
                "--rate" => arguments.rate = value().parse().unwrap(),
                "--seconds" => arguments.seconds = value().parse().unwrap(),
                "--clients" => arguments.clients = value().parse().unwrap(),
                "--json" => arguments.json = Some(value()),
                "--smoke" => arguments = Self { rate: 50, seconds: 1, clients: 10, has_goals: false, ..arguments },
                // Cargo says `--bench`.
                _ => {}
            }
        }
        arguments
    }
}

/// Returns the memory that a process uses now, in KiB.
fn memory(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// A connection that is kept for one request after another.
struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, read: Vec::with_capacity(1 << 12) }
    }

    /// Asks, and waits for the last byte of the answer; whether it was a good one.
    async fn ask(&mut self, request: &[u8]) -> bool {
        self.stream.write_all(request).await.unwrap();
        self.read.clear();
        loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.read[..end]).to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                if self.read.len() >= end + 4 + length.parse::<usize>().unwrap() {
                    return head.starts_with("http/1.1 200");
                }
            }
            assert_ne!(self.stream.read_buf(&mut self.read).await.unwrap(), 0, "the server hung up");
        }
    }
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n").into_bytes()
}

/// Latencies of the requests, in ascending order.
struct Latencies(Vec<Duration>);

impl Latencies {
    fn percentile(&self, percent: f64) -> Duration {
        let place = (self.0.len() as f64 * percent / 100.0).ceil();
        // Within the list, whatever rounding did.
        let index = (0..self.0.len()).take_while(|index| (*index as f64) + 1.0 < place).count();
        self.0[index.min(self.0.len() - 1)]
    }

    fn shown(&self) -> String {
        let millis = |percent| self.percentile(percent).as_secs_f64() * 1000.0;
        format!(
            "p50 {:6.2} ms  p90 {:6.2} ms  p99 {:6.2} ms  p99.9 {:6.2} ms  most {:6.2} ms  of {}",
            millis(50.0),
            millis(90.0),
            millis(99.0),
            millis(99.9),
            millis(100.0),
            self.0.len()
        )
    }
}

/// Sends `arguments.rate` requests per second, regardless of the response times. Returns their latencies.
async fn load(address: SocketAddr, path: &str, arguments: &Arguments) -> Latencies {
    let request = get(path);
    let (pause, begun) = (Duration::from_secs(1) / arguments.rate, Instant::now() + Duration::from_millis(100));
    let count = arguments.rate * (arguments.seconds + u32::try_from(WARM_UP.as_secs()).unwrap());
    let next = Arc::new(AtomicU32::new(0));
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (request, next) = (request.clone(), Arc::clone(&next));
        asking.spawn(async move {
            let mut connection = Connection::open(address).await;
            let mut took = Vec::new();
            loop {
                // Whoever is free takes the request that is due next; where nobody is, it waits, and that counts.
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return took;
                }
                let meant = begun + pause * number;
                tokio::time::sleep_until(meant).await;
                assert!(connection.ask(&request).await, "not answered well");
                if meant >= begun + WARM_UP {
                    took.push(meant.elapsed());
                }
            }
        });
    }
    let mut all: Vec<Duration> = asking.join_all().await.into_iter().flatten().collect();
    all.sort_unstable();
    Latencies(all)
}

/// A run that a worker of another machine is at.
async fn begin_run(store: &Store) -> (JobId, RunId, Lease) {
    let target = "https://github.com/owner/repository";
    let mut task = NewTask::new(TaskKind::HealRepo, target, now());
    task.host = Some("another-machine".to_owned());
    task.context = json!({ "repository": target, "retry_limit": 5 });
    let task = store.enqueue(&task).await.unwrap().id;
    let claim = ClaimRequest {
        worker: "another".to_owned(),
        host: "another-machine".to_owned(),
        kinds: vec![TaskKind::HealRepo],
        lease: Duration::from_hours(1),
        only: Some(task),
    };
    let (_, lease) = store.claim(&claim).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: target.to_owned() };
    let new = NewRun { run, workflow: "heal_repo".to_owned(), target: target.to_owned(), started_at: now(), event };
    store.begin_run(&lease, &new).await.unwrap();
    let steps = ["analyze_repo", "discover_tests", "diagnose_failures"].into_iter();
    let events = steps.flat_map(|node| {
        let node = node.to_owned();
        [EventBody::NodeStarted { node: node.clone(), attempt: 1 }, EventBody::NodeFinished { node, millis: 10 }]
    });
    let events: Vec<_> = events.map(|event| (now(), event)).collect();
    store.append_events(&lease, run, &events).await.unwrap();
    let job = JobId(Uuid::new_v4());
    store.add_job(job, task, "bench", now()).await.unwrap();
    (job, run, lease)
}

/// Opens `clients` connections that follow a run. Each adds a permit to `ready` at its first event, and to `heard` at the awaited text.
fn follow(
    address: SocketAddr,
    run: RunId,
    clients: u32,
    ready: &Arc<Semaphore>,
    heard: &Arc<Semaphore>,
) -> tokio::task::JoinSet<()> {
    let request = get(&format!("/api/runs/{run}/events"));
    let mut following = tokio::task::JoinSet::new();
    for _ in 0..clients {
        let (request, ready, heard) = (request.clone(), Arc::clone(ready), Arc::clone(heard));
        following.spawn(async move {
            let mut connection = Connection::open(address).await;
            connection.stream.write_all(&request).await.unwrap();
            let mut was_ready = false;
            loop {
                assert_ne!(connection.stream.read_buf(&mut connection.read).await.unwrap(), 0, "the server hung up");
                let has = |text: &str| connection.read.windows(text.len()).any(|bytes| bytes == text.as_bytes());
                if !was_ready && has("diagnose_failures\",\"millis") {
                    was_ready = true;
                    ready.add_permits(1);
                }
                if has("heard by all") {
                    heard.add_permits(1);
                    // Stays until the memory was looked at.
                    return std::future::pending().await;
                }
            }
        });
    }
    following
}

async fn all(permits: &Semaphore, count: u32) {
    tokio::time::timeout(PATIENCE, permits.acquire_many(count)).await.unwrap().unwrap().forget();
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".local/share/autoheal");
    std::fs::create_dir_all(&folder).unwrap();
    let store = Store::open_file(&folder.join("autoheal.db")).await.unwrap();
    let (job, run, lease) = begin_run(&store).await;
    let serve = Serve::start(home.path(), &[]);
    println!(
        "{}, {} requests a second for {} s over {CONNECTIONS} connections",
        serve::build(),
        arguments.rate,
        arguments.seconds
    );

    let status = format!("/api/status/{job}");
    let (reference, measured) =
        (load(serve.address, "/healthz", &arguments).await, load(serve.address, &status, &arguments).await);
    println!("  reference  GET /healthz     {}", reference.shown());
    println!("             GET /api/status  {}", measured.shown());
    let ratio = |percent| measured.percentile(percent).as_secs_f64() / reference.percentile(percent).as_secs_f64();
    println!("  status / reference          p50 {:.2}  p99 {:.2}", ratio(50.0), ratio(99.0));

    let (before, ready, heard) = (memory(&serve.process), Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let following = follow(serve.address, run, arguments.clients, &ready, &heard);
    all(&ready, arguments.clients).await;
    let told = Instant::now();
    let note =
        EventBody::Note { node: "bench".to_owned(), topic: "bench".to_owned(), message: "heard by all".to_owned() };
    store.append_events(&lease, run, &[(now(), note)]).await.unwrap();
    all(&heard, arguments.clients).await;
    let (delay, after) = (told.elapsed(), memory(&serve.process));
    drop(following);
    let more = after.saturating_sub(before);
    println!(
        "  {} follow a run: {:.1} MiB more ({:.1} -> {:.1}); an event of another machine reached the last of them after {} ms",
        arguments.clients,
        more as f64 / 1024.0,
        before as f64 / 1024.0,
        after as f64 / 1024.0,
        delay.as_millis()
    );
    if let Some(file) = &arguments.json {
        let millis = |latencies: &Latencies, percent| latencies.percentile(percent).as_secs_f64() * 1000.0;
        let status = |percent: f64| {
            Figure::new(format!("`GET /api/status`, p{percent:.0}"), millis(&measured, percent), "ms")
                .next_to("`GET /healthz`", millis(&reference, percent))
        };
        let figures = [
            status(50.0),
            status(99.0).with_goal(Goal::AtMost(LATENCY_GOAL.as_secs_f64() * 1000.0)),
            Figure::new(
                format!("more memory for {} clients that follow a run", arguments.clients),
                more as f64 / 1024.0,
                "MiB",
            )
            .with_goal(Goal::AtMost(MEMORY_GOAL as f64 / 1024.0)),
            Figure::new("an event reaches the last of them", delay.as_secs_f64() * 1000.0, "ms"),
        ];
        figures::write(Path::new(file), &figures).unwrap();
    }
    if !arguments.has_goals {
        return;
    }
    assert!(
        measured.percentile(99.0) <= LATENCY_GOAL,
        "one of a hundred took longer than {} ms",
        LATENCY_GOAL.as_millis()
    );
    assert!(more <= MEMORY_GOAL, "more than 100 MiB for {} clients", arguments.clients);
}

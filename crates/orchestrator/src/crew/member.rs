//! One worker process, as the process that started it sees it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use autoheal_engine::event::Event;
use autoheal_sandbox::worker_process::forward_log;
use autoheal_sandbox::{Limit, WorkerExit, WorkerProcess, WorkerStreams};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::ChildStdout;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::protocol::{Greeting, JobEnd, JobId, Order, Report};

/// The time a process has to report that it is ready.
const START: Duration = Duration::from_mins(1);

/// The longest report, in bytes.
const LONGEST_REPORT: u64 = 256 << 20;

/// Something a job reports.
#[derive(Debug)]
pub(super) enum Heard {
    Event(Box<Event>),
    Progress(String),
    Ended(JobEnd),
    /// The process is gone.
    Died(Death),
}

/// The death of a process while it had a job.
#[derive(Debug, Clone)]
pub(super) struct Death {
    pub(super) reason: String,
    /// True if the process had this job only, so that no other job can have caused its death.
    pub(super) was_alone: bool,
}

/// A running worker process, which is ordered to end when the last reference is dropped.
#[derive(Debug)]
pub(super) struct Member {
    orders: mpsc::UnboundedSender<Order>,
    state: Arc<Mutex<State>>,
    kill: CancellationToken,
    next_job: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    jobs: HashMap<JobId, mpsc::UnboundedSender<Heard>>,
    is_dead: bool,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Member {
    /// Starts a process with the program's own `arguments` and waits until it is ready.
    pub(super) async fn start(arguments: &[&str], memory: u64, greeting: &Greeting) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("a worker process cannot be started: {error}");
        let (process, streams) = WorkerProcess::start(arguments, memory).await.map_err(|error| failed(&error))?;
        let greeting = serde_json::to_string(greeting).map_err(|error| failed(&error))?;
        let (orders, queue) = mpsc::unbounded_channel();
        let (ready, is_ready) = oneshot::channel();
        let (state, kill) = (Arc::default(), CancellationToken::new());
        let attending =
            Attending { process, memory, state: Arc::clone(&state), kill: kill.clone(), ready: Some(ready) };
        tokio::spawn(attending.attend(streams, greeting, queue));
        let member = Self { orders, state, kill, next_job: AtomicU64::new(0) };
        match timeout(START, is_ready).await {
            Ok(Ok(Ok(()))) => Ok(member),
            Ok(Ok(Err(reason))) => Err(failed(&reason)),
            Ok(Err(_)) | Err(_) => {
                member.kill.cancel();
                Err(failed(&format!("it was not ready within {} s", START.as_secs())))
            }
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        !lock(&self.state).is_dead
    }

    /// The number of jobs that were begun.
    pub(super) fn begun(&self) -> u64 {
        self.next_job.load(Ordering::Relaxed)
    }

    /// Begins a job; `None` when the process is dead.
    pub(super) fn begin(self: &Arc<Self>, order: impl FnOnce(JobId) -> Order) -> Option<Job> {
        let id = self.next_job.fetch_add(1, Ordering::Relaxed);
        let (sender, heard) = mpsc::unbounded_channel();
        {
            let mut state = lock(&self.state);
            if state.is_dead {
                return None;
            }
            state.jobs.insert(id, sender);
        }
        let job = Job { id, member: Arc::clone(self), heard, has_ended: false };
        job.send(order(id));
        Some(job)
    }
}

/// A job under way. Dropping it drops the work.
pub(super) struct Job {
    id: JobId,
    member: Arc<Member>,
    heard: mpsc::UnboundedReceiver<Heard>,
    has_ended: bool,
}

impl Job {
    pub(super) const fn id(&self) -> JobId {
        self.id
    }

    pub(super) fn send(&self, order: Order) {
        // An error means that the process is gone, which its other stream reports.
        let _ = self.member.orders.send(order);
    }

    pub(super) async fn next(&mut self) -> Heard {
        let heard =
            self.heard.recv().await.unwrap_or_else(|| {
                Heard::Died(Death { reason: "the worker process is gone".to_owned(), was_alone: true })
            });
        self.has_ended |= matches!(heard, Heard::Ended(_) | Heard::Died(_));
        heard
    }

    /// Kills the process: the job does not react.
    pub(super) fn kill(&self) {
        // Nothing else is begun there.
        lock(&self.member.state).is_dead = true;
        self.member.kill.cancel();
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        lock(&self.member.state).jobs.remove(&self.id);
        if !self.has_ended {
            self.send(Order::Drop { job: self.id });
        }
    }
}

/// The task that owns a process and its streams.
struct Attending {
    process: WorkerProcess,
    memory: u64,
    state: Arc<Mutex<State>>,
    kill: CancellationToken,
    ready: Option<oneshot::Sender<Result<(), String>>>,
}

impl Attending {
    async fn attend(mut self, streams: WorkerStreams, greeting: String, mut orders: mpsc::UnboundedReceiver<Order>) {
        let WorkerStreams { mut stdin, stdout, stderr } = streams;
        let log = tokio::spawn(forward_log(stderr));
        let writing = async move {
            let mut line = greeting;
            loop {
                line.push('\n');
                if stdin.write_all(line.as_bytes()).await.is_err() {
                    // The process is gone, which its other stream reports.
                    return std::future::pending().await;
                }
                // Without a sender of orders, the stream is closed, and the process ends.
                let Some(order) = orders.recv().await else { return };
                line = serde_json::to_string(&order).unwrap_or_default();
            }
        };
        let kill = self.kill.clone();
        let exit = {
            let (state, ready) = (Arc::clone(&self.state), &mut self.ready);
            let reading = read(stdout, &state, ready);
            let (is_told_to_end, has_exceeded) = tokio::select! {
                () = writing => (true, false),
                // Its stream ends with it; a process that sends invalid lines is killed.
                () = reading => (false, false),
                () = kill.cancelled() => (false, false),
                () = self.process.exceeds_memory() => (false, true),
            };
            if !is_told_to_end {
                self.process.kill();
            }
            self.process.ended(has_exceeded).await
        };
        let last_words = timeout(Duration::from_secs(1), log).await.ok().and_then(Result::ok).unwrap_or_default();
        self.bury(&exit, &last_words);
    }

    /// Tells every job of the end.
    fn bury(&mut self, exit: &WorkerExit, last_words: &str) {
        let reason = reason(exit, last_words, self.memory);
        let mut state = lock(&self.state);
        state.is_dead = true;
        let was_alone = state.jobs.len() == 1;
        for (_, job) in state.jobs.drain() {
            let _ = job.send(Heard::Died(Death { reason: reason.clone(), was_alone }));
        }
        if let Some(ready) = self.ready.take() {
            let _ = ready.send(Err(reason));
        }
    }
}

/// Passes reports on until the process closes its stream.
async fn read(stdout: ChildStdout, state: &Mutex<State>, ready: &mut Option<oneshot::Sender<Result<(), String>>>) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        let Ok(1..) = (&mut reader).take(LONGEST_REPORT).read_until(b'\n', &mut line).await else { return };
        let (job, heard) = match serde_json::from_slice(&line) {
            Ok(Report::Ready) => {
                if let Some(ready) = ready.take() {
                    let _ = ready.send(Ok(()));
                }
                continue;
            }
            Ok(Report::Event { job, event }) => (job, Heard::Event(event)),
            Ok(Report::Progress { job, line }) => (job, Heard::Progress(line)),
            Ok(Report::Ended { job, end }) => (job, Heard::Ended(end)),
            // A library may have greeted the world.
            Err(_) if ready.is_some() => continue,
            Err(error) => {
                tracing::error!(%error, "a worker process speaks another language and is ended");
                return;
            }
        };
        let mut state = lock(state);
        let is_end = matches!(heard, Heard::Ended(_));
        if let Some(listener) = state.jobs.get(&job) {
            // An error says that nothing waits for the job.
            let _ = listener.send(heard);
        }
        if is_end {
            state.jobs.remove(&job);
        }
    }
}

/// Explains the end of a process to a user.
fn reason(exit: &WorkerExit, last_words: &str, memory: u64) -> String {
    const TELLING: [&str; 3] = ["overflowed its stack", "memory allocation of", "panicked at"];
    if exit.limit == Some(Limit::Memory) {
        let most = memory >> 20;
        return format!(
            "the worker process exceeded its memory of {most} MiB (setting worker.memory_mib) and was ended"
        );
    }
    let how = match (exit.signal, exit.code) {
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    let telling = last_words.lines().rev().find(|line| TELLING.iter().any(|words| line.contains(words)));
    match telling.or_else(|| last_words.lines().rev().find(|line| !line.trim().is_empty())) {
        Some(line) => format!("the worker process {how}: {}", line.trim()),
        None => format!("the worker process {how}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_death_is_explained() {
        let exit = WorkerExit { code: None, signal: Some(6), limit: None };
        let words = "INFO a log line\n\nthread 'main' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        let expected = "the worker process was ended by signal 6: thread 'main' (7) has overflowed its stack";
        assert_eq!(reason(&exit, words, 1 << 30), expected);
        let exit = WorkerExit { code: None, signal: Some(9), limit: Some(Limit::Memory) };
        assert!(reason(&exit, "", 512 << 20).contains("512 MiB"));
        assert_eq!(
            reason(&WorkerExit { code: Some(3), signal: None, limit: None }, "", 0),
            "the worker process ended with exit code 3"
        );
    }
}

//! The worker process: does the jobs that its parent orders, and ends with it.

use std::collections::HashMap;
use std::io::BufRead as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use autoheal_engine::task::{Lease, Task};
use autoheal_engine::with_causes;
use autoheal_store::Store;
use serde_json::Value;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::protocol::{Greeting, JobEnd, JobId, Order, Report};
use crate::fail_point;
use crate::feed::{Audience, EventFeed, Listeners};
use crate::lease::{Hold, Interrupts};
use crate::registry::Registry;
use crate::walk::{Session, WalkEnd, WalkError};

/// The time in which the last events are passed on.
const TELLING: Duration = Duration::from_secs(1);

/// Answers calls in a worker process.
#[async_trait]
pub trait Callee: Send + Sync {
    /// Answers one call; an error has the callee's own form. `progress` takes lines for the client; `stop` says that it has gone.
    async fn call(
        &self,
        name: &str,
        input: Value,
        progress: &(dyn Fn(String) + Send + Sync),
        stop: CancellationToken,
    ) -> Result<Value, Value>;
}

/// Reads the greeting from standard input.
///
/// # Errors
///
/// Returns an error if no greeting arrives: then no worker started this process.
pub fn greeting() -> std::io::Result<Greeting> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    serde_json::from_str(&line).map_err(std::io::Error::other)
}

/// Resources of a worker process.
pub struct Performer {
    /// Database of the runs.
    pub store: Store,
    /// The workflows of the tasks that are ordered.
    pub registry: Registry,
    /// Answers calls; `None` where none are ordered.
    pub callee: Option<Arc<dyn Callee>>,
}

impl Performer {
    /// Executes the orders that arrive on standard input. Returns only when standard output is closed. The end of standard input ends the
    /// process at once, even in the middle of an order, because no worker waits for the result.
    pub async fn perform(self) {
        fail_point::in_worker_process();
        let mut orders = orders();
        let (reports, lines) = mpsc::unbounded_channel();
        let writer = std::thread::spawn(move || write(lines));
        let performer = Arc::new(self);
        let mut jobs: HashMap<JobId, Running> = HashMap::new();
        let _ = reports.send(Report::Ready);
        while let Some(order) = orders.recv().await {
            if writer.is_finished() {
                return;
            }
            jobs.retain(|_, running| !running.work.is_finished());
            match order {
                Order::Walk { job, task, lease, grace_millis } => {
                    let first = if task.cancel_requested { Hold::CancelRequested } else { Hold::Held };
                    let ((hold, held), stop) = (watch::channel(first), CancellationToken::new());
                    let interrupts =
                        Interrupts { hold: held, stop: stop.clone(), grace: Duration::from_millis(grace_millis) };
                    let (performer, reports) = (Arc::clone(&performer), reports.clone());
                    let work = tokio::spawn(async move {
                        let end = performer.walk(job, *task, lease, interrupts, &reports).await;
                        let _ = reports.send(Report::Ended { job, end });
                    });
                    jobs.insert(job, Running { hold: Some(hold), stop, work: AbortOnDropHandle::new(work) });
                }
                Order::Call { job, name, input } => {
                    let stop = CancellationToken::new();
                    let (performer, reports, stopped) = (Arc::clone(&performer), reports.clone(), stop.clone());
                    let work = tokio::spawn(async move {
                        let end = performer.call(job, &name, input, stopped, &reports).await;
                        let _ = reports.send(Report::Ended { job, end });
                    });
                    jobs.insert(job, Running { hold: None, stop, work: AbortOnDropHandle::new(work) });
                }
                Order::Hold { job, hold } => {
                    if let Some(sender) = jobs.get(&job).and_then(|running| running.hold.as_ref()) {
                        sender.send_replace(hold);
                    }
                }
                Order::Stop { job } => {
                    if let Some(running) = jobs.get(&job) {
                        running.stop.cancel();
                    }
                }
                Order::Drop { job } => drop(jobs.remove(&job)),
            }
        }
    }

    async fn walk(
        &self,
        job: JobId,
        task: Task,
        lease: Lease,
        interrupts: Interrupts,
        reports: &mpsc::UnboundedSender<Report>,
    ) -> JobEnd {
        let Some(walker) = self.registry.walker(task.kind) else {
            return JobEnd::Broken { error: format!("no workflow serves {}", task.kind.name()) };
        };
        let own = EventFeed::default();
        let mut events = own.watch();
        let audience = Audience { own, listeners: Listeners::default(), target: task.target.clone() };
        let session = Session { store: self.store.clone(), task, lease, audience, interrupts };
        let telling = reports.clone();
        // A separate thread: a computing step would block an async task, and with it the report that the step has begun.
        let telling = tokio::task::spawn_blocking(move || {
            loop {
                match events.blocking_recv() {
                    Ok(event) => drop(telling.send(Report::Event { job, event: Box::new(event) })),
                    // Events that receivers miss are in the store.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => break,
                }
            }
        });
        let walked = walker.walk(&session).await;
        // The feed ends with the session; leftovers of a step may hold it a moment longer.
        drop(session);
        let _ = timeout(TELLING, telling).await;
        match walked {
            Ok(WalkEnd::Finished(run, state)) => JobEnd::Finished { run, state },
            Ok(WalkEnd::Stopped(run)) => JobEnd::Stopped { run },
            Err(WalkError::LeaseLost) => JobEnd::LeaseLost,
            Err(error) => JobEnd::Broken { error: with_causes(&error) },
        }
    }

    async fn call(
        &self,
        job: JobId,
        name: &str,
        input: Value,
        stop: CancellationToken,
        reports: &mpsc::UnboundedSender<Report>,
    ) -> JobEnd {
        let Some(callee) = &self.callee else {
            return JobEnd::Broken { error: format!("this worker process does not answer calls such as {name}") };
        };
        let progress = |line| drop(reports.send(Report::Progress { job, line }));
        JobEnd::Answer { answer: callee.call(name, input, &progress, stop).await }
    }
}

/// A job under way.
struct Running {
    hold: Option<watch::Sender<Hold>>,
    stop: CancellationToken,
    work: AbortOnDropHandle<()>,
}

/// Reads orders on a separate thread, which notices the death of the parent regardless of the rest of the process.
fn orders() -> mpsc::UnboundedReceiver<Order> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Some(order) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else { break };
            if sender.send(order).is_err() {
                break;
            }
        }
        // Stored results are kept; sandboxes end with this process.
        std::process::exit(0);
    });
    receiver
}

/// Writes reports until the parent has closed the stream.
fn write(mut lines: mpsc::UnboundedReceiver<Report>) {
    let mut stdout = std::io::stdout().lock();
    while let Some(report) = lines.blocking_recv() {
        let Ok(mut line) = serde_json::to_vec(&report) else { continue };
        line.push(b'\n');
        if stdout.write_all(&line).and_then(|()| stdout.flush()).is_err() {
            return;
        }
    }
}

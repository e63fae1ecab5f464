//! The heartbeat that keeps a lease, and its messages to the walk.

use std::time::Duration;

use autoheal_engine::task::Lease;
use autoheal_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// State of the lease, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hold {
    /// This worker holds the lease.
    Held,
    /// This worker holds the lease, and the user wants to cancel the task.
    CancelRequested,
    /// Another worker has it, or may have it by now.
    Lost,
}

/// Reason to interrupt a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Another worker owns the task: no more writes.
    LeaseLost,
    /// The user cancelled the task: finish with the results so far.
    Cancelled,
    /// This worker is shutting down: give the task back.
    Stopped,
}

/// Everything that can interrupt a walk.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    pub(crate) hold: watch::Receiver<Hold>,
    pub(crate) stop: CancellationToken,
    /// Maximum time that a stop waits for the running step.
    pub(crate) grace: Duration,
}

impl Interrupts {
    /// Returns the interrupt that is pending, if any: checked between nodes.
    pub(crate) fn pending(&self) -> Option<Interrupt> {
        match *self.hold.borrow() {
            Hold::Lost => Some(Interrupt::LeaseLost),
            Hold::CancelRequested => Some(Interrupt::Cancelled),
            Hold::Held if self.stop.is_cancelled() => Some(Interrupt::Stopped),
            Hold::Held => None,
        }
    }

    /// Waits for an event that ends a running step.
    pub(crate) async fn during_step(&self) -> Interrupt {
        self.next(self.grace).await
    }

    /// Waits for an event that ends a pause between two tries.
    pub(crate) async fn during_pause(&self) -> Interrupt {
        self.next(Duration::ZERO).await
    }

    async fn next(&self, grace: Duration) -> Interrupt {
        let mut hold = self.hold.clone();
        let stopped = async {
            self.stop.cancelled().await;
            sleep(grace).await;
        };
        tokio::select! {
            biased;
            change = hold.wait_for(|hold| *hold != Hold::Held) => match change.as_deref() {
                Ok(Hold::CancelRequested) => Interrupt::Cancelled,
                // Without its heartbeat a lease is as good as lost.
                Ok(Hold::Held | Hold::Lost) | Err(_) => Interrupt::LeaseLost,
            },
            () = stopped => Interrupt::Stopped,
        }
    }
}

/// Time for a walk to notice by itself that its lease is lost.
const NOTICE: Duration = Duration::from_secs(5);

/// Waits until the lease is lost and its holder has had time to notice.
pub(crate) async fn lost(mut hold: watch::Receiver<Hold>) {
    // Without its heartbeat a lease is as good as lost.
    let _ = hold.wait_for(|hold| *hold == Hold::Lost).await;
    sleep(NOTICE).await;
}

/// Renews `lease` for `duration` every `interval` for as long as the returned handle lives.
pub(crate) fn keep(
    store: Store,
    lease: Lease,
    duration: Duration,
    interval: Duration,
    cancel_requested: bool,
) -> (AbortOnDropHandle<()>, watch::Receiver<Hold>) {
    let first = if cancel_requested { Hold::CancelRequested } else { Hold::Held };
    let (sender, receiver) = watch::channel(first);
    let beat = tokio::spawn(async move {
        let mut last_renewal = Instant::now();
        loop {
            sleep(interval).await;
            let begun = Instant::now();
            match timeout(duration, store.heartbeat(&lease, duration)).await {
                Ok(Ok(held)) => {
                    last_renewal = begun;
                    if held.cancel_requested {
                        sender.send_replace(Hold::CancelRequested);
                    }
                }
                Ok(Err(StoreError::LeaseLost(_))) => break,
                // The schema of this program no longer matches the database.
                Ok(Err(error @ StoreError::NewerSchema { .. })) => {
                    tracing::error!(task = %lease.task, %error, "the lease is given up");
                    break;
                }
                Ok(Err(error)) => tracing::warn!(task = %lease.task, %error, "the lease could not be renewed"),
                Err(_) => tracing::warn!(task = %lease.task, "the database does not answer"),
            }
            if last_renewal.elapsed() >= duration {
                break;
            }
        }
        sender.send_replace(Hold::Lost);
    });
    (AbortOnDropHandle::new(beat), receiver)
}

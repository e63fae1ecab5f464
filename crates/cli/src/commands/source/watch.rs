//! Running every source on its schedule: a worker, and somebody who fills its queue.

use std::time::{Duration, Instant};

use autoheal_orchestrator::{Worker, now};
use autoheal_source::Notifier;
use autoheal_source::schedule::Schedule;
use autoheal_store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{interrupt, progress, wiring};

const STOPPING: &str = "stopping after the running steps; once more to stop at once (nothing that is stored is lost)";

/// How often is looked for what is due.
const LOOK: Duration = Duration::from_secs(2);

/// How often is looked for what is to be posted, and for what is old.
const DELIVER: Duration = Duration::from_secs(5);
const FORGET: Duration = Duration::from_hours(1);

/// Runs, and what models were asked and answered, are kept for so long.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// Posts alerts and changes, and forgets what is old, until stopped.
pub(crate) async fn keep_house_until(notifier: &Notifier, store: &Store, stop: &CancellationToken) {
    let mut forgot_at: Option<Instant> = None;
    while !stop.is_cancelled() {
        if forgot_at.is_none_or(|at| at.elapsed() >= FORGET) {
            forgot_at = Some(Instant::now());
            if let Err(error) = forget(store).await {
                tracing::warn!(%error, "what is old could not be forgotten");
            }
        }
        let delivering = async {
            if let Err(error) = notifier.deliver_due(now).await {
                tracing::warn!(%error, "what is to be posted could not be read");
            }
            tokio::time::sleep(DELIVER).await;
        };
        // What was claimed and not delivered is due again in two minutes.
        tokio::select! {
            () = stop.cancelled() => {}
            () = delivering => {}
        }
    }
}

async fn forget(store: &Store) -> Result<(), StoreError> {
    let before = now().minus(KEPT);
    store.forget_model_texts(before).await?;
    let pruned = store.prune(before).await?;
    tracing::debug!(tasks = pruned.tasks, runs = pruned.runs, "forgotten");
    Ok(())
}

pub(super) async fn run(store: &Store, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let sources = wiring::source_services(config, store)?;
    let registry = wiring::source_registry(sources.clone())?;
    let worker = Worker::new(store.clone(), wiring::worker_settings(config), registry);
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    printer.say("running every source on its schedule; Ctrl-C stops");
    let mut schedule = Schedule::default();
    let filling = async {
        while !stop.is_cancelled() {
            match schedule.enqueue_due(store, now()).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "sources are due"),
                Err(error) => tracing::warn!(%error, "what is due could not be enqueued"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    };
    let notifier = wiring::notifier(config, sources);
    let working = progress::show(printer, worker.feed().watch(), worker.run_until(stop.clone()));
    tokio::join!(working, filling, keep_house_until(&notifier, store, &stop));
    Ok(Exit::Fine)
}

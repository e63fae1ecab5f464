//! Running every source on its schedule: a worker, and somebody who fills its queue.

use std::time::Duration;

use autoheal_orchestrator::{Worker, now};
use autoheal_source::Notifier;
use autoheal_source::schedule::Schedule;
use autoheal_store::Store;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{interrupt, progress, wiring};

const STOPPING: &str = "stopping after the running steps; once more to stop at once (nothing that is stored is lost)";

/// How often is looked for what is due.
const LOOK: Duration = Duration::from_secs(2);

/// How often is looked for what is to be posted.
const DELIVER: Duration = Duration::from_secs(5);

/// Posts alerts and changes until stopped.
pub(crate) async fn deliver_until(notifier: &Notifier, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = notifier.deliver_due(now).await {
            tracing::warn!(%error, "what is to be posted could not be read");
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(DELIVER) => {}
        }
    }
}

pub(super) async fn run(store: &Store, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let worker = Worker::new(store.clone(), wiring::worker_settings(config), wiring::source_registry(config, store)?);
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
    let notifier = wiring::notifier(config, store)?;
    let working = progress::show(printer, worker.feed().watch(), worker.run_until(stop.clone()));
    tokio::join!(working, filling, deliver_until(&notifier, &stop));
    Ok(Exit::Fine)
}

//! Running every source on its schedule: a worker, and a scheduler that fills its queue.

use autoheal_orchestrator::Worker;
use autoheal_store::Store;

use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{interrupt, progress, wiring};

const STOPPING: &str = "stopping after the running steps; all stored results are kept (Ctrl-C again to stop at once)";

pub(super) async fn run(store: &Store, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let sources = wiring::source_services(config, store)?;
    let registry = wiring::source_registry(sources.clone())?;
    let crew = wiring::crew(config, None)?;
    let worker = Worker::new(store.clone(), wiring::worker_settings(config)?, registry).with_crew(crew);
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    printer.say("running every source on its schedule; Ctrl-C to stop");
    let notifier = wiring::notifier(config, store, &sources)?;
    let maintenance = wiring::maintenance(config, store)?;
    let working = progress::show(printer, &worker, worker.run_until(stop.clone()));
    tokio::join!(working, wiring::schedule_until(store, &stop), maintenance.run_until(&notifier, &stop));
    wiring::ensure_current(store).await?;
    Ok(Exit::Fine)
}

use autoheal_orchestrator::Worker;

use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{interrupt, progress, wiring};

const STOPPING: &str = "stopping after the running steps; all stored results are kept (Ctrl-C again to stop at once)";

/// Runs tasks from the queue until stopped.
pub(super) async fn run(config: Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(&config).await?;
    wiring::adopt_tasks(&config, &store).await?;
    let sources = wiring::source_services(&config, &store)?;
    let (registry, kind) = wiring::repositories(&config, sources.clone()).await?;
    let crew = wiring::crew(&config, Some(kind))?;
    let settings = wiring::worker_settings(&config)?;
    printer.say(&format!("worker {} waits for tasks; Ctrl-C to stop", settings.name));
    let notifier = wiring::notifier(&config, &store, &sources)?;
    let maintenance = wiring::maintenance(&config, &store)?;
    let worker = Worker::new(store.clone(), settings, registry).with_crew(crew);
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    let working = progress::show(printer, &worker, worker.run_until(stop.clone()));
    tokio::join!(working, wiring::schedule_until(&store, &stop), maintenance.run_until(&notifier, &stop));
    wiring::ensure_current(&store).await?;
    Ok(Exit::Fine)
}

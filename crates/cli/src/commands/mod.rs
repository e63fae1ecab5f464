//! One file per command; each has `run`, which gives the exit code.

mod alerts;
mod backup;
mod check;
mod ci;
mod describe;
mod explain;
mod extract;
mod graph;
mod heal;
mod init;
mod mcp;
mod navigate;
mod queue;
mod relocate;
mod report;
mod runs;
mod scraper;
mod serve;
mod settings;
mod source;
mod tasks;
mod usage;
mod worker;

pub(crate) use settings::run as settings;

use crate::args::Command;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Runs the command that the arguments select.
pub(crate) async fn run(command: Command, config: Config, printer: &Printer) -> Result<Exit, Failure> {
    match command {
        Command::Heal(arguments) => heal::run(*arguments, &config, printer).await,
        Command::Init(arguments) => Box::pin(init::run(*arguments, &config, printer)).await,
        Command::Ci(arguments) => ci::run(*arguments, &config, printer).await,
        Command::Runs(arguments) => runs::run(&arguments, &config, printer).await,
        Command::Report(arguments) => report::run(arguments, &config, printer).await,
        Command::Tasks(arguments) => tasks::run(arguments, &config, printer).await,
        Command::Alerts(arguments) => alerts::run(&arguments, &config, printer).await,
        Command::Backup(arguments) => backup::run(&arguments, &config, printer).await,
        Command::Graph(arguments) => graph::run(&arguments, printer),
        Command::Explain(arguments) => explain::run(&arguments, printer),
        Command::Check(arguments) => check::run(&arguments, &config, printer).await,
        Command::Source(arguments) => Box::pin(source::run(*arguments, &config, printer)).await,
        Command::Usage(arguments) => usage::run(&arguments, &config, printer).await,
        Command::Relocate(arguments) => relocate::run(&arguments, printer),
        Command::Scraper(arguments) => scraper::run(arguments, &config, printer).await,
        Command::Extract(arguments) => extract::run(&arguments, &config, printer).await,
        Command::Navigate(arguments) => navigate::run(&arguments, &config, printer).await,
        Command::Mcp => mcp::run(&config, printer).await,
        Command::Serve { open } => serve::run(open, &config, printer).await,
        // `main` runs it, because it needs the origins of the settings.
        Command::Config(_) => Err(Failure::bad_input("the settings are already loaded")),
        // `main` starts it, because its settings come from the parent process.
        Command::WorkerProcess => Err(Failure::bad_input("only autoheal itself starts this command")),
        Command::Openapi => describe::openapi(printer),
        Command::Completions { shell } => describe::completions(shell, printer),
        Command::Man { folder } => describe::manual(&folder, printer),
        Command::Worker => worker::run(config, printer).await,
    }
}

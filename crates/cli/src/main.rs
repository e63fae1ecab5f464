//! The `autoheal` command: flags, printing, exit codes; wires the rest together.
//!
//! # Layout
//!
//! - `args`: command-line arguments; `config`: settings from files and the environment; `commands`: one file per command
//! - `wiring`: the store, the sandbox, the workflows and the maintenance, built from the settings; `tools`: the services of
//!   tools for assistants; `models`: language models
//! - `completion`: completion of command lines in shells
//! - `worker_process`: the same program as a child process that handles untrusted text
//! - `text`, `table`, `time`, `markdown`, `printer`, `progress`: output for the user; `exit`: exit codes for scripts
//! - `logging`, `masking`: the log, without secrets
//! - `run_name`: names of runs, which users shorten; `person`: the user of this process; `interrupt`: Ctrl-C

mod args;
mod ci_args;
mod commands;
mod completion;
mod config;
mod exit;
mod extract_args;
mod heal_args;
#[cfg(test)]
mod help;
mod init_args;
mod interrupt;
mod logging;
mod markdown;
mod masking;
mod models;
mod navigate_args;
mod person;
mod printer;
mod private;
mod progress;
mod run_name;
mod source_args;
mod table;
mod terms;
mod text;
mod time;
mod tools;
mod wiring;
mod worker_process;

use std::process::ExitCode;
use std::time::Duration;

use clap::FromArgMatches as _;

use crate::args::{Arguments, Command};
use crate::config::{Config, Given};
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;

fn main() -> ExitCode {
    #[cfg(feature = "render")]
    {
        let mut words = std::env::args_os().skip(1);
        if words.next().is_some_and(|word| word == wiring::BROWSER_RELAY) {
            return autoheal_fetch::render::relay(words);
        }
    }
    completion::answer_shell();
    let matches = args::command().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let printer = Printer::new(arguments.global.quiet, arguments.global.color);
    let command = arguments.command.name();
    let exit = run(arguments, config::given(&matches), &printer).unwrap_or_else(|failure| {
        logging::log_failure(command, &failure);
        printer.failure(&failure);
        failure.exit
    });
    exit.into()
}

fn run(arguments: Arguments, flags: Vec<Given>, printer: &Printer) -> Result<Exit, Failure> {
    if let Command::WorkerProcess = arguments.command {
        return worker_process::run();
    }
    if let Command::Config(settings) = &arguments.command {
        return commands::settings(settings, arguments.global.config.as_deref(), &flags, printer);
    }
    let mut config = Config::load(arguments.global.config.as_deref(), flags).bad_input()?;
    config.log.get_or_insert_with(|| arguments.command.log_level().to_owned());
    logging::start(&config).bad_input()?;
    let runtime = tokio::runtime::Runtime::new().environment()?;
    let result = runtime.block_on(commands::run(arguments.command, config, printer));
    // A step that was dropped may have left a thread behind: it is not waited for.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}

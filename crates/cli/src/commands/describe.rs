//! The program describes itself: its API, its commands to a shell, its manual.

use std::path::Path;

use anyhow::Context as _;
use clap_complete::Shell;

use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::{args, completion};

const NAME: &str = "autoheal";

/// Prints the description of the API.
pub(super) fn openapi(printer: &Printer) -> Result<Exit, Failure> {
    printer.json(&autoheal_server::api::description())?;
    Ok(Exit::Fine)
}

/// Prints the completion script for a shell.
pub(super) fn completions(shell: Shell, printer: &Printer) -> Result<Exit, Failure> {
    let script = completion::script(&shell.to_string(), NAME).context("there is no script for this shell")?;
    printer.data(&String::from_utf8(script).context("the script is not valid UTF-8")?)?;
    Ok(Exit::Fine)
}

/// Writes a page for each command.
pub(super) fn manual(folder: &Path, printer: &Printer) -> Result<Exit, Failure> {
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(args::command(), folder));
    written.with_context(|| format!("cannot write the manual to {}", folder.display())).bad_input()?;
    printer.say(&format!("wrote the manual to {0}; to read it: man -l {0}/{NAME}.1", folder.display()));
    Ok(Exit::Fine)
}

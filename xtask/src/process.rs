//! The one place of the chores that starts programs.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context as _, bail};

/// A command that will run in `folder`.
#[expect(clippy::disallowed_methods, reason = "chores run cargo, git and python for the developer who typed them")]
pub(crate) fn command(folder: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

/// Runs a command whose output goes to the terminal.
///
/// # Errors
///
/// When it cannot be started or fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and gives what it printed.
///
/// # Errors
///
/// When it cannot be started or fails; the message has the end of its standard error.
pub(crate) fn text_of(command: &mut Command) -> anyhow::Result<String> {
    let output = output_of(command)?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}: {}", shown(command), output.status, errors.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} printed what is not UTF-8", shown(command)))
}

/// Runs a command and gives how it ended, whatever that is.
///
/// # Errors
///
/// When it cannot be started.
pub(crate) fn output_of(command: &mut Command) -> anyhow::Result<Output> {
    command.output().with_context(|| format!("cannot start {}", shown(command)))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

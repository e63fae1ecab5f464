//! Output for the user: data on standard output, everything else on standard error.

use std::io::{self, Write};

use console::Style;

use crate::exit::{Exit, Failure};

/// Printer for the output, and the single place that decides what reaches the terminal.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    quiet: bool,
    is_terminal: bool,
}

#[expect(clippy::unused_self, reason = "only a printer may print; data and failures are printed even if quiet")]
impl Printer {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet, is_terminal: console::user_attended_stderr() }
    }

    /// Returns whether animated output is possible: standard error is a terminal, and `--quiet` is not set.
    pub(crate) fn is_lively(&self) -> bool {
        self.is_terminal && !self.quiet
    }

    /// Prints data: the output that the command is for. Untrusted text in it is not escaped, as with `cat`.
    ///
    /// # Errors
    ///
    /// When standard output cannot be written; a closed pipe is not an error.
    pub(crate) fn data(&self, text: &str) -> io::Result<()> {
        let mut output = io::stdout().lock();
        let written = output
            .write_all(text.as_bytes())
            .and_then(|()| if text.ends_with('\n') { Ok(()) } else { output.write_all(b"\n") });
        match written.and_then(|()| output.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Prints data as JSON.
    ///
    /// # Errors
    ///
    /// As [`Printer::data`].
    pub(crate) fn json(&self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        Ok(self.data(&serde_json::to_string_pretty(value)?)?)
    }

    /// Prints a message about the progress to standard error, unless `--quiet` is set.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            write_line(&harmless(text));
        }
    }

    /// Prints a warning to standard error, unless `--quiet` is set.
    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            write_line(&format!(
                "{} {}",
                Style::new().for_stderr().yellow().bold().apply_to("warning:"),
                harmless(text)
            ));
        }
    }

    /// Prints the reason the command failed, with its causes.
    pub(crate) fn failure(&self, failure: &Failure) {
        let title = match failure.exit {
            Exit::Fine | Exit::NotHealed | Exit::BadInput | Exit::EnvironmentMissing => "error:",
            Exit::InternalFault => "internal fault:",
            Exit::PartlyChecked => "partly checked:",
            Exit::Cancelled => "cancelled:",
        };
        let chain: Vec<String> = failure.error.chain().map(|cause| harmless(&cause.to_string())).collect();
        write_line(&format!(
            "{} {}",
            Style::new().for_stderr().red().bold().apply_to(title),
            chain.join("\n  because: ")
        ));
    }
}

fn write_line(text: &str) {
    // If standard error is closed, the error cannot be reported.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The text without what would steer the terminal, or the runner of a job, which takes lines for commands: it may come from a hostile
/// repository.
pub(crate) fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(harmless_line).collect();
    lines.join("\n")
}

fn harmless_line(line: &str) -> String {
    let shown: String = line
        .chars()
        .map(|character| match character {
            '\t' => ' ',
            character if character.is_control() => '\u{fffd}',
            // Marks that reverse the direction of what follows.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            character => character,
        })
        .collect();
    // A command for the runner begins a line, or has its older form anywhere.
    let shown = if shown.trim_start().starts_with("::") { shown.replacen(':', "\u{fffd}", 1) } else { shown };
    shown.replace("##[", "#\u{fffd}[")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::harmless;

    proptest! {
        #[test]
        fn no_escape_sequence_survives(text in any::<String>()) {
            let shown = harmless(&text);
            prop_assert!(shown.chars().all(|character| character == '\n' || !character.is_control()));
            prop_assert_eq!(shown.lines().count(), text.lines().count());
            prop_assert_eq!(shown.chars().count(), text.chars().count());
        }
    }

    #[test]
    fn no_line_is_a_command_for_a_runner() {
        assert_eq!(harmless("a ::b\n \t::error::c"), "a ::b\n  \u{fffd}:error::c");
        assert_eq!(harmless("x ##[add-mask]y"), "x #\u{fffd}[add-mask]y");
    }

    #[test]
    fn colours_of_others_are_not_shown() {
        assert_eq!(harmless("\u{1b}[31mred\u{1b}[0m"), "\u{fffd}[31mred\u{fffd}[0m");
    }
}

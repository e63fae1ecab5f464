//! Output for the user: data on standard output, everything else on standard error.

use std::io::{self, BufRead as _, IsTerminal as _, Write};

use autoheal_engine::ledger::ModelUsage;
use clap::ValueEnum;

use crate::exit::{Exit, Failure};
use crate::markdown;
use crate::table::Table;
use crate::text::{Text, Tone};

/// Use of colours in output for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the variable `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Printer for the output, and the single place that decides what reaches the terminal.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    quiet: bool,
    is_terminal: bool,
}

#[expect(clippy::unused_self, reason = "only a printer may print; data and failures are printed even if quiet")]
impl Printer {
    pub(crate) fn new(quiet: bool, color: Color) -> Self {
        let forced = match color {
            Color::Auto => None,
            Color::Always => Some(true),
            Color::Never => Some(false),
        };
        if let Some(enabled) = forced {
            console::set_colors_enabled(enabled);
            console::set_colors_enabled_stderr(enabled);
        }
        Self { quiet, is_terminal: console::user_attended_stderr() }
    }

    /// Returns whether animated output is possible: standard error is a terminal, and `--quiet` is not set.
    pub(crate) fn is_lively(&self) -> bool {
        self.is_terminal && !self.quiet
    }

    /// Returns whether a reader sees standard output, which is a terminal.
    pub(crate) fn is_read(&self) -> bool {
        terminal_width().is_some()
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

    /// Prints data for a reader, with its styles if standard output is a terminal.
    ///
    /// # Errors
    ///
    /// As [`Printer::data`].
    pub(crate) fn show(&self, text: impl Into<Text>) -> io::Result<()> {
        self.data(&text.into().render(console::colors_enabled()))
    }

    /// Prints a table: fitted to the terminal, or with tabs between the full texts for other programs.
    ///
    /// # Errors
    ///
    /// As [`Printer::data`].
    pub(crate) fn table(&self, table: &Table) -> io::Result<()> {
        match terminal_width() {
            Some(width) => self.show(table.fitted(width)),
            None => self.data(&table.separated()),
        }
    }

    /// Prints Markdown: rendered on a terminal, as it is for other programs.
    ///
    /// # Errors
    ///
    /// As [`Printer::data`].
    pub(crate) fn markdown(&self, markdown: &str) -> io::Result<()> {
        match terminal_width() {
            Some(width) => self.show(markdown::render(markdown, width)),
            None => self.data(markdown),
        }
    }

    /// Prints a unified diff: with colours and without control characters on a terminal, as it is for other programs.
    ///
    /// # Errors
    ///
    /// As [`Printer::data`].
    pub(crate) fn diff(&self, diff: &str) -> io::Result<()> {
        if self.is_read() { self.show(markdown::diff(diff)) } else { self.data(diff) }
    }

    /// Prints a message about the progress to standard error, unless `--quiet` is set.
    pub(crate) fn say(&self, text: impl Into<Text>) {
        if !self.quiet {
            write_line(&text.into());
        }
    }

    /// Prints a message about something that failed to standard error, even if `--quiet` is set.
    pub(crate) fn fault(&self, text: impl Into<Text>) {
        write_line(&text.into());
    }

    /// Returns whether the user can answer a question: standard input and standard error are a terminal.
    pub(crate) fn can_ask(&self) -> bool {
        self.is_terminal && io::stdin().is_terminal()
    }

    /// Prints a question to standard error, even if `--quiet` is set, and returns the line that the user answers; `None`: the input has
    /// ended. Ctrl-C ends the process.
    ///
    /// # Errors
    ///
    /// When the question cannot be printed, or the answer is not text.
    pub(crate) fn ask(&self, question: &Text) -> io::Result<Option<String>> {
        let mut terminal = io::stderr().lock();
        write!(terminal, "{}", question.render(console::colors_enabled_stderr()))?;
        terminal.flush()?;
        let mut answer = String::new();
        let length = io::stdin().lock().read_line(&mut answer)?;
        Ok((length > 0).then_some(answer))
    }

    /// Returns a function that prints messages about the progress.
    pub(crate) fn lines(&self) -> impl Fn(String) + Send + Sync + 'static {
        let printer = self.clone();
        move |line| printer.say(&line)
    }

    /// Prints the usage of language models; nothing if they had no requests.
    pub(crate) fn model_usage(&self, usage: ModelUsage) {
        if usage.calls > 0 {
            self.say(&format!("language model: {usage}"));
        }
    }

    /// Prints a warning to standard error, unless `--quiet` is set.
    pub(crate) fn warn(&self, text: impl Into<Text>) {
        let mut line = Text::new().with(Tone::Caution, "warning:").plain(" ");
        line.push(text);
        self.say(line);
    }

    /// Prints the reason the command failed, with its causes.
    pub(crate) fn failure(&self, failure: &Failure) {
        let title = match failure.exit {
            Exit::Fine | Exit::NotHealed | Exit::BadInput | Exit::EnvironmentMissing => "error:",
            Exit::InternalFault => "internal fault:",
            Exit::PartlyChecked => "partly checked:",
            Exit::Cancelled => "cancelled:",
        };
        let chain: Vec<String> = failure.error.chain().map(ToString::to_string).collect();
        write_line(&Text::new().with(Tone::Bad, title).plain(" ").plain(chain.join("\n  because: ")));
    }
}

/// Returns the number of columns of the terminal that standard output is; `None` if it is not a terminal.
fn terminal_width() -> Option<usize> {
    const USUAL: usize = 80;
    let size = console::user_attended().then(|| console::Term::stdout().size_checked())?;
    Some(size.map_or(USUAL, |(_, columns)| usize::from(columns)).max(1))
}

fn write_line(text: &Text) {
    // If standard error is closed, the error cannot be reported.
    let _ = writeln!(io::stderr().lock(), "{}", text.render(console::colors_enabled_stderr()));
}

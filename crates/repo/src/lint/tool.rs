//! A tool whose findings decide the colour beside tests: a linter, a formatter, a type checker. A new one is a row in the table of its language;
//! everything else reads the tables.

use autoheal_code::LanguageId;
use autoheal_code::report::Look;
use autoheal_engine::diagnostics::Finding;
use serde::Serialize;

/// Word behind which a tool reads no options.
const SEPARATOR: &str = "--";

/// Name of a tool, such as `ruff_format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Linter(&'static str);

impl Linter {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Name of the tool, in lower case, one word.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// Output of a tool.
pub(crate) struct Said {
    /// On its standard output.
    pub(crate) stdout: String,
    /// On its standard error.
    pub(crate) stderr: String,
}

impl Said {
    pub(crate) fn both(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

/// A tool: how CI calls it, how it is run to report, how its report is read, and how it mends what it finds.
pub(crate) struct Tool {
    /// Linter that the tool is.
    pub(crate) linter: Linter,
    /// Name of its program.
    pub(crate) program: &'static str,
    /// Languages whose tools may bring it, in the order in which they are looked at.
    pub(crate) homes: &'static [LanguageId],
    /// The distribution by which one of them installs it; `None`: it is one of the project's own packages.
    pub(crate) distribution: Option<&'static str>,
    /// Subcommands of the program that run the tool; empty: it has no subcommands.
    pub(crate) commands: &'static [&'static str],
    /// Options of which CI has to pass one for the tool to check; without them it rewrites files, or prints. Empty: it always checks.
    pub(crate) checks: &'static [&'static str],
    /// Options with which it is never red.
    pub(crate) never_red: &'static [&'static str],
    /// Options that are not passed on: they edit, or say how and where to print.
    pub(crate) dropped: &'static [&'static str],
    /// Options, kept or not, that take the next word.
    pub(crate) with_value: &'static [&'static str],
    /// The words added so that it reports, and changes nothing. `{scratch}` is a folder that it may write.
    pub(crate) report: &'static [&'static str],
    /// The findings in what it prints when it ends badly.
    pub(crate) read: fn(&Said, &Look<'_>) -> Vec<Finding>,
    /// From the arguments that CI passes to those with which it rewrites what it finds; `None`: it changes what programs mean, or nothing.
    pub(crate) rewrite: Option<fn(Vec<String>) -> Vec<String>>,
}

/// A command of one of the tools, as CI calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// It checks, with the arguments that matter, and the command line as a user would type it, as argv.
    Checks { linter: Linter, arguments: Vec<String>, words: Vec<String> },
    /// It is never red.
    NeverRed,
}

/// The tool of a table that a command calls; `None`: none of them. `is_known`: whether a word can be read; others are left out.
pub(crate) fn call<'t>(
    tools: impl Iterator<Item = &'t Tool>,
    program: &str,
    arguments: &[String],
    is_known: impl Fn(&str) -> bool,
) -> Option<Call> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut rows = tools.filter(|tool| tool.program == name).peekable();
    rows.peek()?;
    let mut arguments: Vec<String> = arguments.to_vec();
    if name == "ruff" && arguments.first().is_none_or(|first| first.starts_with('-') || first.contains(['.', '/'])) {
        // Before the subcommands there were paths.
        arguments.insert(0, "check".to_owned());
    }
    let command = arguments.first().cloned().unwrap_or_default();
    let Some(tool) = rows.find(|tool| tool.commands.is_empty() || tool.commands.contains(&command.as_str())) else {
        // `ruff clean`, `biome migrate`: nothing that is checked.
        return Some(Call::NeverRed);
    };
    let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&option_of(word)));
    if has(tool.never_red) || !(tool.checks.is_empty() || has(tool.checks)) || has(&["--version", "--help", "-h"]) {
        return Some(Call::NeverRed);
    }
    let words = tool.kept(&arguments, &[], &is_known);
    let arguments = tool.kept(&arguments, tool.checks, &is_known);
    let words = std::iter::once(name.to_owned()).chain(words).collect();
    Some(Call::Checks { linter: tool.linter, arguments, words })
}

impl Tool {
    /// Returns the name for users: `black`, `ruff format`.
    pub(crate) fn name(&self) -> String {
        match self.commands {
            [command] => format!("{} {command}", self.program),
            _ => self.program.to_owned(),
        }
    }

    /// Arguments without those that are dropped, those `also`, and words that are not known.
    fn kept(&self, arguments: &[String], also: &[&str], is_known: impl Fn(&str) -> bool) -> Vec<String> {
        let mut kept = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let option = option_of(word);
            let value = if !word.contains('=') && self.with_value.contains(&option) { words.next() } else { None };
            let is_dropped = self.dropped.contains(&option) || also.contains(&option);
            if !is_dropped && is_known(word) && value.is_none_or(|value| is_known(value)) {
                kept.push(word.clone());
                kept.extend(value.cloned());
            }
        }
        if kept.last().is_some_and(|last| last == SEPARATOR) {
            kept.pop();
        }
        kept
    }
}

/// An option without the value that is joined to it.
fn option_of(word: &str) -> &str {
    if word.starts_with('-') { word.split('=').next().unwrap_or(word) } else { word }
}

/// Arguments with further options, which are put before a `--`.
pub(crate) fn with(mut arguments: Vec<String>, options: &[&str]) -> Vec<String> {
    let at = arguments.iter().position(|word| word == SEPARATOR).unwrap_or(arguments.len());
    arguments.splice(at..at, options.iter().map(|option| (*option).to_owned()));
    arguments
}

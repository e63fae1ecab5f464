//! The tools whose findings decide the colour beside tests: linters, formatters and type checkers. A new one is a name in [`Linter`] and a
//! row of [`TOOLS`]; everything else reads the table.

use autoheal_code::report::node::{Look, eslint};
use autoheal_code::report::{biome, checkers, flake8, formatters, ruff};
use autoheal_engine::diagnostics::Finding;

use crate::setup::Linter;
use crate::toolchain::Toolchain;

/// Origin of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// A distribution of `PyPI`, beside the interpreter.
    Python(&'static str),
    /// One of the project's own packages.
    Node,
    /// One of the project's own packages, else that distribution of `PyPI`.
    Either(&'static str),
}

impl Home {
    /// The toolchains with which the tool may be installed, the first that has it first.
    pub(crate) const fn toolchains(self) -> &'static [Toolchain] {
        match self {
            Self::Python(_) => &[Toolchain::Python],
            Self::Node => &[Toolchain::Node],
            Self::Either(_) => &[Toolchain::Node, Toolchain::Python],
        }
    }

    /// The distribution that pip installs; `None`: pip has none.
    pub(crate) const fn distribution(self) -> Option<&'static str> {
        match self {
            Self::Python(distribution) | Self::Either(distribution) => Some(distribution),
            Self::Node => None,
        }
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
    fn both(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

/// A tool: how CI calls it, how it is run to report, how its report is read, and how it mends what it finds.
pub(crate) struct Tool {
    /// Linter that the tool is.
    pub(crate) linter: Linter,
    /// Name of its program.
    pub(crate) program: &'static str,
    /// Origin of the tool.
    pub(crate) home: Home,
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

/// Table of all tools.
pub(crate) static TOOLS: [Tool; 11] = [
    Tool {
        linter: Linter::Ruff,
        program: "ruff",
        home: Home::Python("ruff"),
        commands: &["check"],
        checks: &[],
        never_red: &["--exit-zero"],
        dropped: &[
            "--fix",
            "--fix-only",
            "--unsafe-fixes",
            "--show-fixes",
            "--diff",
            "--exit-non-zero-on-fix",
            "--output-format",
            "--format",
            "--quiet",
            "-q",
            "--statistics",
            "--output-file",
            "-o",
        ],
        with_value: &[
            "--output-format",
            "--format",
            "--output-file",
            "-o",
            "--select",
            "--ignore",
            "--extend-select",
            "--extend-ignore",
            "--config",
            "--line-length",
            "--target-version",
            "--exclude",
            "--extend-exclude",
            "--per-file-ignores",
        ],
        report: &["--output-format", "json", "--no-cache", "--no-fix"],
        read: |said, look| ruff::findings(&said.stdout, look.prefixes).unwrap_or_default(),
        rewrite: None,
    },
    Tool {
        linter: Linter::RuffFormat,
        program: "ruff",
        home: Home::Python("ruff"),
        commands: &["format"],
        checks: &["--check", "--diff"],
        never_red: &["--exit-zero"],
        dropped: &["--quiet", "-q", "--silent", "-s", "--output-format"],
        with_value: &[
            "--output-format",
            "--config",
            "--line-length",
            "--target-version",
            "--exclude",
            "--extend-exclude",
            "--cache-dir",
        ],
        report: &["--check", "--no-cache"],
        read: |said, look| formatters::in_sentences("ruff format", &said.both(), look),
        rewrite: Some(|arguments| with(arguments, "--no-cache")),
    },
    Tool {
        linter: Linter::Flake8,
        program: "flake8",
        home: Home::Python("flake8"),
        commands: &[],
        checks: &[],
        never_red: &["--exit-zero"],
        dropped: &[],
        with_value: &[],
        report: &["--format", "default"],
        read: |said, look| flake8::findings(&said.stdout, look.prefixes),
        rewrite: None,
    },
    Tool {
        linter: Linter::Eslint,
        program: "eslint",
        home: Home::Node,
        commands: &[],
        checks: &[],
        never_red: &[],
        dropped: &[
            "--fix",
            "--fix-dry-run",
            "--fix-type",
            "--format",
            "-f",
            "--output-file",
            "-o",
            "--max-warnings",
            "--quiet",
            "--cache",
            "--cache-location",
            "--cache-strategy",
            "--color",
            "--no-color",
            "--debug",
            "--stats",
            "--report-unused-disable-directives",
        ],
        with_value: &[
            "--fix-type",
            "--format",
            "-f",
            "--output-file",
            "-o",
            "--max-warnings",
            "--cache-location",
            "--cache-strategy",
            "--ext",
            "--config",
            "-c",
            "--ignore-path",
            "--ignore-pattern",
            "--rulesdir",
            "--rule",
            "--parser",
            "--parser-options",
            "--plugin",
            "--resolve-plugins-relative-to",
            "--env",
            "--global",
        ],
        report: &["--format", "json", "--no-color"],
        // Warnings alone end well, and so do files that are all ignored.
        read: |said, look| eslint::findings(&said.stdout, look).unwrap_or_default(),
        rewrite: None,
    },
    Tool {
        linter: Linter::Black,
        program: "black",
        home: Home::Python("black"),
        commands: &[],
        checks: &["--check"],
        never_red: &[],
        dropped: &["--diff", "--quiet", "-q", "--verbose", "-v", "--color", "--no-color"],
        with_value: &[
            "--line-length",
            "-l",
            "--target-version",
            "-t",
            "--config",
            "--include",
            "--exclude",
            "--extend-exclude",
            "--force-exclude",
            "--required-version",
            "--workers",
            "-W",
        ],
        report: &["--check"],
        read: |said, look| formatters::in_sentences("black", &said.both(), look),
        rewrite: Some(|arguments| arguments),
    },
    Tool {
        linter: Linter::Isort,
        program: "isort",
        home: Home::Python("isort"),
        commands: &[],
        checks: &["--check", "--check-only", "-c"],
        never_red: &[],
        dropped: &["--diff", "--df", "--quiet", "-q", "--verbose", "-v", "--color"],
        with_value: &[
            "--profile",
            "--settings-path",
            "--sp",
            "--settings-file",
            "--line-length",
            "-l",
            "-w",
            "--skip",
            "-s",
            "--skip-glob",
            "--sg",
            "--src",
            "-p",
            "--project",
        ],
        report: &["--check-only"],
        read: |said, look| formatters::in_sentences("isort", &said.both(), look),
        rewrite: Some(|arguments| arguments),
    },
    Tool {
        linter: Linter::Prettier,
        program: "prettier",
        home: Home::Node,
        commands: &[],
        checks: &["--check", "-c", "--list-different", "-l"],
        never_red: &[],
        dropped: &[
            "--log-level",
            "--loglevel",
            "--color",
            "--no-color",
            "--cache",
            "--cache-location",
            "--cache-strategy",
        ],
        with_value: &[
            "--log-level",
            "--loglevel",
            "--cache-location",
            "--cache-strategy",
            "--config",
            "--ignore-path",
            "--plugin",
            "--parser",
        ],
        report: &["--list-different"],
        read: |said, look| formatters::in_a_list("prettier", &said.stdout, &said.stderr, look),
        rewrite: Some(|arguments| with(arguments, "--write")),
    },
    Tool {
        linter: Linter::Biome,
        program: "biome",
        home: Home::Node,
        commands: &["check", "ci", "lint", "format"],
        checks: &[],
        never_red: &["--write", "--fix", "--apply"],
        dropped: &["--reporter", "--colors", "--verbose", "--max-diagnostics", "--log-level", "--changed"],
        with_value: &["--config-path", "--log-kind"],
        report: &["--reporter=github", "--colors=off", "--max-diagnostics=1000"],
        read: |said, look| biome::findings(&said.stdout, look),
        rewrite: Some(|arguments| {
            let rest = arguments.into_iter().skip(1);
            ["format", "--write"].map(str::to_owned).into_iter().chain(rest).collect()
        }),
    },
    Tool {
        linter: Linter::Mypy,
        program: "mypy",
        home: Home::Python("mypy"),
        commands: &[],
        checks: &[],
        never_red: &[],
        dropped: &[
            "--pretty",
            "--output",
            "-O",
            "--junit-xml",
            "--html-report",
            "--cobertura-xml-report",
            "--xml-report",
            "--txt-report",
            "--cache-dir",
            "--install-types",
            "--non-interactive",
            "--verbose",
            "-v",
            "--show-error-context",
            "--error-summary",
        ],
        with_value: &[
            "--output",
            "-O",
            "--junit-xml",
            "--html-report",
            "--cobertura-xml-report",
            "--xml-report",
            "--txt-report",
            "--cache-dir",
            "--config-file",
            "--python-version",
            "--platform",
            "--python-executable",
            "--exclude",
            "-p",
            "--package",
            "-m",
            "--module",
            "-c",
            "--command",
            "--follow-imports",
            "--disable-error-code",
            "--enable-error-code",
        ],
        report: &[
            "--no-pretty",
            "--no-color-output",
            "--no-error-summary",
            "--show-column-numbers",
            "--hide-error-context",
            "--cache-dir",
            "{scratch}/mypy",
        ],
        read: |said, look| checkers::mypy(&said.stdout, look),
        rewrite: None,
    },
    Tool {
        linter: Linter::Pyright,
        program: "pyright",
        home: Home::Either("pyright"),
        commands: &[],
        checks: &[],
        never_red: &["--watch", "-w", "--stats"],
        dropped: &["--outputjson", "--verbose"],
        with_value: &["--project", "-p", "--pythonversion", "--pythonplatform", "--pythonpath", "--level", "--threads"],
        report: &["--outputjson"],
        read: |said, look| checkers::pyright(&said.stdout, look),
        rewrite: None,
    },
    Tool {
        linter: Linter::Pylint,
        program: "pylint",
        home: Home::Python("pylint"),
        commands: &[],
        checks: &[],
        never_red: &["--exit-zero"],
        dropped: &[
            "--output-format",
            "-f",
            "--output",
            "--score",
            "-s",
            "--reports",
            "-r",
            "--verbose",
            "-v",
            "--msg-template",
        ],
        with_value: &[
            "-f",
            "--output",
            "-s",
            "-r",
            "--rcfile",
            "--disable",
            "-d",
            "--enable",
            "-e",
            "--jobs",
            "-j",
            "--fail-under",
            "--fail-on",
            "--ignore",
            "--load-plugins",
            "--max-line-length",
            "--msg-template",
        ],
        report: &["--output-format=json", "--score=n"],
        read: |said, look| checkers::pylint(&said.stdout, look),
        rewrite: None,
    },
];

/// A command of one of the tools, as CI calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// It checks, with the arguments that matter, and the command line as a user would type it, as argv.
    Checks { linter: Linter, arguments: Vec<String>, words: Vec<String> },
    /// It is never red.
    NeverRed,
}

/// The tool that a command calls; `None`: none of them. `is_known`: whether a word can be read; others are left out.
pub(crate) fn call(program: &str, arguments: &[String], is_known: impl Fn(&str) -> bool) -> Option<Call> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut rows = TOOLS.iter().filter(|tool| tool.program == name).peekable();
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
    /// The row of a tool.
    pub(crate) fn of(linter: Linter) -> &'static Self {
        // Every name has a row: a test goes through them.
        TOOLS.iter().find(|tool| tool.linter == linter).unwrap_or(&TOOLS[0])
    }

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
            let is_dropped = self.dropped.contains(&option) || also.contains(&option) || word == "--";
            if !is_dropped && is_known(word) && value.is_none_or(|value| is_known(value)) {
                kept.push(word.clone());
                kept.extend(value.cloned());
            }
        }
        kept
    }
}

/// An option without the value that is joined to it.
fn option_of(word: &str) -> &str {
    if word.starts_with('-') { word.split('=').next().unwrap_or(word) } else { word }
}

fn with(mut arguments: Vec<String>, option: &str) -> Vec<String> {
    arguments.push(option.to_owned());
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(command: &str) -> Option<Call> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        call(&words[0], &words[1..], |word| word != "?")
    }

    #[test]
    fn every_tool_has_its_row() {
        for linter in Linter::ALL {
            assert_eq!(Tool::of(linter).linter, linter);
        }
        assert_eq!(TOOLS.len(), Linter::ALL.len());
    }

    #[test]
    fn a_tool_is_known_by_how_ci_calls_it() {
        for (command, linter, kept) in [
            ("ruff check --output-format=github --fix src", Linter::Ruff, "check src"),
            ("ruff .", Linter::Ruff, "check ."),
            ("ruff format --check .", Linter::RuffFormat, "format ."),
            ("ruff format --diff src", Linter::RuffFormat, "format src"),
            ("black --check --diff -l 100 .", Linter::Black, "-l 100 ."),
            ("isort --check-only --profile black src", Linter::Isort, "--profile black src"),
            ("isort -c .", Linter::Isort, "."),
            ("prettier --check src --log-level warn", Linter::Prettier, "src"),
            ("node_modules/.bin/prettier -l .", Linter::Prettier, "."),
            ("biome ci --reporter=github src", Linter::Biome, "ci src"),
            ("mypy --strict --junit-xml out.xml shop ?", Linter::Mypy, "--strict shop"),
            ("pylint -f colorized --fail-under 9 shop", Linter::Pylint, "--fail-under 9 shop"),
            ("pyright --outputjson src", Linter::Pyright, "src"),
            ("eslint --max-warnings 0 src", Linter::Eslint, "src"),
        ] {
            let Some(Call::Checks { linter: found, arguments, .. }) = called(command) else { panic!("{command}") };
            assert_eq!((found, arguments.join(" ").as_str()), (linter, kept), "{command}");
        }
        for command in [
            "black .",
            "ruff format .",
            "ruff clean",
            "isort .",
            "prettier --write .",
            "biome check --write .",
            "pylint --exit-zero x",
            "black --version",
        ] {
            assert_eq!(called(command), Some(Call::NeverRed), "{command}");
        }
        assert_eq!(called("pytest -q"), None);
    }
}

//! Linters, formatters and type checkers of Python.

use autoheal_code::python;
use autoheal_code::report::{checkers, flake8, formatters, ruff};

use crate::lint::tool::{Linter, Tool, with};
use crate::lint::tools;
use crate::project::{join, read_text};
use crate::setup::{Interpreter, Setup};
use crate::toolchain::Survey;

/// Table of them.
pub(super) static TOOLS: [Tool; 7] = [
    Tool {
        linter: Linter::new("ruff"),
        program: "ruff",
        homes: &[python::ID],
        distribution: Some("ruff"),
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
        linter: Linter::new("ruff_format"),
        program: "ruff",
        homes: &[python::ID],
        distribution: Some("ruff"),
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
        linter: Linter::new("flake8"),
        program: "flake8",
        homes: &[python::ID],
        distribution: Some("flake8"),
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
        linter: Linter::new("black"),
        program: "black",
        homes: &[python::ID],
        distribution: Some("black"),
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
        linter: Linter::new("isort"),
        program: "isort",
        homes: &[python::ID],
        distribution: Some("isort"),
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
        linter: Linter::new("mypy"),
        program: "mypy",
        homes: &[python::ID],
        distribution: Some("mypy"),
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
        linter: Linter::new("pylint"),
        program: "pylint",
        homes: &[python::ID],
        distribution: Some("pylint"),
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

/// Returns those that a project has settings for.
pub(super) fn configured(survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)> {
    let Survey { tree, directory, manifests, .. } = *survey;
    let exists = |name: &str| read_text(tree, &join(directory, name)).is_some();
    let has_ruff = manifests.toml("pyproject.toml").get("tool").is_some_and(|tool| tool.get("ruff").is_some());
    let is_of_flake8 =
        |name: &&str| manifests.text(name).is_some_and(|text| text.lines().any(|line| line.trim() == "[flake8]"));
    let ruff = has_ruff || exists("ruff.toml") || exists(".ruff.toml");
    let flake8 = ["setup.cfg", "tox.ini"].iter().any(is_of_flake8) || exists(".flake8");
    let found: [(bool, &'static [&'static str], &'static str); 2] =
        [(ruff, &["ruff", "check", "."], "settings of ruff"), (flake8, &["flake8"], "settings of flake8")];
    found.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, words, evidence)| (words, evidence)).collect()
}

/// Returns the requirements that pip installs: linters that CI runs and the interpreter lacks. A pinned version is always included.
pub(super) fn requirements<'s>(setup: &'s Setup, interpreter: &'s Interpreter) -> impl Iterator<Item = String> + 's {
    setup.linters.iter().filter(|linter| linter.is_required).filter_map(move |linter| {
        let requirement = linter.requirement.clone()?;
        let program = tools::of(linter.linter)?.program;
        let is_needed = linter.is_pinned() || super::program(program, interpreter).is_none();
        is_needed.then_some(requirement)
    })
}

//! Linters, formatters and type checkers of JavaScript and TypeScript, and those that Node runs.

use autoheal_code::javascript::report::eslint;
use autoheal_code::report::{biome, checkers, formatters};
use autoheal_code::{javascript, python};

use crate::lint::tool::{Linter, Tool, with};
use crate::toolchain::Survey;

/// Table of them.
pub(super) static TOOLS: [Tool; 4] = [
    Tool {
        linter: Linter::new("eslint"),
        program: "eslint",
        homes: &[javascript::ID],
        distribution: None,
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
        linter: Linter::new("prettier"),
        program: "prettier",
        homes: &[javascript::ID],
        distribution: None,
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
        rewrite: Some(|arguments| with(arguments, &["--write"])),
    },
    Tool {
        linter: Linter::new("biome"),
        program: "biome",
        homes: &[javascript::ID],
        distribution: None,
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
        linter: Linter::new("pyright"),
        program: "pyright",
        homes: &[javascript::ID, python::ID],
        distribution: Some("pyright"),
        commands: &[],
        checks: &[],
        never_red: &["--watch", "-w", "--stats"],
        dropped: &["--outputjson", "--verbose"],
        with_value: &["--project", "-p", "--pythonversion", "--pythonplatform", "--pythonpath", "--level", "--threads"],
        report: &["--outputjson"],
        read: |said, look| checkers::pyright(&said.stdout, look),
        rewrite: None,
    },
];

/// Returns those that a project has settings for.
pub(super) fn configured(survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)> {
    let is_settings = |file: &String| {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
        (folder == survey.directory || folder.is_empty())
            && (name.starts_with("eslint.config.") || name.starts_with(".eslintrc"))
    };
    let in_package = survey.manifests.json("package.json");
    let has_eslint =
        survey.files.iter().any(is_settings) || in_package.is_some_and(|package| package.get("eslintConfig").is_some());
    let eslint: (&'static [&'static str], &'static str) = (&["eslint", "."], "settings of eslint");
    has_eslint.then_some(eslint).into_iter().collect()
}

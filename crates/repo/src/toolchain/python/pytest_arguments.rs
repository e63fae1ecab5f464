//! The arguments of pytest that are kept when CI's command is run here.

use crate::ci_commands::context::holds_expression;

/// Options of pytest that need a plugin, or say where reports go: they do not change which tests pass.
const PYTEST_DROPPED: &[&str] = &[
    "--cov",
    "--no-cov",
    "--cov-report",
    "--cov-config",
    "--cov-append",
    "--cov-branch",
    "--cov-fail-under",
    "--cov-context",
    "--no-cov-on-fail",
    "-n",
    "--numprocesses",
    "--dist",
    "--maxprocesses",
    "--junitxml",
    "--junit-xml",
    "--junit-prefix",
    "--html",
    "--self-contained-html",
    "--reruns",
    "--reruns-delay",
    "--timeout",
    "--timeout-method",
    "--durations",
    "--durations-min",
    "--color",
    "--report-log",
    "--json-report",
    "--json-report-file",
    "--randomly-seed",
    "--benchmark-only",
    "--benchmark-skip",
    "--benchmark-disable",
    "--md-report",
    "-x",
    "--exitfirst",
    "--maxfail",
    "-v",
    "-vv",
    "-vvv",
    "-q",
    "-qq",
    "--verbose",
    "--quiet",
    "-s",
    "--tb",
    "-ra",
    "-rA",
    "--cache-clear",
    "--lf",
    "--ff",
    "--sw",
    "--pdb",
    "--forked",
    "--splits",
    "--group",
    "--store-durations",
];

/// Those of pytest's options that take the next word as their value, when it is not joined to them by `=`.
const PYTEST_WITH_VALUE: &[&str] = &[
    "-k",
    "-m",
    "-n",
    "-p",
    "-c",
    "-o",
    "-W",
    "--numprocesses",
    "--dist",
    "--maxprocesses",
    "--junitxml",
    "--junit-xml",
    "--html",
    "--cov-report",
    "--cov-config",
    "--cov-fail-under",
    "--cov-context",
    "--reruns",
    "--reruns-delay",
    "--timeout",
    "--timeout-method",
    "--durations",
    "--durations-min",
    "--color",
    "--report-log",
    "--json-report-file",
    "--rootdir",
    "--ignore",
    "--ignore-glob",
    "--deselect",
    "--confcutdir",
    "--basetemp",
    "--import-mode",
    "--override-ini",
    "--maxfail",
    "--tb",
    "--splits",
    "--group",
    "--junit-prefix",
];

/// pytest's arguments without those that need a plugin or only change what is printed.
pub(super) fn kept(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        let (option, joined) = word.split_once('=').map_or((word.as_str(), false), |(option, _)| (option, true));
        // The value of `--cov` may be left out.
        let is_source = option == "--cov" && words.peek().is_some_and(|next| !next.starts_with('-'));
        let takes_next = !joined && (is_source || PYTEST_WITH_VALUE.contains(&option));
        let value = if takes_next { words.next() } else { None };
        let is_dropped = PYTEST_DROPPED.contains(&option)
            // `-n4`, `--benchmark-...`
            || (option.starts_with("-n") && option[2..].parse::<u32>().is_ok())
            || option.starts_with("--benchmark-")
            || option.starts_with("-r")
            || holds_expression(word)
            || value.is_some_and(|value| holds_expression(value));
        if !is_dropped {
            kept.push(word.clone());
            kept.extend(value.cloned());
        }
    }
    kept
}

//! Clippy and rustfmt, as the programs that cargo starts for them.

use std::sync::LazyLock;

use autoheal_code::report::Look;
use autoheal_code::report::formatters;
use autoheal_code::rust::{self, compiler};
use autoheal_engine::diagnostics::Finding;
use regex::Regex;

use crate::lint::tool::{Linter, Said, Tool};
use crate::toolchain::Survey;

/// Program of clippy. Its first word is `clippy`.
pub(super) const CLIPPY: &str = "cargo-clippy";

/// Program of rustfmt for whole packages.
pub(super) const RUSTFMT: &str = "cargo-fmt";

/// Table of them.
pub(super) static TOOLS: [Tool; 2] = [
    Tool {
        linter: Linter::new("clippy"),
        program: CLIPPY,
        homes: &[rust::ID],
        distribution: None,
        commands: &["clippy"],
        checks: &[],
        never_red: &["--fix"],
        dropped: &[
            "--verbose",
            "-v",
            "--quiet",
            "-q",
            "--color",
            "--message-format",
            "--locked",
            "--frozen",
            "--offline",
            "--jobs",
            "-j",
        ],
        with_value: &[
            "--color",
            "--message-format",
            "--jobs",
            "-j",
            "--package",
            "-p",
            "--features",
            "-F",
            "--target",
            "--profile",
        ],
        report: &["--message-format=json"],
        read: |said, look| compiler::lints(&said.stdout, look),
        rewrite: None,
    },
    Tool {
        linter: Linter::new("rustfmt"),
        program: RUSTFMT,
        homes: &[rust::ID],
        distribution: None,
        commands: &[],
        checks: &["--check"],
        never_red: &[],
        dropped: &["--verbose", "-v", "--quiet", "-q", "--color", "--message-format", "--emit"],
        with_value: &[
            "--color",
            "--message-format",
            "--emit",
            "--package",
            "-p",
            "--manifest-path",
            "--config",
            "--edition",
        ],
        report: &["--check"],
        read: unformatted,
        rewrite: Some(|arguments| arguments),
    },
];

static DIFF: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^Diff in (?P<file>.+?)(?: at line \d+|:\d+):?$").ok());

/// The files that rustfmt would write otherwise; each once.
fn unformatted(said: &Said, look: &Look<'_>) -> Vec<Finding> {
    let mut files: Vec<String> = Vec::new();
    let found = DIFF.iter().flat_map(|pattern| pattern.captures_iter(&said.stdout));
    for file in found.filter_map(|captures| Some(look.name(captures.name("file")?.as_str()))) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files.into_iter().map(|file| formatters::unformatted("rustfmt", file)).collect()
}

/// Returns those that a project has settings for.
pub(super) fn configured(survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)> {
    let has = |names: &[&str]| {
        survey.files.iter().any(|file| {
            let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
            (folder == survey.directory || folder.is_empty()) && names.contains(&name)
        })
    };
    let rustfmt: (&'static [&'static str], &'static str) = (&[RUSTFMT, "--check"], "settings of rustfmt");
    let clippy: (&'static [&'static str], &'static str) = (&[CLIPPY, "clippy"], "settings of clippy");
    let rustfmt = has(&["rustfmt.toml", ".rustfmt.toml"]).then_some(rustfmt);
    rustfmt.into_iter().chain(has(&["clippy.toml", ".clippy.toml"]).then_some(clippy)).collect()
}

#[cfg(test)]
mod tests {
    use autoheal_code::Sources;

    use super::*;

    #[test]
    fn files_of_a_diff_are_found_once() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("src/a.rs", "", false);
        let prefixes = ["/w".to_owned()];
        let look = Look { prefixes: &prefixes, directory: "", sources: &sources };
        let stdout = "Diff in /w/src/a.rs:3:\n-a\n+b\nDiff in /w/src/a.rs at line 9:\n-c\n";
        let found = unformatted(&Said { stdout: stdout.to_owned(), stderr: String::new() }, &look);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].file.as_deref(), Some("src/a.rs"));
    }
}

//! A repository's own checks, run as its CI runs them, without network and with nothing of the machine to write to.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use regex::Regex;

use super::Bench;
use super::package::Package;
use crate::process;

/// A suite that takes longer than this many times its usual time, and a minute, hangs.
const PATIENCE: f64 = 10.0;

/// What the checks said.
pub(super) struct Verdict {
    pub(super) green: bool,
    pub(super) output: String,
    pub(super) seconds: f64,
    /// How many tests passed.
    pub(super) passing: u64,
}

/// The commands of CI, in their order. `until_first_failure` asks the test runner to stop early.
pub(super) fn commands(package: &Package, until_first_failure: bool) -> Vec<Vec<String>> {
    let lint = ["ruff", "check"].into_iter().map(str::to_owned).chain(package.sources.iter().cloned());
    let mut test = package.test.clone();
    if until_first_failure {
        test.push(if test.iter().any(|word| word == "pytest") { "-x" } else { "-f" }.to_owned());
    }
    vec![lint.collect(), test]
}

/// Runs the checks of the repository at `root`, every one even when an earlier one is red.
pub(super) fn run(bench: &Bench, package: &Package, root: &Path, until_first_failure: bool) -> anyhow::Result<Verdict> {
    let started = Instant::now();
    let mut verdict = Verdict { green: true, output: String::new(), seconds: 0.0, passing: 0 };
    for command in commands(package, until_first_failure) {
        let output = process::output_of(shut_in(bench, package, root).args(&command))?;
        verdict.green &= output.status.success();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        verdict.passing += passing(&text);
        verdict.output.push_str(&text);
    }
    verdict.seconds = started.elapsed().as_secs_f64();
    Ok(verdict)
}

/// A command line to which the command in the sandbox is to be added.
fn shut_in(bench: &Bench, package: &Package, root: &Path) -> std::process::Command {
    let limit = PATIENCE * package.seconds.max(6.0) + 60.0;
    let mut command = process::command(root, "timeout");
    command.arg("--kill-after=5").arg(format!("{limit:.0}"));
    command.args([
        "bwrap",
        "--die-with-parent",
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ]);
    command.args(["--tmpfs", "/tmp", "--bind"]).arg(root).arg(root);
    command.args(["--clearenv", "--setenv", "HOME", "/tmp", "--setenv", "LC_ALL", "C.UTF-8"]);
    let programs = format!("{}:/usr/bin:/bin", bench.environment.join("bin").display());
    command.args(["--setenv", "PATH", &programs, "--setenv", "PYTHONDONTWRITEBYTECODE", "1"]);
    command.args(["--setenv", "RUFF_NO_CACHE", "true", "--setenv", "PYTEST_ADDOPTS", "-p no:cacheprovider --color=no"]);
    if package.sources.iter().any(|source| source.starts_with("src/")) {
        command.arg("--setenv").arg("PYTHONPATH").arg(root.join("src"));
    }
    command.arg("--");
    command
}

/// How many tests passed, as pytest (`519 passed in 3.78s`) and unittest (`Ran 283 tests`, `skipped=45`) tell it.
fn passing(output: &str) -> u64 {
    static PYTEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(\d+) passed\b.* in [\d.]+s").ok());
    static UNITTEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"Ran (\d+) tests? in [\d.]+s").ok());
    static NOT_PASSED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(?:skipped|failures|errors)=(\d+)").ok());
    let last = |pattern: &Option<Regex>| {
        let found = pattern.as_ref()?.captures_iter(output).last()?;
        found[1].parse::<u64>().ok()
    };
    if let Some(count) = last(&PYTEST) {
        return count;
    }
    let not_passed: u64 = NOT_PASSED
        .as_ref()
        .map_or(0, |pattern| pattern.captures_iter(output).filter_map(|found| found[1].parse::<u64>().ok()).sum());
    last(&UNITTEST).unwrap_or(0).saturating_sub(not_passed)
}

#[cfg(test)]
mod tests {
    use super::passing;

    #[test]
    fn both_frameworks_tell_how_many_passed() {
        assert_eq!(passing("....\n4 failed, 519 passed, 1 skipped in 3.78s\n"), 519);
        assert_eq!(passing("....\nRan 283 tests in 0.966s\n\nOK (skipped=45)\n"), 238);
        assert_eq!(passing("Ran 10 tests in 0.9s\n\nFAILED (failures=1, errors=2)\n"), 7);
        assert_eq!(passing("E   SyntaxError: invalid syntax\n1 error in 0.3s\n"), 0);
    }
}

//! A repository's own checks, run as its CI runs them, without network and with nothing of the machine to write to.

use std::path::Path;
use std::time::Instant;

use super::Bench;
use super::package::Package;
use crate::process;

/// A suite that takes longer than this many times its usual time, and a minute, hangs.
const PATIENCE: f64 = 10.0;

/// Result of the checks.
pub(super) struct Verdict {
    pub(super) green: bool,
    /// True if the tests pass, whatever the linter reports.
    pub(super) passes: bool,
    pub(super) output: String,
    pub(super) seconds: f64,
    /// Number of tests that passed.
    pub(super) passing: u64,
}

/// The commands of CI, in their order. `until_first_failure` asks the test runner to stop early.
fn commands(package: &Package, until_first_failure: bool) -> Vec<Vec<String>> {
    let tools = package.language.tools();
    let mut test = package.test.clone();
    test.extend(tools.stop_early(&test).filter(|_| until_first_failure).map(str::to_owned));
    vec![tools.lint(package), test]
}

/// Runs the checks of the repository at `root`, every one even if an earlier one fails.
pub(super) fn run(bench: &Bench, package: &Package, root: &Path, until_first_failure: bool) -> anyhow::Result<Verdict> {
    let started = Instant::now();
    let mut verdict = Verdict { green: true, passes: true, output: String::new(), seconds: 0.0, passing: 0 };
    for command in commands(package, until_first_failure) {
        let output = process::output_of(shut_in(bench, package, root)?.args(&command))?;
        verdict.green &= output.status.success();
        // The tests come last.
        verdict.passes = output.status.success();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        verdict.passing += package.language.tools().passing(&text);
        verdict.output.push_str(&text);
    }
    verdict.seconds = started.elapsed().as_secs_f64();
    Ok(verdict)
}

/// A command line to which the command in the sandbox is to be added.
pub(super) fn shut_in(bench: &Bench, package: &Package, root: &Path) -> anyhow::Result<std::process::Command> {
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
    let environment = bench.environment(package.language)?;
    let tools = package.language.tools();
    let programs = format!("{}:/usr/bin:/bin", tools.programs(environment).display());
    command.args(["--setenv", "PATH", &programs]);
    tools.furnish(&mut command, environment, package, root)?;
    command.arg("--");
    Ok(command)
}

/// Applies only the linter's own fixes.
pub(super) fn lint_and_fix(bench: &Bench, package: &Package, root: &Path) -> anyhow::Result<()> {
    let words = package.language.tools().lint_and_fix(package);
    process::output_of(shut_in(bench, package, root)?.args(words))?;
    Ok(())
}

//! Line coverage of the crates on which everything else depends.

use std::path::Path;
use std::process::Command;

use crate::{cache, process};

/// The folders of the measured crates.
const CRATES: [&str; 3] = ["engine", "store", "repo"];

/// The share of lines, in percent, that the tests must reach.
const FLOOR: &str = "80";

/// Measures each crate by its own tests with `cargo llvm-cov`, or with `cargo tarpaulin` where the compiler's component
/// `llvm-tools` cannot be had.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let tools = cache::folder("tools")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::env::split_paths(&path).chain([tools.join("bin")]))?;
    // Instrumented builds of their own place do not throw away the usual ones.
    let builds = cache::folder("coverage")?;
    let cargo = |arguments: &[&str]| -> Command {
        let mut command = process::command(root, "cargo");
        command.env("PATH", &path).env("CARGO_TARGET_DIR", &builds).args(arguments);
        command
    };
    let has =
        |arguments: &[&str]| process::output_of(&mut cargo(arguments)).is_ok_and(|output| output.status.success());

    let by_llvm = has(&["llvm-cov", "show-env"]);
    if !by_llvm && !has(&["tarpaulin", "--version"]) {
        process::run(cargo(&["install", "--locked", "--quiet", "cargo-tarpaulin", "--root"]).arg(&tools))?;
    }
    for name in CRATES {
        let package = format!("autoheal-{name}");
        process::run(&mut if by_llvm {
            let mut command = cargo(&["llvm-cov", "nextest", "--all-features", "--fail-under-lines", FLOOR]);
            command.args(["--package", &package, "--ignore-filename-regex", &others(root, name)?]);
            command
        } else {
            let mut command =
                cargo(&["tarpaulin", "--skip-clean", "--engine", "llvm", "--all-features", "--out", "Stdout"]);
            command.args(["--fail-under", FLOOR, "--package", &package]);
            command.args(["--include-files", &format!("crates/{name}/src/*")]);
            command
        })?;
    }
    Ok(())
}

/// A pattern for the files of the other crates, whose lines do not count.
fn others(root: &Path, name: &str) -> anyhow::Result<String> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        folders.push(entry?.file_name().to_string_lossy().into_owned());
    }
    folders.retain(|folder| folder != name);
    Ok(format!("crates/({})/|xtask/", folders.join("|")))
}

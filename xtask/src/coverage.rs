//! Line coverage of the crates whose laws everything else stands on.

use std::path::Path;

use crate::process;

const CRATES: [&str; 3] = ["autoheal-engine", "autoheal-store", "autoheal-repo"];

/// The share of lines, in percent, that the tests must reach.
const FLOOR: &str = "80";

/// Measures with `cargo llvm-cov`, or with `cargo tarpaulin` where the compiler's own tools cannot be had.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    for name in CRATES {
        let mut command = process::command(root, "cargo");
        if has(root, &["llvm-cov", "show-env"]) {
            command.args(["llvm-cov", "nextest", "--all-features", "--package", name, "--fail-under-lines", FLOOR]);
            command.args(["--ignore-filename-regex", &others_of(name)]);
        } else if has(root, &["tarpaulin", "--version"]) {
            command.args(["tarpaulin", "--skip-clean", "--engine", "llvm", "--all-features", "--package", name]);
            command.args(["--fail-under", FLOOR, "--out", "Stdout", "--include-files"]);
            command.arg(format!("crates/{}/src/*", folder_of(name)));
        } else {
            anyhow::bail!(
                "neither cargo-llvm-cov (with `rustup component add llvm-tools`) nor cargo-tarpaulin is installed: \
                 cargo install --locked cargo-llvm-cov, or cargo install --locked cargo-tarpaulin"
            );
        }
        process::run(&mut command)?;
    }
    Ok(())
}

fn has(root: &Path, arguments: &[&str]) -> bool {
    process::output_of(process::command(root, "cargo").args(arguments)).is_ok_and(|output| output.status.success())
}

fn folder_of(name: &str) -> &str {
    name.trim_start_matches("autoheal-")
}

/// A pattern for the files of the other crates, whose lines do not count here.
fn others_of(name: &str) -> String {
    let others = ["engine", "code", "store", "sandbox", "forge", "repo", "orchestrator", "cli", "testkit"];
    let others: Vec<&str> = others.into_iter().filter(|other| *other != folder_of(name)).collect();
    format!("crates/({})/|xtask/", others.join("|"))
}

//! Preparation and checks of crates from crates.io.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::Context as _;
use regex::Regex;

use super::{Tools, holds, single};
use crate::bench::heal::package::Package;
use crate::bench::heal::{Bench, checks};
use crate::bench::inject;
use crate::cache::digest;
use crate::process;

pub(super) struct Rust;

/// Files that cargo adds to an archive, and workflows, which ask for other toolchains.
const REMOVED: [&str; 3] = ["Cargo.toml.orig", ".cargo_vcs_info.json", ".github"];

/// Signs of a program that does not compile; a denied warning shows other ones.
const NOT_COMPILED: [&str; 4] = ["error[E", "error: cannot find", "error: expected", "error: lifetime may not"];

impl Tools for Rust {
    fn environment(&self, root: &Path, cache: &Path) -> anyhow::Result<PathBuf> {
        let version = process::text_of(process::command(root, "rustc").arg("-vV"))?;
        let toolchain = process::text_of(process::command(root, "rustc").args(["--print", "sysroot"]))?;
        let folder = cache.join(format!("rust-environment-{}", digest(&format!("{version}{toolchain}"))));
        std::fs::create_dir_all(home(&folder))?;
        let link = folder.join("toolchain");
        if !link.exists() {
            std::os::unix::fs::symlink(toolchain.trim(), link)?;
        }
        Ok(folder)
    }

    fn programs(&self, environment: &Path) -> PathBuf {
        environment.join("toolchain/bin")
    }

    /// Lets cargo fetch the crate as a dependency of a package that has nothing else.
    fn download(&self, environment: &Path, package: &Package, folder: &Path) -> anyhow::Result<()> {
        let (name, version) = (&package.name, &package.version);
        let work = tempfile::tempdir()?;
        let manifest = format!(
            "[package]\nname = \"fetched\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\n{name} = \"={version}\"\n"
        );
        std::fs::write(work.path().join("Cargo.toml"), manifest)?;
        std::fs::write(work.path().join("lib.rs"), "")?;
        fetch(environment, work.path())?;
        // One folder for each registry.
        let archives = single(&home(environment).join("registry/cache"), "")?;
        let archive = archives.join(format!("{name}-{version}.crate"));
        std::fs::copy(&archive, folder.join("package.tar.gz")).with_context(|| archive.display().to_string())?;
        Ok(())
    }

    fn adapt(&self, bench: &Bench, package: &Package) -> anyhow::Result<Vec<String>> {
        let root = &package.repository;
        for path in REMOVED.iter().map(|name| root.join(name)).filter(|path| path.exists()) {
            if path.is_dir() { std::fs::remove_dir_all(path)? } else { std::fs::remove_file(path)? }
        }
        fetch(bench.environment(package.language)?, root)?;
        let broken_lints = broken_lints(bench, package)?;
        let mut manifest = std::fs::OpenOptions::new().append(true).open(root.join("Cargo.toml"))?;
        for (tool, lints) in broken_lints {
            writeln!(manifest, "\n# What this package does not keep.\n[lints.{tool}]")?;
            for lint in lints {
                writeln!(manifest, "{lint} = \"allow\"")?;
            }
        }
        Ok(vec![
            "uses: dtolnay/rust-toolchain@stable\n        with:\n          components: clippy".to_owned(),
            format!("run: {}", self.lint(package).join(" ")),
            format!("run: {}", package.test.join(" ")),
        ])
    }

    fn ignored(&self) -> &'static str {
        "/target\n"
    }

    /// The program alone: fewer tests leave helpers that nothing uses.
    fn lint(&self, _: &Package) -> Vec<String> {
        ["cargo", "clippy", "--", "-D", "warnings"].map(str::to_owned).to_vec()
    }

    fn lint_and_fix(&self, _: &Package) -> Vec<String> {
        ["cargo", "clippy", "--fix", "--allow-dirty"].map(str::to_owned).to_vec()
    }

    fn stop_early(&self, _: &[String]) -> Option<&'static str> {
        None
    }

    fn injector(&self, root: &Path, _: &Path) -> anyhow::Result<Command> {
        let mut command = process::command(root, std::env::current_exe()?);
        command.arg("inject");
        Ok(command)
    }

    fn furnish(&self, sandbox: &mut Command, environment: &Path, _: &Package, root: &Path) -> anyhow::Result<()> {
        let target = root.with_extension("target");
        std::fs::create_dir_all(&target)?;
        sandbox.arg("--bind").args([&target, &target]);
        sandbox.arg("--setenv").arg("CARGO_TARGET_DIR").arg(target);
        sandbox.arg("--setenv").arg("CARGO_HOME").arg(home(environment));
        for (name, value) in [
            ("CARGO_NET_OFFLINE", "true"),
            ("CARGO_TERM_COLOR", "never"),
            // Half the time of a build, and most of its size.
            ("CARGO_PROFILE_DEV_DEBUG", "0"),
            ("RUST_BACKTRACE", "0"),
        ] {
            sandbox.args(["--setenv", name, value]);
        }
        Ok(())
    }

    /// The run fetches its dependencies itself.
    fn install(&self, _: &mut Command, _: &Path, _: &Path) -> anyhow::Result<()> {
        Ok(())
    }

    /// `test result: ok. 12 passed; 0 failed; ...`, once for each target and for the examples in the documentation.
    fn passing(&self, output: &str) -> u64 {
        static PATTERN: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"(?m)^test result: \w+\. (\d+) passed\b").ok());
        let counts = PATTERN.iter().flat_map(|pattern| pattern.captures_iter(output));
        counts.filter_map(|found| found[1].parse::<u64>().ok()).sum()
    }

    fn tests_of(&self, text: &str) -> anyhow::Result<String> {
        inject::tests_of(text)
    }

    fn shows(&self, class: &str, parses: bool, output: &str) -> bool {
        let compiles = !holds(output, &NOT_COMPILED);
        match class {
            "SYNTAX" => !parses || !compiles,
            "IMPORT" | "TYPE_ERROR" => !compiles,
            "LINTING" => compiles,
            // A test that ran, and failed or did not end.
            _ => compiles && holds(output, &["test result: FAILED", "panicked at", "(signal: "]),
        }
    }
}

fn home(environment: &Path) -> PathBuf {
    environment.join("home")
}

/// Fetches the dependencies of the package in a folder, and writes its lock file.
fn fetch(environment: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut fetch = process::command(folder, Rust.programs(environment).join("cargo"));
    process::run(fetch.env("CARGO_HOME", home(environment)).args(["fetch", "--quiet"]))
}

/// The lints that the package breaks as it is, by tool.
fn broken_lints(bench: &Bench, package: &Package) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let words = ["cargo", "clippy", "--quiet", "--message-format", "json"].map(str::to_owned);
    let output = process::output_of(checks::shut_in(bench, package, &package.repository)?.args(words))?;
    let mut lints: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        if let Some(code) = message.pointer("/message/code/code").and_then(serde_json::Value::as_str) {
            let (tool, lint) = code.split_once("::").unwrap_or(("rust", code));
            let lints = lints.entry(tool.to_owned()).or_default();
            if !lints.iter().any(|known| known == lint) {
                lints.push(lint.to_owned());
            }
        }
    }
    Ok(lints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_of_all_targets_count() {
        let passing = |output: &str| Rust.passing(output);
        let ok = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let failed = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(passing(&format!("running 13 tests\n{ok}\n   Doc-tests heck\n\n{failed}")), 15);
        assert_eq!(passing("error: could not compile `heck` (lib) due to 1 previous error\n"), 0);
    }

    #[test]
    fn only_tests_that_ran_show_a_fault_of_logic() {
        let shows = |class: &str, output: &str| Rust.shows(class, true, output);
        let not_compiled = "error[E0308]: mismatched types\nerror: could not compile `heck`\n";
        let denied = "error: unused import: `core::mem`\n  = note: `-D unused-imports` implied by `-D warnings`\n";
        let failed = "thread 'counts' panicked at src/lib.rs:3:9:\ntest result: FAILED. 3 passed; 2 failed\n";
        assert!(shows("TYPE_ERROR", not_compiled) && shows("IMPORT", not_compiled) && shows("SYNTAX", not_compiled));
        assert!(shows("LINTING", denied) && !shows("LINTING", not_compiled));
        assert!(shows("LOGIC", failed) && !shows("LOGIC", not_compiled) && !shows("LOGIC", denied));
    }
}

//! Preparation and checks of packages from npm.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::Context as _;
use regex::Regex;
use serde_json::{Map, Value, json};

use super::{Tools, holds, single};
use crate::bench::heal::Bench;
use crate::bench::heal::package::Package;
use crate::cache::digest;
use crate::process;

pub(super) struct JavaScript;

const MANIFEST: &str = include_str!("../../../../bench/javascript/package.json");
const LOCK: &str = include_str!("../../../../bench/javascript/package-lock.json");

/// Folders of installed packages that runners write to.
const SCRATCH: [&str; 3] = [".cache", ".vite", ".vite-temp"];

impl Tools for JavaScript {
    fn environment(&self, root: &Path, cache: &Path) -> anyhow::Result<PathBuf> {
        let version = process::text_of(process::command(root, "node").arg("--version"))?;
        let folder = cache.join(format!("node-environment-{}", digest(&format!("{MANIFEST}{LOCK}{version}"))));
        let complete = folder.join("complete");
        if !complete.exists() {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join("package.json"), MANIFEST)?;
            std::fs::write(folder.join("package-lock.json"), LOCK)?;
            // `npm ci` refuses a lock file that lacks the optional packages of other machines.
            let quietly = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
            process::run(process::command(&folder, "npm").args(quietly))?;
            for name in SCRATCH {
                std::fs::create_dir_all(folder.join("node_modules").join(name))?;
            }
            std::fs::write(complete, "")?;
        }
        Ok(folder)
    }

    fn programs(&self, environment: &Path) -> PathBuf {
        environment.join("node_modules/.bin")
    }

    fn download(&self, _: &Path, package: &Package, folder: &Path) -> anyhow::Result<()> {
        let wanted = format!("{}@{}", package.name, package.version);
        process::text_of(process::command(folder, "npm").args(["pack", "--silent", "--ignore-scripts"]).arg(wanted))?;
        // The folder in the archive always has the same name.
        std::fs::rename(single(folder, ".tgz")?, folder.join("package.tar.gz")).context("renaming the archive")
    }

    fn adapt(&self, bench: &Bench, package: &Package) -> anyhow::Result<Vec<String>> {
        let root = &package.repository;
        let path = root.join("package.json");
        let mut manifest: Map<String, Value> = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        let own: Map<String, Value> = serde_json::from_str(MANIFEST)?;
        let available = own.get("dependencies").and_then(Value::as_object).context("the bench's own package.json")?;
        // Its requested packages that are available, in the available versions.
        for field in ["dependencies", "devDependencies"] {
            let asked: Map<String, Value> = manifest.get(field).and_then(Value::as_object).cloned().unwrap_or_default();
            let given = asked.into_iter().filter_map(|(name, _)| Some((name.clone(), available.get(&name)?.clone())));
            manifest.insert(field.to_owned(), Value::Object(given.collect()));
        }
        let test = package.test.join(" ");
        manifest.insert("scripts".to_owned(), json!({"lint": self.lint(package).join(" "), "test": test}));
        std::fs::write(&path, serde_json::to_string_pretty(&manifest)? + "\n")?;
        let mut lint = process::command(root, "node");
        lint.env("NODE_PATH", bench.environment(package.language)?.join("node_modules"));
        lint.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/javascript/eslint_rules.cjs"));
        let settings = process::text_of(lint.args(&package.sources))?;
        std::fs::write(root.join("eslint.config.cjs"), settings)?;
        Ok(["uses: actions/setup-node@v4", "run: npm install", "run: npm run lint", "run: npm test"]
            .map(str::to_owned)
            .to_vec())
    }

    fn ignored(&self) -> &'static str {
        "node_modules/\ncoverage/\n"
    }

    fn lint(&self, package: &Package) -> Vec<String> {
        std::iter::once("eslint".to_owned()).chain(package.sources.iter().cloned()).collect()
    }

    fn stop_early(&self, test: &[String]) -> Option<&'static str> {
        match test.first().map(String::as_str) {
            Some("mocha" | "jest") => Some("--bail"),
            Some("vitest") => Some("--bail=1"),
            _ => None,
        }
    }

    fn injector(&self, root: &Path, environment: &Path) -> anyhow::Result<Command> {
        let mut command = process::command(root, "node");
        command.env("NODE_PATH", environment.join("node_modules")).arg("xtask/bench/inject/javascript");
        Ok(command)
    }

    fn furnish(&self, sandbox: &mut Command, environment: &Path, _: &Package, root: &Path) -> anyhow::Result<()> {
        let inside = root.join("node_modules");
        sandbox.arg("--ro-bind").arg(environment.join("node_modules")).arg(&inside);
        for name in SCRATCH {
            sandbox.arg("--tmpfs").arg(inside.join(name));
        }
        sandbox.args(["--setenv", "NO_COLOR", "1", "--setenv", "CI", "true"]);
        Ok(())
    }

    /// Links, as packages are many small files: the run shows them to the repository's code without a way to write.
    fn install(&self, _: &mut Command, environment: &Path, repository: &Path) -> anyhow::Result<()> {
        let inside = repository.join("node_modules");
        if inside.is_dir() {
            std::fs::remove_dir(&inside).context("an empty folder of packages")?;
        }
        let mut copy = process::command(repository, "cp");
        process::run(copy.args(["--archive", "--link"]).arg(environment.join("node_modules")).arg(&inside))
    }

    /// mocha: `12 passing (30ms)`; jest: `Tests: 1 failed, 12 passed, 13 total`; vitest: `Tests  1 failed | 12 passed (13)`; Node's own:
    /// `# pass 12`.
    fn passing(&self, output: &str) -> u64 {
        static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r"(?m)^\s*(?:(\d+) passing\b|Tests:?\s.*?(\d+) passed\b|(?:#|ℹ) pass (\d+))").ok()
        });
        let found = PATTERN.as_ref().and_then(|pattern| pattern.captures_iter(output).last());
        let number = found.and_then(|found| (1..=3).find_map(|group| found.get(group))?.as_str().parse().ok());
        number.unwrap_or(0)
    }

    fn shows(&self, class: &str, parses: bool, output: &str) -> bool {
        match class {
            "SYNTAX" => !parses,
            "INDENTATION" => holds(output, &["indent", "no-mixed-spaces-and-tabs", "no-trailing-spaces"]),
            "IMPORT" => {
                let signs = ["ReferenceError", "TypeError", "SyntaxError", "no-undef", "Cannot find", "Failed to "];
                holds(output, &signs) || output.contains("is not exported")
            }
            "TYPE_ERROR" => holds(output, &["ReferenceError", "TypeError", "no-undef", "is not a function"]),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runner_tells_how_many_passed() {
        let passing = |output: &str| JavaScript.passing(output);
        assert_eq!(passing("\n  12 passing (30ms)\n  1 failing\n"), 12);
        assert_eq!(passing("Tests:       1 failed, 519 passed, 520 total\n"), 519);
        assert_eq!(passing(" Test Files  1 passed (1)\n      Tests  2 failed | 7 passed (9)\n"), 7);
        assert_eq!(passing("# tests 9\n# pass 8\n# fail 1\n"), 8);
        assert_eq!(passing("ℹ tests 9\nℹ pass 9\n"), 9);
        assert_eq!(passing("SyntaxError: Unexpected token\n"), 0);
    }
}

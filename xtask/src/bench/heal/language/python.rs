//! Preparation and checks of packages from PyPI.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::{Tools, holds};
use crate::bench::heal::Bench;
use crate::bench::heal::package::Package;
use crate::process;
use crate::python;

pub(super) struct Python;

/// The rules that a package's linter is set to, as far as the package keeps them.
const LINT_RULES: &str = "E,F,I,W";

/// Makes randomised tests repeatable, and independent of the machine's speed.
const REPEATABLE: &str = "from hypothesis import HealthCheck, settings\n\nsettings.register_profile(\n    \"bench\", \
    deadline=None, derandomize=True, max_examples=20, database=None, suppress_health_check=list(HealthCheck)\n)\n\
    settings.load_profile(\"bench\")\n";

impl Tools for Python {
    fn environment(&self, root: &Path, cache: &Path) -> anyhow::Result<PathBuf> {
        python::environment(root, cache, "xtask/bench/requirements.txt")
    }

    fn programs(&self, environment: &Path) -> PathBuf {
        environment.join("bin")
    }

    fn download(&self, environment: &Path, package: &Package, folder: &Path) -> anyhow::Result<()> {
        let pip = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"];
        let mut download = process::command(folder, self.programs(environment).join("pip"));
        process::run(download.args(pip).args(["--dest", "."]).arg(format!("{}=={}", package.name, package.version)))
    }

    fn adapt(&self, bench: &Bench, package: &Package) -> anyhow::Result<Vec<String>> {
        let root = &package.repository;
        if package.hypothesis {
            anyhow::ensure!(!root.join("conftest.py").exists(), "{} already has a conftest.py", package.name);
            std::fs::write(root.join("conftest.py"), REPEATABLE)?;
        }
        let broken_rules = self.broken_rules(bench.environment(package.language)?, package)?;
        let settings = format!(
            "# The rules that this package keeps.\nline-length = 120\nextend-exclude = [\"tests\"]\n\n[lint]\nselect = {}\nignore = {}\n",
            quoted(LINT_RULES.split(',')),
            quoted(broken_rules.iter().map(String::as_str)),
        );
        std::fs::write(root.join("ruff.toml"), settings)?;
        Ok(vec![
            "uses: actions/setup-python@v5".to_owned(),
            "run: python -m pip install -e .".to_owned(),
            format!("run: {}", self.lint(package).join(" ")),
            format!("run: {}", package.test.join(" ")),
        ])
    }

    fn ignored(&self) -> &'static str {
        "__pycache__/\n*.egg-info/\n.pytest_cache/\n.hypothesis/\n.ruff_cache/\n"
    }

    fn lint(&self, package: &Package) -> Vec<String> {
        ["ruff", "check"].into_iter().map(str::to_owned).chain(package.sources.iter().cloned()).collect()
    }

    fn stop_early(&self, test: &[String]) -> Option<&'static str> {
        Some(if test.iter().any(|word| word == "pytest") { "-x" } else { "-f" })
    }

    fn injector(&self, root: &Path, _: &Path) -> anyhow::Result<Command> {
        let mut command = process::command(root, "python3");
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg("xtask/bench/inject");
        Ok(command)
    }

    fn furnish(&self, sandbox: &mut Command, _: &Path, package: &Package, root: &Path) -> anyhow::Result<()> {
        sandbox.args(["--setenv", "PYTHONDONTWRITEBYTECODE", "1", "--setenv", "RUFF_NO_CACHE", "true"]);
        sandbox.args(["--setenv", "PYTEST_ADDOPTS", "-p no:cacheprovider --color=no"]);
        if package.sources.iter().any(|source| source.starts_with("src/")) {
            sandbox.arg("--setenv").arg("PYTHONPATH").arg(root.join("src"));
        }
        Ok(())
    }

    fn install(&self, heal: &mut Command, environment: &Path, _: &Path) -> anyhow::Result<()> {
        heal.env("VIRTUAL_ENV", environment);
        Ok(())
    }

    /// pytest: `519 passed in 3.78s`; unittest: `Ran 283 tests`, `skipped=45`.
    fn passing(&self, output: &str) -> u64 {
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

    fn shows(&self, class: &str, parses: bool, output: &str) -> bool {
        match class {
            "SYNTAX" | "INDENTATION" => !parses,
            "IMPORT" => {
                let signs = ["ImportError", "ModuleNotFoundError", "NameError", "AttributeError", "F821", "F822"];
                holds(output, &signs)
            }
            "TYPE_ERROR" => {
                let signs = ["TypeError", "AttributeError", "NameError", "UnboundLocalError", "F821"];
                holds(output, &signs) || output.contains("could not convert")
            }
            _ => true,
        }
    }
}

impl Python {
    /// The linter's rules that the package breaks as it is.
    fn broken_rules(&self, environment: &Path, package: &Package) -> anyhow::Result<Vec<String>> {
        #[derive(Deserialize)]
        struct Found {
            code: Option<String>,
        }
        let mut ruff = process::command(&package.repository, self.programs(environment).join("ruff"));
        ruff.args(["check", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json"]);
        ruff.args(["--line-length", "120", "--extend-exclude", "tests", "--select", LINT_RULES]).args(&package.sources);
        let found: Vec<Found> = serde_json::from_str(&process::text_of(&mut ruff)?)?;
        let mut codes: Vec<String> = found.into_iter().filter_map(|found| found.code).collect();
        codes.sort();
        codes.dedup();
        Ok(codes)
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_frameworks_tell_how_many_passed() {
        let passing = |output: &str| Python.passing(output);
        assert_eq!(passing("....\n4 failed, 519 passed, 1 skipped in 3.78s\n"), 519);
        assert_eq!(passing("....\nRan 283 tests in 0.966s\n\nOK (skipped=45)\n"), 238);
        assert_eq!(passing("Ran 10 tests in 0.9s\n\nFAILED (failures=1, errors=2)\n"), 7);
        assert_eq!(passing("E   SyntaxError: invalid syntax\n1 error in 0.3s\n"), 0);
    }
}

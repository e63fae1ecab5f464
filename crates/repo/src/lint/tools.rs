//! The tools of every language whose findings decide the colour beside tests.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::tool::{self, Call, Linter, Tool};
use crate::toolchain::Toolchain;
use crate::toolchains;

fn all() -> impl Iterator<Item = &'static Tool> {
    toolchains::ALL.into_iter().flat_map(Toolchain::linters)
}

/// The tool of that name.
pub(crate) fn of(linter: Linter) -> Option<&'static Tool> {
    all().find(|tool| tool.linter == linter)
}

/// The tool that a command calls; `None`: none of them. `is_known`: whether a word can be read; others are left out.
pub(crate) fn call(program: &str, arguments: &[String], is_known: impl Fn(&str) -> bool) -> Option<Call> {
    tool::call(all(), program, arguments, is_known)
}

impl<'de> Deserialize<'de> for Linter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = all().map(|tool| tool.linter).find(|linter| linter.name() == name);
        known.ok_or_else(|| D::Error::custom(format!("unknown linter `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(command: &str) -> Option<Call> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        call(&words[0], &words[1..], |word| word != "?")
    }

    #[test]
    fn a_tool_is_known_by_how_ci_calls_it() {
        for (command, linter, kept) in [
            ("ruff check --output-format=github --fix src", "ruff", "check src"),
            ("ruff .", "ruff", "check ."),
            ("ruff format --check .", "ruff_format", "format ."),
            ("ruff format --diff src", "ruff_format", "format src"),
            ("black --check --diff -l 100 .", "black", "-l 100 ."),
            ("isort --check-only --profile black src", "isort", "--profile black src"),
            ("isort -c .", "isort", "."),
            ("prettier --check src --log-level warn", "prettier", "src"),
            ("node_modules/.bin/prettier -l .", "prettier", "."),
            ("biome ci --reporter=github src", "biome", "ci src"),
            ("mypy --strict --junit-xml out.xml shop ?", "mypy", "--strict shop"),
            ("pylint -f colorized --fail-under 9 shop", "pylint", "--fail-under 9 shop"),
            ("pyright --outputjson src", "pyright", "src"),
            ("eslint --max-warnings 0 src", "eslint", "src"),
        ] {
            let Some(Call::Checks { linter: found, arguments, .. }) = called(command) else { panic!("{command}") };
            assert_eq!((found.name(), arguments.join(" ").as_str()), (linter, kept), "{command}");
        }
        for command in [
            "black .",
            "ruff format .",
            "ruff clean",
            "isort .",
            "prettier --write .",
            "biome check --write .",
            "pylint --exit-zero x",
            "black --version",
        ] {
            assert_eq!(called(command), Some(Call::NeverRed), "{command}");
        }
        assert_eq!(called("pytest -q"), None);
    }
}

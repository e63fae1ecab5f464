//! Real packages of the languages of the bench.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::process;

/// The packages, with the hash of each source distribution.
const LIST: &str = include_str!("../../../bench/packages.json");
pub(super) const LIST_PATH: &str = "xtask/bench/packages.json";

/// A language whose packages are broken and healed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    /// Packages of PyPI, pytest and unittest, ruff.
    #[default]
    Python,
    /// Packages of npm, TypeScript among them; jest, mocha, vitest and Node's own runner, eslint.
    #[value(name = "javascript")]
    JavaScript,
    /// Crates of crates.io; cargo's own test runner, clippy.
    Rust,
}

impl Language {
    pub(super) const ALL: [Self; 3] = [Self::Python, Self::JavaScript, Self::Rust];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Rust => "rust",
        }
    }
}

/// A package, as the list names it and as it was prepared.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    #[serde(default)]
    pub(super) language: Language,
    /// True if the package is held out: its failures are not inspected while autoheal is being improved.
    #[serde(default)]
    pub(super) held_out: bool,
    /// Of the archive, in hexadecimal digits.
    pub(super) sha256: String,
    /// Files and folders that may be broken and healed.
    pub(super) sources: Vec<String>,
    /// The command that runs the tests.
    pub(super) test: Vec<String>,
    #[serde(default)]
    pub(super) remove: Vec<PathBuf>,
    #[serde(default)]
    pub(super) edits: Vec<(PathBuf, String, String)>,
    /// Files that the archive lacks or that replace its own, with their text.
    #[serde(default)]
    pub(super) add: BTreeMap<PathBuf, String>,
    #[serde(default)]
    pub(super) hypothesis: bool,
    /// Path of the prepared repository, whose checks pass.
    #[serde(default)]
    pub(super) repository: PathBuf,
    /// Duration of its checks, in seconds.
    #[serde(default)]
    pub(super) seconds: f64,
    /// Number of its tests that pass.
    #[serde(default)]
    pub(super) passing: u64,
}

#[derive(Deserialize)]
struct List {
    packages: Vec<Package>,
}

pub(super) fn list() -> anyhow::Result<Vec<Package>> {
    Ok(serde_json::from_str::<List>(LIST).context(LIST_PATH)?.packages)
}

/// Returns whether a file is source code of the program, not a test or a setting.
pub(super) fn is_program(package: &Package, file: &str) -> bool {
    let below = |source: &str| file == source || file.strip_prefix(source).is_some_and(|rest| rest.starts_with('/'));
    let is_test = |part: &str| {
        matches!(part, "test" | "tests" | "test.rs" | "tests.rs" | "spec" | "__tests__" | "conftest.py")
            || part.starts_with("test_")
    };
    package.sources.iter().any(|source| below(source)) && !file.split('/').any(is_test)
}

/// Runs git as a fixed author, independent of the machine's settings, and returns its output.
pub(in crate::bench) fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = process::command(folder, "git");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "A developer")
            .env(format!("GIT_{role}_EMAIL"), "developer@example.com");
    }
    process::text_of(command.args(arguments))
}

//! Languages of the bench: the origin of their packages, their checks, and their defects.
//!
//! A language is a file here, a name in [`Language`], and its kinds of defect below `xtask/bench/inject` or, of Rust, in [`crate::bench::inject`].

mod javascript;
mod python;
mod rust;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::Bench;
use super::package::{Language, Package};

impl Language {
    /// Returns the tools of the language.
    pub(super) const fn tools(self) -> &'static dyn Tools {
        match self {
            Self::Python => &python::Python,
            Self::JavaScript => &javascript::JavaScript,
            Self::Rust => &rust::Rust,
        }
    }
}

/// The tools of a language. `environment` is always the folder that [`Tools::environment`] gave.
pub(super) trait Tools: Sync {
    /// Returns the folder with the dependencies of the suites and the linter, installed once below `cache`. When its name changes,
    /// packages are prepared anew.
    fn environment(&self, root: &Path, cache: &Path) -> anyhow::Result<PathBuf>;

    /// The folder of its programs.
    fn programs(&self, environment: &Path) -> PathBuf;

    /// Fetches the package's archive into `folder`, which is empty.
    fn download(&self, environment: &Path, package: &Package, folder: &Path) -> anyhow::Result<()>;

    /// Gives the package what a repository has and an archive lacks: settings of the linter, a manifest that runs the tests; gives the
    /// steps of CI before the checks, and the checks.
    fn adapt(&self, bench: &Bench, package: &Package) -> anyhow::Result<Vec<String>>;

    /// Returns patterns for the files that a working copy accumulates and no repository contains.
    fn ignored(&self) -> &'static str;

    /// The command that lints the package.
    fn lint(&self, package: &Package) -> Vec<String>;

    /// The command that applies the linter's own fixes.
    fn lint_and_fix(&self, package: &Package) -> Vec<String> {
        let mut words = self.lint(package);
        words.push("--fix".to_owned());
        words
    }

    /// The word that lets a test runner stop at the first failure, when it has one.
    fn stop_early(&self, test: &[String]) -> Option<&'static str>;

    /// The words before those that tell the injector what to do.
    fn injector(&self, root: &Path, environment: &Path) -> anyhow::Result<Command>;

    /// Lets the sandbox (`bwrap`) for the checks of the repository at `root` see what they need.
    fn furnish(&self, sandbox: &mut Command, environment: &Path, package: &Package, root: &Path) -> anyhow::Result<()>;

    /// Lets the run that heals the repository see what its user has installed.
    fn install(&self, heal: &mut Command, environment: &Path, repository: &Path) -> anyhow::Result<()>;

    /// Returns the number of tests that passed, according to the runners.
    fn passing(&self, output: &str) -> u64;

    /// Returns the tests in a file of the program, which a repair must leave alone.
    fn tests_of(&self, _text: &str) -> anyhow::Result<String> {
        Ok(String::new())
    }

    /// Returns whether the checks show a sign of a defect of this class; `parses` is true if the broken file parses.
    fn shows(&self, class: &str, parses: bool, output: &str) -> bool;
}

/// Returns whether the text contains any of the signs.
fn holds(output: &str, signs: &[&str]) -> bool {
    signs.iter().any(|sign| output.contains(sign))
}

/// The one entry of a folder whose name ends like this.
pub(super) fn single(folder: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    let mut found = None;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) {
            ensure!(found.replace(path).is_none(), "more than one *{ending} in {}", folder.display());
        }
    }
    found.with_context(|| format!("no *{ending} in {}", folder.display()))
}

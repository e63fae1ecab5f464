//! Kind of project in a repository: language, test framework, layout, and installation of its dependencies.
//!
//! All of it is read from files of the tree; nothing is run. Text of the repository is hostile: files are read up to a limit, links are not
//! followed, and what cannot be understood is left out.
//!
//! # Layout
//!
//! - [`framework`]: which test framework, and why it is thought so
//! - [`layout`]: the folders that the import path begins at, and the packages of a monorepo
//! - [`dependencies`]: what has to be installed before the tests can run
//! - [`node`]: the same for JavaScript, and its package manager
//! - [`interpreter`]: which Python of this machine may run them
//! - `manifest`: reading `pyproject.toml`, `setup.cfg`, `setup.py` and their like

pub mod dependencies;
pub mod framework;
pub mod interpreter;
pub mod layout;
mod manifest;
pub mod node;
mod test_framework;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

pub(crate) use crate::paths::join;
pub use dependencies::Dependencies;
pub(crate) use layout::clean as clean_folder;
pub use manifest::{Manifests, is_manifest, lists_dependencies};
pub(crate) use manifest::{ini_value, is_folder, read_text};
pub use test_framework::TestFramework;

use crate::discovery;

/// The language that most of a repository's own files are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python: `.py`, `.pyi`.
    Python,
    /// JavaScript and TypeScript: `.js`, `.ts` and their variants.
    JavaScript,
    /// Java: `.java`.
    Java,
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of_file(file: &str) -> Option<Self> {
        match Path::new(file).extension()?.to_str()? {
            "py" | "pyi" => Some(Self::Python),
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Some(Self::JavaScript),
            "java" => Some(Self::Java),
            _ => None,
        }
    }
}

/// Kind of project in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// The language of most files; `None`: no file of a language we know.
    pub language: Option<Language>,
    /// The project's folder in the repository: `""`, or the package of a monorepo that has most test files.
    pub directory: String,
    /// Every package of a monorepo, `directory` among them; empty for a repository that is one project.
    pub packages: Vec<String>,
    /// The test framework, if there are tests or configuration of one.
    pub framework: Option<framework::Detected>,
    /// The folders that the import path begins at, relative to the repository, the most specific first (`src`, `""`).
    pub roots: Vec<String>,
    /// Dependencies to install before the tests can run.
    pub dependencies: Dependencies,
    /// Packages that a JavaScript project installs; `None`: it has no `package.json`.
    pub node: Option<node::Packages>,
    /// SHA-256 over the files that say what is installed: equal hashes need no new installation.
    pub manifest_hash: String,
}

impl Project {
    /// Adds what the tests of other folders of the repository need.
    pub(crate) fn add<'a>(&mut self, tree: &Path, directories: impl Iterator<Item = &'a str>) {
        let own = self.directory.clone();
        let others: BTreeSet<&str> = directories.filter(|directory| *directory != own).collect();
        for directory in others {
            let other = survey_in(tree, Some(directory));
            self.manifest_hash.push_str(&other.manifest_hash);
            self.roots.extend(other.roots.into_iter().filter(|root| !root.is_empty()));
            self.dependencies.add_requirements(other.dependencies.requirements);
        }
        let mut seen = BTreeSet::new();
        self.roots.retain(|root| seen.insert(root.clone()));
    }
}

/// Looks at the files in `tree`.
pub fn survey(tree: &Path) -> Project {
    survey_in(tree, None)
}

/// The same, when it is known which folder the project is in.
pub fn survey_in(tree: &Path, directory: Option<&str>) -> Project {
    let files = discovery::files(tree);
    let tests: Vec<&String> = files.iter().filter(|file| discovery::is_test_file(file)).collect();
    let packages = layout::packages(tree, &files);
    let directory = directory.map_or_else(|| layout::directory(&packages, &tests), str::to_owned);
    let manifests = Manifests::read(tree, &directory, &files);
    Project {
        language: language(&files),
        framework: framework::detect(tree, &directory, &manifests, &files),
        roots: layout::roots(tree, &directory, &manifests, &files),
        node: node::Packages::read(tree, &directory, &files),
        dependencies: Dependencies::read(&manifests),
        manifest_hash: manifests.hash(),
        packages: if directory.is_empty() { Vec::new() } else { packages },
        directory,
    }
}

/// Returns the hash of the manifests of a tree, equal to [`Project::manifest_hash`] of `directory`. It serves to compare a clone
/// with the checkout in which the user installed packages.
pub fn manifest_hash(tree: &Path, directory: &str) -> String {
    Manifests::read(tree, directory, &discovery::files(tree)).hash()
}

fn language(files: &[String]) -> Option<Language> {
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for language in files.iter().filter_map(|file| Language::of_file(file)) {
        *counts.entry(language).or_default() += 1;
    }
    // Of two with as many files the one that is declared first.
    counts
        .into_iter()
        .max_by_key(|(language, count)| (*count, std::cmp::Reverse(*language)))
        .map(|(language, _)| language)
}

//! Kind of project in a repository: language, test runner, layout.
//!
//! All of it is read from files of the tree; nothing is run. Text of the repository is hostile: files are read up to a limit, links are not
//! followed, and what cannot be understood is left out.
//!
//! # Layout
//!
//! - [`survey`]: looks at the files
//! - [`layout`]: the folders that the import path begins at, and the packages of a monorepo
//! - `manifest`: reading `pyproject.toml`, `package.json` and their like

pub mod layout;
mod manifest;
pub mod survey;

use autoheal_code::LanguageId;

use crate::test_runner::TestRunner;

pub(crate) use crate::paths::join;
pub use manifest::{Manifests, is_manifest, lists_dependencies};
pub(crate) use manifest::{ini_section, ini_value, is_folder, read_text};
pub use survey::{manifest_hash, survey};

/// The language that most of a repository's own files are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MainLanguage {
    /// A language that is healed.
    Known(LanguageId),
    /// A language that is recognised only.
    Other(&'static OtherLanguage),
}

/// A language that is recognised and is not healed.
#[derive(Debug, PartialEq, Eq)]
pub struct OtherLanguage {
    /// Name of the language, for the user.
    pub name: &'static str,
    /// Extension of the names of its files, without the dot.
    pub extension: &'static str,
    /// Parts that are missing to heal it, for the user.
    pub missing: &'static str,
}

/// Languages that are recognised and are not healed.
pub const OTHER_LANGUAGES: &[OtherLanguage] = &[OtherLanguage {
    name: "Java",
    extension: "java",
    missing: "a test framework (JUnit by Maven or Gradle), the installation of its dependencies, and fixers for its faults",
}];

/// A test runner and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Test runner of the project.
    pub runner: TestRunner,
    /// Evidence for the user: `pytest.ini`, `imports in tests/test_a.py`.
    pub evidence: String,
}

impl Detected {
    pub(crate) fn new(runner: TestRunner, evidence: impl Into<String>) -> Self {
        Self { runner, evidence: evidence.into() }
    }
}

/// Kind of project in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The language of most files; `None`: no file of a language we know.
    pub language: Option<MainLanguage>,
    /// The project's folder in the repository: `""`, or the package of a monorepo that has most test files.
    pub directory: String,
    /// Other folders whose tests run with the same tools.
    pub other_directories: Vec<String>,
    /// Every package of a monorepo, `directory` among them; empty for a repository that is one project.
    pub packages: Vec<String>,
    /// The test runner, if there are tests or configuration of one.
    pub runner: Option<Detected>,
    /// The folders that the import path begins at, relative to the repository, the most specific first (`src`, `""`).
    pub roots: Vec<String>,
    /// SHA-256 over the files that say what is installed: equal hashes need no new installation.
    pub manifest_hash: String,
}

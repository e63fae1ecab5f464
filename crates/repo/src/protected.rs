//! Files that are never edited: those that decide what green means, and those that belong to tools.
//!
//! A test that is weakened until it passes, or a linter that is configured to ignore a problem, is not a fix; and an edit of the CI
//! configuration by a program is a privilege escalation. The functions here look only at names: links are rejected where files are
//! written, by their type on disk, and [`standing`] knows further files that serve the tests.

pub(crate) mod standing;

use autoheal_code::language::files::{KnownFiles, SettingsOf};
use autoheal_code::languages;

use crate::discovery::{is_test_file, is_vendored};

/// Folders in which every file is protected: tests with their data, CI.
const FOLDERS: &[(&str, Protection)] = &[
    ("tests", Protection::Test),
    ("test", Protection::Test),
    ("__tests__", Protection::Test),
    ("__mocks__", Protection::Test),
    ("__snapshots__", Protection::Test),
    ("__fixtures__", Protection::Test),
    ("e2e", Protection::Test),
    (".github", Protection::Ci),
    (".gitlab", Protection::Ci),
    (".circleci", Protection::Ci),
    (".buildkite", Protection::Ci),
    (".azure-pipelines", Protection::Ci),
    (".git", Protection::Git),
];

/// Files that are protected wherever they lie, in lower case. Each language knows more.
const FILES: &[(&str, Protection)] = &[
    (".gitlab-ci.yml", Protection::Ci),
    (".travis.yml", Protection::Ci),
    (".cirrus.yml", Protection::Ci),
    (".appveyor.yml", Protection::Ci),
    ("appveyor.yml", Protection::Ci),
    ("azure-pipelines.yml", Protection::Ci),
    ("bitbucket-pipelines.yml", Protection::Ci),
    ("jenkinsfile", Protection::Ci),
    ("makefile", Protection::Ci),
    (".pre-commit-config.yaml", Protection::Configuration),
    (".autoheal.toml", Protection::Configuration),
    (".gitattributes", Protection::Git),
    (".gitmodules", Protection::Git),
    (".gitignore", Protection::Git),
];

/// Reason a file is never edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protection {
    /// A test, or something that tests load.
    Test,
    /// It says how tests or linters run.
    Configuration,
    /// It says what CI does.
    Ci,
    /// A tool writes it.
    Lock,
    /// It is git's own.
    Git,
    /// The file is third-party code.
    Vendored,
}

/// Returns the reason `file`, relative to the repository, is never edited; `None`: it may be edited.
pub fn protection(file: &str) -> Option<Protection> {
    let lower = file.to_lowercase();
    let mut folders: Vec<&str> = lower.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let folder = FOLDERS.iter().find(|(folder, _)| folders.contains(folder));
    let named = FILES.iter().find(|(other, _)| *other == name);
    let why =
        folder.or(named).map(|(_, why)| *why).or_else(|| languages::known_files().find_map(|known| of(known, name)));
    if why.is_some() {
        return why;
    }
    if is_vendored(file) {
        return Some(Protection::Vendored);
    }
    if is_test_file(file) {
        return Some(Protection::Test);
    }
    let is_settings = |known: &KnownFiles| known.settings_prefixes.iter().any(|prefix| name.starts_with(prefix));
    languages::known_files().any(is_settings).then_some(Protection::Configuration)
}

/// Returns the reason a file of a language's tools is never edited, by its name in lower case.
fn of(known: &KnownFiles, name: &str) -> Option<Protection> {
    let lists = [
        (known.test_support, Protection::Test),
        (known.settings, Protection::Configuration),
        (known.locks, Protection::Lock),
    ];
    lists.into_iter().find(|(names, _)| names.contains(&name)).map(|(_, why)| why)
}

/// Returns whether `file`, relative to the repository, is never edited.
pub fn is_protected(file: &str) -> bool {
    protection(file).is_some()
}

/// Returns whether a file that may be edited can contain settings of tests and linters.
pub fn may_hold_configuration(file: &str) -> bool {
    settings_in(file).is_some()
}

/// Returns whether an edit of a file that may be edited keeps the file's settings of tests and linters. Some manifests
/// contain dependencies, which may be added, and also settings of tools, which must not change.
pub fn keeps_configuration(file: &str, before: &str, after: &str) -> bool {
    let Some(settings) = settings_in(file) else { return true };
    let (before, after) = (settings(before), settings(after));
    // A manifest that did not parse before has nothing to compare with; one that does not parse now is no edit.
    after.is_some() && (before.is_none() || before == after)
}

fn settings_in(file: &str) -> Option<SettingsOf> {
    let name = file.rsplit('/').next()?;
    let mut mixed = languages::known_files().flat_map(|known| known.mixed);
    mixed.find(|(other, _)| *other == name).map(|(_, settings)| *settings)
}

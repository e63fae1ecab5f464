//! Finding the test files of a repository (spec: "Discovery Patterns").

use std::path::Path;
use std::sync::LazyLock;

use autoheal_sandbox::untrusted::UntrustedFolder;
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::walk::{self, Leave};

/// The spec's patterns, for each language, at any depth.
const PATTERNS: &[&str] = &[
    // Python
    "test_*.py",
    "*_test.py",
    "tests/**/*.py",
    "__tests__/**/*.py",
    // JavaScript and TypeScript, with what their runners look for besides
    "*.test.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
    "*.spec.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
    "__tests__/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
    "test/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
    "tests/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
    "{test,tests}.{js,cjs,mjs,ts,cts,mts}",
    "*[-_]test.{js,cjs,mjs,ts,cts,mts}",
    "test-*.{js,cjs,mjs,ts,cts,mts}",
];

/// Folders that hold other people's files, or files that a tool made.
const NOT_OURS: &[&str] = &[
    "node_modules",
    "bower_components",
    "venv",
    ".venv",
    "virtualenv",
    "site-packages",
    "dist-packages",
    "vendor",
    "vendored",
    "_vendor",
    "_vendored",
    "third_party",
    ".git",
    ".hg",
    ".svn",
    ".tox",
    ".nox",
    ".eggs",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
];

/// The same, at the top of a repository only: below it they may be packages (`src/build`).
const NOT_OURS_AT_TOP: &[&str] = &["build", "dist"];

static TESTS: LazyLock<GlobSet> = LazyLock::new(|| {
    let mut set = GlobSetBuilder::new();
    for pattern in PATTERNS {
        // The patterns are constants, and a test compiles each: none is lost here.
        if let Ok(glob) = Glob::new(&format!("**/{pattern}")) {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
});

/// Returns whether a file is a test file by the spec's patterns; `file` is relative to the repository.
pub fn is_test_file(file: &str) -> bool {
    TESTS.is_match(file) && !is_vendored(file)
}

/// Returns whether a file is in a folder of third-party or generated files; `file` is relative to the repository.
pub fn is_vendored(file: &str) -> bool {
    let mut folders: Vec<&str> = file.split('/').collect();
    folders.pop();
    folders.first().is_some_and(|top| NOT_OURS_AT_TOP.contains(top))
        || folders.iter().any(|folder| NOT_OURS.contains(folder))
}

/// The test files in `tree`, relative to it, sorted. Ignored files (`.gitignore`), vendored folders and virtual environments of
/// any name are left out; links are not followed.
pub fn test_files(tree: &Path) -> Vec<String> {
    files(tree).into_iter().filter(|file| is_test_file(file)).collect()
}

/// Every file in `tree` that is the repository's own, relative to it, sorted. See [`test_files`] for what is left out.
pub(crate) fn files(tree: &Path) -> Vec<String> {
    let Ok(tree) = UntrustedFolder::open(tree) else { return Vec::new() };
    let is_environment = |folder: &str| tree.kind(format!("{folder}/pyvenv.cfg")).is_some();
    let mut files =
        walk::files(&tree, Leave::Ignored, &|folder| !is_vendored(&format!("{folder}/any")) && !is_environment(folder));
    files.sort_unstable();
    files
}

#[cfg(test)]
mod tests {
    use super::{PATTERNS, TESTS};

    #[test]
    fn every_pattern_is_in_force() {
        assert_eq!(TESTS.len(), PATTERNS.len());
    }
}

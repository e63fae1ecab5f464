//! Finding the test files of a repository (spec: "Discovery Patterns").

use std::path::Path;
use std::sync::LazyLock;

use autoheal_code::languages;
use autoheal_sandbox::untrusted::UntrustedFolder;
use globset::GlobSet;

use crate::globs;
use crate::walk::{self, Leave};

/// Folders that hold other people's files in any language, or the files of a version control system. Each language knows more.
const NOT_OURS: &[&str] = &["vendor", "vendored", "third_party", ".git", ".hg", ".svn"];

/// The same, at the top of a repository only: below it they may be packages (`src/build`).
const NOT_OURS_AT_TOP: &[&str] = &["build", "dist"];

static TESTS: LazyLock<GlobSet> =
    LazyLock::new(|| globs::anywhere(languages::known_files().flat_map(|known| known.tests)));

/// Returns whether a file is a test file by the spec's patterns; `file` is relative to the repository.
pub fn is_test_file(file: &str) -> bool {
    TESTS.is_match(file) && !is_vendored(file)
}

/// Returns whether a file is in a folder of third-party or generated files; `file` is relative to the repository.
pub fn is_vendored(file: &str) -> bool {
    let mut folders: Vec<&str> = file.split('/').collect();
    folders.pop();
    folders.first().is_some_and(|top| NOT_OURS_AT_TOP.contains(top))
        || folders.iter().any(|folder| NOT_OURS.contains(folder) || is_foreign(folder))
}

fn is_foreign(folder: &str) -> bool {
    languages::known_files().any(|known| known.foreign_folders.contains(&folder))
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

//! The tree on disk: reading its text, writing files into it without ever leaving it.

use std::io;
use std::path::Path;
use std::sync::LazyLock;

use autoheal_code::{LanguageId, Sources, languages};
use autoheal_sandbox::untrusted::UntrustedFolder;
use globset::GlobSet;

use crate::globs;
use crate::protected;
use crate::repo_config::Protection;
use crate::setup::Setup;
use crate::state::FileText;
use crate::walk::{self, Leave};

/// A file longer than this is not read: no fixer has business in it.
const MAX_FILE_BYTES: u64 = 2 << 20;

/// A file longer than this is not replaced either: a candidate may make one grow.
const LONGEST_REPLACED: u64 = 64 << 20;

/// Names of the text files that fixers read in addition to programs: manifests, settings.
static TEXTS: LazyLock<GlobSet> =
    LazyLock::new(|| globs::exactly(languages::known_files().flat_map(|known| known.texts)));

/// The repository's text. Links are not followed and ignored files are left out; a file that is not UTF-8 is passed over. What the tests
/// were collected from, and what the repository itself protects, is protected.
pub(crate) fn read(tree: &Path, setup: &Setup) -> Sources {
    let mut sources = Sources::new(setup.roots.clone());
    // They were read when the run began, and could be: no pattern is lost here.
    let protection = Protection::new(&setup.protect, true).unwrap_or_default();
    let Ok(tree) = UntrustedFolder::open(tree) else { return sources };
    // Installed packages: there are far too many, and none is the repository's.
    let is_ours = |folder: &str| folder.rsplit('/').next() != Some("node_modules");
    for file in walk::files(&tree, Leave::Ignored, &is_ours) {
        if !is_of_interest(&file) {
            sources.note(file);
            continue;
        }
        let text = text_of(&tree, &file);
        // That there is a lock file counts, even when it cannot be read.
        if let Some(text) = text.or_else(|| is_lock(&file).then(String::new)) {
            let is_protected = setup.external_files.is_foreign(&file)
                || protection.is_protected(&file, protected::is_protected(&file));
            let is_protected_test = setup.protected_tests.contains(&file);
            sources.insert(file, text, is_protected || is_protected_test);
        }
    }
    for file in &setup.holding_tests {
        sources.protect_tests_in(file);
    }
    sources
}

/// The text of a file that is no longer than what fixers read.
pub(crate) fn text_of(tree: &UntrustedFolder, file: &str) -> Option<String> {
    String::from_utf8(tree.read(file, MAX_FILE_BYTES).ok()?).ok()
}

fn is_lock(file: &str) -> bool {
    let name = name_of(file).to_lowercase();
    languages::known_files().any(|known| known.locks.contains(&name.as_str()))
}

fn is_of_interest(file: &str) -> bool {
    LanguageId::of(file).is_some() || TEXTS.is_match(name_of(file)) || is_lock(file)
}

fn name_of(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// Writes files and returns what they held before. All or nothing: when one cannot be written, those before it are put back.
///
/// # Errors
///
/// A path that leaves the tree, or a file that is reached through a link, is one, or does not exist.
pub(crate) fn write(tree: &Path, files: &[FileText]) -> io::Result<Vec<FileText>> {
    let tree = UntrustedFolder::open(tree)?;
    let mut undo: Vec<FileText> = Vec::new();
    for file in files {
        match replace(&tree, file) {
            Ok(old) => undo.push(FileText { file: file.file.clone(), text: old }),
            Err(error) => {
                for old in undo.iter().rev() {
                    replace(&tree, old)?;
                }
                return Err(error);
            }
        }
    }
    Ok(undo)
}

/// Replaces one file's text in one step (a crash leaves the old or the new text, never a part) and returns the old one.
fn replace(tree: &UntrustedFolder, file: &FileText) -> io::Result<String> {
    let old = String::from_utf8(tree.read(&file.file, LONGEST_REPLACED)?).map_err(io::Error::other)?;
    tree.write(&file.file, file.text.as_bytes())?;
    Ok(old)
}

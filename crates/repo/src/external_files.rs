//! Files of a tree that its commit names but does not contain: submodules, and files that Git LFS keeps. They are written into the tree in
//! addition to its own files, as far as available; missing ones are reported, because tests that need them fail without a fault in the program.

mod ignored;
mod known;

use std::path::Path;
use std::sync::Arc;

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepError;
use autoheal_engine::{ErrorCode, hexadecimal};
use autoheal_forge::{CloneOptions, CommitId, Git, RepositoryAddress, Submodule};
use autoheal_sandbox::untrusted::UntrustedFolder;
use sha2::{Digest as _, Sha256};

use crate::ci_commands::Workflows;
use crate::folders::is_there;
use crate::setup::Setup;
use crate::step_error::{disk, forge_error};
use crate::walk::{self, Leave};

pub use known::ExternalFiles;
use known::POINTER;

/// More submodules are not fetched.
const MOST_SUBMODULES: usize = 20;

/// No pointer is longer, in bytes (the same).
const LONGEST_POINTER: u64 = 1024;

/// Maximum size of the Git LFS files that are put into a tree, in bytes.
const MOST_BYTES: u64 = 1 << 30;

impl ExternalFiles {
    /// Remembers which of the failures name a file that git ignores and that is not there, and returns those that were not known, as warnings.
    pub(crate) fn find_ignored(&mut self, findings: &[Finding], setup: &Setup, tree: &Path) -> Vec<String> {
        let Ok(opened) = UntrustedFolder::open(tree) else { return Vec::new() };
        let prefix = tree.display().to_string();
        let mut warnings = Vec::new();
        for finding in findings {
            let Some(file) = ignored::needed_by(finding, setup, &opened, &prefix) else { continue };
            if !self.ignored_files.contains_key(&file) {
                warnings.push(format!(
                    "the tests need {file}, which git ignores: it is not in the repository, so that whatever needs it fails here, and no change of the \
                     program is tried for that; commit it, or have it made before the tests (`--install-command`)"
                ));
            }
            self.ignored_files.entry(file).or_default().insert(finding.key());
        }
        warnings
    }

    /// Returns an error if a submodule is missing, as a failure may come from that: CI has the submodules, as far as can be known.
    pub(crate) fn ensure_enough(&self, tree: &Path) -> Result<(), StepError> {
        let Some((path, why)) = self.missing_submodules.first_key_value() else {
            return Ok(());
        };
        // What cannot be seen may be.
        if Workflows::of(tree).have_submodules == Some(false) {
            return Ok(());
        }
        let message = format!(
            "the submodule {path} is missing, and its lack would look like a fault of the program: {why}; heal a checkout that has it \
             (`git submodule update --init`)"
        );
        Err(StepError::Permanent { code: ErrorCode::RepoCloneFailed, message })
    }
}

/// Repository that the files belong to.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) git: &'a Arc<Git>,
    pub(crate) address: &'a RepositoryAddress,
    /// Folder of the run, for the clones of submodules.
    pub(crate) folder: &'a Path,
}

/// Writes them into `tree`, which holds the files of `commit`.
pub(crate) async fn complete(
    origin: Origin<'_>,
    clone: &Path,
    commit: &CommitId,
    tree: &Path,
) -> Result<ExternalFiles, StepError> {
    let mut external = ExternalFiles::default();
    let submodules = origin.git.submodules(clone, commit).await.map_err(|error| forge_error(&error))?;
    for (number, submodule) in submodules.iter().enumerate() {
        external.foreign.insert(submodule.path.clone());
        let fetched = if number < MOST_SUBMODULES {
            fetch(origin, submodule, tree).await
        } else {
            Err(format!("more than {MOST_SUBMODULES} are not fetched"))
        };
        external.missing_submodules.extend(fetched.err().map(|why| (submodule.path.clone(), why)));
    }
    large_files(origin, tree, &mut external).map_err(|error| disk("writing a file of Git LFS", &error))?;
    Ok(external)
}

async fn fetch(origin: Origin<'_>, submodule: &Submodule, tree: &Path) -> Result<(), String> {
    let Some(address) = origin.address.of_submodule(submodule) else {
        return Err(format!("{} is neither on the repository's own server nor at a public code host", submodule.url));
    };
    let key = hexadecimal(&Sha256::digest(submodule.name.as_bytes()));
    let clone = origin.folder.join("submodules").join(key);
    if !is_there(&clone) {
        // Which repository that is, this one's text says: our token opens none for it.
        let options = CloneOptions { is_anonymous: true, ..CloneOptions::default() };
        Git::clone(origin.git, &address, &clone, &options).await.map_err(|error| error.to_string())?;
    }
    // The folder is git's own, empty one; through a link of the tree nothing is written.
    let folder = tree.join(&submodule.path);
    let is_inside = UntrustedFolder::open(tree).is_ok_and(|tree| tree.has_folder(&submodule.path));
    if !is_inside || submodule.path.is_empty() {
        return Err("its folder is not in the tree".to_owned());
    }
    origin.git.export(&clone, &submodule.commit, &folder).await.map_err(|error| error.to_string())
}

/// Puts files of LFS in the place of their pointers where the person's own checkout has them.
fn large_files(origin: Origin<'_>, tree: &Path, external: &mut ExternalFiles) -> std::io::Result<()> {
    let mut left = MOST_BYTES;
    let tree = UntrustedFolder::open(tree)?;
    for path in walk::files(&tree, Leave::Nothing, &|_| true) {
        let Ok(text) = tree.read(&path, LONGEST_POINTER) else { continue };
        let Some(hash) = std::str::from_utf8(&text).ok().and_then(hash_of) else { continue };
        external.foreign.insert(path.clone());
        match kept(origin, &hash, left) {
            Some(content) => {
                left = left.saturating_sub(u64::try_from(content.len()).unwrap_or(u64::MAX));
                tree.write(&path, &content)?;
            }
            None => drop(external.missing_files.insert(path)),
        }
    }
    Ok(())
}

/// The SHA-256 that a pointer names.
fn hash_of(pointer: &str) -> Option<String> {
    let rest = pointer.strip_prefix(POINTER)?;
    let hash = rest.lines().find_map(|line| line.strip_prefix("oid sha256:"))?;
    (hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| hash.to_ascii_lowercase())
}

/// The file that the person's checkout keeps under this hash, if it is what it says and no longer than `most` bytes.
fn kept(origin: Origin<'_>, hash: &str, most: u64) -> Option<Vec<u8>> {
    let (first, second) = (hash.get(..2)?, hash.get(2..4)?);
    let path = format!(".git/lfs/objects/{first}/{second}/{hash}");
    let content = UntrustedFolder::open(origin.address.path()?).ok()?.read(path, most).ok()?;
    (hexadecimal(&Sha256::digest(&content)) == hash).then_some(content)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_in_a_submodule_is_foreign() {
        let external =
            ExternalFiles { foreign: ["vendor/lib", "data.bin"].map(str::to_owned).into(), ..ExternalFiles::default() };
        for file in ["vendor/lib/a.py", "vendor/lib/b/c.py", "data.bin"] {
            assert!(external.is_foreign(file), "{file}");
        }
        for file in ["vendor/library.py", "vendor/a.py", "data.bin.py"] {
            assert!(!external.is_foreign(file), "{file}");
        }
    }

    #[test]
    fn what_was_there_before_must_not_be_missing() {
        let lacking = ExternalFiles { missing_files: ["a".to_owned()].into(), ..ExternalFiles::default() };
        assert!(lacking.ensure_like(&lacking).is_ok());
        assert!(ExternalFiles::default().ensure_like(&lacking).is_ok());
        assert!(lacking.ensure_like(&ExternalFiles::default()).is_err());
    }

    #[test]
    fn a_missing_submodule_counts_unless_ci_goes_without() {
        let folder = tempfile::tempdir().unwrap();
        let missing = [("vendor".to_owned(), "no network".to_owned())].into();
        let external = ExternalFiles { missing_submodules: missing, ..ExternalFiles::default() };
        assert!(external.ensure_enough(folder.path()).is_err(), "without workflows nobody knows");
        let workflows = folder.path().join(".github/workflows");
        fs::create_dir_all(&workflows).unwrap();
        let checkout = "on: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n";
        for (more, is_enough) in [
            ("", true),
            ("        with:\n          submodules: false\n", true),
            ("        with:\n          submodules: 'recursive'\n", false),
            ("      - run: git submodule update --init\n", false),
            ("  other:\n    uses: ./.github/workflows/test.yml\n", false),
        ] {
            fs::write(workflows.join("ci.yml"), format!("{checkout}{more}")).unwrap();
            assert_eq!(external.ensure_enough(folder.path()).is_ok(), is_enough, "{more}");
        }
        assert!(ExternalFiles::default().ensure_enough(folder.path()).is_ok());
    }
}

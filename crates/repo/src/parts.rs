//! What a commit names and does not hold: submodules, and files that Git LFS keeps. They are written into a tree beside its own files, as
//! far as they can be had; what is missing is told, for tests that need it fail for no fault of the program.

use std::fs;
use std::path::{Path, PathBuf};

use autoheal_engine::workflow::StepError;
use autoheal_forge::{CloneOptions, CommitId, Git, Submodule};
use sha2::{Digest as _, Sha256};

use crate::checkout::{Checkout, forge_error};
use crate::session::disk;
use crate::tree::hexadecimal;

/// More submodules are not fetched.
const MOST_SUBMODULES: usize = 20;

/// How the text begins that stands where a file of LFS should be (the specification of Git LFS, "The Pointer").
const POINTER: &str = "version https://git-lfs.github.com/spec/v1\n";

/// No pointer is longer, in bytes (the same).
const LONGEST_POINTER: u64 = 1024;

/// So many files are named in a warning.
const NAMED: usize = 3;

/// Writes them into `tree`, which holds the files of `commit`. What cannot be had, for a person.
pub(crate) async fn complete(
    checkout: &Checkout,
    clone: &Path,
    commit: &CommitId,
    tree: &Path,
) -> Result<Vec<String>, StepError> {
    let submodules = checkout.git.submodules(clone, commit).await.map_err(|error| forge_error(&error))?;
    let mut missing = Vec::new();
    for (number, submodule) in submodules.iter().enumerate() {
        let fetched = if number < MOST_SUBMODULES {
            fetch(checkout, submodule, tree).await
        } else {
            Err(format!("more than {MOST_SUBMODULES} are not fetched"))
        };
        missing.extend(
            fetched
                .err()
                .map(|why| format!("the submodule {} is missing, and what needs it fails: {why}", submodule.path)),
        );
    }
    missing.extend(large_files(checkout, tree).map_err(|error| disk("writing a file of Git LFS", &error))?);
    Ok(missing)
}

/// The folders of submodules, as the tree itself says: nothing in them is the repository's to change.
pub(crate) fn submodule_folders(tree: &Path) -> Vec<String> {
    let text = crate::project::read_text(tree, ".gitmodules").unwrap_or_default();
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let paths = settings.filter(|(key, _)| key.trim() == "path").map(|(_, path)| path.trim().trim_matches('"'));
    paths.filter(|path| !path.is_empty()).map(|path| format!("{path}/")).collect()
}

async fn fetch(checkout: &Checkout, submodule: &Submodule, tree: &Path) -> Result<(), String> {
    let Some(address) = checkout.address.of_submodule(submodule) else {
        return Err(format!("{} is neither on the repository's own server nor at GitHub", submodule.url));
    };
    let key = hexadecimal(&Sha256::digest(submodule.name.as_bytes()));
    let clone = checkout.folders.root().join("submodules").join(key);
    if !clone.exists() {
        let options = CloneOptions::default();
        Git::clone(&checkout.git, &address, &clone, &options).await.map_err(|error| error.to_string())?;
    }
    // The folder is git's own, empty one; through a link of the tree nothing is written.
    let folder = tree.join(&submodule.path);
    let is_inside = folder.canonicalize().ok().zip(tree.canonicalize().ok());
    if !is_inside.is_some_and(|(folder, tree)| folder.starts_with(&tree) && folder != tree) {
        return Err("its folder is not in the tree".to_owned());
    }
    checkout.git.export(&clone, &submodule.commit, &folder).await.map_err(|error| error.to_string())
}

/// Puts files of LFS in the place of their pointers where the person's own checkout has them.
fn large_files(checkout: &Checkout, tree: &Path) -> std::io::Result<Option<String>> {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).follow_links(false).build();
    let files = walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut missing = Vec::new();
    for file in files.filter(|file| file.metadata().is_ok_and(|data| data.len() <= LONGEST_POINTER)) {
        let Some(hash) = fs::read_to_string(file.path()).ok().as_deref().and_then(hash_of) else { continue };
        match kept(checkout, &hash) {
            Some(content) => fs::write(file.path(), content)?,
            None => missing.extend(file.path().strip_prefix(tree).ok().map(|path| path.display().to_string())),
        }
    }
    missing.sort();
    let named = missing.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    Ok((!missing.is_empty()).then(|| {
        format!(
            "{} files are kept by Git LFS and not here, and what needs them fails: {named}; heal a checkout that has them (`git lfs pull`)",
            missing.len()
        )
    }))
}

/// The SHA-256 that a pointer names.
fn hash_of(pointer: &str) -> Option<String> {
    let rest = pointer.strip_prefix(POINTER)?;
    let hash = rest.lines().find_map(|line| line.strip_prefix("oid sha256:"))?;
    (hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| hash.to_ascii_lowercase())
}

/// The file that the person's checkout keeps under this hash, if it is what it says.
fn kept(checkout: &Checkout, hash: &str) -> Option<Vec<u8>> {
    let (first, second) = (hash.get(..2)?, hash.get(2..4)?);
    let path: PathBuf = checkout.address.path()?.join(".git/lfs/objects").join(first).join(second).join(hash);
    let content = fs::read(path).ok()?;
    (hexadecimal(&Sha256::digest(&content)) == hash).then_some(content)
}

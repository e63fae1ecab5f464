//! Temporary folders with an owner: what a killed process left is removed by the next one.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nix::unistd::geteuid;
use tempfile::TempDir;

use crate::Owner;

/// A temporary folder for this user alone. Its name identifies the process that owns it.
///
/// Removed when it is dropped. The first folder of a kind also removes those of processes that have ended.
#[derive(Debug)]
pub struct OwnedFolder(TempDir);

impl OwnedFolder {
    /// Creates a folder whose name begins with `kind` and a hyphen, such as `autoheal-git`.
    ///
    /// # Errors
    ///
    /// There is no place for temporary files, or `/proc` is not mounted.
    pub fn new(kind: &str) -> io::Result<Self> {
        static SWEPT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.to_owned()) {
            sweep(&std::env::temp_dir(), kind);
        }
        let owner = Owner::current()
            .ok_or_else(|| io::Error::other("/proc is not mounted; mount it, so that processes can be told apart"))?;
        tempfile::Builder::new().prefix(&format!("{kind}-{owner}-")).tempdir().map(Self)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Removes the folders of this kind whose process is gone; returns how many. Folders of other users and links are left alone.
fn sweep(below: &Path, kind: &str) -> usize {
    let user = geteuid().as_raw();
    fs::read_dir(below)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let is_ours = entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == user);
            is_ours && entry.file_name().to_str().is_some_and(|name| is_abandoned(name, kind))
        })
        .filter(|entry| fs::remove_dir_all(entry.path()).is_ok())
        .count()
}

fn is_abandoned(name: &str, kind: &str) -> bool {
    let owner = || name.strip_prefix(kind)?.strip_prefix('-')?.rsplit_once('-')?.0.parse::<Owner>().ok();
    owner().is_some_and(|owner| !owner.is_alive())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_dead_processes_are_swept() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let this = Owner::current().unwrap();
        fs::write(elsewhere.path().join("kept"), "").unwrap();
        let live = format!("autoheal-x-{this}-abc");
        for name in [&live, "autoheal-x-4000000000-1-abc", "autoheal-x-nobody", "autoheal-xy-4000000000-1-abc"] {
            fs::create_dir_all(place.path().join(name).join("inside")).unwrap();
        }
        std::os::unix::fs::symlink(elsewhere.path(), place.path().join("autoheal-x-4000000000-2-abc")).unwrap();
        assert_eq!(sweep(place.path(), "autoheal-x"), 1);
        assert!(!place.path().join("autoheal-x-4000000000-1-abc").exists());
        assert!(place.path().join(live).exists() && elsewhere.path().join("kept").exists());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 4);
    }

    #[test]
    fn the_name_says_whose_it_is() {
        let folder = OwnedFolder::new("autoheal-process-test").unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with(&format!("autoheal-process-test-{}-", Owner::current().unwrap())), "{name}");
        assert!(!is_abandoned(&name, "autoheal-process-test"));
    }
}

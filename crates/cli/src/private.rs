//! Small files of the data folder that only this user may read, made when they are first needed: the machine's name, the server's token,
//! the way to the server.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use nix::fcntl::OFlag;
use tempfile::NamedTempFile;

/// Maximum number of bytes read from such a file; the real ones are shorter.
const LONGEST: u64 = 4096;

/// The text of the file `name` in `folder`, which `make` gives when it is missing. Of several processes that make it at once all get the same.
///
/// # Errors
///
/// When it cannot be made or read, is not a plain file, is empty, or may be read by others.
pub(crate) fn kept(folder: &Path, name: &str, make: impl FnOnce() -> String) -> anyhow::Result<String> {
    let path = folder.join(name);
    let found = match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(&path, &make()).and_then(|()| read(&path)),
        found => found,
    };
    found.with_context(|| format!("cannot use {}; remove it to have it created again", path.display()))
}

/// Writes the file `name` in `folder`, in place of an earlier one; returns its path.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn replaced(folder: &Path, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    let written = draft(folder, text).and_then(|draft| draft.persist(&path).map_err(|lost| lost.error));
    written.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn read(path: &Path) -> io::Result<String> {
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NOFOLLOW.bits()).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.mode() & 0o077 != 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it must be a regular file that only its owner can read",
        ));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    match text.trim() {
        "" => Err(io::Error::new(io::ErrorKind::InvalidData, "it is empty")),
        text => Ok(text.to_owned()),
    }
}

/// A complete file that has no name yet, so that no other process reads a part of it.
fn draft(folder: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut draft = tempfile::Builder::new().prefix(".draft-").tempfile_in(folder)?;
    writeln!(draft, "{text}")?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    match draft(folder, text)?.persist_noclobber(path) {
        // Another process was faster.
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop).map_err(|lost| lost.error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn it_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let made = std::thread::scope(|scope| {
            let kept = |number: usize| kept(folder.path(), "key", || format!("secret {number}")).unwrap();
            let all: Vec<_> = (0..8).map(|number| scope.spawn(move || kept(number))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(made.iter().all(|text| *text == made[0] && text.starts_with("secret ")), "{made:?}");
        assert_eq!(fs::metadata(folder.path().join("key")).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no drafts are left");
    }

    #[test]
    fn what_others_may_read_and_what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let refused = || kept(folder.path(), "key", || "new".to_owned()).unwrap_err();
        fs::write(&path, "seen by all").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(format!("{:#}", refused()).contains("only its owner"));
        fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        symlink(folder.path().join("elsewhere"), &path).unwrap();
        assert!(refused().to_string().contains("remove it"));
    }
}

//! Removing what commands left, whatever it is.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::{FOLDER, Kind, names, own_name};

/// Folders nested deeper are moved up before they are emptied, so that neither the stack nor the number of open files grows with them.
const DEEPEST: usize = 64;

/// Permissions that the owner needs to list a folder and to change it.
const OWNERS: u32 = 0o700;

/// Removes a folder with everything in it, or a file. Links are removed, not followed. Folders whose permissions exclude even
/// their owner, as tests make them, are reopened on the way down, as `go clean` does. A missing path is not an error.
///
/// # Errors
///
/// An error when entries are left: their number, and the reason for the first one. Everything else has been removed.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("the root of the file system is not removed"));
    };
    let parent = match fs::openat(fs::CWD, parent, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(parent) => parent,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut removal = Removal { parent, moved: Vec::new(), remaining: 0, first: None };
    removal.moved.push(name.to_owned());
    while let Some(name) = removal.moved.pop() {
        let parent = removal.parent.try_clone()?;
        removal.entry(&parent, &name, 0);
    }
    match removal.first {
        None => Ok(()),
        Some(first) => Err(io::Error::new(
            first.kind(),
            format!("{} entries of {} are left: {first}", removal.remaining, path.display()),
        )),
    }
}

/// Makes sure that nothing exists at `path`: removes it, or moves aside the entries that cannot be removed.
///
/// # Errors
///
/// An error when it can be neither removed nor moved.
pub fn clear(path: &Path) -> io::Result<()> {
    if remove_tree(path).is_ok() {
        return Ok(());
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".left-{}", uuid::Uuid::now_v7()));
    fs::rename(path, Path::new(&aside)).map_err(io::Error::from)
}

struct Removal {
    /// The parent folder of the removed path, which belongs to the host.
    parent: OwnedFd,
    /// Names in it that are still to be removed.
    moved: Vec<OsString>,
    /// Number of entries that could not be removed.
    remaining: usize,
    first: Option<io::Error>,
}

impl Removal {
    fn entry(&mut self, here: &OwnedFd, name: &OsStr, depth: usize) {
        let removed = match fs::statat(here, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error),
            Ok(stat) => match Kind::of(&stat) {
                Kind::Folder => self.folder(here, name, depth),
                Kind::File | Kind::Link | Kind::Other => fs::unlinkat(here, name, AtFlags::empty()),
            },
        };
        if let Err(error) = removed {
            self.remaining += 1;
            self.first.get_or_insert_with(|| error.into());
        }
    }

    fn folder(&mut self, here: &OwnedFd, name: &OsStr, depth: usize) -> Result<(), Errno> {
        let folder = fs::openat(here, name, FOLDER, Mode::empty())?;
        let mode = fs::fstat(&folder)?.st_mode;
        if mode & OWNERS != OWNERS {
            // By the handle: a name could be a link by now. If the folder stays closed, the next step returns the error.
            let _ = fs::chmod(own_name(folder.as_fd()), Mode::from_raw_mode(OWNERS));
        }
        if depth >= DEEPEST {
            let up = OsString::from(format!(".autoheal-removed-{}", uuid::Uuid::now_v7()));
            fs::renameat(here, name, &self.parent, &up)?;
            self.moved.push(up);
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let listing = fs::openat(&folder, ".", flags, Mode::empty())?;
        for entry in names(&listing) {
            match entry {
                Ok(entry) => self.entry(&listing, &entry, depth + 1),
                Err(_) => break,
            }
        }
        fs::unlinkat(here, name, AtFlags::REMOVEDIR)
    }
}

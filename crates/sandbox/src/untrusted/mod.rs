//! Folders that commands could write, as the host may use them.
//!
//! A command may leave anything in such a folder: links to other places of the host, pipes, files without end. Each path here is therefore
//! resolved by the kernel below the folder and through real folders only (`openat2` with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`), only
//! regular files are read, and all that is read or listed is bounded. On kernels without `openat2` (before 5.6) each step is opened by itself.

mod removal;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

pub use removal::{clear, remove_tree};

/// Folders deeper than this are not walked.
const DEEPEST: usize = 128;

/// Permissions of new files and folders, before the process's mask is applied.
const NEW_FILE: u32 = 0o644;
const NEW_FOLDER: u32 = 0o755;

/// An open folder whose content is not trusted. All paths are relative to it and never leave it.
#[derive(Debug)]
pub struct UntrustedFolder {
    handle: OwnedFd,
}

/// Kind of a directory entry; a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary (regular) file.
    File,
    /// A folder, not a link to one.
    Folder,
    /// A symbolic link, whatever its target.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Kind {
    fn of(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Self::Other,
        }
    }
}

/// An entry that a walk came upon.
#[derive(Debug)]
pub struct Entry {
    /// The path relative to the folder that is walked.
    pub path: PathBuf,
    /// Kind of the entry.
    pub kind: Kind,
    /// The disk space it takes, in bytes.
    pub bytes: u64,
    /// Everything by which a change to it shows: permissions, owner, size, inode, target of a link, and when content and inode were last changed.
    /// The last of these follows the system's clock and cannot be set by a program.
    pub stamp: String,
}

impl UntrustedFolder {
    /// Opens the folder at `path`. The way to it is the host's own; the folder itself must not be a link.
    ///
    /// # Errors
    ///
    /// The system's, also for a link or a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let handle = fs::openat(fs::CWD, path, FOLDER, Mode::empty()).map_err(|error| told(error, path))?;
        Ok(Self { handle })
    }

    /// Opens a folder in it; `""` is the folder itself.
    ///
    /// # Errors
    ///
    /// The system's, also for a link on the way.
    pub fn folder(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { handle: self.resolve(path.as_ref(), FOLDER, Mode::empty())? })
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    ///
    /// The system's, also for a link on the way and for anything that is not a regular file.
    pub fn file(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let path = path.as_ref();
        // A pipe without a writer must not block the opener.
        let handle = self.resolve(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY, Mode::empty())?;
        let file = File::from(handle);
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular(path)) }
    }

    /// Reads a regular file of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// As for [`UntrustedFolder::file`], and for a longer file.
    pub fn read(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        let path = path.as_ref();
        let bytes = self.read_start(path, most.saturating_add(1))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
            return Ok(bytes);
        }
        Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{} is longer than {most} bytes", path.display())))
    }

    /// Reads the first `most` bytes of a regular file.
    ///
    /// # Errors
    ///
    /// As for [`UntrustedFolder::file`].
    pub fn read_start(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the kind of the entry at `path`; `None` when there is no entry, or none that is reached without a link.
    pub fn kind(&self, path: impl AsRef<Path>) -> Option<Kind> {
        let handle = self.resolve(path.as_ref(), OFlags::PATH, Mode::empty()).ok()?;
        fs::fstat(handle).ok().map(|stat| Kind::of(&stat))
    }

    /// Reports whether a regular file is at `path`.
    pub fn has_file(&self, path: impl AsRef<Path>) -> bool {
        self.kind(path) == Some(Kind::File)
    }

    /// Reports whether a real folder is at `path`.
    pub fn has_folder(&self, path: impl AsRef<Path>) -> bool {
        self.kind(path) == Some(Kind::Folder)
    }

    /// Returns the path of the file at `path` after resolving links that stay in this folder, such as those of
    /// `node_modules/.bin`; `None` when it is not a regular file, or a link leads outside. `at`: path of this folder.
    pub fn behind_links(&self, at: &Path, path: impl AsRef<Path>) -> Option<PathBuf> {
        let flags = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let path = inside(path.as_ref()).ok()?;
        let file = fs::openat2(&self.handle, &path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), flags).ok()?;
        if Kind::of(&fs::fstat(&file).ok()?) != Kind::File {
            return None;
        }
        let name = |handle: BorrowedFd<'_>| {
            let name = fs::readlink(own_name(handle), Vec::new()).ok()?;
            Some(PathBuf::from(OsStr::from_bytes(name.as_bytes())))
        };
        let (file, here) = (name(file.as_fd())?, name(self.handle.as_fd())?);
        file.strip_prefix(&here).ok().map(|below| at.join(below))
    }

    /// The names in a folder and their kinds, in order of name; `""` is the folder itself.
    ///
    /// # Errors
    ///
    /// The system's, and more than `most` entries are one.
    pub fn entries(&self, path: impl AsRef<Path>, most: usize) -> io::Result<Vec<(OsString, Kind)>> {
        let path = path.as_ref();
        let listing = self.resolve(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        let mut entries = Vec::new();
        for name in names(&listing) {
            let name = name?;
            if entries.len() == most {
                return Err(io::Error::other(format!("{} holds more than {most} entries", path.display())));
            }
            // An entry that is gone by now counts as missing.
            if let Ok(stat) = fs::statat(&listing, &name, AtFlags::SYMLINK_NOFOLLOW) {
                entries.push((name, Kind::of(&stat)));
            }
        }
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// Writes a file in one step: readers, and a process started after a crash, see either the old content or the new one. An
    /// existing regular file keeps its permissions; an existing link is replaced, not followed.
    ///
    /// # Errors
    ///
    /// The system's, also for a link on the way to the file's folder.
    pub fn write(&self, path: impl AsRef<Path>, content: &[u8]) -> io::Result<()> {
        let (folder, name) = self.parent(path.as_ref())?;
        let old = fs::statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok().filter(|old| Kind::of(old) == Kind::File);
        drafted(&folder, content, |draft, growing| {
            old.map_or(Ok(()), |old| fs::fchmod(draft, Mode::from_raw_mode(old.st_mode)))?;
            Ok(fs::renameat(&folder, growing, &folder, &name)?)
        })
    }

    /// Creates a file in one step. An existing entry, also a link, is an error and stays as it is.
    ///
    /// # Errors
    ///
    /// The system's: [`io::ErrorKind::AlreadyExists`] for an existing entry; also for a link on the way to the file's folder.
    pub fn create(&self, path: impl AsRef<Path>, content: &[u8]) -> io::Result<()> {
        let (folder, name) = self.parent(path.as_ref())?;
        drafted(&folder, content, |_, growing| Ok(fs::linkat(&folder, growing, &folder, &name, AtFlags::empty())?))
    }

    /// Makes a folder, and those on the way to it that are not there.
    ///
    /// # Errors
    ///
    /// The system's, also for a link or a file on the way.
    pub fn create_folders(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = inside(path.as_ref())?;
        let mut here = self.handle.try_clone()?;
        for name in &path {
            match fs::mkdirat(&here, name, Mode::from_raw_mode(NEW_FOLDER)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            here = fs::openat(&here, name, FOLDER, Mode::empty()).map_err(|error| told(error, &path))?;
        }
        Ok(())
    }

    /// Removes a file, a link or a similar entry; a missing one is not an error.
    ///
    /// # Errors
    ///
    /// The system's, also for a folder.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (folder, name) = self.parent(path.as_ref())?;
        match fs::unlinkat(&folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Visits everything in it, folders before what they hold, in order of name.
    ///
    /// # Errors
    ///
    /// The system's; more than `most` entries, or folders nested too deeply, are one.
    pub fn walk(&self, most: usize, visit: &mut dyn FnMut(Entry)) -> io::Result<()> {
        let mut left = most;
        let here = self.resolve(Path::new(""), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        walk(&here, Path::new(""), 0, &mut left, visit)
    }

    /// Returns the folder that contains a path's last step, and that step's name.
    fn parent(&self, path: &Path) -> io::Result<(OwnedFd, OsString)> {
        let path = inside(path)?;
        let Some(name) = path.file_name() else { return Err(outside(&path)) };
        let folder = self.resolve(path.parent().unwrap_or(Path::new("")), FOLDER, Mode::empty())?;
        Ok((folder, name.to_owned()))
    }

    /// Opens the entry at `path` without following any link, the last step included.
    fn resolve(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let path = inside(path)?;
        let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let rule = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match fs::openat2(&self.handle, &path, flags, mode, rule) {
            // Without it, or with a filter that does not know it.
            Err(Errno::NOSYS | Errno::PERM) => step_by_step(&self.handle, &path, flags, mode),
            opened => opened,
        }
        .map_err(|error| told(error, &path))
    }
}

/// Writes a file under a name that no other has, lets `publish` give it its own, and removes the first name.
fn drafted(folder: &OwnedFd, content: &[u8], publish: impl FnOnce(&File, &str) -> io::Result<()>) -> io::Result<()> {
    let growing = format!(".autoheal-{}", uuid::Uuid::now_v7());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(fs::openat(folder, &growing, flags, Mode::from_raw_mode(NEW_FILE))?);
    let written = file.write_all(content).and_then(|()| publish(&file, &growing));
    // A renamed file no longer has that name.
    let _ = fs::unlinkat(folder, &growing, AtFlags::empty());
    written
}

/// Flags with which the folders of a path are opened.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens what a path of the host leads to when no step of it is a link.
pub(crate) fn open_without_links(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let rule = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match fs::openat2(fs::CWD, path, flags, Mode::empty(), rule) {
        Err(Errno::NOSYS | Errno::PERM) => {
            let root = fs::openat(fs::CWD, "/", FOLDER, Mode::empty())?;
            let below = path.strip_prefix("/").unwrap_or(path);
            if below.as_os_str().is_empty() { Ok(root) } else { step_by_step(&root, below, flags, Mode::empty()) }
        }
        opened => opened,
    }
    .map_err(|error| told(error, path))
}

/// Returns the kind of the entry that a handle refers to.
pub(crate) fn kind_of(handle: &OwnedFd) -> io::Result<Kind> {
    Ok(Kind::of(&fs::fstat(handle)?))
}

/// Opens each folder on the way by itself, from the one before it.
fn step_by_step(from: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let mut here: Option<OwnedFd> = None;
    let mut steps = path.iter().peekable();
    while let Some(name) = steps.next() {
        let at = here.as_ref().unwrap_or(from);
        let is_last = steps.peek().is_none();
        here = Some(if is_last { fs::openat(at, name, flags, mode)? } else { fs::openat(at, name, FOLDER, mode)? });
    }
    here.ok_or(Errno::INVAL)
}

/// Returns the path without `.`; an error when it is absolute or contains `..`.
fn inside(path: &Path) -> io::Result<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside(path)),
        }
    }
    Ok(clean)
}

fn outside(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} is outside the folder", path.display()))
}

fn not_regular(path: &Path) -> io::Error {
    io::Error::other(format!("{} is not a regular file", path.display()))
}

fn told(error: Errno, path: &Path) -> io::Error {
    match error {
        Errno::LOOP | Errno::XDEV => {
            io::Error::other(format!("{} is a symbolic link, or reached through one", path.display()))
        }
        // The error for a link where a folder is expected.
        Errno::NOTDIR => io::Error::other(format!("{} is a symbolic link or a file, and no folder", path.display())),
        error => error.into(),
    }
}

/// The names in an open folder.
fn names(listing: &OwnedFd) -> impl Iterator<Item = io::Result<OsString>> {
    let (entries, failed) = match Dir::read_from(listing) {
        Ok(entries) => (Some(entries), None),
        Err(error) => (None, Some(Err(error.into()))),
    };
    let names = entries.into_iter().flatten().map(|entry| {
        let entry = entry?;
        Ok(OsStr::from_bytes(entry.file_name().to_bytes()).to_owned())
    });
    failed.into_iter().chain(names).filter(|name| !matches!(name, Ok(name) if name == "." || name == ".."))
}

/// The path by which this process can name an open file.
fn own_name(handle: BorrowedFd<'_>) -> String {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

fn walk(here: &OwnedFd, at: &Path, depth: usize, left: &mut usize, visit: &mut dyn FnMut(Entry)) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::Error::other(format!("folders are nested more than {DEEPEST} deep")));
    }
    let mut names = names(here).collect::<io::Result<Vec<OsString>>>()?;
    names.sort_unstable();
    for name in names {
        *left = left.checked_sub(1).ok_or_else(|| io::Error::other("there are too many entries"))?;
        let Ok(stat) = fs::statat(here, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let (path, kind) = (at.join(&name), Kind::of(&stat));
        let target = match kind {
            Kind::Link => fs::readlinkat(here, &name, Vec::new()).ok(),
            Kind::File | Kind::Folder | Kind::Other => None,
        };
        let stamp = format!(
            "{:o} {} {} {} {} {}.{} {}.{} {target:?}",
            stat.st_mode,
            stat.st_uid,
            stat.st_gid,
            stat.st_size,
            stat.st_ino,
            stat.st_mtime,
            stat.st_mtime_nsec,
            stat.st_ctime,
            stat.st_ctime_nsec
        );
        let bytes = u64::try_from(stat.st_blocks).unwrap_or_default().saturating_mul(512);
        visit(Entry { path: path.clone(), kind, bytes, stamp });
        if kind == Kind::Folder {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            walk(&fs::openat(here, &name, flags, Mode::empty())?, &path, depth + 1, left, visit)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

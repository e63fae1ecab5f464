//! Caches that installs leave for later runs: Python environments, Node packages, and the downloads of package managers.
//!
//! Nothing here is shared between those who do not trust each other: the key of an entry holds the repository, whether the commit is on its
//! default branch (of other commits: which one), and what is installed. An entry is a folder of the host's own:
//!
//! ```text
//! DATA/ROOM/KEY/lock       held by who installs into the entry, or removes it
//! DATA/ROOM/KEY/used       held by runs that use it; changed when it is used
//! DATA/ROOM/KEY/complete   names the folder that is complete, and the state in which it was left
//! DATA/ROOM/KEY/NAME/      what was installed: all that a sandbox ever shows of the entry
//! ```
//!
//! An install goes into a folder with a new name, and `complete` is replaced in one step at its end: what is half made is never seen.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use autoheal_engine::hexadecimal;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::SandboxKind;
use autoheal_sandbox::untrusted::{Kind, UntrustedFolder, remove_tree};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::step_error::disk;

/// An installation of more files and folders is refused.
const MOST_ENTRIES: usize = 1_000_000;

/// Maximum size of the `complete` file of an entry, in bytes.
const LONGEST_NOTE: u64 = 4096;

/// Delay between two attempts to take a lock.
const PATIENCE: Duration = Duration::from_millis(200);

/// An entry that was used so recently is not removed to make room: a run may be about to use it again.
const FRESH: Duration = Duration::from_hours(1);

/// A folder of an entry that another has replaced is removed at this age, if no run uses the entry: no step of a run takes longer.
const SUPERSEDED: Duration = Duration::from_hours(24);

/// Limits for the data that is kept for later runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLimits {
    /// Disk space in bytes; what was used longest ago goes first.
    pub bytes: u64,
    /// Age limit: entries unused for longer are removed, even if there is enough space.
    pub age: Duration,
    /// Versions that no lock file holds are resolved anew by runs that begin so long after the last time: a release that came since may have
    /// broken the tests.
    pub resolved: Duration,
}

impl Default for CacheLimits {
    /// 20 GiB, 30 days; versions are resolved anew after an hour.
    fn default() -> Self {
        Self { bytes: 20 << 30, age: Duration::from_hours(30 * 24), resolved: Duration::from_hours(1) }
    }
}

/// Summary of the entries that an eviction removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evicted {
    /// Entries that are gone.
    pub entries: usize,
    /// The disk space that they took, in bytes.
    pub bytes: u64,
}

/// A kind of what is kept; its name is its folder's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// Virtual environments of Python.
    Environments,
    /// Installed packages of Node.
    NodeModules,
    /// Downloads of package managers from registries.
    Downloads,
}

impl Room {
    const ALL: [Self; 3] = [Self::Environments, Self::NodeModules, Self::Downloads];

    const fn name(self) -> &'static str {
        match self {
            Self::Environments => "environments",
            Self::NodeModules => "node_modules",
            Self::Downloads => "downloads",
        }
    }
}

/// One entry, which may not be there yet.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// Without a sandbox commands change what is installed, and may.
    is_verified: bool,
}

/// Contents of an entry's `complete` file: the complete folder, and the state in which it was left.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Complete {
    name: String,
    state: String,
    bytes: u64,
}

/// An entry as it is found.
pub(crate) enum Begun {
    /// Everything is installed here.
    Complete(PathBuf),
    /// It has to be installed, by the caller alone.
    Empty(Installing),
}

/// A folder to install into. Dropped before it is complete, it is removed.
pub(crate) struct Installing {
    entry: PathBuf,
    name: String,
    is_complete: bool,
    _lock: File,
}

/// Keeps an entry from being removed.
#[derive(Debug)]
pub(crate) struct InUse {
    _used: File,
}

impl Cache {
    pub(crate) fn new(data_dir: &Path, room: Room, parts: &[String], kind: SandboxKind) -> Self {
        // Half of the hash is enough, and the first lines of installed scripts hold the path, of which kernels take 127 bytes.
        let key = hash_of(parts.iter().map(String::as_bytes));
        let folder = data_dir.join(room.name()).join(&key[..32]);
        let is_verified = match kind {
            SandboxKind::Docker | SandboxKind::Bubblewrap => true,
            SandboxKind::None => false,
        };
        Self { folder, is_verified }
    }

    /// Returns the installed folder, or an empty one to install into. Waits while another run installs the same.
    ///
    /// `since`: what was installed before this is out of date; `None`: it never is.
    pub(crate) async fn begin(self, since: Option<SystemTime>, context: &StepContext) -> Result<Begun, StepError> {
        let failed = |error| disk("preparing the folder of an installation", &error);
        make(&self.folder).map_err(failed)?;
        if let Some(found) = self.complete(since).await {
            return Ok(Begun::Complete(found));
        }
        let lock = self.lock(context).await.map_err(failed)?;
        // By now another run may have made it.
        if let Some(found) = self.complete(since).await {
            return Ok(Begun::Complete(found));
        }
        let name = uuid::Uuid::now_v7().simple().to_string()[24..].to_owned();
        make(&self.folder.join(&name)).map_err(failed)?;
        Ok(Begun::Empty(Installing { entry: self.folder, name, is_complete: false, _lock: lock }))
    }

    /// The folder for what package managers fetch, and what keeps it there.
    pub(crate) fn downloads(&self) -> io::Result<(PathBuf, Option<InUse>)> {
        let folder = self.folder.join("files");
        make(&folder)?;
        touch(&self.folder)?;
        let in_use = InUse::of(&folder);
        Ok((folder, in_use))
    }

    /// The complete folder, when it is as it was left, and not out of date.
    async fn complete(&self, since: Option<SystemTime>) -> Option<PathBuf> {
        let note = note_of(&self.folder)?;
        let installed = modified(&self.folder.join("complete")).ok()?;
        if since.is_some_and(|since| installed < since) {
            return None;
        }
        let found = self.folder.join(&note.name);
        if self.is_verified {
            let state = state_of(found.clone()).await.ok()?;
            if state.hash != note.state {
                return None;
            }
        }
        touch(&self.folder).ok()?;
        Some(found)
    }

    async fn lock(&self, context: &StepContext) -> io::Result<File> {
        let path = self.folder.join("lock");
        let mut is_told = false;
        loop {
            make(&self.folder)?;
            let lock = open_own(&path)?;
            match lock.try_lock() {
                // Of an entry that was removed meanwhile the lock says nothing.
                Ok(()) if is_at(&lock, &path) => return Ok(lock),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if !std::mem::replace(&mut is_told, true) {
                        context.progress("waiting for another run that installs the same");
                    }
                    tokio::time::sleep(PATIENCE).await;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

impl Installing {
    /// The folder to install into, which is also where it stays.
    pub(crate) fn folder(&self) -> PathBuf {
        self.entry.join(&self.name)
    }

    /// Takes it as complete: from now on runs use it, and it is never written again.
    pub(crate) async fn complete(mut self) -> Result<PathBuf, StepError> {
        let failed = |error| disk("completing an installation", &error);
        let state = state_of(self.folder()).await.map_err(failed)?;
        let note = Complete { name: self.name.clone(), state: state.hash, bytes: state.bytes };
        // Numbers and texts always serialise.
        let note = serde_json::to_vec(&note).unwrap_or_default();
        UntrustedFolder::open(&self.entry).and_then(|entry| entry.write("complete", &note)).map_err(failed)?;
        touch(&self.entry).map_err(failed)?;
        self.is_complete = true;
        self.remove_superseded();
        Ok(self.folder())
    }

    /// Removes folders that this one replaced, if they are old and no run uses the entry. The others go with the entry.
    fn remove_superseded(&self) {
        let is_used = || open_own(&self.entry.join("used")).is_ok_and(|used| used.try_lock().is_err());
        let is_old = |folder: &PathBuf| {
            let age = modified(folder).ok().and_then(|modified| modified.elapsed().ok());
            age.is_some_and(|age| age > SUPERSEDED)
        };
        for folder in folders_of(&self.entry).into_iter().filter(|folder| *folder != self.folder()) {
            if is_old(&folder) && !is_used() {
                let _ = remove_tree(&folder);
            }
        }
    }
}

impl Drop for Installing {
    fn drop(&mut self) {
        if !self.is_complete {
            // What cannot be removed goes with the entry.
            let _ = remove_tree(&self.folder());
        }
    }
}

impl InUse {
    /// Keeps the cache entry that contains `folder` from being removed; `None`: there is no entry, or it is about to be removed.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let used = open_own(&folder.parent()?.join("used")).ok()?;
        used.try_lock_shared().ok()?;
        Some(Self { _used: used })
    }
}

/// The hash of texts, as hexadecimal digits.
pub(crate) fn hash_of<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    hexadecimal(&hasher.finalize())
}

/// Removes what was not used for long, and of the rest what was used longest ago until it takes no more than it may. What a run uses, and what
/// is being installed, stays.
///
/// # Errors
///
/// When the folders cannot be read. An entry that cannot be removed is left for the next time.
pub fn evict(data_dir: &Path, limits: &CacheLimits) -> io::Result<Evicted> {
    let mut entries = Vec::new();
    for room in Room::ALL {
        let room = data_dir.join(room.name());
        let Ok(folder) = UntrustedFolder::open(&room) else { continue };
        for (name, kind) in folder.entries("", MOST_ENTRIES)? {
            if kind == Kind::Folder {
                entries.extend(Kept::of(room.join(name)));
            }
        }
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.unused));
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut evicted = Evicted::default();
    for entry in entries {
        let is_too_much = total > limits.bytes && entry.unused > FRESH;
        if (entry.unused > limits.age || is_too_much) && entry.remove() {
            total = total.saturating_sub(entry.bytes);
            evicted.bytes += entry.bytes;
            evicted.entries += 1;
        }
    }
    Ok(evicted)
}

/// An entry as eviction sees it.
struct Kept {
    folder: PathBuf,
    bytes: u64,
    unused: Duration,
}

impl Kept {
    fn of(folder: PathBuf) -> Option<Self> {
        let entry = UntrustedFolder::open(&folder).ok()?;
        let time = |file: File| file.metadata()?.modified();
        // An entry of an older version has no such file: then it is its folder that was changed.
        let used = entry.file("used").and_then(time).or_else(|_| modified(&folder)).ok()?;
        let bytes = note_of(&folder).map_or_else(
            || {
                let mut bytes = 0_u64;
                // As far as it can be counted: an entry is removed for its age at the latest.
                let _ = entry.walk(MOST_ENTRIES, &mut |entry| bytes = bytes.saturating_add(entry.bytes));
                bytes
            },
            // Those that it replaced are about as large.
            |note| note.bytes.saturating_mul(folders_of(&folder).len() as u64),
        );
        Some(Self { folder, bytes, unused: used.elapsed().unwrap_or_default() })
    }

    /// Removes the entry, unless it is used or an install is writing to it. Returns whether it was removed.
    fn remove(&self) -> bool {
        let held = ["lock", "used"].map(|name| open_own(&self.folder.join(name)));
        if held.iter().any(|file| file.as_ref().is_ok_and(|file| file.try_lock().is_err())) {
            return false;
        }
        let forgotten = UntrustedFolder::open(&self.folder).and_then(|entry| entry.remove_file("complete"));
        forgotten.and_then(|()| remove_tree(&self.folder)).is_ok()
    }
}

/// Fingerprint and total size of a folder's contents.
struct State {
    hash: String,
    bytes: u64,
}

/// Everything by which a change to a folder shows. Contents are not read: that would take seconds for what is used each time, and no program can
/// write to a file without the time of its last change, which no program can set, telling of it.
async fn state_of(folder: PathBuf) -> io::Result<State> {
    let walk = move || {
        let (mut hasher, mut bytes) = (Sha256::new(), 0_u64);
        UntrustedFolder::open(&folder)?.walk(MOST_ENTRIES, &mut |entry| {
            for part in [entry.path.as_os_str().as_encoded_bytes(), entry.stamp.as_bytes()] {
                hasher.update(part.len().to_le_bytes());
                hasher.update(part);
            }
            bytes = bytes.saturating_add(entry.bytes);
        })?;
        Ok(State { hash: hexadecimal(&hasher.finalize()), bytes })
    };
    tokio::task::spawn_blocking(walk).await.map_err(io::Error::other)?
}

fn note_of(entry: &Path) -> Option<Complete> {
    let text = UntrustedFolder::open(entry).ok()?.read("complete", LONGEST_NOTE).ok()?;
    let note: Complete = serde_json::from_slice(&text).ok()?;
    let mut parts = Path::new(&note.name).components();
    (matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none()).then_some(note)
}

#[expect(clippy::disallowed_methods, reason = "entries are the host's own folders: no sandbox shows them")]
fn make(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Opens a file beside what is installed.
#[expect(clippy::disallowed_methods, reason = "entries are the host's own folders: no sandbox shows them")]
fn open_own(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).read(true).write(true).open(path)
}

#[expect(clippy::disallowed_methods, reason = "entries are the host's own folders: no sandbox shows them")]
fn is_at(file: &File, path: &Path) -> bool {
    let same = file.metadata().ok().zip(path.symlink_metadata().ok());
    same.is_some_and(|(open, there)| (open.dev(), open.ino()) == (there.dev(), there.ino()))
}

#[expect(clippy::disallowed_methods, reason = "entries are the host's own folders: no sandbox shows them")]
fn modified(path: &Path) -> io::Result<SystemTime> {
    path.symlink_metadata()?.modified()
}

/// The folders of an entry that something is or was installed into.
fn folders_of(entry: &Path) -> Vec<PathBuf> {
    let found = UntrustedFolder::open(entry).and_then(|folder| folder.entries("", MOST_ENTRIES)).unwrap_or_default();
    found.into_iter().filter(|(_, kind)| *kind == Kind::Folder).map(|(name, _)| entry.join(name)).collect()
}

fn touch(entry: &Path) -> io::Result<()> {
    open_own(&entry.join("used"))?.set_modified(SystemTime::now())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a finished entry of `size` bytes whose last use was `unused` ago.
    fn entry(data: &Path, room: Room, name: &str, size: usize, unused: Duration) -> PathBuf {
        let entry = data.join(room.name()).join(name);
        fs::create_dir_all(entry.join("made")).unwrap();
        fs::write(entry.join("made/file"), vec![1; size]).unwrap();
        let bytes = u64::try_from(size).unwrap();
        let note = Complete { name: "made".to_owned(), state: String::new(), bytes };
        fs::write(entry.join("complete"), serde_json::to_vec(&note).unwrap()).unwrap();
        open_own(&entry.join("used")).unwrap().set_modified(SystemTime::now() - unused).unwrap();
        entry
    }

    const DAY: Duration = Duration::from_hours(24);

    #[test]
    fn what_is_old_goes_and_then_what_was_used_longest_ago() {
        let data = tempfile::tempdir().unwrap();
        let old = entry(data.path(), Room::Environments, "old", 10, DAY * 31);
        let first = entry(data.path(), Room::NodeModules, "first", 1000, DAY * 3);
        let second = entry(data.path(), Room::Downloads, "second", 1000, DAY * 2);
        let fresh = entry(data.path(), Room::Environments, "fresh", 1000, Duration::from_mins(10));
        let limits = CacheLimits { bytes: 2500, ..CacheLimits::default() };
        assert_eq!(evict(data.path(), &limits).unwrap(), Evicted { entries: 2, bytes: 1010 });
        assert_eq!([&old, &first, &second, &fresh].map(|entry| entry.exists()), [false, false, true, true]);
        // What was used a moment ago may be about to be used.
        let limits = CacheLimits { bytes: 1, ..CacheLimits::default() };
        assert_eq!(evict(data.path(), &limits).unwrap().entries, 1);
        assert!(fresh.exists() && !second.exists());
    }

    #[test]
    fn what_is_used_or_being_made_stays() {
        let data = tempfile::tempdir().unwrap();
        let used = entry(data.path(), Room::Environments, "used", 10, DAY * 40);
        let made = entry(data.path(), Room::Environments, "made", 10, DAY * 40);
        let in_use = InUse::of(&used.join("made")).unwrap();
        let lock = open_own(&made.join("lock")).unwrap();
        lock.lock().unwrap();
        let limits = CacheLimits::default();
        assert_eq!(evict(data.path(), &limits).unwrap(), Evicted::default());
        drop((in_use, lock));
        assert_eq!(evict(data.path(), &limits).unwrap().entries, 2);
        assert!(!used.exists() && !made.exists());
    }

    #[tokio::test]
    async fn what_was_resolved_before_a_time_is_not_complete() {
        let data = tempfile::tempdir().unwrap();
        let entry = entry(data.path(), Room::Environments, "entry", 10, Duration::ZERO);
        let installed = modified(&entry.join("complete")).unwrap();
        let cache = Cache { folder: entry.clone(), is_verified: false };
        let second = Duration::from_secs(1);
        assert_eq!(cache.complete(None).await, Some(entry.join("made")));
        assert_eq!(cache.complete(Some(installed - second)).await, Some(entry.join("made")));
        assert_eq!(cache.complete(Some(installed + second)).await, None);
    }

    #[tokio::test]
    async fn what_was_replaced_goes_when_it_is_old_and_unused() {
        let data = tempfile::tempdir().unwrap();
        let entry = entry(data.path(), Room::Environments, "entry", 10, Duration::ZERO);
        let newer = |name: &str| {
            fs::create_dir(entry.join(name)).unwrap();
            let lock = open_own(&entry.join("lock")).unwrap();
            Installing { entry: entry.clone(), name: name.to_owned(), is_complete: false, _lock: lock }
        };
        newer("second").complete().await.unwrap();
        assert!(entry.join("made").exists());
        let old = File::open(entry.join("made")).unwrap();
        old.set_modified(SystemTime::now() - SUPERSEDED - DAY).unwrap();
        let in_use = InUse::of(&entry.join("made")).unwrap();
        newer("third").complete().await.unwrap();
        assert!(entry.join("made").exists());
        drop(in_use);
        newer("fourth").complete().await.unwrap();
        assert!(!entry.join("made").exists() && entry.join("second").exists());
    }

    #[test]
    fn a_note_names_a_folder_of_its_own_entry_only() {
        let data = tempfile::tempdir().unwrap();
        let entry = entry(data.path(), Room::Environments, "entry", 10, DAY);
        assert!(note_of(&entry).is_some());
        for name in ["../other", "/etc", "a/b", "", "."] {
            let note = Complete { name: name.to_owned(), state: String::new(), bytes: 0 };
            fs::write(entry.join("complete"), serde_json::to_vec(&note).unwrap()).unwrap();
            assert!(note_of(&entry).is_none(), "{name}");
        }
        fs::rename(entry.join("complete"), entry.join("other")).unwrap();
        symlink(entry.join("other"), entry.join("complete")).unwrap();
        assert!(note_of(&entry).is_none());
    }

    #[test]
    fn keys_differ_by_every_part() {
        let folder = |parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            Cache::new(Path::new("/data"), Room::Environments, &parts, SandboxKind::Bubblewrap).folder
        };
        assert_eq!(folder(&["a", "b"]), folder(&["a", "b"]));
        for other in [&["ab"][..], &["a", "", "b"], &["a"], &["b", "a"]] {
            assert_ne!(folder(&["a", "b"]), folder(other));
        }
    }
}

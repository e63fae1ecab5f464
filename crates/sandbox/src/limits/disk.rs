//! Disk space that commands use: a limit on the content of the folders that they may write, and a floor of free space.
//!
//! Querying a file system's free space is nearly free, so it is done five times a second. The folders are only walked when
//! the free space has fallen by a noticeable share of the limit since the last walk, and every few seconds, because other
//! processes may have freed space meanwhile. Measurements are kept from one command of a workspace to the next.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, StatVfs};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::outcome::{Limit, SandboxError};
use crate::spec::Disk;

/// Time between two checks of the free space.
const INTERVAL: Duration = Duration::from_millis(200);

/// Minimum time between two walks without another cause; a walk also waits `SHARE` times as long as the last one took.
const WALKS: Duration = Duration::from_secs(5);
const SHARE: u32 = 10;

/// The folders that a workspace's commands may write.
#[derive(Debug)]
pub(crate) struct Space {
    folders: Vec<PathBuf>,
    floor: u64,
    known: Mutex<Known>,
}

/// Result of the last measurement.
#[derive(Debug, Clone)]
struct Known {
    used: Disk,
    /// The free space of each folder's file system at that time.
    free: Vec<Disk>,
    /// Time of the next measurement, unless something happens before.
    next: Instant,
}

impl Space {
    /// The room in these folders, of whose file systems `floor` bytes are to stay free.
    pub(crate) fn new(mut folders: Vec<PathBuf>, floor: u64) -> io::Result<Arc<Self>> {
        // One that lies in another is counted with that.
        folders.sort();
        folders.dedup_by(|folder, before| folder.starts_with(before));
        let free = folders.iter().map(|folder| free(folder)).collect::<io::Result<_>>()?;
        let known = Known { used: Disk { bytes: 0, entries: 0 }, free, next: Instant::now() + WALKS };
        Ok(Arc::new(Self { folders, floor, known: Mutex::new(known) }))
    }

    /// Returns an error when a folder's file system has less free space than the floor.
    pub(crate) fn check(&self) -> Result<(), SandboxError> {
        for folder in &self.folders {
            let free = free(folder)
                .map_err(|source| SandboxError::Failed { doing: "measuring free space", source: source.into() })?
                .bytes;
            if free < self.floor {
                return Err(SandboxError::NoSpace { folder: folder.clone(), free, floor: self.floor });
            }
        }
        Ok(())
    }

    fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the free space now; a folder that no longer exists keeps its previous value.
    fn free(&self, before: &Known) -> Vec<Disk> {
        self.folders.iter().zip(&before.free).map(|(folder, before)| free(folder).unwrap_or(*before)).collect()
    }

    /// Measures, and keeps what was found. Blocks.
    fn measure(&self, limit: Disk) -> Disk {
        let begun = Instant::now();
        let free = self.free(&self.known());
        let mut walk = Walk { limit, used: Disk { bytes: 0, entries: 0 }, linked: HashSet::new() };
        for folder in &self.folders {
            walk.folder(folder);
        }
        let next = Instant::now() + WALKS.max(begun.elapsed() * SHARE);
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known { used: walk.used, free, next };
        walk.used
    }
}

fn free(folder: &Path) -> io::Result<Disk> {
    let StatVfs { f_bavail, f_frsize, f_favail, f_files, .. } = rustix::fs::statvfs(folder)?;
    // Some file systems do not count entries.
    let entries = if f_files == 0 { u64::MAX } else { f_favail };
    Ok(Disk { bytes: f_bavail.saturating_mul(f_frsize), entries })
}

const fn is_over(used: Disk, limit: Disk) -> bool {
    used.bytes > limit.bytes || used.entries > limit.entries
}

/// Follows what one command writes.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    space: Arc<Space>,
    limit: Disk,
    /// Time of the next check.
    next: Instant,
    walk: Option<JoinHandle<Disk>>,
}

impl DiskWatch {
    pub(crate) fn new(space: Arc<Space>, limit: Disk) -> Self {
        Self { space, limit, next: Instant::now(), walk: None }
    }

    /// Replaces the limit.
    pub(crate) const fn limit(&mut self, limit: Disk) {
        self.limit = limit;
    }

    /// Returns when a limit was hit; never when none is. May be dropped and called again.
    pub(crate) async fn hit(&mut self) -> Limit {
        loop {
            if let Some(limit) = self.finish_walk().await {
                return limit;
            }
            tokio::time::sleep_until(self.next).await;
            self.next = Instant::now() + INTERVAL;
            if let Some(limit) = self.look(Instant::now()) {
                return limit;
            }
        }
    }

    /// The limit that was hit by the time the command ended.
    pub(crate) async fn at_end(&mut self) -> Option<Limit> {
        let hit = self.finish_walk().await;
        if hit.is_some() {
            return hit;
        }
        // No process writes now, so a measurement is not needed just because of the time.
        self.look(self.space.known().next - Duration::from_millis(1)).or(self.finish_walk().await)
    }

    async fn finish_walk(&mut self) -> Option<Limit> {
        let used = self.walk.as_mut()?.await;
        self.walk = None;
        is_over(used.ok()?, self.limit).then_some(Limit::Disk)
    }

    /// Checks the free space, and begins a walk if there is a reason for one.
    fn look(&mut self, now: Instant) -> Option<Limit> {
        let known = self.space.known();
        if is_over(known.used, self.limit) {
            return Some(Limit::Disk);
        }
        let free = self.space.free(&known);
        if free.iter().any(|free| free.bytes < self.space.floor) {
            return Some(Limit::FreeSpace);
        }
        let fallen = known.free.iter().zip(&free).map(|(before, now)| Disk {
            bytes: before.bytes.saturating_sub(now.bytes),
            entries: before.entries.saturating_sub(now.entries),
        });
        let step = Disk { bytes: (self.limit.bytes / 8).min(256 << 20), entries: self.limit.entries / 8 };
        let is_noticeable = |fallen: Disk| {
            let together =
                Disk { bytes: known.used.bytes + fallen.bytes, entries: known.used.entries + fallen.entries };
            is_over(fallen, step) || is_over(together, self.limit)
        };
        if fallen.into_iter().any(is_noticeable) || now >= known.next {
            let (space, limit) = (Arc::clone(&self.space), self.limit);
            self.walk = Some(tokio::task::spawn_blocking(move || space.measure(limit)));
        }
        None
    }
}

/// Adds up folders that hostile programs write at the same time: follows no link, enters no other file system, and opens only
/// folders. It skips folders that cannot be opened; the minimum of free space limits what is hidden there.
struct Walk {
    limit: Disk,
    used: Disk,
    /// The files with several names that were seen.
    linked: HashSet<(u64, u64)>,
}

impl Walk {
    fn folder(&mut self, root: &Path) {
        let Ok(root) = File::open(root) else { return };
        let mut waiting = vec![PathBuf::from(".")];
        while let Some(folder) = waiting.pop() {
            match open_below(&root, &folder) {
                Ok(open) => self.entries(&open, &folder, &mut waiting),
                // Deeper than any path can be: the program is hiding something.
                Err(rustix::io::Errno::NAMETOOLONG) => self.used.entries = u64::MAX,
                Err(_) => {}
            }
            if is_over(self.used, self.limit) {
                return;
            }
        }
    }

    fn entries(&mut self, open: &OwnedFd, folder: &Path, waiting: &mut Vec<PathBuf>) {
        let Ok(entries) = Dir::read_from(open) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.used.entries = self.used.entries.saturating_add(1);
            let Ok(about) = rustix::fs::statat(open, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let is_folder = FileType::from_raw_mode(about.st_mode) == FileType::Directory;
            if is_folder || about.st_nlink < 2 || self.linked.insert((about.st_dev, about.st_ino)) {
                let blocks = u64::try_from(about.st_blocks).unwrap_or(0);
                self.used.bytes = self.used.bytes.saturating_add(blocks.saturating_mul(512));
            }
            if is_folder {
                waiting.push(folder.join(OsStr::from_bytes(name.to_bytes())));
            }
            if is_over(self.used, self.limit) {
                return;
            }
        }
    }
}

fn open_below(root: &File, folder: &Path) -> rustix::io::Result<OwnedFd> {
    let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let within =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(root, folder, how, Mode::empty(), within)
}

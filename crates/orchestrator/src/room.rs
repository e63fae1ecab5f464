//! Disk space, without which nothing is begun: a run that fills the disk takes the database, and everyone's work, with it.

use std::path::PathBuf;

use nix::sys::statvfs::statvfs;

/// Minimum of free disk space, and the folder in which it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The folder whose file system counts.
    pub folder: PathBuf,
    /// Minimum number of bytes that must be free for this user; 0: no minimum.
    pub least: u64,
}

impl Room {
    /// Returns the reason why no task may begin, and what to do; `None`:
    /// there is room, or the free space is unknown.
    pub fn missing(&self) -> Option<String> {
        const MIB: u64 = 1 << 20;
        if self.least == 0 {
            return None;
        }
        let found = statvfs(&self.folder).ok()?;
        let free = found.blocks_available().saturating_mul(found.fragment_size());
        (free < self.least).then(|| {
            format!(
                "only {} MiB are free for {}, and {} are wanted before a task is begun: make room there, or set worker.min_free_mib",
                free / MIB,
                self.folder.display(),
                self.least / MIB
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_missed_where_more_is_wanted_than_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let room = |least| Room { folder: folder.path().to_owned(), least }.missing();
        assert_eq!((room(0), room(1)), (None, None));
        let missing = room(u64::MAX).unwrap();
        assert!(missing.contains("worker.min_free_mib") && missing.contains("MiB are free for"), "{missing}");
    }
}

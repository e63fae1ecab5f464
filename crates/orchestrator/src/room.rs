//! Disk space, without which nothing is begun: a run that fills the disk takes the database, and everyone's work, with it.

use std::path::PathBuf;

use nix::sys::statvfs::statvfs;

/// How much must be free, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The folder whose file system counts.
    pub folder: PathBuf,
    /// This many bytes must be free for this user; 0: nothing is asked for.
    pub least: u64,
}

impl Room {
    /// Why nothing may be begun, with what to do; `None`: there is room, or nobody can tell.
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

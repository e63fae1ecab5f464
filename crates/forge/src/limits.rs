//! Limits of what a repository may bring, checked before any of it is written.
//!
//! The size of a pack says nothing about the trees in it: a thousand names may be one blob, and a tree of trees of trees has
//! millions of entries in a few hundred bytes. So a commit is *admitted* first: git lists its tree, and is ended as soon as the
//! sum passes a limit. Functions that write or index a whole tree take an [`Admitted`], which only this module creates.

use std::ops::ControlFlow;
use std::path::Path;

use crate::error::{Operation, Surplus};
use crate::{CommitId, ForgeError, Git};

/// Limits on the size of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeLimits {
    /// Bytes that a clone may occupy on disk: its history, and the files of the commit that is checked out.
    pub clone_bytes: u64,
    /// Bytes in all files of one commit, written out.
    pub tree_bytes: u64,
    /// Files and folders of one commit.
    pub entries: u64,
    /// Branches and tags of a clone.
    pub references: u64,
    /// Memory of each process of git, in bytes.
    pub memory: u64,
}

impl Default for SizeLimits {
    /// 2 GiB for a clone, 2 GiB and 200,000 entries for a tree, 100,000 branches and tags, 2 GiB of memory.
    fn default() -> Self {
        Self { clone_bytes: 2 << 30, tree_bytes: 2 << 30, entries: 200_000, references: 100_000, memory: 2 << 30 }
    }
}

/// The longest line of a listing, in bytes: Linux takes no path of more than 4096.
const LONGEST_ENTRY: usize = 64 << 10;

/// Maximum number of admitted commits that are cached. A commit that is no longer cached is listed again.
const REMEMBERED: usize = 4096;

/// A commit whose tree is within the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admitted<'commit> {
    commit: &'commit CommitId,
}

impl Admitted<'_> {
    pub(crate) fn as_str(&self) -> &str {
        self.commit.as_str()
    }
}

/// Size of a tree, as far as it was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TreeSize {
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
}

/// Reads `git ls-tree -r -t -l -z` piece by piece.
struct Listing {
    limits: SizeLimits,
    size: TreeSize,
    /// The beginning of an entry whose end has not come.
    rest: Vec<u8>,
    surplus: Option<Surplus>,
}

impl Listing {
    fn take(&mut self, piece: &[u8]) -> ControlFlow<()> {
        let mut entries = piece.split(|byte| *byte == 0).peekable();
        while let Some(entry) = entries.next() {
            self.rest.extend_from_slice(entry);
            if self.rest.len() > LONGEST_ENTRY {
                self.surplus = Some(Surplus::Path { limit: LONGEST_ENTRY });
            } else if entries.peek().is_some() {
                self.count();
            }
            if self.surplus.is_some() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds the entry in `rest`: `MODE TYPE HASH SIZE<tab>PATH`; entries other than files have `-` for their size.
    fn count(&mut self) {
        let about = self.rest.split(|byte| *byte == b'\t').next().unwrap_or_default();
        let size = about.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let bytes = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok()).unwrap_or(0);
        self.size.entries += 1;
        self.size.bytes = self.size.bytes.saturating_add(bytes);
        self.rest.clear();
        if self.size.entries > self.limits.entries {
            self.surplus = Some(Surplus::Entries { limit: self.limits.entries });
        } else if self.size.bytes > self.limits.tree_bytes {
            self.surplus = Some(Surplus::Bytes { limit: self.limits.tree_bytes });
        }
    }
}

impl Git {
    /// Sums what the tree of a commit holds.
    pub(crate) async fn tree_size(&self, dir: &Path, commit: &CommitId) -> Result<TreeSize, ForgeError> {
        let mut listing = Listing { limits: self.limits, size: TreeSize::default(), rest: Vec::new(), surplus: None };
        let invocation = self.invocation(Operation::Read).within(dir);
        let arguments = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit.as_str()];
        let output = self.surroundings.stream(invocation.args(arguments), &mut |piece| listing.take(piece)).await?;
        match listing.surplus {
            Some(surplus) => Err(ForgeError::TreeTooLarge { commit: commit.short().to_owned(), surplus }),
            None => output.bytes().map(|_| listing.size),
        }
    }

    /// The commit as one that may be written out: its tree is within the limits.
    pub(crate) async fn admit<'commit>(
        &self,
        dir: &Path,
        commit: &'commit CommitId,
    ) -> Result<Admitted<'commit>, ForgeError> {
        // A hash names a tree whichever clone it lies in.
        if !self.admitted().contains(commit) {
            self.tree_size(dir, commit).await?;
            let mut admitted = self.admitted();
            if admitted.len() >= REMEMBERED {
                admitted.clear();
            }
            admitted.insert(commit.clone());
        }
        Ok(Admitted { commit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(entries: u64, tree_bytes: u64) -> Listing {
        let limits = SizeLimits { tree_bytes, entries, ..SizeLimits::default() };
        Listing { limits, size: TreeSize::default(), rest: Vec::new(), surplus: None }
    }

    const TREE: &[u8] = b"040000 tree aa       -\tdir\x00100644 blob bb      12\tdir/a\tb 7\x00160000 commit cc       -\tsub\x00100644 blob dd 30\tz\x00";

    #[test]
    fn entries_and_bytes_are_summed_wherever_the_pieces_are_cut() {
        for cut in 0..TREE.len() {
            let mut listing = listing(4, 42);
            assert!(listing.take(&TREE[..cut]).is_continue() && listing.take(&TREE[cut..]).is_continue());
            assert_eq!(listing.size, TreeSize { entries: 4, bytes: 42 });
        }
    }

    #[test]
    fn the_listing_ends_at_the_first_limit() {
        let mut many = listing(3, 42);
        assert!(many.take(TREE).is_break());
        assert_eq!(many.surplus, Some(Surplus::Entries { limit: 3 }));
        let mut large = listing(4, 41);
        assert!(large.take(TREE).is_break());
        assert_eq!(large.surplus, Some(Surplus::Bytes { limit: 41 }));
        let mut long = listing(4, 42);
        assert!(long.take(&vec![b'a'; LONGEST_ENTRY]).is_continue() && long.take(b"a").is_break());
    }
}

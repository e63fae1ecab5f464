//! Folders in which a run keeps its files on this machine: all of the files can be recreated from the state.

use std::io;
use std::path::{Path, PathBuf};

use autoheal_sandbox::untrusted::{UntrustedFolder, remove_tree};

/// File name of the notes on the dependencies of tests.
const TOUCHED: &str = "touched";

/// Name of the file with the test report.
const REPORT: &str = "tests";

/// The folders of one place in which a tree is tested.
#[derive(Debug, Clone)]
pub(crate) struct Folders {
    root: PathBuf,
}

impl Folders {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Beside it, for the monitor: a place that shares nothing with this one.
    pub(crate) fn for_monitor(&self) -> Self {
        Self { root: self.root.join("monitor") }
    }

    pub(crate) fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// The clone: git's own files, which no command of the repository ever sees.
    pub(crate) fn clone_folder(&self) -> PathBuf {
        self.root.join("clone")
    }

    /// The tree that is tested: the files of a commit without git's own.
    pub(crate) fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    /// The tree of the commit before the one that is healed, for comparison.
    pub(crate) fn before(&self) -> PathBuf {
        self.root.join("before")
    }

    /// Our own scripts, seen read-only inside.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join("tools")
    }

    /// Folder for reports, written from inside the sandbox.
    pub(crate) fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }

    /// Folder for the caches that tools keep between commands of one place.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    /// Returns the folder with the host folders that are mounted, writable, inside read-only ones. Other commands cannot write to any of
    /// them.
    pub(crate) fn mounts(&self) -> PathBuf {
        self.root.join("mounts")
    }

    /// The test report, written from inside.
    pub(crate) fn report(&self) -> PathBuf {
        self.reports().join(REPORT)
    }

    /// The test report that a command left, up to `most` bytes.
    pub(crate) fn read_report(&self, most: u64) -> io::Result<String> {
        let bytes = UntrustedFolder::open(&self.reports())?.read_start(REPORT, most)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes the test report of an earlier command, if there is one.
    pub(crate) fn remove_report(&self) -> io::Result<()> {
        UntrustedFolder::open(&self.reports())?.remove_file(REPORT)
    }

    /// The notes on what tests depend, written from inside.
    pub(crate) fn touched(&self) -> PathBuf {
        self.reports().join(TOUCHED)
    }

    /// Takes the notes that a command left.
    pub(crate) fn take_touched(&self) -> io::Result<String> {
        const MOST: u64 = 4096;
        let reports = UntrustedFolder::open(&self.reports())?;
        let notes = reports.read_start(TOUCHED, MOST).unwrap_or_default();
        reports.remove_file(TOUCHED)?;
        Ok(String::from_utf8_lossy(&notes).into_owned())
    }

    /// Removes everything that commands could write, which only an unfinished run needs. Returns an error for a folder that cannot be
    /// removed; the error does not affect the verdict.
    pub(crate) fn remove_work(&self) -> io::Result<()> {
        let work = [self.tree(), self.before(), self.reports(), self.scratch(), self.mounts(), self.for_monitor().root];
        let removed: Vec<io::Result<()>> = work.iter().map(|folder| remove_tree(folder)).collect();
        removed.into_iter().collect()
    }

    /// Makes the folders beside the tree, and puts our programs where they can be run.
    #[expect(
        clippy::disallowed_methods,
        reason = "the run's folder is the host's own, and so are our scripts, which are shown read-only"
    )]
    pub(crate) fn prepare(&self, programs: impl IntoIterator<Item = (&'static str, &'static str)>) -> io::Result<()> {
        std::fs::create_dir_all(self.reports())?;
        std::fs::create_dir_all(self.scratch())?;
        std::fs::create_dir_all(self.mounts())?;
        programs.into_iter().try_for_each(|(name, text)| self.write_tool(name, text))
    }

    #[expect(clippy::disallowed_methods, reason = "the run's folder is the host's own, and so are our scripts")]
    fn write_tool(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.tools().join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)
    }
}

/// Returns whether the clone exists. It holds git's own files, which no command of a repository ever sees.
#[expect(clippy::disallowed_methods, reason = "clones are the host's own folders")]
pub(crate) fn is_there(clone: &Path) -> bool {
    clone.exists()
}

//! Where a run keeps its files on this machine: all of them can be made again from the state.

use std::path::PathBuf;

use autoheal_code::javascript;
use autoheal_code::python::probe;
use autoheal_code::report::node::entries;
use autoheal_code::report::{compile, unittest};
use autoheal_code::warm;

/// Asks the interpreter what it can import.
pub(crate) const PROBE: &str = "probe.py";

/// Asks Node what it can load.
pub(crate) const NODE_PROBE: &str = "probe.js";

/// Compiles files without running them.
pub(crate) const COMPILE_CHECK: &str = "compile_check.py";

/// Runs unittest suites and writes JUnit XML.
pub(crate) const UNITTEST_RUNNER: &str = "unittest_runner.py";

/// Our reporters for JavaScript's test runners.
pub(crate) const MOCHA_REPORTER: &str = "mocha_reporter.cjs";
pub(crate) const VITEST_REPORTER: &str = "vitest_reporter.mjs";
pub(crate) const NODE_TEST_REPORTER: &str = "node_test_reporter.mjs";

/// The test report.
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

    /// Where reports are written from inside.
    pub(crate) fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }

    /// What tools keep between commands of one place: caches.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    /// The test report, written from inside.
    pub(crate) fn report(&self) -> PathBuf {
        self.reports().join(REPORT)
    }

    /// Makes the folders beside the tree, and puts our scripts where they can be run.
    pub(crate) fn prepare(&self) -> std::io::Result<()> {
        std::fs::create_dir_all(self.tools())?;
        std::fs::create_dir_all(self.reports())?;
        std::fs::create_dir_all(self.scratch())?;
        for (name, text) in [
            (PROBE, probe::SCRIPT),
            (NODE_PROBE, javascript::probe::SCRIPT),
            (COMPILE_CHECK, compile::SCRIPT),
            (UNITTEST_RUNNER, unittest::RUNNER),
            (MOCHA_REPORTER, entries::MOCHA),
            (VITEST_REPORTER, entries::VITEST),
            (NODE_TEST_REPORTER, entries::NODE_TEST),
        ] {
            std::fs::write(self.tools().join(name), text)?;
        }
        for (name, text) in warm::PYTHON.iter().chain(warm::NODE) {
            let path = self.tools().join(name);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, text)?;
        }
        Ok(())
    }
}

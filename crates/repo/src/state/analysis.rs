//! Results of the analysis: the starting point of the work, and the setup of the tests.

use serde::{Deserialize, Serialize};

use crate::setup::Setup;

/// Starting point and setup of the repository. Set by `analyze`, the test files by `discover`. `diagnose`, `patch` and `monitor`
/// correct the setup by what the runs show.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// Starting point of the work.
    pub origin: Option<Origin>,
    /// Commands and interpreter of the repository's tests.
    pub setup: Option<Setup>,
    /// Test files, relative to the repository's root.
    pub test_files: Vec<String>,
}

/// Starting point of the work: its commits and its branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The commit the clone's default branch was at; with uncommitted changes taken along, the commit that holds them.
    pub base_commit: String,
    /// The commit that the fixes are put on: the base, or the tip of our own branch when that is continued.
    pub start_commit: String,
    /// The branch that the fixes go to.
    pub branch: String,
    /// Commit of that branch at the remote when the run began; `None`: the remote did not have the branch, or the run does not push.
    pub remote_tip: Option<String>,
}

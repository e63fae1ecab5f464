//! Delivery of the fixes.

use serde::{Deserialize, Serialize};

/// Delivery of the fixes. Set by `commit`, and by `monitor` when it reverts a fix or updates the pull request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryState {
    /// The branch as it was last pushed.
    pub branch: Option<Delivered>,
    /// The page of the pull request.
    pub pull_request: Option<String>,
}

/// The branch as it was pushed, or as it stands in the run's clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// Commit at the branch's tip.
    pub commit: String,
    /// Number of accepted fixes on the branch.
    pub accepted: usize,
    /// True if the branch was pushed to the remote.
    pub pushed: bool,
}

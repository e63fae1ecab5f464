//! Results of the CI at the host.

use autoheal_engine::diagnostics::Finding;
use serde::{Deserialize, Serialize};

use crate::check_result::CheckResult;
use crate::hosting::watch::{CiLook, CiVerdict};

/// Results of the CI at the host. Changed by `monitor`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CiState {
    /// Every observation of the checks of CI.
    pub looks: Vec<CiLook>,
    /// Verdict for the latest commit that was watched.
    pub verdict: Option<CiVerdict>,
    /// Failures that only CI sees.
    pub failures: CiFailures,
}

impl CiState {
    /// Adds the failures that only CI reports for the tree with this number of accepted fixes to the results of its checks.
    pub(crate) fn add_failures(&self, result: &mut CheckResult, accepted: usize) {
        if self.failures.accepted == accepted {
            let known = result.keys();
            let unknown = self.failures.findings.iter().filter(|finding| !known.contains(&finding.key()));
            result.findings.extend(unknown.cloned());
        }
    }
}

/// Failures that the CI of the host sees and the checks here do not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CiFailures {
    /// Findings of these failures.
    pub findings: Vec<Finding>,
    /// Number of accepted fixes in the tree; about any other tree the findings say nothing.
    pub accepted: usize,
}

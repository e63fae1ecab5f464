//! Dependencies that drifted: a release of theirs broke the tests.

use autoheal_code::Candidate;
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{Finding, Key};
use serde::{Deserialize, Serialize};

use crate::commit_message::StatedBound;
pub use crate::drift::Release;

/// Search for drifted dependencies. Changed by `diagnose`; `fix` takes the candidate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DriftState {
    /// Names and versions of what was installed for the first run of the tests.
    pub installed: Vec<InstalledPackage>,
    /// Time at which a bound to lift was found: installations from before are out of date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_since: Option<Timestamp>,
    /// Failures that say themselves what to use instead, for which that has been proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Key>,
    /// Report of the search; `None`: there was no reason to search.
    pub report: Option<DriftReport>,
    /// Changes to try before any other, each with the failure that it heals; taken by `fix`.
    pub proposals: Vec<(Finding, Candidate)>,
    /// The change of the manifests as it was proposed: the only one that may touch a protected manifest.
    pub bounds: Option<Candidate>,
}

impl DriftState {
    /// Returns whether the search was put off for what failures say themselves, and that did not heal them.
    pub(crate) const fn is_put_off(&self) -> bool {
        !self.told.is_empty() && self.proposals.is_empty() && self.installed.is_empty()
    }

    /// Returns the bounds on all offenders, each with the newest release that was seen to break the tests.
    pub(crate) fn stated_bounds(&self) -> Vec<StatedBound> {
        let installed = |name: &str| self.installed.iter().find(|one| one.name == name).map(|one| &one.version);
        let offenders = self.report.iter().flat_map(|report| &report.offenders);
        let stated = offenders.map(|offender| StatedBound {
            package: offender.package.clone(),
            range: offender.bound.clone(),
            broken: installed(&offender.package).unwrap_or(&offender.first_bad.version).clone(),
        });
        stated.collect()
    }
}

/// An installed package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledPackage {
    /// Name of the package, as its own metadata has it.
    pub name: String,
    /// Version of the package.
    pub version: String,
}

/// Report of a search for drifted dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DriftReport {
    /// Day from which the repository is taken to have been green: that of the commit before the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Packages whose releases broke the tests, in the order in which they showed.
    pub offenders: Vec<Offender>,
    /// True if the tests pass with bounds on all offenders.
    pub is_complete: bool,
    /// Number of environments that were made.
    pub environments: u32,
    /// Bounds that were tried, with their outcomes.
    pub tried: Vec<TriedBound>,
    /// Reason the search ended without a result, for the user; empty if it has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A package whose release broke the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offender {
    /// Name of the package.
    pub package: String,
    /// The newest release that passes.
    pub last_good: Release,
    /// The release that broke the tests.
    pub first_bad: Release,
    /// The version bound that excludes it: `<2`.
    pub bound: String,
    /// Description of the break: ``removed `contrib.appengine` ``, or the error.
    pub broke: String,
}

impl Offender {
    /// Returns the offender in one line.
    pub fn sentence(&self) -> String {
        let Self { package, last_good, first_bad, broke, .. } = self;
        format!("{package} {} {broke}; {} is the newest that passes", first_bad.dated(), last_good.version)
    }
}

/// A bound that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedBound {
    /// The bounds of the environment: `werkzeug<=2.3.8`.
    pub bounds: Vec<String>,
    /// Day of which everything else was, too; `None`: everything else was of today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Outcome of the tests with them.
    pub outcome: BoundOutcome,
}

impl TriedBound {
    /// Returns what was tried, for the user: `werkzeug<=2.3.8`.
    pub(crate) fn what(&self) -> String {
        let bounds = self.bounds.join(" ");
        match &self.as_of {
            Some(day) if bounds.is_empty() => format!("all dependencies as of {day}"),
            Some(day) => format!("{bounds}, all else as of {day}"),
            None => bounds,
        }
    }

    /// Returns the outcome, for the user.
    pub(crate) fn outcome_words(&self) -> &'static str {
        match (self.as_of.is_some(), self.outcome) {
            (true, BoundOutcome::Passed) => "the tests pass",
            (true, BoundOutcome::Failed) => "the tests fail",
            (_, outcome) => outcome.words(),
        }
    }
}

/// Outcome of the tests with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundOutcome {
    /// The failing tests pass.
    Passed,
    /// The failure is gone, and another one shows.
    MovedOn,
    /// The failure is the same.
    Failed,
    /// The bound cannot be installed.
    NotInstalled,
}

impl BoundOutcome {
    /// Returns whether the tests got further.
    pub(crate) const fn is_progress(self) -> bool {
        match self {
            Self::Passed | Self::MovedOn => true,
            Self::Failed | Self::NotInstalled => false,
        }
    }

    /// Returns the outcome for the user.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Passed => "the failing tests pass",
            Self::MovedOn => "the failure is gone, and another one shows",
            Self::Failed => "the failure is the same",
            Self::NotInstalled => "cannot be installed",
        }
    }
}

impl DriftReport {
    /// Returns the result in one line.
    pub fn sentence(&self) -> String {
        let offenders: Vec<String> = self.offenders.iter().map(Offender::sentence).collect();
        match (self.is_complete, offenders.is_empty()) {
            (true, _) => offenders.join("; "),
            (false, true) => format!("a dependency may have drifted, and no bound was found: {}", self.reason),
            (false, false) => {
                format!("{}; that alone does not heal the repository: {}", offenders.join("; "), self.reason)
            }
        }
    }
}

//! State that the Doctor's steps share.

use std::fmt::Write as _;

use autoheal_engine::StopReason;
use autoheal_engine::breaker::Reason;
use autoheal_engine::source::HealthState;
use autoheal_page::recipe::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use super::diagnosis::DiagnosisContext;
use crate::definition::Definition;
use crate::failure::Failure;
use crate::name::SourceName;
use crate::validation::Validation;

/// A change that might heal the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Description of the change, as an imperative.
    pub description: String,
    /// The recipe with it.
    pub recipe: Recipe,
    /// The definition with it.
    pub definition: Definition,
    /// Evidence for the change, one line each.
    pub evidence: Vec<String>,
    /// URL at which the proposal is tried before it becomes active; `None` if the site asked for fewer requests.
    pub try_at: Option<Url>,
    /// Reason a reviewer must decide, whatever the policy is; `None`: the policy decides.
    pub needs_person: Option<String>,
    /// Names of optional fields that the page has no longer; their rules are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// The version it has in staging.
    pub version: u32,
    /// The version it was thought of for, and replaces.
    pub replaces: u32,
}

/// Outcome of a run of the Doctor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The fix is active.
    Healed,
    /// The site asks for fewer requests, and gets fewer.
    SlowedDown,
    /// The page gives everything: nothing to fix.
    WellAlready,
    /// The fix waits for a reviewer.
    InReview,
    /// The attempt failed; others may follow.
    NotHealed,
    /// No more attempts for now.
    Quarantined,
    /// The host is gone.
    Dead,
    /// The run itself could not continue, for this reason.
    Broken(String),
    /// A user cancelled the run.
    Cancelled,
}

impl End {
    /// Returns the stop reason of the run.
    pub const fn stop_reason(&self) -> StopReason {
        match self {
            Self::Healed => StopReason::Promoted,
            Self::SlowedDown => StopReason::SlowedDown,
            Self::WellAlready => StopReason::WellAlready,
            Self::InReview => StopReason::InReview,
            Self::NotHealed => StopReason::NotHealed,
            Self::Quarantined => StopReason::Quarantined,
            Self::Dead => StopReason::Dead,
            Self::Broken(_) => StopReason::Failed,
            Self::Cancelled => StopReason::Cancelled,
        }
    }

    /// Returns the reason for which the breaker allowed no attempt or no further one, if it did not.
    pub const fn breaker_reason(&self) -> Option<Reason> {
        match self {
            Self::Quarantined => HealthState::Quarantined.breaker_reason(),
            Self::Dead => HealthState::Dead.breaker_reason(),
            Self::Healed
            | Self::SlowedDown
            | Self::WellAlready
            | Self::InReview
            | Self::NotHealed
            | Self::Broken(_)
            | Self::Cancelled => None,
        }
    }
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoctorState {
    /// Name of the source.
    pub source: SourceName,
    /// Failure to heal; `None`: none is known yet.
    pub failure: Option<Failure>,
    /// Evidence about the failure.
    pub context: Option<DiagnosisContext>,
    /// Change that might heal the source.
    pub proposal: Option<Proposal>,
    /// Reasons there is no proposal, or reasons against it.
    pub reasons: Vec<String>,
    /// True if the proposal could not be tried because the page was not available.
    pub untried: bool,
    /// Validation of the proposal.
    pub validation: Option<Validation>,
    /// Outcome of the run.
    pub end: Option<End>,
}

impl DoctorState {
    /// The version of this form.
    pub const VERSION: u32 = 2;

    /// The state at the beginning.
    pub fn new(source: SourceName, failure: Option<Failure>) -> Self {
        Self {
            source,
            failure,
            context: None,
            proposal: None,
            reasons: Vec::new(),
            untried: false,
            validation: None,
            end: None,
        }
    }

    /// Returns the reason the run ended.
    pub fn stop_reason(&self) -> StopReason {
        self.end.as_ref().map_or(StopReason::Failed, End::stop_reason)
    }

    /// Returns the report for the user, in Markdown.
    pub fn report(&self) -> String {
        let stop_reason = self.stop_reason();
        let mut report = format!("# `{}`: {}\n\n{}\n", self.source, stop_reason.outcome(0), stop_reason.sentences());
        if let Some(failure) = &self.failure {
            let _ = write!(report, "\n**{}**: {}\n", failure.error_type, failure.message);
        }
        if let Some(End::Broken(reason)) = &self.end {
            let _ = write!(report, "\n{reason}\n");
        }
        if let Some(reason) = self.end.as_ref().and_then(End::breaker_reason) {
            let _ = write!(report, "\nThe breaker allows no attempt: `{}`\n", reason.name());
        }
        if let Some(proposal) = &self.proposal {
            let _ = write!(report, "\n## Fix\n\n{}\n\n", proposal.description);
            for line in &proposal.evidence {
                let _ = writeln!(report, "- {line}");
            }
        }
        for reason in &self.reasons {
            let _ = write!(report, "\nNot healed: {reason}\n");
        }
        if let Some(validation) = &self.validation {
            let _ = write!(report, "\n## Validation\n\nscore {:.2}\n", validation.score);
            for error in &validation.errors {
                let _ = writeln!(report, "- {error}");
            }
        }
        if let Some(context) = &self.context {
            report.push_str(&context.report());
        }
        report
    }
}

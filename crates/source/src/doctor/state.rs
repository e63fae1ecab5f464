//! What the Doctor's steps share.

use std::fmt::Write as _;

use autoheal_page::recipe::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use super::context::DiagnosisContext;
use crate::definition::Definition;
use crate::failure::Failure;
use crate::name::SourceName;
use crate::validation::Validation;

/// A change that might heal the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// What it does, as an imperative.
    pub description: String,
    /// The recipe with it.
    pub recipe: Recipe,
    /// The definition with it.
    pub definition: Definition,
    /// Why it is believed, one line each.
    pub evidence: Vec<String>,
    /// The page that it is tried on before it goes into force; `None` when the site asked to be left alone.
    pub try_at: Option<Url>,
    /// Why a person must decide whatever the policy is.
    pub needs_person: Option<String>,
    /// The version it has in staging.
    pub version: u32,
    /// The version it was thought of for, and replaces.
    pub replaces: u32,
}

/// How a run of the Doctor ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The fix is in force.
    Healed,
    /// The page gives everything: nothing to fix.
    WellAlready,
    /// The fix waits for a person.
    InReview,
    /// The attempt failed; others may follow.
    NotHealed,
    /// No more attempts for now.
    Quarantined,
    /// The host is gone.
    Dead,
    /// The run itself could not go on.
    Broken(String),
}

impl End {
    /// The stop reason.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Healed => "HEALED",
            Self::WellAlready => "WELL_ALREADY",
            Self::InReview => "IN_REVIEW",
            Self::NotHealed => "NOT_HEALED",
            Self::Quarantined => "QUARANTINED",
            Self::Dead => "DEAD",
            Self::Broken(_) => "BROKEN",
        }
    }
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoctorState {
    /// The source.
    pub source: SourceName,
    /// What went wrong.
    pub failure: Option<Failure>,
    /// What is known about it.
    pub context: Option<DiagnosisContext>,
    /// What might help.
    pub proposal: Option<Proposal>,
    /// Why there is no proposal, or what speaks against it.
    pub reasons: Vec<String>,
    /// Whether the proposal could not be tried, since the page could not be had.
    pub untried: bool,
    /// How the proposal did.
    pub validation: Option<Validation>,
    /// How it ended.
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

    /// The report for a person, Markdown.
    pub fn report(&self) -> String {
        let end = self.end.as_ref().map_or("BROKEN", End::name);
        let mut report = format!("# `{}`: {end}\n", self.source);
        if let Some(failure) = &self.failure {
            let _ = write!(report, "\n**{}**: {}\n", failure.error_type, failure.message);
        }
        if let Some(End::Broken(reason)) = &self.end {
            let _ = write!(report, "\n{reason}\n");
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
            let _ = write!(report, "\n## What changed\n\n{}\n", context.summary);
        }
        report
    }
}

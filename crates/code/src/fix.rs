//! What a fixer is given and gives, and which fixers there are.

use autoheal_engine::diagnostics::{Category, Finding, Source};

use crate::edit::Candidate;
use crate::environment::Environment;
use crate::language::Language;
use crate::sources::Sources;
use crate::{javascript, python};

/// The fixer of each language that knows nothing of the fault and changes one token after the other, in candidates.
pub const LOCAL_REPAIR: &str = "local_repair";

/// What is known about a fault.
#[derive(Clone, Copy)]
pub struct FixContext<'a> {
    /// The finding to be repaired.
    pub finding: &'a Finding,
    /// Every finding of the same look: a misspelled name often shows in several.
    pub all_findings: &'a [Finding],
    /// The repository's text.
    pub sources: &'a Sources,
    /// What the interpreters that run the tests know.
    pub environment: &'a Environment,
}

impl FixContext<'_> {
    /// Whether the same, as far as the first line of the message says it, was found at this line of the finding's file.
    pub(crate) fn is_found_at(&self, line: u32) -> bool {
        let said = self.finding.message.lines().next();
        let mut others = self.all_findings.iter().filter(|other| other.file == self.finding.file);
        others.any(|other| other.message.lines().next() == said && other.location.is_some_and(|at| at.line == line))
    }
}

/// One way to repair one kind of fault: a pure function from what is known to candidates.
pub trait Fixer: Send + Sync {
    /// Its name, as reports show it: `missing_bracket`.
    fn name(&self) -> &'static str;

    /// Candidates for the finding, likeliest first; empty when it is none of this fixer's business. Every candidate's files
    /// are editable, and no candidate adds a fault: a file that parsed still does, and one that did not has fewer faults or gets the parser further.
    /// The caller runs the tests.
    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate>;
}

/// The fixers that may know what to do about a finding: those of its file's language, or of every language when its file is in
/// none or is not known.
pub fn fixers(finding: &Finding) -> Vec<&'static dyn Fixer> {
    let python = python::fix::fixers();
    let javascript =
        if finding.source == Source::Lint { javascript::fix::lint_fixers() } else { javascript::fix::fixers() };
    match finding.file.as_deref().and_then(Language::of) {
        Some(Language::Python) => python.to_vec(),
        Some(Language::JavaScript) => javascript.to_vec(),
        None => [python, javascript].concat(),
    }
}

/// Whether a type checker or compiler said this, which is content as soon as the fault does not show any more.
pub fn is_of_checker(finding: &Finding) -> bool {
    let is_about_types = matches!(finding.category, Category::Import | Category::TypeError);
    let is_suggested = javascript::complaint::suggestion(&finding.message).is_some();
    is_about_types && (finding.source == Source::Lint || (is_suggested && finding.message.starts_with("TS")))
}

/// The fixers that may be asked about what a type checker found: those that restore something that is known, and none that tries whatever fits.
pub fn checker_fixers(finding: &Finding) -> Vec<&'static dyn Fixer> {
    match finding.file.as_deref().and_then(Language::of) {
        Some(Language::Python) => python::fix::checker_fixers().to_vec(),
        Some(Language::JavaScript) => javascript::fix::checker_fixers().to_vec(),
        None => Vec::new(),
    }
}

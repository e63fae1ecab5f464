//! Input and output of a fixer, and the fixers that exist.

use autoheal_engine::diagnostics::{Category, Finding, Source};

use crate::edit::Candidate;
use crate::environment::Environment;
use crate::language::Language;
use crate::sources::Sources;
use crate::{javascript, python};

/// The fixer of each language that knows nothing of the fault and changes one token after the other, in candidates.
pub const LOCAL_REPAIR: &str = "local_repair";

/// Context of a fault, as known to fixers.
#[derive(Clone, Copy)]
pub struct FixContext<'a> {
    /// The finding to be repaired.
    pub finding: &'a Finding,
    /// Every finding of the same look: a misspelled name often shows in several.
    pub all_findings: &'a [Finding],
    /// Texts of the repository's files.
    pub sources: &'a Sources,
    /// Properties of the interpreters that run the tests.
    pub environment: &'a Environment,
}

impl FixContext<'_> {
    /// Returns whether the same fault, judged by the first line of its message, was
    /// found at this line of the finding's file.
    pub(crate) fn is_found_at(&self, line: u32) -> bool {
        let said = self.finding.message.lines().next();
        let mut others = self.all_findings.iter().filter(|other| other.file == self.finding.file);
        others.any(|other| other.message.lines().next() == said && other.location.is_some_and(|at| at.line == line))
    }
}

/// One way to repair one kind of fault: a pure function from the context of a finding to candidates.
pub trait Fixer: Send + Sync {
    /// Its name, as reports show it: `missing_bracket`.
    fn name(&self) -> &'static str;

    /// Returns candidates for the finding, likeliest first; empty when this fixer does not handle such
    /// findings. All files of a candidate are editable, and no candidate adds a fault: a file that parsed still
    /// does, and a file that did not parse has fewer faults or gets the parser further. The caller runs the
    /// tests.
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

/// Returns whether a type checker or compiler reported the finding. Either accepts any
/// edit after which the fault no longer shows.
pub fn is_of_checker(finding: &Finding) -> bool {
    let is_about_types = matches!(finding.category, Category::Import | Category::TypeError);
    let is_suggested = javascript::complaint::suggestion(&finding.message).is_some();
    is_about_types && (finding.source == Source::Lint || (is_suggested && finding.message.starts_with("TS")))
}

/// Returns the fixers for findings of a type checker: only fixers that restore something known, none that tries
/// anything that fits.
pub fn checker_fixers(finding: &Finding) -> Vec<&'static dyn Fixer> {
    match finding.file.as_deref().and_then(Language::of) {
        Some(Language::Python) => python::fix::checker_fixers().to_vec(),
        Some(Language::JavaScript) => javascript::fix::checker_fixers().to_vec(),
        None => Vec::new(),
    }
}

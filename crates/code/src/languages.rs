//! The fixers of every language, for a finding in a file of any.

use autoheal_engine::diagnostics::{Category, Finding, Source};

use crate::edit::Candidate;
use crate::fix::Fixer;
use crate::language::Language;
use crate::sources::Sources;
use crate::{javascript, python};

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

/// Returns the changes for a finding of a linter: those that the linters' `outputs` propose, or else the one that its words mean.
pub fn linter_candidates(
    outputs: &[String],
    prefixes: &[String],
    sources: &Sources,
    finding: &Finding,
) -> Vec<Candidate> {
    let proposed = outputs.iter().flat_map(|output| {
        let of_python = python::fix::linting::candidates(output, prefixes, sources, finding);
        of_python.into_iter().chain(javascript::fix::linting::candidates(output, prefixes, sources, finding))
    });
    let candidates: Vec<Candidate> = proposed.collect();
    if candidates.is_empty() {
        python::fix::linting::of_words(sources, finding).into_iter().collect()
    } else {
        candidates
    }
}

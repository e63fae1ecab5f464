//! What a fixer is given and gives. The registries are per language: `python::fix::fixers()`.

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::python::environment::PythonEnvironment;
use crate::sources::Sources;

/// What is known about a fault.
#[derive(Clone, Copy)]
pub struct FixContext<'a> {
    /// The finding to be repaired.
    pub finding: &'a Finding,
    /// Every finding of the same look: a misspelled name often shows in several.
    pub all_findings: &'a [Finding],
    /// The repository's text.
    pub sources: &'a Sources,
    /// What the interpreter that runs the tests can import.
    pub environment: &'a PythonEnvironment,
}

/// One way to repair one kind of fault: a pure function from what is known to candidates.
pub trait Fixer: Send + Sync {
    /// Its name, as reports show it: `missing_bracket`.
    fn name(&self) -> &'static str;

    /// Candidates for the finding, likeliest first; empty when it is none of this fixer's business. Every candidate's files
    /// are editable and still parse; the caller runs the tests.
    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate>;
}

//! Part of the tests that a check runs.

/// Part of the suite to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything, and the linters.
    All,
    /// The linters, then everything; the first failure ends it.
    UntilFirstFailure,
    /// These tests or test files only, in the runner's own notation, until the first failure; no linters.
    Only(Vec<String>),
    /// These tests only, each of them; no linters.
    Again(Vec<String>),
}

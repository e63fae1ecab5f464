//! Input and output of a fixer.

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::environment::Environment;
use crate::sources::Sources;

/// The fixer of each language that knows nothing of the fault and changes one token after the other, in candidates.
pub const LOCAL_REPAIR: &str = "local_repair";

/// The fixer that puts the name that an error tells in the place of the one that is gone.
pub const TOLD_NAMES: &str = "told_names";

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

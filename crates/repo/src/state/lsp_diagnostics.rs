//! Diagnostics of language servers, as the state keeps them.

use std::collections::BTreeSet;

use autoheal_code::languages;
use autoheal_code::search::Lines;
use autoheal_engine::diagnostics::{DiagnosticsLog, Finding};
use serde::{Deserialize, Serialize};

/// Diagnostics that language servers reported in a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LspDiagnostics {
    /// All of it, with source `lsp`.
    pub log: DiagnosticsLog,
    /// Number of accepted fixes in the tree that the current diagnostics are about; `None`: no server has responded yet.
    pub accepted: Option<usize>,
    /// True if diagnostics that the commit before had, too, are left out of the current ones.
    pub are_new: bool,
    /// Names of the servers that responded.
    pub servers: BTreeSet<String>,
    /// Names of the servers that did not respond, and that are not queried again.
    pub silent: BTreeSet<String>,
}

impl LspDiagnostics {
    /// Returns the diagnostics about the tree with this number of accepted fixes.
    pub fn about(&self, accepted: usize) -> impl Iterator<Item = &Finding> {
        let is_known = self.accepted == Some(accepted);
        self.log.current().filter(move |_| is_known).map(|entry| &entry.finding)
    }

    /// Returns the lines that are wrong since the last commit, for the search.
    pub(crate) fn lines(&self, accepted: usize) -> Lines {
        let mut lines = Lines::new();
        for diagnostic in self.about(accepted).filter(|_| self.are_new) {
            if let (Some(file), Some(location)) = (&diagnostic.file, diagnostic.location) {
                lines.entry(file.clone()).or_default().insert(location.line);
            }
        }
        lines
    }

    /// Returns the first diagnostics that are new since the last commit, as errors that an interpreter would raise, for fixers.
    pub(crate) fn as_errors(&self, accepted: usize) -> Vec<Finding> {
        const A_FEW: usize = 5;
        let new = self.about(accepted).filter(|_| self.are_new);
        new.filter_map(languages::as_runtime_error).take(A_FEW).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use autoheal_engine::Timestamp;
    use autoheal_engine::diagnostics::{Category, Location, Source};

    use super::*;

    pub(crate) fn diagnostic_in(file: &str, line: u32, message: &str) -> Finding {
        Finding {
            source: Source::Lsp,
            category: Category::TypeError,
            file: Some(file.to_owned()),
            location: Some(Location { line, column: None }),
            message: message.to_owned(),
            stack: None,
        }
    }

    fn lsp_diagnostics(are_new: bool) -> LspDiagnostics {
        let diagnostic = |line, message| diagnostic_in("a.py", line, message);
        let mut lsp = LspDiagnostics { accepted: Some(1), are_new, ..LspDiagnostics::default() };
        lsp.log.observe(&[diagnostic(9, "F821 Undefined name `gone`")], Timestamp::from_millis(1));
        let now = [
            diagnostic(3, "F821 Undefined name `reslt`"),
            diagnostic(7, "reportCallIssue: Expected 2 positional arguments"),
        ];
        lsp.log.observe(&now, Timestamp::from_millis(2));
        lsp
    }

    #[test]
    fn diagnostics_are_about_one_tree() {
        let new = lsp_diagnostics(true);
        assert_eq!(new.lines(1), Lines::from([("a.py".to_owned(), [3, 7].into())]));
        let errors: Vec<String> = new.as_errors(1).into_iter().map(|error| error.message).collect();
        assert_eq!(errors, ["NameError: name 'reslt' is not defined"]);
        assert!(new.about(1).any(|finding| finding.message.contains("reslt")));
        // After another fix lines are others, and what was wrong may be right.
        assert_eq!((new.lines(2), new.as_errors(2).len()), (Lines::new(), 0));
        assert_eq!(new.about(2).count(), 0);
    }

    #[test]
    fn what_may_be_old_is_told_and_no_more() {
        let old = lsp_diagnostics(false);
        assert_eq!((old.lines(1), old.as_errors(1).len()), (Lines::new(), 0));
        assert!(old.about(1).any(|finding| finding.message.contains("reslt")));
    }
}

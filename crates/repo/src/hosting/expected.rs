//! CI that a push is expected to start, by the files of a tree.

use std::path::Path;

use super::Hosted;
use crate::ci_commands::Workflows;
use crate::discovery;

/// CI of a tree at its host.
pub(crate) struct ExpectedCi {
    /// True if a push or a change request starts CI: then nothing is green before a run of it succeeded.
    pub(crate) is_expected: bool,
    /// Files of workflows that can be started by hand, where workflows define CI.
    pub(crate) startable: Vec<String>,
}

impl ExpectedCi {
    /// The CI of a tree; `None`: it is at no host, and nothing is expected.
    pub(crate) fn of(hosted: Option<&Hosted>, tree: &Path) -> Self {
        let Some(hosted) = hosted else { return Self { is_expected: false, startable: Vec::new() } };
        if let Some(file) = hosted.host.ci_file() {
            let is_expected = discovery::files(tree).iter().any(|other| other == file);
            return Self { is_expected, startable: Vec::new() };
        }
        let workflows = Workflows::of(tree);
        Self { is_expected: workflows.are_expected, startable: workflows.startable }
    }
}

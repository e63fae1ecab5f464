//! Git history of a case.

use serde::Serialize;

/// Git history before the defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum History {
    /// The commit before is green.
    #[default]
    Green,
    /// The defects came with the first commit.
    First,
    /// A clone with one commit.
    Shallow,
}

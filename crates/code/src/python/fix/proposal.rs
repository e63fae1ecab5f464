//! A repair that has been thought of and not been tried yet.

use crate::edit::Edit;

/// Edits with how unlikely they are.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) edits: Vec<Edit>,
    /// How unlikely such a slip is, in bits, as far as one can tell without parsing.
    pub(super) bits: f64,
    /// What it does, as an imperative.
    pub(super) description: String,
}

impl Proposal {
    pub(super) fn new(edits: Vec<Edit>, bits: f64, description: String) -> Self {
        Self { edits, bits, description }
    }
}

//! A repair that has been thought of and not been tried yet.

use crate::edit::Edit;

/// Edits with how unlikely they are.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) edits: Vec<Edit>,
    /// How unlikely such a slip is, in bits, whatever the text says.
    pub(super) slip: f64,
    /// By how many bits the text reads worse for it, estimated.
    pub(super) reading: f64,
    /// What it does, as an imperative.
    pub(super) description: String,
}

impl Proposal {
    pub(super) fn new(edits: Vec<Edit>, slip: f64, description: String) -> Self {
        Self { edits, slip, reading: 0.0, description }
    }

    pub(super) fn reading(self, reading: f64) -> Self {
        Self { reading, ..self }
    }
}

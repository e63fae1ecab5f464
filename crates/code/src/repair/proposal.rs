//! A repair that has been thought of and not been tried yet.

use crate::edit::Edit;

/// Edits with how unlikely they are.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) edits: Vec<Edit>,
    /// How unlikely such a slip is, in bits, whatever the text says.
    pub(crate) slip: f64,
    /// By how many bits the text reads worse for it, estimated.
    pub(crate) reading: f64,
    /// What it does, as an imperative.
    pub(crate) description: String,
}

impl Proposal {
    pub(crate) fn new(edits: Vec<Edit>, slip: f64, description: String) -> Self {
        Self { edits, slip, reading: 0.0, description }
    }

    pub(crate) fn reading(self, reading: f64) -> Self {
        Self { reading, ..self }
    }
}

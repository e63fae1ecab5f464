//! Proposed repair that has not been tried yet.

use crate::edit::Edit;

/// Edits with how unlikely they are.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) edits: Vec<Edit>,
    /// Cost in bits: how unlikely such a slip is, whatever the text.
    pub(crate) slip: f64,
    /// Estimated cost in bits of the text being less natural after the edits.
    pub(crate) reading: f64,
    /// Description of the edits, as an imperative.
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

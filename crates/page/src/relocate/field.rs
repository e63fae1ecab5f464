//! Input of the search for one field.

use super::lexicon::FieldWords;
use crate::document::NodeId;

/// A field to find again.
#[derive(Debug, Clone)]
pub(crate) struct Field<'a> {
    pub(crate) words: FieldWords,
    /// The other fields of the page whose selector still finds something.
    pub(crate) others: &'a [KeptField],
}

/// A field whose old selector still finds something: it shows what is where.
#[derive(Debug, Clone)]
pub(crate) struct KeptField {
    /// Its first element on the old page and on the new one.
    pub(crate) old: NodeId,
    pub(crate) new: NodeId,
    /// The places from its first element to the end of its last.
    pub(crate) old_span: (usize, usize),
    pub(crate) new_span: (usize, usize),
    /// Its elements on the new page, and those that hold the same text.
    pub(crate) new_nodes: Vec<NodeId>,
}

//! The matches of a program's selector.

use autoheal_page::NodeId;

use crate::query::Part;
use crate::report::Status;

/// A match of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// An element, of which the program takes a part.
    Node(NodeId, Part),
    /// A text for which no selector was found.
    Text(String),
}

/// The matches of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The matches, in document order.
    pub matches: Vec<Match>,
    /// Outcome.
    pub status: Status,
    /// True if the selector has found the field before and no longer does, or finds something else.
    pub is_break: bool,
    /// The field, for [`crate::Visit::takes_list`] and for selectors within a match.
    pub(crate) field: Option<usize>,
}

/// The matches that a selector has, without a field.
pub(crate) fn found(nodes: Vec<NodeId>, part: &Part, status: Status, field: Option<usize>) -> Found {
    let matches = nodes.into_iter().map(|node| Match::Node(node, part.clone())).collect();
    Found { matches, status, is_break: false, field }
}

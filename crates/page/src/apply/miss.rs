//! Reasons for a field without a value.

use crate::select::TooMuchWork;
use crate::transform::Unmatched;
use crate::value::ValueError;

/// Reason why a field, or an entry of a list, has no value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Miss {
    /// The selector finds nothing on the page, or in the item.
    #[error("no node matches `{select}`")]
    NoNode {
        /// Selector that matches nothing.
        select: String,
    },
    /// The selector would take too long on the page.
    #[error(transparent)]
    TooMuchWork(#[from] TooMuchWork),
    /// The node has no such attribute.
    #[error("the selected `{tag}` has no attribute `{attribute}`")]
    NoAttribute {
        /// Name of the missing attribute.
        attribute: String,
        /// Tag of the selected node.
        tag: String,
    },
    /// The page's structured data has nothing at the path.
    #[error("the page states no `{path}`")]
    NoStructuredData {
        /// The path as the recipe writes it.
        path: String,
    },
    /// The text is empty or only white space.
    #[error("what is selected is empty")]
    Empty,
    /// A `regex` transform found nothing.
    #[error("the pattern `{pattern}` matches nothing in it")]
    Unmatched {
        /// Regular expression without a match.
        pattern: String,
    },
    /// The text is not a value of the field's type.
    #[error(transparent)]
    NoValue(#[from] ValueError),
}

impl From<Unmatched> for Miss {
    fn from(Unmatched { pattern }: Unmatched) -> Self {
        Self::Unmatched { pattern }
    }
}

//! The candidates of a field in their order.

use super::list::List;
use super::single::Single;
use super::words::Word;
use crate::document::NodeId;

/// Features of a candidate.
#[derive(Debug, Clone)]
pub(super) enum Row {
    Single(Box<Single>),
    List(Box<List>),
}

impl Row {
    /// Its features in their order.
    pub(super) fn features(&self) -> Vec<f32> {
        match self {
            Self::Single(row) => row.row(),
            Self::List(row) => row.row(),
        }
    }
}

/// A candidate in its place.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    pub(super) nodes: Vec<NodeId>,
    /// Attribute that holds the value, if it differs from the requested one.
    pub(super) attribute: Option<String>,
    /// The number of its value: candidates with the same number say the same.
    pub(super) key: Word,
    /// The items' numbers in order; empty for a single value.
    pub(super) items: Vec<Word>,
    /// The share of the likelihood that stands behind the same answer.
    pub(super) support: f32,
    /// It has the old value, a day or an amount, as one place of the old page and one of the new page have.
    pub(super) is_only_place: bool,
    pub(super) hand: f32,
    /// The logarithm of the odds that it is the field.
    pub(super) odds: f32,
    pub(super) row: Row,
}

/// All candidates, the best first.
#[derive(Debug, Clone)]
pub(super) struct Ranking {
    pub(super) candidates: Vec<Ranked>,
}

//! Parts of lists.

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Number of rows that are left out at the beginning.
    pub offset: i64,
    /// Maximum number of rows.
    pub limit: i64,
}

impl Slice {
    /// The whole list.
    pub const ALL: Self = Self { offset: 0, limit: i64::MAX };
}

//! The result of a page for each field.

/// Outcome of a field on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// The program's selector found it.
    Kept,
    /// The program's selector found something that is not like the values before, and by all else it is still the field.
    Doubtful,
    /// It was found again elsewhere.
    Healed,
    /// It may be on the page, but nothing is sure enough, not even what the program's selector finds: nothing was given.
    Unsure,
    /// It is no longer on the page.
    Gone,
    /// The program's selector found nothing, and has never found anything.
    Unknown,
    /// The page is not the page: a bot check, a log-in page, or the like.
    Blocked,
}

impl Status {
    /// Every outcome.
    pub const ALL: [Self; 7] =
        [Self::Kept, Self::Doubtful, Self::Healed, Self::Unsure, Self::Gone, Self::Unknown, Self::Blocked];

    /// Returns whether the program gets nothing: not even what its own selector finds.
    pub const fn is_withheld(self) -> bool {
        matches!(self, Self::Unsure | Self::Gone | Self::Blocked)
    }

    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Doubtful => "doubtful",
            Self::Healed => "healed",
            Self::Unsure => "unsure",
            Self::Gone => "gone",
            Self::Unknown => "unknown",
            Self::Blocked => "blocked",
        }
    }
}

/// The result for a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldReport {
    /// Name of the field.
    pub field: String,
    /// Outcome.
    pub status: Status,
    /// File of the program that reads it.
    pub file: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// The selector as the program writes it.
    pub selector: String,
    /// The selector that found it again.
    pub healed_selector: Option<String>,
    /// Its texts on the page; at most ten.
    pub values: Vec<String>,
    /// Confidence in the outcome, from 0 to 1.
    pub confidence: f32,
    /// Reasons, in a few words each.
    pub evidence: Vec<String>,
}

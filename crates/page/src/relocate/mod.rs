//! Finding the fields of a recipe again on a page whose layout has changed, and saying so when they are not there.
//!
//! [`Relocator::relocate`] takes one or more old pages on which the recipe worked, the recipe with its last good values, and the new page. Each
//! field is answered as [`Status::Kept`], [`Status::Moved`], [`Status::Gone`] or [`Status::Unsure`]; a value is only given with
//! the first two. `docs/relocation.md` tells how it works, how it is measured and how it is trained again.
//!
//! # Layout
//!
//! - `view`: a page with everything that comparing needs; `phrase`, `words`, `dates`, `shape`: comparing texts
//! - `concepts`, `lexicon`: what pages state, what fields are called: tables of data; `known`: what that says about a name
//! - `promotion`: promotions between the items of a list
//! - `single`, `list`: candidates for one value and for many, their features and the weights by hand
//! - `rank`: the candidates in order; `consensus`: what they say together; `certainty`: how sure the first one is; `tables`: what was trained
//! - `candidates`: the first of the ranking with a rule each, for those who decide where the relocation does not
//! - `kept`: whether what the old selector finds is still the field
//! - `verdict`: from all that to an answer; `evidence`: why

mod candidates;
mod certainty;
mod concepts;
mod consensus;
mod dates;
mod evidence;
mod features;
mod field;
mod kept;
mod known;
mod lexicon;
mod list;
mod number;
mod phrase;
mod promotion;
mod rank;
mod ranking;
mod sample;
mod shape;
mod single;
mod tables;
mod verdict;
mod view;
mod words;

use crate::document::Document;
use crate::recipe::{FieldName, Recipe, Take};
use crate::select::Selector;

pub use candidates::Candidate;
pub use known::{is_known, same_kind, same_name, stated_rank};
pub use sample::{Samples, certainty_names, feature_names};
pub use tables::TablesError;

/// Outcome of the search for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The old selector still gives it.
    Kept,
    /// It stands elsewhere now.
    Moved,
    /// It is not on the new page.
    Gone,
    /// It may be there, but nothing is sure enough.
    Unsure,
}

impl Status {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Moved => "moved",
            Self::Gone => "gone",
            Self::Unsure => "unsure",
        }
    }
}

/// The answer for one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Outcome of the search.
    pub status: Status,
    /// The selector that finds it: the old one when kept, a new one when moved. None when it could not be found, or when no
    /// selector gives exactly these values.
    pub select: Option<Selector>,
    /// Part of the node to extract: the same as before, unless another attribute holds the value now.
    pub take: Take,
    /// Its values on the new page, in document order: only when kept or moved.
    pub values: Vec<String>,
    /// Confidence from 0 to 1: in the status if the field is kept or moved, otherwise in the best candidate.
    pub confidence: f32,
    /// Reasons for the answer, in a few words each.
    pub evidence: Vec<String>,
}

/// The answers for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Relocation {
    /// Every field of the recipe, in its order.
    pub fields: Vec<(FieldName, Answer)>,
}

impl Relocation {
    /// The answer for a field.
    pub fn field(&self, name: &str) -> Option<&Answer> {
        self.fields.iter().find(|(field, _)| field.as_str() == name).map(|(_, answer)| answer)
    }
}

/// Finds fields again, by what was trained.
#[derive(Debug, Clone)]
pub struct Relocator {
    tables: tables::Tables,
}

impl Relocator {
    /// With the tables that come with the program.
    ///
    /// # Errors
    ///
    /// When they do not fit the program, which its tests rule out.
    pub fn new() -> Result<Self, TablesError> {
        Ok(Self { tables: tables::Tables::built_in()? })
    }

    /// With the weights by hand alone: what training begins with.
    #[must_use]
    pub fn untrained() -> Self {
        Self { tables: tables::Tables::default() }
    }

    /// Creates a relocator with other tables, as `xtask/train/relocation.py` writes them.
    ///
    /// # Errors
    ///
    /// When the bytes are no tables, or were trained on other features.
    pub fn with_tables(bytes: &[u8]) -> Result<Self, TablesError> {
        Ok(Self { tables: tables::Tables::parse(bytes)? })
    }

    /// Returns the relocator with another threshold.
    #[must_use]
    pub const fn with_threshold(mut self, threshold: f32) -> Self {
        self.tables.threshold = threshold;
        self
    }

    /// Returns the minimum confidence for accepting a relocation.
    pub const fn threshold(&self) -> f32 {
        self.tables.threshold
    }

    /// Finds the fields of a recipe on the new page. `old` are pages on which it worked, the latest first; the first
    /// three count.
    pub fn relocate(&self, old: &[&Document], recipe: &Recipe, new: &Document) -> Relocation {
        verdict::relocate(&self.tables, old, recipe, new)
    }
}

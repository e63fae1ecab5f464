//! A page as expressions see it: each look is paid for.

use super::super::effort::Effort;
use crate::document::Document;

/// Number of characters that can be read at the cost of one step.
const CHARACTERS_OF_A_STEP: usize = 16;

/// A page, and what may still be spent on it. Where nothing is left, axes end and texts are empty.
pub(super) struct Page<'a> {
    pub(super) document: &'a Document,
    pub(super) effort: &'a Effort,
}

impl std::ops::Deref for Page<'_> {
    type Target = Document;

    fn deref(&self) -> &Document {
        self.document
    }
}

impl Page<'_> {
    /// Pays for reading a text.
    pub(super) fn read(&self, text: &str) -> bool {
        self.effort.spend(1 + text.len() / CHARACTERS_OF_A_STEP)
    }
}

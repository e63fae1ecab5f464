//! Context in which Rust's fixers weigh their proposals.

use autoheal_engine::diagnostics::Category;

use crate::edit::FileEdit;
use crate::fix::FixContext;
use crate::language::LanguageId;
use crate::repair::ngram::Model;
use crate::repair::shortlist::Ground;
use crate::rust::index::Index;
use crate::rust::{ID, syntax};
use crate::sources::Sources;

/// A finding, and the repository around it.
pub(super) struct Place<'a> {
    pub(super) context: FixContext<'a>,
    pub(super) index: &'a Index,
}

impl<'a> Place<'a> {
    pub(super) fn new(context: &FixContext<'a>) -> Self {
        Self { context: *context, index: Index::of(context.sources) }
    }
}

impl Ground for Place<'_> {
    fn sources(&self) -> &Sources {
        self.context.sources
    }

    fn category(&self) -> Category {
        self.context.finding.category
    }

    fn model(&self) -> &Model {
        self.index.model()
    }

    fn parses(&self, file: &str, text: &str) -> bool {
        if LanguageId::of(file) != Some(ID) {
            return text.parse::<toml::Table>().is_ok();
        }
        syntax::parses(text)
    }

    fn is_sound(&self, edit: &FileEdit, repaired: &str) -> bool {
        let before = self.sources().text(&edit.file).unwrap_or_default();
        self.parses(&edit.file, repaired)
            || LanguageId::of(&edit.file) == Some(ID)
                && !syntax::parses(before)
                && syntax::removes_faults(before, repaired, &edit.edits)
    }
}

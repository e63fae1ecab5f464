//! Appearance of an element as an item of a list.

use std::cell::Cell;

use super::View;
use crate::document::NodeId;
use crate::relocate::concepts::Concept;
use crate::relocate::promotion::is_promotion;
use crate::relocate::words::{Word, loose, word};

/// Concepts whose values are lists or long texts that lists are parts of.
pub(crate) const LISTED: [Concept; 5] =
    [Concept::Ingredients, Concept::Instructions, Concept::Body, Concept::Topics, Concept::Description];

/// An element as an item of a list.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) loose: String,
    pub(crate) key: Word,
    /// Length of the text in characters.
    pub(crate) length: usize,
    pub(crate) words: usize,
    /// A digit or a fraction stands near its start.
    pub(crate) has_number: bool,
    pub(crate) ends_sentence: bool,
    pub(crate) is_capitalised: bool,
    pub(crate) ends_with_colon: bool,
    pub(crate) first_is_label: bool,
    pub(crate) begins_with_glyph: bool,
    pub(crate) link_share: f32,
    /// It points to another page, a newsletter, an advertisement.
    pub(crate) is_promotion: bool,
    /// Nearly all of its text is in bold.
    pub(crate) is_bold: bool,
    pub(crate) has_children: bool,
    pub(crate) lines: usize,
    /// The looks of its parent and of itself.
    pub(crate) looks: (Word, Word),
    stated: [Cell<Option<bool>>; LISTED.len()],
}

impl Item {
    pub(super) fn of(view: &View<'_>, node: NodeId) -> Self {
        let page = view.page;
        let text = page.visible_text(node);
        let loose = loose(text);
        let bold = |child: NodeId| matches!(page.tag(child), "strong" | "b" | "em");
        let letters = page.letters(node);
        Self {
            key: word(&loose),
            loose,
            length: text.chars().count(),
            words: text.split_whitespace().count(),
            has_number: text.chars().take(12).any(char::is_numeric),
            ends_sentence: text.ends_with(['.', '!', '?', '。', '"', '”', '…', '»']),
            is_capitalised: text.starts_with(char::is_uppercase),
            ends_with_colon: text.ends_with(':'),
            first_is_label: text.split_whitespace().next().is_some_and(|first| first.ends_with(['.', ':'])),
            begins_with_glyph: text.starts_with(['•', '▢', '☐', '□', '✓', '-', '–']),
            link_share: view.link_share(node),
            is_promotion: is_promotion(text),
            is_bold: page.children(node).any(|child| bold(child) && 5 * page.letters(child) > 4 * letters),
            has_children: page.close(node) > node.index() + 1,
            lines: view.lines_in(node),
            looks: (page.parent(node).map_or(0, |parent| view.looks[parent.index()]), view.looks[node.index()]),
            stated: Default::default(),
        }
    }

    /// Returns whether the page states its text for the concept at this index of [`LISTED`].
    pub(crate) fn is_stated(&self, view: &View<'_>, place: usize) -> bool {
        if let Some(known) = self.stated[place].get() {
            return known;
        }
        let whole = view.statements.whole(LISTED[place]);
        let stated = !self.loose.is_empty() && whole.is_some_and(|whole| whole.contains(&self.loose));
        self.stated[place].set(Some(stated));
        stated
    }
}

//! Check that the match of the old selector on the new page is still the field: a selector that finds
//! something may find the wrong thing.

use std::collections::HashSet;

use super::concepts::Concept;
use super::evidence::quote;
use super::lexicon::FieldWords;
use super::number::float;
use super::phrase::{Phrase, Sense};
use super::rank::is_handle;
use super::view::View;
use super::words::{Word, loose, word};

/// Values that an old selector finds on the new page, with the values it found on an old page.
pub(super) struct Found<'a, 'p> {
    /// All values on an old page, and on the new page.
    pub(super) old: &'a [String],
    pub(super) new: &'a [String],
    pub(super) old_view: Option<&'a View<'p>>,
    pub(super) new_view: &'a View<'p>,
    pub(super) words: &'a FieldWords,
    pub(super) many: bool,
}

/// Reason to doubt that a selector's match is the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doubt {
    /// The match is certainly not the field.
    Disproved(String),
    /// The match may be the field, if all other evidence supports it.
    Suspected(String),
}

/// Length from which a text is longer than a label or a date, in characters.
const LONG: usize = 60;

impl Found<'_, '_> {
    /// Returns the reason to doubt that the selector's match is the field; `None` if there is none.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        if self.many {
            let disproved = self.left_behind().map(Doubt::Disproved);
            return disproved.or_else(|| self.collapsed().map(Doubt::Suspected));
        }
        let disproved = self.other_type().or_else(|| self.contradicted());
        let suspected = || self.scattered().or_else(|| self.next_day()).or_else(|| self.handle());
        disproved.map(Doubt::Disproved).or_else(|| suspected().map(Doubt::Suspected))
    }

    /// The page states a day next to this one, and it stated the very day before: another article's date, or another time zone.
    fn next_day(&self) -> Option<String> {
        let concept = *self.words.concepts.first().filter(|concept| concept.sense() == Sense::Date)?;
        let (old, new) = (Phrase::new(self.old.first()?), Phrase::new(self.new.first()?));
        let shown = shown_best(self.new_view, concept, &new, Sense::Date)?;
        let was_very_day = shown_best(self.old_view?, concept, &old, Sense::Date).is_some_and(|shown| shown > 0.9);
        let is_next_day = was_very_day && !new.days().is_empty() && shown < 0.75;
        is_next_day.then(|| format!("the page states another day than {}", quote(&new.text)))
    }

    /// Reports that the selector now matches many different values.
    fn scattered(&self) -> Option<String> {
        let (old, new) = (distinct(self.old), distinct(self.new));
        let is_scattered = old > 0 && new > 2.max(3 * old);
        is_scattered.then(|| format!("the old selector finds {new} different values where it found {old}"))
    }

    /// A value of another type: no date where there was one, no number where there was little else.
    fn other_type(&self) -> Option<String> {
        let (old, new) = (Phrase::new(self.old.first()?), Phrase::new(self.new.first()?));
        let has_digit = new.text.contains(|c: char| c.is_numeric());
        // A title may name a day; a date is little else.
        let was_day = !old.days().is_empty() && old.characters < LONG && old.shape().digits > 0.15;
        let lost_day = was_day && !has_digit;
        let lost_number = old.shape().digits > 0.3 && !has_digit;
        (lost_day || lost_number)
            .then(|| format!("the old selector finds {} where it found {}", quote(&new.text), quote(&old.text)))
    }

    /// The page states another day or title for the field, and it stated the right one before.
    fn contradicted(&self) -> Option<String> {
        let concept = *self.words.concepts.first()?;
        let (sense, least) = match concept {
            Concept::Published | Concept::Modified => (Sense::Date, 0.5),
            // Titles vary; a title that shares nothing with any that is stated is another page's.
            Concept::Title => (Sense::Text, 0.15),
            _ => return None,
        };
        let (old, new) = (Phrase::new(self.old.first()?), Phrase::new(self.new.first()?));
        // A text without a day, such as "2 hours ago", contradicts nothing.
        if sense == Sense::Date && new.days().is_empty() {
            return None;
        }
        let was_stated = shown_best(self.old_view?, concept, &old, sense).is_some_and(|shown| shown > 0.6);
        let contradicts =
            was_stated && shown_best(self.new_view, concept, &new, sense).is_some_and(|shown| shown < least);
        contradicts.then(|| format!("the page states something else than {}", quote(&new.text)))
    }

    /// Reports a user's handle in place of a name.
    fn handle(&self) -> Option<String> {
        let (old, new) = (self.old.first()?, self.new.first()?);
        (is_handle(new) && !is_handle(old))
            .then(|| format!("the old selector finds the handle {} where it found {}", quote(new), quote(old)))
    }

    /// A list without any of its old values, all of which the new page has elsewhere: a rule such as `li` finds the navigation of a new layout.
    fn left_behind(&self) -> Option<String> {
        let has = |value: &String| self.new_view.chain_with_text(&Phrase::new(value)).is_some();
        let keys = |values: &[String]| values.iter().map(|value| word(&loose(value))).collect::<HashSet<Word>>();
        let is_left = distinct(self.old) > 1 && keys(self.old).is_disjoint(&keys(self.new)) && self.old.iter().all(has);
        is_left.then(|| {
            format!("the old values, such as {}, are elsewhere", quote(self.old.first().map_or("", String::as_str)))
        })
    }

    /// A list of sentences that are only short lines now.
    fn collapsed(&self) -> Option<String> {
        // Long texts count as sentences, however long.
        let mean = |values: &[String]| {
            let lengths = values.iter().map(|value| value.chars().take(160).count());
            float(lengths.sum()) / float(values.len().max(1))
        };
        let (old, new) = (mean(self.old), mean(self.new));
        let is_collapsed = old >= float(LONG) && new < 0.38 * old;
        is_collapsed.then(|| {
            format!("the old selector finds short texts such as {}", quote(self.new.first().map_or("", String::as_str)))
        })
    }
}

/// Returns how well a text shows a value that the page states; `None` if the page states none for the
/// concept.
fn shown_best(view: &View<'_>, concept: Concept, phrase: &Phrase, sense: Sense) -> Option<f32> {
    view.statements.of_concept(concept).iter().map(|stated| phrase.shows(stated, sense)).reduce(f32::max)
}

fn distinct(values: &[String]) -> usize {
    values.iter().map(|value| word(&loose(value))).collect::<HashSet<Word>>().len()
}

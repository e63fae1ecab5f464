//! Relevance of texts to the goal: BM25 (Robertson and Zaragoza, 2009) over the texts seen so far. Rare words weigh more; the
//! rarity of words is learned on the way, since nothing is read beforehand.

use crate::kinds::names_a_column;
use crate::words::{self, Role, Term, is_silent, kinds, stems, terms, words};

/// More words of a goal are not looked for: one bit for each in a [`Found`].
const MOST_TERMS: usize = 64;

/// Parameters of BM25, with their usual values: saturation of repeated words, and influence of a text's length.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;

/// Weights of words that weigh less than others: a word that asks for a value, or is a letter; a part of a name; a title of the
/// kind of section.
const LIGHT: f64 = 0.2;
const PART: f64 = 0.4;
const KIND: f64 = 0.6;

/// Weight of parts of names when choosing the next page: a page rarely has the name in its title.
const PART_ON_THE_WAY: f64 = 0.7;

/// Factor, when choosing the next page, for words that name a table column more often than a section.
const OF_COLUMNS: f64 = 0.5;

/// Set of terms of the goal, such as those that a text has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found(u64);

impl Found {
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    const fn has(self, place: usize) -> bool {
        self.0 & (1 << place) != 0
    }
}

/// Reduction of a term's weight for each useless page that it led to.
const MISLED: f64 = 0.1;

/// A text as it is compared with the goal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Read {
    /// The terms it has.
    pub(crate) found: Found,
    /// Number of words in the text, without those that carry no meaning.
    pub(crate) length: u32,
}

impl Read {
    /// Returns the share of the text's words that are terms in `of`, from 0 to 1.
    pub(crate) fn share(self, of: Found) -> f64 {
        (f64::from(self.found.both(of).count()) / f64::from(self.length.max(1))).min(1.0)
    }
}

/// The words of a goal, and how rare they are.
#[derive(Debug, Clone)]
pub(crate) struct Relevance {
    terms: Vec<Term>,
    /// Weight of each term, without its rarity.
    importance: Vec<f64>,
    /// Number of texts seen, number of them that have each term, and number of words in all of them.
    texts: f64,
    having: Vec<f64>,
    length: f64,
    /// Number of useless pages that each term led to.
    misled: Vec<f64>,
    /// Terms that are not looked for.
    ignored: Found,
    /// Places of required terms that are neighbours in the goal.
    pairs: Vec<(usize, usize)>,
    /// True for a question such as `what does -x do`, and for one that asks for a number.
    asks_for_purpose: bool,
    asks_for_number: bool,
}

impl Relevance {
    pub(crate) fn of(goal: &str) -> Self {
        Self::of_terms(terms(goal), importance).asking(goal)
    }

    /// The same for finding a way: typical names of sections that answer such goals count as well, and words that name a column of a
    /// table more often than a section count less. It must not judge an answer.
    pub(crate) fn of_way(goal: &str) -> Self {
        let mut terms = terms(goal);
        terms.extend(kinds(goal));
        let on_the_way = |term: &Term| {
            let by_role = if term.role == Role::Part { PART_ON_THE_WAY } else { importance(term) };
            by_role * if names_a_column(term.plain()) { OF_COLUMNS } else { 1.0 }
        };
        Self::of_terms(terms, on_the_way)
    }

    /// The words of a goal in a manual of `texts` texts, each with the number of texts that have it.
    pub(crate) fn counted(goal: &str, counted: Vec<(Term, f64)>, texts: f64) -> Self {
        let (terms, having): (Vec<_>, Vec<_>) = counted.into_iter().take(MOST_TERMS).unzip();
        Self { texts, having, ..Self::of_terms(terms, importance) }.asking(goal)
    }

    fn asking(mut self, goal: &str) -> Self {
        self.asks_for_purpose = words::asks_for_purpose(goal);
        self.asks_for_number = words::asks_for_number(goal);
        self
    }

    /// Returns the words of the goal, with the places of their terms.
    pub(crate) fn names(&self, found: Found) -> Vec<&str> {
        let terms = self.terms.iter().enumerate().filter(|(place, _)| found.has(*place));
        terms.map(|(_, term)| term.plain()).collect()
    }

    fn of_terms(mut terms: Vec<Term>, importance: impl Fn(&Term) -> f64) -> Self {
        terms.truncate(MOST_TERMS);
        Self {
            importance: terms.iter().map(importance).collect(),
            having: vec![0.0; terms.len()],
            misled: vec![0.0; terms.len()],
            ignored: Found::default(),
            pairs: pairs(&terms),
            asks_for_purpose: false,
            asks_for_number: false,
            terms,
            texts: 0.0,
            length: 0.0,
        }
    }

    /// Terms that must be where the answer is.
    pub(crate) fn required(&self) -> Found {
        let required = self.terms.iter().enumerate().filter(|(_, term)| term.role == Role::Required);
        required.fold(Found::default(), |found, (place, _)| found.and(Found(1 << place)))
    }

    /// Returns whether one of these words is in the goal.
    pub(crate) fn asks_for(&self, words: &[&str]) -> bool {
        !self.terms_among(words).is_none()
    }

    /// Returns the terms that are one of these words.
    pub(crate) fn terms_among(&self, words: &[&str]) -> Found {
        let among = self.terms.iter().enumerate().filter(|(_, term)| words.contains(&term.word.as_str()));
        among.fold(Found::default(), |found, (place, _)| found.and(Found(1 << place)))
    }

    /// Returns the term that the goal asks for, such as `gap` of `spark plug gap` and of `gap of the spark plug`.
    pub(crate) fn asked(&self) -> Found {
        let place = self.terms.iter().position(|term| term.role == Role::Required && term.is_asked);
        place.map_or_else(Found::default, |place| Found(1 << place))
    }

    /// Finds the terms of the goal in a text.
    pub(crate) fn read(&self, text: &str) -> Read {
        let words = words(text);
        let found = words.iter().fold(Found::default(), |found, word| found.and(self.terms_of(word)));
        let found = stems(&words).fold(found, |found, stem| found.and(self.terms_of(&stem)));
        let found = found.without(self.ignored);
        let length = words.iter().filter(|word| !is_silent(word)).count();
        Read { found, length: u32::try_from(length).unwrap_or(u32::MAX) }
    }

    /// Finds the terms of the goal in each word of a text that is not silent.
    pub(crate) fn read_words(&self, text: &str) -> Vec<Found> {
        let words = words(text);
        words.iter().filter(|word| !is_silent(word)).map(|word| self.terms_of(word).without(self.ignored)).collect()
    }

    /// Returns the share of the goal's pairs of neighbours that are neighbours in one of these texts: `page size` is there in `size of
    /// a page`, but not in `page cache size`. 1 if the goal has no pairs.
    pub(crate) fn share_of_pairs<'t>(&self, texts: impl Iterator<Item = &'t str>) -> f64 {
        if self.pairs.is_empty() {
            return 1.0;
        }
        let has = self.pairs_in(texts);
        let count = |these: usize| u32::try_from(these).map_or(0.0, f64::from);
        count(has.iter().filter(|has| **has).count()) / count(has.len())
    }

    /// Returns whether each word of the goal right before one of `terms` is in `named`, or right before it in one of these texts.
    pub(crate) fn has_modifiers<'t>(&self, terms: Found, named: Found, texts: impl Iterator<Item = &'t str>) -> bool {
        let has = self.pairs_in(texts);
        let mut pairs = self.pairs.iter().zip(has).filter(|((_, other), _)| terms.has(*other));
        pairs.all(|((one, _), is_there)| is_there || named.has(*one))
    }

    /// Returns which pairs of neighbours in the goal are neighbours in one of these texts.
    fn pairs_in<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<bool> {
        let mut has = vec![false; self.pairs.len()];
        for text in texts {
            let mut before = Found::default();
            let mut is_divided = false;
            for word in words(text) {
                if is_silent(&word) {
                    is_divided = true;
                    continue;
                }
                let found = self.terms_of(&word);
                for (has, (one, other)) in has.iter_mut().zip(&self.pairs) {
                    let (first, second) = if is_divided { (*other, *one) } else { (*one, *other) };
                    let is_compound = found.has(*one) && found.has(*other);
                    *has |= is_compound || (before.has(first) && found.has(second));
                }
                (before, is_divided) = (found, false);
            }
        }
        has
    }

    /// Returns whether the goal is a question such as `what does -x do`.
    pub(crate) fn asks_for_purpose(&self) -> bool {
        self.asks_for_purpose
    }

    /// Returns whether the goal asks for a number.
    pub(crate) fn asks_for_number(&self) -> bool {
        self.asks_for_number
    }

    /// Returns the terms that are names of a program, such as `max_connections`, `pageSize` or `-N`.
    pub(crate) fn identifiers(&self) -> Found {
        let named = self.terms.iter().enumerate().filter(|(_, term)| term.role == Role::Required && term.is_identifier);
        named.fold(Found::default(), |found, (place, _)| found.and(Found(1 << place)))
    }

    /// As [`Relevance::read`], where a longer word that begins with a term has it as well: `PostgreSQL` that of `postgres`.
    pub(crate) fn read_name(&self, text: &str) -> Found {
        const SHORTEST: usize = 5;
        let words = words::name_words(text);
        let begins = |term: &Term| {
            term.word.chars().count() >= SHORTEST && words.iter().any(|word| word.starts_with(term.word.as_str()))
        };
        let places = self.terms.iter().enumerate().filter(|(_, term)| begins(term)).map(|(place, _)| Found(1 << place));
        places.fold(self.read(&words.join(" ")).found, Found::and)
    }

    fn terms_of(&self, word: &str) -> Found {
        let places = self.terms.iter().enumerate().filter(|(_, term)| term.is(word));
        places.fold(Found::default(), |found, (place, _)| found.and(Found(1 << place)))
    }

    /// Takes note of a text.
    pub(crate) fn learn(&mut self, text: Read) {
        self.texts += 1.0;
        self.length += f64::from(text.length);
        for (place, having) in self.having.iter_mut().enumerate() {
            if text.found.has(place) {
                *having += 1.0;
            }
        }
    }

    /// Returns the total weight of these terms.
    pub(crate) fn weight(&self, found: Found) -> f64 {
        let counts = self.importance.iter().zip(&self.having).zip(&self.misled).enumerate();
        let found = counts.filter(|(place, _)| found.has(*place));
        found
            .map(|(_, ((importance, having), misled))| self.rarity(*having) * importance / (1.0 + MISLED * misled))
            .sum()
    }

    /// Excludes these terms, and single letters, from the search: they are everywhere.
    pub(crate) fn without(mut self, found: Found) -> Self {
        for (place, term) in self.terms.iter_mut().enumerate() {
            if found.has(place) || term.word.chars().count() < 2 {
                term.role = Role::Light;
                self.ignored = self.ignored.and(Found(1 << place));
            }
        }
        self
    }

    /// Records that these terms led to a useless page: other terms come first from now on.
    pub(crate) fn was_misled(&mut self, by: Found) {
        for (place, misled) in self.misled.iter_mut().enumerate() {
            if by.has(place) {
                *misled += 1.0;
            }
        }
    }

    /// Returns the weight that the rarest word seen would have.
    pub(crate) fn rarest(&self) -> f64 {
        self.rarity(1.0)
    }

    fn rarity(&self, having: f64) -> f64 {
        (1.0 + (self.texts - having + 0.5) / (having + 0.5)).ln()
    }

    /// Returns the factor for a text's weight that follows from its length.
    pub(crate) fn by_length(&self, length: u32) -> f64 {
        let mean = if self.texts > 0.0 { (self.length / self.texts).max(1.0) } else { 1.0 };
        (SATURATION + 1.0) / (1.0 + SATURATION * (1.0 - LENGTH + LENGTH * f64::from(length) / mean))
    }
}

/// Returns the places of terms that follow one another in the goal.
fn pairs(terms: &[Term]) -> Vec<(usize, usize)> {
    let required: Vec<(usize, &Term)> =
        terms.iter().enumerate().filter(|(_, term)| term.role == Role::Required).collect();
    let neighbours = required.windows(2).filter_map(|pair| match pair {
        [(one, _), (other, term)] if term.follows => Some((*one, *other)),
        _ => None,
    });
    neighbours.collect()
}

fn importance(term: &Term) -> f64 {
    match term.role {
        Role::Required if term.word.chars().count() > 1 => 1.0,
        Role::Required | Role::Light => LIGHT,
        Role::Part => PART,
        Role::Kind => KIND,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_light_ones_less() {
        let mut relevance = Relevance::of("What is the storage size of smallint?");
        for text in ["storage size", "storage", "storage engine", "smallint", "other"] {
            let read = relevance.read(text);
            relevance.learn(read);
        }
        let weight = |relevance: &Relevance, text: &str| relevance.weight(relevance.read(text).found);
        assert!(weight(&relevance, "smallint") > weight(&relevance, "storage"));
        assert!(relevance.by_length(2) > relevance.by_length(20));
        let light = Relevance::of("number of wheels");
        assert!(weight(&light, "number") < weight(&light, "wheel"));
        assert!(light.read("wheel").found.both(light.required()) == light.required());
        assert!(light.read("number").found.both(light.required()).is_none());
    }

    #[test]
    fn the_name_of_a_manual_is_recognised_by_its_beginning() {
        let relevance = Relevance::of("postgres -N x");
        assert!(!relevance.read_name("PostgreSQL 15 Documentation").is_none());
        assert!(relevance.read("PostgreSQL 15 Documentation").found.is_none());
        assert!(relevance.read("-n x").found.both(relevance.read("-N").found).is_none(), "options have a case");
    }
}

//! The words of a goal in the words of the manual.

use autoheal_store::manual_index::WordCount;
use autoheal_store::{ManualIndex, StoreError};

use crate::goal::Goal;
use crate::relevance::{Found, Relevance};
use crate::words::{Role, Term, are_inflections, goal_words, name_words, terms, words};

/// Number of letters of the beginning by which inflections are looked up, and of words that are looked up.
const STEM_LETTERS: usize = 4;
const MOST_WORDS: u32 = 2000;

/// Number of words of a goal that may be one word in the manual, and signs between them there.
const LONGEST_COMPOUND: usize = 5;
const JOINTS: [&str; 2] = ["", "_"];

/// Number of letters of words that may be misspelt, and from which they may have two mistakes.
const SHORTEST_MISSPELT: usize = 5;
const TWO_MISTAKES: usize = 9;

/// A goal as a query of the index.
pub(super) struct Query {
    /// Words of the goal with their frequency in the manual.
    pub(super) relevance: Relevance,
    /// Parts of the goal that the manual's name contains.
    pub(super) manual: Found,
    /// Words of which each answer has one of each group.
    pub(super) groups: Vec<Vec<String>>,
    /// Words of the goal that the manual does not have, each with the most similar ones.
    pub(super) unknown: Vec<(String, Vec<String>)>,
    /// Words that were read as another one, for the user.
    pub(super) corrected: Vec<(String, String)>,
}

impl Query {
    /// Reads a goal. `text` is the goal's text, or a variant of it.
    pub(super) async fn read(text: &str, goal: &Goal, name: &str, index: &ManualIndex) -> Result<Self, StoreError> {
        let mut terms = terms(text);
        add_compounds(&mut terms, text, index).await?;
        let mut query = Self {
            relevance: Relevance::of(text),
            manual: Found::default(),
            groups: Vec::new(),
            unknown: Vec::new(),
            corrected: Vec::new(),
        };
        let mut counted = Vec::new();
        let named = name_words(name);
        for mut term in terms {
            // Stems are inflections here, which are added to the words themselves.
            if matches!(term.role, Role::Part | Role::Kind) {
                continue;
            }
            let is_required = term.role == Role::Required;
            let mut known = query.known(&mut term, index).await?;
            let is_name = named.iter().any(|word| is_beginning(&term.word, word));
            if known.is_empty() && !is_name && is_required {
                known = query.similar(&mut term, index).await?;
            }
            let units: u64 = known.iter().map(|word| word.units).sum();
            if !is_name && is_required {
                query.groups.push(known.into_iter().map(|word| word.word).collect());
            }
            counted.push((term, u32::try_from(units).map_or(f64::from(u32::MAX), f64::from)));
        }
        for (_, value) in &goal.context {
            query.groups.extend(words(value).into_iter().map(|word| vec![word]));
        }
        let texts = u32::try_from(index.unit_count().await?).unwrap_or(u32::MAX);
        query.relevance = Relevance::counted(&goal.text, counted, f64::from(texts));
        query.manual = query.relevance.read_name(name);
        Ok(query)
    }

    /// Returns the words of the manual that are this term, and adds them to it.
    async fn known(&self, term: &mut Term, index: &ManualIndex) -> Result<Vec<WordCount>, StoreError> {
        let exact: Vec<String> = std::iter::once(&term.word).chain(&term.same).cloned().collect();
        let mut known = index.known_words(&exact).await?;
        let beginning: String = term.word.chars().take(STEM_LETTERS).collect();
        if beginning.chars().count() == STEM_LETTERS && beginning.chars().all(char::is_alphabetic) {
            for word in index.words_with_prefix(&beginning, MOST_WORDS).await? {
                if !exact.contains(&word.word) && are_inflections(&term.word, &word.word) {
                    term.same.push(word.word.clone());
                    known.push(word);
                }
            }
        }
        Ok(known)
    }

    /// Returns the word of the manual that a misspelt word means, if it can mean only one, and adds it to the term.
    async fn similar(&mut self, term: &mut Term, index: &ManualIndex) -> Result<Vec<WordCount>, StoreError> {
        let length = term.word.chars().count();
        let Some(first) = term.word.chars().next().filter(|_| term.word.chars().all(char::is_alphabetic)) else {
            self.unknown.push((term.word.clone(), Vec::new()));
            return Ok(Vec::new());
        };
        let most = if length >= TWO_MISTAKES { 2 } else { 1 };
        let mut near: Vec<(usize, WordCount)> = Vec::new();
        for word in index.words_with_prefix(&first.to_string(), u32::MAX).await? {
            let mistakes = strsim::osa_distance(&term.word, &word.word);
            if mistakes <= 2 && length >= SHORTEST_MISSPELT {
                near.push((mistakes, word));
            }
        }
        near.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.units.cmp(&one.1.units)));
        let best: Vec<WordCount> = near
            .iter()
            .take_while(|(mistakes, _)| *mistakes <= most && *mistakes == near[0].0)
            .map(|(_, word)| word.clone())
            .collect();
        // `capasity` means `capacity` and its inflections, but nothing else.
        let is_one = best.first().is_some_and(|first| {
            best.iter().all(|word| word.word == first.word || are_inflections(&word.word, &first.word))
        });
        if !is_one {
            let near = near.into_iter().take(3).map(|(_, word)| word.word).collect();
            self.unknown.push((term.word.clone(), near));
            return Ok(Vec::new());
        }
        term.same.extend(best.iter().map(|word| word.word.clone()));
        if let Some(word) = best.first() {
            self.corrected.push((term.word.clone(), word.word.clone()));
        }
        Ok(best)
    }
}

/// Adds words of the manual, or of the goal, that contain several words of the goal: `time out` is in `timeout`.
async fn add_compounds(terms: &mut [Term], text: &str, index: &ManualIndex) -> Result<(), StoreError> {
    let words = goal_words(text);
    let mut compounds: Vec<(String, Vec<String>)> = Vec::new();
    for length in 2..=LONGEST_COMPOUND.min(words.len()) {
        for run in words.windows(length).filter(|run| run.iter().all(|word| !word.starts_with('-'))) {
            compounds.extend(JOINTS.iter().map(|joint| (run.join(joint), run.to_vec())));
        }
    }
    let names: Vec<String> = compounds.iter().map(|(name, _)| name.clone()).collect();
    let known = index.known_words(&names).await?;
    for (name, run) in compounds {
        if known.iter().any(|word| word.word == name) {
            for term in terms.iter_mut().filter(|term| run.contains(&term.word) && !term.same.contains(&name)) {
                term.same.push(name.clone());
            }
        }
    }
    // `MaxKeepAliveRequests` also has the word `requests`, if the goal names both.
    let parts: Vec<(String, Vec<String>)> = text
        .split_whitespace()
        .map(|name| (words_of_name(name), crate::words::parts(name)))
        .filter(|(_, parts)| parts.len() > 1)
        .collect();
    for (name, parts) in parts {
        let parts: Vec<String> = parts.iter().flat_map(|part| crate::words::words(part)).collect();
        for term in terms.iter_mut().filter(|term| term.word != name && parts.contains(&term.word)) {
            term.same.push(name.clone());
        }
    }
    Ok(())
}

fn words_of_name(name: &str) -> String {
    words(name).join(" ")
}

/// Returns the other ways to put a goal: abbreviations written out, compounds divided.
pub(super) async fn variants(text: &str, index: &ManualIndex) -> Result<Vec<String>, StoreError> {
    let mut variants = Vec::new();
    let goal = goal_words(text);
    for (place, word) in goal.iter().enumerate() {
        let with = |replacement: &str| {
            let mut words = goal.clone();
            replacement.clone_into(&mut words[place]);
            words.join(" ")
        };
        for long in index.long_forms(word).await? {
            variants.push(with(&long));
        }
        let is_known = !index.known_words(std::slice::from_ref(word)).await?.is_empty();
        if !is_known && word.is_ascii() {
            for end in 3..word.len().saturating_sub(2) {
                let (one, other) = word.split_at(end);
                if index.known_words(&[one.to_owned(), other.to_owned()]).await?.len() == 2 {
                    variants.push(with(&format!("{one} {other}")));
                }
            }
        }
    }
    for length in 2..=LONGEST_COMPOUND.min(goal.len()) {
        for start in 0..=goal.len() - length {
            for short in index.short_forms(&goal[start..start + length].join(" ")).await? {
                let mut words = goal.clone();
                words.splice(start..start + length, [short]);
                variants.push(words.join(" "));
            }
        }
    }
    variants.truncate(8);
    Ok(variants)
}

/// Returns whether a word is the beginning of a name's word: `postgres` of `PostgreSQL`.
fn is_beginning(word: &str, name: &str) -> bool {
    const SHORTEST: usize = 5;
    word == name || (word.chars().count() >= SHORTEST && name.starts_with(word))
}

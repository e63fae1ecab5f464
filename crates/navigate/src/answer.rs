//! Passages that answer a goal. A near match is not an answer: every significant word of the goal must be in the passage or in
//! the text that applies to it.

use crate::page_state::{PageState, Passage, PassageKind};
use crate::relevance::{Found, Relevance};

/// Maximum length of a text below a heading that names the goal, in characters.
const LONGEST_SECTION: usize = 1500;

/// Minimum share of a key's words that must be in the goal, for the first cell of a row and for later ones: a long cell
/// has many words.
const LEAST_OF_KEY: f64 = 0.25;
const LEAST_OF_LATER_CELL: f64 = 0.5;

/// Weight of a key in another cell than the first.
const LATER_CELL: f64 = 0.6;

/// Words that ask for an amount. In prose without a number they mean something else, as in `the upper levels`; a cell of a table may
/// say `unlimited`.
const AMOUNTS: &[&str] =
    &["byte", "capacity", "length", "limit", "maximum", "minimum", "pressure", "size", "torque", "volume", "width"];

/// A passage that answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// Text of the answer in readable form.
    pub(crate) text: String,
    /// Score: higher is better; comparable only within one navigation.
    pub(crate) score: f64,
    /// Number of further pages to visit in search of a better answer.
    pub(crate) patience: u32,
}

/// A passage as it is compared with the goal.
struct Candidate<'a> {
    passage: &'a Passage,
    own: Found,
    key: Found,
    above: Found,
    /// Share of the key's words that are in the goal, from 0 to 1; `key_score` is its part of the passage's score.
    key_share: f64,
    key_score: f64,
}

/// Returns the best answer of a page. `manual` is the part of the goal that the manual's name contains.
pub(crate) fn best(page: &PageState, relevance: &Relevance, manual: Found, wants_number: bool) -> Option<Answer> {
    let read = |text: &str| relevance.read(text);
    let candidates: Vec<Candidate<'_>> = page.passages.iter().map(|passage| candidate(passage, relevance)).collect();
    // Terms that apply to the whole page: by its title, its breadcrumb, and the name of the manual.
    let place = read(&page.place()).found.and(read(&page.title).found).and(manual);
    let mut best: Option<Answer> = None;
    for candidate in &candidates {
        let has_number = || candidate.passage.own.chars().any(|character| character.is_ascii_digit());
        let is_amount = candidate.passage.kind == PassageKind::Text && relevance.asks_for(AMOUNTS);
        if (wants_number || is_amount) && !has_number() {
            continue;
        }
        let Some(answer) = judged(candidate, place, relevance) else { continue };
        match &mut best {
            Some(best) if (best.score - answer.score).abs() < 1e-9 && best.text.len() < LONGEST_SECTION => {
                // Two equal answers cannot be distinguished: both are returned.
                if !best.text.contains(&answer.text) {
                    best.text.push_str("\n\n");
                    best.text.push_str(&answer.text);
                }
            }
            Some(best) if best.score >= answer.score => {}
            Some(_) | None => best = Some(answer),
        }
    }
    best.or_else(|| section(&candidates, place, relevance, wants_number))
}

fn candidate<'a>(passage: &'a Passage, relevance: &Relevance) -> Candidate<'a> {
    let above = passage.above.iter().fold(Found::default(), |found, text| found.and(relevance.read(text).found));
    let mut candidate =
        Candidate { passage, own: Found::default(), key: Found::default(), above, key_share: 0.0, key_score: 0.0 };
    candidate.own = relevance.read(&passage.own).found;
    let mut best = 0.0;
    for (place, key) in passage.keys.iter().enumerate() {
        let read = relevance.read(key);
        let named = read.found.both(relevance.required());
        candidate.own = candidate.own.and(read.found);
        let share = read.share(relevance.required());
        // The subject of a row is usually its first cell.
        let (worth, least) = if place == 0 { (1.0, LEAST_OF_KEY) } else { (LATER_CELL, LEAST_OF_LATER_CELL) };
        let score = share * relevance.weight(named) * worth;
        if score > best && share >= least {
            best = score;
            candidate.key = named;
            candidate.key_share = share;
            candidate.key_score = score;
        }
    }
    candidate
}

fn judged(candidate: &Candidate<'_>, place: Found, relevance: &Relevance) -> Option<Answer> {
    let required = relevance.required();
    let around = candidate.above.and(place);
    let missing = required.without(candidate.own).without(around);
    let is_about = match candidate.passage.kind {
        // One of its cells names a part of the goal, in addition to the header, which applies to every row.
        PassageKind::Row => !candidate.key.without(header(candidate)).is_none(),
        PassageKind::Entry => !candidate.key.is_none(),
        PassageKind::Text => relevance.weight(candidate.own.both(required)) * 2.0 >= relevance.weight(required),
    };
    if !is_about || !missing.is_none() || candidate.own.both(required).is_none() {
        return None;
    }
    let needed = required.without(around).without(candidate.key);
    if !stands_together(&candidate.passage.own, needed, relevance) {
        return None;
    }
    let (kind, patience) = match candidate.passage.kind {
        PassageKind::Row if candidate.key_share >= 0.5 => (1.0, 0),
        PassageKind::Row => (1.0, 3),
        PassageKind::Entry if candidate.key_share >= 0.5 => (0.9, 1),
        PassageKind::Entry => (0.8, 4),
        PassageKind::Text => (0.6, 8),
    };
    let all = candidate.own.and(around);
    // A key with more words than the goal is a weaker match.
    let score = kind
        * (relevance.weight(candidate.own)
            + 0.5 * relevance.weight(all.without(candidate.own))
            + candidate.key_score * 2.0);
    Some(Answer { text: candidate.passage.text.clone(), score, patience })
}

/// Returns the terms in the header and the caption of a row's table that are not in the key of the row.
fn header(candidate: &Candidate<'_>) -> Found {
    // A caption that repeats the key does not make the row less certain.
    candidate.above.without(candidate.key)
}

/// Returns whether two consecutive sentences have all of these terms.
fn stands_together(text: &str, needed: Found, relevance: &Relevance) -> bool {
    if needed.is_none() {
        return true;
    }
    let sentences: Vec<Found> = text.split_inclusive(". ").map(|sentence| relevance.read(sentence).found).collect();
    let has_all = |found: &[Found]| needed.without(found.iter().copied().fold(Found::default(), Found::and)).is_none();
    has_all(sentences.get(..1).unwrap_or_default()) || sentences.windows(2).any(has_all)
}

/// Returns the text below headings that name everything in the goal: there, the answer need not repeat the question.
fn section(candidates: &[Candidate<'_>], place: Found, relevance: &Relevance, wants_number: bool) -> Option<Answer> {
    let required = relevance.required();
    let names_all = |candidate: &&Candidate<'_>| required.without(candidate.above.and(place)).is_none();
    // The page's own heading, or one below it, must say some of it: a breadcrumb alone holds for a whole chapter.
    let says_some = |candidate: &&Candidate<'_>| {
        let innermost = candidate.passage.above.last().map(|text| relevance.read(text).found).unwrap_or_default();
        !innermost.both(required).is_none()
    };
    let first = candidates.iter().filter(names_all).find(says_some)?;
    let mut text = String::new();
    for candidate in candidates.iter().filter(|candidate| candidate.passage.above == first.passage.above) {
        if text.len() + candidate.passage.text.len() > LONGEST_SECTION && !text.is_empty() {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&candidate.passage.text);
    }
    if wants_number && !text.chars().any(|character| character.is_ascii_digit()) {
        return None;
    }
    Some(Answer { text, score: 0.4 * relevance.weight(required), patience: 6 })
}

/// Returns whether a goal asks for an amount.
pub(crate) fn wants_number(goal: &str) -> bool {
    let goal = goal.trim().to_lowercase();
    ["how many", "how much", "how long", "how large", "how big", "how far", "how fast"]
        .iter()
        .any(|how| goal.starts_with(how))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<title>Types</title><h1>Types of numbers</h1><p>Numbers are signed. Unsigned ones are not. There is a limit to signed numbers.</p>\
        <p>The sizes are those of the wire.</p><table><caption>Numbers</caption><tr><th>Name<th>Storage Size<th>Description\
        <tr><td>small<td>2 bytes<td>a small number<tr><td>large<td>8 bytes<td>any number that is small or large or neither of the two</table>\
        <dl><dt>port</dt><dd>Default 5432. It may be any number.</dd></dl>\
        <h2>Precision of decimals</h2><p>Up to 131072 digits.</p>";

    fn answer(goal: &str, wants_number: bool) -> Option<String> {
        let page = PageState::parse(PAGE.as_bytes(), &"http://manual.example/".parse().unwrap());
        let mut relevance = Relevance::of(goal);
        for passage in &page.passages {
            let read = relevance.read(&passage.own);
            relevance.learn(read);
        }
        best(&page, &relevance, Found::default(), wants_number).map(|answer| answer.text)
    }

    #[test]
    fn a_row_answers_by_its_key_its_header_and_its_caption() {
        let small = "Numbers\nName: small | Storage Size: 2 bytes | Description: a small number";
        assert_eq!(answer("What is the storage size of small?", false).as_deref(), Some(small));
        assert_eq!(answer("How many bytes does small take?", true).as_deref(), Some(small));
    }

    #[test]
    fn what_is_near_is_no_answer() {
        for goal in [
            "storage size of medium",
            "storage size of small in memory",
            "storage colour of small",
            // The paragraph before the table says it, of no row.
            "wire size of small",
            "torque of the drain plug",
            "limit of signed numbers",
        ] {
            assert_eq!(answer(goal, false), None, "{goal}");
        }
    }

    #[test]
    fn entries_and_sections_answer_as_well() {
        assert_eq!(answer("default port", false).as_deref(), Some("port: Default 5432. It may be any number."));
        assert_eq!(answer("precision of decimals", true).as_deref(), Some("Up to 131072 digits."));
        assert_eq!(answer("how many ports", true), answer("port", false));
        assert!(answer("unsigned numbers", false).is_some_and(|text| text.contains("Unsigned ones are not")));
    }
}

//! Whether a passage answers a goal. What is near is no answer: every word of the goal that matters must be in the passage or hold for it.

use crate::page_state::{PageState, Passage, PassageKind};
use crate::relevance::{Found, Relevance};

/// A text below a heading that names the goal is given up to so many characters.
const LONGEST_SECTION: usize = 1500;

/// So much of a key must have been asked for, and of one that is not the first cell: a long cell holds many words.
const LEAST_OF_KEY: f64 = 0.25;
const LEAST_OF_LATER_CELL: f64 = 0.5;

/// What a key in another cell than the first is worth.
const LATER_CELL: f64 = 0.6;

/// Words that ask for an amount. Where they stand in prose without a number they mean something else, as in `the upper levels`; a cell of a
/// table may say `unlimited`.
const AMOUNTS: &[&str] =
    &["byte", "capacity", "length", "limit", "maximum", "minimum", "pressure", "size", "torque", "volume", "width"];

/// A passage that answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// As people read it.
    pub(crate) text: String,
    /// The higher the better; comparable within one navigation.
    pub(crate) score: f64,
    /// So many pages more are worth a look, for there may be a better one.
    pub(crate) patience: u32,
}

/// What of the goal holds for the whole page.
struct Place {
    /// By its title, its breadcrumb, and the name of the manual.
    given: Found,
    /// By its prose.
    prose: Found,
    /// By what names a part of it: the keys of rows and entries, captions, headings.
    named: Found,
}

/// A passage as it is compared with the goal.
struct Candidate<'a> {
    passage: &'a Passage,
    own: Found,
    key: Found,
    above: Found,
    /// How much of the key was asked for, from 0 to 1, and what that is worth.
    key_share: f64,
    key_score: f64,
}

/// The best answer that a page has. `manual` is what of the goal the manual's name says.
pub(crate) fn best(page: &PageState, relevance: &Relevance, manual: Found, wants_number: bool) -> Option<Answer> {
    let read = |text: &str| relevance.read(text);
    let candidates: Vec<Candidate<'_>> = page.passages.iter().map(|passage| candidate(passage, relevance)).collect();
    let place = Place {
        given: read(&page.place()).found.and(read(&page.title).found).and(manual),
        prose: candidates
            .iter()
            .filter(|candidate| candidate.passage.kind == PassageKind::Text)
            .fold(Found::default(), |found, candidate| found.and(candidate.own)),
        named: candidates.iter().fold(Found::default(), |found, one| found.and(one.key).and(one.above)),
    };
    let mut best: Option<Answer> = None;
    for candidate in &candidates {
        let has_number = || candidate.passage.own.chars().any(|character| character.is_ascii_digit());
        let is_amount = candidate.passage.kind == PassageKind::Text && relevance.asks_for(AMOUNTS);
        if (wants_number || is_amount) && !has_number() {
            continue;
        }
        let Some(answer) = judged(candidate, &place, relevance) else { continue };
        match &mut best {
            Some(best) if (best.score - answer.score).abs() < 1e-9 && best.text.len() < LONGEST_SECTION => {
                // Which of two equals is meant cannot be said: both are.
                if !best.text.contains(&answer.text) {
                    best.text.push_str("\n\n");
                    best.text.push_str(&answer.text);
                }
            }
            Some(best) if best.score >= answer.score => {}
            Some(_) | None => best = Some(answer),
        }
    }
    best.or_else(|| section(&candidates, &place, relevance, wants_number))
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
        // What a row is about usually stands first.
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

fn judged(candidate: &Candidate<'_>, place: &Place, relevance: &Relevance) -> Option<Answer> {
    let required = relevance.required();
    let around = candidate.above.and(place.given);
    let missing = required.without(candidate.own).without(around);
    let is_about = match candidate.passage.kind {
        // One of its cells names something that was asked for, beside what its header says of every row.
        PassageKind::Row => !candidate.key.without(header(candidate)).is_none(),
        PassageKind::Entry => !candidate.key.is_none(),
        PassageKind::Text => relevance.weight(candidate.own.both(required)) * 2.0 >= relevance.weight(required),
    };
    if !is_about || candidate.own.both(required).is_none() {
        return None;
    }
    let lent = match candidate.passage.kind {
        PassageKind::Row => lent(candidate, missing, place, relevance)?,
        PassageKind::Entry | PassageKind::Text if missing.is_none() => missing,
        PassageKind::Entry | PassageKind::Text => return None,
    };
    let needed = required.without(around).without(lent).without(candidate.key);
    if !stands_together(&candidate.passage.own, needed, relevance) {
        return None;
    }
    let (kind, patience) = match candidate.passage.kind {
        PassageKind::Row if lent.is_none() && candidate.key_share >= 0.5 => (1.0, 0),
        PassageKind::Row => (1.0, 3),
        PassageKind::Entry if candidate.key_share >= 0.5 => (0.9, 1),
        PassageKind::Entry => (0.8, 4),
        PassageKind::Text => (0.6, 8),
    };
    let all = candidate.own.and(around);
    // Of a key that says more than was asked, less is meant.
    let score = kind
        * (relevance.weight(candidate.own)
            + 0.5 * relevance.weight(all.without(candidate.own))
            + candidate.key_score * 2.0);
    Some(Answer { text: candidate.passage.text.clone(), score, patience })
}

/// What the header and the caption of a row's table say and the row does not.
fn header(candidate: &Candidate<'_>) -> Found {
    // A caption that repeats the key is no reason to doubt the row.
    candidate.above.without(candidate.key)
}

/// What of the missing terms the text before the table, or the prose of its page, says of all its rows: only for a row whose key was asked
/// for word by word (`fuel pump` is not the water pump that the prose speaks of), and only what names no other part of the page.
fn lent(candidate: &Candidate<'_>, missing: Found, place: &Place, relevance: &Relevance) -> Option<Found> {
    let before = relevance.read(&candidate.passage.before).found;
    let may_be_lent = candidate.key_share >= 1.0
        && missing.both(place.named).is_none()
        && missing.without(before.and(place.prose)).is_none()
        && missing.without(before).count() <= 1
        && missing.count() <= 2;
    (missing.is_none() || may_be_lent).then_some(missing)
}

/// Whether two sentences that follow each other have all of these terms.
fn stands_together(text: &str, needed: Found, relevance: &Relevance) -> bool {
    if needed.is_none() {
        return true;
    }
    let sentences: Vec<Found> = text.split_inclusive(". ").map(|sentence| relevance.read(sentence).found).collect();
    let has_all = |found: &[Found]| needed.without(found.iter().copied().fold(Found::default(), Found::and)).is_none();
    has_all(sentences.get(..1).unwrap_or_default()) || sentences.windows(2).any(has_all)
}

/// What stands below headings that name everything that was asked for: there the answer need not repeat the question.
fn section(candidates: &[Candidate<'_>], place: &Place, relevance: &Relevance, wants_number: bool) -> Option<Answer> {
    let required = relevance.required();
    let names_all = |candidate: &&Candidate<'_>| required.without(candidate.above.and(place.given)).is_none();
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
        // What the paragraph before the table says holds for its rows.
        assert_eq!(answer("What is the wire size of small?", false).as_deref(), Some(small));
    }

    #[test]
    fn what_is_near_is_no_answer() {
        for goal in [
            "storage size of medium",
            "storage size of small in memory",
            "storage colour of small",
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

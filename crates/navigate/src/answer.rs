//! Passages that answer a goal. A near match is not an answer: every significant word of the goal must be in the passage or in
//! the text that applies to it.

use crate::page_state::{PageState, Passage, PassageKind};
use crate::relevance::{Found, Relevance};
use crate::words::words;

/// Maximum length of a text below a heading that names the goal, in characters.
const LONGEST_SECTION: usize = 1500;

/// The same if the goal asks for an amount.
const LONGEST_AMOUNT: usize = 400;

/// Minimum share of a key's words that must be in the goal, for the first cell of a row and for later ones: a long cell
/// has many words.
const LEAST_OF_KEY: f64 = 0.25;
const LEAST_OF_LATER_CELL: f64 = 0.5;

/// Weight of a key in another cell than the first.
const LATER_CELL: f64 = 0.6;

/// Words that ask for an amount. In prose without a number they mean something else, as in `the upper levels`; a cell of a table may
/// say `unlimited`.
const AMOUNTS: &[&str] = &[
    "byte", "capacity", "gap", "length", "limit", "maximum", "minimum", "pressure", "size", "torque", "volume", "width",
];

/// Quantities that a column of a table may be headed by.
const QUANTITIES: &[&str] = &[
    "capacity",
    "clearance",
    "depth",
    "diameter",
    "distance",
    "duration",
    "gap",
    "height",
    "interval",
    "length",
    "pressure",
    "rate",
    "size",
    "speed",
    "temperature",
    "thickness",
    "torque",
    "voltage",
    "volume",
    "weight",
    "width",
];

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

/// Terms of the goal that apply to the whole page.
struct Place {
    /// By its title, its breadcrumb, and the name of the manual.
    given: Found,
    /// Terms in the prose of the page.
    prose: Found,
    /// Terms in names of parts of the page: the keys of rows and entries, captions, headings.
    named: Found,
}

/// Minimum share of the words in a stretch of prose that are the goal's, if the stretch has all that the goal needs.
const LEAST_DENSITY: f64 = 0.5;

/// A passage as it is compared with the goal.
struct Candidate<'a> {
    passage: &'a Passage,
    own: Found,
    key: Found,
    keys: Found,
    above: Found,
    /// Share of the key's words that are in the goal, from 0 to 1; `key_score` is its part of the passage's score.
    key_share: f64,
    key_score: f64,
}

/// Returns the best answer of a page. `manual` is the part of the goal that the manual's name contains.
pub(crate) fn best(page: &PageState, relevance: &Relevance, manual: Found) -> Option<Answer> {
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
        let own = &candidate.passage.own;
        let has_number = || own.chars().any(|character| character.is_ascii_digit()) || own.contains("unlimited");
        let is_amount = candidate.passage.kind == PassageKind::Text && relevance.asks_for(AMOUNTS);
        if (relevance.asks_for_number() || is_amount) && !has_number() {
            continue;
        }
        let Some(answer) = judged(candidate, &place, relevance) else { continue };
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
    best.or_else(|| section(&candidates, &place, relevance))
}

fn candidate<'a>(passage: &'a Passage, relevance: &Relevance) -> Candidate<'a> {
    let above = passage.above.iter().fold(Found::default(), |found, text| found.and(relevance.read(text).found));
    let mut candidate = Candidate {
        passage,
        own: Found::default(),
        key: Found::default(),
        keys: Found::default(),
        above,
        key_share: 0.0,
        key_score: 0.0,
    };
    candidate.own = relevance.read(&passage.own).found;
    let mut best = 0.0;
    let asks_for_amount = relevance.asks_for(AMOUNTS);
    for key in &passage.keys {
        let read = relevance.read(key);
        let named = read.found.both(relevance.required());
        candidate.own = candidate.own.and(read.found);
        candidate.keys = candidate.keys.and(read.found);
        let share = read.share(relevance.required());
        // The subject of a row is usually its first cell. An amount belongs to the subject, and to nothing that a remark mentions.
        let is_subject = passage.kind == PassageKind::Entry || passage.own.starts_with(key.as_str());
        if asks_for_amount && !is_subject {
            continue;
        }
        let (worth, least) = if is_subject { (1.0, LEAST_OF_KEY) } else { (LATER_CELL, LEAST_OF_LATER_CELL) };
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
        // One of its cells names a part of the goal, in addition to the header, which applies to every row.
        PassageKind::Row => !candidate.key.without(header(candidate)).is_none(),
        PassageKind::Entry => !candidate.key.is_none(),
        PassageKind::Text => relevance.weight(candidate.own.both(required)) * 2.0 >= relevance.weight(required),
    };
    if !is_about || candidate.own.both(required).is_none() || is_another_quantity(candidate.passage, relevance) {
        return None;
    }
    let lent = match candidate.passage.kind {
        PassageKind::Row => lent(candidate, missing, place, relevance)?,
        PassageKind::Entry | PassageKind::Text if missing.is_none() => missing,
        PassageKind::Entry | PassageKind::Text => return None,
    };
    // `See also other_option` does not make an entry about that option.
    let unnamed = relevance.identifiers().without(candidate.keys).without(around);
    if candidate.passage.kind == PassageKind::Entry && !unnamed.is_none() {
        return None;
    }
    let needed = required.without(around).without(lent).without(candidate.key);
    let together = togetherness(candidate, needed, place.given, relevance)?;
    let (kind, patience) = match candidate.passage.kind {
        PassageKind::Row if lent.is_none() && candidate.key_share >= 0.5 => (1.0, 0),
        PassageKind::Row => (1.0, 3),
        PassageKind::Entry if candidate.key_share >= 0.5 => (0.9, 1),
        PassageKind::Entry => (0.8, 4),
        PassageKind::Text => (0.6, 8),
    };
    // A key with more words than the goal is a weaker match, and a page that is about the goal a better one.
    let score = kind
        * together
        * (relevance.weight(candidate.own)
            + 0.5 * relevance.weight(around.without(candidate.own))
            + 0.5 * relevance.weight(place.given)
            + candidate.key_score * 2.0);
    Some(Answer { text: candidate.passage.text.clone(), score, patience })
}

/// Returns the terms in the header and the caption of a row's table that are not in the key of the row.
fn header(candidate: &Candidate<'_>) -> Found {
    // A caption that repeats the key does not make the row less certain.
    candidate.above.without(candidate.key)
}

/// Returns whether the numbers of a row are of other quantities than the goal asks for, by the headers of their columns: a heading above that
/// names the gap of a spark plug does not make its torque a gap.
fn is_another_quantity(passage: &Passage, relevance: &Relevance) -> bool {
    let asked = relevance.terms_among(QUANTITIES);
    let row = passage.text.lines().last().unwrap_or_default();
    if passage.kind != PassageKind::Row || asked.is_none() || !relevance.read(row).found.both(asked).is_none() {
        return false;
    }
    let is_quantity = |word: &String| QUANTITIES.contains(&word.strip_suffix('s').unwrap_or(word));
    let is_of_quantity =
        |cell: &str| cell.split_once(": ").is_some_and(|(header, _)| words(header).iter().any(is_quantity));
    let mut numbers = row.split(" | ").filter(|cell| has_number(cell)).peekable();
    numbers.peek().is_some() && numbers.all(is_of_quantity)
}

/// Returns the missing terms if the text before the table, or the prose of its page, supplies them for all rows. It does so only
/// for a row whose key is in the goal word by word (`fuel pump` is not the water pump of the prose), and only for terms that
/// name no other part of the page, and never for that which the goal asks for: the prose may give the gap of a spark plug, and
/// the table its torque. `None`: some are missing.
fn lent(candidate: &Candidate<'_>, missing: Found, place: &Place, relevance: &Relevance) -> Option<Found> {
    if missing.is_none() {
        return Some(missing);
    }
    let before = relevance.read(&candidate.passage.before).found;
    let may_be_lent = candidate.key_share >= 1.0
        && missing.both(place.named).is_none()
        && missing.both(relevance.asked().and(relevance.terms_among(AMOUNTS))).is_none()
        && missing.without(before.and(place.prose)).is_none()
        && missing.without(before).count() <= 1
        && missing.count() <= 2;
    may_be_lent.then_some(missing)
}

/// Returns how closely a passage has the words of the goal together, from 0 to 1. `None`: they are apart, and mean something else.
fn togetherness(candidate: &Candidate<'_>, needed: Found, place: Found, relevance: &Relevance) -> Option<f64> {
    let passage = candidate.passage;
    let texts = || std::iter::once(&passage.own).chain(&passage.keys).chain(&passage.above).map(String::as_str);
    let pairs = relevance.share_of_pairs(texts());
    if passage.kind != PassageKind::Text {
        // The size of a page is not another size: its row says `page size`, or is called `page`.
        let amount = relevance.terms_among(AMOUNTS);
        let named = candidate.keys.and(place);
        if passage.kind == PassageKind::Row && !relevance.has_modifiers(amount, named, texts()) {
            return None;
        }
        return stands_together(&passage.own, needed, relevance).then_some(0.75 + 0.25 * pairs);
    }
    let is_name = relevance.asks_for_purpose() && !relevance.identifiers().is_none();
    if is_name || relevance.required().count() < 2 {
        // Prose mentions a name, or a single word, for many reasons; entries and sections describe it.
        return None;
    }
    let said = needed.and(candidate.own.both(relevance.required()));
    let needs_number = relevance.asks_for_number() || relevance.asks_for(AMOUNTS);
    let sentences: Vec<&str> = passage.own.split_inclusive(". ").collect();
    let closest = |stretch: &[&str]| {
        let text = stretch.concat();
        let density = density(&text, said, relevance).filter(|share| *share >= LEAST_DENSITY);
        density.filter(|_| !needs_number || has_number(&text))
    };
    let single = sentences.iter().filter_map(|sentence| closest(&[sentence]));
    let double = sentences.windows(2).filter_map(closest);
    let density = single.chain(double).max_by(f64::total_cmp)?;
    (pairs > 0.0).then_some((0.5 + 0.5 * density) * (0.75 + 0.25 * pairs))
}

/// Returns whether a word of a text is a number: `64`, `1,000` or `-1`, but not `sqlite3`.
fn has_number(text: &str) -> bool {
    words(text)
        .iter()
        .any(|word| word.trim_start_matches('-').chars().next().is_some_and(|first| first.is_ascii_digit()))
}

/// Returns the share of the goal's words in the shortest stretch of a text that has all of these terms; `None` if it is too long.
fn density(text: &str, needed: Found, relevance: &Relevance) -> Option<f64> {
    if needed.is_none() {
        return Some(1.0);
    }
    let words = relevance.read_words(text);
    let has_all =
        |stretch: &[Found]| needed.without(stretch.iter().copied().fold(Found::default(), Found::and)).is_none();
    let longest = (f64::from(needed.count()) / LEAST_DENSITY).floor();
    let mut length = 1_u32;
    while f64::from(length) <= longest {
        if words.windows(usize::try_from(length).unwrap_or(1)).any(has_all) {
            return Some((f64::from(needed.count()) / f64::from(length)).min(1.0));
        }
        length += 1;
    }
    None
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
fn section(candidates: &[Candidate<'_>], place: &Place, relevance: &Relevance) -> Option<Answer> {
    let required = relevance.required();
    let names_all = |candidate: &&Candidate<'_>| required.without(candidate.above.and(place.given)).is_none();
    // The page's own heading, or one below it, must say some of it: a breadcrumb alone holds for a whole chapter.
    let says_some = |candidate: &&Candidate<'_>| {
        let innermost = candidate.passage.above.last().map(|text| relevance.read(text).found).unwrap_or_default();
        let asked = relevance.asked();
        !innermost.both(if asked.is_none() { required } else { asked }).is_none()
            && relevance.share_of_pairs(candidate.passage.above.iter().map(String::as_str)) > 0.0
    };
    let fits = |candidate: &&Candidate<'_>| !is_another_quantity(candidate.passage, relevance);
    let first = candidates.iter().filter(fits).filter(names_all).find(says_some)?;
    let mut text = String::new();
    let is_below = |candidate: &&Candidate<'_>| candidate.passage.above == first.passage.above;
    for candidate in candidates.iter().filter(fits).filter(is_below) {
        if text.len() + candidate.passage.text.len() > LONGEST_SECTION && !text.is_empty() {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&candidate.passage.text);
    }
    let is_amount = relevance.asks_for_number() || relevance.asks_for(AMOUNTS);
    // A long section has many numbers.
    if is_amount && (!has_number(&text) || text.len() > LONGEST_AMOUNT) {
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

    fn answer(goal: &str) -> Option<String> {
        answer_on(PAGE, goal)
    }

    fn answer_on(page: &str, goal: &str) -> Option<String> {
        let page = PageState::parse(page.as_bytes(), &"http://manual.example/".parse().unwrap());
        let mut relevance = Relevance::of(goal);
        for passage in &page.passages {
            let read = relevance.read(&passage.own);
            relevance.learn(read);
        }
        best(&page, &relevance, Found::default()).map(|answer| answer.text)
    }

    #[test]
    fn a_row_answers_by_its_key_its_header_and_its_caption() {
        let small = "Numbers\nName: small | Storage Size: 2 bytes | Description: a small number";
        assert_eq!(answer("What is the storage size of small?").as_deref(), Some(small));
        assert_eq!(answer("How many bytes does small take?").as_deref(), Some(small));
    }

    #[test]
    fn what_is_near_is_no_answer() {
        for goal in [
            "storage size of medium",
            "storage size of small in memory",
            "storage colour of small",
            "torque of the drain plug",
            "wire of small",
            // The paragraph before the table says it, of no row.
            "wire size of small",
            "limit of signed numbers",
        ] {
            assert_eq!(answer(goal), None, "{goal}");
        }
    }

    #[test]
    fn a_heading_does_not_turn_one_quantity_into_another() {
        let table = |heading: &str, columns: &str, cells: &str| {
            format!(
                "<h1>Tune-up</h1><p>Spark plug gap: 0.043 in</p><h2>{heading}</h2><table><tr>{columns}<tr>{cells}</table>"
            )
        };
        let plugs = "Spark plug gap and torque";
        let torque = table(plugs, "<th>Fastener<th>Torque", "<td>Spark plug<td>13 ft.lb (18 Nm)");
        assert_eq!(answer_on(&torque, "spark plug gap").as_deref(), Some("Spark plug gap: 0.043 in"));
        let first = table(plugs, "<th>Torque<th>Fastener", "<td>13 ft.lb<td>Spark plug");
        assert_eq!(answer_on(&first, "spark plug gap").as_deref(), Some("Spark plug gap: 0.043 in"));
        assert!(answer_on(&torque, "spark plug torque").is_some_and(|text| text.contains("13 ft.lb")));
        let oil =
            table("Engine oil capacity and change interval", "<th>Oil<th>Interval", "<td>Engine oil<td>10,000 miles");
        assert_eq!(answer_on(&oil, "engine oil capacity"), None);
        // The size says which tyre it is, and the columns which wheels.
        let tyres = table("Tyre pressure", "<th>Tyre size<th>Front", "<td>205/55 tyre<td>2.1 bar");
        assert!(answer_on(&tyres, "tyre pressure").is_some_and(|text| text.contains("2.1 bar")));
    }

    #[test]
    fn entries_and_sections_answer_as_well() {
        assert_eq!(answer("default port").as_deref(), Some("port: Default 5432. It may be any number."));
        assert_eq!(answer("precision of decimals").as_deref(), Some("Up to 131072 digits."));
        assert_eq!(answer("how many ports"), answer("port"));
        assert!(answer("signed numbers").is_some_and(|text| text.contains("Unsigned ones are not")));
    }
}

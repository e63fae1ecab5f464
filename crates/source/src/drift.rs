//! Values that are not what they were on earlier pages, although the selector still matches.

use std::collections::BTreeSet;

use autoheal_page::apply::Extraction;
use autoheal_page::recipe::{Field, Recipe};

use crate::facts::PageFacts;
use crate::likeness::Likeness;

/// Maximum number of earlier values to compare with.
const SAMPLES: usize = 40;

/// A list this many times longer or shorter than ever is another list.
const LIST_FACTOR: usize = 4;

/// Fewer equal entries of a list are a coincidence.
const FEWEST_ALIKE: usize = 4;

/// A list is long only from this many entries on.
const LONG_LIST: usize = 8;

/// Names and descriptions of fields that give what another field gives, and never did: a rule that lost its own value often finds a neighbour's.
pub(crate) fn confusions(recipe: &Recipe, extraction: &Extraction, history: &[PageFacts]) -> Vec<(String, String)> {
    let single: Vec<&Field> = recipe.fields().iter().filter(|field| !field.many).collect();
    let mut found = Vec::new();
    for field in &single {
        for other in single.iter().filter(|other| other.name != field.name) {
            let (name, other_name) = (field.name.as_str(), other.name.as_str());
            let both = extraction.records.iter().find_map(|record| {
                let texts = |name| record.field(name).and_then(|outcome| outcome.texts().into_iter().next());
                texts(name).zip(texts(other_name)).filter(|(text, other)| is_in(other, text))
            });
            let Some((text, other_text)) = both else { continue };
            let on = |page: &PageFacts, name: &str| page.texts.get(name).cloned().unwrap_or_default();
            let is_new = !history.iter().flat_map(|page| on(page, name)).any(|known| known == text);
            let were_alike = history
                .iter()
                .any(|page| on(page, name).iter().zip(&on(page, other_name)).any(|(text, other)| is_in(other, text)));
            let is_known = [name, other_name].iter().all(|name| history.iter().any(|page| !on(page, name).is_empty()));
            // Of two fields with one value, the one that has had it before is right.
            if is_known && !were_alike && is_new {
                let change = format!("Changed field: {name} has what {other_name} has: {}", quoted(&other_text));
                found.push((name.to_owned(), change));
            }
        }
    }
    found
}

/// The beginning of a value, in quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(60).collect::<String>())
}

/// Returns whether a text is the other, or most of it.
fn is_in(part: &str, whole: &str) -> bool {
    part.chars().count() >= 3 && part.len() * 2 > whole.len() && whole.contains(part)
}

/// Describes how the values of a field differ from those on earlier pages; `None`: they do not differ.
pub(crate) fn drift(recipe: &Recipe, field: &Field, now: &PageFacts, history: &[PageFacts]) -> Option<String> {
    let name = field.name.as_str();
    let texts_on = |page: &PageFacts| page.texts.get(name).cloned().unwrap_or_default();
    let texts = texts_on(now);
    let earlier: Vec<Vec<String>> = history.iter().map(texts_on).collect();
    if history.is_empty() || earlier.iter().all(Vec::is_empty) {
        return None;
    }
    if texts.is_empty() {
        // A field that was on every page and is not on this one has vanished; a field that came and went may do so again.
        let was_always_there = earlier.iter().all(|texts| !texts.is_empty());
        return (was_always_there && !field.required).then(|| format!("Vanished field: {name}"));
    }
    if field.many || recipe.items().is_some() {
        let lengths = || earlier.iter().map(Vec::len).filter(|length| *length > 0);
        let (shortest, longest) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
        let is_longer = texts.len() > longest.saturating_mul(LIST_FACTOR).max(LONG_LIST);
        if is_longer || texts.len().saturating_mul(LIST_FACTOR) < shortest {
            return Some(format!("Changed field: {name} has {} entries, and had {shortest} to {longest}", texts.len()));
        }
        if has_collapsed(&texts, &earlier) {
            let (count, example) = (texts.len(), quoted(texts.first()?));
            return Some(format!("Changed field: {name} is the same in all {count} entries: {example}"));
        }
    } else {
        let matched_on = |page: &PageFacts| page.matched.get(name).copied().unwrap_or(0);
        let most = history.iter().map(matched_on).max().unwrap_or(0);
        if matched_on(now) > most.saturating_mul(3).max(2) {
            return Some(format!(
                "Changed field: its selector matches {} nodes for {name}, and matched {most}",
                matched_on(now)
            ));
        }
    }
    let known: Vec<&String> = earlier.iter().flatten().take(SAMPLES).collect();
    let likeness = Likeness::of(name, &known);
    let strange: Vec<&String> = texts.iter().filter(|text| likeness.is_strange(text)).collect();
    let example = quoted(strange.first()?);
    (strange.len() * 2 > texts.len())
        .then(|| format!("Changed field: {name} looks like nothing it was before: {example}"))
}

/// Returns whether all entries of a list are the same now, while hardly any two were on each earlier page: a note that every item has,
/// such as the cost of delivery, in place of the value.
fn has_collapsed(texts: &[String], earlier: &[Vec<String>]) -> bool {
    let distinct = |texts: &[String]| texts.iter().collect::<BTreeSet<_>>().len();
    let is_varied = |texts: &[String]| distinct(texts) * 5 >= texts.len() * 4;
    texts.len() >= FEWEST_ALIKE && distinct(texts) == 1 && earlier.iter().all(|texts| is_varied(texts))
}

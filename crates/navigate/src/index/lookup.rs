//! The answer to a goal by the index of a manual. The texts that have every word of the goal are judged as on a walk.

use std::fmt::Write as _;

use autoheal_store::manual_index::FoundUnit;
use autoheal_store::{ManualIndex, StoreError};
use url::Url;

use super::content::partial_page;
use super::query::{Query, variants};
use super::subject::subject;
use crate::answer::{self, Answer};
use crate::goal::Goal;
use crate::page_state::PageState;
use crate::relevance::Found;
use crate::result::NavigationResult;
use crate::walk;

/// Maximum number of texts that are judged.
const MOST_CANDIDATES: u32 = 600;

/// Maximum number of texts that lack one word of the goal, for each word, and of their pages that are read.
const MOST_ROWS: u32 = 50;
const MOST_PAGES: usize = 6;

/// Maximum number of equal answers, or of vehicles that a goal may mean, that are returned together.
const MOST_TOGETHER: usize = 5;

/// An answer with its page.
struct Candidate {
    answer: Answer,
    page: PageState,
    subject: String,
}

/// Result of a lookup.
pub(crate) struct Looked {
    pub(crate) result: NavigationResult,
    /// Summary of the lookup, for the path.
    pub(crate) hint: String,
}

/// Answers a goal by the index of the manual that starts at `start`.
pub(crate) async fn lookup(start: &Url, goal: &Goal, index: &ManualIndex) -> Result<Looked, StoreError> {
    let name = index.place_of(start.as_str()).await?.map(|(title, _)| title).unwrap_or_default();
    let query = Query::read(&goal.text, goal, &name, index).await?;
    let mut texts = 0;
    let mut found = judge(&query, goal, index, &mut texts).await?;
    if found.is_empty() {
        for variant in variants(&goal.text, index).await? {
            let query = Query::read(&variant, goal, &name, index).await?;
            found = judge(&query, goal, index, &mut texts).await?;
            if !found.is_empty() {
                break;
            }
        }
    }
    let hint = format!("texts with its words: {texts}");
    let result = match conclude(found) {
        Ok(result) if result.success => with_corrections(result, &query),
        Ok(_) => closest(&query, goal, index).await?,
        Err(reason) => NavigationResult { error: format!("not found: {reason}"), ..NavigationResult::default() },
    };
    Ok(Looked { result, hint })
}

/// Returns the best answer of each page: of the texts to which every word of the goal applies, or else of pages whose prose has the
/// word that a row lacks.
async fn judge(
    query: &Query,
    goal: &Goal,
    index: &ManualIndex,
    texts: &mut usize,
) -> Result<Vec<Candidate>, StoreError> {
    let units = index.find(&query.groups, true, MOST_CANDIDATES).await?;
    *texts = units.len();
    let by_page = units.chunk_by(|one, other| one.url == other.url);
    let found: Vec<Candidate> = by_page.filter_map(|units| answer_of(units, query, goal)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let mut found = Vec::new();
    for url in pages_without_one(query, index).await? {
        found.extend(answer_of(&index.units_of(&url).await?, query, goal));
    }
    Ok(found)
}

fn answer_of(units: &[FoundUnit], query: &Query, goal: &Goal) -> Option<Candidate> {
    let page = page_of(units).filter(|page| walk::holds(page, goal))?;
    let answer = answer::best(&page, &query.relevance, query.manual)?;
    Some(Candidate { answer, subject: subject(&page, goal), page })
}

/// Returns the pages with rows to which all words of the goal but one apply.
async fn pages_without_one(query: &Query, index: &ManualIndex) -> Result<Vec<String>, StoreError> {
    let mut pages: Vec<String> = Vec::new();
    if query.groups.len() < 3 || query.groups.iter().any(Vec::is_empty) {
        return Ok(pages);
    }
    for without in 0..query.groups.len() {
        let mut groups = query.groups.clone();
        groups.remove(without);
        let units = index.find(&groups, true, MOST_ROWS).await?;
        for unit in units.into_iter().filter(|unit| unit.kind == "row") {
            if pages.len() < MOST_PAGES && !pages.contains(&unit.url) {
                pages.push(unit.url);
            }
        }
    }
    Ok(pages)
}

fn page_of(units: &[FoundUnit]) -> Option<PageState> {
    let url = Url::parse(&units.first()?.url).ok()?;
    partial_page(url, units)
}

/// Returns the best answer; of several vehicles, one for each.
fn conclude(mut found: Vec<Candidate>) -> Result<NavigationResult, String> {
    found.sort_by(|one, other| other.answer.score.total_cmp(&one.answer.score));
    let mut subjects: Vec<&Candidate> = Vec::new();
    for candidate in &found {
        if !subjects.iter().any(|other| other.subject == candidate.subject) {
            subjects.push(candidate);
        }
    }
    let Some(first) = subjects.first() else { return Ok(NavigationResult::default()) };
    let all_equal = subjects.iter().all(|one| one.answer.text == first.answer.text);
    if subjects.len() > 1 && !all_equal {
        return together(
            &subjects,
            |one| format!("{}:\n{}", one.subject, one.answer.text),
            "vehicles or parts of the manual",
        );
    }
    let mut equal: Vec<&Candidate> = Vec::new();
    for candidate in found.iter().take_while(|one| (one.answer.score - first.answer.score).abs() < 1e-9) {
        if !equal.iter().any(|other| other.answer.text == candidate.answer.text) {
            equal.push(candidate);
        }
    }
    together(
        &equal,
        |one| {
            if equal.len() > 1 {
                format!("{}:\n{}", one.page.place(), one.answer.text)
            } else {
                one.answer.text.clone()
            }
        },
        "passages",
    )
}

fn together(all: &[&Candidate], text: impl Fn(&Candidate) -> String, what: &str) -> Result<NavigationResult, String> {
    let Some(first) = all.first() else { return Ok(NavigationResult::default()) };
    if all.len() > MOST_TOGETHER {
        let named: Vec<String> =
            all.iter().take(MOST_TOGETHER).map(|one| format!("\"{}\"", one.page.place())).collect();
        return Err(format!(
            "{} {what} match the goal equally, such as {}; be more specific",
            all.len(),
            named.join(", ")
        ));
    }
    let texts: Vec<String> = all.iter().map(|one| text(one)).collect();
    Ok(NavigationResult {
        success: true,
        content: texts.join("\n\n"),
        url: first.page.url.to_string(),
        breadcrumb: first.page.place(),
        ..NavigationResult::default()
    })
}

fn with_corrections(mut result: NavigationResult, query: &Query) -> NavigationResult {
    for (word, meant) in &query.corrected {
        let _ = write!(result.content, "\n\n(\"{word}\" is not in the manual; this answers \"{meant}\")");
    }
    result
}

/// Returns the reason there is no answer, with the text that has most of the goal.
async fn closest(query: &Query, goal: &Goal, index: &ManualIndex) -> Result<NavigationResult, StoreError> {
    let mut reason = String::from("not found: no text of the manual has all words of the goal together");
    for (word, similar) in &query.unknown {
        let _ = write!(reason, "; the manual does not have the word \"{word}\"");
        if !similar.is_empty() {
            let _ = write!(reason, ", but \"{}\"", similar.join("\", \""));
        }
    }
    let groups: Vec<Vec<String>> = query.groups.iter().filter(|group| !group.is_empty()).cloned().collect();
    let mut best: Option<(f64, Found, PageState, String)> = None;
    for unit in index.find(&groups, false, 20).await? {
        let Some(page) = page_of(std::slice::from_ref(&unit)) else { continue };
        let mut found = query.relevance.read(&unit.own).found;
        for text in unit.keys.iter().chain(&unit.above).chain([&unit.title, &page.place()]) {
            found = found.and(query.relevance.read(text).found);
        }
        let found = found.both(query.relevance.required());
        let weight = query.relevance.weight(found);
        if best.as_ref().is_none_or(|(most, ..)| weight > *most) {
            best = Some((weight, found, page, unit.text));
        }
    }
    let mut result = NavigationResult::default();
    if let Some((_, found, page, text)) = best {
        let missing = query.relevance.required().without(found).without(query.manual);
        let missing = query.relevance.names(missing).join("\", \"");
        let place = page.place();
        let _ = write!(reason, "; closest is \"{place}\" ({})", page.url);
        if !missing.is_empty() {
            let _ = write!(reason, ", without \"{missing}\"");
        }
        if !walk::holds(&page, goal) {
            reason.push_str(", of another vehicle or part of the manual");
        }
        result.url = page.url.to_string();
        result.breadcrumb = place;
        result.content = text;
    }
    result.error = reason;
    Ok(result)
}

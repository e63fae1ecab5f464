//! The way without a model: the page that looks most relevant next, until one holds the answer.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use url::Url;

use crate::answer::{self, Answer};
use crate::cache::Cache;
use crate::frontier::Frontier;
use crate::goal::Goal;
use crate::page_state::PageState;
use crate::relevance::Relevance;
use crate::trace::Trace;
use crate::walk;
use crate::words::{Role, terms, words};

/// Minimum similarity (Jaro-Winkler) of a word of the manual and a word of the goal that may be misspelt.
const SIMILAR_WORD: f64 = 0.9;

/// An answer with its page.
type Located = (Answer, Arc<PageState>);

/// Outcome of a search.
pub(crate) struct Outcome {
    /// The answer and its page.
    pub(crate) answer: Option<Located>,
    /// The last page that was seen.
    pub(crate) last: Option<Arc<PageState>>,
    /// Reason the search ended without an answer.
    pub(crate) reason: String,
    /// Reason the first page is not available.
    pub(crate) unavailable: Option<String>,
}

/// Searches from `start` on. If links name several vehicles that the goal may mean, each of them is searched.
pub(crate) async fn search(start: &Url, goal: &Goal, cache: &mut Cache<'_>, trace: &mut Trace<'_>) -> Outcome {
    let walked = walk::walk(start, goal, cache, trace).await;
    let mut alternatives = walked.alternatives.clone();
    let first = walked.vehicle.clone();
    let mut outcome = search_from(walked, goal, cache, trace).await;
    if alternatives.is_empty() {
        return outcome;
    }
    let mut answers = vec![(first, outcome.answer.take())];
    while let Some((url, name)) = alternatives.pop() {
        let Some(walked) = walk::vehicle_at(&url, &name, goal, cache, trace).await else {
            answers.push((name, None));
            continue;
        };
        let other = search_from(walked, goal, cache, trace).await;
        answers.push((name, other.answer));
    }
    outcome.answer = together(answers);
    outcome
}

/// Returns the answers for several vehicles as one; `None` if there is no answer for any of them.
fn together(answers: Vec<(String, Option<Located>)>) -> Option<Located> {
    let texts: Vec<String> = answers
        .iter()
        .map(|(name, answer)| {
            let text = answer.as_ref().map_or("not found", |(answer, _)| answer.text.as_str());
            format!("{name}:\n{text}")
        })
        .collect();
    let (mut answer, page) = answers.into_iter().find_map(|(_, answer)| answer)?;
    answer.text = texts.join("\n\n");
    Some((answer, page))
}

/// Searches from the pages that a walk has found.
async fn search_from(walked: walk::Walked, goal: &Goal, cache: &mut Cache<'_>, trace: &mut Trace<'_>) -> Outcome {
    let context: Vec<&str> = goal.context.iter().map(|(_, value)| value.as_str()).collect();
    // Where the walk did not arrive, links that name the vehicle are as good as those that name the goal.
    let looked_for = if walked.arrived { goal.text.clone() } else { format!("{} {}", goal.text, context.join(" ")) };
    let mut frontier = Frontier::new(&looked_for, walked.home.as_deref());
    frontier.base = walked.pages.last().map(|page| page.url.clone());
    let mut passages = Relevance::of(&goal.text);
    let manual = walked.home.as_ref().map(|home| passages.read_name(&home.title)).unwrap_or_default();
    let mut best: Option<Located> = None;
    let mut last = None;
    let mut visited = Vec::new();
    let mut waited = 0;
    let mut next = walked.pages;
    let mut reason = "no page that was visited holds the answer, and every link was followed";
    frontier.seen.extend(walked.seen);
    loop {
        for page in next.drain(..) {
            frontier.visited(&page);
            for passage in &page.passages {
                let read = passages.read(&passage.own);
                passages.learn(read);
            }
            if walk::holds(&page, goal)
                && let Some(answer) = answer::best(&page, &passages, manual)
                && best.as_ref().is_none_or(|(best, _)| answer.score > best.score)
            {
                best = Some((answer, Arc::clone(&page)));
                waited = 0;
            }
            visited.push(Arc::clone(&page));
            last = Some(page);
        }
        if let Some((answer, _)) = &best {
            if waited >= answer.patience || !frontier.is_promising() {
                break;
            }
            waited += 1;
        }
        if !trace.may_go_on() {
            reason = "no page that was visited holds the answer, and the steps are used up";
            break;
        }
        let Some((url, name)) = frontier.next() else { break };
        frontier.seen.insert(url.clone());
        match cache.page(&url).await {
            Ok(page) => {
                trace.step(format!("OPEN '{name}'"), page.hint());
                next.push(page);
            }
            Err(error) => trace.step(format!("OPEN '{name}'"), format!("no page: {error}")),
        }
    }
    let mut reason = reason.to_owned();
    if best.is_none() {
        reason.push_str(&unknown_words(goal, &visited));
    }
    if let Some(missing) = walked.missing {
        reason = format!("{missing}; {reason}");
    }
    Outcome { answer: best, last, reason, unavailable: walked.unavailable }
}

/// Names the words of the goal that no visited page has, with the most similar word of the pages.
fn unknown_words(goal: &Goal, visited: &[Arc<PageState>]) -> String {
    let mut known: HashSet<String> = HashSet::new();
    for page in visited {
        known.extend(words(&page.content_text));
        known.extend(page.links.iter().flat_map(|link| words(&link.text)));
        known.extend(words(&page.place()));
    }
    let mut text = String::new();
    for term in terms(&goal.text).iter().filter(|term| term.role == Role::Required) {
        if known.iter().any(|word| term.is(word)) {
            continue;
        }
        let near = known.iter().filter(|word| word.chars().count() >= 4 && term.word.chars().count() >= 4);
        let near = near.map(|word| (strsim::jaro_winkler(word, &term.word), word));
        let near = near
            .filter(|(similar, _)| *similar >= SIMILAR_WORD)
            .max_by(|(one, a), (other, b)| one.total_cmp(other).then(b.cmp(a)));
        let _ = write!(text, "; no page that was visited has the word \"{}\"", term.word);
        if let Some((_, word)) = near {
            let _ = write!(text, ": did you mean \"{word}\"?");
        }
    }
    text
}

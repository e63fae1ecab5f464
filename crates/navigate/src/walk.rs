//! From the home page of a manual to the pages of the vehicle: home, make (or a part of it, such as `Jeep Truck`), year, model. Links say
//! which value they lead to; a way that ends is gone back.

use std::collections::HashSet;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::address::without_fragment;
use crate::cache::Cache;
use crate::goal::Goal;
use crate::page_state::PageState;
use crate::trace::Trace;
use crate::words::words;

/// Result of a walk.
pub(crate) struct Walked {
    /// True if every value of the context was found.
    pub(crate) arrived: bool,
    /// The pages to search from: that of the vehicle, or every page that was seen.
    pub(crate) pages: Vec<Arc<PageState>>,
    /// URLs of all pages that were requested.
    pub(crate) seen: HashSet<Url>,
    /// The page it began at.
    pub(crate) home: Option<Arc<PageState>>,
}

/// A page on the way, with the values still to find and the links that may lead to them, the best one last.
struct Stop {
    missing: Vec<Vec<String>>,
    ways: Vec<(Url, String)>,
}

/// Walks from `start` until the page, or the way to it, names every value of the context.
pub(crate) async fn walk(start: &Url, goal: &Goal, cache: &mut Cache<'_>, trace: &mut Trace<'_>) -> Walked {
    let mut walked = Walked { arrived: false, pages: Vec::new(), seen: HashSet::new(), home: None };
    walked.seen.insert(without_fragment(start));
    let home = match cache.page(start).await {
        Ok(page) => page,
        Err(error) => {
            trace.step(format!("OPEN {start}"), format!("no page: {error}"));
            return walked;
        }
    };
    trace.step(format!("OPEN {start}"), home.hint());
    walked.seen.insert(home.url.clone());
    walked.home = Some(Arc::clone(&home));
    walked.pages.push(Arc::clone(&home));
    let mut stops = vec![stop(&home, &values(goal))];
    while let Some(current) = stops.last_mut() {
        if current.missing.is_empty() {
            walked.arrived = true;
            // Nothing is to be found above the vehicle.
            walked.pages.drain(..walked.pages.len().saturating_sub(1));
            return walked;
        }
        let Some((url, text)) = current.ways.pop() else {
            stops.pop();
            continue;
        };
        if walked.seen.contains(&url) {
            continue;
        }
        if !trace.may_go_on() {
            return walked;
        }
        let missing = without(&current.missing, &words(&text));
        walked.seen.insert(url.clone());
        match cache.page(&url).await {
            Ok(page) => {
                trace.step(format!("CLICK '{text}'"), page.hint());
                walked.seen.insert(page.url.clone());
                stops.push(stop(&page, &missing));
                walked.pages.push(page);
            }
            Err(error) => trace.step(format!("CLICK '{text}'"), format!("no page: {error}")),
        }
    }
    walked
}

/// Returns whether a page is about everything in the context, by its place in the manual, its title and its address.
pub(crate) fn holds(page: &PageState, goal: &Goal) -> bool {
    holds_with(page, "", goal)
}

/// The same, where the way to the page may say it as well.
pub(crate) fn holds_with(page: &PageState, way: &str, goal: &Goal) -> bool {
    let mut named = place_words(page);
    named.extend(words(way));
    without(&values(goal), &named).is_empty()
}

fn values(goal: &Goal) -> Vec<Vec<String>> {
    goal.context.iter().map(|(_, value)| words(value)).filter(|words| !words.is_empty()).collect()
}

fn place_words(page: &PageState) -> Vec<String> {
    let path = percent_decode_str(page.url.path()).decode_utf8_lossy().replace(['/', '-', '_', '+'], " ");
    words(&format!("{} {} {path}", page.place(), page.title))
}

fn without(values: &[Vec<String>], words: &[String]) -> Vec<Vec<String>> {
    values.iter().filter(|value| !value.iter().all(|word| words.contains(word))).cloned().collect()
}

/// Returns the values that are missing at a page, and the links that name some of them. Links that name more are better, then
/// those with fewer other words.
fn stop(page: &PageState, missing: &[Vec<String>]) -> Stop {
    let missing = without(missing, &place_words(page));
    let mut ways: Vec<(usize, usize, Url, String)> = page
        .links
        .iter()
        .filter_map(|link| {
            let words = words(&link.text);
            let named = missing.len() - without(&missing, &words).len();
            (named > 0).then(|| (named, words.len(), without_fragment(&link.href), link.text.clone()))
        })
        .collect();
    // The last one is tried first, and of equals the first of the page.
    ways.reverse();
    ways.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
    Stop { missing, ways: ways.into_iter().map(|(.., url, text)| (url, text)).collect() }
}

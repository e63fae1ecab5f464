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
    /// Text of the link to the vehicle.
    pub(crate) vehicle: String,
    /// Other links that name the vehicle in the same way, in reverse order.
    pub(crate) alternatives: Vec<(Url, String)>,
    /// Explanation of which value no link names, and which ones are similar.
    pub(crate) missing: Option<String>,
    /// Reason the first page is not available.
    pub(crate) unavailable: Option<String>,
}

/// Maximum number of further vehicles of the same name that are searched.
const MOST_ALTERNATIVES: usize = 4;

/// Minimum similarity (Jaro-Winkler) of a value and a word that may be meant, and number of words and values that are named.
const SIMILAR: f64 = 0.85;
const MOST_NAMED: usize = 8;

/// A page on the way, with the values still to find and the links that may lead to them, the best one last.
struct Stop {
    missing: Vec<Vec<String>>,
    ways: Vec<(Url, String)>,
}

/// Walks from `start` until the page, or the way to it, names every value of the context.
pub(crate) async fn walk(start: &Url, goal: &Goal, cache: &mut Cache<'_>, trace: &mut Trace<'_>) -> Walked {
    let mut walked = Walked {
        arrived: false,
        pages: Vec::new(),
        seen: HashSet::new(),
        home: None,
        vehicle: String::new(),
        alternatives: Vec::new(),
        missing: None,
        unavailable: None,
    };
    walked.seen.insert(without_fragment(start));
    let home = match cache.page(start).await {
        Ok(page) => page,
        Err(error) => {
            trace.step(format!("OPEN {start}"), format!("no page: {error}"));
            walked.unavailable = Some(error);
            return walked;
        }
    };
    trace.step(format!("OPEN {start}"), home.hint());
    walked.seen.insert(home.url.clone());
    walked.home = Some(Arc::clone(&home));
    walked.pages.push(Arc::clone(&home));
    let mut stops = vec![stop(&home, &values(goal))];
    let mut furthest = (stops[0].missing.clone(), Arc::clone(&home));
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
        let alternatives = alternatives(current, &text);
        if !trace.may_go_on() {
            return walked;
        }
        let missing = without(&current.missing, &words(&text));
        walked.seen.insert(url.clone());
        match cache.page(&url).await {
            Ok(page) => {
                trace.step(format!("CLICK '{text}'"), page.hint());
                walked.seen.insert(page.url.clone());
                let next = stop(&page, &missing);
                if next.missing.len() < furthest.0.len() {
                    furthest = (next.missing.clone(), Arc::clone(&page));
                }
                if next.missing.is_empty() {
                    walked.alternatives = alternatives;
                    walked.vehicle = text;
                }
                stops.push(next);
                walked.pages.push(page);
            }
            Err(error) => trace.step(format!("CLICK '{text}'"), format!("no page: {error}")),
        }
    }
    walked.missing = Some(explain(&furthest.0, &furthest.1));
    walked
}

/// Opens the page of another vehicle that the goal may mean; `None` if it cannot be read, or no steps are left.
pub(crate) async fn vehicle_at(
    url: &Url,
    name: &str,
    goal: &Goal,
    cache: &mut Cache<'_>,
    trace: &mut Trace<'_>,
) -> Option<Walked> {
    if !trace.may_go_on() {
        return None;
    }
    let page = match cache.page(url).await {
        Ok(page) => page,
        Err(error) => {
            trace.step(format!("CLICK '{name}'"), format!("no page: {error}"));
            return None;
        }
    };
    trace.step(format!("CLICK '{name}'"), page.hint());
    holds_with(&page, name, goal).then(|| Walked {
        arrived: true,
        seen: HashSet::from([url.clone(), page.url.clone()]),
        home: Some(Arc::clone(&page)),
        pages: vec![page],
        vehicle: name.to_owned(),
        alternatives: Vec::new(),
        missing: None,
        unavailable: None,
    })
}

/// Returns the other links of a page that name all values that the link `text` names, with further words. A link that
/// is exactly called so is the one that is meant.
fn alternatives(stop: &Stop, text: &str) -> Vec<(Url, String)> {
    let named = words(text);
    let missing = without(&stop.missing, &named);
    let is_exact = named.iter().all(|word| stop.missing.iter().flatten().any(|value| value == word));
    if !missing.is_empty() || is_exact {
        return Vec::new();
    }
    let mut others: Vec<(Url, String)> = Vec::new();
    for (url, other) in stop.ways.iter().rev() {
        let is_same = without(&stop.missing, &words(other)).is_empty();
        if is_same && other != text && !others.iter().any(|(known, _)| known == url) {
            others.push((url.clone(), other.clone()));
        }
    }
    others.truncate(MOST_ALTERNATIVES);
    others.reverse();
    others
}

/// Explains which values the manual does not name below a page, and which ones are similar.
fn explain(missing: &[Vec<String>], page: &PageState) -> String {
    let Some(value) = missing.first() else { return String::new() };
    let value = value.join(" ");
    let mut near: Vec<(f64, &str)> = Vec::new();
    for link in &page.links {
        let similar = words(&link.text).iter().map(|word| similarity(word, &value)).fold(0.0, f64::max);
        if similar >= SIMILAR && !near.iter().any(|(_, text)| *text == link.text) {
            near.push((similar, &link.text));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    let near: Vec<&str> = near.into_iter().take(MOST_NAMED).map(|(_, text)| text).collect();
    let hint = match near.as_slice() {
        [] => String::new(),
        [one] if !value.chars().all(|letter| letter.is_ascii_digit()) => format!("; did you mean \"{one}\"?"),
        several => format!("; similar are \"{}\"", several.join("\", \"")),
    };
    format!("no link below \"{}\" names \"{value}\"{hint}", page.place())
}

/// Returns how similar a word of a link is to a value. Years are similar within a few years.
fn similarity(word: &str, value: &str) -> f64 {
    match (word.parse::<i64>(), value.parse::<i64>()) {
        (Ok(one), Ok(other)) if one.abs_diff(other) <= 5 => {
            1.0 - 0.01 * f64::from(u8::try_from(one.abs_diff(other)).unwrap_or(5))
        }
        (Err(_), Err(_)) => strsim::jaro_winkler(word, value),
        (Ok(_), _) | (_, Ok(_)) => 0.0,
    }
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

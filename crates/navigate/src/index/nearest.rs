//! The passages of an index that have most of a goal, for a model.

use autoheal_store::{ManualIndex, StoreError};
use url::Url;

use super::content::partial_page;
use super::query::Query;
use crate::goal::Goal;
use crate::page_state::PageState;
use crate::walk;

/// Maximum number of texts that are compared with the goal.
const MOST_CANDIDATES: u32 = 200;

/// Returns at most `most` passages, the most relevant first, each as a page with this passage only. Those of another vehicle are
/// left out.
pub(crate) async fn nearest(
    start: &Url,
    goal: &Goal,
    index: &ManualIndex,
    most: usize,
) -> Result<Vec<PageState>, StoreError> {
    let name = index.place_of(start.as_str()).await?.map(|(title, _)| title).unwrap_or_default();
    let query = Query::read(&goal.text, goal, &name, index).await?;
    let groups: Vec<Vec<String>> = query.groups.iter().filter(|group| !group.is_empty()).cloned().collect();
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let mut units = index.find(&groups, true, MOST_CANDIDATES).await?;
    units.extend(index.find(&groups, false, MOST_CANDIDATES).await?);
    let mut ranked: Vec<(f64, u32, PageState)> = Vec::new();
    for unit in units {
        let Some(page) = Url::parse(&unit.url).ok().and_then(|url| partial_page(url, std::slice::from_ref(&unit)))
        else {
            continue;
        };
        let is_known = ranked.iter().any(|(.., other)| other.url == page.url && other.passages == page.passages);
        if is_known || !walk::holds(&page, goal) {
            continue;
        }
        let own = query.relevance.read(&unit.own);
        let keys = unit.keys.iter().fold(own.found, |found, key| found.and(query.relevance.read(key).found));
        let around = unit
            .above
            .iter()
            .chain([&unit.title])
            .fold(keys, |found, text| found.and(query.relevance.read(text).found));
        let place = query.relevance.read(&page.place()).found;
        // The words of a passage itself count more than those above it.
        let weight = query.relevance.weight(around.and(place)) + query.relevance.weight(keys);
        ranked.push((weight, own.length, page));
    }
    // Of equals the shortest.
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    ranked.truncate(most);
    Ok(ranked.into_iter().map(|(.., page)| page).collect())
}

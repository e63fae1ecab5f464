//! Acceptance by a user of the values that a failed run gave: the site has changed what it says, and the recipe is right.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Decision, Health, Snapshot, SourceRecord};
use autoheal_page::recipe::Recipe;
use autoheal_store::{RecipeRow, SourceRow, Store};
use serde_json::Value;
use url::Url;

use crate::decide::{self, DecideError};
use crate::definition::{Definition, OnUncertain};
use crate::fault_log::{self, Extent};
use crate::healed::Failing;
use crate::name::SourceName;
use crate::refresh::values_notice;
use crate::validation::values;

/// Values of a failed page that the recipe gives, and that look unlike those before.
#[derive(Debug, Clone, PartialEq)]
pub struct UnlikeBefore {
    /// The page, after all redirects.
    pub url: Url,
    /// The values, by field, or a list of such records.
    pub values: Value,
    /// The values that were accepted last.
    before: Option<Value>,
    /// The page as it becomes a good one.
    good: Snapshot,
    /// Version of the recipe that gives them.
    version: u32,
}

/// Returns the values of the source's pages that have failed and were not read well since, where only a comparison with earlier pages
/// refuses them.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`]; [`DecideError::NothingToAccept`] if no failed page is kept; [`DecideError::NotReadable`] if the recipe does
/// not give the values of a page; and what the database reports.
pub async fn to_accept(store: &Store, name: &SourceName) -> Result<Vec<UnlikeBefore>, DecideError> {
    let row = decide::find(store, name).await?;
    unlike_before(store, name, &row.health, &serde_json::from_value(row.definition)?).await
}

async fn unlike_before(
    store: &Store,
    name: &SourceName,
    health: &Health,
    definition: &Definition,
) -> Result<Vec<UnlikeBefore>, DecideError> {
    let active = active(store, name).await?;
    let recipe: Recipe = serde_json::from_value(active.recipe)?;
    let mut found = Vec::new();
    for page in definition.pages() {
        let Some(failing) = Failing::at(store, name.as_str(), page).await? else { continue };
        let last = store.last_values(name.as_str(), failing.place.as_str()).await?;
        // Values that were kept in part do not show that a page is good.
        let kept_at = last.as_ref().map(|last| last.at).filter(|_| definition.on_uncertain == OnUncertain::SkipRun);
        let good_at = [kept_at, failing.good_at, health.last_success_at];
        if good_at.into_iter().flatten().all(|good_at| good_at < failing.snapshot.taken_at) {
            let before = last.map(|last| last.values);
            found.push(judged(name, &recipe, active.version, failing, before)?);
        }
    }
    if found.is_empty() { Err(DecideError::NothingToAccept(name.clone())) } else { Ok(found) }
}

/// Accepts the values that [`to_accept`] returns: they are stored, later pages are compared with these pages, too, and a quarantine ends.
///
/// # Errors
///
/// As [`to_accept`].
pub async fn accept(
    store: &Store,
    name: &SourceName,
    asked_by: &str,
    now: Timestamp,
) -> Result<Vec<UnlikeBefore>, DecideError> {
    let row = decide::find(store, name).await?;
    let definition: Definition = serde_json::from_value(row.definition.clone())?;
    let accepted = unlike_before(store, name, &row.health, &definition).await?;
    let mut records = Vec::new();
    for page in &accepted {
        records.extend(values_notice(
            &row.source,
            &definition,
            (&page.url, page.version),
            page.before.as_ref(),
            &page.values,
            now,
        ));
        records.push(SourceRecord::Values {
            source: row.source.clone(),
            url: page.url.to_string(),
            version: page.version,
            values: page.values.clone(),
        });
        records.push(SourceRecord::Snapshot { source: row.source.clone(), snapshot: page.good.clone() });
    }
    let version = accepted.first().map(|page| page.version);
    records.extend(fault_log::observed(store, &row.source, &[], Extent::Whole, now).await?);
    records.push(ended(row, now));
    decide::write(store, name, records, (Decision::Accepted, version, None), asked_by, now).await?;
    Ok(accepted)
}

fn ended(row: SourceRow, now: Timestamp) -> SourceRecord {
    let mut health = row.health;
    health.accepted(now);
    SourceRecord::Released { source: row.source, health }
}

async fn active(store: &Store, name: &SourceName) -> Result<RecipeRow, DecideError> {
    let versions = store.recipes(name.as_str()).await?;
    let active = RecipeRow::active(&versions).cloned();
    active.ok_or_else(|| DecideError::NothingToAccept(name.clone()))
}

/// Reads a failed page. Missing or malformed values cannot be accepted: there would be nothing to store.
fn judged(
    name: &SourceName,
    recipe: &Recipe,
    version: u32,
    failing: Failing,
    before: Option<Value>,
) -> Result<UnlikeBefore, DecideError> {
    let url = failing.place.clone();
    match failing.into_good(recipe)? {
        Ok((good, extraction)) => Ok(UnlikeBefore { values: values(recipe, &extraction), url, before, good, version }),
        Err(failure) => {
            Err(DecideError::NotReadable { name: name.clone(), url: Box::new(url), reason: failure.message })
        }
    }
}

//! Another source of the same host broke for the same reason, and its fix was accepted: what helped there is tried first.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::source::Snapshot;
use autoheal_engine::workflow::StepError;
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_store::RecipeRow;
use url::Url;

use super::Change;
use crate::loaded::{Loaded, recipe_of};
use crate::refresh::DOCTOR;
use crate::services::{SourceServices, store_error};
use crate::validation::validate;

/// Older fixes were for another redesign.
const RECENT: Duration = Duration::from_hours(14 * 24);

/// Maximum number of sibling sources to examine.
const MOST_SIBLINGS: u32 = 20;

/// The fix of a sibling that gives everything on the failing page.
pub(super) async fn propose(
    services: &SourceServices,
    loaded: &Loaded,
    page: &Snapshot,
    now: Timestamp,
) -> Result<Option<Change>, StepError> {
    let document = Document::parse_bytes(&page.content);
    let url = Url::parse(&page.url).ok();
    for (sibling, versions) in siblings(services, loaded).await? {
        let Some((before, after)) = accepted_fix(&versions, now)? else { continue };
        let Some(recipe) = adopted(&loaded.recipe, &before, &after) else { continue };
        if loaded.is_refused(&recipe, &loaded.definition, now) {
            continue;
        }
        if !validate(&recipe, &recipe.apply(&document, url.as_ref()), &loaded.history).passed {
            continue;
        }
        return Ok(Some(Change {
            recipe,
            evidence: vec![format!("the fix for `{sibling}` is active, and also extracts everything on this page")],
            ..Change::of(loaded, format!("do what healed `{sibling}`, which is on the same host"))
        }));
    }
    Ok(None)
}

/// Other sources of the host, with the versions of their recipes.
async fn siblings(services: &SourceServices, loaded: &Loaded) -> Result<Vec<(String, Vec<RecipeRow>)>, StepError> {
    let store = &services.store;
    let of_host = store.sources_of_host(loaded.page.authority(), MOST_SIBLINGS).await;
    let mut found = Vec::new();
    for row in of_host.map_err(|error| store_error(&error))?.into_iter().filter(|row| row.source != loaded.row.source) {
        let versions = store.recipes(&row.source).await.map_err(|error| store_error(&error))?;
        found.push((row.source, versions));
    }
    Ok(found)
}

/// Returns the recipes before and after a recent active fix; `None`: the source has no such fix.
fn accepted_fix(versions: &[RecipeRow], now: Timestamp) -> Result<Option<(Recipe, Recipe)>, StepError> {
    let is_recent = |row: &&RecipeRow| row.promoted_at.is_some_and(|at| now.since(at) < RECENT);
    let active = RecipeRow::active(versions).filter(|row| row.asked_by == DOCTOR);
    let Some(after) = active.filter(is_recent) else { return Ok(None) };
    let before = versions.iter().find(|row| Some(row.version) == after.replaces);
    before.map(|before| Ok((recipe_of(before)?, recipe_of(after)?))).transpose()
}

/// The recipe with every rule that the sibling had as well as the sibling has it now; `None` when that changes nothing.
fn adopted(recipe: &Recipe, before: &Recipe, after: &Recipe) -> Option<Recipe> {
    let mut fields = recipe.fields().to_vec();
    for field in &mut fields {
        let same = before.fields().iter().find(|old| old.source == field.source && old.many == field.many);
        if let Some(new) = same.and_then(|old| after.field(old.name.as_str())) {
            field.source = new.source.clone();
        }
    }
    let items = if recipe.items() == before.items() { after.items() } else { recipe.items() };
    let next = if recipe.next() == before.next() { after.next() } else { recipe.next() };
    let adopted = recipe.clone().with_items(items.cloned()).ok()?.with_fields(fields).ok()?.with_next(next.cloned());
    (adopted != *recipe).then_some(adopted)
}

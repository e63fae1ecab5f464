//! Fields that a user adds to a source later, by examples.

use autoheal_engine::Timestamp;
use autoheal_engine::source::SnapshotRole;
use autoheal_page::Document;
use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_store::{RecipeRow, Store};

use crate::decide::{DecideError, find, replace};
use crate::definition::PageKind;
use crate::name::SourceName;
use crate::scout::{ScoutError, by_example};

/// Adds fields to the active recipe by examples of their values on the last good page; the rule of a field that it has already is replaced.
/// Returns the new version, which is active.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], [`DecideError::NothingGood`], [`DecideError::OfItems`], [`DecideError::Example`], and what the database
/// reports.
pub async fn teach(
    store: &Store,
    name: &SourceName,
    examples: &[(FieldName, String)],
    asked_by: &str,
    now: Timestamp,
) -> Result<u32, DecideError> {
    let row = find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let active = RecipeRow::active(&versions).ok_or_else(|| DecideError::NothingGood(name.clone()))?;
    let recipe: Recipe = serde_json::from_value(active.recipe.clone())?;
    if recipe.items().is_some() {
        return Err(DecideError::OfItems(name.clone()));
    }
    let good = store.snapshots(name.as_str(), SnapshotRole::Good, None, 1).await?;
    let page = good.first().ok_or_else(|| DecideError::NothingGood(name.clone()))?;
    let recipe = taught(recipe, &page.content, examples)?;
    replace(store, name, &recipe, serde_json::from_value(row.definition)?, asked_by, now).await
}

fn taught(recipe: Recipe, page: &[u8], examples: &[(FieldName, String)]) -> Result<Recipe, ScoutError> {
    let proposed = by_example(&Document::parse_bytes(page), examples, Some(PageKind::Single))?.recipe;
    let kept = recipe.fields().iter().filter(|field| proposed.field(field.name.as_str()).is_none());
    let fields = kept.chain(proposed.fields()).cloned().collect();
    Ok(recipe.with_fields(fields)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"{"version": 1, "fields": {"title": {"select": "h1"}, "color": {"select": ".c"}}}"#;
    const PAGE: &str = "<h1>Blue chair</h1><dl><dt>Color<dd class=c>blue<dt>Legs<dd>4</dl>";

    #[test]
    fn an_example_adds_a_field_or_replaces_its_rule() {
        let recipe = || Recipe::parse(RECIPE, "test").unwrap();
        let examples = |name: &str, value: &str| [(FieldName::parse(name).unwrap(), value.to_owned())];
        let more = taught(recipe(), PAGE.as_bytes(), &examples("legs", "4")).unwrap();
        let names: Vec<&str> = more.fields().iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["title", "color", "legs"]);
        let other = taught(recipe(), PAGE.as_bytes(), &examples("color", "4")).unwrap();
        assert_eq!(other.fields().len(), 2);
        assert_ne!(other.field("color").unwrap().select(), recipe().field("color").unwrap().select());
        assert!(taught(recipe(), PAGE.as_bytes(), &examples("legs", "5")).is_err());
    }
}

//! What a person decides about a source.

use autoheal_engine::source::{SourceRecord, Stage};
use autoheal_orchestrator::now;
use autoheal_source::{Definition, SourceName};
use autoheal_store::{RecipeRow, SourceRow, Store};
use serde_json::Value;

use super::find;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Who decides here.
pub(super) const PERSON: &str = "person";

pub(super) async fn release(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let mut health = find(store, name).await?.health;
    health.release(now());
    store.change_sources(now(), &[SourceRecord::Health { source: name.to_string(), health }]).await?;
    printer.say(&format!("`{name}` may be healed again; `autoheal source run {name}` tries now"));
    Ok(Exit::Fine)
}

pub(super) async fn rollback(
    name: &SourceName,
    to: Option<u32>,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let row = find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let wanted = to.or_else(|| in_force(&versions).and_then(|recipe| recipe.replaces));
    let Some(wanted) = wanted else {
        return Err(Failure::bad_input(format!(
            "`{name}` has no earlier version: `autoheal source history {name}` lists them"
        )));
    };
    let archived = versions.iter().find(|recipe| recipe.version == wanted && recipe.stage == Stage::Archived);
    let Some(archived) = archived else {
        return Err(Failure::bad_input(format!("version {wanted} of `{name}` was never in force, or is now")));
    };
    promote(&row, archived, &versions, store).await?;
    printer.say(&format!("version {wanted} of `{name}` is in force again"));
    Ok(Exit::Fine)
}

pub(super) async fn approve(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let row = find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let waiting = waiting(name, &versions)?;
    promote(&row, waiting, &versions, store).await?;
    printer.say(&format!("version {} of `{name}` is in force", waiting.version));
    Ok(Exit::Fine)
}

pub(super) async fn reject(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let version = waiting(name, &versions)?.version;
    store.change_sources(now(), &[SourceRecord::Rejected { source: name.to_string(), version }]).await?;
    printer.say(&format!("version {version} of `{name}` is refused and will not be proposed again"));
    Ok(Exit::Fine)
}

pub(super) async fn remove(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    find(store, name).await?;
    store.change_sources(now(), &[SourceRecord::Removed { source: name.to_string() }]).await?;
    printer.say(&format!("`{name}` is forgotten, with its recipes, pages and values"));
    Ok(Exit::Fine)
}

fn in_force(versions: &[RecipeRow]) -> Option<&RecipeRow> {
    versions.iter().find(|recipe| recipe.stage == Stage::Production)
}

/// The version that was validated and waits.
fn waiting<'a>(name: &SourceName, versions: &'a [RecipeRow]) -> Result<&'a RecipeRow, Failure> {
    let waiting = versions.iter().rev().find(|recipe| recipe.waits);
    waiting.ok_or_else(|| Failure::bad_input(format!("no fix of `{name}` waits for you")))
}

/// Puts a version into force. What a person has set since it was made stays.
async fn promote(row: &SourceRow, wanted: &RecipeRow, versions: &[RecipeRow], store: &Store) -> Result<(), Failure> {
    let of = |definition: &Value| serde_json::from_value::<Definition>(definition.clone());
    let (now_in_force, to) = (of(&row.definition)?, of(&wanted.definition)?);
    let current = in_force(versions);
    let from = current.map_or_else(|| Ok(now_in_force.clone()), |current| of(&current.definition))?;
    let change = SourceRecord::Promoted {
        source: row.source.clone(),
        version: wanted.version,
        definition: serde_json::to_value(now_in_force.changed_as(&from, &to))?,
        replaces: current.map(|recipe| recipe.version),
        asked_by: PERSON.to_owned(),
    };
    Ok(store.change_sources(now(), &[change]).await?)
}

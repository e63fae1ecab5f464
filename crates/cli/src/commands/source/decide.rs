//! Decisions of the user about a source.

use autoheal_engine::counted;
use autoheal_source::decide::{self, Changes, DecideError, Setting};
use autoheal_source::teach::teach;
use autoheal_source::{SourceName, accept};
use autoheal_store::Store;
use serde_json::json;

use super::find;
use super::run::read_recipe;
use crate::exit::{Exit, Failure};
use crate::person::person;
use crate::printer::Printer;
use crate::source_args::Set;

pub(super) async fn release(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    decide::release(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("released `{name}`; to run it now: autoheal source run {name}"));
    Ok(Exit::Fine)
}

pub(super) async fn rollback(
    name: &SourceName,
    to: Option<u32>,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let version = decide::rollback(store, name, to, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("rolled `{name}` back to version {version}"));
    Ok(Exit::Fine)
}

pub(super) async fn approve(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let version = decide::approve(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("activated version {version} of `{name}`"));
    Ok(Exit::Fine)
}

pub(super) async fn reject(
    name: &SourceName,
    reason: Option<&str>,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let version = decide::reject(store, name, reason, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!(
        "rejected version {version} of `{name}`; it will not be proposed again (to undo: autoheal source reconsider {name})"
    ));
    Ok(Exit::Fine)
}

pub(super) async fn reconsider(
    name: &SourceName,
    version: Option<u32>,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let version = decide::reconsider(store, name, version, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("version {version} of `{name}` waits for a review again"));
    Ok(Exit::Fine)
}

pub(super) async fn accept(
    name: &SourceName,
    is_dry_run: bool,
    json: bool,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let pages = if is_dry_run {
        accept::to_accept(store, name).await
    } else {
        accept::accept(store, name, &person(), store.now()).await
    };
    let pages = pages.map_err(blame)?;
    let listed: Vec<_> = pages.iter().map(|page| json!({ "url": page.url, "values": page.values })).collect();
    if json {
        printer.json(&listed)?;
    } else {
        for page in &pages {
            printer.show(format!("{}: {}", page.url, page.values).as_str())?;
        }
    }
    let what = if is_dry_run { "would be accepted" } else { "are accepted; later pages are compared with them, too" };
    printer.say(&format!("the values of {} of `{name}` {what}", counted(pages.len(), "page")));
    Ok(Exit::Fine)
}

pub(super) async fn remove(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    decide::remove(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("deleted `{name}` with its recipes, pages and values"));
    Ok(Exit::Fine)
}

pub(super) async fn set(wanted: Set, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let name = &wanted.name;
    let changes = Changes {
        interval_seconds: wanted.interval,
        schedule: setting(wanted.schedule, false),
        heal_policy: wanted.heal_policy.map(Into::into),
        on_uncertain: wanted.on_uncertain.map(Into::into),
        webhook: setting(wanted.webhook, wanted.no_webhook),
        add_pages: wanted.add_page,
        remove_pages: wanted.remove_page,
    };
    let recipe = wanted.recipe.as_deref().map(read_recipe).transpose()?.map(|read| read.recipe);
    let gives_recipe = recipe.is_some() || !wanted.examples.is_empty();
    if !gives_recipe || changes != Changes::default() {
        decide::set(store, name, &changes, &person(), store.now()).await.map_err(blame)?;
        printer.say(&format!("changed `{name}`"));
    }
    let version = match recipe {
        Some(recipe) => {
            let definition = serde_json::from_value(find(store, name).await?.definition)?;
            Some(decide::replace(store, name, &recipe, definition, &person(), store.now()).await.map_err(blame)?)
        }
        None if gives_recipe => {
            Some(teach(store, name, &wanted.examples, &person(), store.now()).await.map_err(blame)?)
        }
        None => None,
    };
    if let Some(version) = version {
        printer.say(&format!(
            "version {version} of `{name}` is active; to see whether it works: autoheal source run {name}"
        ));
    }
    Ok(Exit::Fine)
}

/// A flag that sets and one that clears.
fn setting<T>(to: Option<T>, cleared: bool) -> Setting<T> {
    match (to, cleared) {
        (Some(to), _) => Setting::To(to),
        (None, true) => Setting::Cleared,
        (None, false) => Setting::Kept,
    }
}

/// Returns the failure for an error: invalid input, or an error of the database.
pub(super) fn blame(error: DecideError) -> Failure {
    let exit = match error {
        DecideError::NoSuchSource(_)
        | DecideError::NothingWaits(_)
        | DecideError::NoEarlierVersion(_)
        | DecideError::NeverInForce { .. }
        | DecideError::NothingChanges(_)
        | DecideError::NoSuchPage { .. }
        | DecideError::NotRejected { .. }
        | DecideError::NothingRejected(_)
        | DecideError::AnotherWaits { .. }
        | DecideError::NothingToAccept(_)
        | DecideError::NotReadable { .. }
        | DecideError::NothingGood(_)
        | DecideError::OfItems(_)
        | DecideError::Example(_)
        | DecideError::NoPageLeft(_) => Exit::BadInput,
        DecideError::Store(_) | DecideError::Stored(_) => Exit::InternalFault,
    };
    Failure { exit, error: error.into() }
}

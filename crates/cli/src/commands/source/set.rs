//! Changing what a person has decided about a source.

use autoheal_engine::source::SourceRecord;
use autoheal_orchestrator::now;
use autoheal_source::Definition;
use autoheal_store::Store;

use super::find;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::source_args::Set;

pub(super) async fn run(changes: &Set, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let name = &changes.name;
    let row = find(store, name).await?;
    let before: Definition = serde_json::from_value(row.definition)?;
    let definition = changed(before.clone(), changes)?;
    if definition == before {
        return Err(Failure::bad_input(format!(
            "that changes nothing of `{name}`: `autoheal source set --help` shows what can be set"
        )));
    }
    let record = SourceRecord::Definition { source: name.to_string(), definition: serde_json::to_value(&definition)? };
    store.change_sources(now(), &[record]).await?;
    printer.say(&format!("`{name}` is changed"));
    Ok(Exit::Fine)
}

fn changed(mut definition: Definition, changes: &Set) -> Result<Definition, Failure> {
    if let Some(interval) = changes.interval {
        definition.interval_seconds = interval;
    }
    if let Some(policy) = changes.heal_policy {
        definition.heal_policy = policy.into();
    }
    if changes.webhook.is_some() || changes.no_webhook {
        definition.webhook.clone_from(&changes.webhook);
    }
    let mut pages: Vec<_> = definition.pages().cloned().collect();
    for url in &changes.remove_page {
        let index = pages.iter().position(|page| page == url);
        let index = index.ok_or_else(|| Failure::bad_input(format!("{url} is no page of `{}`", changes.name)))?;
        pages.remove(index);
    }
    pages.extend(changes.add_page.iter().filter(|url| !definition.pages().any(|page| page == *url)).cloned());
    if pages.is_empty() {
        return Err(Failure::bad_input("a source needs a page: `autoheal source remove` forgets it"));
    }
    let first = pages.remove(0);
    definition.blueprint.base_url.clone_from(&first);
    (definition.url, definition.more) = (first, pages);
    Ok(definition)
}

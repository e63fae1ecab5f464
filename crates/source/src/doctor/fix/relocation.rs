//! The layout changed: every field is found again, or said to be gone.

use std::collections::BTreeMap;

use autoheal_engine::source::Snapshot;
use autoheal_page::Document;
use autoheal_page::recipe::{Source, Take};
use autoheal_page::relocate::{Answer, Status};
use url::Url;

use super::{Change, Thought};
use crate::definition::Blueprint;
use crate::loaded::Loaded;
use crate::scout::{is_about_the_same, place_of_known, with_examples};
use crate::services::SourceServices;

/// A recipe for the page as it is now. Every required field must be found; an optional one that is gone keeps its rule.
pub(super) fn propose(services: &SourceServices, loaded: &Loaded, page: &Snapshot) -> Thought {
    if loaded.recipe.items().is_some() {
        return Err("the items of a list page cannot be found again by rules: write a new recipe".to_owned());
    }
    let old_pages = loaded.good_pages();
    if old_pages.is_empty() {
        return Err("no page is stored on which the recipe worked".to_owned());
    }
    let recipe = match loaded.good.first().and_then(|snapshot| snapshot.values.as_ref()) {
        Some(texts) => with_examples(&loaded.recipe, texts),
        None => loaded.recipe.clone(),
    };
    let new_page = Document::parse_bytes(&page.content);
    let relocation = services.relocator.relocate(&old_pages.iter().collect::<Vec<_>>(), &recipe, &new_page);
    let (mut fields, mut moved, mut evidence) = (recipe.fields().to_vec(), Vec::new(), Vec::new());
    let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for field in &mut fields {
        let Some(answer) = relocation.field(field.name.as_str()) else { continue };
        let is_sure = match answer.status {
            Status::Kept => true,
            Status::Moved => match moved_source(answer) {
                Some(source) => {
                    evidence.push(told(field.name.as_str(), answer));
                    moved.push(field.name.to_string());
                    field.source = source;
                    field.example.clone_from(&answer.values);
                    true
                }
                None => false,
            },
            // Most changes leave the values alone: what stands there once, word for word, needs no resemblance.
            Status::Unsure if is_about_the_same(&new_page, recipe.fields()) => {
                match place_of_known(&new_page, &field.example, field.many) {
                    Some(source) => {
                        evidence.push(format!("`{}`: the values that it had stand on the page once", field.name));
                        moved.push(field.name.to_string());
                        known.insert(field.name.to_string(), field.example.clone());
                        field.source = source;
                        true
                    }
                    None => false,
                }
            }
            Status::Gone | Status::Unsure => false,
        };
        if field.required && !is_sure {
            let what = if answer.status == Status::Gone { "is gone" } else { "cannot be found again with certainty" };
            return Err(format!("the field `{}` {what}: {}", field.name, answer.evidence.join(", ")));
        }
    }
    if moved.is_empty() {
        return Err("every field is where it was: the values themselves have changed".to_owned());
    }
    let recipe = recipe.with_fields(fields).map_err(|error| error.to_string())?;
    // What the new rules give must be what was found, on the very page it was found on.
    let url = Url::parse(&page.url).ok();
    let extraction = recipe.apply(&new_page, url.as_ref());
    for name in &moved {
        let given = extraction.records.first().and_then(|record| record.field(name));
        let expected = relocation.field(name).map(|answer| answer.values.as_slice()).unwrap_or_default();
        let is_it = given.is_some_and(|outcome| match known.get(name) {
            // A date or an amount may be written in another manner there.
            Some(values) => outcome.texts().len() == values.len(),
            None => outcome.matched >= expected.len().min(1) && !outcome.values.is_empty(),
        });
        if !is_it {
            return Err(format!("the new rule for `{name}` does not give what was found"));
        }
    }
    let mut definition = loaded.definition.clone();
    definition.blueprint = Blueprint::of(definition.blueprint.base_url.clone(), &recipe);
    Ok(Change {
        description: format!(
            "find {} where the new layout has {}",
            moved.join(", "),
            if moved.len() == 1 { "it" } else { "them" }
        ),
        recipe,
        definition,
        evidence,
        try_live: true,
    })
}

fn moved_source(answer: &Answer) -> Option<Source> {
    match (&answer.select, &answer.take) {
        (Some(select), Take::Node(take)) => Some(Source::Nodes { select: select.clone(), take: take.clone() }),
        (_, Take::Structured(path)) => Some(Source::Structured(path.clone())),
        (None, Take::Node(_)) => None,
    }
}

fn told(field: &str, answer: &Answer) -> String {
    let select = answer.select.as_ref().map_or("structured data", |select| select.source());
    format!("`{field}` is at `{select}` (confidence {:.2}): {}", answer.confidence, answer.evidence.join(", "))
}

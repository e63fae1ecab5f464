//! `pyproject.toml`: the lists of PEP 621 and PEP 735, and the tables of Poetry.

use std::ops::Range;

use toml_edit::{Array, Document, Item, Value};

use super::{Manifest, array, tables};
use crate::edit::Edit;

/// `pyproject.toml`.
pub(super) struct Pyproject;

/// The lists that state requirements, with the name of each that is installed only when it is named.
fn lists(manifest: &Document<String>) -> Vec<(Option<String>, &Array)> {
    let project = manifest.get("project");
    let own = project.and_then(|project| project.get("dependencies")?.as_array()).map(|list| (None, list));
    let tables = [project.and_then(|project| project.get("optional-dependencies")), manifest.get("dependency-groups")];
    let named = tables.into_iter().flat_map(|table| {
        let entries = table.and_then(Item::as_table_like).into_iter().flat_map(|table| table.iter());
        entries.filter_map(|(name, list)| Some((Some(name.to_owned()), list.as_array()?)))
    });
    named.chain(own).collect()
}

/// The strings of a list, with their quotes.
fn items(list: &Array) -> Vec<Range<usize>> {
    list.iter().filter(|item| item.is_str()).filter_map(Value::span).collect()
}

impl Manifest for Pyproject {
    fn requirements(&self, text: &str) -> Vec<Range<usize>> {
        let Ok(manifest) = Document::parse(text.to_owned()) else { return Vec::new() };
        let all = lists(&manifest).into_iter().flat_map(|(_, list)| items(list));
        // Escapes and strings of several lines cannot be names.
        let plain = all.filter(|item| item.len() > 2 && !text[item.clone()].contains(['\\', '\n']));
        plain.map(|item| item.start + 1..item.end - 1).collect()
    }

    fn constraints(&self, text: &str) -> Vec<(String, Range<usize>)> {
        let Ok(manifest) = Document::parse(text.to_owned()) else { return Vec::new() };
        tables::constraints(&tables::of_poetry(&manifest), text)
    }

    fn added(
        &self,
        text: &str,
        requirement: &str,
        reason: &str,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<Edit>> {
        let manifest = Document::parse(text.to_owned()).ok()?;
        let mut usable = lists(&manifest);
        usable.retain(|(name, _)| name.as_deref().is_none_or(is_wanted));
        let Some((_, list)) = usable.into_iter().min_by_key(|(name, _)| name.is_none()) else {
            return tables::added(tables::of_poetry(&manifest), text, requirement, reason, is_wanted);
        };
        Some(array::with_item(text, &list.span()?, &items(list), requirement, reason))
    }
}

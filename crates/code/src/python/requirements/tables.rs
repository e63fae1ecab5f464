//! Tables from names to versions, of Poetry and Pipenv: `six = "^1.16"`, `six = { version = "*", extras = ["a"] }`.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike, Value};

use super::{Manifest, line_below};
use crate::edit::Edit;
use crate::python::distributions::distribution_of;

/// `Pipfile`, of Pipenv.
pub(super) struct Pipfile;

/// A table of versions, with its name if it is installed only when it is named.
type Named<'m> = (Option<String>, &'m dyn TableLike);

/// The tables of Poetry in `pyproject.toml`.
pub(super) fn of_poetry(manifest: &Document<String>) -> Vec<Named<'_>> {
    let Some(poetry) = manifest.get("tool").and_then(|tool| tool.get("poetry")) else { return Vec::new() };
    let groups = poetry.get("group").and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    let groups = groups.filter_map(|(name, group)| Some((Some(name.to_owned()), group.get("dependencies")?)));
    let own = [(Some("dev".to_owned()), "dev-dependencies"), (None, "dependencies")];
    let own = own.into_iter().filter_map(|(name, key)| Some((name, poetry.get(key)?)));
    groups.chain(own).filter_map(|(name, item)| Some((name, item.as_table_like()?))).collect()
}

fn of_pipenv(manifest: &Document<String>) -> Vec<Named<'_>> {
    let own = [(Some("dev".to_owned()), "dev-packages"), (None, "packages")];
    own.into_iter().filter_map(|(name, key)| Some((name, manifest.get(key)?.as_table_like()?))).collect()
}

/// The constraints of tables: the name of each distribution, and the place of its constraint without quotes.
pub(super) fn constraints(tables: &[Named<'_>], text: &str) -> Vec<(String, Range<usize>)> {
    let constraint = |(name, item): (&str, &Item)| {
        let version = item.as_table_like().map_or(Some(item), |table| table.get("version"))?;
        let place = version.as_value().filter(|version| version.is_str()).and_then(Value::span)?;
        // Escapes and strings of several lines cannot be constraints.
        let is_plain = place.len() >= 2 && !text[place.clone()].contains(['\\', '\n']);
        is_plain.then(|| (name.to_owned(), place.start + 1..place.end - 1))
    };
    tables.iter().flat_map(|(_, table)| table.iter()).filter_map(constraint).collect()
}

/// Returns the edit that adds a requirement to the first table that is installed for tests, else to what is always installed.
pub(super) fn added(
    tables: Vec<Named<'_>>,
    text: &str,
    requirement: &str,
    reason: &str,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Vec<Edit>> {
    let usable = tables.into_iter().filter(|(name, _)| name.as_deref().is_none_or(is_wanted));
    let (_, table) = usable.min_by_key(|(name, _)| name.is_none())?;
    let end = table.iter().filter_map(|(_, item)| item.span()).map(|span| span.end).max()?;
    let name = distribution_of(requirement);
    let specifier = &requirement[name.len()..];
    Some(vec![line_below(text, end, reason, &format!("{name} = \"{specifier}\""))])
}

/// Returns a constraint with a further bound; `None`: it names one version, or alternatives.
pub(super) fn bounded(constraint: &str, specifier: &str) -> Option<String> {
    let constraint = constraint.trim();
    if matches!(constraint, "" | "*" | "latest") {
        return Some(specifier.to_owned());
    }
    let is_open = |part: &str| part.trim_start().starts_with(['^', '~', '<', '>', '!']);
    let takes_it = !constraint.contains('|') && constraint.split(',').all(is_open);
    takes_it.then(|| format!("{constraint},{specifier}"))
}

impl Manifest for Pipfile {
    fn requirements(&self, _text: &str) -> Vec<Range<usize>> {
        Vec::new()
    }

    fn constraints(&self, text: &str) -> Vec<(String, Range<usize>)> {
        let Ok(manifest) = Document::parse(text.to_owned()) else { return Vec::new() };
        constraints(&of_pipenv(&manifest), text)
    }

    fn added(
        &self,
        text: &str,
        requirement: &str,
        reason: &str,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<Edit>> {
        let manifest = Document::parse(text.to_owned()).ok()?;
        added(of_pipenv(&manifest), text, requirement, reason, is_wanted)
    }
}

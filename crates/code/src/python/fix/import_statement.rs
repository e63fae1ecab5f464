//! Positions of import statements, and the style in which a project writes them.

use std::collections::BTreeMap;

use super::blame::Blame;
use crate::edit::Edit;
use crate::python::module::{Import, Span};

/// Returns the modules from which the project imports a name, as written in `from MODULE import name`, most frequent first.
pub(super) fn known_imports(blame: &Blame<'_>, name: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, module) in blame.index.modules() {
        for import in &module.imports {
            let Some(from) = &import.from else { continue };
            if import.names.iter().any(|imported| imported.name == name) {
                let dots = ".".repeat(usize::try_from(import.level).unwrap_or(0));
                *counts.entry(format!("{dots}{from}")).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(String, usize)> = counts.into_iter().collect();
    found.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    found.into_iter().map(|(module, _)| module).collect()
}

/// The insertion of an import statement where the file has its imports; sorted among those it resembles.
pub(super) fn insert_import(blame: &Blame<'_>, file: &str, statement: &str) -> Option<Edit> {
    let module = blame.module(file)?;
    let text = blame.text(file);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let top: Vec<&Import> = module.imports.iter().filter(|import| import.is_top_level).collect();
    let is_from = statement.starts_with("from");
    let is_relative = statement.starts_with("from .");
    let resembles = |import: &&&Import| import.from.is_some() == is_from && (import.level > 0) == is_relative;
    let alike: Vec<&&Import> = top.iter().filter(resembles).collect();
    let is_future = |import: &&&Import| import.from.as_deref() == Some("__future__");
    let before = alike
        .iter()
        .filter(|import| !is_future(import))
        .find(|import| import.span.text(text) > statement)
        .map(|import| import.span.start);
    // Those that stand there belong to later groups (PEP 8), which a blank line sets apart.
    let own = group(blame, named_module(statement), is_relative);
    let is_later = |import: &&Import| {
        let module = import.from.as_deref().or(import.names.first().map(|name| name.name.as_str()));
        group(blame, module.unwrap_or_default(), import.level > 0) > own
    };
    if !top.is_empty() && top.iter().all(is_later) {
        let at = line_start(text, top.first()?.span.start);
        return Some(Edit::insert(at, format!("{statement}{newline}{newline}")));
    }
    if let Some(at) = before {
        return Some(Edit::insert(line_start(text, at), format!("{statement}{newline}")));
    }
    let after = alike.last().or(top.iter().collect::<Vec<_>>().last()).map(|import| import.span.end);
    let after = after.or_else(|| docstring_end(blame, file));
    let at = after.map_or(0, |end| line_end(text, end));
    let text_before_needs_newline = at > 0 && !text.get(..at).unwrap_or_default().ends_with('\n');
    let lead = if text_before_needs_newline { newline } else { "" };
    Some(Edit::insert(at, format!("{lead}{statement}{newline}")))
}

/// The module of `import module` or `from module import name`, without leading dots.
fn named_module(statement: &str) -> &str {
    statement.split_whitespace().nth(1).unwrap_or_default().trim_start_matches('.')
}

/// Returns the group of a module: itself for the future, the standard library, others' packages, the project's own.
fn group(blame: &Blame<'_>, module: &str, is_relative: bool) -> u8 {
    let root = module.split('.').next().unwrap_or_default();
    if root == "__future__" {
        0
    } else if is_relative || blame.index.file_of(root).is_some() {
        3
    } else if blame.runtime().standard_library.contains(root) {
        1
    } else {
        2
    }
}

/// The end of the file's docstring.
fn docstring_end(blame: &Blame<'_>, file: &str) -> Option<usize> {
    let module = blame.module(file)?;
    let first = module.statements.first()?;
    let text: &str = first.span.text(blame.text(file));
    text.trim_start_matches(|char: char| "rRuUbB".contains(char)).starts_with(['"', '\'']).then_some(first.span.end)
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// One past the end of the line, its newline included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}

/// Sort key of a name: its group, and its position among the names of the group.
type Rank = (u8, String);

/// The orders in which names are sorted within a statement: without their case, with it, and as isort has it: constants, then
/// classes, then the rest.
const ORDERS: [fn(&str) -> Rank; 3] = [
    |name| (0, name.to_lowercase()),
    |name| (0, name.to_owned()),
    |name| {
        let is_constant = name.len() > 1 && !name.chars().any(char::is_lowercase);
        let is_class = name.starts_with(char::is_uppercase);
        (if is_constant { 0 } else { 2 - u8::from(is_class) }, name.to_lowercase())
    },
];

/// The insertion of one more name into `from module import a, b`, where the alphabet or the end puts it.
pub(super) fn add_name(text: &str, import: &Import, name: &str) -> Option<Edit> {
    let order = ORDERS.iter().find(|order| import.names.is_sorted_by_key(|other| order(&other.name)));
    let next = order.and_then(|order| import.names.iter().find(|other| order(&other.name) > order(name)));
    if let Some(next) = next {
        let start = next.span.start;
        let own_line = text.get(line_start(text, start)..start).is_some_and(|lead| lead.trim().is_empty());
        if own_line {
            let lead = text.get(line_start(text, start)..start).unwrap_or_default();
            return Some(Edit::insert(start, format!("{name},\n{lead}")));
        }
        return Some(Edit::insert(start, format!("{name}, ")));
    }
    let last = import.names.last()?;
    let end = last.alias.as_ref().map_or(last.span.end, |(_, span): &(String, Span)| span.end);
    let start = last.span.start;
    let lead = text.get(line_start(text, start)..start).unwrap_or_default();
    if lead.trim().is_empty() && import.names.len() > 1 {
        return Some(Edit::insert(end, format!(",\n{lead}{name}")));
    }
    Some(Edit::insert(end, format!(", {name}")))
}

//! A name that is used and not imported.

use std::collections::{BTreeMap, BTreeSet};

use super::blame::Blame;
use super::name_spelling::uses;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::globals::is_global;
use crate::javascript::index::{is_relative, relative};
use crate::javascript::module::{Import, ImportKind, Module, Role, Word};
use crate::repair::shortlist::Shortlist;

/// Adds the import that a name lacks: as other files of the repository import it, from the module that exports it, or from the
/// builtin of its name.
pub(super) struct ImportMissing;

const NAME: &str = "import_missing";

/// Bits by which a module is likelier for each other missing name that it exports.
const TOGETHER: f64 = 2.0;

/// Bits beside an import of a name that the module does not offer.
const MISSPELLED: f64 = 6.0;

/// Import that provides a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    pub(super) specifier: String,
    pub(super) kind: ImportKind,
    pub(super) imported: String,
}

impl Fixer for ImportMissing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let Complaint::UnknownName { name } = &blame.complaint else { return Vec::new() };
        if blame.is_linted_global(name) {
            return Vec::new();
        }
        let mut list = Shortlist::new(&blame);
        for (file, _) in uses(&blame, name) {
            let Some(module) = blame.module(file) else { continue };
            for (way, bits) in ways(&blame, file, name) {
                propose(&mut list, &blame, file, module, name, &way, bits);
            }
        }
        list.finish(NAME, 12)
    }
}

/// The ways to import `name` into a file, and how unlikely each is.
pub(super) fn ways(blame: &Blame<'_>, file: &str, name: &str) -> BTreeMap<Way, f64> {
    let mut found: BTreeMap<Way, f64> = BTreeMap::new();
    let mut add = |way: Way, bits: f64| {
        let known = found.entry(way).or_insert(bits);
        *known = known.min(bits);
    };
    // As other files do it; the more do, the likelier.
    let mut counts: BTreeMap<Way, f64> = BTreeMap::new();
    for (other, module) in blame.index.modules().filter(|(other, _)| *other != file) {
        for import in module.imports.iter().filter(|import| !import.is_export && !import.is_type) {
            for one in import.names.iter().filter(|one| one.local == name) {
                let Some(specifier) = moved(blame, other, file, import) else { continue };
                *counts.entry(Way { specifier, kind: one.kind, imported: one.name.clone() }).or_default() += 1.0;
            }
        }
    }
    for (way, count) in counts {
        add(way, (2.0 - count.log2()).max(0.0));
    }
    // From the modules that export it.
    for home in blame.index.definers(name).filter(|home| *home != file) {
        let specifier = styled(blame, file, &relative(file, home));
        add(Way { specifier, kind: ImportKind::Named, imported: name.to_owned() }, 1.5);
    }
    // The whole of a builtin, package or file of that name.
    let node = blame.runtime();
    let kebab: String = name
        .chars()
        .flat_map(|one| if one.is_uppercase() { vec!['-', one.to_ascii_lowercase()] } else { vec![one] })
        .collect();
    for module in [name, kebab.as_str(), kebab.trim_start_matches('-')] {
        if node.standard_library.contains(module) || node.installed.contains(module) {
            add(Way { specifier: module.to_owned(), kind: ImportKind::Whole, imported: name.to_owned() }, 2.0);
        }
    }
    for other in blame.index.files().filter(|other| *other != file) {
        let base = other.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        let Some(module) = blame.module(other) else { continue };
        if base == name || base == kebab.trim_start_matches('-') {
            let specifier = styled(blame, file, &relative(file, other));
            let kind = if module.exports.default.is_some() { ImportKind::Default } else { ImportKind::Whole };
            add(Way { specifier, kind, imported: name.to_owned() }, 3.0);
        }
    }
    for (module, _) in node.exports.iter().filter(|(_, names)| names.contains(name)) {
        add(Way { specifier: module.clone(), kind: ImportKind::Named, imported: name.to_owned() }, 3.5);
    }
    found
}

/// An import's specifier as this file would write it.
fn moved(blame: &Blame<'_>, other: &str, file: &str, import: &Import) -> Option<String> {
    if !is_relative(&import.specifier) {
        return Some(import.specifier.clone());
    }
    let home = blame.index.resolve(other, &import.specifier)?;
    if home == file {
        return None;
    }
    let same_folder = crate::javascript::index::folder(other) == crate::javascript::index::folder(file);
    Some(if same_folder { import.specifier.clone() } else { styled(blame, file, &relative(file, home)) })
}

/// A path with or without its extension, as the repository's other imports have it.
fn styled(blame: &Blame<'_>, file: &str, path: &str) -> String {
    let relatives = || {
        let own = blame.module(file).into_iter().chain(blame.index.modules().map(|(_, module)| module));
        own.flat_map(|module| &module.imports).map(|import| import.specifier.as_str()).filter(|one| is_relative(one))
    };
    let has_extension =
        |path: &str| path.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').contains('.'));
    if relatives().next().is_some_and(has_extension) {
        return path.replace(".tsx", ".js").replace(".ts", ".js");
    }
    let stem = path.rfind('.').map_or(path, |dot| path.get(..dot).unwrap_or_default());
    stem.strip_suffix("/index").filter(|folder| !folder.ends_with('.')).unwrap_or(stem).to_owned()
}

fn propose(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    module: &Module,
    name: &str,
    way: &Way,
    bits: f64,
) {
    let text = blame.text(file);
    let description = format!("import '{name}' from '{}'", way.specifier);
    let requires = module.imports.iter().filter(|import| import.is_require).count();
    let with_require = !module.is_module && (requires > 0 || !has_imports(module));
    // Beside the names that are imported from there already.
    let same = module.imports.iter().find(|import| import.specifier == way.specifier && import.is_statement);
    let item = |imported: &str, local: &str| match (imported == local, with_require) {
        (true, _) => local.to_owned(),
        (false, true) => format!("{imported}: {local}"),
        (false, false) => format!("{imported} as {local}"),
    };
    // What it brings and the module does not offer is the name, misspelled.
    let offered = blame.index.resolve(file, &way.specifier).map(|home| blame.index.exports(home)).unwrap_or_default();
    let is_unknown = |import: &&Import| {
        let mut named = import.names.iter().filter(|one| one.kind == ImportKind::Named);
        !offered.is_empty() && named.any(|one| !offered.contains(&one.name))
    };
    let bits = if same.as_ref().is_some_and(is_unknown) { bits + MISSPELLED } else { bits };
    // One import brings several names: a statement that was lost is missed by all of them.
    let others = others_from_there(blame, file, module, name, way);
    let bits = bits - TOGETHER * f64::from(u32::try_from(others.len().min(3)).unwrap_or(3));
    let mut items = vec![item(&way.imported, name)];
    items.extend(others.into_iter().map(str::to_owned));
    let items = items.join(", ");
    if way.kind == ImportKind::Named
        && let Some(last) = same.and_then(|import| import.names.iter().rfind(|one| one.kind == ImportKind::Named))
    {
        list.edit(bits, description.clone(), file, Edit::insert(last.whole.end, format!(", {items}")));
        let first = same.and_then(|import| import.names.iter().find(|one| one.kind == ImportKind::Named));
        if let Some(first) = first {
            list.edit(bits + 0.5, description.clone(), file, Edit::insert(first.whole.start, format!("{items}, ")));
        }
        return;
    }
    let is_namespace = way.kind == ImportKind::Whole && !with_require && is_relative(&way.specifier);
    if is_namespace && module.calls_name(text, name) {
        return;
    }
    let quote = quote(module, text);
    let specifier = format!("{quote}{}{quote}", way.specifier);
    let end = if uses_semicolons(text) { ";" } else { "" };
    let clause = match way.kind {
        ImportKind::Named => format!("{{ {items} }}"),
        ImportKind::Whole if is_namespace => format!("* as {name}"),
        ImportKind::Whole | ImportKind::Default => name.to_owned(),
    };
    let declare = if text.contains("const ") { "const" } else { "var" };
    let default = if with_require && way.kind == ImportKind::Default { ".default" } else { "" };
    let statement = if with_require {
        format!("{declare} {clause} = require({specifier}){default}{end}")
    } else {
        format!("import {clause} from {specifier}{end}")
    };
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let imports = module.imports.iter().filter(|import| import.is_statement && !import.is_export);
    let statement_of = |import: &Import| module.statements.iter().find(|statement| statement.contains(import.span));
    let edit = if let Some(last) = imports.filter_map(statement_of).next_back() {
        Edit::insert(last.end, format!("{newline}{statement}"))
    } else {
        Edit::insert(start_of_code(module, text), format!("{statement}{newline}"))
    };
    list.edit(bits, description, file, edit);
}

/// Other names that the file uses, that nothing declares, and that the same module offers.
fn others_from_there<'m>(blame: &Blame<'_>, file: &str, module: &'m Module, name: &str, way: &Way) -> Vec<&'m str> {
    if way.kind != ImportKind::Named {
        return Vec::new();
    }
    let of_package = blame.runtime().exports.get(&way.specifier);
    let of_file = blame.index.resolve(file, &way.specifier).map(|home| blame.index.exports(home)).unwrap_or_default();
    let is_offered = |other: &str| of_package.is_some_and(|names| names.contains(other)) || of_file.contains(other);
    let is_missing =
        |word: &&Word| word.role == Role::Use && !word.is_bound && word.text != name && !is_global(&word.text);
    let missing: BTreeSet<&str> = module.words.iter().filter(is_missing).map(|word| word.text.as_str()).collect();
    missing.into_iter().filter(|other| is_offered(other)).collect()
}

fn has_imports(module: &Module) -> bool {
    module.imports.iter().any(|import| !import.is_require)
}

/// Behind what must stand first: `#!`, `'use strict'`, and the comment at the top.
fn start_of_code(module: &Module, text: &str) -> usize {
    let first = module.statements.first().map_or(text.len(), |statement| statement.start);
    let line = text.get(..first).unwrap_or_default().rfind('\n').map_or(0, |newline| newline + 1);
    let head = text.get(..line).unwrap_or_default();
    let directive = head.rfind("use strict").and_then(|at| head.get(at..)?.find('\n').map(|end| at + end + 1));
    directive.unwrap_or(line)
}

fn quote(module: &Module, text: &str) -> char {
    let first = module.imports.first().and_then(|import| text.get(..import.specifier_span.start)?.chars().next_back());
    first
        .filter(|quote| matches!(quote, '\'' | '"'))
        .unwrap_or(if text.matches('"').count() > text.matches('\'').count() { '"' } else { '\'' })
}

fn uses_semicolons(text: &str) -> bool {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.clone().filter(|line| line.ends_with(';')).count() * 8 >= lines.count()
}

#[cfg(test)]
mod tests {
    use super::ImportMissing;
    use crate::fix_example::{check_fix, check_no_fix, eslint, node};

    #[test]
    fn requires_module_of_node() {
        check_fix(
            &ImportMissing,
            node(
                r"ReferenceError: path is not defined
    at load (/repo/a.js:4:10)",
            ),
            r"
 const fs = require('fs');
+const path = require('path');

 function load(file) {
   return fs.readFileSync(path.resolve(file));
 }
",
        );
    }

    /// A statement that was lost is missed by all of its names.
    #[test]
    fn imports_all_names_that_are_missing_from_there() {
        check_fix(
            &ImportMissing,
            node(
                r"ReferenceError: round is not defined
    at bill (/repo/src/bill.mjs:4:3)",
            ),
            r"
//- /src/bill.mjs
 import { total } from './total.mjs';
+import { round, DIGITS } from './round.mjs';

 export function bill(prices) {
   return round(total(prices), DIGITS);
 }
//- /src/round.mjs
 export const round = (value, digits) => value.toFixed(digits);
 export const DIGITS = 2;
//- /src/total.mjs
 export const total = (prices) => prices.length;
",
        );
    }

    #[test]
    fn imports_as_modules_do_where_package_says_so() {
        check_fix(
            &ImportMissing,
            node(
                r"ReferenceError: path is not defined
    at file:///repo/part/run.js:1:13",
            ),
            r#"
//- /package.json
 { "type": "module" }
//- /part/run.js
+import path from 'path';
 console.log(path.join('a', 'b'));
"#,
        );
    }

    /// The linter does not know what Node and browsers declare.
    #[test]
    fn leaves_globals_alone() {
        for name in ["process", "Buffer", "document", "console"] {
            check_no_fix(
                &ImportMissing,
                eslint(&format!("a.js:1:1: '{name}' is not defined. [Error/no-undef]")),
                &format!(" {name}.x;\n"),
            );
        }
    }
}

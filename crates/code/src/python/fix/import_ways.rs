//! Ways to import a name.

use std::collections::{BTreeMap, BTreeSet};

use super::blame::Blame;
use super::import_statement::{add_name, insert_import};
use super::shortlist::Shortlist;
use crate::python::module::Role;

/// Every way to import `name` into `file`: as other files do, from the standard library, from the project.
pub(super) fn propose(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, name: &str, extra: f64) {
    let environment = blame.runtime();
    let mut statements: BTreeMap<String, f64> = BTreeMap::new();
    let mut offer = |statement: String, bits: f64| {
        let known = statements.entry(statement).or_insert(bits);
        *known = known.min(bits);
    };
    // `pprint.pprint(x)` needs the module, `pprint(x)` the function.
    let is_dotted = is_read_as_module(blame, file, name);
    for (other, module) in blame.index.modules() {
        for import in &module.imports {
            let Some(imported) = import.names.iter().find(|imported| imported.bound() == name) else { continue };
            let alias = imported.alias.as_ref().map_or(String::new(), |(alias, _)| format!(" as {alias}"));
            match blame.index.resolve(other, import) {
                None => offer(format!("import {}{alias}", imported.name), 1.0),
                Some(from) if blame.index.file_of(&from).is_some() || import.level > 0 => {
                    let relative = imports_relatively(blame, file).unwrap_or(import.level > 0);
                    let Some((level, spelled)) = spell(blame, file, &from, relative) else { continue };
                    if Some(from.as_str()) != blame.index.name_of(file) {
                        let dotted = format!("{}{spelled}", ".".repeat(level));
                        offer(format!("from {dotted} import {}{alias}", imported.name), 1.5);
                    }
                }
                Some(from) => offer(format!("from {from} import {}{alias}", imported.name), 1.0),
            }
        }
    }
    for (home, _) in blame.index.definers(name) {
        let relative = imports_relatively(blame, file).unwrap_or(true);
        if Some(home) != blame.index.name_of(file)
            && let Some((level, spelled)) = spell(blame, file, home, relative)
        {
            let from_test = blame.index.file_of(home).is_some_and(|home| !blame.sources().is_editable(home));
            let bits = if from_test { 8.0 } else { 2.0 };
            offer(format!("from {}{spelled} import {name}", ".".repeat(level)), bits);
        }
    }
    for package in blame.index.names().filter(|module| module.rsplit('.').next() == Some(name) && module.contains('.'))
    {
        let relative = imports_relatively(blame, file).unwrap_or(true);
        let parent = package.rsplit_once('.').map_or("", |(parent, _)| parent);
        if let Some((level, spelled)) = spell(blame, file, parent, relative) {
            let dotted = format!("{}{spelled}", ".".repeat(level));
            offer(format!("from {dotted} import {name}"), 2.5);
        }
    }
    if environment.standard_library.contains(name) || environment.installed.contains(name) {
        offer(format!("import {name}"), if is_dotted { 0.5 } else { 4.0 });
    }
    for (module, names) in environment.exports.iter().filter(|(_, names)| names.contains(name)) {
        if blame.index.file_of(module).is_some() || names.len() > 2_000 {
            continue;
        }
        // The module that defines the name, not one that happens to import it.
        let obscure =
            if matches!(module.as_str(), "typing" | "collections" | "functools" | "itertools" | "collections.abc") {
                0.0
            } else {
                1.5
            };
        let is_module = environment.standard_library.contains(name);
        offer(format!("from {module} import {name}"), 3.0 + obscure + if is_module { 4.0 } else { 0.0 });
    }
    for (module, names) in &environment.exports {
        let plain = name.trim_start_matches('_');
        if plain != name && !plain.is_empty() && names.contains(plain) && blame.index.file_of(module).is_none() {
            offer(format!("from {module} import {plain} as {name}"), 3.5);
        }
    }
    // The statement brought more than the one name.
    let mut together = Vec::new();
    for (home, _) in blame.index.definers(name) {
        let others = lost_names(blame, file, home, name);
        let relative = imports_relatively(blame, file).unwrap_or(true);
        if let Some((level, spelled)) = spell(blame, file, home, relative)
            && others.len() > 1
        {
            together.push(format!("from {}{spelled} import {}", ".".repeat(level), others.join(", ")));
        }
    }
    for statement in together {
        offer(statement, 0.5);
    }
    let Some(module) = blame.module(file) else { return };
    for (statement, bits) in statements {
        // `from m import a` joins a statement that imports from `m` already.
        if let Some((head, imported)) = statement.split_once(" import ")
            && head.starts_with("from ")
        {
            let text = blame.text(file);
            for import in module.imports.iter().filter(|import| import.is_top_level) {
                let from = import.from.as_deref().unwrap_or_default();
                let dots = ".".repeat(usize::try_from(import.level).unwrap_or(0));
                let is_same = import.from.is_some() && head == format!("from {dots}{from}");
                if is_same
                    && !import.names.iter().any(|name| name.name == "*")
                    && let Some(edit) = add_name(text, import, imported)
                {
                    list.edit(bits + extra - 1.0, format!("import '{name}' again: {statement}"), file, edit);
                }
            }
        }
        if let Some(edit) = insert_import(blame, file, &statement) {
            list.edit(bits + extra, format!("import '{name}' again: {statement}"), file, edit);
        }
        if let Some((head, _)) = statement.split_once(" import ")
            && head.starts_with("from ")
            && file.ends_with("__init__.py")
            && let Some(edit) = insert_import(blame, file, &format!("{head} import *"))
        {
            list.edit(bits + extra + 1.0, format!("re-export everything again: {head} import *"), file, edit);
        }
    }
}

/// The names that a file should have from `home` and has not: it reads them, lists them in `__all__`, or others import them
/// from it.
fn lost_names(blame: &Blame<'_>, file: &str, home: &str, name: &str) -> Vec<String> {
    let Some(module) = blame.module(file) else { return Vec::new() };
    let offered = blame.index.exports(home);
    let own = blame.index.name_of(file).unwrap_or_default();
    let mut wanted: BTreeSet<String> = unbound_uses(blame, file);
    wanted.extend(module.all.iter().cloned());
    for (other, importer) in blame.index.modules() {
        for import in
            importer.imports.iter().filter(|import| blame.index.resolve(other, import).as_deref() == Some(own))
        {
            wanted.extend(import.names.iter().map(|imported| imported.name.clone()));
        }
    }
    wanted.insert(name.to_owned());
    let bound = module.scopes.first().map(|scope| &scope.bindings);
    wanted.retain(|one| offered.contains(one) && !bound.is_some_and(|bound| bound.contains_key(one)));
    wanted.into_iter().take(20).collect()
}

/// Returns whether the file reads attributes of the name.
fn is_read_as_module(blame: &Blame<'_>, file: &str, name: &str) -> bool {
    let text = blame.text(file);
    blame.module(file).is_some_and(|module| {
        module.words.iter().any(|word| {
            word.text == name
                && word.role == Role::Load
                && text.get(word.span.end..).is_some_and(|rest| rest.starts_with('.'))
        })
    })
}

/// Returns whether at least half of the file's imports of the project's own modules are relative; `None`
/// without such imports.
fn imports_relatively(blame: &Blame<'_>, file: &str) -> Option<bool> {
    let module = blame.module(file)?;
    let own = module.imports.iter().filter(|import| {
        import.level > 0 || blame.index.resolve(file, import).is_some_and(|from| blame.index.file_of(&from).is_some())
    });
    let (relative, all) =
        own.fold((0, 0), |(relative, all), import| (relative + usize::from(import.level > 0), all + 1));
    (all > 0).then_some(relative * 2 >= all)
}

/// A module as a file would name it in a `from`: dots and the name after them.
pub(super) fn spell(blame: &Blame<'_>, file: &str, module: &str, relative: bool) -> Option<(usize, String)> {
    if !relative || blame.index.file_of(module).is_none() {
        return Some((0, module.to_owned()));
    }
    let mut package = blame.index.package_of(file)?;
    let mut level = 1;
    loop {
        if package.is_empty() {
            return Some((0, module.to_owned()));
        }
        if module == package {
            return Some((level, String::new()));
        }
        if let Some(rest) = module.strip_prefix(package).and_then(|rest| rest.strip_prefix('.')) {
            return Some((level, rest.to_owned()));
        }
        package = package.rsplit_once('.').map_or("", |(outer, _)| outer);
        level += 1;
    }
}

/// Names that a file reads and nothing binds.
pub(super) fn unbound_uses(blame: &Blame<'_>, file: &str) -> BTreeSet<String> {
    let Some(module) = blame.module(file) else { return BTreeSet::new() };
    let builtins = &blame.runtime().builtins;
    let unbound = module.words.iter().filter(|word| {
        word.role == Role::Load
            && !builtins.contains(&word.text)
            && module.binding_scope(&word.text, word.scope).is_none()
            && !word.text.starts_with("__")
    });
    unbound.map(|word| word.text.clone()).collect()
}

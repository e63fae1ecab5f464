//! An import that fails: a misspelled module or name, a wrong number of dots, a name that lives in another module.

use std::collections::BTreeSet;

use super::attribute_spelling::rename_export;
use super::blame::{Blame, Place};
use super::import_statement::{insert_import, known_imports};
use super::import_ways::{propose, spell, unbound_uses};
use super::shortlist::Shortlist;
use super::spelling::{rarity, slip};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::distributions::that_brings;
use crate::python::module::{Import, ImportedName, Role};

/// Repairs `ImportError` and `ModuleNotFoundError` in the import statement, or in the module that it imports from.
pub(super) struct ImportSpelling;

const NAME: &str = "import_spelling";

impl Fixer for ImportSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if !matches!(blame.error.as_str(), "ImportError" | "ModuleNotFoundError") {
            return Vec::new();
        }
        let mut list = Shortlist::new(&blame);
        let quoted = blame.quoted();
        for (depth, place) in blame.places.iter().enumerate() {
            let extra = 2.0 * f64::from(u32::try_from(depth).unwrap_or(9));
            for import in imports_at(&blame, place) {
                if blame.message.contains("cannot import name") {
                    let name = quoted.first().copied().unwrap_or_default();
                    imported_name(&mut list, &blame, place, import, name, extra);
                } else {
                    module_name(&mut list, &blame, place, import, quoted.first().copied().unwrap_or_default(), extra);
                }
                level(&mut list, &blame, place, import, extra);
            }
        }
        if blame.message.contains("cannot import name")
            && let (Some(name), Some(module)) = (quoted.first(), quoted.get(1))
        {
            missing_export(&mut list, &blame, module, name);
        }
        list.finish(NAME, 25)
    }
}

/// The import statements that a place touches.
fn imports_at<'a>(blame: &Blame<'a>, place: &Place) -> Vec<&'a Import> {
    let Some(module) = blame.module(&place.file) else { return Vec::new() };
    let touches = |import: &&Import| {
        import.span.overlaps(place.span)
            || (module.line_of(import.span.start) <= place.line && place.line <= module.line_of(import.span.end))
    };
    module.imports.iter().filter(touches).collect()
}

/// A module that cannot be found: each of its parts may be misspelled.
fn module_name(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    import: &Import,
    missing: &str,
    extra: f64,
) {
    let environment = blame.runtime();
    let spots: Vec<(&str, crate::python::module::Span)> = match (&import.from, import.from_span) {
        (Some(from), Some(span)) => vec![(from.as_str(), span)],
        (Some(_), None) => Vec::new(),
        (None, _) => import.names.iter().map(|name| (name.name.as_str(), name.span)).collect(),
    };
    let base = if import.level > 0 { relative_base(blame, &place.file, import.level) } else { None };
    for (written, span) in spots {
        let parts: Vec<&str> = written.split('.').collect();
        let mut prefix = base.clone().unwrap_or_default();
        for (number, part) in parts.iter().enumerate() {
            let mut choices: BTreeSet<&str> = BTreeSet::new();
            if prefix.is_empty() && import.level == 0 {
                let foreign = environment.standard_library.iter().chain(&environment.installed).map(String::as_str);
                choices.extend(foreign.filter(|module| is_misspelling(part, module)));
            }
            choices.extend(blame.index.submodules(&prefix));
            choices.extend(environment.exports.get(&prefix).into_iter().flatten().map(String::as_str));
            let is_missing_part = missing.is_empty() || missing.rsplit('.').next() == Some(part);
            for choice in choices.iter().filter(|choice| **choice != *part) {
                let Some(bits) = slip(part, choice) else { continue };
                let mut fixed = parts.clone();
                if let Some(slot) = fixed.get_mut(number) {
                    *slot = choice;
                }
                let mut joined = prefix.clone();
                if !joined.is_empty() {
                    joined.push('.');
                }
                joined.push_str(choice);
                let unfit = unfit(blame, &joined, import, number + 1 == parts.len());
                let private = if choice.starts_with('_') && !part.starts_with('_') { 2.0 } else { 0.0 };
                list.edit(
                    bits + extra
                        + unfit
                        + private
                        + if is_missing_part { 0.0 } else { 3.0 }
                        + rarity(blame.index.count(choice)) / 2.0,
                    format!("import '{}' instead of '{written}'", fixed.join(".")),
                    &place.file,
                    Edit::replace(span.range(), fixed.join(".")),
                );
            }
            if !prefix.is_empty() {
                prefix.push('.');
            }
            prefix.push_str(part);
        }
        elsewhere(list, blame, place, import, written, span, extra);
    }
}

/// Returns whether a word may be a misspelling of a foreign module. There are hundreds of those, and a word that looks a little
/// like one is most often a module that is not installed.
fn is_misspelling(word: &str, module: &str) -> bool {
    let distance = strsim::osa_distance(word, module);
    that_brings(word).is_none() && (distance <= 1 || 3 * distance <= word.len().max(module.len()))
}

/// Returns the cost, in bits, of importing from a module that lacks some of the names imported from it.
fn unfit(blame: &Blame<'_>, module: &str, import: &Import, is_whole: bool) -> f64 {
    if import.from.is_none() || !is_whole {
        return 0.0;
    }
    let mut offered = blame.index.exports(module);
    offered.extend(blame.runtime().exports.get(module).into_iter().flatten().cloned());
    if offered.is_empty() {
        return 1.0;
    }
    let misses = import.names.iter().filter(|name| name.name != "*" && !offered.contains(&name.name)).count();
    3.0 * f64::from(u32::try_from(misses).unwrap_or(9))
}

/// The module may be anywhere: wherever the project, or an import elsewhere in it, finds the same names.
fn elsewhere(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    import: &Import,
    written: &str,
    span: crate::python::module::Span,
    extra: f64,
) {
    if import.from.is_none() {
        // Words of the same name that are modules: `import b` for `import a.b`, and the reverse.
        let last = written.rsplit('.').next().unwrap_or_default();
        for name in blame.index.names().filter(|name| *name != written && name.rsplit('.').next() == Some(last)) {
            list.edit(
                6.0 + extra,
                format!("import '{name}' instead of '{written}'"),
                &place.file,
                Edit::replace(span.range(), name),
            );
        }
        return;
    }
    for module in homes(blame, &place.file, import) {
        let dots = import.level > 0;
        let spelled = spell(blame, &place.file, &module, dots);
        let Some((level, name)) = spelled else { continue };
        let start = from_start(blame, &place.file, import, span.start);
        list.edit(
            4.5 + extra + slip(written, &name).map_or(2.0, |bits| bits / 2.0),
            format!("import from '{module}' instead of '{written}'"),
            &place.file,
            Edit::replace(start..span.end, format!("{}{name}", ".".repeat(level))),
        );
    }
}

/// Returns the position at which the dots of a `from` begin.
fn from_start(blame: &Blame<'_>, file: &str, import: &Import, module_start: usize) -> usize {
    let text = blame.text(file);
    let before = text.get(import.span.start..module_start).unwrap_or_default();
    import.span.start + before.trim_end_matches(|char: char| char == '.' || char.is_whitespace()).len() + 1
}

/// The modules that offer every name of the import.
fn homes(blame: &Blame<'_>, file: &str, import: &Import) -> BTreeSet<String> {
    let own = blame.index.name_of(file);
    let mut names = import.names.iter().map(|name| name.name.as_str()).filter(|name| *name != "*");
    let Some(first) = names.next() else { return BTreeSet::new() };
    let mut homes: BTreeSet<String> = blame.index.definers(first).map(|(module, _)| module.to_owned()).collect();
    let exports = &blame.runtime().exports;
    homes.extend(exports.iter().filter(|(_, names)| names.contains(first)).map(|(module, _)| module.clone()));
    homes.retain(|home| {
        Some(home.as_str()) != own
            && names.clone().all(|name| {
                exports.get(home).is_some_and(|names| names.contains(name)) || blame.index.exports(home).contains(name)
            })
    });
    homes
}

fn relative_base(blame: &Blame<'_>, file: &str, level: u32) -> Option<String> {
    let mut package = blame.index.package_of(file)?;
    for _ in 1..level {
        package = package.rsplit_once('.').map_or("", |(outer, _)| outer);
    }
    Some(package.to_owned())
}

/// A name that its module does not offer: misspelled here, or from another module.
fn imported_name(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    import: &Import,
    name: &str,
    extra: f64,
) {
    let Some(module) = blame.index.resolve(&place.file, import) else { return };
    let mut offered = blame.index.exports(&module);
    offered.extend(blame.runtime().exports.get(&module).into_iter().flatten().cloned());
    let known = f64::from(u32::try_from(blame.index.count(name).saturating_sub(2).min(8)).unwrap_or(8));
    let Some(imported) = import.names.iter().find(|imported| imported.name == name) else { return };
    for choice in offered.iter().filter(|choice| choice.as_str() != name) {
        let Some(bits) = slip(name, choice) else { continue };
        // What the rest of the file calls it tells which name was meant.
        let is_used = uses_name(blame, &place.file, choice);
        let bonus = if is_used && imported.alias.is_none() { -2.0 } else { 0.0 };
        list.edit(
            bits + extra + known / 2.0 + bonus + rarity(blame.index.count(choice)) / 2.0,
            format!("import '{choice}' instead of '{name}'"),
            &place.file,
            Edit::replace(spelled_anew(imported, choice, &place.file), choice.as_str()),
        );
    }
    // The file uses another name that the module offers and that nothing binds.
    for choice in unbound_uses(blame, &place.file).into_iter().filter(|choice| offered.contains(choice)) {
        list.edit(
            4.0 + extra,
            format!("import '{choice}' instead of '{name}'"),
            &place.file,
            Edit::replace(imported.span.range(), choice.as_str()),
        );
    }
    if import.names.len() > 1 && import.from_span.is_some_and(|span| !span.text(blame.text(&place.file)).is_empty()) {
        let span = import.from_span.unwrap_or_default();
        elsewhere(list, blame, place, import, import.from.as_deref().unwrap_or_default(), span, extra);
    }
    moved(list, blame, place, import, imported, extra);
}

/// The part of an import that a name replaces: without the alias, when that is the name. In `__init__.py` such an alias says that the name is offered
/// on.
fn spelled_anew(imported: &ImportedName, name: &str, file: &str) -> std::ops::Range<usize> {
    match &imported.alias {
        Some((alias, span)) if alias == name && !file.ends_with("__init__.py") => imported.span.start..span.end,
        Some(_) | None => imported.span.range(),
    }
}

/// Returns whether a file reads a name.
fn uses_name(blame: &Blame<'_>, file: &str, name: &str) -> bool {
    blame
        .module(file)
        .is_some_and(|module| module.words.iter().any(|word| word.role == Role::Load && word.text == name))
}

/// A name that another module offers: the import's module is wrong.
fn moved(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    import: &Import,
    imported: &ImportedName,
    extra: f64,
) {
    let name = imported.name.as_str();
    let known: Vec<String> = known_imports(blame, name);
    let mut homes: BTreeSet<String> = blame.index.definers(name).map(|(module, _)| module.to_owned()).collect();
    let exports = &blame.runtime().exports;
    homes.extend(exports.iter().filter(|(_, names)| names.contains(name)).map(|(module, _)| module.clone()));
    homes.remove(blame.index.name_of(&place.file).unwrap_or_default());
    let written = import.from.as_deref().unwrap_or_default();
    for home in homes {
        let Some((level, spelled)) = spell(blame, &place.file, &home, import.level > 0) else { continue };
        let dotted = format!("{}{spelled}", ".".repeat(level));
        let familiar = if known.contains(&dotted) { -1.5 } else { 0.0 };
        let alike = slip(written, &spelled).map_or(0.0, |bits| bits / 3.0 - 2.0);
        if import.names.len() == 1 {
            let module_end = import.from_span.map_or_else(|| dots_end(blame, &place.file, import), |span| span.end);
            let start = import.from_span.map_or(module_end, |span| span.start);
            let start = if import.from_span.is_some() {
                from_start(blame, &place.file, import, start)
            } else {
                module_end.saturating_sub(usize::try_from(import.level).unwrap_or(0))
            };
            list.edit(
                4.0 + extra + familiar + alike,
                format!("import '{name}' from '{home}'"),
                &place.file,
                Edit::replace(start..module_end, dotted),
            );
        } else if let Some(removal) = without_name(blame.text(&place.file), import, imported) {
            let alias = imported.alias.as_ref().map_or(String::new(), |(alias, _)| format!(" as {alias}"));
            let statement = format!("from {dotted} import {name}{alias}");
            if let Some(insertion) = insert_import(blame, &place.file, &statement) {
                list.add(
                    5.0 + extra + familiar,
                    format!("import '{name}' from '{home}'"),
                    &place.file,
                    vec![removal, insertion],
                );
            }
        }
    }
}

/// One past the dots of `from .. import`.
fn dots_end(blame: &Blame<'_>, file: &str, import: &Import) -> usize {
    let text = blame.text(file);
    let head = import.span.text(text);
    let dots = head.find('.').unwrap_or(0);
    let count = head.get(dots..).unwrap_or_default().chars().take_while(|char| *char == '.').count();
    import.span.start + dots + count
}

/// The statement without one of its names.
pub(super) fn without_name(text: &str, import: &Import, imported: &ImportedName) -> Option<Edit> {
    let end = imported.alias.as_ref().map_or(imported.span.end, |(_, span)| span.end);
    let position = import.names.iter().position(|name| name.span == imported.span)?;
    if let Some(next) = import.names.get(position + 1) {
        return Some(Edit::delete(imported.span.start..next.span.start));
    }
    let before = import.names.get(position.checked_sub(1)?)?;
    let start = before.alias.as_ref().map_or(before.span.end, |(_, span)| span.end);
    text.get(start..end)?;
    Some(Edit::delete(start..end))
}

/// More or fewer dots.
fn level(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, import: &Import, extra: f64) {
    let Some(from) = &import.from else { return };
    let written = usize::try_from(import.level).unwrap_or(0);
    let text = blame.text(&place.file);
    let end = import.from_span.map_or_else(|| dots_end(blame, &place.file, import), |span| span.start);
    let keyword_end = import.span.start + "from".len();
    let gap = text.get(keyword_end..end).unwrap_or_default();
    let start = keyword_end + (gap.len() - gap.trim_start().len());
    for dots in 0..=4 {
        if dots == written || (dots == 0 && from.is_empty()) {
            continue;
        }
        let mut changed = import.clone();
        changed.level = u32::try_from(dots).unwrap_or(0);
        let Some(module) = blame.index.resolve(&place.file, &changed) else { continue };
        let exists = blame.index.file_of(&module).is_some()
            || (dots == 0 && blame.runtime().exports.contains_key(&module))
            || (dots == 0
                && (blame.runtime().standard_library.contains(module.split('.').next().unwrap_or_default())
                    || blame.runtime().installed.contains(&module)));
        if !exists {
            continue;
        }
        let unfit = unfit(blame, &module, import, true);
        list.edit(
            1.5 + extra + unfit,
            format!("import from '{}{from}'", ".".repeat(dots)),
            &place.file,
            Edit::replace(start..end, ".".repeat(dots)),
        );
    }
}

/// A name that others import from a module of the project, which lost it: renamed where it is defined, or its own import gone.
fn missing_export(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, module: &str, name: &str) {
    let Some(file) = blame.index.file_of(module) else { return };
    rename_export(list, blame, file, name, 0.5);
    star(list, blame, file, name);
    propose(list, blame, file, name, 1.0);
}

/// `from m import *` of another module than the one that has the name.
pub(super) fn star(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, name: &str) {
    let Some(module) = blame.module(file) else { return };
    let stars: Vec<&Import> =
        module.imports.iter().filter(|import| import.names.iter().any(|imported| imported.name == "*")).collect();
    for (home, _) in blame.index.definers(name) {
        for import in &stars {
            let (Some(from), Some(span)) = (&import.from, import.from_span) else { continue };
            let Some((level, spelled)) = spell(blame, file, home, import.level > 0) else { continue };
            let repeated =
                stars.iter().filter(|other| other.from == import.from && other.level == import.level).count() > 1;
            let start = from_start(blame, file, import, span.start);
            list.edit(
                if repeated { 2.0 } else { 5.0 },
                format!("import everything from '{home}' instead of '{from}'"),
                file,
                Edit::replace(start..span.end, format!("{}{spelled}", ".".repeat(level))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ImportSpelling;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn corrects_misspelt_module() {
        check_fix(
            &ImportSpelling,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'colections'"#,
            ),
            r"
-from colections import OrderedDict
+from collections import OrderedDict

 table = OrderedDict()
",
        );
    }

    #[test]
    fn corrects_misspelt_name() {
        check_fix(
            &ImportSpelling,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ImportError: cannot import name 'OrdredDict' from 'collections' (/usr/lib/python3.11/collections/__init__.py)"#,
            ),
            r"
-from collections import OrdredDict
+from collections import OrderedDict

 table = OrderedDict()
",
        );
    }

    #[test]
    fn corrects_dots() {
        check_fix(
            &ImportSpelling,
            pytest(
                r#"File "/repo/geometry/__init__.py", line 1, in <module>
ImportError: attempted relative import beyond top-level package"#,
            ),
            r"
//- /geometry/__init__.py
-from ..shapes import Shape
+from .shapes import Shape
//- /geometry/shapes.py
 class Shape:
     pass
",
        );
    }

    #[test]
    fn exports_name_that_package_lost() {
        check_fix(
            &ImportSpelling,
            pytest(
                r#"File "/repo/test_a.py", line 1, in <module>
ImportError: cannot import name 'report' from 'geometry' (/repo/geometry/__init__.py)"#,
            ),
            r"
//- /geometry/__init__.py
-from .shapes import Shape, area
+from .shapes import Shape, area, report
//- /geometry/shapes.py
 class Shape:
     pass


 def area(shape):
     return 4


 def report(shapes):
     return len(shapes)
//- /test_a.py protected
 from geometry import Shape, area, report
",
        );
    }

    /// `yaml` is a package of its own: no other module is what was meant.
    #[test]
    fn leaves_package_that_is_not_installed_alone() {
        for name in ["yaml", "xmls"] {
            check_no_fix(
                &ImportSpelling,
                pytest(&format!(
                    "File \"/repo/a.py\", line 1, in <module>\nModuleNotFoundError: No module named '{name}'"
                )),
                &format!(" import {name}\n"),
            );
        }
    }
}

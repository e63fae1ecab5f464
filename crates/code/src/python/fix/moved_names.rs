//! Names and modules that the standard library has moved, renamed or dropped.

mod tables;

use std::collections::BTreeSet;

use super::blame::Blame;
use super::import_statement::insert_import;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::index::last_name;
use crate::python::module::{Call, Import, ImportedName, Shape, Span};
use crate::python::tokens::{Kind, scan};

use tables::{MEMBERS, MODULES, NAMES};

/// Follows a name to the place where the standard library has it now: `collections.Mapping`, `inspect.getargspec`, `imp.reload`,
/// `Thread.isAlive`. A name without an exact replacement (`asyncio.coroutine`, `imp.find_module`, `platform.dist`, `ast.Str`,
/// `inspect.formatargspec`, `pkgutil.find_loader`) is left alone.
pub(super) struct MovedNames;

const NAME: &str = "moved_names";

impl Fixer for MovedNames {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        let files: BTreeSet<&str> = blame.places.iter().map(|place| place.file.as_str()).collect();
        match (blame.error.as_str(), blame.quoted().as_slice()) {
            ("ImportError", [name, module, ..]) if blame.message.starts_with("cannot import name") => {
                for file in files {
                    imports(&mut list, &blame, file, module, Some(name));
                }
            }
            ("ModuleNotFoundError", [module, ..]) => {
                for file in files {
                    imports(&mut list, &blame, file, module, None);
                }
            }
            ("AttributeError", [module, name, ..]) if blame.message.starts_with("module ") => {
                for file in files {
                    attribute(&mut list, &blame, file, module, name);
                }
            }
            ("AttributeError", [owner, name, ..]) => member(&mut list, &blame, owner, name),
            ("TypeError", ["encoding"]) if blame.message.contains("__init__() got an unexpected keyword argument") => {
                without_encoding(&mut list, &blame);
            }
            _ => {}
        }
        list.finish(NAME, 4)
    }
}

/// Returns the present module and name of what moved.
fn moved(module: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let known = NAMES.iter().find(|(from, old, ..)| *from == module && *old == name);
    known.map(|(_, _, to, new)| (*to, *new))
}

/// Returns the successor of a member of a class, or of a class of the repository that has such a base.
fn moved_member(blame: &Blame<'_>, owner: &str, name: &str) -> Option<&'static str> {
    let mut known = MEMBERS.iter().filter(|(_, old, _)| *old == name).peekable();
    known.peek()?;
    let mut classes: Vec<&str> = vec![last_name(owner)];
    let mut at = 0;
    while let Some(class) = classes.get(at).copied() {
        at += 1;
        for (_, class) in blame.index.classes(class) {
            let bases = class.bases.iter().map(|base| last_name(base));
            let new: Vec<&str> = bases.filter(|base| !classes.contains(base)).collect();
            classes.extend(new);
        }
    }
    known.find(|(class, ..)| *class == "*" || classes.contains(class)).map(|(.., new)| *new)
}

/// Corrects a member of an instance at the failing place.
fn member(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, owner: &str, name: &str) {
    let Some(new) = moved_member(blame, owner, name) else { return };
    for (depth, place) in blame.places.iter().take(2).enumerate() {
        let bits = 0.5 + f64::from(u32::try_from(depth).unwrap_or(9));
        let Some(module) = blame.module(&place.file) else { continue };
        let text = blame.text(&place.file);
        let statement = module.statement_at(text, place.line).unwrap_or(place.span);
        let mut edits = Vec::new();
        for expression in module.expressions.iter().filter(|expression| statement.contains(expression.span)) {
            let Shape::Attribute { value, name: member } = expression.shape else { continue };
            if member.text(text) != name {
                continue;
            }
            let call = module.calls.iter().find(|call| call.callee == expression.span);
            if let Some((before, after)) = new.split_once("{}") {
                let Some(call) = call.filter(|call| call.arguments.is_empty()) else { continue };
                edits.push(Edit::insert(value.start, before));
                edits.push(Edit::replace(value.end..call.span.end, after));
            } else if let Some((module, _)) = new.split_once('.') {
                if call.is_none() {
                    continue;
                }
                edits.push(Edit::replace(expression.span.range(), new));
                edits.extend(missing_import(blame, &place.file, module));
            } else {
                edits.push(Edit::replace(member.range(), new));
            }
        }
        edits.dedup();
        if !edits.is_empty() {
            list.add(bits, format!("use '{}' instead of '{name}'", new.replace("{}", "...")), &place.file, edits);
        }
    }
}

/// Takes `encoding=` out of calls of `json.load` and `json.loads`, which paid no attention to it before it was dropped in Python 3.9.
fn without_encoding(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>) {
    for place in blame.places.iter().take(2) {
        let Some(module) = blame.module(&place.file) else { continue };
        let text = blame.text(&place.file);
        let statement = module.statement_at(text, place.line).unwrap_or(place.span);
        let is_json = |call: &&Call| matches!(call.callee.text(text), "json.load" | "json.loads" | "load" | "loads");
        for call in module.calls.iter().filter(|call| statement.contains(call.span)).filter(is_json) {
            for pair in call.arguments.windows(2) {
                let [before, argument] = pair else { continue };
                if argument.keyword.as_ref().is_some_and(|(name, _)| name == "encoding") {
                    let edit = Edit::delete(before.span.end..argument.span.end);
                    list.edit(0.5, "leave out 'encoding', which json never used", &place.file, edit);
                }
            }
        }
    }
}

/// The insertion of `import module`, unless the file has it.
pub(super) fn missing_import(blame: &Blame<'_>, file: &str, module: &str) -> Option<Edit> {
    let binds = |import: &Import| {
        import.from.is_none() && import.names.iter().any(|one| one.name == module && one.alias.is_none())
    };
    let is_there = blame.module(file)?.imports.iter().any(|import| import.is_top_level && binds(import));
    if is_there { None } else { insert_import(blame, file, &format!("import {module}")) }
}

/// Imports another name under the one that the file uses.
pub(super) fn under_old_name(one: &ImportedName, new: &str) -> Edit {
    let alias = if one.alias.is_none() { format!(" as {}", one.name) } else { String::new() };
    Edit::replace(one.span.range(), format!("{new}{alias}"))
}

/// A name as an expression: builtins need no module, and some names are modules now.
fn written(module: &str, name: &str) -> String {
    match (module, name) {
        ("builtins", name) => name.to_owned(),
        (module, "") => module.to_owned(),
        (module, name) => format!("{module}.{name}"),
    }
}

/// Corrects the import statements of a file that ask for what is gone. `name`: the name that the module lost; `None`: the whole module is gone.
fn imports(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &str, name: Option<&str>) {
    let Some(parsed) = blame.module(file) else { return };
    let is_gone = |from: &str| from == module || name.is_none() && from.starts_with(&format!("{module}."));
    for import in parsed.imports.iter().filter(|import| import.level == 0) {
        let edits = match &import.from {
            Some(from) if is_gone(from) => from_import(blame, file, import, from),
            None if name.is_none() => plain_import(blame, file, import, &is_gone),
            Some(_) | None => None,
        };
        if let Some(edits) = edits {
            list.add(
                0.5,
                format!("import from where the standard library has '{}' now", name.unwrap_or(module)),
                file,
                edits,
            );
        }
    }
}

/// Corrects `from module import names`: those that moved are imported from their new module.
fn from_import(blame: &Blame<'_>, file: &str, import: &Import, from: &str) -> Option<Vec<Edit>> {
    if let Some((_, module)) = MODULES.iter().find(|(old, _)| *old == from) {
        return Some(vec![Edit::replace(import.from_span?.range(), *module)]);
    }
    let gone: Vec<(&ImportedName, &str, &str)> = import
        .names
        .iter()
        .filter_map(|one| moved(from, &one.name).map(|(module, name)| (one, module, name)))
        .collect();
    // Only whole names can be imported.
    if gone.iter().any(|(.., name)| name.contains('.')) {
        return None;
    }
    let (first, module, name) = *gone.first()?;
    if name.is_empty() {
        let is_alone = import.names.len() == 1 && first.alias.is_none() && first.name == module;
        return is_alone.then(|| vec![Edit::replace(import.span.range(), format!("import {module}"))]);
    }
    let renamed = |(one, _, name): &(&ImportedName, &str, &str)| (one.name != *name).then(|| under_old_name(one, name));
    if gone.len() == import.names.len() && gone.iter().all(|(_, other, _)| *other == module) {
        let mut edits = vec![Edit::replace(import.from_span?.range(), module)];
        edits.extend(gone.iter().filter_map(renamed));
        return Some(edits);
    }
    let text = blame.text(file);
    let (one, module, name) = *gone.first()?;
    let bound = one.bound();
    let alias = if bound == name { String::new() } else { format!(" as {bound}") };
    let end = one.alias.as_ref().map_or(one.span.end, |(_, span)| span.end);
    let behind = text.get(end..)?;
    let comma = behind.trim_start().starts_with(',').then(|| behind.find(','))?.map(|at| end + at + 1);
    let removal = match comma {
        Some(comma) => one.span.start..comma + text.get(comma..)?.len() - text.get(comma..)?.trim_start().len(),
        None => return None,
    };
    Some(vec![Edit::delete(removal), insert_import(blame, file, &format!("from {module} import {name}{alias}"))?])
}

/// Corrects `import module`: by the module's new name, or if it is gone, where its names are used.
fn plain_import(blame: &Blame<'_>, file: &str, import: &Import, is_gone: &dyn Fn(&str) -> bool) -> Option<Vec<Edit>> {
    let [one] = import.names.as_slice() else { return None };
    if !is_gone(&one.name) {
        return None;
    }
    let Some((_, module)) = MODULES.iter().find(|(old, _)| *old == one.name) else {
        return uses(blame, file, import, one);
    };
    // Without its first part, `import a.b` binds another name.
    (!one.name.contains('.') || one.alias.is_some()).then(|| vec![under_old_name(one, module)])
}

/// Corrects every use of a module that is gone, and its import, if all names that are used have moved.
fn uses(blame: &Blame<'_>, file: &str, import: &Import, one: &ImportedName) -> Option<Vec<Edit>> {
    let text = blame.text(file);
    if one.alias.is_some() || !import.is_top_level {
        return None;
    }
    let tokens: Vec<_> = scan(text).into_iter().filter(|token| token.kind != Kind::Comment).collect();
    let path: Vec<&str> = one.name.split('.').flat_map(|part| [part, "."]).collect();
    let mut modules = BTreeSet::new();
    let mut edits = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_member = at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| token.text(text) == ".");
        let is_own = import.span.contains(Span { start: token.start, end: token.end });
        if token.text(text) != *path.first()? || is_member || is_own {
            continue;
        }
        let window = tokens.get(at..=at + path.len())?;
        let (name, head) = window.split_last()?;
        if !head.iter().zip(&path).all(|(token, word)| token.text(text) == *word) {
            return None;
        }
        let (module, new) = moved(&one.name, name.text(text))?;
        if module != "builtins" {
            modules.insert(module);
        }
        edits.push(Edit::replace(token.start..name.end, written(module, new)));
    }
    let statements: Vec<String> = modules.iter().map(|module| format!("import {module}")).collect();
    if statements.is_empty() {
        return None;
    }
    edits.push(Edit::replace(import.span.range(), statements.join("\n")));
    Some(edits)
}

/// Corrects `module.name` throughout a file.
fn attribute(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &str, name: &str) {
    let Some((new_module, new_name)) = moved(module, name) else { return };
    let text = blame.text(file);
    let tokens: Vec<_> = scan(text).into_iter().filter(|token| token.kind != Kind::Comment).collect();
    let wanted: Vec<&str> = module.split('.').flat_map(|part| [part, "."]).chain([name]).collect();
    let mut edits: Vec<Edit> = Vec::new();
    for (at, window) in tokens.windows(wanted.len()).enumerate() {
        let is_it = window.iter().zip(&wanted).all(|(token, word)| token.text(text) == *word);
        let is_whole =
            at.checked_sub(1).and_then(|before| tokens.get(before)).is_none_or(|token| token.text(text) != ".");
        if let (true, true, [first, .., last]) = (is_it, is_whole, window) {
            edits.push(Edit::replace(first.start..last.end, written(new_module, new_name)));
        }
    }
    if edits.is_empty() {
        return;
    }
    let new = written(new_module, new_name);
    if new_module != module && new_module != "builtins" {
        edits.extend(missing_import(blame, file, new_module));
    }
    list.add(0.5, format!("use '{new}' instead of '{module}.{name}'"), file, edits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn imports_abstract_class_from_its_module() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.11/collections/__init__.py)"#,
            ),
            r"
//- /a.py
-from collections import Mapping
+from collections.abc import Mapping
 print(Mapping)
",
        );
    }

    #[test]
    fn leaves_names_that_stayed() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.11/collections/__init__.py)"#,
            ),
            r"
//- /a.py
-from collections import Mapping, OrderedDict
+from collections import OrderedDict
+from collections.abc import Mapping
 print(Mapping, OrderedDict)
",
        );
    }

    #[test]
    fn keeps_bound_name_of_renamed_function() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ImportError: cannot import name 'getargspec' from 'inspect' (/usr/lib/python3.11/inspect.py)"#,
            ),
            r"
//- /a.py
-from inspect import getargspec
+from inspect import getfullargspec as getargspec
 print(getargspec)
",
        );
    }

    #[test]
    fn uses_module_that_has_the_name() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 4, in f
AttributeError: module 'collections' has no attribute 'Mapping'"#,
            ),
            r#"
//- /a.py
 import collections
+import collections.abc
 NOTE = "collections.Mapping"
 def f(x):
-    return isinstance(x, collections.Mapping)
+    return isinstance(x, collections.abc.Mapping)
"#,
        );
    }

    #[test]
    fn follows_function_of_dropped_module() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'distutils'"#,
            ),
            r"
//- /a.py
-from distutils.spawn import find_executable
+from shutil import which as find_executable
 print(find_executable)
",
        );
    }

    #[test]
    fn leaves_dropped_module_without_successor() {
        check_no_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'asyncore'"#,
            ),
            r"
//- /a.py
 import asyncore
",
        );
    }

    #[test]
    fn follows_all_names_of_dropped_module() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'imp'"#,
            ),
            r"
-import imp
+import importlib
+import types
 def load(name):
-    return imp.reload(imp.new_module(name))
+    return importlib.reload(types.ModuleType(name))
",
        );
    }

    #[test]
    fn imports_builtin_under_its_old_name() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ImportError: cannot import name 'izip' from 'itertools' (unknown location)"#,
            ),
            r"
-from itertools import izip
+from builtins import zip as izip
 print(izip)
",
        );
    }

    #[test]
    fn uses_builtin_without_module() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 3, in f
AttributeError: module 'string' has no attribute 'maketrans'"#,
            ),
            r"
 import string
 def f(text):
-    return text.translate(string.maketrans('a', 'b'))
+    return text.translate(str.maketrans('a', 'b'))
",
        );
    }

    #[test]
    fn imports_module_that_was_attribute() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 3, in f
AttributeError: module 'os' has no attribute 'errno'"#,
            ),
            r"
+import errno
 import os
 def f(error):
-    return error.errno == os.errno.ENOENT
+    return error.errno == errno.ENOENT
",
        );
    }

    #[test]
    fn renames_method_of_thread() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 4, in runs
AttributeError: 'Worker' object has no attribute 'isAlive'. Did you mean: 'is_alive'?"#,
            ),
            r"
 import threading
 class Worker(threading.Thread): pass
 def runs(worker):
-    return worker.isAlive()
+    return worker.is_alive()
",
        );
    }

    #[test]
    fn makes_list_of_element() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 2, in names
AttributeError: 'xml.etree.ElementTree.Element' object has no attribute 'getchildren'"#,
            ),
            r"
 def names(root):
-    return [child.tag for child in root.find('all').getchildren()]
+    return [child.tag for child in list(root.find('all'))]
",
        );
    }

    #[test]
    fn uses_function_instead_of_method() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 3, in plain
AttributeError: 'HTMLParser' object has no attribute 'unescape'"#,
            ),
            r"
 from html.parser import HTMLParser
+import html
 def plain(text):
-    return HTMLParser().unescape(text)
+    return html.unescape(text)
",
        );
    }

    #[test]
    fn renames_assertion_of_helper() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 3, in check
AttributeError: 'TestRates' object has no attribute 'assertItemsEqual'"#,
            ),
            r"
 class Checks:
     def check(self, rates):
-        self.assertItemsEqual(rates, [1, 2])
+        self.assertCountEqual(rates, [1, 2])
",
        );
    }

    #[test]
    fn leaves_out_argument_that_json_dropped() {
        check_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 3, in read
  File "/usr/lib/python3.11/json/__init__.py", line 359, in loads
TypeError: JSONDecoder.__init__() got an unexpected keyword argument 'encoding'"#,
            ),
            r"
 import json
 def read(text):
-    return json.loads(text, encoding='utf-8')
+    return json.loads(text)
",
        );
    }

    #[test]
    fn leaves_members_of_other_classes_alone() {
        check_no_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 3, in runs
AttributeError: 'Patient' object has no attribute 'isAlive'"#,
            ),
            r"
 class Patient: pass
 def runs(patient):
     return patient.isAlive()
",
        );
    }

    #[test]
    fn leaves_dropped_module_with_names_that_stayed_behind() {
        check_no_fix(
            &MovedNames,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'imp'"#,
            ),
            r"
 import imp
 def load(name):
     return imp.reload(imp.load_module(name, *imp.find_module(name)))
",
        );
    }
}

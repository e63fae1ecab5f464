//! Names and modules that the standard library has moved, renamed or dropped.

use std::collections::BTreeSet;

use super::blame::Blame;
use super::import_statement::insert_import;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Import, ImportedName};
use crate::python::tokens::{Kind, scan};

/// Follows a name to the place where the standard library has it now: `collections.Mapping`, `inspect.getargspec`, `imp.reload`.
pub(super) struct MovedNames;

const NAME: &str = "moved_names";

/// Names that moved: module and name as they were, module and name as they are. Each works with all versions since Python 3.8.
#[rustfmt::skip]
const NAMES: &[(&str, &str, &str, &str)] = &[
    ("asyncio", "async", "asyncio", "ensure_future"),
    ("base64", "decodestring", "base64", "decodebytes"),
    ("base64", "encodestring", "base64", "encodebytes"),
    ("cgi", "escape", "html", "escape"),
    ("cgi", "parse_qs", "urllib.parse", "parse_qs"),
    ("cgi", "parse_qsl", "urllib.parse", "parse_qsl"),
    ("collections", "AsyncIterable", "collections.abc", "AsyncIterable"),
    ("collections", "AsyncIterator", "collections.abc", "AsyncIterator"),
    ("collections", "Awaitable", "collections.abc", "Awaitable"),
    ("collections", "Callable", "collections.abc", "Callable"),
    ("collections", "Collection", "collections.abc", "Collection"),
    ("collections", "Container", "collections.abc", "Container"),
    ("collections", "Coroutine", "collections.abc", "Coroutine"),
    ("collections", "Generator", "collections.abc", "Generator"),
    ("collections", "Hashable", "collections.abc", "Hashable"),
    ("collections", "ItemsView", "collections.abc", "ItemsView"),
    ("collections", "Iterable", "collections.abc", "Iterable"),
    ("collections", "Iterator", "collections.abc", "Iterator"),
    ("collections", "KeysView", "collections.abc", "KeysView"),
    ("collections", "Mapping", "collections.abc", "Mapping"),
    ("collections", "MappingView", "collections.abc", "MappingView"),
    ("collections", "MutableMapping", "collections.abc", "MutableMapping"),
    ("collections", "MutableSequence", "collections.abc", "MutableSequence"),
    ("collections", "MutableSet", "collections.abc", "MutableSet"),
    ("collections", "Reversible", "collections.abc", "Reversible"),
    ("collections", "Sequence", "collections.abc", "Sequence"),
    ("collections", "Set", "collections.abc", "Set"),
    ("collections", "Sized", "collections.abc", "Sized"),
    ("collections", "ValuesView", "collections.abc", "ValuesView"),
    ("distutils.spawn", "find_executable", "shutil", "which"),
    ("distutils.sysconfig", "get_config_var", "sysconfig", "get_config_var"),
    ("distutils.sysconfig", "get_config_vars", "sysconfig", "get_config_vars"),
    ("fractions", "gcd", "math", "gcd"),
    ("imp", "reload", "importlib", "reload"),
    ("inspect", "getargspec", "inspect", "getfullargspec"),
    ("os", "getcwdu", "os", "getcwd"),
    ("pipes", "quote", "shlex", "quote"),
    ("sys", "maxint", "sys", "maxsize"),
    ("time", "clock", "time", "perf_counter"),
    ("unittest", "_TextTestResult", "unittest", "TextTestResult"),
];

/// Modules that were renamed as a whole.
#[rustfmt::skip]
const MODULES: &[(&str, &str)] = &[
    ("ConfigParser", "configparser"),
    ("HTMLParser", "html.parser"),
    ("Queue", "queue"),
    ("SocketServer", "socketserver"),
    ("StringIO", "io"),
    ("__builtin__", "builtins"),
    ("cPickle", "pickle"),
    ("cStringIO", "io"),
    ("httplib", "http.client"),
    ("urlparse", "urllib.parse"),
    ("xml.etree.cElementTree", "xml.etree.ElementTree"),
];

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

/// Corrects the import statements of a file that ask for what is gone. `name`: the name that the module lost; `None`: the whole module is gone.
fn imports(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &str, name: Option<&str>) {
    let Some(parsed) = blame.module(file) else { return };
    let is_gone = |from: &str| from == module || name.is_none() && from.starts_with(&format!("{module}."));
    for import in parsed.imports.iter().filter(|import| import.level == 0) {
        let edits = match &import.from {
            Some(from) if is_gone(from) => from_import(blame, file, import, from),
            None if name.is_none() => plain_import(import, &is_gone),
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
    let (_, module, _) = *gone.first()?;
    let renamed = |(one, _, name): &(&ImportedName, &str, &str)| {
        let alias = if one.alias.is_none() && one.name != *name { format!(" as {}", one.name) } else { String::new() };
        (one.name != *name).then(|| Edit::replace(one.span.range(), format!("{name}{alias}")))
    };
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

/// Corrects `import module`.
fn plain_import(import: &Import, is_gone: &dyn Fn(&str) -> bool) -> Option<Vec<Edit>> {
    let [one] = import.names.as_slice() else { return None };
    let (_, module) = MODULES.iter().find(|(old, _)| *old == one.name && is_gone(old))?;
    let alias = if one.alias.is_none() { format!(" as {}", one.name) } else { String::new() };
    // Without its first part, `import a.b` binds another name.
    (!one.name.contains('.') || one.alias.is_some())
        .then(|| vec![Edit::replace(one.span.range(), format!("{module}{alias}"))])
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
            edits.push(Edit::replace(first.start..last.end, format!("{new_module}.{new_name}")));
        }
    }
    if edits.is_empty() {
        return;
    }
    let is_imported = |import: &Import| import.from.is_none() && import.names.iter().any(|one| one.name == new_module);
    if new_module != module && !blame.module(file).is_some_and(|parsed| parsed.imports.iter().any(is_imported)) {
        edits.extend(insert_import(blame, file, &format!("import {new_module}")));
    }
    list.add(0.5, format!("use '{new_module}.{new_name}' instead of '{module}.{name}'"), file, edits);
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
    fn names_are_sorted() {
        assert!(NAMES.is_sorted());
        assert!(MODULES.is_sorted());
    }
}

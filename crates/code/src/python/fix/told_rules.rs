//! Repairs of what flake8, pycodestyle and pylint find, made from their words alone: they report no fix of their own. To add one, add a row
//! to [`RULES`]. White space is changed only where the program stays the same.

use ruff_python_ast::{Alias, Stmt};
use ruff_text_size::Ranged;

use super::lint_rules::{Repair, line_around, statements, without_name};
use crate::edit::{Edit, FileEdit};
use crate::python::{parse, same_program};

/// A finding at a place in a text that parses.
struct Told<'a> {
    text: &'a str,
    /// First byte of the line that is named.
    line: usize,
    /// Words of the finding, without its code.
    words: &'a str,
}

type Rule = fn(&Told<'_>) -> Option<Repair>;

const UNUSED_IMPORT: [&str; 2] = ["F401", "W0611"];

/// Codes of flake8 and pylint, each with its repair.
const RULES: &[(&[&str], Rule)] = &[
    (&UNUSED_IMPORT, remove_import),
    (&["W291", "W293", "C0303"], strip_line),
    (&["W292", "C0304"], end_line),
    (&["W391", "C0305"], strip_end),
    (&["E301", "E302", "E303", "E304", "E305", "E306"], space_lines),
];

/// The repair of a finding such as `F401 'os' imported but unused` in a line of a file; `None`: no rule knows it, or where it is.
pub(super) fn repair(file: &str, text: &str, line: u32, message: &str) -> Option<Repair> {
    let (code, words) = message.split_once(' ')?;
    let (_, rule) = RULES.iter().find(|(codes, _)| codes.contains(&code))?;
    let lines_above = usize::try_from(line).ok()?.checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(lines_above).map(str::len).sum();
    let is_import = UNUSED_IMPORT.contains(&code);
    // An import of a package's own file may be there for others.
    if is_import && file.ends_with("__init__.py") {
        return None;
    }
    let repair = rule(&Told { text, line: start.min(text.len()), words })?;
    let after = FileEdit { file: String::new(), edits: repair.edits.clone() }.apply(text).ok()?;
    (after != text && (is_import || same_program::is_same(text, &after))).then_some(repair)
}

/// Removes a name that nothing reads from its import, and the statement with the last one.
fn remove_import(told: &Told<'_>) -> Option<Repair> {
    let Told { text, line, words } = *told;
    let tree = parse::parse(text, None).ok().filter(parse::Tree::is_valid)?;
    // flake8: `'a.b as c' imported but unused`; pylint: `Unused b imported from a`, `Unused import a`, `Unused a imported as b`.
    let quoted = words.split('\'').nth(1);
    let is_named = |alias: &Alias, module: &str| {
        let (name, bound) =
            (alias.name.as_str(), alias.asname.as_ref().map_or(alias.name.as_str(), |name| name.as_str()));
        let full = if module.is_empty() { name.to_owned() } else { format!("{}.{name}", module.trim_end_matches('.')) };
        let shown = if bound == name { full.clone() } else { format!("{full} as {bound}") };
        match quoted {
            Some(quoted) => [full.as_str(), shown.as_str(), name].contains(&quoted),
            None => words.split_whitespace().skip(1).any(|word| word == name || word == bound),
        }
    };
    tree.read(|body| {
        let all = statements(body);
        let imports = all.iter().filter_map(|statement| match statement {
            Stmt::Import(import) => Some((*statement, &import.names, String::new())),
            Stmt::ImportFrom(import) => {
                let dots = ".".repeat(usize::try_from(import.level).unwrap_or(0));
                Some((*statement, &import.names, format!("{dots}{}", import.module.as_deref().unwrap_or_default())))
            }
            _ => None,
        });
        let (statement, names, index) = imports
            .filter(|(statement, ..)| line_around(text, line).contains(&statement.range().start().to_usize()))
            .find_map(|(statement, names, module)| {
                let index = names.iter().position(|alias| is_named(alias, &module))?;
                Some((statement, names, index))
            })?;
        without_name(text, body, statement, names, index)
    })
}

fn strip_line(told: &Told<'_>) -> Option<Repair> {
    let line = line_around(told.text, told.line);
    let own = told.text.get(line.clone())?.trim_end_matches(['\n', '\r']);
    let kept = own.trim_end().len();
    let edits = vec![Edit::delete(line.start + kept..line.start + own.len())];
    Some(Repair { edits, description: "remove the white space at the end of the line" })
}

fn end_line(told: &Told<'_>) -> Option<Repair> {
    let is_missing = !told.text.ends_with('\n');
    is_missing.then(|| Repair { edits: vec![Edit::insert(told.text.len(), "\n")], description: "end the last line" })
}

fn strip_end(told: &Told<'_>) -> Option<Repair> {
    let kept = told.text.trim_end().len();
    let edits = vec![Edit::replace(kept..told.text.len(), "\n")];
    (kept > 0).then_some(Repair { edits, description: "remove the blank lines at the end" })
}

/// Gives a statement the blank lines above it that PEP 8 asks for: two at the top level, one within, none behind a decorator.
fn space_lines(told: &Told<'_>) -> Option<Repair> {
    let Told { text, line, words } = *told;
    let above = text.get(..line)?;
    let own = text.get(line_around(text, line))?;
    let code = above.trim_end_matches([' ', '\t', '\n', '\r']).len();
    let is_top = !own.starts_with([' ', '\t']);
    let wanted = if words.contains("after function decorator") { 0 } else { 1 + usize::from(is_top) };
    let begins = if code == 0 { 0 } else { line_around(text, code - 1).end };
    let edits = vec![Edit::replace(begins..line, "\n".repeat(if code == 0 { 0 } else { wanted }))];
    Some(Repair { edits, description: "separate by the blank lines that PEP 8 asks for" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str, line: u32, message: &str) -> Option<String> {
        let repair = repair("shop/cart.py", text, line, message)?;
        Some(FileEdit { file: String::new(), edits: repair.edits }.apply(text).unwrap())
    }

    #[test]
    fn an_unused_name_leaves_its_import() {
        let text = "import os, sys\nfrom collections import Counter, OrderedDict as Ordered, defaultdict\nfrom . import own\nx = 1; import json\n";
        let gone = |what: &str, with: &str| Some(text.replace(what, with));
        assert_eq!(repaired(text, 1, "F401 'os' imported but unused"), gone("os, ", ""));
        assert_eq!(repaired(text, 1, "W0611 Unused import sys (unused-import)"), gone(", sys", ""));
        let ordered = "F401 'collections.OrderedDict as Ordered' imported but unused";
        assert_eq!(repaired(text, 2, ordered), gone("OrderedDict as Ordered, ", ""));
        let last = "W0611 Unused defaultdict imported from collections (unused-import)";
        assert_eq!(repaired(text, 2, last), gone(", defaultdict", ""));
        assert_eq!(repaired(text, 3, "F401 '.own' imported but unused"), gone("from . import own\n", ""));
        assert_eq!(repaired(text, 3, "F401 '.other' imported but unused"), None);
        assert_eq!(repaired(text, 4, "F401 'json' imported but unused"), None, "beside another statement");
        assert!(repair("shop/__init__.py", text, 1, "F401 'os' imported but unused").is_none());
        let only = "def f():\n    import os\n";
        assert_eq!(repaired(only, 2, "F401 'os' imported but unused"), None, "a block needs a statement");
        let with = "def f():\n    import os\n    return 1\n";
        assert_eq!(repaired(with, 2, "F401 'os' imported but unused").as_deref(), Some("def f():\n    return 1\n"));
    }

    #[test]
    fn white_space_is_as_asked_and_the_program_the_same() {
        let text = "a = 1  \n\n\n\nb = '''  \n'''\n";
        assert_eq!(repaired(text, 1, "W291 trailing whitespace").as_deref(), Some("a = 1\n\n\n\nb = '''  \n'''\n"));
        assert_eq!(repaired(text, 5, "W291 trailing whitespace"), None, "within a text");
        let spaced = Some("a = 1  \n\n\nb = '''  \n'''\n");
        assert_eq!(repaired(text, 5, "E303 too many blank lines (3)").as_deref(), spaced);
        assert_eq!(repaired("a = 1", 1, "W292 no newline at end of file").as_deref(), Some("a = 1\n"));
        assert_eq!(repaired("a = 1\n\n\n", 2, "W391 blank line at end of file").as_deref(), Some("a = 1\n"));
        let near = "import os\ndef f():\n    pass\n";
        assert_eq!(
            repaired(near, 2, "E302 expected 2 blank lines, found 0").as_deref(),
            Some("import os\n\n\ndef f():\n    pass\n")
        );
        let class = "class A:\n    x = 1\n\n\n    def f(self):\n        pass\n";
        assert_eq!(
            repaired(class, 5, "E303 too many blank lines (2)").as_deref(),
            Some("class A:\n    x = 1\n\n    def f(self):\n        pass\n")
        );
        let decorated = "@a\n\ndef f():\n    pass\n";
        assert_eq!(
            repaired(decorated, 3, "E304 blank lines found after function decorator (1)").as_deref(),
            Some("@a\ndef f():\n    pass\n")
        );
        assert_eq!(repaired("a = 1\n", 9, "W291 trailing whitespace"), None);
        assert_eq!(repaired("a = (\n", 1, "W291 trailing whitespace"), None);
    }
}

//! Repairs of what flake8, pycodestyle and pylint find, made from their words alone: they report no fix. To add one, add a row
//! to [`RULES`]. White space is changed only where the program stays the same.

mod comparisons;
mod layout;
mod unused;

use ruff_python_ast::{Alias, Stmt};
use ruff_text_size::Ranged;

use super::lint_rules::{Repair, line_around, statements, without_name};
use crate::edit::applied;
use crate::python::parse;

/// A finding at a place in a text.
struct Told<'a> {
    text: &'a str,
    /// Byte at the line and the column that are named.
    at: usize,
    code: &'a str,
    /// Words of the finding, without its code.
    words: &'a str,
}

/// A repair made from the tokens of the text, or from the statements of one that parses.
enum Rule {
    Text(fn(&Told<'_>) -> Option<Repair>),
    Program(fn(&Told<'_>, &[Stmt]) -> Option<Repair>),
}

const UNUSED_IMPORT: [&str; 2] = ["F401", "W0611"];

/// Codes of flake8 and pylint, each with its repair.
const RULES: &[(&[&str], Rule)] = &[
    (layout::CODES, Rule::Text(layout::repair)),
    (&UNUSED_IMPORT, Rule::Program(remove_import)),
    (&["F841", "W0612"], Rule::Program(unused::variable)),
    (&["F541", "W1309"], Rule::Program(unused::placeholders)),
    (&["E711", "E712", "C0121"], Rule::Program(comparisons::by_identity)),
    (&["E713", "E714", "C0117"], Rule::Program(comparisons::negated)),
];

/// The repair of a finding such as `F401 'os' imported but unused` at a byte of a file; `None`: no rule knows it, or where it is.
pub(super) fn repair(file: &str, text: &str, at: usize, message: &str) -> Option<Repair> {
    let (code, words) = message.split_once(' ')?;
    let (_, rule) = RULES.iter().find(|(codes, _)| codes.contains(&code))?;
    // An import of a package's own file may be there for others.
    if UNUSED_IMPORT.contains(&code) && file.rsplit('/').next() == Some("__init__.py") {
        return None;
    }
    let told = Told { text, at, code, words };
    let repair = match rule {
        Rule::Text(repair) => repair(&told)?,
        Rule::Program(repair) => {
            let tree = parse::parse(text, None).ok().filter(parse::Tree::is_valid)?;
            tree.read(|body| repair(&told, body))?
        }
    };
    let after = applied(text, &repair.edits).ok()?;
    (after != text).then_some(repair)
}

/// Removes a name that nothing reads from its import, and the statement with the last one.
fn remove_import(told: &Told<'_>, body: &[Stmt]) -> Option<Repair> {
    let Told { text, at, words, .. } = *told;
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
    let all = statements(body);
    let imports = all.iter().filter_map(|statement| match statement {
        Stmt::Import(import) => Some((*statement, &import.names, String::new())),
        Stmt::ImportFrom(import) => {
            let dots = ".".repeat(usize::try_from(import.level).unwrap_or(0));
            Some((*statement, &import.names, format!("{dots}{}", import.module.as_deref().unwrap_or_default())))
        }
        _ => None,
    });
    let line = line_around(text, at);
    let (statement, names, index) = imports
        .filter(|(statement, ..)| line.contains(&statement.range().start().to_usize()))
        .find_map(|(statement, names, module)| {
            let index = names.iter().position(|alias| is_named(alias, &module))?;
            Some((statement, names, index))
        })?;
    without_name(text, body, statement, names, index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_lint_fix, check_no_lint_fix, flake8};

    fn repaired(text: &str, line: usize, message: &str) -> Option<String> {
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        repaired_at(text, start, message)
    }

    fn repaired_at(text: &str, at: usize, message: &str) -> Option<String> {
        let repair = repair("shop/cart.py", text, at, message)?;
        Some(applied(text, &repair.edits).unwrap())
    }

    #[test]
    fn removes_unused_import() {
        check_lint_fix(
            flake8("a.py:1:1: F401 'sys' imported but unused"),
            r"
-import os, sys
+import os

 print(os.getcwd())
",
        );
    }

    #[test]
    fn leaves_import_that_misspelt_name_means_alone() {
        check_no_lint_fix(
            flake8("a.py:1:1: F401 'json' imported but unused"),
            r"
 import json

 print(jsn.dumps({}))
",
        );
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
        assert!(repair("shop/__init__.py", text, 0, "F401 'os' imported but unused").is_none());
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

    #[test]
    fn space_is_set_where_the_column_says() {
        for (said, text, before, after) in [
            ("E225 missing whitespace around operator", "x=1\n", "=1", "x = 1\n"),
            ("E225 missing whitespace around operator", "x = a <b\n", "<b", "x = a < b\n"),
            ("E231 missing whitespace after ','", "f(a,b)\n", ",b", "f(a, b)\n"),
            ("E203 whitespace before ','", "f(a , b)\n", " ,", "f(a, b)\n"),
            ("E221 multiple spaces before operator", "x   = 1\n", "   =", "x = 1\n"),
            ("E251 unexpected spaces around keyword / parameter equals", "f(a = 1)\n", " 1", "f(a =1)\n"),
            ("E261 at least two spaces before inline comment", "x = 1 # y\n", " #", "x = 1  # y\n"),
            ("E262 inline comment should start with '# '", "x = 1  #y\n", "#y", "x = 1  # y\n"),
            ("E265 block comment should start with '# '", "#y\nx = 1\n", "#y", "# y\nx = 1\n"),
            (
                "E302 expected 2 blank lines, found 0",
                "x = 1\n# Why.\n@a\ndef f():\n    pass\n",
                "@a",
                "x = 1\n\n\n# Why.\n@a\ndef f():\n    pass\n",
            ),
            (
                "E301 expected 1 blank line, found 0",
                "class A:\n    x = 1\n    def f(self):\n        pass\n",
                "def",
                "class A:\n    x = 1\n\n    def f(self):\n        pass\n",
            ),
        ] {
            assert_eq!(repaired_at(text, text.find(before).unwrap(), said).as_deref(), Some(after), "{said}");
        }
        for (said, text, before) in [
            ("W291 trailing whitespace", "x = '''a  \nb'''\n", "  \n"),
            ("E231 missing whitespace after ','", "x = 'a,b'\n", ",b"),
            ("E225 missing whitespace around operator", "x = 'a=b'\n", "=b"),
            ("E262 inline comment should start with '# '", "x = '#y'\n", "#y"),
            ("E501 line too long", "x = 1\n", "x"),
        ] {
            assert_eq!(repaired_at(text, text.find(before).unwrap(), said), None, "{said}");
        }
    }

    #[test]
    fn an_unused_variable_goes_and_effects_stay() {
        let said = "F841 local variable 'x' is assigned to but never used";
        for (text, line, after) in [
            ("def f():\n    x = 1\n    return 2\n", 2, Some("def f():\n    return 2\n")),
            ("def f():\n    x = [a, 'b']\n", 2, Some("def f():\n    pass\n")),
            ("def f():\n    x = (g())\n    return 2\n", 2, Some("def f():\n    (g())\n    return 2\n")),
            ("try:\n    g()\nexcept E as x:\n    pass\n", 3, Some("try:\n    g()\nexcept E:\n    pass\n")),
            ("with open(a) as x:\n    pass\n", 1, Some("with open(a):\n    pass\n")),
            ("def f():\n    x, y = g()\n    return y\n", 2, None),
        ] {
            assert_eq!(repaired(text, line, said).as_deref(), after, "{text}");
        }
    }

    #[test]
    fn what_is_compared_or_formatted_for_nothing_is_plain() {
        for (said, text, after) in [
            ("F541 f-string is missing placeholders", "print(f'a' 'b' rf\"c\")\n", Some("print('a' 'b' r\"c\")\n")),
            ("F541 f-string is missing placeholders", "print(f'a{{')\n", None),
            ("F541 f-string is missing placeholders", "print(f'a{b}' f'c')\n", None),
            (
                "E711 comparison to None should be 'if cond is None:'",
                "if a == None:\n    b()\n",
                Some("if a is None:\n    b()\n"),
            ),
            (
                "E711 comparison to None should be 'if cond is not None:'",
                "if f(a) != None:\n    b()\n",
                Some("if f(a) is not None:\n    b()\n"),
            ),
            (
                "E712 comparison to True should be 'if cond is True:' or 'if cond:'",
                "if a == True:\n    b()\n",
                Some("if a:\n    b()\n"),
            ),
            (
                "E712 comparison to False should be 'if cond is False:' or 'if not cond:'",
                "if a == False:\n    b()\n",
                Some("if not a:\n    b()\n"),
            ),
            (
                "E713 test for membership should be 'not in'",
                "if not a in b:\n    c()\n",
                Some("if a not in b:\n    c()\n"),
            ),
            (
                "E714 test for object identity should be 'is not'",
                "if not a is b:\n    c()\n",
                Some("if a is not b:\n    c()\n"),
            ),
            ("E713 test for membership should be 'not in'", "if not (a in b):\n    c()\n", None),
        ] {
            assert_eq!(repaired(text, 1, said).as_deref(), after, "{said}: {text}");
        }
    }
}

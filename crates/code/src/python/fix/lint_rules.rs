//! Repairs for linter findings that report no fix: small rewrites that a programmer would make without
//! thinking. To add one, add a code to [`repairs`] and a function.

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Alias, CmpOp, Expr, Stmt};
use ruff_text_size::Ranged;

use crate::edit::{Edit, applied};
use crate::python::parse;
use crate::python::tokens::{self, Kind, Token};

/// A rewrite of a file and what it does, as an imperative.
pub(super) struct Repair {
    pub(super) edits: Vec<Edit>,
    pub(super) description: &'static str,
}

/// The rewrites for a violation of `code` at the byte `at` of `file`, whose text parses, likeliest first.
pub(super) fn repairs(code: &str, file: &str, text: &str, at: usize) -> Vec<Repair> {
    match parse::parse(text, None) {
        Ok(tree) if tree.is_valid() => tree.read(|body| repairs_in(code, file, text, at, body)),
        Ok(_) | Err(_) => Vec::new(),
    }
}

fn repairs_in(code: &str, file: &str, text: &str, at: usize, body: &[Stmt]) -> Vec<Repair> {
    match code {
        "E701" | "E702" => split_statements(text, at, body).into_iter().collect(),
        "E722" => name_the_exception(text, at),
        "E401" => split_imports(text, at, body).into_iter().collect(),
        "F401" => remove_foreign_import(file, text, at, body).into_iter().collect(),
        "E402" => move_import(text, at, body).into_iter().collect(),
        "E721" => compare_instances(text, at, body),
        _ => Vec::new(),
    }
}

/// Each statement on a line of its own; only when that changes nothing of what the text means.
fn split_statements(text: &str, at: usize, body: &[Stmt]) -> Option<Repair> {
    let line = line_around(text, at);
    let line_text = text.get(line.clone())?;
    let indent: String = line_text.chars().take_while(|c| c.is_whitespace()).collect();
    let tokens: Vec<Token> = tokens::scan(line_text);
    let mut edits = Vec::new();
    let (mut depth, mut level) = (0_usize, indent.clone());
    let mut is_compound = tokens.first().is_some_and(|first| begins_block(first.text(line_text)));
    for pair in tokens.windows(2) {
        let [token, next] = pair else { continue };
        match (token.kind, token.text(line_text)) {
            (Kind::Open, _) => depth += 1,
            (Kind::Close, _) => depth = depth.saturating_sub(1),
            (Kind::Operator | Kind::Unknown, sign @ (":" | ";")) if depth == 0 && next.kind != Kind::Comment => {
                if sign == ":" && !is_compound {
                    continue;
                }
                if sign == ":" {
                    level.push_str("    ");
                    is_compound = false;
                }
                let start = if sign == ":" { token.end } else { token.start };
                edits.push(Edit::replace(line.start + start..line.start + next.start, format!("\n{level}")));
            }
            (
                Kind::Name
                | Kind::Keyword
                | Kind::Number
                | Kind::String
                | Kind::Operator
                | Kind::Comment
                | Kind::Newline
                | Kind::Unknown,
                _,
            ) => {}
        }
    }
    let rewritten = applied(text, &edits).ok()?;
    let after = parse::parse(&rewritten, None).ok().filter(parse::Tree::is_valid)?;
    let same = after.read(|after| {
        let pairs = body.iter().zip(after);
        body.len() == after.len()
            && pairs.into_iter().all(|(before, after)| ComparableStmt::from(before) == ComparableStmt::from(after))
    });
    (same && !edits.is_empty()).then_some(Repair { edits, description: "give each statement a line of its own" })
}

fn begins_block(word: &str) -> bool {
    const BLOCKS: [&str; 12] =
        ["if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async"];
    BLOCKS.contains(&word)
}

/// `except:` catches the interpreter's own exits too, which is what the linter minds. Mostly that was not meant; where it
/// was, it has to be said.
fn name_the_exception(text: &str, at: usize) -> Vec<Repair> {
    let after = at + "except".len();
    if text.get(at..after) != Some("except") {
        return Vec::new();
    }
    let named = |name: &str, description| Repair { edits: vec![Edit::insert(after, name)], description };
    vec![
        named(" Exception", "catch `Exception`, not everything"),
        named(" BaseException", "say that everything is caught"),
    ]
}

fn split_imports(text: &str, at: usize, body: &[Stmt]) -> Option<Repair> {
    let line = line_around(text, at);
    let import = statements(body).into_iter().find_map(|statement| match statement {
        Stmt::Import(import) if line.contains(&import.range().start().to_usize()) => Some(import),
        _ => None,
    })?;
    let start = import.range().start().to_usize();
    let indent = text.get(line.start..start)?;
    let names: Option<Vec<String>> = import
        .names
        .iter()
        .map(|name| text.get(name.range().to_std_range()).map(|name| format!("import {name}")))
        .collect();
    let replacement = names?.join(&format!("\n{indent}"));
    let edits = vec![Edit::replace(import.range().to_std_range(), replacement)];
    Some(Repair { edits, description: "import each module on a line of its own" })
}

/// Removes an unused import that the linter leaves because it may be there for others to import, as in `__init__.py`: that
/// holds for the package's own names, hardly for another's.
fn remove_foreign_import(file: &str, text: &str, at: usize, body: &[Stmt]) -> Option<Repair> {
    let package = file.rsplit('/').nth(1).unwrap_or_default();
    let is_own = |module: &str| module.split('.').next() == Some(package);
    let (statement, names) = statements(body).into_iter().find_map(|statement| {
        match statement {
            Stmt::Import(import) if !import.names.iter().any(|alias| is_own(&alias.name)) => {
                Some((statement, &import.names))
            }
            Stmt::ImportFrom(import)
                if import.level == 0 && !import.module.as_ref().is_some_and(|name| is_own(name)) =>
            {
                Some((statement, &import.names))
            }
            _ => None,
        }
        .filter(|(statement, _)| statement.range().to_std_range().contains(&at))
    })?;
    let index = names.iter().position(|alias| alias.range().to_std_range().contains(&at))?;
    without_name(text, body, statement, names, index)
}

/// Removes a name from an import, and the statement with the last one; `None` if more than that would go, or a block be left empty.
pub(super) fn without_name(
    text: &str,
    body: &[Stmt],
    statement: &Stmt,
    names: &[Alias],
    index: usize,
) -> Option<Repair> {
    let range = |alias: &Alias| alias.range().to_std_range();
    let own = range(names.get(index)?);
    let removed = match (names.get(index + 1), index.checked_sub(1).and_then(|before| names.get(before))) {
        (Some(next), _) => own.start..range(next).start,
        (None, Some(before)) => range(before).end..own.end,
        (None, None) => {
            let (first, last) = (statement.range().start().to_usize(), statement.range().end().to_usize());
            let lines = line_around(text, first).start..line_around(text, last).end;
            let beside = [text.get(lines.start..first)?, text.get(last..lines.end)?];
            let is_alone = beside.iter().all(|other| other.trim().is_empty());
            (is_alone && has_siblings(body, statement)).then_some(lines)?
        }
    };
    Some(Repair { edits: vec![Edit::delete(removed)], description: "remove the unused import" })
}

/// Returns whether the statement may go: it stands at the top, or the block that holds it holds others, too.
pub(super) fn has_siblings(body: &[Stmt], statement: &Stmt) -> bool {
    let is_own = |other: &Stmt| std::ptr::eq(other, statement);
    let mut blocks: Vec<&[Stmt]> = body.iter().flat_map(blocks_of).collect();
    while let Some(block) = blocks.pop() {
        if block.iter().any(is_own) {
            return block.len() > 1;
        }
        blocks.extend(block.iter().flat_map(blocks_of));
    }
    body.iter().any(is_own)
}

fn blocks_of(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::FunctionDef(inner) => vec![&inner.body],
        Stmt::ClassDef(inner) => vec![&inner.body],
        Stmt::For(inner) => vec![&inner.body, &inner.orelse],
        Stmt::While(inner) => vec![&inner.body, &inner.orelse],
        Stmt::With(inner) => vec![&inner.body],
        Stmt::If(inner) => {
            std::iter::once(&*inner.body).chain(inner.elif_else_clauses.iter().map(|clause| &*clause.body)).collect()
        }
        Stmt::Try(inner) => vec![&inner.body, &inner.orelse, &inner.finalbody],
        // Imports elsewhere stay: what their block would be without them is not known.
        _ => Vec::new(),
    }
}

/// Moves an import up, behind the last one of those that stand at the top.
fn move_import(text: &str, at: usize, body: &[Stmt]) -> Option<Repair> {
    let late = body.iter().find(|statement| statement.range().start().to_usize() == at)?;
    let is_import = |statement: &&Stmt| matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_));
    let is_docstring =
        |statement: &&Stmt| matches!(statement, Stmt::Expr(expression) if expression.value.is_string_literal_expr());
    let top = body.iter().take_while(|statement| is_import(statement) || is_docstring(statement)).last()?;
    let home = line_around(text, top.range().end().to_usize()).end;
    let lines = line_around(text, at).start..line_around(text, late.range().end().to_usize()).end;
    let moved = text.get(lines.clone())?.to_owned();
    if home > lines.start || !moved.ends_with('\n') {
        return None;
    }
    let edits = vec![Edit::insert(home, moved), Edit::delete(lines)];
    Some(Repair { edits, description: "move the import to the top" })
}

/// `type(a) == B` as `isinstance(a, B)`, or as the identity that it means to be.
fn compare_instances(text: &str, at: usize, body: &[Stmt]) -> Vec<Repair> {
    struct Find<'a> {
        at: usize,
        found: Option<&'a ruff_python_ast::ExprCompare>,
    }
    impl<'a> Visitor<'a> for Find<'a> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            if let Expr::Compare(compare) = expression
                && compare.range().start().to_usize() == self.at
            {
                self.found = Some(compare);
            }
            walk_expr(self, expression);
        }
    }
    let mut find = Find { at, found: None };
    find.visit_body(body);
    let Some(compare) = find.found else { return Vec::new() };
    let ([operator], [right], Expr::Call(call)) = (&*compare.ops, &*compare.comparators, &*compare.left) else {
        return Vec::new();
    };
    let ([object], Some(kind)) = (&*call.arguments.args, text.get(right.range().to_std_range())) else {
        return Vec::new();
    };
    let Some(object) = text.get(object.range().to_std_range()) else { return Vec::new() };
    let (not, identity) = match operator {
        CmpOp::Eq | CmpOp::Is => ("", "is"),
        CmpOp::NotEq | CmpOp::IsNot => ("not ", "is not"),
        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE | CmpOp::In | CmpOp::NotIn => return Vec::new(),
    };
    let whole = compare.range().to_std_range();
    vec![
        Repair {
            edits: vec![Edit::replace(whole.clone(), format!("{not}isinstance({object}, {kind})"))],
            description: "compare types with isinstance()",
        },
        Repair {
            edits: vec![Edit::replace(whole, format!("type({object}) {identity} {kind}"))],
            description: "compare types by identity",
        },
    ]
}

/// Every statement, at any depth.
pub(super) fn statements(body: &[Stmt]) -> Vec<&Stmt> {
    struct All<'a>(Vec<&'a Stmt>);
    impl<'a> Visitor<'a> for All<'a> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            self.0.push(statement);
            ruff_python_ast::visitor::walk_stmt(self, statement);
        }
    }
    let mut all = All(Vec::new());
    all.visit_body(body);
    all.0
}

/// The bytes of the line that holds `at`, its line break included.
pub(super) fn line_around(text: &str, at: usize) -> std::ops::Range<usize> {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_lint_fix, check_no_lint_fix, ruff};

    fn repaired(code: &str, text: &str, before: &str) -> Option<String> {
        let at = text.find(before).unwrap();
        let repair = repairs(code, "package/__init__.py", text, at).into_iter().next()?;
        Some(applied(text, &repair.edits).unwrap())
    }

    #[test]
    fn names_exception() {
        check_lint_fix(
            ruff("a.py:3:1: E722 Do not use bare `except`"),
            r"
 try:
     import json
-except:
+except Exception:
     json = None
",
        );
    }

    #[test]
    fn moves_import_to_top() {
        check_lint_fix(
            ruff("a.py:4:1: E402 Module level import not at top of file"),
            r"
 import json
+import os

 LIMIT = 3
-import os
 print(json, os, LIMIT)
",
        );
    }

    /// Other files may import the name from there.
    #[test]
    fn leaves_unused_import_of_own_file_alone() {
        check_no_lint_fix(
            ruff("shop/__init__.py:1:18: F401 `shop.cart` imported but unused; consider removing"),
            r"
//- /shop/__init__.py
 from shop import cart
//- /shop/cart.py
 LIMIT = 3
",
        );
    }

    #[test]
    fn two_statements_get_two_lines() {
        let text = "def f(a):\n    b = a[1:]; return ';', b\n";
        assert_eq!(repaired("E702", text, "; return").unwrap(), "def f(a):\n    b = a[1:]\n    return ';', b\n");
    }

    #[test]
    fn the_body_of_a_block_gets_its_own_lines() {
        let text = "if x: y = {1: 2}; z()\n";
        assert_eq!(repaired("E701", text, ": y").unwrap(), "if x:\n    y = {1: 2}\n    z()\n");
    }

    #[test]
    fn a_bare_except_names_what_it_catches() {
        let text = "try:\n    f()\nexcept:\n    pass\n";
        assert_eq!(repaired("E722", text, "except").unwrap(), "try:\n    f()\nexcept Exception:\n    pass\n");
    }

    #[test]
    fn types_are_compared_as_instances() {
        let text = "ok = type(a.b) != int and c\n";
        assert_eq!(repaired("E721", text, "type(").unwrap(), "ok = not isinstance(a.b, int) and c\n");
    }

    #[test]
    fn imports_are_split_and_moved() {
        assert_eq!(
            repaired("E401", "if x:\n    import a, b as c\n", "import").unwrap(),
            "if x:\n    import a\n    import b as c\n"
        );
        let text = "\"\"\"Doc.\"\"\"\nimport a\n\nx = 1\nimport b\ny = 2\n";
        assert_eq!(
            repaired("E402", text, "import b").unwrap(),
            "\"\"\"Doc.\"\"\"\nimport a\nimport b\n\nx = 1\ny = 2\n"
        );
    }

    #[test]
    fn an_unused_import_of_another_package_goes() {
        let text = "import math\nfrom os import path, sep\nfrom package import own\nfrom . import other\n";
        assert_eq!(repaired("F401", text, "math").unwrap(), text.replace("import math\n", ""));
        assert_eq!(repaired("F401", text, "path").unwrap(), text.replace("path, ", ""));
        assert_eq!(repaired("F401", text, "sep").unwrap(), text.replace(", sep", ""));
        assert_eq!(repaired("F401", text, "own"), None);
        assert_eq!(repaired("F401", text, "other"), None);
    }

    #[test]
    fn what_is_not_known_or_does_not_parse_gets_none() {
        assert!(repairs("E999", "a.py", "x = 1\n", 0).is_empty());
        assert!(repairs("E722", "a.py", "except:\n", 0).is_empty());
    }
}

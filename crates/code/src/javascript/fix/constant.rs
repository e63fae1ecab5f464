//! A constant that is assigned: it should be a variable.

use super::blame::{Blame, Place};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::module::{Module, Role};
use crate::javascript::tokens::{Kind, Token, scan};
use crate::repair::shortlist::Shortlist;
use crate::span::Span;

/// Declares with `let` what is assigned after it was declared with `const`.
pub(super) struct Constant;

const NAME: &str = "constant";

/// Cost of the repair, in bits: the code contains the assignment, so it is most likely intended.
const BITS: f64 = 1.0;

impl Fixer for Constant {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let Complaint::ConstantAssigned { name } = &blame.complaint else { return Vec::new() };
        let Some(place) = blame.places.first() else { return Vec::new() };
        let Some(module) = blame.module(&place.file) else { return Vec::new() };
        let text = blame.text(&place.file);
        let mut list = Shortlist::new(&blame);
        for declared in assigned(module, text, place, name.as_deref()) {
            let shown = declared.text(text);
            if let Some(keyword) = keyword(module, text, declared) {
                list.edit(
                    BITS,
                    format!("let '{shown}' be assigned"),
                    &place.file,
                    Edit::replace(keyword.range(), "let"),
                );
            }
        }
        list.finish(NAME, 4)
    }
}

/// Returns the declarations of the names that the line assigns to: only of `name`, or of all if it is `None`.
fn assigned(module: &Module, text: &str, place: &Place, name: Option<&str>) -> Vec<Span> {
    const OPERATORS: [&str; 18] = [
        "=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=", "++",
        "--",
    ];
    let tokens = scan(text);
    let is_assigned = |span: Span| {
        let next = tokens.get(tokens.partition_point(|token| token.start < span.end));
        let before = tokens.partition_point(|token| token.start < span.start).checked_sub(1);
        let sign = |token: Option<&Token>| token.map_or("", |token| token.text(text));
        let (next, before) = (sign(next), sign(before.and_then(|before| tokens.get(before))));
        OPERATORS.contains(&next) || matches!(before, "++" | "--")
    };
    let words = module.words.iter().filter(|word| place.span.contains(word.span) && word.role == Role::Use);
    let words = words.filter(|word| name.is_none_or(|name| word.text == name) && is_assigned(word.span));
    words.filter_map(|word| module.declaration(&word.text, word.scope)).collect()
}

/// The `const` of a declaration; `None` when it is declared otherwise: what is imported, functions and classes.
fn keyword(module: &Module, text: &str, declared: Span) -> Option<Span> {
    let mut imports = module.imports.iter().filter(|import| !import.is_require);
    if imports.any(|import| import.span.contains(declared)) {
        return None;
    }
    let scope = module.scopes.get(module.scope_at(declared.start))?.span;
    let start = scope.start.min(declared.start);
    let tokens = scan(text.get(start..declared.start)?);
    let said = |token: &Token| token.text(&text[start..]);
    // Lines need not end with a semicolon: a `const` further up may be that of another statement.
    let before = tokens.iter().rfind(|token| !matches!(token.kind, Kind::Newline | Kind::Comment))?;
    if !matches!(said(before), "const" | "," | "{" | "[" | ":" | "...") {
        return None;
    }
    // What stands in brackets that are closed again belongs to a value.
    let mut depth = 0_usize;
    for token in tokens.iter().rev() {
        match (token.kind, said(token)) {
            (Kind::Close, _) => depth += 1,
            (Kind::Open, _) => depth = depth.saturating_sub(1),
            (_, "const") if depth == 0 => return Some(Span { start: start + token.start, end: start + token.end }),
            (_, "let" | "var" | ";") if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Constant;
    use crate::fix_example::{check_fix, check_no_fix, eslint, node, tsc};

    const THROWN: &str = "TypeError: Assignment to constant variable.";

    #[test]
    fn declares_variable_that_is_assigned() {
        check_fix(
            &Constant,
            node(
                r"TypeError: Assignment to constant variable.
    at sum (/repo/a.js:4:5)",
            ),
            r"
 function sum(list) {
-  const total = 0;
+  let total = 0;
   for (const one of list) {
     total += one;
   }
   return total;
 }
",
        );
        for change in [
            "-const a = 1, b = 2\n+let a = 1, b = 2\n\n b++\n",
            "-const a = 1\n+let a = 1\n\n --a\n",
            "-const b = require('x')\n+let b = require('x')\n\n b = 1\n",
            "-const { c, b } = d\n+let { c, b } = d\n\n b = 1\n",
            "-const a = () => { const c = 1; f(c) }, b = 2\n+let a = () => { const c = 1; f(c) }, b = 2\n\n b--\n",
        ] {
            check_fix(&Constant, node(&format!("{THROWN}\n    at /repo/a.js:3:1")), change);
        }
    }

    #[test]
    fn believes_tool_that_names_constant() {
        let change = "-const a = 1\n+let a = 1\n let b = 0\n a = b = 2\n";
        check_fix(&Constant, eslint("a.js:3:1: 'a' is constant. [Error/no-const-assign]"), change);
        check_fix(&Constant, tsc("a.ts(3,1): error TS2588: Cannot assign to 'a' because it is a constant."), change);
    }

    /// A constant inside of a function may have the name of an import.
    #[test]
    fn finds_constant_that_shadows_import() {
        let change = " import b from 'x'\n function f() {\n-  const b = 1\n+  let b = 1\n   b = 2\n }\n";
        check_fix(&Constant, node(&format!("{THROWN}\n    at f (/repo/a.js:4:3)")), change);
    }

    #[test]
    fn leaves_what_is_declared_otherwise_alone() {
        for files in [
            " const a = 1\n import b from 'x'\n b = a\n",
            " const a = 1\n import { c, b } from 'x'\n b = a\n",
            " const a = 1\n import * as b from 'x'\n b = a\n",
            " const a = 1\n class B {}\n B = a\n",
            " const a = 1\n let b = 2\n b = a\n",
            " const a = 1\n\n if (a === 2) f()\n",
        ] {
            check_no_fix(&Constant, node(&format!("{THROWN}\n    at /repo/a.js:3:1")), files);
        }
    }
}

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
    use autoheal_engine::diagnostics::{Category, Finding, Location, Source};

    use super::*;
    use crate::environment::Environment;
    use crate::sources::Sources;

    fn repaired(text: &str, line: u32, message: &str) -> Vec<String> {
        let mut sources = Sources::new(Vec::new());
        sources.insert("a.js", text, false);
        let finding = Finding {
            source: Source::Test,
            category: Category::TypeError,
            file: Some("a.js".to_owned()),
            location: Some(Location { line, column: None }),
            message: message.to_owned(),
            stack: None,
        };
        let environment = Environment::default();
        let context = FixContext { finding: &finding, all_findings: &[], sources: &sources, environment: &environment };
        Constant.candidates(&context).iter().map(|candidate| candidate.files[0].apply(text).unwrap()).collect()
    }

    #[test]
    fn the_constant_that_is_assigned_becomes_a_variable() {
        let message = "TypeError: Assignment to constant variable.";
        let text = "function f(list) {\n  const sum = 0;\n  for (const one of list) {\n    sum += one;\n  }\n  return sum;\n}\n";
        assert_eq!(repaired(text, 4, message), [text.replace("const sum", "let sum")]);
        assert_eq!(repaired("const a = 1, b = 2\nb++\n", 2, message), ["let a = 1, b = 2\nb++\n"]);
        assert_eq!(repaired("const a = 1\n--a\n", 2, message), ["let a = 1\n--a\n"]);
        // What is not assigned stays, and so does what is no constant.
        assert_eq!(repaired("const a = 1\nlet b = 2\nb = a\n", 3, message), [] as [&str; 0]);
        assert_eq!(repaired("const a = 1\nif (a === 2) f()\n", 2, message), [] as [&str; 0]);
    }

    #[test]
    fn what_is_declared_otherwise_is_left_alone() {
        let message = "TypeError: Assignment to constant variable.";
        let imports = ["import b from 'x'", "import { c, b } from 'x'", "import * as b from 'x'"];
        for import in imports {
            assert_eq!(repaired(&format!("const a = 1\n{import}\nb = a\n"), 3, message), [] as [&str; 0], "{import}");
        }
        assert_eq!(repaired("const a = 1\nclass B {}\nB = a\n", 3, message), [] as [&str; 0]);
        // These are constants all the same.
        let shadowed = "import b from 'x'\nfunction f() {\n  const b = 1\n  b = 2\n}\n";
        assert_eq!(repaired(shadowed, 4, message), [shadowed.replace("const b", "let b")]);
        assert_eq!(repaired("const b = require('x')\nb = 1\n", 2, message), ["let b = require('x')\nb = 1\n"]);
        assert_eq!(repaired("const { c, b } = d\nb = 1\n", 2, message), ["let { c, b } = d\nb = 1\n"]);
        let value = "const a = () => { const c = 1; f(c) }, b = 2\nb--\n";
        assert_eq!(repaired(value, 2, message), [value.replace("const a", "let a")]);
    }

    #[test]
    fn who_names_it_is_believed() {
        let text = "const a = 1\nlet b = 0\na = b = 2\n";
        let right = [text.replace("const a", "let a")];
        assert_eq!(repaired(text, 3, "no-const-assign 'a' is constant."), right);
        assert_eq!(repaired(text, 3, "TS2588: Cannot assign to 'a' because it is a constant."), right);
    }
}

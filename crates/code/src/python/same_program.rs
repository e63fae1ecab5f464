//! Comparison of two texts by their syntax trees, as black compares them: docstrings may be indented differently, and adjacent
//! imports may be in another order.

use std::collections::BTreeSet;

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_ast::visitor::transformer::{Transformer, walk_body, walk_stmt};
use ruff_python_ast::visitor::{Visitor, walk_annotation};
use ruff_python_ast::{Expr, Stmt};

use super::parse::{self, Tree};

/// Returns whether both texts parse and are the same program.
pub(crate) fn is_same(before: &str, after: &str) -> bool {
    let valid = |text| parse::parse(text, None).ok().filter(Tree::is_valid);
    let (Some(before), Some(after)) = (valid(before), valid(after)) else { return false };
    before.read(|before| after.read(|after| are_same(before, after)))
}

fn are_same(before: &[Stmt], after: &[Stmt]) -> bool {
    let normal = |body: &[Stmt]| {
        let mut body = body.to_vec();
        walk_body(&Format, &mut body);
        body
    };
    let (before, after) = (normal(before), normal(after));
    sections(&before) == sections(&after)
}

/// Returns the number of annotations in a text; 0 when it does not parse.
pub(crate) fn annotations(text: &str) -> usize {
    struct Count(usize);
    impl<'a> Visitor<'a> for Count {
        fn visit_annotation(&mut self, annotation: &'a Expr) {
            self.0 += 1;
            walk_annotation(self, annotation);
        }
    }
    let Some(tree) = parse::parse(text, None).ok().filter(Tree::is_valid) else { return 0 };
    tree.read(|body| {
        let mut count = Count(0);
        count.visit_body(body);
        count.0
    })
}

/// Statements at the top of a file; imports that stand together are a set.
#[derive(Debug, PartialEq)]
enum Section<'a> {
    Imports(BTreeSet<Import>),
    Statement(Box<ComparableStmt<'a>>),
}

/// One imported name: number of dots, module, name, and local name.
type Import = (u32, String, Option<String>, Option<String>);

fn sections(body: &[Stmt]) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    for statement in body {
        match imports(statement) {
            Some(new) => match sections.last_mut() {
                Some(Section::Imports(known)) => known.extend(new),
                Some(Section::Statement(_)) | None => sections.push(Section::Imports(new.into_iter().collect())),
            },
            None => sections.push(Section::Statement(Box::new(statement.into()))),
        }
    }
    sections
}

fn imports(statement: &Stmt) -> Option<Vec<Import>> {
    let (level, module, names) = match statement {
        Stmt::Import(import) => (0, None, &import.names),
        Stmt::ImportFrom(import) => {
            (import.level, Some(import.module.as_ref().map(ToString::to_string).unwrap_or_default()), &import.names)
        }
        _ => return None,
    };
    let one = |alias: &ruff_python_ast::Alias| {
        let (name, called) = (alias.name.to_string(), alias.asname.as_ref().map(ToString::to_string));
        match &module {
            Some(module) => (level, module.clone(), Some(name), called),
            None => (0, name, None, called),
        }
    };
    Some(names.iter().map(one).collect())
}

/// Takes out of a tree what only its format says.
struct Format;

impl Transformer for Format {
    fn visit_stmt(&self, statement: &mut Stmt) {
        match statement {
            Stmt::Expr(expression) => {
                if let Expr::StringLiteral(literal) = expression.value.as_mut() {
                    for part in &mut literal.value {
                        let lines: Vec<&str> = part.value.lines().map(str::trim).collect();
                        part.value = lines.join("\n").trim().into();
                    }
                }
            }
            Stmt::ClassDef(class) if class.arguments.as_ref().is_some_and(|arguments| arguments.is_empty()) => {
                class.arguments = None;
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }
}

//! Pieces of a file that another place in it may lack: checks.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::python::module::{Module, Role};
use crate::search::donors::{Check, Donor};
use crate::span::Span;

/// Pieces of a file, in order of the text.
#[derive(Debug, Default)]
pub(super) struct Stock {
    /// Branches without another and with one simple statement.
    pub(super) checks: Vec<Check>,
}

/// Maximum length of a check, in bytes: longer code is more than a check.
const LONGEST_CHECK: usize = 240;
const MOST_LINES_OF_CHECK: usize = 5;

impl Stock {
    pub(super) fn new(text: &str, module: &Module, body: &[Stmt]) -> Self {
        let mut collector = Collector { text, module, stock: Self::default() };
        collector.visit_body(body);
        let mut checks = collector.stock.checks;
        checks.sort_by_key(|check| check.donor.span);
        Self { checks }
    }
}

struct Collector<'t> {
    text: &'t str,
    module: &'t Module,
    stock: Stock,
}

impl Collector<'_> {
    fn donor(&self, span: Span) -> Donor {
        Donor { span, words: words(self.text, self.module, span) }
    }
}

impl<'a> Visitor<'a> for Collector<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let span = Span::from(statement.range());
        let code = span.text(self.text);
        match statement {
            Stmt::If(branch) if branch.elif_else_clauses.is_empty() => {
                if let [only] = branch.body.as_slice()
                    && is_simple(only)
                    && code.len() <= LONGEST_CHECK
                    && code.lines().count() <= MOST_LINES_OF_CHECK
                    && !code.contains('#')
                {
                    let leaves_loop = matches!(only, Stmt::Break(_) | Stmt::Continue(_));
                    self.stock.checks.push(Check { donor: self.donor(span), leaves_loop });
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

fn is_simple(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::Return(_)
            | Stmt::Raise(_)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Expr(_)
            | Stmt::Assign(_)
            | Stmt::AugAssign(_)
    )
}

/// The variables of a piece of code that the file binds, and attributes that are called like one of them.
fn words(text: &str, module: &Module, span: Span) -> Vec<Span> {
    let first = module.words.partition_point(|word| word.span.start < span.start);
    let inside = || module.words.iter().skip(first).take_while(|word| word.span.end <= span.end);
    let is_bound = |name: &str, scope: usize| module.binding_scope(name, scope).is_some();
    let variables: Vec<&str> = inside()
        .filter(|word| matches!(word.role, Role::Load | Role::Store) && is_bound(&word.text, word.scope))
        .map(|word| word.span.text(text))
        .collect();
    let is_called_so =
        |role: Role| matches!(role, Role::Load | Role::Store | Role::Attribute | Role::AttributeStore | Role::Keyword);
    let found = inside().filter(|word| is_called_so(word.role) && variables.contains(&word.text.as_str()));
    found.map(|word| word.span).collect()
}

/// Returns whether a piece of code is short enough to be repeated elsewhere.
pub(super) fn is_short(code: &str) -> bool {
    code.len() <= 60 && !code.contains('\n')
}

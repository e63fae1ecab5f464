//! Pieces of a file that another place in it may lack: simple statements, checks, conditions and results.

use super::tree::{Kind, Statement, Tree};
use crate::javascript::module::{Module, Role};
use crate::search::donors::{Check, Donor};
use crate::span::Span;

/// Pieces of a file, each kind in order of the text.
#[derive(Debug, Default)]
pub(super) struct Stock {
    /// Statements that consist of one expression.
    pub(super) statements: Vec<Donor>,
    /// Branches without an `else` and with one simple statement.
    pub(super) checks: Vec<Check>,
    /// Conditions, and the operands of those that have several.
    pub(super) conditions: Vec<Donor>,
    /// Values that functions return.
    pub(super) results: Vec<Donor>,
}

/// Maximum length of a check, in bytes: longer code is more than a check.
const LONGEST_CHECK: usize = 200;
const MOST_LINES_OF_CHECK: usize = 4;

impl Stock {
    pub(super) fn new(text: &str, module: &Module, tree: &Tree, conditions: &[Span]) -> Self {
        let donor = |span: Span| Donor { span, words: words(text, module, span) };
        let is_piece = |span: &Span| is_short(span.text(text));
        let mut stock = Self::default();
        for (number, statement) in tree.statements.iter().enumerate() {
            match &statement.kind {
                Kind::Expression(_) if is_piece(&statement.span) => stock.statements.push(donor(statement.span)),
                Kind::Return(Some(value)) if is_piece(value) => stock.results.push(donor(*value)),
                Kind::If { no: None, .. } => {
                    let inner = only_inner(tree, number, statement);
                    let code = statement.span.text(text);
                    let is_plain = !code.contains("//") && !code.contains("/*");
                    let is_check =
                        is_plain && code.len() <= LONGEST_CHECK && code.lines().count() <= MOST_LINES_OF_CHECK;
                    if let Some(inner) = inner.filter(|_| is_check) {
                        let leaves_loop = matches!(inner.kind, Kind::Break | Kind::Continue);
                        stock.checks.push(Check { donor: donor(statement.span), leaves_loop });
                    }
                }
                _ => {}
            }
        }
        stock.conditions = conditions.iter().filter(|span| is_piece(span)).map(|span| donor(*span)).collect();
        stock
    }
}

/// The one statement below another, when it is a simple one.
fn only_inner<'t>(tree: &'t Tree, number: usize, statement: &Statement) -> Option<&'t Statement> {
    let inner = tree.statements.get(number + 1).filter(|inner| statement.span.contains(inner.span))?;
    let has_more = tree.statements.get(number + 2).is_some_and(|next| statement.span.contains(next.span));
    let is_simple = inner.kind.is_jump() || matches!(inner.kind, Kind::Expression(_));
    (is_simple && !has_more).then_some(inner)
}

/// The variables of a piece of code that are declared outside of it, and members that are called like one of them.
fn words(text: &str, module: &Module, span: Span) -> Vec<Span> {
    let first = module.words.partition_point(|word| word.span.start < span.start);
    let inside = || module.words.iter().skip(first).take_while(|word| word.span.end <= span.end);
    let is_own = |name: &str, scope: usize| module.declaration(name, scope).is_some_and(|place| span.contains(place));
    let variables: Vec<&str> = inside()
        .filter(|word| word.role == Role::Use && word.is_bound && !is_own(&word.text, word.scope))
        .map(|word| word.span.text(text))
        .collect();
    let is_called_so = |role: Role| matches!(role, Role::Use | Role::Member | Role::Key);
    let found = inside().filter(|word| is_called_so(word.role) && variables.contains(&word.text.as_str()));
    found.map(|word| word.span).collect()
}

/// Returns whether a piece of code is short enough to be repeated elsewhere, and has no comment.
pub(super) fn is_short(code: &str) -> bool {
    code.len() <= 60 && !code.contains('\n') && !code.contains("//") && !code.contains("/*")
}

//! Pieces of a file that another place in it may lack: simple statements, checks, conditions and results.

use super::donors::{Check, Donor};
use super::idioms::Idioms;
use super::tables::Tables;
use super::tree::{Kind, Statement, Tree};
use crate::span::Span;

/// Pieces of a file, each kind in order of the text.
#[derive(Debug, Default)]
pub(crate) struct Stock {
    /// Statements that consist of one expression or assignment.
    pub(crate) statements: Vec<Donor>,
    /// Branches without an `else` and with one simple statement.
    pub(crate) checks: Vec<Check>,
    /// Conditions, and the operands of those that have several.
    pub(crate) conditions: Vec<Donor>,
    /// Values that functions return.
    pub(crate) results: Vec<Donor>,
}

/// Maximum length of a check, in bytes: longer code is more than a check.
const LONGEST_CHECK: usize = 240;
const MOST_LINES_OF_CHECK: usize = 5;

impl Stock {
    pub(crate) fn new(text: &str, idioms: &Idioms, tables: &dyn Tables, tree: &Tree) -> Self {
        let donor = |span: Span| Donor { span, words: tables.words(span) };
        let is_piece = |span: &Span| is_short(span.text(text));
        let mut stock = Self::default();
        for (number, statement) in tree.statements.iter().enumerate() {
            match &statement.kind {
                Kind::Expression(_) | Kind::Assign { .. } if is_piece(&statement.span) => {
                    stock.statements.push(donor(statement.span));
                }
                Kind::Return(Some(value)) if is_piece(value) => stock.results.push(donor(*value)),
                Kind::If { no: None, .. } => {
                    let inner = only_inner(tree, number, statement);
                    let code = statement.span.text(text);
                    let is_check = code.starts_with("if")
                        && code.len() <= LONGEST_CHECK
                        && code.lines().count() <= MOST_LINES_OF_CHECK
                        && !code.contains(idioms.comment)
                        && !code.contains("/*");
                    if let Some(inner) = inner.filter(|_| is_check) {
                        let leaves_loop = matches!(inner.kind, Kind::Break | Kind::Continue);
                        stock.checks.push(Check { donor: donor(statement.span), leaves_loop });
                    }
                }
                _ => {}
            }
        }
        stock.conditions = tree.conditions.iter().filter(|span| is_piece(span)).map(|span| donor(*span)).collect();
        stock
    }
}

/// The one statement below another, when it is a simple one.
fn only_inner<'t>(tree: &'t Tree, number: usize, statement: &Statement) -> Option<&'t Statement> {
    let inner = tree.statements.get(number + 1).filter(|inner| statement.span.contains(inner.span))?;
    let has_more = tree.statements.get(number + 2).is_some_and(|next| statement.span.contains(next.span));
    let is_simple = inner.kind.is_jump() || matches!(inner.kind, Kind::Expression(_) | Kind::Assign { .. });
    (is_simple && !has_more).then_some(inner)
}

/// Returns whether a piece of code is short enough to be repeated elsewhere, and has no comment.
pub(crate) fn is_short(code: &str) -> bool {
    code.len() <= 60 && !code.contains('\n') && !code.contains("/*")
}

//! Pieces of a file that another place in it may lack: simple statements, checks, conditions and results.

use super::site::{Site, is_short};
use super::tree::{Kind, Statement, Tree};
use crate::javascript::module::{Module, Role};
use crate::search::donors::{Check, Donated, Donor, Ground, donated};
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

/// Maximum number of conditions from elsewhere that are tried at one place.
const MOST_CONDITIONS: usize = 30;

/// Maximum number of results of other functions that are tried at one place: each is tried in many ways.
const MOST_RESULTS: usize = 12;

impl<'a> Site<'a> {
    /// Conditions that the function does not test as they are.
    pub(super) fn other_conditions(&self) -> &[Donated<'a>] {
        self.other_conditions.get_or_init(|| {
            let mut found = self.donated(self.file.stock.conditions.iter());
            found.retain(|one| !self.conditions().contains(one.code.as_str()));
            found.truncate(MOST_CONDITIONS);
            found
        })
    }

    /// Values returned by other functions that this function does not return as they are.
    pub(super) fn other_results(&self) -> &[Donated<'a>] {
        self.other_results.get_or_init(|| {
            let returned = self.returned();
            let mut found = self.donated(self.file.stock.results.iter());
            found.retain(|one| !returned.contains(one.code.as_str()));
            found.truncate(MOST_RESULTS);
            found
        })
    }

    /// Adapts donors to this place and returns the results, likeliest first, each once.
    pub(super) fn donated<'d>(&self, donors: impl Iterator<Item = &'d Donor> + Clone) -> Vec<Donated<'d>> {
        let at = self.statement.head.start;
        let names: Vec<(&'a str, f64)> = self.names().iter().map(|name| (name.text, name.nearness)).collect();
        let scope = self.file.module.scope_at(at);
        let own = self.function.map(|function| function.span);
        let is_known = |name: &str| {
            names.iter().any(|(known, _)| *known == name)
                || self.file.module.declaration(name, scope).is_some_and(|place| {
                    own.is_none_or(|own| !own.contains(place))
                        || place.start < at
                        || self.file.definition(name).is_some()
                })
        };
        let fit = |name: &str, other: &str| self.file.uses(name).fit(self.file.uses(other));
        let ground = Ground { names: &names, is_known: &is_known, fit: &fit };
        donated(self.file.text, donors, at, own, &ground)
    }
}

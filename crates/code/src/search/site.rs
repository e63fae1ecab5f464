//! The places that operators work at: a statement's own lines, without the blocks below it.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

use super::change::Changes;
use super::donors::{Donated, Donor, Ground, StandIns, donated, ranked};
use super::file::File;
use super::idioms::Style;
use super::layout::Layout;
use super::stock::is_short;
use super::tables::{Function, Named, Spot};
use super::tree::{Assignment, Block, BlockKind, Declarator, Kind, Node, Shape, Statement};
use super::uses::Uses;
use crate::repair::tokens::Token;
use crate::span::Span;

/// A statement's own lines.
pub(crate) struct Site<'a> {
    pub(crate) file: &'a File<'a>,
    number: usize,
    pub(crate) statement: &'a Statement,
    /// The function it stands in.
    pub(crate) function: Option<&'a Function<'a>>,
    /// Its expressions by their place, outer before inner.
    by_place: OnceCell<Vec<&'a Node>>,
    names: RefCell<Vec<(usize, Rc<[Named<'a>]>)>>,
    names_before: OnceCell<Vec<Named<'a>>>,
    /// Names that have a meaning where it begins, and those that have none.
    known: RefCell<BTreeMap<&'a str, bool>>,
    stand_ins: RefCell<BTreeMap<&'a str, StandIns<'a>>>,
    indentation: OnceCell<&'a str>,
    line_end: OnceCell<usize>,
    /// Values that its function may return, each with how likely it is.
    pub(super) results: OnceCell<Vec<(String, f64)>>,
    conditions: OnceCell<BTreeSet<&'a str>>,
    other_conditions: OnceCell<Vec<Donated<'a>>>,
    other_results: OnceCell<Vec<Donated<'a>>>,
}

impl<'a> Site<'a> {
    /// Every place of a file that operators may work at.
    pub(crate) fn all(file: &'a File<'a>) -> impl Iterator<Item = Self> {
        let changing = file.tree.statements.iter().enumerate().filter(|(_, statement)| statement.kind != Kind::Fixed);
        changing.map(move |(number, statement)| {
            let function = file.tables.function_at(statement.head.start);
            Self {
                file,
                number,
                statement,
                function: function.and_then(|number| file.all_functions.get(number)),
                by_place: OnceCell::new(),
                names: RefCell::default(),
                names_before: OnceCell::new(),
                known: RefCell::default(),
                stand_ins: RefCell::default(),
                indentation: OnceCell::new(),
                line_end: OnceCell::new(),
                results: OnceCell::new(),
                conditions: OnceCell::new(),
                other_conditions: OnceCell::new(),
                other_results: OnceCell::new(),
            }
        })
    }

    /// Its lines, from 1.
    pub(crate) fn lines(&self) -> RangeInclusive<u32> {
        let head = self.statement.head;
        self.file.line_of(head.start)..=self.file.line_of(head.end.saturating_sub(1))
    }

    /// Returns the number of expressions in it that may be changed.
    pub(crate) fn size(&self) -> usize {
        self.statement.nodes.len()
    }

    pub(crate) fn text(&self, span: Span) -> &'a str {
        span.text(self.file.text)
    }

    /// The expressions of its own lines, outer before inner.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &'a Node> {
        let nodes = &self.file.tree.nodes;
        self.statement.nodes.iter().filter_map(|number| nodes.get(*number))
    }

    /// The outermost expression in a place, with or without brackets around it.
    pub(crate) fn node_in(&self, place: Span) -> Option<&'a Node> {
        let key = |span: Span| (span.start, Reverse(span.end));
        let sorted = self.by_place.get_or_init(|| {
            let mut nodes: Vec<&Node> = self.nodes().collect();
            nodes.sort_by_key(|node| key(node.span));
            nodes
        });
        let first = sorted.partition_point(|node| key(node.span) < key(place));
        sorted.get(first).copied().filter(|node| place.contains(node.span))
    }

    pub(crate) fn parent(&self, node: &Node) -> Option<&'a Node> {
        self.file.tree.nodes.get(node.parent?)
    }

    /// The form of the expression around another.
    pub(crate) fn outer(&self, node: &Node) -> Option<&'a Shape> {
        self.parent(node).map(|parent| &parent.shape)
    }

    /// The list of statements that it stands in.
    pub(crate) fn block(&self) -> Option<&'a Block> {
        self.file.tree.blocks.get(self.statement.block?)
    }

    /// Returns whether it stands in the body of a function itself.
    pub(crate) fn is_in_body(&self) -> bool {
        self.block().is_some_and(|block| block.kind == BlockKind::Body)
    }

    /// The statement at a place of its list.
    pub(crate) fn neighbour(&self, position: usize) -> Option<&'a Statement> {
        self.file.tree.statements.get(*self.block()?.statements.get(position)?)
    }

    /// Returns the index of the statement in its list.
    pub(crate) fn position(&self) -> usize {
        let list = self.block().map(|block| block.statements.as_slice()).unwrap_or_default();
        list.iter().position(|number| *number == self.number).unwrap_or_default()
    }

    /// The statement before it in its list.
    pub(crate) fn previous(&self) -> Option<&'a Statement> {
        self.neighbour(self.position().checked_sub(1)?)
    }

    /// Returns whether only what is never changed stands before it in its list.
    pub(crate) fn is_first(&self) -> bool {
        (0..self.position()).all(|before| self.neighbour(before).is_some_and(|one| one.kind == Kind::Fixed))
    }

    /// Returns whether nothing runs after it in its list: functions defined below it run when they are called.
    pub(crate) fn is_last(&self) -> bool {
        let Some(block) = self.block() else { return false };
        let runs = |number: &&usize| {
            self.file.tree.statements.get(**number).is_some_and(|one| !matches!(one.kind, Kind::Definition))
        };
        let is_it = |number: Option<&usize>| number == Some(&self.number);
        is_it(block.statements.last()) || is_it(block.statements.iter().rfind(runs))
    }

    /// Returns whether it is a whole statement without blocks, alone on its lines.
    pub(crate) fn is_movable(&self) -> bool {
        let is_simple = match self.statement.kind {
            Kind::Expression(_)
            | Kind::Declaration(_)
            | Kind::Assign { .. }
            | Kind::Return(_)
            | Kind::Throw
            | Kind::Break
            | Kind::Continue
            | Kind::Simple => true,
            Kind::If { .. }
            | Kind::While(_)
            | Kind::DoWhile(_)
            | Kind::For { .. }
            | Kind::ForEach { .. }
            | Kind::Case
            | Kind::Definition
            | Kind::Fixed
            | Kind::Other => false,
        };
        is_simple && self.owns_its_lines()
    }

    /// Returns whether it is part of a list, and its first and last line contain nothing else but white space and a comment.
    pub(crate) fn owns_its_lines(&self) -> bool {
        self.statement.block.is_some() && self.are_own_lines(self.statement.span)
    }

    /// Returns whether the first and last line of a span contain nothing else but white space and a comment.
    pub(crate) fn are_own_lines(&self, span: Span) -> bool {
        let layout = self.file.layout;
        let before = layout.text.get(layout.line_start(span.start)..span.start).unwrap_or_default();
        let after = layout.text.get(span.end..layout.line_end(span.end)).unwrap_or_default().trim();
        before.trim().is_empty() && (after.is_empty() || after.starts_with(self.file.idioms.comment))
    }

    /// The white space before the statement.
    pub(crate) fn indentation(&self) -> &'a str {
        self.indentation.get_or_init(|| self.file.layout.indentation(self.statement.span.start))
    }

    /// A branch as the file writes them.
    pub(crate) fn branch(&self, condition: &str, statement: &str) -> String {
        let Layout { newline, unit, .. } = self.file.layout;
        let (semicolon, has_braces) = (self.file.semicolon, self.file.has_braces);
        let style = Style { newline, indentation: self.indentation(), unit, semicolon, has_braces };
        (self.file.idioms.branch)(condition, statement, style)
    }

    /// Puts lines before the statement.
    pub(crate) fn put_before(&self, changes: &mut Changes, weight: f64, lines: impl Into<String>) {
        let mut code = lines.into();
        code.push_str(self.file.layout.newline);
        code.push_str(self.indentation());
        changes.insert(weight, self.statement.span.start, code);
    }

    /// Puts lines behind the statement.
    pub(crate) fn put_after(&self, changes: &mut Changes, weight: f64, lines: &str) {
        let layout = self.file.layout;
        let end = *self.line_end.get_or_init(|| layout.line_end(self.statement.span.end));
        changes.insert(weight, end, [layout.newline, self.indentation(), lines].concat());
    }

    /// Puts the statement under a condition; one of several lines stays where it is.
    pub(crate) fn put_under(&self, changes: &mut Changes, weight: f64, condition: &str) {
        let code = self.text(self.statement.span);
        if !code.contains('\n') {
            let branch = self.branch(condition, code.trim_end_matches(';'));
            changes.replace(weight, &self.statement.span, branch);
        }
    }

    /// Declarators of the statement.
    pub(crate) fn declarators(&self) -> &'a [Declarator] {
        match &self.statement.kind {
            Kind::Declaration(declared) | Kind::For { declared, .. } => declared,
            _ => &[],
        }
    }

    /// The assignments in its lines.
    pub(crate) fn assignments(&self) -> impl Iterator<Item = Assignment> {
        let last = match &self.statement.kind {
            Kind::Assign { targets, last: Some(last) } if targets.len() == 1 => Some(*last),
            _ => None,
        };
        last.into_iter().chain(self.nodes().filter_map(|node| match node.shape {
            Shape::Assign { target, operator, value } => Some(Assignment { target, operator, value }),
            _ => None,
        }))
    }

    /// Returns whether nothing reads the variable of the place.
    pub(crate) fn is_idle(&self, name: &str) -> bool {
        self.names().iter().any(|known| known.text == name && known.is_idle)
    }

    /// Returns whether the variable gets its only value here and is useless without it.
    pub(crate) fn is_only_binding(&self, name: &str) -> bool {
        self.file.tables.is_only_binding(self.statement.head, name)
    }

    /// Calls of functions of the file with variables of the place: those that are called like their parameters, and for a function that
    /// nothing uses any.
    pub(crate) fn calls(&self) -> Vec<(String, f64)> {
        let names = self.names_before();
        let own = self.function.map(|function| function.name);
        let mut calls = Vec::new();
        let unused = self.file.unused.iter().copied();
        for name in self.file.functions().filter(|name| !self.file.unused.contains(name)).chain(unused) {
            let Some(function) = self.file.definition(name).filter(|_| own != Some(name)) else { continue };
            let needed = function.parameters.iter().filter(|parameter| !parameter.is_optional);
            let parameters: Vec<&str> = needed.map(|parameter| parameter.name).collect();
            let is_named = |name: &&str| names.iter().any(|known| known.text == *name);
            let is_unused = self.file.unused.contains(&name);
            if !parameters.is_empty() && parameters.iter().all(is_named) {
                let likely = if is_unused { 6.0 } else { 1.0 };
                calls.push((format!("{name}({})", parameters.join(", ")), likely));
            } else if is_unused && calls.len() < MOST_CALLS {
                calls.extend(names.iter().map(|argument| (format!("{name}({})", argument.text), argument.nearness)));
            }
        }
        calls.truncate(MOST_CALLS);
        calls
    }

    /// The members of the class around it.
    pub(crate) fn own_members(&self) -> Vec<&'a str> {
        self.file.tables.own_members(self.statement.head.start)
    }

    /// The statements of its function.
    pub(crate) fn statements_of_function(&self) -> impl Iterator<Item = &'a Statement> {
        let around = self.function.map(|function| function.span);
        let statements = self.file.tree.statements.iter();
        statements.filter(move |one| around.is_some_and(|around| around.contains(one.span)))
    }

    /// Returns the short values that its function returns anywhere, as written, each once.
    pub(crate) fn returned(&self) -> BTreeSet<&'a str> {
        let values = self.statements_of_function().filter_map(|statement| match statement.kind {
            Kind::Return(value) => value,
            _ => None,
        });
        values.map(|value| self.text(value)).filter(|code| is_short(code)).collect()
    }

    /// The conditions that are tested anywhere in its function, as written, each once.
    pub(crate) fn conditions(&self) -> &BTreeSet<&'a str> {
        self.conditions.get_or_init(|| {
            let around = self.function.map(|function| function.span).unwrap_or_default();
            let inside = self.file.tree.conditions.iter().filter(|condition| around.contains(**condition));
            inside.map(|condition| self.text(*condition)).filter(|code| is_short(code)).collect()
        })
    }

    /// Conditions that the function does not test as they are.
    pub(crate) fn other_conditions(&self) -> &[Donated<'a>] {
        self.other_conditions.get_or_init(|| {
            let mut found = self.donated(self.file.stock.conditions.iter());
            found.retain(|one| !self.conditions().contains(one.code.as_str()));
            found.truncate(MOST_CONDITIONS);
            found
        })
    }

    /// Values returned by other functions that this function does not return as they are.
    pub(crate) fn other_results(&self) -> &[Donated<'a>] {
        self.other_results.get_or_init(|| {
            let returned = self.returned();
            let mut found = self.donated(self.file.stock.results.iter());
            found.retain(|one| !returned.contains(one.code.as_str()));
            found.truncate(MOST_RESULTS);
            found
        })
    }

    /// Adapts donors to this place and returns the results, likeliest first, each once.
    pub(crate) fn donated<'d>(&self, donors: impl Iterator<Item = &'d Donor> + Clone) -> Vec<Donated<'d>> {
        let own = self.function.map(|function| function.span);
        donated(self.file.text, donors, self.statement.head.start, own, self)
    }

    fn spot<'s>(&'s self, uses: &'s dyn Fn(&str) -> Uses) -> Spot<'s> {
        Spot { statement: self.statement, function: self.function.map(|function| function.span), uses }
    }

    /// The variables that have a value where the statement begins.
    pub(crate) fn names(&self) -> Rc<[Named<'a>]> {
        self.names_at(self.statement.head.start)
    }

    /// The variables that have a value before the statement runs: none of those that it gives the first value itself, as
    /// comprehensions do.
    pub(crate) fn names_before(&self) -> &[Named<'a>] {
        self.names_before.get_or_init(|| self.names().iter().filter(|name| self.is_known(name.text)).copied().collect())
    }

    /// The variables that have a value at a place of the statement.
    pub(crate) fn names_at(&self, at: usize) -> Rc<[Named<'a>]> {
        let scope = self.file.tables.scope(self.statement.head, at);
        let known = self.names.borrow().iter().find(|(known, _)| *known == scope).map(|(_, names)| Rc::clone(names));
        known.unwrap_or_else(|| {
            let mut names = self.file.tables.names(&self.spot(&|name| self.file.uses(name)), scope);
            names.truncate(MOST_NAMES);
            let names: Rc<[Named<'a>]> = names.into();
            self.names.borrow_mut().push((scope, Rc::clone(&names)));
            names
        })
    }

    /// The variables at an expression, but for the expression itself.
    pub(crate) fn others_at(&self, node: &Node) -> Vec<Named<'a>> {
        let own = self.text(node.span);
        self.names_at(node.span.start).iter().filter(|name| name.text != own).copied().collect()
    }

    /// Returns whether the surrounding code would tear apart a text that replaces the expression or is appended to it.
    pub(crate) fn binds_tightly(&self, node: &Node) -> bool {
        match self.outer(node) {
            Some(
                Shape::Binary { .. }
                | Shape::Unary { .. }
                | Shape::Not(_)
                | Shape::Await(_)
                | Shape::Member { .. }
                | Shape::Spread,
            ) => true,
            Some(Shape::Index { object, .. }) => object.contains(node.span),
            Some(Shape::Call(call)) => call.callee.contains(node.span),
            _ => false,
        }
    }

    /// Returns whether a member or an element of the expression is accessed.
    pub(crate) fn binds_as_object(&self, node: &Node) -> bool {
        match self.outer(node) {
            Some(Shape::Member { object, .. } | Shape::Index { object, .. }) => object.contains(node.span),
            _ => false,
        }
    }

    /// Returns whether it is an operand of `and`, `or` or the like.
    pub(crate) fn is_operand(&self, node: &Node) -> bool {
        matches!(self.outer(node), Some(Shape::Logical { .. }))
    }

    /// The last name of the call that the expression is an argument of.
    pub(crate) fn argument_of(&self, node: &Node) -> Option<&'a str> {
        match self.outer(node) {
            Some(Shape::Call(call)) if !call.callee.contains(node.span) => Some(self.text(call.name)),
            _ => None,
        }
    }

    /// The place of an operator between two operands; brackets and comments may stand there, too.
    pub(crate) fn operator_place(&self, left: Span, right: Span, operator: &str) -> Option<Span> {
        let between = self.file.text.get(left.end..right.start)?;
        let tokens = (self.file.idioms.scan)(between);
        let words: Vec<&str> = operator.split(' ').collect();
        let is_it = |tokens: &[Token]| tokens.iter().zip(&words).all(|(token, word)| token.text(between) == *word);
        let found = tokens.windows(words.len()).find(|tokens| is_it(tokens));
        let place = |tokens: &[Token]| Some((tokens.first()?.start, tokens.last()?.end));
        // What stands between two operands may look like the beginning of a regular expression.
        let (start, end) = found.and_then(place).or_else(|| {
            let at = between.find(operator)?;
            (between.trim() == operator).then_some((at, at + operator.len()))
        })?;
        Some(Span { start: left.end + start, end: left.end + end })
    }
}

impl<'a> Ground<'a> for Site<'a> {
    fn is_known(&self, name: &'a str) -> bool {
        let known = self.known.borrow().get(name).copied();
        known.unwrap_or_else(|| {
            let is_known = self.file.tables.is_known(&self.spot(&|name| self.file.uses(name)), name);
            self.known.borrow_mut().insert(name, is_known);
            is_known
        })
    }

    fn stand_ins(&self, name: &'a str) -> StandIns<'a> {
        let known = self.stand_ins.borrow().get(name).map(Rc::clone);
        known.unwrap_or_else(|| {
            let uses = self.file.uses(name);
            let others = self.names_before().iter().filter(|other| other.text != name);
            let found = ranked(others.map(|other| (other.text, other.nearness * uses.fit(self.file.uses(other.text)))));
            self.stand_ins.borrow_mut().insert(name, Rc::clone(&found));
            found
        })
    }
}

/// Maximum number of calls that are made up.
const MOST_CALLS: usize = 16;

/// Maximum number of conditions from elsewhere that are tried at one place.
const MOST_CONDITIONS: usize = 30;

/// Maximum number of results of other functions that are tried at one place: each is tried in many ways.
const MOST_RESULTS: usize = 12;

/// Maximum number of variables that are tried: functions with more are generated.
const MOST_NAMES: usize = 40;

//! The places that operators work at: a statement's own lines, without the blocks below it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use super::file::File;
use super::stock::is_short;
use super::tree::{Block, Kind, Node, Shape, Statement};
use crate::javascript::module::Function;
use crate::search::change::Changes;
use crate::search::donors::Donated;
use crate::search::layout::Layout;
use crate::span::Span;

/// A variable that has a value at some place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Named<'a> {
    pub(super) text: &'a str,
    /// 1 for those of the same function, less for those around it.
    pub(super) nearness: f64,
    /// True if nothing reads it.
    pub(super) is_idle: bool,
}

/// A statement's own lines.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) number: usize,
    pub(super) statement: &'a Statement,
    /// The function it stands in.
    pub(super) function: Option<&'a Function>,
    names: RefCell<Vec<(usize, Rc<[Named<'a>]>)>>,
    conditions: OnceCell<BTreeSet<&'a str>>,
    pub(super) other_conditions: OnceCell<Vec<Donated<'a>>>,
    pub(super) other_results: OnceCell<Vec<Donated<'a>>>,
}

impl<'a> Site<'a> {
    /// Every place of a file that operators may work at.
    pub(super) fn all(file: &'a File<'a>) -> impl Iterator<Item = Self> {
        let numbers = file.tree.statements.iter().enumerate();
        numbers.map(|(number, statement)| Self::new(file, number, statement))
    }

    fn new(file: &'a File<'a>, number: usize, statement: &'a Statement) -> Self {
        let function = file.module.function_at(statement.head.start);
        Self {
            file,
            number,
            statement,
            function,
            names: RefCell::default(),
            conditions: OnceCell::new(),
            other_conditions: OnceCell::new(),
            other_results: OnceCell::new(),
        }
    }

    pub(super) fn text(&self, span: Span) -> &'a str {
        span.text(self.file.text)
    }

    /// The expressions of its own lines, outer before inner.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &'a Node> {
        let nodes = &self.file.tree.nodes;
        self.statement.nodes.iter().filter_map(|number| nodes.get(*number))
    }

    pub(super) fn parent(&self, node: &Node) -> Option<&'a Node> {
        self.file.tree.nodes.get(node.parent?)
    }

    /// The list of statements that it stands in.
    pub(super) fn block(&self) -> Option<&'a Block> {
        self.file.tree.blocks.get(self.statement.block?)
    }

    /// The statement at a place of its list.
    pub(super) fn neighbour(&self, position: usize) -> Option<&'a Statement> {
        self.file.tree.statements.get(*self.block()?.statements.get(position)?)
    }

    /// Returns the index of the statement in its list.
    pub(super) fn position(&self) -> usize {
        self.block()
            .and_then(|block| block.statements.iter().position(|number| *number == self.number))
            .unwrap_or_default()
    }

    /// Returns whether nothing runs after it in its list: functions
    /// declared below it exist from the beginning.
    pub(super) fn is_last(&self) -> bool {
        let Some(block) = self.block() else { return false };
        let runs = |number: &&usize| {
            self.file.tree.statements.get(**number).is_some_and(|one| !matches!(one.kind, Kind::Definition))
        };
        let is_it = |number: Option<&usize>| number == Some(&self.number);
        is_it(block.statements.last()) || is_it(block.statements.iter().rfind(runs))
    }

    /// Returns whether it is a whole statement without blocks, alone on its lines.
    pub(super) fn is_movable(&self) -> bool {
        let is_simple = match self.statement.kind {
            Kind::Expression(_)
            | Kind::Declaration(_)
            | Kind::Return(_)
            | Kind::Throw
            | Kind::Break
            | Kind::Continue => true,
            Kind::If { .. }
            | Kind::While(_)
            | Kind::DoWhile(_)
            | Kind::For { .. }
            | Kind::ForEach { .. }
            | Kind::Case
            | Kind::Definition
            | Kind::Other => false,
        };
        is_simple && self.owns_its_lines()
    }

    /// Returns whether it is part of a list, and its first and last line contain
    /// nothing else but white space and a comment.
    pub(super) fn owns_its_lines(&self) -> bool {
        self.statement.block.is_some() && owns_its_lines(self.file.layout, self.statement.span)
    }

    /// The white space before the statement.
    pub(super) fn indentation(&self) -> &'a str {
        self.file.layout.indentation(self.statement.span.start)
    }

    /// A branch as the file writes them: `if (condition) { statement }`.
    pub(super) fn branch(&self, condition: &str, statement: &str) -> String {
        let Layout { newline, unit, .. } = self.file.layout;
        let (indentation, semicolon) = (self.indentation(), self.file.semicolon);
        if self.file.has_braces {
            format!("if ({condition}) {{{newline}{indentation}{unit}{statement}{semicolon}{newline}{indentation}}}")
        } else {
            format!("if ({condition}) {statement}{semicolon}")
        }
    }

    /// Puts lines before the statement.
    pub(super) fn put_before(&self, changes: &mut Changes, weight: f64, lines: &str) {
        let newline = self.file.layout.newline;
        changes.insert(weight, self.statement.span.start, format!("{lines}{newline}{}", self.indentation()));
    }

    /// Puts lines behind the statement.
    pub(super) fn put_after(&self, changes: &mut Changes, weight: f64, lines: &str) {
        let layout = self.file.layout;
        let end = layout.line_end(self.statement.span.end);
        changes.insert(weight, end, format!("{}{}{lines}", layout.newline, self.indentation()));
    }

    /// Puts the statement under a condition; one of several lines stays where it is.
    pub(super) fn put_under(&self, changes: &mut Changes, weight: f64, condition: &str) {
        let code = self.text(self.statement.span);
        if !code.contains('\n') {
            let branch = self.branch(condition, code.trim_end_matches(';'));
            changes.replace(weight, &self.statement.span, branch);
        }
    }

    /// Returns whether nothing reads the variable of the place.
    pub(super) fn is_idle(&self, name: &str) -> bool {
        self.names().iter().any(|known| known.text == name && known.is_idle)
    }

    /// Calls of functions of the file with variables of the place: those that are called like their parameters, and for a function that
    /// nothing uses any.
    pub(super) fn calls(&self) -> Vec<(String, f64)> {
        let names = self.names();
        let own = self.function.map(|function| function.name.as_str());
        let mut calls = Vec::new();
        let unused = self.file.unused.iter().copied();
        for name in self.file.functions().filter(|name| !self.file.unused.contains(name)).chain(unused) {
            let Some(function) = self.file.definition(name).filter(|_| own != Some(name)) else { continue };
            let needed = function.parameters.iter().filter(|parameter| !parameter.is_optional);
            let parameters: Vec<&str> = needed.map(|parameter| parameter.name.as_str()).collect();
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
    pub(super) fn own_members(&self) -> impl Iterator<Item = &'a str> {
        let class = self.file.module.class_at(self.statement.head.start);
        class.into_iter().flat_map(|class| class.members.keys().map(String::as_str))
    }

    /// Returns the short values that its function returns anywhere, as written, each once.
    pub(super) fn returned(&self) -> BTreeSet<&'a str> {
        let Some(function) = self.function else { return BTreeSet::new() };
        let inside = self.file.tree.statements.iter().filter(|one| function.span.contains(one.span));
        let values = inside.filter_map(|statement| match statement.kind {
            Kind::Return(value) => value,
            _ => None,
        });
        values.map(|value| self.text(value)).filter(|code| is_short(code)).collect()
    }

    /// The conditions that are tested anywhere in its function, as written, each once.
    pub(super) fn conditions(&self) -> &BTreeSet<&'a str> {
        self.conditions.get_or_init(|| {
            let around = self.function.map(|function| function.span).unwrap_or_default();
            let inside = self.file.conditions.iter().filter(|condition| around.contains(**condition));
            inside.map(|condition| self.text(*condition)).filter(|code| is_short(code)).collect()
        })
    }

    /// The variables that have a value where the statement begins.
    pub(super) fn names(&self) -> Rc<[Named<'a>]> {
        self.names_at(self.statement.head.start)
    }

    /// The variables that have a value at a place of the statement.
    pub(super) fn names_at(&self, at: usize) -> Rc<[Named<'a>]> {
        let scope = self.file.module.scope_at(at);
        let known = self.names.borrow().iter().find(|(known, _)| *known == scope).map(|(_, names)| Rc::clone(names));
        known.unwrap_or_else(|| {
            let names: Rc<[Named<'a>]> = self.collect_names(scope).into();
            self.names.borrow_mut().push((scope, Rc::clone(&names)));
            names
        })
    }

    fn collect_names(&self, scope: usize) -> Vec<Named<'a>> {
        let module = self.file.module;
        let head = self.statement.head;
        let declared: Vec<Span> = match &self.statement.kind {
            Kind::Declaration(declared) => declared.iter().map(|declarator| declarator.target).collect(),
            Kind::ForEach { target, .. } => vec![*target],
            _ => Vec::new(),
        };
        let own = self.function.map(|function| function.span);
        let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
        let mut current = Some(scope);
        while let Some((number, scope)) = current.and_then(|number| Some((number, module.scopes.get(number)?))) {
            // The function of the statement, one around it, or the file.
            let is_near = own.is_none_or(|own| own.contains(scope.span));
            let nearness = match (is_near, scope.parent) {
                (true, _) => 1.0,
                (false, Some(_)) => 0.5,
                (false, None) => 0.2,
            };
            for (name, binding) in &scope.bindings {
                let is_idle = self.file.idle.contains(&(number, name.as_str()));
                let is_own = declared.iter().any(|target| target.contains(*binding));
                let is_later = is_near && binding.start >= head.end;
                // Functions and what is imported stand for themselves.
                let is_fixed = scope.parent.is_none()
                    && own.is_some()
                    && (self.file.uses(name).is_called() || module.imported(name).is_some());
                let is_function = module.functions.iter().any(|function| function.name == *name);
                if !is_own && !is_later && !is_fixed && !is_function && seen.insert(name.as_str()) {
                    names.push(Named {
                        text: name,
                        nearness: if is_idle { nearness * IDLE } else { nearness },
                        is_idle,
                    });
                }
            }
            current = scope.parent;
        }
        names.truncate(MOST_NAMES);
        names
    }

    /// Returns whether the surrounding code would tear apart a text that
    /// replaces the expression or is appended to it.
    pub(super) fn binds_tightly(&self, node: &Node) -> bool {
        match self.parent(node).map(|parent| &parent.shape) {
            Some(Shape::Binary { .. } | Shape::Unary { .. } | Shape::Await(_) | Shape::Member { .. }) => true,
            Some(Shape::Index { object, .. }) => object.contains(node.span),
            Some(Shape::Call { callee, .. }) => callee.contains(node.span),
            _ => false,
        }
    }

    /// Returns whether a member or an element of the expression is accessed.
    pub(super) fn binds_as_object(&self, node: &Node) -> bool {
        match self.parent(node).map(|parent| &parent.shape) {
            Some(Shape::Member { object, .. } | Shape::Index { object, .. }) => object.contains(node.span),
            _ => false,
        }
    }

    /// The last name of the call that the expression is an argument of.
    pub(super) fn argument_of(&self, node: &Node) -> Option<&'a str> {
        match self.parent(node).map(|parent| &parent.shape) {
            Some(Shape::Call { callee, name, .. }) if !callee.contains(node.span) => Some(self.text(*name)),
            _ => None,
        }
    }
}

/// Maximum number of calls that are made up.
const MOST_CALLS: usize = 16;

/// Factor by which a variable that nothing reads is likelier to be meant: it was named for a purpose.
const IDLE: f64 = 4.0;

/// Maximum number of variables that are tried: functions with more are generated.
const MOST_NAMES: usize = 40;

/// Returns whether the first and last line of the span contain nothing else but white space and a comment.
pub(super) fn owns_its_lines(layout: Layout<'_>, span: Span) -> bool {
    let before = layout.text.get(layout.line_start(span.start)..span.start).unwrap_or_default();
    let after = layout.text.get(span.end..layout.line_end(span.end)).unwrap_or_default().trim();
    before.trim().is_empty() && (after.is_empty() || after.starts_with("//"))
}

//! The places that operators work at: a statement's own lines, without the blocks below it.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::file::File;
use super::stock::is_short;
use crate::python::module::{Function, Span, StatementKind};
use crate::search::change::Changes;
use crate::search::layout::Layout;

/// Role of an expression in its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Condition: its truth decides which code runs.
    Condition,
    /// Expression that is called.
    Callee,
    /// Value that a loop iterates over.
    Iterable,
    /// Index in brackets after a value.
    Index,
    /// Start or end of a slice.
    Bound,
    /// Target of an assignment.
    Target,
    /// Any other value.
    Value,
}

/// An expression where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    pub(super) expression: &'a Expr,
    pub(super) parent: Option<&'a Expr>,
    pub(super) place: Place,
}

impl Node<'_> {
    /// Returns whether the code around the node would tear apart text that replaces it or is appended to it.
    pub(super) fn binds_tightly(&self) -> bool {
        match self.parent {
            Some(Expr::BinOp(_) | Expr::UnaryOp(_) | Expr::Attribute(_) | Expr::Starred(_) | Expr::Await(_)) => true,
            Some(Expr::Subscript(parent)) => parent.value.range() == self.expression.range(),
            Some(Expr::Call(parent)) => parent.func.range() == self.expression.range(),
            _ => false,
        }
    }

    /// The arguments of the call that it is one of.
    pub(super) fn is_argument_of(&self, name: &str) -> bool {
        matches!(self.parent, Some(Expr::Call(call)) if called_name(call) == Some(name)) && self.place != Place::Callee
    }
}

/// Returns the last name of a call's callee.
pub(super) fn called_name(call: &ast::ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => Some(&attribute.attr),
        _ => None,
    }
}

/// The statements that a statement stands among.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) statements: &'a [Stmt],
    /// Statement that the block belongs to; `None` for the file.
    pub(super) owner: Option<&'a Stmt>,
}

/// Context of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) block: Block<'a>,
    pub(super) function: Option<&'a ast::StmtFunctionDef>,
    pub(super) is_in_loop: bool,
}

/// A statement's own lines.
#[derive(Debug, Clone)]
pub(super) struct Site<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) statement: &'a Stmt,
    /// The `elif` or `else` of the statement that this is about.
    pub(super) clause: Option<&'a ast::ElifElseClause>,
    pub(super) around: Around<'a>,
    /// Span from the first byte to the start of its first block.
    pub(super) head: Span,
    /// The function it stands in, as tables.
    pub(super) function: Option<&'a Function>,
    nodes: OnceCell<Vec<Node<'a>>>,
    names: OnceCell<Vec<&'a str>>,
}

impl<'a> Site<'a> {
    /// Every place of the file that operators may work at.
    pub(super) fn all(file: &'a File<'a>, body: &'a [Stmt]) -> Vec<Self> {
        let mut sites = Vec::new();
        let block = Block { statements: body, owner: None };
        collect(file, Around { block, function: None, is_in_loop: false }, &mut sites);
        sites
    }

    pub(super) fn new(
        file: &'a File<'a>,
        statement: &'a Stmt,
        clause: Option<&'a ast::ElifElseClause>,
        around: Around<'a>,
        head: Span,
    ) -> Self {
        let function = file.module.function_at(head.start);
        Self { file, statement, clause, around, head, function, nodes: OnceCell::new(), names: OnceCell::new() }
    }

    pub(super) fn text(&self, node: &impl Ranged) -> &'a str {
        Span::from(node.range()).text(self.file.text)
    }

    /// Returns whether it is a whole statement without blocks, alone on its lines, and not part of the file's frame (imports,
    /// documentation).
    pub(super) fn is_movable(&self) -> bool {
        let is_simple = matches!(
            self.statement,
            Stmt::Expr(_)
                | Stmt::Assign(_)
                | Stmt::AugAssign(_)
                | Stmt::AnnAssign(_)
                | Stmt::Return(_)
                | Stmt::Raise(_)
                | Stmt::Delete(_)
                | Stmt::Break(_)
                | Stmt::Continue(_)
        );
        is_simple && self.owns_its_lines()
    }

    /// Returns whether its first and last lines contain nothing else except white space and a comment.
    pub(super) fn owns_its_lines(&self) -> bool {
        let span = Span::from(self.statement.range());
        let text = self.file.text;
        let before = text.get(self.file.layout.line_start(span.start)..span.start).unwrap_or_default();
        let after = text.get(span.end..self.file.layout.line_end(span.end)).unwrap_or_default().trim();
        self.clause.is_none() && before.trim().is_empty() && (after.is_empty() || after.starts_with('#'))
    }

    /// The white space before the statement.
    pub(super) fn indentation(&self) -> &'a str {
        self.file.layout.indentation(self.statement.start().to_usize())
    }

    /// Puts lines before the statement: one, and maybe one in a block below it.
    pub(super) fn put_before(&self, changes: &mut Changes, weight: f64, line: &str, below: Option<&str>) {
        let Layout { newline, unit, .. } = self.file.layout;
        let indentation = self.indentation();
        let below = below.map(|below| format!("{newline}{indentation}{unit}{below}")).unwrap_or_default();
        let start = self.statement.start().to_usize();
        changes.insert(weight, start, format!("{line}{below}{newline}{indentation}"));
    }

    /// Puts a line behind the statement and what belongs to it.
    pub(super) fn put_after(&self, changes: &mut Changes, weight: f64, line: &str) {
        let end = self.file.layout.line_end(self.statement.end().to_usize());
        changes.insert(weight, end, format!("{}{}{line}", self.file.layout.newline, self.indentation()));
    }

    /// Puts the statement in a block below a line; one of several lines stays where it is.
    pub(super) fn put_under(&self, changes: &mut Changes, weight: f64, line: &str) {
        if !self.text(self.statement).contains('\n') {
            let Layout { newline, unit, .. } = self.file.layout;
            let start = self.statement.start().to_usize();
            changes.insert(weight, start, format!("{line}{newline}{}{unit}", self.indentation()));
        }
    }

    /// Returns whether the statement leaves its block.
    pub(super) const fn is_jump(&self) -> bool {
        matches!(self.statement, Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_))
    }

    /// Returns whether the statement is the last one of its block.
    pub(super) fn is_last(&self) -> bool {
        self.around.block.statements.last().is_some_and(|last| last.range() == self.statement.range())
    }

    /// Returns the names that the class around it binds as `self.name`; empty outside of methods.
    pub(super) fn own_attributes(&self) -> BTreeSet<&'a str> {
        let module = self.file.module;
        let class = self.function.and_then(|function| module.classes.get(function.class?));
        class.map(|class| class.attributes.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// Returns the values that its function returns anywhere, as written, each once.
    pub(super) fn returned(&self) -> BTreeSet<&'a str> {
        let module = self.file.module;
        let Some(function) = self.function else { return BTreeSet::new() };
        let values = module.statements.iter().filter_map(|statement| match statement.kind {
            StatementKind::Return { value } if function.span.contains(statement.span) => value,
            _ => None,
        });
        values.map(|value| value.text(self.file.text)).filter(|code| is_short(code)).collect()
    }

    /// Returns the index of the statement in its block.
    pub(super) fn position(&self) -> usize {
        let at = self.statement.range();
        self.around.block.statements.iter().position(|statement| statement.range() == at).unwrap_or(0)
    }

    /// The expressions of its own lines, outer before inner.
    pub(super) fn nodes(&self) -> &[Node<'a>] {
        self.nodes.get_or_init(|| self.collect_nodes())
    }

    fn collect_nodes(&self) -> Vec<Node<'a>> {
        let mut collector = Collector { nodes: Vec::new(), parents: Vec::new(), place: None };
        match (self.clause, self.statement) {
            (Some(clause), _) => {
                if let Some(test) = &clause.test {
                    collector.visit_as(test, Place::Condition);
                }
            }
            (None, Stmt::If(statement)) => collector.visit_as(&statement.test, Place::Condition),
            (None, Stmt::While(statement)) => collector.visit_as(&statement.test, Place::Condition),
            (None, Stmt::Assert(statement)) => collector.visit_as(&statement.test, Place::Condition),
            (None, Stmt::For(statement)) => {
                collector.visit_expr(&statement.target);
                collector.visit_as(&statement.iter, Place::Iterable);
            }
            (None, Stmt::Import(_) | Stmt::ImportFrom(_)) => {}
            (None, statement) => visitor::walk_stmt(&mut collector, statement),
        }
        collector.nodes
    }

    /// The variables of the function, or else of the file, that have a value here.
    pub(super) fn names(&self) -> &[&'a str] {
        self.names.get_or_init(|| self.collect_names())
    }

    fn collect_names(&self) -> Vec<&'a str> {
        let module = self.file.module;
        let Some(scope) = module.scopes.get(module.scope_at(self.head.start)) else { return Vec::new() };
        let targets = self.targets();
        let is_bound = |binding: &Span| {
            // What the statement itself binds has no value in it yet, but for comprehensions.
            let is_own = self.head.contains(*binding) && targets.iter().any(|target| target.contains(*binding));
            binding.start < self.head.end && !is_own
        };
        let is_variable = |name: &str| !matches!(name, "_" | "self" | "cls");
        let bound = scope.bindings.iter().filter(|(name, places)| is_variable(name) && places.iter().any(is_bound));
        bound.map(|(name, _)| name.as_str()).take(MOST_NAMES).collect()
    }

    /// Returns whether the variable gets its only value here and is useless without it.
    pub(super) fn is_only_binding(&self, name: &str) -> bool {
        let module = self.file.module;
        let scope = module.scopes.get(module.scope_at(self.head.start));
        scope
            .and_then(|scope| scope.bindings.get(name))
            .is_some_and(|bindings| bindings.len() == 1 && bindings.iter().all(|binding| self.head.contains(*binding)))
    }

    /// Returns the targets that the statement assigns to.
    fn targets(&self) -> Vec<Span> {
        match self.statement {
            Stmt::Assign(statement) => statement.targets.iter().map(|target| target.range().into()).collect(),
            Stmt::AnnAssign(statement) => vec![statement.target.range().into()],
            Stmt::For(statement) => vec![statement.target.range().into()],
            _ => Vec::new(),
        }
    }

    /// The conditions that are tested anywhere in its function, as written, each once.
    pub(super) fn function_conditions(&self) -> BTreeSet<&'a str> {
        let around = self.around.function.map_or(TextRange::default(), Ranged::range);
        let inside = self.file.conditions.iter().filter(|condition| around.contains_range(condition.range()));
        inside.map(|condition| self.text(condition)).filter(|code| is_short(code)).collect()
    }
}

/// Maximum number of variables that are tried: functions with more are generated.
const MOST_NAMES: usize = 40;

fn collect<'a>(file: &'a File<'a>, around: Around<'a>, sites: &mut Vec<Site<'a>>) {
    for (number, statement) in around.block.statements.iter().enumerate() {
        let is_documentation =
            number == 0 && matches!(statement, Stmt::Expr(inner) if inner.value.is_string_literal_expr());
        if is_documentation || matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)) {
            continue;
        }
        let blocks = blocks(statement);
        let span = Span::from(statement.range());
        let first = blocks.iter().filter_map(|block| block.first()).map(|first| first.start().to_usize()).min();
        let head = Span { start: span.start, end: first.unwrap_or(span.end) };
        sites.push(Site::new(file, statement, None, around, head));
        if let Stmt::If(branch) = statement {
            for clause in branch.elif_else_clauses.iter().filter(|clause| clause.test.is_some()) {
                let end = clause.body.first().map_or(clause.end(), Ranged::start);
                let head = Span { start: clause.start().to_usize(), end: end.to_usize() };
                sites.push(Site::new(file, statement, Some(clause), around, head));
            }
        }
        for statements in blocks {
            let block = Block { statements, owner: Some(statement) };
            collect(file, below(statement, around, block), sites);
        }
    }
}

fn below<'a>(statement: &'a Stmt, around: Around<'a>, block: Block<'a>) -> Around<'a> {
    match statement {
        Stmt::FunctionDef(function) => Around { block, function: Some(function), is_in_loop: false },
        Stmt::ClassDef(_) => Around { block, function: None, is_in_loop: false },
        Stmt::For(_) | Stmt::While(_) => Around { block, is_in_loop: true, ..around },
        _ => Around { block, ..around },
    }
}

/// The blocks directly below a statement.
fn blocks(statement: &Stmt) -> Vec<&[Stmt]> {
    let blocks: Vec<&[Stmt]> = match statement {
        Stmt::FunctionDef(inner) => vec![&inner.body],
        Stmt::ClassDef(inner) => vec![&inner.body],
        Stmt::If(inner) => {
            let clauses = inner.elif_else_clauses.iter().map(|clause| &*clause.body);
            std::iter::once(&*inner.body).chain(clauses).collect()
        }
        Stmt::For(inner) => vec![&inner.body, &inner.orelse],
        Stmt::While(inner) => vec![&inner.body, &inner.orelse],
        Stmt::With(inner) => vec![&inner.body],
        Stmt::Try(inner) => {
            let handlers = inner.handlers.iter().map(|ast::ExceptHandler::ExceptHandler(handler)| &*handler.body);
            std::iter::once(&*inner.body).chain(handlers).chain([&*inner.orelse, &*inner.finalbody]).collect()
        }
        Stmt::Match(inner) => inner.cases.iter().map(|case| &*case.body).collect(),
        _ => Vec::new(),
    };
    blocks.into_iter().filter(|block| !block.is_empty()).collect()
}

struct Collector<'a> {
    nodes: Vec<Node<'a>>,
    parents: Vec<&'a Expr>,
    place: Option<Place>,
}

impl<'a> Collector<'a> {
    fn visit_as(&mut self, expression: &'a Expr, place: Place) {
        self.place = Some(place);
        self.visit_expr(expression);
    }

    fn place(&self, expression: &Expr) -> Place {
        let is = |other: &Expr| other.range() == expression.range();
        match self.parents.last() {
            _ if is_stored(expression) => Place::Target,
            Some(Expr::Call(call)) if is(&call.func) => Place::Callee,
            Some(Expr::Subscript(subscript)) if is(&subscript.slice) => Place::Index,
            Some(Expr::Slice(_)) => Place::Bound,
            Some(Expr::BoolOp(_)) => Place::Condition,
            Some(Expr::UnaryOp(unary)) if unary.op == ast::UnaryOp::Not => Place::Condition,
            Some(Expr::If(choice)) if is(&choice.test) => Place::Condition,
            _ => Place::Value,
        }
    }
}

fn is_stored(expression: &Expr) -> bool {
    let context = match expression {
        Expr::Name(name) => name.ctx,
        Expr::Attribute(attribute) => attribute.ctx,
        Expr::Subscript(subscript) => subscript.ctx,
        Expr::Tuple(tuple) => tuple.ctx,
        Expr::List(list) => list.ctx,
        Expr::Starred(starred) => starred.ctx,
        _ => ExprContext::Load,
    };
    !matches!(context, ExprContext::Load)
}

impl<'a> Visitor<'a> for Collector<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let place = self.place.take().unwrap_or_else(|| self.place(expression));
        self.nodes.push(Node { expression, parent: self.parents.last().copied(), place });
        self.parents.push(expression);
        visitor::walk_expr(self, expression);
        self.parents.pop();
    }

    fn visit_comprehension(&mut self, comprehension: &'a ast::Comprehension) {
        self.visit_expr(&comprehension.target);
        self.visit_as(&comprehension.iter, Place::Iterable);
        for condition in &comprehension.ifs {
            self.visit_as(condition, Place::Condition);
        }
    }

    // Annotations do not run; statements below, and the heads of other clauses, are sites of their own.
    fn visit_annotation(&mut self, _: &'a Expr) {}
    fn visit_body(&mut self, _: &'a [Stmt]) {}
    fn visit_elif_else_clause(&mut self, _: &'a ast::ElifElseClause) {}
    fn visit_except_handler(&mut self, _: &'a ast::ExceptHandler) {}
    fn visit_match_case(&mut self, _: &'a ast::MatchCase) {}
}

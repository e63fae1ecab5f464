//! Reads ruff's tree of a file into the tables of [`Tree`]. Annotations are left out: they do not run.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, Number, Stmt, UnaryOp};
use ruff_text_size::{Ranged, TextRange};

use crate::python::parse;
use crate::search::tree::{
    Assignment, Block, BlockKind, Call, Comprehension, Keyword, Kind, Node, Place, Shape, Statement, Tree,
};
use crate::span::Span;

/// The tables of a text; `None` when it does not compile: then its syntax is the fault to repair.
pub(super) fn tree(text: &str) -> Option<Tree> {
    let parsed = parse::compiled(text, None)?;
    Some(parsed.read(|body| {
        let mut reader = Reader::default();
        reader.block(body, None, BlockKind::Open, Around::default());
        reader.tree
    }))
}

/// Surroundings of a statement.
#[derive(Default, Clone, Copy)]
struct Around {
    is_in_loop: bool,
    is_in_function: bool,
}

#[derive(Default)]
struct Reader {
    tree: Tree,
    /// Numbers of the statement and the expression that expressions belong to.
    statement: usize,
    parent: Option<usize>,
    /// The role of the next expression, where its parent does not tell.
    place: Option<Place>,
}

fn span(node: &impl Ranged) -> Span {
    node.range().into()
}

fn spans<T: Ranged>(nodes: &[T]) -> Vec<Span> {
    nodes.iter().map(span).collect()
}

impl Reader {
    fn block(&mut self, statements: &[Stmt], owner: Option<usize>, kind: BlockKind, around: Around) {
        let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return };
        let number = self.tree.blocks.len();
        let place = span(&TextRange::new(first.start(), last.end()));
        self.tree.blocks.push(Block { span: place, statements: Vec::new(), owner, kind });
        for (position, statement) in statements.iter().enumerate() {
            let is_documentation =
                position == 0 && matches!(statement, Stmt::Expr(inner) if inner.value.is_string_literal_expr());
            let kind = if is_documentation { Kind::Fixed } else { kind_of(statement) };
            let read = self.statement(span(statement), first_below(statement), kind, Some(number), around);
            if let Some(block) = self.tree.blocks.get_mut(number) {
                block.statements.push(read);
            }
            if !is_documentation {
                self.expressions(statement);
            }
            self.below(statement, read, around);
        }
    }

    fn statement(
        &mut self,
        span: Span,
        below: Option<usize>,
        kind: Kind,
        block: Option<usize>,
        around: Around,
    ) -> usize {
        self.statement = self.tree.statements.len();
        let Around { is_in_loop, is_in_function } = around;
        let head = Span { start: span.start, end: below.unwrap_or(span.end) };
        self.tree.statements.push(Statement { span, kind, head, block, is_in_loop, is_in_function, nodes: Vec::new() });
        self.statement
    }

    /// Reads the expressions of a statement's own lines.
    fn expressions(&mut self, statement: &Stmt) {
        self.parent = None;
        match statement {
            Stmt::If(statement) => self.condition(&statement.test),
            Stmt::While(statement) => self.condition(&statement.test),
            Stmt::Assert(statement) => self.visit_as(&statement.test, Place::Condition),
            Stmt::For(statement) => {
                self.visit_expr(&statement.target);
                self.visit_as(&statement.iter, Place::Iterable);
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {}
            statement => visitor::walk_stmt(self, statement),
        }
    }

    /// Reads an expression that decides which code runs.
    fn condition(&mut self, test: &Expr) {
        self.tree.conditions.push(span(test));
        if let Expr::BoolOp(inner) = test {
            self.tree.conditions.extend(inner.values.iter().map(span));
        }
        self.visit_as(test, Place::Condition);
    }

    /// Reads the blocks below a statement.
    fn below(&mut self, statement: &Stmt, number: usize, around: Around) {
        let mut block = |statements: &[Stmt], kind: BlockKind, around: Around| {
            self.block(statements, Some(number), kind, around);
        };
        let in_loop = Around { is_in_loop: true, ..around };
        match statement {
            Stmt::FunctionDef(inner) => {
                block(&inner.body, BlockKind::Body, Around { is_in_loop: false, is_in_function: true });
            }
            Stmt::ClassDef(inner) => block(&inner.body, BlockKind::Body, Around::default()),
            Stmt::For(inner) => {
                block(&inner.body, BlockKind::Indented, in_loop);
                block(&inner.orelse, BlockKind::Indented, in_loop);
            }
            Stmt::While(inner) => {
                block(&inner.body, BlockKind::Indented, in_loop);
                block(&inner.orelse, BlockKind::Indented, in_loop);
            }
            Stmt::With(inner) => block(&inner.body, BlockKind::Indented, around),
            Stmt::Try(inner) => {
                block(&inner.body, BlockKind::Indented, around);
                for ast::ExceptHandler::ExceptHandler(handler) in &inner.handlers {
                    block(&handler.body, BlockKind::Indented, around);
                }
                block(&inner.orelse, BlockKind::Indented, around);
                block(&inner.finalbody, BlockKind::Indented, around);
            }
            Stmt::Match(inner) => inner.cases.iter().for_each(|case| block(&case.body, BlockKind::Indented, around)),
            Stmt::If(inner) => {
                block(&inner.body, BlockKind::Indented, around);
                for (clause, next) in with_next(&inner.elif_else_clauses) {
                    if let Some(test) = &clause.test {
                        let kind = branch(test, &clause.body, next);
                        let first = clause.body.first().map(|first| span(first).start);
                        self.statement(span(clause), first, kind, None, around);
                        self.parent = None;
                        self.condition(test);
                    }
                    self.block(&clause.body, Some(number), BlockKind::Indented, around);
                }
            }
            _ => {}
        }
    }

    fn visit_as(&mut self, expression: &Expr, place: Place) {
        self.place = Some(place);
        self.visit_expr(expression);
    }

    fn place(&self, expression: &Expr) -> Place {
        let own = span(expression);
        let parent = self.parent.and_then(|number| self.tree.nodes.get(number));
        match parent.map(|parent| &parent.shape) {
            _ if is_stored(expression) => Place::Target,
            Some(Shape::Call(call)) if call.callee == own => Place::Callee,
            Some(Shape::Index { index, .. }) if *index == own => Place::Index,
            Some(Shape::Slice { .. }) => Place::Bound,
            Some(Shape::Logical { .. } | Shape::Not(_)) => Place::Condition,
            Some(Shape::Choice { test, .. }) if *test == own => Place::Condition,
            _ => Place::Value,
        }
    }
}

/// Each of a statement's clauses with the one behind it.
fn with_next(
    clauses: &[ast::ElifElseClause],
) -> impl Iterator<Item = (&ast::ElifElseClause, Option<&ast::ElifElseClause>)> {
    clauses.iter().enumerate().map(|(number, clause)| (clause, clauses.get(number + 1)))
}

fn branch(test: &Expr, body: &[Stmt], next: Option<&ast::ElifElseClause>) -> Kind {
    let last = body.last().map_or_else(|| span(test), span);
    let yes = Span { start: body.first().map_or(last.start, |first| span(first).start), end: last.end };
    Kind::If { test: span(test), yes, no: next.map(span) }
}

fn kind_of(statement: &Stmt) -> Kind {
    match statement {
        Stmt::Expr(inner) => Kind::Expression(span(&*inner.value)),
        Stmt::Assign(inner) => Kind::Assign {
            targets: spans(&inner.targets),
            last: inner.targets.last().map(|target| Assignment {
                target: span(target),
                operator: "",
                value: span(&*inner.value),
            }),
        },
        Stmt::AugAssign(inner) => Kind::Assign {
            targets: vec![span(&*inner.target)],
            last: Some(Assignment {
                target: span(&*inner.target),
                operator: inner.op.as_str(),
                value: span(&*inner.value),
            }),
        },
        // The colon before the annotation tells it from an assignment without one.
        Stmt::AnnAssign(inner) => Kind::Assign {
            targets: vec![span(&*inner.target)],
            last: inner.value.as_ref().map(|value| Assignment {
                target: span(&*inner.target),
                operator: ":",
                value: span(&**value),
            }),
        },
        Stmt::Return(inner) => Kind::Return(inner.value.as_deref().map(span)),
        Stmt::Raise(_) => Kind::Throw,
        Stmt::Break(_) => Kind::Break,
        Stmt::Continue(_) => Kind::Continue,
        Stmt::Delete(_) => Kind::Simple,
        Stmt::If(inner) => branch(&inner.test, &inner.body, inner.elif_else_clauses.first()),
        Stmt::While(inner) => Kind::While(span(&*inner.test)),
        Stmt::For(inner) => Kind::ForEach { target: span(&*inner.target), iterable: span(&*inner.iter) },
        Stmt::FunctionDef(_) | Stmt::ClassDef(_) => Kind::Definition,
        Stmt::Import(_) | Stmt::ImportFrom(_) => Kind::Fixed,
        _ => Kind::Other,
    }
}

/// The start of the first statement below another.
fn first_below(statement: &Stmt) -> Option<usize> {
    let body = match statement {
        Stmt::FunctionDef(inner) => inner.body.first(),
        Stmt::ClassDef(inner) => inner.body.first(),
        Stmt::If(inner) => inner.body.first(),
        Stmt::For(inner) => inner.body.first(),
        Stmt::While(inner) => inner.body.first(),
        Stmt::With(inner) => inner.body.first(),
        Stmt::Try(inner) => inner.body.first(),
        Stmt::Match(inner) => inner.cases.iter().find_map(|case| case.body.first()),
        _ => None,
    };
    body.map(|first| span(first).start)
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

fn shape_of(expression: &Expr) -> Shape {
    match expression {
        Expr::Name(name) if matches!(name.id.as_str(), "self" | "cls") => Shape::Owner,
        Expr::Name(_) => Shape::Name,
        Expr::NumberLiteral(number) => Shape::Number(match &number.value {
            Number::Int(integer) => integer.as_i64(),
            Number::Float(_) | Number::Complex { .. } => None,
        }),
        Expr::StringLiteral(_) => Shape::Text,
        Expr::FString(_) => Shape::Template(Vec::new()),
        Expr::BooleanLiteral(_) => Shape::Boolean,
        Expr::NoneLiteral(_) => Shape::Nothing,
        Expr::BinOp(inner) => {
            Shape::Binary { left: span(&*inner.left), right: span(&*inner.right), operator: inner.op.as_str() }
        }
        Expr::Compare(inner) => Shape::Comparison {
            operands: std::iter::once(span(&*inner.left)).chain(inner.comparators.iter().map(span)).collect(),
            operators: inner.ops.iter().map(ast::CmpOp::as_str).collect(),
        },
        Expr::BoolOp(inner) => Shape::Logical { operands: spans(&inner.values), operator: inner.op.as_str() },
        Expr::UnaryOp(inner) => {
            let operand = span(&*inner.operand);
            match inner.op {
                UnaryOp::Not => Shape::Not(operand),
                UnaryOp::USub => Shape::Unary { operator: "-", operand },
                UnaryOp::UAdd => Shape::Unary { operator: "+", operand },
                UnaryOp::Invert => Shape::Unary { operator: "~", operand },
            }
        }
        Expr::If(inner) => {
            Shape::Choice { test: span(&*inner.test), yes: span(&*inner.body), no: span(&*inner.orelse) }
        }
        Expr::Call(inner) => Shape::Call(call(inner)),
        Expr::Attribute(inner) => {
            Shape::Member { object: span(&*inner.value), name: span(&inner.attr), is_optional: false }
        }
        Expr::Subscript(inner) => Shape::Index { object: span(&*inner.value), index: span(&*inner.slice) },
        Expr::Slice(inner) => {
            let [lower, upper, step] =
                [&inner.lower, &inner.upper, &inner.step].map(|bound| bound.as_deref().map(span));
            Shape::Slice { lower, upper, step }
        }
        Expr::List(inner) => Shape::List(spans(&inner.elts)),
        Expr::Tuple(inner) => Shape::Tuple(spans(&inner.elts)),
        Expr::Dict(inner) => {
            let pair = |item: &ast::DictItem| Some((span(item.key.as_ref()?), span(&item.value)));
            Shape::Object { entries: inner.items.iter().filter_map(pair).collect(), is_empty: inner.items.is_empty() }
        }
        Expr::ListComp(inner) => comprehension(&inner.generators, None),
        Expr::SetComp(inner) => comprehension(&inner.generators, None),
        Expr::Generator(inner) => comprehension(&inner.generators, None),
        Expr::DictComp(inner) => {
            let entry = inner.key.as_ref().map(|key| (span(&**key), span(&*inner.value)));
            comprehension(&inner.generators, entry)
        }
        Expr::Lambda(inner) => Shape::Function { gives: Some(span(&*inner.body)) },
        Expr::Await(inner) => Shape::Await(span(&*inner.value)),
        Expr::Starred(_) => Shape::Spread,
        _ => Shape::Other,
    }
}

fn call(call: &ast::ExprCall) -> Call {
    let callee = span(&*call.func);
    let name = match &*call.func {
        Expr::Name(_) => callee,
        Expr::Attribute(attribute) => span(&attribute.attr),
        _ => Span { start: callee.end, end: callee.end },
    };
    let keyword = |keyword: &ast::Keyword| Keyword {
        span: span(keyword),
        name: keyword.arg.as_ref().map_or_else(Span::default, span),
        value: span(&keyword.value),
    };
    Call {
        callee,
        name,
        arguments: spans(&call.arguments.args),
        keywords: call.arguments.keywords.iter().map(keyword).collect(),
        open: Some(span(&call.arguments).start),
        is_new: false,
    }
}

fn comprehension(generators: &[ast::Comprehension], entry: Option<(Span, Span)>) -> Shape {
    let last = generators.last();
    last.map_or(Shape::Other, |last| {
        Shape::Comprehension(Comprehension {
            target: span(&last.target),
            iterable: span(&last.iter),
            has_condition: !last.ifs.is_empty(),
            entry,
        })
    })
}

impl<'a> Visitor<'a> for Reader {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let place = self.place.take().unwrap_or_else(|| self.place(expression));
        let number = self.tree.nodes.len();
        let (span, shape, parent) = (span(expression), shape_of(expression), self.parent);
        self.tree.nodes.push(Node { span, shape, parent, place });
        if let Some(statement) = self.tree.statements.get_mut(self.statement) {
            statement.nodes.push(number);
        }
        self.parent = Some(number);
        visitor::walk_expr(self, expression);
        self.parent = parent;
    }

    fn visit_comprehension(&mut self, comprehension: &'a ast::Comprehension) {
        self.visit_expr(&comprehension.target);
        self.visit_as(&comprehension.iter, Place::Iterable);
        for condition in &comprehension.ifs {
            self.visit_as(condition, Place::Condition);
        }
    }

    // Annotations do not run; statements below, and the heads of other clauses, are read on their own.
    fn visit_annotation(&mut self, _: &'a Expr) {}
    fn visit_body(&mut self, _: &'a [Stmt]) {}
    fn visit_elif_else_clause(&mut self, _: &'a ast::ElifElseClause) {}
    fn visit_except_handler(&mut self, _: &'a ast::ExceptHandler) {}
    fn visit_match_case(&mut self, _: &'a ast::MatchCase) {}
}

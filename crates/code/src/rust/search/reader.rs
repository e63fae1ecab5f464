//! Reads the parser's tree of a file into the tables of [`Tree`]. Tests, imports, types and the arguments of macros are left out.

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{
    self, AstNode as _, BinaryOp, ElseBranch, HasArgList as _, HasLoopBody as _, HasModuleItem as _, HasName as _,
    UnaryOp,
};

use super::words::{OPERATORS, TAKE_BOUNDS, shape_of_literal, span_of, span_of_expression, span_of_token};
use crate::rust::{attributes, syntax};
use crate::search::tree::{Block, BlockKind, Call, Declarator, Kind, Node, Place, Shape, Statement, Tree};
use crate::span::Span;

/// The tables of a file; `None` when it does not parse: then its syntax is the fault to repair.
pub(super) fn tree(text: &str) -> Option<Tree> {
    let read = syntax::read(text, |file, errors| {
        errors.is_empty().then(|| {
            let mut reader = Reader { text, ..Reader::default() };
            reader.loops.push(0);
            let block = reader.begin_block(span_of(file.syntax()), BlockKind::Open);
            file.items().for_each(|item| reader.item(&item));
            reader.end_block(block);
            reader.tree
        })
    });
    read.ok().flatten()
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    tree: Tree,
    /// Numbers of the enclosing expressions; `None` where a statement begins.
    parents: Vec<Option<usize>>,
    /// Numbers of the enclosing statements.
    statements: Vec<usize>,
    /// Enclosing blocks, with the number of statements around each.
    blocks: Vec<(usize, usize)>,
    /// For each enclosing function, the number of enclosing loops in it.
    loops: Vec<usize>,
}

impl Reader<'_> {
    // Statements.

    fn statement(&mut self, span: Span, kind: Kind, read: impl FnOnce(&mut Self)) {
        let number = self.tree.statements.len();
        let block = self.blocks.last().filter(|(_, around)| *around == self.statements.len()).map(|(block, _)| *block);
        self.shorten_head(span.start);
        if let Some(block) = block.and_then(|block| self.tree.blocks.get_mut(block)) {
            block.statements.push(number);
        }
        let is_in_loop = self.loops.last().is_some_and(|loops| *loops > 0);
        let is_loop = kind.is_loop();
        let is_in_function = self.loops.len() > 1;
        self.tree.statements.push(Statement {
            span,
            kind,
            head: span,
            block,
            is_in_loop,
            is_in_function,
            nodes: Vec::new(),
        });
        self.statements.push(number);
        self.parents.push(None);
        self.in_loop(is_loop, read);
        self.parents.pop();
        self.statements.pop();
    }

    fn in_loop(&mut self, is_loop: bool, read: impl FnOnce(&mut Self)) {
        let add = |loops: &mut Vec<usize>, is_more: bool| {
            if let Some(loops) = loops.last_mut().filter(|_| is_loop) {
                *loops = if is_more { *loops + 1 } else { loops.saturating_sub(1) };
            }
        };
        add(&mut self.loops, true);
        read(self);
        add(&mut self.loops, false);
    }

    fn in_function(&mut self, read: impl FnOnce(&mut Self)) {
        self.loops.push(0);
        read(self);
        self.loops.pop();
    }

    /// Ends the head of the current statement at `at`, where something that belongs to another statement begins.
    fn shorten_head(&mut self, at: usize) {
        if let Some(around) = self.statements.last().and_then(|number| self.tree.statements.get_mut(*number))
            && around.head.start < at
        {
            around.head.end = around.head.end.min(at);
        }
    }

    /// Returns the number of enclosing blocks before it.
    fn begin_block(&mut self, span: Span, kind: BlockKind) -> usize {
        if kind != BlockKind::Open {
            self.shorten_head(span.start);
        }
        let owner = self.statements.last().copied();
        let left = self.blocks.len();
        self.blocks.push((self.tree.blocks.len(), self.statements.len()));
        self.tree.blocks.push(Block { span, statements: Vec::new(), owner, kind });
        left
    }

    fn end_block(&mut self, left: usize) {
        self.blocks.truncate(left);
    }

    fn item(&mut self, item: &ast::Item) {
        let span = span_of(item.syntax());
        if attributes::is_of_tests(item) {
            return;
        }
        match item {
            ast::Item::Fn(function) => self.statement(span, Kind::Definition, |reader| {
                if let Some(body) = function.body() {
                    reader.in_function(|reader| reader.block(&body, BlockKind::Body));
                }
            }),
            ast::Item::Impl(one) => self.statement(span, Kind::Definition, |reader| {
                let items = one.assoc_item_list().into_iter().flat_map(|list| list.assoc_items());
                items.for_each(|item| reader.associated(&item));
            }),
            ast::Item::Trait(one) => self.statement(span, Kind::Definition, |reader| {
                let items = one.assoc_item_list().into_iter().flat_map(|list| list.assoc_items());
                items.for_each(|item| reader.associated(&item));
            }),
            ast::Item::Module(one) => self.statement(span, Kind::Definition, |reader| {
                let items = one.item_list().into_iter().flat_map(|list| list.items());
                items.for_each(|item| reader.item(&item));
            }),
            ast::Item::Const(one) => {
                self.declaration(span, one.name().map(|name| span_of(name.syntax())), true, one.body().as_ref());
            }
            ast::Item::Static(one) => {
                self.declaration(span, one.name().map(|name| span_of(name.syntax())), true, one.body().as_ref());
            }
            _ => self.statement(span, Kind::Fixed, |_| {}),
        }
    }

    fn associated(&mut self, item: &ast::AssocItem) {
        match item {
            ast::AssocItem::Fn(function) => self.item(&ast::Item::Fn(function.clone())),
            ast::AssocItem::Const(constant) => self.item(&ast::Item::Const(constant.clone())),
            ast::AssocItem::MacroCall(_) | ast::AssocItem::TypeAlias(_) => {}
        }
    }

    fn declaration(&mut self, span: Span, target: Option<Span>, is_name: bool, value: Option<&ast::Expr>) {
        let declarator = Declarator {
            target: target.unwrap_or_default(),
            is_name,
            value: value.map(|value| span_of(value.syntax())),
        };
        self.statement(span, Kind::Declaration(vec![declarator]), |reader| {
            reader.values(value);
        });
    }

    fn block(&mut self, block: &ast::BlockExpr, kind: BlockKind) {
        let Some(list) = block.stmt_list() else { return };
        let left = self.begin_block(span_of(block.syntax()), kind);
        for statement in list.statements() {
            match &statement {
                ast::Stmt::Item(item) => self.item(item),
                ast::Stmt::LetStmt(one) => {
                    let pattern = one.pat();
                    let is_name = matches!(&pattern, Some(ast::Pat::IdentPat(_)));
                    let value = one.initializer();
                    let declarator = Declarator {
                        target: pattern.map(|pattern| span_of(pattern.syntax())).unwrap_or_default(),
                        is_name,
                        value: value.as_ref().map(|value| span_of(value.syntax())),
                    };
                    self.statement(span_of(one.syntax()), Kind::Declaration(vec![declarator]), |reader| {
                        reader.values(value.as_ref());
                        let otherwise = one.let_else().and_then(|one| one.block_expr());
                        reader.braces(otherwise.as_ref());
                    });
                }
                ast::Stmt::ExprStmt(one) => {
                    if let Some(expression) = one.expr() {
                        self.expression_statement(span_of(one.syntax()), &expression, false);
                    }
                }
            }
        }
        if let Some(tail) = list.tail_expr() {
            self.expression_statement(span_of(tail.syntax()), &tail, kind == BlockKind::Body);
        }
        self.end_block(left);
    }

    /// An expression that is a statement. `is_result`: it is the value that its function returns.
    fn expression_statement(&mut self, span: Span, expression: &ast::Expr, is_result: bool) {
        match expression {
            ast::Expr::IfExpr(one) => self.branch(span, one),
            ast::Expr::WhileExpr(one) => {
                let test = one.condition();
                self.statement(span, Kind::While(span_of_expression(test.as_ref())), |reader| {
                    reader.values(test.as_ref());
                    reader.braces(one.loop_body().as_ref());
                });
            }
            ast::Expr::LoopExpr(one) => {
                self.statement(span, Kind::For { declared: Vec::new(), test: None }, |reader| {
                    reader.braces(one.loop_body().as_ref());
                });
            }
            ast::Expr::ForExpr(one) => {
                let iterable = one.iterable();
                let target = one.pat().map(|pattern| span_of(pattern.syntax())).unwrap_or_default();
                let kind = Kind::ForEach { target, iterable: span_of_expression(iterable.as_ref()) };
                self.statement(span, kind, |reader| {
                    reader.values(iterable.as_ref());
                    reader.braces(one.loop_body().as_ref());
                });
            }
            ast::Expr::ReturnExpr(one) => {
                let value = one.expr();
                self.statement(span, Kind::Return(value.as_ref().map(|value| span_of(value.syntax()))), |reader| {
                    reader.values(value.as_ref());
                });
            }
            ast::Expr::BreakExpr(_) => self.statement(span, Kind::Break, |_| {}),
            ast::Expr::ContinueExpr(_) => self.statement(span, Kind::Continue, |_| {}),
            ast::Expr::MatchExpr(one) => self.statement(span, Kind::Other, |reader| reader.cases(one)),
            ast::Expr::BlockExpr(one) => {
                self.statement(span, Kind::Other, |reader| reader.block(one, BlockKind::Braces));
            }
            ast::Expr::MacroExpr(_) => self.statement(span, Kind::Simple, |_| {}),
            other => {
                let value = span_of(other.syntax());
                let kind = if is_result { Kind::Return(Some(value)) } else { Kind::Expression(value) };
                self.statement(span, kind, |reader| reader.expression(other));
            }
        }
    }

    fn branch(&mut self, span: Span, one: &ast::IfExpr) {
        let test = one.condition();
        let (yes, no) = (one.then_branch(), one.else_branch());
        let no_span = no.as_ref().map(|no| match no {
            ElseBranch::Block(block) => span_of(block.syntax()),
            ElseBranch::IfExpr(branch) => span_of(branch.syntax()),
        });
        let kind = Kind::If {
            test: span_of_expression(test.as_ref()),
            yes: yes.as_ref().map(|yes| span_of(yes.syntax())).unwrap_or_default(),
            no: no_span,
        };
        self.statement(span, kind, |reader| {
            reader.values(test.as_ref());
            reader.braces(yes.as_ref());
            match &no {
                Some(ElseBranch::Block(block)) => reader.block(block, BlockKind::Braces),
                Some(ElseBranch::IfExpr(branch)) => reader.branch(span_of(branch.syntax()), branch),
                None => {}
            }
        });
    }

    fn cases(&mut self, one: &ast::MatchExpr) {
        self.values(one.expr().as_ref());
        for arm in one.match_arm_list().into_iter().flat_map(|list| list.arms()) {
            let span = span_of(arm.syntax());
            self.statement(span, Kind::Case, |reader| {
                let guard = arm.guard().and_then(|guard| guard.condition());
                reader.values(guard.as_ref());
                reader.values(arm.expr().as_ref());
            });
        }
    }

    // Expressions.

    fn node(&mut self, span: Span, shape: Shape, read: impl FnOnce(&mut Self)) {
        let parent = self.parents.last().copied().flatten();
        let place = self.place(span, parent);
        self.put(span, shape, parent, place);
        read(self);
        self.parents.pop();
    }

    fn put(&mut self, span: Span, shape: Shape, parent: Option<usize>, place: Place) {
        let number = self.tree.nodes.len();
        self.tree.nodes.push(Node { span, shape, parent, place });
        if place == Place::Condition {
            self.tree.conditions.push(span);
        }
        if let Some(statement) = self.statements.last().and_then(|number| self.tree.statements.get_mut(*number)) {
            statement.nodes.push(number);
        }
        self.parents.push(Some(number));
    }

    fn place(&self, span: Span, parent: Option<usize>) -> Place {
        let Some(parent) = parent.and_then(|number| self.tree.nodes.get(number)) else {
            return self.place_in_statement(span);
        };
        match &parent.shape {
            Shape::Call(call) if call.callee.contains(span) => Place::Callee,
            Shape::Call(call) if TAKE_BOUNDS.contains(&call.name.text(self.text)) => Place::Bound,
            Shape::Binary { operator: ".." | "..=", .. } => Place::Bound,
            Shape::Index { index, .. } if index.contains(span) => Place::Index,
            Shape::Logical { .. } if parent.place == Place::Condition => Place::Condition,
            Shape::Not(_) => Place::Condition,
            Shape::Choice { test, .. } if test.contains(span) => Place::Condition,
            Shape::Assign { target, .. } if target.contains(span) => Place::Target,
            _ => Place::Value,
        }
    }

    fn place_in_statement(&self, span: Span) -> Place {
        let statement = self.statements.last().and_then(|number| self.tree.statements.get(*number));
        match statement.map(|statement| &statement.kind) {
            Some(Kind::If { test, .. } | Kind::While(test)) if test.contains(span) => Place::Condition,
            Some(Kind::ForEach { iterable, .. }) if iterable.contains(span) => Place::Iterable,
            _ => Place::Value,
        }
    }

    fn values<'e>(&mut self, expressions: impl IntoIterator<Item = &'e ast::Expr>) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn braces(&mut self, block: Option<&ast::BlockExpr>) {
        if let Some(block) = block {
            self.block(block, BlockKind::Braces);
        }
    }

    fn expression(&mut self, expression: &ast::Expr) {
        let span = span_of(expression.syntax());
        match expression {
            ast::Expr::ParenExpr(one) => self.values(one.expr().as_ref()),
            ast::Expr::Literal(one) => self.node(span, shape_of_literal(one, span.text(self.text)), |_| {}),
            ast::Expr::PathExpr(one) => self.path(span, one),
            ast::Expr::BinExpr(one) => self.binary(span, one),
            ast::Expr::RangeExpr(_) => self.range(span, expression),
            ast::Expr::PrefixExpr(one) => {
                let operand = one.expr();
                let inner = span_of_expression(operand.as_ref());
                let shape = match one.op_kind() {
                    Some(UnaryOp::Not) => Shape::Not(inner),
                    Some(UnaryOp::Neg) => Shape::Unary { operator: "-", operand: inner },
                    Some(UnaryOp::Deref) | None => Shape::Other,
                };
                self.node(span, shape, |reader| reader.values(operand.as_ref()));
            }
            ast::Expr::MethodCallExpr(one) => self.method_call(span, one),
            ast::Expr::CallExpr(one) => self.call(span, one),
            ast::Expr::FieldExpr(one) => {
                let object = one.expr();
                let name = one.name_ref().map(|name| span_of(name.syntax())).unwrap_or_default();
                let shape = Shape::Member { object: span_of_expression(object.as_ref()), name, is_optional: false };
                self.node(span, shape, |reader| reader.values(object.as_ref()));
            }
            ast::Expr::IndexExpr(one) => {
                let (object, index) = (one.base(), one.index());
                let shape = Shape::Index {
                    object: span_of_expression(object.as_ref()),
                    index: span_of_expression(index.as_ref()),
                };
                self.node(span, shape, |reader| {
                    reader.values(object.as_ref());
                    reader.values(index.as_ref());
                });
            }
            ast::Expr::ArrayExpr(_) => self.list(span, expression, Shape::List),
            ast::Expr::TupleExpr(_) => self.list(span, expression, Shape::Tuple),
            ast::Expr::AwaitExpr(one) => {
                let inner = one.expr();
                let shape = Shape::Await(span_of_expression(inner.as_ref()));
                self.node(span, shape, |reader| reader.values(inner.as_ref()));
            }
            ast::Expr::IfExpr(one) => self.choice(span, one),
            ast::Expr::ClosureExpr(one) => {
                let body = one.body();
                let gives = body.as_ref().filter(|body| !matches!(body, ast::Expr::BlockExpr(_)));
                let shape = Shape::Function { gives: gives.map(|body| span_of(body.syntax())) };
                self.node(span, shape, |reader| {
                    reader.in_function(|reader| match &body {
                        Some(ast::Expr::BlockExpr(block)) => reader.block(block, BlockKind::Body),
                        Some(value) => reader.expression(value),
                        None => {}
                    });
                });
            }
            ast::Expr::MatchExpr(one) => self.node(span, Shape::Other, |reader| reader.cases(one)),
            ast::Expr::BlockExpr(one) => {
                self.node(span, Shape::Other, |reader| reader.block(one, BlockKind::Braces));
            }
            // The arguments of a macro are tokens of any form.
            ast::Expr::MacroExpr(_) => self.node(span, Shape::Other, |_| {}),
            other => self.node(span, Shape::Other, |reader| reader.inside(other.syntax())),
        }
    }

    /// The expressions below a node that has no form of its own here.
    fn inside(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            match ast::Expr::cast(child.clone()) {
                Some(ast::Expr::BlockExpr(block)) => self.block(&block, BlockKind::Braces),
                Some(expression) => self.expression(&expression),
                None => self.inside(&child),
            }
        }
    }

    fn list(&mut self, span: Span, expression: &ast::Expr, shape: fn(Vec<Span>) -> Shape) {
        let elements: Vec<ast::Expr> = expression.syntax().children().filter_map(ast::Expr::cast).collect();
        let spans = elements.iter().map(|element| span_of(element.syntax())).collect();
        self.node(span, shape(spans), |reader| reader.values(&elements));
    }

    fn path(&mut self, span: Span, one: &ast::PathExpr) {
        let shown = span.text(self.text);
        let path = one.path();
        let segments = path.iter().flat_map(ast::Path::segments);
        let segments: Vec<Span> = segments.map(|segment| span_of(segment.syntax())).collect();
        let shape = match (shown, segments.as_slice()) {
            ("self", _) => Shape::Owner,
            ("None", _) => Shape::Nothing,
            (_, [_]) => Shape::Name,
            (_, [.., before, last]) => {
                Shape::Member { object: Span { start: span.start, end: before.end }, name: *last, is_optional: false }
            }
            (_, []) => Shape::Other,
        };
        self.node(span, shape, |_| {});
    }

    fn binary(&mut self, span: Span, one: &ast::BinExpr) {
        let (left, right) = (one.lhs(), one.rhs());
        let (before, after) = (span_of_expression(left.as_ref()), span_of_expression(right.as_ref()));
        let token = one.op_token().map(|token| span_of_token(&token)).unwrap_or_default();
        // A table keeps operators as words of the language.
        let operator =
            OPERATORS.iter().find(|operator| **operator == token.text(self.text)).copied().unwrap_or_default();
        let shape = match one.op_kind() {
            Some(BinaryOp::LogicOp(_)) => Shape::Logical { operands: vec![before, after], operator },
            Some(BinaryOp::CmpOp(_)) => Shape::Comparison { operands: vec![before, after], operators: vec![operator] },
            Some(BinaryOp::Assignment { .. }) => {
                Shape::Assign { target: before, operator: operator.trim_end_matches('='), value: after }
            }
            Some(BinaryOp::ArithOp(_)) => Shape::Binary { left: before, right: after, operator },
            None => Shape::Other,
        };
        self.node(span, shape, |reader| {
            reader.values(left.as_ref());
            reader.values(right.as_ref());
        });
    }

    fn range(&mut self, span: Span, expression: &ast::Expr) {
        let bounds: Vec<ast::Expr> = expression.syntax().children().filter_map(ast::Expr::cast).collect();
        let shape = match bounds.as_slice() {
            [left, right] => {
                let (left, right) = (span_of(left.syntax()), span_of(right.syntax()));
                let between = self.text.get(left.end..right.start).unwrap_or_default();
                Shape::Binary { left, right, operator: if between.contains("..=") { "..=" } else { ".." } }
            }
            _ => Shape::Other,
        };
        self.node(span, shape, |reader| reader.values(&bounds));
    }

    fn method_call(&mut self, span: Span, one: &ast::MethodCallExpr) {
        let object = one.receiver();
        let name = one.name_ref().map(|name| span_of(name.syntax())).unwrap_or_default();
        let callee = Span { start: span.start, end: name.end };
        self.with_arguments(span, callee, name, one.arg_list().as_ref(), |reader| {
            let shape = Shape::Member { object: span_of_expression(object.as_ref()), name, is_optional: false };
            reader.node(callee, shape, |reader| reader.values(object.as_ref()));
        });
    }

    fn call(&mut self, span: Span, one: &ast::CallExpr) {
        let callee = one.expr();
        let place = span_of_expression(callee.as_ref());
        let name = match &callee {
            Some(ast::Expr::PathExpr(path)) => {
                path.path().and_then(|path| path.segment()).map(|last| span_of(last.syntax()))
            }
            Some(ast::Expr::FieldExpr(field)) => field.name_ref().map(|name| span_of(name.syntax())),
            _ => None,
        };
        let name = name.unwrap_or(Span { start: place.end, end: place.end });
        self.with_arguments(span, place, name, one.arg_list().as_ref(), |reader| {
            reader.values(callee.as_ref());
        });
    }

    fn with_arguments(
        &mut self,
        span: Span,
        callee: Span,
        name: Span,
        list: Option<&ast::ArgList>,
        read_callee: impl FnOnce(&mut Self),
    ) {
        let arguments: Vec<ast::Expr> = list.into_iter().flat_map(ast::ArgList::args).collect();
        let call = Call {
            callee,
            name,
            arguments: arguments.iter().map(|argument| span_of(argument.syntax())).collect(),
            keywords: Vec::new(),
            open: list.and_then(ast::ArgList::l_paren_token).map(|token| span_of_token(&token).start),
            is_new: false,
        };
        self.node(span, Shape::Call(call), |reader| {
            read_callee(reader);
            reader.values(&arguments);
        });
    }

    fn choice(&mut self, span: Span, one: &ast::IfExpr) {
        let test = one.condition();
        let (yes, no) = (one.then_branch(), one.else_branch());
        let no_span = no.as_ref().map(|no| match no {
            ElseBranch::Block(block) => span_of(block.syntax()),
            ElseBranch::IfExpr(branch) => span_of(branch.syntax()),
        });
        let yes_span = yes.as_ref().map(|yes| span_of(yes.syntax())).unwrap_or_default();
        let test_span = span_of_expression(test.as_ref());
        let shape = no_span.map_or(Shape::Other, |no| Shape::Choice { test: test_span, yes: yes_span, no });
        self.node(span, shape, |reader| {
            reader.values(test.as_ref());
            reader.braces(yes.as_ref());
            match &no {
                Some(ElseBranch::Block(block)) => reader.block(block, BlockKind::Braces),
                Some(ElseBranch::IfExpr(branch)) => reader.choice(span_of(branch.syntax()), branch),
                None => {}
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_expressions_are_read() {
        let text = "\
pub fn total(lines: &[u64], most: u64) -> u64 {
    let mut sum = 0;
    for line in lines.iter().skip(1) {
        if *line > most && sum < 10 {
            continue;
        }
        sum += line * 2;
    }
    sum.max(lines[0])
}
#[cfg(test)]
mod tests { fn x() { let a = 1 + 1; } }
";
        let tree = tree(text).unwrap();
        let heads: Vec<&str> = tree.statements.iter().map(|statement| statement.head.text(text).trim()).collect();
        assert_eq!(
            heads,
            [
                "pub fn total(lines: &[u64], most: u64) -> u64",
                "let mut sum = 0;",
                "for line in lines.iter().skip(1)",
                "if *line > most && sum < 10",
                "continue;",
                "sum += line * 2;",
                "sum.max(lines[0])",
            ]
        );
        assert!(matches!(tree.statements[6].kind, Kind::Return(Some(_))));
        assert!(tree.statements[4].is_in_loop && tree.statements[4].is_in_function);
        let conditions: Vec<&str> = tree.conditions.iter().map(|span| span.text(text)).collect();
        assert_eq!(conditions, ["*line > most && sum < 10", "*line > most", "sum < 10"]);
        let of = |wanted: &str| tree.nodes.iter().find(|node| node.span.text(text) == wanted).unwrap();
        assert!(matches!(&of("line * 2").shape, Shape::Binary { operator: "*", .. }));
        assert!(matches!(&of("sum += line * 2").shape, Shape::Assign { operator: "+", .. }));
        assert_eq!(of("1").place, Place::Bound);
        assert_eq!(of("lines[0]").place, Place::Value);
    }
}

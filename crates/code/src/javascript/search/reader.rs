//! Reads the parser's tree of a file into the tables of [`Tree`]. Imports, exports of names and types are left out: they are no logic.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionBody, BindingPattern, ClassType, Expression, FunctionType, ImportDeclaration, PropertyKind, TSType,
    TSTypeAnnotation, TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclaration,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use crate::javascript::parse;
use crate::search::tree::{Block, BlockKind, Call, Declarator, Kind, Node, Place, Shape, Statement, Tree};
use crate::span::Span;

/// The tables of a file; `None` when it does not parse: then its syntax is the fault to repair.
pub(super) fn tree(file: &str, text: &str) -> Option<Tree> {
    parse::read(file, text, |program, _| {
        let mut reader = Reader { text, ..Reader::default() };
        reader.visit_program(program);
        reader.tree
    })
    .ok()
}

/// Sizes of the stacks when a construct began.
#[derive(Default, Clone, Copy)]
struct Mark {
    parents: usize,
    statements: usize,
    blocks: usize,
    loops: usize,
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    tree: Tree,
    /// Numbers of the enclosing expressions; `None` where a statement or function begins.
    parents: Vec<Option<usize>>,
    /// Numbers of the enclosing statements.
    statements: Vec<usize>,
    /// Enclosing blocks, with the number of statements around each.
    blocks: Vec<(usize, usize)>,
    /// For each enclosing function, the number of enclosing loops in it.
    loops: Vec<usize>,
    marks: Vec<Mark>,
    /// Starts of functions that are methods, and of names that are shorthands.
    methods: Vec<usize>,
    shorthands: Vec<usize>,
}

impl Reader<'_> {
    fn node(&mut self, span: impl Into<Span>, shape: Shape) {
        let span = span.into();
        let parent = self.parents.last().copied().flatten();
        let place = self.place(span, parent, &shape);
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

    fn place(&self, span: Span, parent: Option<usize>, shape: &Shape) -> Place {
        if *shape == Shape::Name && self.shorthands.contains(&span.start) {
            return Place::Shorthand;
        }
        let Some(parent) = parent.and_then(|number| self.tree.nodes.get(number)) else {
            return self.place_in_statement(span);
        };
        match &parent.shape {
            Shape::Call(call) if call.callee.contains(span) => Place::Callee,
            Shape::Call(call) if TAKE_BOUNDS.contains(&call.name.text(self.text)) => Place::Bound,
            Shape::Index { index, .. } if index.contains(span) => Place::Index,
            Shape::Logical { .. } if parent.place == Place::Condition => Place::Condition,
            Shape::Not(_) => Place::Condition,
            Shape::Choice { test, .. } if test.contains(span) => Place::Condition,
            Shape::Assign { target, .. } if target.contains(span) => Place::Target,
            Shape::Update { .. } => Place::Target,
            _ => Place::Value,
        }
    }

    fn place_in_statement(&self, span: Span) -> Place {
        let statement = self.statements.last().and_then(|number| self.tree.statements.get(*number));
        match statement.map(|statement| &statement.kind) {
            Some(
                Kind::If { test, .. } | Kind::While(test) | Kind::DoWhile(test) | Kind::For { test: Some(test), .. },
            ) if test.contains(span) => Place::Condition,
            Some(Kind::ForEach { iterable, .. }) if iterable.contains(span) => Place::Iterable,
            Some(Kind::ForEach { target, .. }) if target.contains(span) => Place::Target,
            _ => Place::Value,
        }
    }

    fn statement(&mut self, span: impl Into<Span>, kind: Kind) {
        let span = span.into();
        let number = self.tree.statements.len();
        let block = self.blocks.last().filter(|(_, around)| *around == self.statements.len()).map(|(block, _)| *block);
        self.shorten_head(span.start);
        if let Some(block) = block.and_then(|block| self.tree.blocks.get_mut(block)) {
            block.statements.push(number);
        }
        let is_in_loop = self.loops.last().is_some_and(|loops| *loops > 0);
        if kind.is_loop()
            && let Some(loops) = self.loops.last_mut()
        {
            *loops += 1;
        }
        self.tree.statements.push(Statement {
            span,
            kind,
            head: span,
            block,
            is_in_loop,
            is_in_function: self.loops.len() > 1,
            nodes: Vec::new(),
        });
        self.statements.push(number);
        self.parents.push(None);
    }

    /// Ends the head of the current statement at `at`, where something
    /// that belongs to another statement begins.
    fn shorten_head(&mut self, at: usize) {
        if let Some(around) = self.statements.last().and_then(|number| self.tree.statements.get_mut(*number))
            && around.head.start < at
        {
            around.head.end = around.head.end.min(at);
        }
    }

    fn block(&mut self, span: impl Into<Span>, kind: BlockKind) {
        let span = span.into();
        if kind != BlockKind::Open {
            self.shorten_head(span.start);
        }
        let owner = self.statements.last().copied();
        self.blocks.push((self.tree.blocks.len(), self.statements.len()));
        self.tree.blocks.push(Block { span, statements: Vec::new(), owner, kind });
    }

    fn call(&mut self, span: oxc_span::Span, callee: &Expression<'_>, arguments: Vec<Span>, is_new: bool) {
        let place: Span = callee.span().into();
        let name = match callee.get_inner_expression() {
            Expression::Identifier(name) => name.span.into(),
            Expression::StaticMemberExpression(member) => member.property.span.into(),
            _ => Span { start: place.end, end: place.end },
        };
        let first = arguments.first().map_or_else(|| Span::from(span).end, |first| first.start);
        let between = self.text.get(place.end..first).unwrap_or_default();
        let open = between.rfind('(').map(|at| place.end + at);
        self.node(span, Shape::Call(Call { callee: place, name, arguments, keywords: Vec::new(), open, is_new }));
    }

    /// Literals, names and what else has nothing below it that matters here.
    fn leaf(&mut self, kind: AstKind<'_>) -> bool {
        match kind {
            AstKind::IdentifierReference(name) if name.name == "undefined" => self.node(name.span, Shape::Nothing),
            AstKind::IdentifierReference(name) => self.node(name.span, Shape::Name),
            AstKind::ThisExpression(this) => self.node(this.span, Shape::Owner),
            AstKind::NumericLiteral(number) => {
                let whole = Span::from(number.span).text(self.text).parse().ok();
                self.node(number.span, Shape::Number(whole));
            }
            AstKind::StringLiteral(text) => self.node(text.span, Shape::Text),
            AstKind::BooleanLiteral(boolean) => self.node(boolean.span, Shape::Boolean),
            AstKind::NullLiteral(null) => self.node(null.span, Shape::Nothing),
            AstKind::RegExpLiteral(pattern) => {
                let span: Span = pattern.span.into();
                let flags = span.text(self.text).rfind('/').map_or(span.end, |at| span.start + at + 1);
                let body = Span { start: span.start + 1, end: flags.saturating_sub(1) };
                self.node(span, Shape::Pattern { body, flags: Span { start: flags, end: span.end } });
            }
            AstKind::TemplateLiteral(template) => {
                let pieces = template.quasis.iter().map(|piece| piece.span.into()).collect();
                self.node(template.span, Shape::Template(pieces));
            }
            _ => return false,
        }
        true
    }

    fn expression(&mut self, kind: AstKind<'_>) -> bool {
        match kind {
            AstKind::BinaryExpression(binary) => {
                let (left, right) = (binary.left.span().into(), binary.right.span().into());
                let operator = binary.operator.as_str();
                let shape = if COMPARING.contains(&operator) {
                    Shape::Comparison { operands: vec![left, right], operators: vec![operator] }
                } else {
                    Shape::Binary { left, right, operator }
                };
                self.node(binary.span, shape);
            }
            AstKind::LogicalExpression(logical) => {
                let (left, right) = (logical.left.span().into(), logical.right.span().into());
                let operator = logical.operator.as_str();
                self.node(logical.span, Shape::Logical { operands: vec![left, right], operator });
            }
            AstKind::UnaryExpression(unary) => {
                let operand = unary.argument.span().into();
                let shape = match unary.operator.as_str() {
                    "!" => Shape::Not(operand),
                    operator => Shape::Unary { operator, operand },
                };
                self.node(unary.span, shape);
            }
            AstKind::UpdateExpression(update) => {
                let (operator, operand) = (update.operator.as_str(), update.argument.span().into());
                self.node(update.span, Shape::Update { operator, is_prefix: update.prefix, operand });
            }
            AstKind::AssignmentExpression(assign) => {
                let (target, value) = (assign.left.span().into(), assign.right.span().into());
                let operator = assign.operator.as_str().trim_end_matches('=');
                self.node(assign.span, Shape::Assign { target, operator, value });
            }
            AstKind::ConditionalExpression(choice) => {
                let [test, yes, no] = [&choice.test, &choice.consequent, &choice.alternate].map(GetSpan::span);
                self.node(choice.span, Shape::Choice { test: test.into(), yes: yes.into(), no: no.into() });
            }
            AstKind::CallExpression(call) => {
                let arguments = call.arguments.iter().map(|argument| argument.span().into()).collect();
                self.call(call.span, &call.callee, arguments, false);
            }
            AstKind::NewExpression(call) => {
                let arguments = call.arguments.iter().map(|argument| argument.span().into()).collect();
                self.call(call.span, &call.callee, arguments, true);
            }
            AstKind::StaticMemberExpression(member) => {
                let (object, name) = (member.object.span().into(), member.property.span.into());
                self.node(member.span, Shape::Member { object, name, is_optional: member.optional });
            }
            AstKind::ComputedMemberExpression(member) => {
                let (object, index) = (member.object.span().into(), member.expression.span().into());
                self.node(member.span, Shape::Index { object, index });
            }
            AstKind::ArrayExpression(array) => {
                self.node(array.span, Shape::List(array.elements.iter().map(|one| one.span().into()).collect()));
            }
            AstKind::ObjectExpression(object) => {
                let plain = object.properties.iter().filter_map(|property| property.as_property());
                let entries = plain
                    .filter(|property| !property.shorthand && !property.method && property.kind == PropertyKind::Init)
                    .map(|property| (property.key.span().into(), property.value.span().into()));
                let entries = entries.collect();
                self.node(object.span, Shape::Object { entries, is_empty: object.properties.is_empty() });
            }
            AstKind::AwaitExpression(inner) => self.node(inner.span, Shape::Await(inner.argument.span().into())),
            AstKind::ArrowFunctionExpression(arrow) => {
                let gives = match &arrow.body {
                    ArrowFunctionBody::FunctionBody(_) => None,
                    expression => Some(expression.span().into()),
                };
                self.node(arrow.span, Shape::Function { gives });
                self.loops.push(0);
            }
            AstKind::Function(function) if function.r#type == FunctionType::FunctionExpression => {
                if !self.methods.contains(&Span::from(function.span).start) {
                    self.node(function.span, Shape::Function { gives: None });
                }
                self.loops.push(0);
            }
            AstKind::SequenceExpression(other) => self.node(other.span, Shape::Other),
            AstKind::TaggedTemplateExpression(other) => self.node(other.span, Shape::Other),
            AstKind::YieldExpression(other) => self.node(other.span, Shape::Other),
            AstKind::SpreadElement(other) => self.node(other.span, Shape::Spread),
            AstKind::PrivateFieldExpression(other) => self.node(other.span, Shape::Other),
            AstKind::JSXElement(other) => self.node(other.span, Shape::Other),
            AstKind::JSXFragment(other) => self.node(other.span, Shape::Other),
            AstKind::TSAsExpression(other) => self.node(other.span, Shape::Other),
            AstKind::TSSatisfiesExpression(other) => self.node(other.span, Shape::Other),
            AstKind::TSNonNullExpression(other) => self.node(other.span, Shape::Other),
            _ => return false,
        }
        true
    }

    fn own_statement(&mut self, kind: AstKind<'_>) -> bool {
        match kind {
            AstKind::ExpressionStatement(one) => {
                self.statement(one.span, Kind::Expression(one.expression.span().into()));
            }
            AstKind::VariableDeclaration(one) => {
                let declared = declarators(one);
                let around = self.statements.last().and_then(|number| self.tree.statements.get_mut(*number));
                let is_listed = self.blocks.last().is_some_and(|(_, count)| *count == self.statements.len());
                if is_listed {
                    self.statement(one.span, Kind::Declaration(declared));
                } else if let Some(Statement { kind: Kind::For { declared: slot, .. }, .. }) = around {
                    *slot = declared;
                }
            }
            AstKind::ReturnStatement(one) => {
                self.statement(one.span, Kind::Return(one.argument.as_ref().map(|value| value.span().into())));
            }
            AstKind::ThrowStatement(one) => self.statement(one.span, Kind::Throw),
            AstKind::BreakStatement(one) => self.statement(one.span, Kind::Break),
            AstKind::ContinueStatement(one) => self.statement(one.span, Kind::Continue),
            AstKind::IfStatement(one) => {
                let (test, yes) = (one.test.span().into(), one.consequent.span().into());
                let no = one.alternate.as_ref().map(|no| no.span().into());
                self.statement(one.span, Kind::If { test, yes, no });
            }
            AstKind::WhileStatement(one) => self.statement(one.span, Kind::While(one.test.span().into())),
            AstKind::DoWhileStatement(one) => self.statement(one.span, Kind::DoWhile(one.test.span().into())),
            AstKind::ForStatement(one) => {
                let test = one.test.as_ref().map(|test| test.span().into());
                self.statement(one.span, Kind::For { declared: Vec::new(), test });
            }
            AstKind::ForOfStatement(one) => {
                let (target, iterable) = (one.left.span().into(), one.right.span().into());
                self.statement(one.span, Kind::ForEach { target, iterable });
            }
            AstKind::ForInStatement(one) => {
                let (target, iterable) = (one.left.span().into(), one.right.span().into());
                self.statement(one.span, Kind::ForEach { target, iterable });
            }
            AstKind::SwitchCase(one) => {
                self.statement(one.span, Kind::Case);
                self.block(one.span, BlockKind::Open);
            }
            AstKind::Function(one) if one.r#type == FunctionType::FunctionDeclaration => {
                self.statement(one.span, Kind::Definition);
                self.loops.push(0);
            }
            AstKind::Class(one) if one.r#type == ClassType::ClassDeclaration => {
                self.statement(one.span, Kind::Definition);
            }
            AstKind::SwitchStatement(one) => self.statement(one.span, Kind::Other),
            AstKind::TryStatement(one) => self.statement(one.span, Kind::Other),
            AstKind::LabeledStatement(one) => self.statement(one.span, Kind::Other),
            AstKind::ExportDefaultDeclaration(one) => self.statement(one.span, Kind::Other),
            AstKind::TSEnumDeclaration(one) => self.statement(one.span, Kind::Other),
            _ => return false,
        }
        true
    }
}

const COMPARING: [&str; 10] = ["<", "<=", ">", ">=", "==", "!=", "===", "!==", "in", "instanceof"];

/// Methods that take where a piece begins or ends.
const TAKE_BOUNDS: [&str; 9] =
    ["slice", "substring", "substr", "splice", "charAt", "charCodeAt", "codePointAt", "at", "subarray"];

fn declarators(declaration: &VariableDeclaration<'_>) -> Vec<Declarator> {
    let one = |declarator: &oxc_ast::ast::VariableDeclarator<'_>| Declarator {
        target: declarator.id.span().into(),
        is_name: matches!(declarator.id, BindingPattern::BindingIdentifier(_)),
        value: declarator.init.as_ref().map(|value| value.span().into()),
    };
    declaration.declarations.iter().map(one).collect()
}

impl<'a> Visit<'a> for Reader<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.marks.push(Mark {
            parents: self.parents.len(),
            statements: self.statements.len(),
            blocks: self.blocks.len(),
            loops: self.loops.len(),
        });
        match kind {
            AstKind::Program(one) => {
                self.loops.push(0);
                self.block(one.span, BlockKind::Open);
            }
            AstKind::BlockStatement(one) => self.block(one.span, BlockKind::Braces),
            AstKind::FunctionBody(one) => self.block(one.span, BlockKind::Body),
            AstKind::StaticBlock(one) => self.block(one.span, BlockKind::Body),
            AstKind::ClassBody(one) => self.shorten_head(Span::from(one.span).start),
            AstKind::MethodDefinition(one) => self.methods.push(Span::from(one.value.span).start),
            AstKind::ObjectProperty(one) if one.method || one.kind != PropertyKind::Init => {
                self.methods.push(Span::from(one.value.span()).start);
            }
            AstKind::ObjectProperty(one) if one.shorthand => self.shorthands.push(Span::from(one.span).start),
            AstKind::BindingProperty(one) if !one.computed => {
                let key = one.key.span();
                self.node(key, Shape::Key { is_shorthand: one.shorthand });
                self.parents.pop();
            }
            _ => {
                if !self.own_statement(kind) && !self.expression(kind) {
                    self.leaf(kind);
                }
            }
        }
    }

    fn leave_node(&mut self, _: AstKind<'a>) {
        let Some(mark) = self.marks.pop() else { return };
        while self.statements.len() > mark.statements {
            let left = self.statements.pop().and_then(|number| self.tree.statements.get(number));
            if left.is_some_and(|left| left.kind.is_loop())
                && let Some(loops) = self.loops.last_mut()
            {
                *loops = loops.saturating_sub(1);
            }
        }
        self.parents.truncate(mark.parents);
        self.blocks.truncate(mark.blocks);
        self.loops.truncate(mark.loops);
    }

    // What is imported, passed on or said about types is no logic.
    fn visit_import_declaration(&mut self, _: &ImportDeclaration<'a>) {}
    fn visit_export_from_declaration(&mut self, _: &oxc_ast::ast::ExportFromDeclaration<'a>) {}
    fn visit_export_named_declaration(&mut self, _: &oxc_ast::ast::ExportNamedDeclaration<'a>) {}
    fn visit_export_all_declaration(&mut self, _: &oxc_ast::ast::ExportAllDeclaration<'a>) {}
    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}
    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}
    fn visit_ts_type_alias_declaration(&mut self, _: &oxc_ast::ast::TSTypeAliasDeclaration<'a>) {}
    fn visit_ts_interface_declaration(&mut self, _: &oxc_ast::ast::TSInterfaceDeclaration<'a>) {}
    fn visit_decorator(&mut self, _: &oxc_ast::ast::Decorator<'a>) {}
}

//! Reading a Python file into the tables of [`super::module`]: one walk over its tree.

use std::collections::BTreeMap;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;

use super::module::{
    Argument, Call, Class, Expression, Function, Import, ImportedName, Module, Parameter, ParameterKind, Role, Scope,
    ScopeKind, Shape, Span, Statement, StatementKind, Word,
};
use super::parse;

/// Maximum length of a text that is read, in bytes.
const MAX_TEXT: usize = 4 << 20;

impl Module {
    /// Reads a file; for a file that does not parse, the result holds what could be recovered.
    pub fn read(text: &str) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        let root = Scope {
            kind: ScopeKind::Module,
            span: Span { start: 0, end: text.len() },
            parent: None,
            bindings: BTreeMap::new(),
        };
        let mut reader = Reader {
            module: Module { line_starts, scopes: vec![root], ..Module::default() },
            text,
            scope: 0,
            block_depth: 0,
        };
        if text.len() <= MAX_TEXT
            && let Ok(tree) = parse::parse(text, None)
        {
            tree.read(|body| reader.visit_body(body));
        }
        let mut module = reader.module;
        module.words.sort_by_key(|word| word.span);
        module
    }
}

struct Reader<'text> {
    module: Module,
    text: &'text str,
    scope: usize,
    block_depth: usize,
}

impl Reader<'_> {
    fn word(&mut self, span: Span, text: &str, role: Role) {
        self.module.words.push(Word { span, text: text.to_owned(), role, scope: self.scope });
    }

    fn bind(&mut self, name: &str, span: Span) {
        let Some(scope) = self.module.scopes.get_mut(self.scope) else { return };
        scope.bindings.entry(name.to_owned()).or_default().push(span);
        if let ScopeKind::Class(number) = scope.kind
            && let Some(class) = self.module.classes.get_mut(number)
        {
            class.attributes.entry(name.to_owned()).or_default().push(span);
        }
    }

    fn within(&mut self, kind: ScopeKind, span: Span, walk: impl FnOnce(&mut Self)) -> usize {
        let outer = self.scope;
        self.module.scopes.push(Scope { kind, span, parent: Some(outer), bindings: BTreeMap::new() });
        self.scope = self.module.scopes.len() - 1;
        let inner = self.scope;
        walk(self);
        self.scope = outer;
        inner
    }

    fn function(&mut self, function: &ast::StmtFunctionDef) {
        let name_span = Span::from(function.name.range());
        self.word(name_span, &function.name, Role::Function);
        self.bind(&function.name, name_span);
        for decorator in &function.decorator_list {
            self.visit_decorator(decorator);
        }
        for default in function.parameters.iter_non_variadic_params().filter_map(|parameter| parameter.default()) {
            self.visit_expr(default);
        }
        for annotation in function.parameters.iter().filter_map(ast::AnyParameterRef::annotation) {
            self.visit_expr(annotation);
        }
        if let Some(returns) = &function.returns {
            self.visit_expr(returns);
        }
        let number = self.module.functions.len();
        let span = Span::from(function.range());
        let class = self.module.scopes.get(self.scope).and_then(|scope| match scope.kind {
            ScopeKind::Class(number) => Some(number),
            ScopeKind::Module | ScopeKind::Function(_) => None,
        });
        let mut returns = Returns::default();
        returns.visit_body(&function.body);
        let decorators: Vec<Span> =
            function.decorator_list.iter().map(|decorator| Span::from(decorator.expression.range())).collect();
        let after_decorators = decorators.last().map_or(span.start, |last| last.end);
        let gap = self.text.get(after_decorators..name_span.start).unwrap_or_default();
        let keyword = gap.rfind("async").or_else(|| gap.rfind("def")).unwrap_or(0);
        let mut tails = Vec::new();
        collect_tails(&function.body, &mut tails);
        self.module.functions.push(Function {
            name: function.name.to_string(),
            name_span,
            span,
            definition: Span { start: after_decorators + keyword, end: span.end },
            parameters_span: function.parameters.range().into(),
            parameters: parameters(&function.parameters),
            decorators,
            class,
            scope: 0,
            body: function.body.iter().map(|statement| Span::from(statement.range())).collect(),
            returns_value: returns.with_value,
            is_generator: returns.yields,
            is_async: function.is_async,
            tails,
        });
        // The scope begins at the parameters: defaults and decorators are evaluated outside, which only matters for names
        // that nobody shadows.
        let scope_span = Span { start: name_span.end, end: span.end };
        let scope = self.within(ScopeKind::Function(number), scope_span, |reader| {
            reader.parameter_words(&function.parameters);
            reader.visit_body(&function.body);
        });
        if let Some(function) = self.module.functions.get_mut(number) {
            function.scope = scope;
        }
    }

    fn parameter_words(&mut self, parameters: &ast::Parameters) {
        for parameter in parameters {
            let name = parameter.name();
            self.word(name.range().into(), name, Role::Parameter);
            self.bind(name, name.range().into());
        }
    }

    fn class(&mut self, class: &ast::StmtClassDef) {
        let name_span = Span::from(class.name.range());
        self.word(name_span, &class.name, Role::Class);
        self.bind(&class.name, name_span);
        for decorator in &class.decorator_list {
            self.visit_decorator(decorator);
        }
        if let Some(arguments) = &class.arguments {
            self.visit_arguments(arguments);
        }
        let number = self.module.classes.len();
        let span = Span::from(class.range());
        let bases = class.arguments.iter().flat_map(|arguments| arguments.args.iter());
        self.module.classes.push(Class {
            name: class.name.to_string(),
            name_span,
            span,
            bases: bases.map(|base| Span::from(base.range()).text(self.text).to_owned()).collect(),
            attributes: BTreeMap::new(),
        });
        self.within(ScopeKind::Class(number), span, |reader| reader.visit_body(&class.body));
    }

    /// `self.x = ...` in a method is an attribute of the class.
    fn attribute_store(&mut self, attribute: &ast::ExprAttribute) {
        let Some(ScopeKind::Function(function)) = self.module.scopes.get(self.scope).map(|scope| scope.kind) else {
            return;
        };
        let Some(function) = self.module.functions.get(function) else { return };
        let is_self = matches!((&*attribute.value, function.parameters.first()),
            (Expr::Name(name), Some(first)) if name.id.as_str() == first.name);
        let span = Span::from(attribute.attr.range());
        if is_self && let Some(class) = function.class.and_then(|number| self.module.classes.get_mut(number)) {
            class.attributes.entry(attribute.attr.to_string()).or_default().push(span);
        }
    }

    fn import(&mut self, names: &[ast::Alias], import: Import) {
        let is_from = import.from.is_some();
        for name in names {
            let role = if is_from { Role::Imported } else { Role::Module };
            self.word(name.name.range().into(), &name.name, role);
            if let Some(alias) = &name.asname {
                self.word(alias.range().into(), alias, Role::Alias);
            }
        }
        for name in &import.names {
            if name.name != "*" {
                let span = name.alias.as_ref().map_or(name.span, |(_, span)| *span);
                self.bind(name.bound(), span);
            }
        }
        self.module.imports.push(import);
    }

    fn is_top_level(&self) -> bool {
        self.scope == 0 && self.block_depth == 0
    }

    fn statement_kind(&mut self, statement: &Stmt) -> StatementKind {
        match statement {
            Stmt::Expr(_) => StatementKind::Expression,
            Stmt::Return(statement) => {
                StatementKind::Return { value: statement.value.as_ref().map(|value| value.range().into()) }
            }
            Stmt::Assign(statement) => match statement.targets.last() {
                Some(target) => {
                    if matches!(target, Expr::Name(name) if name.id.as_str() == "__all__") {
                        self.dunder_all(&statement.value);
                    }
                    StatementKind::Assign { target: target.range().into(), value: statement.value.range().into() }
                }
                None => StatementKind::Other,
            },
            Stmt::AugAssign(statement) => {
                if matches!(&*statement.target, Expr::Name(name) if name.id.as_str() == "__all__") {
                    self.dunder_all(&statement.value);
                }
                StatementKind::Other
            }
            Stmt::For(statement) => {
                StatementKind::For { target: statement.target.range().into(), iterable: statement.iter.range().into() }
            }
            _ => StatementKind::Other,
        }
    }

    fn dunder_all(&mut self, value: &Expr) {
        let elements = match value {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            _ => return,
        };
        for element in elements {
            if let Expr::StringLiteral(text) = element {
                self.module.all.insert(text.value.to_str().to_owned());
            }
        }
    }
}

fn parameters(parameters: &ast::Parameters) -> Vec<Parameter> {
    let plain = |parameter: &ast::ParameterWithDefault, kind| Parameter {
        name: parameter.name().to_string(),
        name_span: parameter.name().range().into(),
        span: parameter.range().into(),
        kind,
        default: parameter.default().map(|default| default.range().into()),
    };
    let variadic = |parameter: &ast::Parameter, kind| Parameter {
        name: parameter.name.to_string(),
        name_span: parameter.name.range().into(),
        span: parameter.range().into(),
        kind,
        default: None,
    };
    let mut list: Vec<Parameter> = Vec::new();
    list.extend(parameters.posonlyargs.iter().chain(&parameters.args).map(|p| plain(p, ParameterKind::Positional)));
    list.extend(parameters.vararg.iter().map(|p| variadic(p, ParameterKind::Rest)));
    list.extend(parameters.kwonlyargs.iter().map(|p| plain(p, ParameterKind::KeywordOnly)));
    list.extend(parameters.kwarg.iter().map(|p| variadic(p, ParameterKind::Keywords)));
    list
}

/// Expression statements that end a way through the block.
fn collect_tails(body: &[Stmt], tails: &mut Vec<Span>) {
    match body.last() {
        Some(Stmt::Expr(statement))
            if !matches!(&*statement.value, Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)) =>
        {
            tails.push(statement.range().into());
        }
        Some(Stmt::If(statement)) => {
            collect_tails(&statement.body, tails);
            for clause in &statement.elif_else_clauses {
                collect_tails(&clause.body, tails);
            }
        }
        Some(Stmt::With(statement)) => collect_tails(&statement.body, tails),
        Some(Stmt::For(statement)) => collect_tails(&statement.orelse, tails),
        Some(Stmt::While(statement)) => collect_tails(&statement.orelse, tails),
        Some(Stmt::Match(statement)) => {
            for case in &statement.cases {
                collect_tails(&case.body, tails);
            }
        }
        Some(Stmt::Try(statement)) => {
            for block in [&statement.body, &statement.orelse, &statement.finalbody] {
                collect_tails(block, tails);
            }
            for ast::ExceptHandler::ExceptHandler(handler) in &statement.handlers {
                collect_tails(&handler.body, tails);
            }
        }
        _ => {}
    }
    // A block in the middle whose other ways return: `if x: f(x)` before the rest.
    for statement in body.iter().rev().skip(1) {
        if let Stmt::If(inner) = statement {
            collect_tails(&inner.body, tails);
            for clause in &inner.elif_else_clauses {
                collect_tails(&clause.body, tails);
            }
        }
    }
}

#[derive(Default)]
struct Returns {
    with_value: bool,
    yields: bool,
}

impl<'ast> Visitor<'ast> for Returns {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::Return(inner) => {
                self.with_value |= inner.value.is_some();
                visitor::walk_stmt(self, statement);
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.yields |= matches!(expression, Expr::Yield(_) | Expr::YieldFrom(_));
        if !matches!(expression, Expr::Lambda(_)) {
            visitor::walk_expr(self, expression);
        }
    }
}

impl<'ast> Visitor<'ast> for Reader<'_> {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let kind = self.statement_kind(statement);
        self.module.statements.push(Statement { span: statement.range().into(), kind });
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Import(import) => {
                let is_top_level = self.is_top_level();
                let names = imported_names(&import.names);
                let span = import.range().into();
                self.import(&import.names, Import { span, from: None, from_span: None, level: 0, names, is_top_level });
            }
            Stmt::ImportFrom(import) => {
                let is_top_level = self.is_top_level();
                let module = import.module.as_ref();
                if let Some(module) = module {
                    self.word(module.range().into(), module, Role::Module);
                }
                self.import(
                    &import.names,
                    Import {
                        span: import.range().into(),
                        from: Some(module.map(ToString::to_string).unwrap_or_default()),
                        from_span: module.map(|module| module.range().into()),
                        level: import.level,
                        names: imported_names(&import.names),
                        is_top_level,
                    },
                );
            }
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                for name in names {
                    self.word(name.range().into(), name, Role::Declared);
                }
            }
            _ => {
                self.block_depth += 1;
                visitor::walk_stmt(self, statement);
                self.block_depth -= 1;
            }
        }
    }

    fn visit_except_handler(&mut self, handler: &'ast ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.word(name.range().into(), name, Role::Store);
            self.bind(name, name.range().into());
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'ast ast::Pattern) {
        let bound = match pattern {
            ast::Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = bound {
            self.word(name.range().into(), name, Role::Store);
            self.bind(name, name.range().into());
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        let span = Span::from(expression.range());
        let shape = match expression {
            Expr::Name(name) => {
                let is_load = matches!(name.ctx, ast::ExprContext::Load);
                self.word(span, &name.id, if is_load { Role::Load } else { Role::Store });
                if !is_load && !matches!(name.ctx, ast::ExprContext::Del) {
                    self.bind(&name.id, span);
                }
                Shape::Name
            }
            Expr::Attribute(attribute) => {
                let is_load = matches!(attribute.ctx, ast::ExprContext::Load);
                let role = if is_load { Role::Attribute } else { Role::AttributeStore };
                self.word(attribute.attr.range().into(), &attribute.attr, role);
                if !is_load {
                    self.attribute_store(attribute);
                }
                Shape::Attribute { value: attribute.value.range().into(), name: attribute.attr.range().into() }
            }
            Expr::Call(call) => Shape::Call(self.call(call)),
            Expr::Subscript(subscript) => {
                Shape::Subscript { value: subscript.value.range().into(), index: subscript.slice.range().into() }
            }
            Expr::BinOp(binary) => {
                Shape::Binary { left: binary.left.range().into(), right: binary.right.range().into() }
            }
            Expr::Compare(compare) => match (compare.left.range(), compare.comparators.first()) {
                (left, Some(right)) => Shape::Binary { left: left.into(), right: right.range().into() },
                (_, None) => Shape::Other,
            },
            Expr::StringLiteral(_) | Expr::FString(_) | Expr::BytesLiteral(_) => Shape::Text,
            Expr::NumberLiteral(_) => Shape::Number,
            Expr::Tuple(tuple) => Shape::Tuple(tuple.elts.iter().map(|element| element.range().into()).collect()),
            Expr::List(_) | Expr::Set(_) | Expr::Dict(_) | Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) => {
                Shape::Display
            }
            _ => Shape::Other,
        };
        self.module.expressions.push(Expression { span, shape });
        if let Expr::Lambda(lambda) = expression
            && let Some(parameters) = &lambda.parameters
        {
            self.parameter_words(parameters);
            for default in parameters.iter_non_variadic_params().filter_map(|parameter| parameter.default()) {
                self.visit_expr(default);
            }
            self.visit_expr(&lambda.body);
            return;
        }
        visitor::walk_expr(self, expression);
    }
}

impl Reader<'_> {
    fn call(&mut self, call: &ast::ExprCall) -> usize {
        let name = match &*call.func {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(attribute) => attribute.attr.to_string(),
            _ => String::new(),
        };
        let mut arguments: Vec<Argument> = call
            .arguments
            .args
            .iter()
            .map(|argument| Argument {
                span: argument.range().into(),
                keyword: None,
                value: argument.range().into(),
                is_starred: matches!(argument, Expr::Starred(_)),
            })
            .collect();
        for keyword in &call.arguments.keywords {
            if let Some(name) = &keyword.arg {
                self.word(name.range().into(), name, Role::Keyword);
            }
            arguments.push(Argument {
                span: keyword.range().into(),
                keyword: keyword.arg.as_ref().map(|name| (name.to_string(), name.range().into())),
                value: keyword.value.range().into(),
                is_starred: keyword.arg.is_none(),
            });
        }
        arguments.sort_by_key(|argument| argument.span);
        self.module.calls.push(Call {
            span: call.range().into(),
            callee: call.func.range().into(),
            name,
            parentheses: call.arguments.range().into(),
            arguments,
        });
        self.module.calls.len() - 1
    }
}

fn imported_names(names: &[ast::Alias]) -> Vec<ImportedName> {
    names
        .iter()
        .map(|name| ImportedName {
            name: name.name.to_string(),
            span: name.name.range().into(),
            alias: name.asname.as_ref().map(|alias| (alias.to_string(), alias.range().into())),
        })
        .collect()
}

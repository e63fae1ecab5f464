//! Reads a file's tree into the tables of [`Module`].

use std::borrow::Cow;
use std::cmp::Reverse;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionBody, AssignmentTarget, BindingPattern, Declaration, Expression, FormalParameters,
    ImportDeclarationSpecifier, ImportOrExportKind, ModuleExportName, PropertyKey, StringLiteral,
};
use oxc_ast_visit::Visit;
use oxc_semantic::Semantic;
use oxc_span::GetSpan;

use super::module::{Call, Class, Function, Import, ImportKind, ImportedName, Module, Parameter, Role, Scope, Word};
use super::{components, parse};
use crate::span::Span;

impl Module {
    /// Reads a file; one that does not parse has nothing but lines.
    pub fn read(file: &str, text: &str) -> Self {
        let mut module = read(file, text).unwrap_or_default();
        if components::is_component(file) {
            // Who imports a component imports it as a whole.
            module.exports.default.get_or_insert_with(Span::default);
        }
        module.line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        module.words.sort_by_key(|word| (word.span, word.role));
        module.functions.sort_by_key(|function| (function.span.start, Reverse(function.span.end)));
        module
    }
}

/// The tables of a file; `None` when it does not parse. Lines are not filled in.
fn read(file: &str, text: &str) -> Option<Module> {
    parse::read(file, text, |program, semantic| {
        let mut module = Module { is_module: program.source_type.is_module(), ..Module::default() };
        module.scopes = scopes(semantic);
        module.statements = program.body.iter().map(|statement| statement.span().into()).collect();
        let mut reader = Reader { text, semantic, module, returns: Vec::new(), arguments: Vec::new() };
        reader.visit_program(program);
        reader.finish()
    })
    .ok()
}

fn scopes(semantic: &Semantic<'_>) -> Vec<Scope> {
    let scoping = semantic.scoping();
    let mut scopes = vec![Scope::default(); scoping.scopes_len()];
    for (scope, bindings) in scoping.iter_bindings() {
        let place = |symbol| scoping.symbol_span(symbol).into();
        if let Some(slot) = scopes.get_mut(scope.index()) {
            slot.span = semantic.nodes().kind(scoping.get_node_id(scope)).span().into();
            slot.parent = scoping.scope_parent_id(scope).map(oxc_semantic::ScopeId::index);
            slot.bindings = bindings.iter().map(|(name, symbol)| (name.to_string(), place(*symbol))).collect();
        }
    }
    scopes
}

struct Reader<'a, 'b> {
    text: &'b str,
    semantic: &'b Semantic<'a>,
    module: Module,
    /// Positions at which a `return` with a value stands.
    returns: Vec<usize>,
    /// Positions at which `arguments` is used.
    arguments: Vec<usize>,
}

impl<'a> Reader<'a, '_> {
    fn finish(mut self) -> Module {
        for function in &mut self.module.functions {
            let inside = |at: &usize| function.span.start <= *at && *at < function.span.end;
            function.returns_value |= self.returns.iter().any(inside);
            function.uses_arguments = self.arguments.iter().any(inside);
        }
        self.module
    }

    fn word(&mut self, span: impl Into<Span>, text: &str, role: Role, scope: usize, is_bound: bool) {
        self.module.words.push(Word { span: span.into(), text: text.to_owned(), role, scope, is_bound });
    }

    fn key(&mut self, key: &PropertyKey<'_>) -> Option<String> {
        let span: Span = key.span().into();
        let name = match key {
            PropertyKey::StaticIdentifier(name) => name.name.to_string(),
            PropertyKey::PrivateIdentifier(name) => format!("#{}", name.name),
            PropertyKey::StringLiteral(name) => name.value.to_string(),
            _ => return None,
        };
        if span.text(self.text) == name {
            self.word(span, &name, Role::Key, 0, true);
        }
        Some(name)
    }

    /// Returns the name that a function or class is assigned to, taken from its parent node.
    fn name_by_parent(&self, node: oxc_semantic::NodeId) -> String {
        let name = match self.semantic.nodes().parent_kind(node) {
            AstKind::VariableDeclarator(declarator) => declarator.id.get_identifier_name().map(|name| name.to_string()),
            AstKind::ObjectProperty(property) => property.key.static_name().map(Cow::into_owned),
            AstKind::MethodDefinition(method) => method.key.static_name().map(Cow::into_owned),
            AstKind::PropertyDefinition(property) => property.key.static_name().map(Cow::into_owned),
            AstKind::AssignmentExpression(assignment) => match &assignment.left {
                AssignmentTarget::AssignmentTargetIdentifier(name) => Some(name.name.to_string()),
                AssignmentTarget::StaticMemberExpression(member) => Some(member.property.name.to_string()),
                _ => None,
            },
            _ => None,
        };
        name.unwrap_or_default()
    }

    fn parameters(parameters: &FormalParameters<'_>) -> (Vec<Parameter>, bool) {
        let list = parameters.items.iter().map(|item| Parameter {
            name: item.pattern.get_identifier_name().map(|name| name.to_string()).unwrap_or_default(),
            span: item.span.into(),
            is_optional: item.optional || item.initializer.is_some(),
        });
        (list.collect(), parameters.rest.is_some())
    }

    fn function(&mut self, kind: AstKind<'a>) {
        let (node, span, name, parameters, is_async, is_generator) = match kind {
            AstKind::Function(function) => (
                function.node_id.get(),
                function.span,
                function.name().map(|name| name.to_string()),
                &function.params,
                function.r#async,
                function.generator,
            ),
            AstKind::ArrowFunctionExpression(arrow) => {
                (arrow.node_id.get(), arrow.span, None, &arrow.params, arrow.r#async, false)
            }
            _ => return,
        };
        let (body, braces) = match kind {
            AstKind::Function(function) => match &function.body {
                Some(body) => (body.statements.iter().map(|one| one.span().into()).collect(), Some(body.span.into())),
                None => return,
            },
            AstKind::ArrowFunctionExpression(arrow) => match &arrow.body {
                ArrowFunctionBody::FunctionBody(body) => {
                    (body.statements.iter().map(|one| one.span().into()).collect(), Some(body.span.into()))
                }
                expression => (vec![expression.span().into()], None),
            },
            _ => return,
        };
        let (list, has_rest) = Self::parameters(parameters);
        let returns_value = braces.is_none();
        self.module.functions.push(Function {
            name: name.unwrap_or_else(|| self.name_by_parent(node)),
            span: span.into(),
            parameters_span: parameters.span.into(),
            parameters: list,
            has_rest,
            is_async,
            is_generator,
            body,
            braces,
            returns_value,
            uses_arguments: false,
        });
    }

    fn class(&mut self, class: &oxc_ast::ast::Class<'a>) {
        use oxc_ast::ast::ClassElement;
        let mut members = std::collections::BTreeMap::<String, Vec<Span>>::new();
        for element in &class.body.body {
            let key = match element {
                ClassElement::MethodDefinition(method) => &method.key,
                ClassElement::PropertyDefinition(property) => &property.key,
                ClassElement::AccessorProperty(property) => &property.key,
                ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => continue,
            };
            if let Some(name) = key.static_name() {
                members.entry(name.into_owned()).or_default().push(key.span().into());
            }
        }
        let name = class.id.as_ref().map(|id| id.name.to_string());
        let name = name.unwrap_or_else(|| self.name_by_parent(class.node_id.get()));
        self.module.classes.push(Class { name, span: class.span.into(), members });
    }

    /// A member that is assigned: a key; an export when it is one of `exports`; a member of the class when it is one of `this`.
    fn assigned(&mut self, target: &AssignmentTarget<'a>, right: &Expression<'a>) {
        let AssignmentTarget::StaticMemberExpression(member) = target else { return };
        let (name, span): (&str, Span) = (&member.property.name, member.property.span.into());
        self.word(span, name, Role::Key, 0, true);
        match &member.object {
            Expression::ThisExpression(_) => {
                let at = span.start;
                let around =
                    self.module.classes.iter_mut().filter(|class| class.span.start <= at && at < class.span.end);
                if let Some(class) = around.min_by_key(|class| class.span.end - class.span.start) {
                    class.members.entry(name.to_owned()).or_default().push(span);
                }
            }
            Expression::Identifier(object) if object.name == "module" && name == "exports" => {
                self.module.exports.whole = Some(right.span().into());
                if let Expression::ObjectExpression(object) = right.get_inner_expression() {
                    for property in object.properties.iter().filter_map(|property| property.as_property()) {
                        if let Some(name) = property.key.static_name() {
                            self.module.exports.names.insert(name.into_owned(), property.key.span().into());
                        }
                    }
                }
            }
            Expression::Identifier(object) if object.name == "exports" => {
                self.module.exports.names.insert(name.to_owned(), span);
            }
            Expression::StaticMemberExpression(object) if object.property.name == "exports" => {
                self.module.exports.names.insert(name.to_owned(), span);
            }
            _ => {}
        }
    }

    fn import(specifier: &StringLiteral<'_>, span: impl Into<Span>) -> Import {
        let quoted: Span = specifier.span.into();
        Import {
            specifier: specifier.value.to_string(),
            specifier_span: Span { start: quoted.start + 1, end: quoted.end.saturating_sub(1) },
            span: span.into(),
            names: Vec::new(),
            is_require: false,
            is_export: false,
            is_type: false,
            is_statement: true,
        }
    }

    fn declared(&mut self, declaration: &Declaration<'a>) {
        let mut add = |name: &str, span: oxc_span::Span| {
            self.module.exports.names.insert(name.to_owned(), span.into());
        };
        match declaration {
            Declaration::VariableDeclaration(variables) => {
                for declarator in &variables.declarations {
                    for name in declarator.id.get_binding_identifiers() {
                        add(&name.name, name.span);
                    }
                }
            }
            Declaration::FunctionDeclaration(function) => {
                if let Some(id) = &function.id {
                    add(&id.name, id.span);
                }
            }
            Declaration::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    add(&id.name, id.span);
                }
            }
            other => {
                if let Some(id) = other.id() {
                    add(&id.name, id.span);
                }
            }
        }
    }

    /// `require('x')`, with the names that the declaration around it gives.
    fn require(&mut self, call: &oxc_ast::ast::CallExpression<'a>) {
        let Some(specifier) = call.common_js_require() else { return };
        let mut import = Self::import(specifier, call.span);
        (import.is_require, import.is_statement) = (true, false);
        let nodes = self.semantic.nodes();
        let parent = nodes.parent_kind(call.node_id.get());
        if let AstKind::VariableDeclarator(declarator) = parent {
            if let AstKind::VariableDeclaration(declaration) = nodes.parent_kind(declarator.node_id.get()) {
                import.span = declaration.span.into();
                import.is_statement = declaration.declarations.len() == 1
                    && matches!(nodes.parent_kind(declaration.node_id.get()), AstKind::Program(_));
            }
            match &declarator.id {
                BindingPattern::BindingIdentifier(id) => import.names.push(whole(&id.name, id.span.into())),
                BindingPattern::ObjectPattern(pattern) => {
                    for property in &pattern.properties {
                        let (Some(name), Some(local)) =
                            (property.key.static_name(), property.value.get_identifier_name())
                        else {
                            continue;
                        };
                        import.names.push(ImportedName {
                            kind: ImportKind::Named,
                            name: name.into_owned(),
                            span: property.key.span().into(),
                            local: local.to_string(),
                            whole: property.span.into(),
                        });
                    }
                }
                BindingPattern::ArrayPattern(_) | BindingPattern::AssignmentPattern(_) => {}
            }
        } else if let AstKind::ExpressionStatement(statement) = parent {
            import.span = statement.span.into();
            import.is_statement = matches!(nodes.parent_kind(statement.node_id.get()), AstKind::Program(_));
        }
        self.module.imports.push(import);
    }

    fn call(
        &mut self,
        node: oxc_semantic::NodeId,
        span: oxc_span::Span,
        callee: Span,
        arguments: Vec<Span>,
        is_new: bool,
    ) {
        let span: Span = span.into();
        let rest = self.text.get(callee.end..span.end).unwrap_or_default();
        let open = rest.find('(').map_or(span.end, |at| callee.end + at);
        let is_awaited = matches!(
            self.semantic.nodes().parent_kind(node),
            AstKind::AwaitExpression(_) | AstKind::ReturnStatement(_)
        );
        let parentheses = Span { start: open, end: span.end };
        self.module.calls.push(Call { span, callee, arguments, parentheses, is_new, is_awaited });
    }
}

fn whole(name: &str, span: Span) -> ImportedName {
    ImportedName { kind: ImportKind::Whole, name: name.to_owned(), span, local: name.to_owned(), whole: span }
}

fn export_name(name: &ModuleExportName<'_>) -> (String, Span) {
    (name.name().to_string(), name.span().into())
}

impl<'a> Visit<'a> for Reader<'a, '_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let scoping = self.semantic.scoping();
        match kind {
            AstKind::IdentifierReference(name) => {
                let reference = name.reference_id.get().map(|id| scoping.get_reference(id));
                let scope = reference.map_or(0, |reference| reference.scope_id().index());
                let is_bound = reference.is_some_and(|reference| reference.symbol_id().is_some());
                if name.name == "arguments" && !is_bound {
                    self.arguments.push(Span::from(name.span).start);
                }
                self.word(name.span, &name.name, Role::Use, scope, is_bound);
            }
            AstKind::BindingIdentifier(name) => {
                let scope = name.symbol_id.get().map_or(0, |symbol| scoping.symbol_scope_id(symbol).index());
                self.word(name.span, &name.name, Role::Binding, scope, true);
            }
            AstKind::StaticMemberExpression(member) => {
                self.word(member.property.span, &member.property.name, Role::Member, 0, true);
            }
            AstKind::ObjectProperty(property) if !property.shorthand => {
                self.key(&property.key);
            }
            AstKind::BindingProperty(property) if !property.shorthand => {
                self.key(&property.key);
            }
            AstKind::MethodDefinition(method) => {
                self.key(&method.key);
            }
            AstKind::PropertyDefinition(property) => {
                self.key(&property.key);
            }
            AstKind::TSPropertySignature(property) => {
                self.key(&property.key);
            }
            AstKind::TSMethodSignature(method) => {
                self.key(&method.key);
            }
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => self.function(kind),
            AstKind::Class(class) => self.class(class),
            AstKind::AssignmentExpression(assignment) => self.assigned(&assignment.left, &assignment.right),
            AstKind::ExpressionStatement(statement) => self.module.expressions.push(statement.span.into()),
            AstKind::ReturnStatement(statement) if statement.argument.is_some() => {
                self.returns.push(Span::from(statement.span).start);
            }
            AstKind::CallExpression(call) => {
                self.require(call);
                let arguments = call.arguments.iter().map(|argument| argument.span().into()).collect();
                self.call(call.node_id.get(), call.span, call.callee.span().into(), arguments, false);
            }
            AstKind::NewExpression(call) => {
                let arguments = call.arguments.iter().map(|argument| argument.span().into()).collect();
                self.call(call.node_id.get(), call.span, call.callee.span().into(), arguments, true);
            }
            AstKind::ImportExpression(import) => {
                if let Expression::StringLiteral(specifier) = &import.source {
                    let mut found = Self::import(specifier, import.span);
                    found.is_statement = false;
                    self.module.imports.push(found);
                }
            }
            AstKind::ImportDeclaration(declaration) => {
                let mut import = Self::import(&declaration.source, declaration.span);
                import.is_type = declaration.import_kind == ImportOrExportKind::Type;
                for specifier in declaration.specifiers.iter().flatten() {
                    import.names.push(match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(one) => {
                            let (name, span) = export_name(&one.imported);
                            let local = one.local.name.to_string();
                            ImportedName { kind: ImportKind::Named, name, span, local, whole: one.span.into() }
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                            let name = whole(&one.local.name, one.span.into());
                            ImportedName { kind: ImportKind::Default, ..name }
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                            let name = whole(&one.local.name, one.local.span.into());
                            ImportedName { whole: one.span.into(), ..name }
                        }
                    });
                }
                self.module.imports.push(import);
            }
            AstKind::ExportDeclaration(export) => self.declared(&export.declaration),
            AstKind::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let (name, span) = export_name(&specifier.exported);
                    self.module.exports.names.insert(name, span);
                }
            }
            AstKind::ExportFromDeclaration(export) => {
                let mut import = Self::import(&export.source, export.span);
                import.is_export = true;
                for specifier in &export.specifiers {
                    let (name, span) = export_name(&specifier.exported);
                    self.module.exports.names.insert(name.clone(), span);
                    let (imported, span) = export_name(&specifier.local);
                    let whole = specifier.span.into();
                    import.names.push(ImportedName {
                        kind: ImportKind::Named,
                        name: imported,
                        span,
                        local: name,
                        whole,
                    });
                }
                self.module.imports.push(import);
            }
            AstKind::ExportAllDeclaration(export) => {
                let mut import = Self::import(&export.source, export.span);
                import.is_export = true;
                self.module.imports.push(import);
                match &export.exported {
                    Some(name) => {
                        let (name, span) = export_name(name);
                        self.module.exports.names.insert(name, span);
                    }
                    None => {
                        self.module.exports.stars.insert(export.source.value.to_string());
                    }
                }
            }
            AstKind::ExportDefaultDeclaration(export) => self.module.exports.default = Some(export.span.into()),
            _ => {}
        }
    }
}

//! The tables of a Python file for the search.

use crate::edit::{Edit, apply_within};
use crate::python::module::{self, Module, ParameterKind, Role, ScopeKind, Shape};
use crate::python::parse;
use crate::search::layout::Layout;
use crate::search::tables::{Function, Named, Parameter, Spot, Tables};
use crate::search::tree::Kind;
use crate::span::Span;

/// The tables of a module, with what else the search needs of it.
pub(super) struct ModuleTables<'a> {
    layout: Layout<'a>,
    module: &'a Module,
    /// Positions of texts.
    texts: Vec<Span>,
}

impl<'a> ModuleTables<'a> {
    pub(super) fn new(text: &'a str, module: &'a Module) -> Self {
        let texts = module.expressions.iter().filter(|expression| expression.shape == Shape::Text);
        Self { layout: Layout::of(text), module, texts: texts.map(|expression| expression.span).collect() }
    }

    /// Positions at which a scope binds a name.
    fn bindings(&self, scope: usize, name: &str) -> &[Span] {
        let scope = self.module.scopes.get(scope);
        scope.and_then(|scope| scope.bindings.get(name)).map(Vec::as_slice).unwrap_or_default()
    }
}

fn function_of(function: &module::Function) -> Function<'_> {
    let given = function.parameters.iter().filter(|one| !matches!(one.name.as_str(), "self" | "cls"));
    let parameters = given.map(|one| {
        let is_rest = matches!(one.kind, ParameterKind::Rest | ParameterKind::Keywords);
        Parameter { name: &one.name, span: one.span, is_optional: one.default.is_some() || is_rest, is_rest }
    });
    Function {
        name: &function.name,
        span: function.span,
        parameters_span: function.parameters_span,
        parameters: parameters.collect(),
        is_async: function.is_async,
        is_method: function.class.is_some(),
        is_listed: function.class.is_none(),
    }
}

impl Tables for ModuleTables<'_> {
    fn line_of(&self, at: usize) -> u32 {
        self.module.line_of(at)
    }

    fn functions(&self) -> Vec<Function<'_>> {
        self.module.functions.iter().map(function_of).collect()
    }

    fn function_at(&self, at: usize) -> Option<usize> {
        let mut current = Some(self.module.scope_at(at));
        while let Some(scope) = current.and_then(|index| self.module.scopes.get(index)) {
            if let ScopeKind::Function(number) = scope.kind {
                return Some(number);
            }
            current = scope.parent;
        }
        None
    }

    /// None: the other files are not known here, and may use each.
    fn unused(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Objects are made by their classes.
    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }

    fn declared_members(&self) -> Vec<&str> {
        let names = self.module.classes.iter().flat_map(|class| class.attributes.keys()).map(String::as_str);
        names.filter(|name| !name.starts_with("__")).collect()
    }

    fn own_members(&self, at: usize) -> Vec<&str> {
        let function = self.function_at(at).and_then(|number| self.module.functions.get(number));
        let class = function.and_then(|function| self.module.classes.get(function.class?));
        class.map(|class| class.attributes.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The scope of the statement: names bound by comprehensions count to the scope around them.
    fn scope(&self, head: Span, _: usize) -> usize {
        self.module.scope_at(head.start)
    }

    fn names(&self, spot: &Spot<'_>, scope: usize) -> Vec<Named<'_>> {
        let Some(scope) = self.module.scopes.get(scope) else { return Vec::new() };
        let head = spot.statement.head;
        let targets: Vec<Span> = match &spot.statement.kind {
            // What an update changes has a value.
            Kind::Assign { last: Some(last), .. } if !matches!(last.operator, "" | ":") => Vec::new(),
            Kind::Assign { targets, .. } => targets.clone(),
            Kind::ForEach { target, .. } => vec![*target],
            _ => Vec::new(),
        };
        let is_bound = |binding: &Span| {
            // What the statement itself binds has no value in it yet, but for comprehensions.
            let is_own = head.contains(*binding) && targets.iter().any(|target| target.contains(*binding));
            binding.start < head.end && !is_own
        };
        let is_variable = |name: &str| !matches!(name, "_" | "self" | "cls");
        let bound = scope.bindings.iter().filter(|(name, places)| is_variable(name) && places.iter().any(is_bound));
        bound.map(|(name, _)| Named { text: name, nearness: 1.0, is_idle: false }).collect()
    }

    fn is_known(&self, spot: &Spot<'_>, name: &str) -> bool {
        let at = spot.statement.head.start;
        let scope = self.module.scope_at(at);
        match self.module.binding_scope(name, scope) {
            None => false,
            Some(found) if found != scope => true,
            Some(found) => self.bindings(found, name).iter().any(|place| place.start < at),
        }
    }

    fn is_only_binding(&self, place: Span, name: &str) -> bool {
        match self.bindings(self.module.scope_at(place.start), name) {
            [only] => place.contains(*only),
            _ => false,
        }
    }

    fn words(&self, piece: Span) -> Vec<Span> {
        let module = self.module;
        let first = module.words.partition_point(|word| word.span.start < piece.start);
        let inside = || module.words.iter().skip(first).take_while(|word| word.span.end <= piece.end);
        let is_bound = |name: &str, scope: usize| module.binding_scope(name, scope).is_some();
        let variables: Vec<&str> = inside()
            .filter(|word| matches!(word.role, Role::Load | Role::Store) && is_bound(&word.text, word.scope))
            .map(|word| word.span.text(self.layout.text))
            .collect();
        let is_called_so = |role: Role| {
            matches!(role, Role::Load | Role::Store | Role::Attribute | Role::AttributeStore | Role::Keyword)
        };
        let found = inside().filter(|word| is_called_so(word.role) && variables.contains(&word.text.as_str()));
        found.map(|word| word.span).collect()
    }

    /// Quotes inside an f-string's own braces end the string before Python 3.12.
    fn allows(&self, edits: &[Edit]) -> bool {
        let mut quoting = edits.iter().filter(|edit| edit.replacement.contains(['"', '\'', '\\', '\n']));
        quoting.all(|edit| {
            let is_inside = |span: &Span| span.start < edit.start && edit.end < span.end;
            !self.texts.iter().any(is_inside)
        })
    }

    /// Parses only the lines of the function, or else of the top-level statement, that contains the edits: everything outside of it
    /// is unchanged, and parsed before.
    fn parses(&self, edits: &[Edit]) -> bool {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return false };
        let edited = Span { start: first.start, end: last.end };
        let layout = self.layout;
        let lines = |span: Span| Span { start: layout.line_start(span.start), end: layout.line_end(span.end) };
        let functions = self.module.functions.iter().map(|function| function.span);
        // Only what may contain the edits once it is whole lines: finding lines takes time.
        let near = |span: &Span| span.start <= edited.end && edited.start <= layout.line_end(span.end);
        let around = functions
            .filter(near)
            .map(lines)
            .filter(|lines| lines.contains(edited))
            .min_by_key(|lines| lines.end - lines.start);
        let statements = || self.module.statements.iter().map(|statement| statement.span).filter(near).map(lines);
        let whole = Span { start: 0, end: layout.text.len() };
        let around = around.or_else(|| statements().find(|lines| lines.contains(edited))).unwrap_or(whole);
        let Some(code) = apply_within(layout.text, edits, around) else { return false };
        // An indented function stands in some block; a class is one that says nothing about what surrounds it.
        let block = if code.starts_with([' ', '\t']) { "class _:\n" } else { "" };
        parse::compiles(&format!("{block}{code}"), None)
    }
}

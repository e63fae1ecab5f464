//! The tables of a JavaScript file for the search.

use std::collections::BTreeSet;

use super::idle;
use super::piece::{self, Piece};
use crate::edit::Edit;
use crate::javascript::module::{Module, Role};
use crate::search::tables::{Function, Named, Parameter, Spot, Tables};
use crate::search::tree::{Kind, Tree};
use crate::span::Span;

/// The tables of a module, with what else the search needs of it.
pub(super) struct ModuleTables<'a> {
    name: &'a str,
    text: &'a str,
    module: &'a Module,
    pieces: Vec<Piece>,
    /// Variables that nothing reads, by the number of their scope.
    idle: BTreeSet<(usize, &'a str)>,
}

impl<'a> ModuleTables<'a> {
    pub(super) fn new(name: &'a str, text: &'a str, module: &'a Module, tree: &Tree) -> Self {
        Self { name, text, module, pieces: piece::pieces(text, module), idle: idle::variables(text, module, tree) }
    }
}

/// Factor by which a variable that nothing reads is likelier to be meant: it was named for a purpose.
const IDLE: f64 = 4.0;

impl Tables for ModuleTables<'_> {
    fn line_of(&self, at: usize) -> u32 {
        self.module.line_of(at)
    }

    fn functions(&self) -> Vec<Function<'_>> {
        let declared = self.module.scopes.first().map(|scope| &scope.bindings);
        let functions = self.module.functions.iter().map(|function| Function {
            name: &function.name,
            span: function.span,
            parameters_span: function.parameters_span,
            parameters: function
                .parameters
                .iter()
                .map(|one| Parameter { name: &one.name, span: one.span, is_optional: one.is_optional, is_rest: false })
                .collect(),
            is_async: function.is_async,
            is_method: false,
            is_listed: declared.is_some_and(|names| names.contains_key(&function.name)),
        });
        functions.collect()
    }

    fn function_at(&self, at: usize) -> Option<usize> {
        self.module.functions.iter().rposition(|function| function.span.start <= at && at < function.span.end)
    }

    fn unused(&self) -> Vec<&str> {
        idle::functions(self.module)
    }

    fn keys(&self) -> Vec<&str> {
        self.module.words.iter().filter(|word| word.role == Role::Key).map(|word| word.text.as_str()).collect()
    }

    /// Those of an object are hard to tell from those of another.
    fn declared_members(&self) -> Vec<&str> {
        Vec::new()
    }

    fn own_members(&self, at: usize) -> Vec<&str> {
        let class = self.module.class_at(at).into_iter();
        let members = class.flat_map(|class| class.members.keys().map(String::as_str));
        members.filter(|member| *member != "constructor").collect()
    }

    fn scope(&self, _: Span, at: usize) -> usize {
        self.module.scope_at(at)
    }

    fn names(&self, spot: &Spot<'_>, scope: usize) -> Vec<Named<'_>> {
        let module = self.module;
        let head = spot.statement.head;
        let declared: Vec<Span> = match &spot.statement.kind {
            Kind::Declaration(declared) => declared.iter().map(|declarator| declarator.target).collect(),
            Kind::ForEach { target, .. } => vec![*target],
            _ => Vec::new(),
        };
        let own = spot.function;
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
                let is_idle = self.idle.contains(&(number, name.as_str()));
                let is_own = declared.iter().any(|target| target.contains(*binding));
                let is_later = is_near && binding.start >= head.end;
                // Functions and what is imported stand for themselves.
                let is_fixed = scope.parent.is_none()
                    && own.is_some()
                    && ((spot.uses)(name).is_called() || module.imported(name).is_some());
                let is_function = module.functions.iter().any(|function| function.name == *name);
                if !is_own && !is_later && !is_fixed && !is_function && seen.insert(name.as_str()) {
                    let nearness = if is_idle { nearness * IDLE } else { nearness };
                    names.push(Named { text: name, nearness, is_idle });
                }
            }
            current = scope.parent;
        }
        names
    }

    fn is_known(&self, spot: &Spot<'_>, name: &str) -> bool {
        let at = spot.statement.head.start;
        let is_function = || {
            let mut found = self.module.functions.iter().filter(|function| function.name == name);
            found.next().is_some() && found.next().is_none()
        };
        self.module.declaration(name, self.module.scope_at(at)).is_some_and(|place| {
            spot.function.is_none_or(|own| !own.contains(place)) || place.start < at || is_function()
        })
    }

    /// Always false: a declaration is no target of an assignment.
    fn is_only_binding(&self, _: Span, _: &str) -> bool {
        false
    }

    fn words(&self, piece: Span) -> Vec<Span> {
        let module = self.module;
        let first = module.words.partition_point(|word| word.span.start < piece.start);
        let inside = || module.words.iter().skip(first).take_while(|word| word.span.end <= piece.end);
        let is_own =
            |name: &str, scope: usize| module.declaration(name, scope).is_some_and(|place| piece.contains(place));
        let variables: Vec<&str> = inside()
            .filter(|word| word.role == Role::Use && word.is_bound && !is_own(&word.text, word.scope))
            .map(|word| word.span.text(self.text))
            .collect();
        let is_called_so = |role: Role| matches!(role, Role::Use | Role::Member | Role::Key);
        let found = inside().filter(|word| is_called_so(word.role) && variables.contains(&word.text.as_str()));
        found.map(|word| word.span).collect()
    }

    /// Nothing is known without parsing.
    fn allows(&self, _: &[Edit]) -> bool {
        true
    }

    fn parses(&self, edits: &[Edit]) -> bool {
        piece::parses(self.name, self.text, &self.pieces, edits)
    }
}

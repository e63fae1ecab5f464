//! The tables of a Rust file for the search.

use std::collections::BTreeSet;

use crate::edit::{Edit, apply_within};
use crate::rust::module::Module;
use crate::rust::syntax;
use crate::search::tables::{Function, Named, Parameter, Spot, Tables};
use crate::search::tree::Kind;
use crate::span::Span;

/// The tables of a module, with its text.
pub(super) struct ModuleTables<'a> {
    text: &'a str,
    module: &'a Module,
}

impl<'a> ModuleTables<'a> {
    pub(super) const fn new(text: &'a str, module: &'a Module) -> Self {
        Self { text, module }
    }

    fn uses_in(&self, span: Span, name: &str) -> usize {
        self.module.words.iter().filter(|word| span.contains(word.span) && word.text == name).count()
    }
}

/// Factor by which a variable that nothing reads is likelier to be meant.
const IDLE: f64 = 4.0;

impl Tables for ModuleTables<'_> {
    fn line_of(&self, at: usize) -> u32 {
        self.module.line_of(at)
    }

    fn functions(&self) -> Vec<Function<'_>> {
        let functions = self.module.functions.iter().map(|function| Function {
            name: &function.name,
            span: function.span,
            parameters_span: function.parameters_span,
            parameters: function
                .parameters
                .iter()
                .map(|one| Parameter { name: &one.text, span: one.span, is_optional: false, is_rest: false })
                .collect(),
            is_async: function.is_async,
            is_method: function.is_method,
            is_listed: !function.is_method,
        });
        functions.collect()
    }

    fn function_at(&self, at: usize) -> Option<usize> {
        self.module.functions.iter().rposition(|function| function.span.start <= at && at < function.span.end)
    }

    /// None: the other files are not known here, and may use each.
    fn unused(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Values are made by their types, and the compiler knows all fields.
    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }

    fn declared_members(&self) -> Vec<&str> {
        self.module.fields.iter().map(|field| field.text.as_str()).collect()
    }

    fn own_members(&self, _: usize) -> Vec<&str> {
        let methods = self.module.functions.iter().filter(|function| function.is_method);
        self.declared_members().into_iter().chain(methods.map(|function| function.name.as_str())).collect()
    }

    /// The number of the function, from 1; 0 for the file.
    fn scope(&self, _: Span, at: usize) -> usize {
        self.function_at(at).map_or(0, |number| number + 1)
    }

    fn names(&self, spot: &Spot<'_>, scope: usize) -> Vec<Named<'_>> {
        let Some(function) = scope.checked_sub(1).and_then(|number| self.module.functions.get(number)) else {
            return Vec::new();
        };
        let head = spot.statement.head;
        let declared: Vec<Span> = match &spot.statement.kind {
            Kind::Declaration(declared) => declared.iter().map(|declarator| declarator.target).collect(),
            Kind::ForEach { target, .. } => vec![*target],
            _ => Vec::new(),
        };
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        for binding in self.module.bindings.iter().filter(|binding| function.span.contains(binding.word.span)) {
            let place = binding.word.span;
            let is_visible =
                place.start < head.end && binding.visible.start <= head.start && head.start < binding.visible.end;
            let is_own = declared.iter().any(|target| target.contains(place));
            if is_visible && !is_own && seen.insert(binding.word.text.as_str()) {
                let is_idle = self.uses_in(function.span, &binding.word.text) == 1;
                names.push(Named { text: &binding.word.text, nearness: if is_idle { IDLE } else { 1.0 }, is_idle });
            }
        }
        names
    }

    fn is_known(&self, spot: &Spot<'_>, name: &str) -> bool {
        let at = spot.statement.head.start;
        let is_bound = self.module.bindings.iter().any(|binding| {
            binding.word.text == name
                && binding.word.span.start < at
                && binding.visible.start <= at
                && at < binding.visible.end
        });
        is_bound
            || self.module.functions.iter().any(|function| function.name == name)
            || self.module.definitions.iter().any(|definition| definition.name == name)
    }

    /// Always false: a declaration is not the target of an assignment.
    fn is_only_binding(&self, _: Span, _: &str) -> bool {
        false
    }

    fn words(&self, piece: Span) -> Vec<Span> {
        let bindings = &self.module.bindings;
        let outside: BTreeSet<&str> = bindings
            .iter()
            .filter(|binding| !piece.contains(binding.word.span) && binding.visible.start <= piece.start)
            .map(|binding| binding.word.text.as_str())
            .collect();
        let inside = self.module.words.iter().filter(|word| piece.contains(word.span));
        inside.filter(|word| outside.contains(word.text.as_str())).map(|word| word.span).collect()
    }

    fn allows(&self, _: &[Edit]) -> bool {
        true
    }

    /// The function around the edits is parsed alone, as in the `impl` that it may belong to.
    fn parses(&self, edits: &[Edit]) -> bool {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
        let mut around = self
            .module
            .functions
            .iter()
            .filter(|function| function.span.start <= first.start && last.end <= function.span.end);
        // A nested function comes behind the one around it.
        let part = around.next_back().map_or(Span { start: 0, end: self.text.len() }, |function| function.span);
        let is_whole = part.end - part.start == self.text.len();
        let edited = apply_within(self.text, edits, part);
        edited.is_some_and(|edited| syntax::parses(&if is_whole { edited } else { format!("impl X {{ {edited}\n}}") }))
    }
}

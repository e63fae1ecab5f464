//! Contents of one JavaScript or TypeScript file with their positions, as flat tables. The fixers look things
//! up here instead of walking the tree.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::span::Span;

/// Role of an identifier at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A variable that is used.
    Use,
    /// A variable, parameter, function, class or import at its declaration.
    Binding,
    /// Member of a value: `name` in `value.name`.
    Member,
    /// `name` in `{ name: ... }`, in a class body, in a pattern, or where a member is assigned.
    Key,
}

/// Identifier at one position of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Position of the word.
    pub span: Span,
    /// Spelling of the word.
    pub text: String,
    /// Role of the word at its position.
    pub role: Role,
    /// Number of the scope that contains the word.
    pub scope: usize,
    /// True if the file declares the variable that is used; true for all roles other than a use.
    pub is_bound: bool,
}

/// A scope and the names declared in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// Span of the scope's text.
    pub span: Span,
    /// Number of the enclosing scope.
    pub parent: Option<usize>,
    /// Declared names, with the positions of their declarations.
    pub bindings: BTreeMap<String, Span>,
}

/// A function, method or arrow function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Name that it is declared as or assigned to; empty if unknown.
    pub name: String,
    /// Span of the whole function.
    pub span: Span,
    /// The parameters with their parentheses, as far as there are some.
    pub parameters_span: Span,
    /// The parameters' text, in order.
    pub parameters: Vec<Parameter>,
    /// True if it accepts any number of arguments.
    pub has_rest: bool,
    /// True for an `async` function.
    pub is_async: bool,
    /// True if it is a generator.
    pub is_generator: bool,
    /// The statements of its body, nested blocks not included; of an arrow function without braces its expression.
    pub body: Vec<Span>,
    /// Span of its braces; `None` for an arrow function without braces.
    pub braces: Option<Span>,
    /// True if some `return` in it has a value.
    pub returns_value: bool,
    /// True if its own text contains `arguments`.
    pub uses_arguments: bool,
}

/// Parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the parameter; empty for a pattern.
    pub name: String,
    /// Span of the whole parameter.
    pub span: Span,
    /// True if it may be omitted.
    pub is_optional: bool,
}

/// Class declaration or class expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Name of the class; empty for an anonymous class.
    pub name: String,
    /// Span of the whole class.
    pub span: Span,
    /// Methods, fields, and members that its methods assign to `this`, with their positions.
    pub members: BTreeMap<String, Vec<Span>>,
}

/// A call, `new` included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Span of the whole call.
    pub span: Span,
    /// Expression that is called.
    pub callee: Span,
    /// The arguments in order.
    pub arguments: Vec<Span>,
    /// Between and with the parentheses; empty for `new X`.
    pub parentheses: Span,
    /// True for a call with `new`.
    pub is_new: bool,
    /// True if it follows `await` or is returned.
    pub is_awaited: bool,
}

/// Form in which a name is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportKind {
    /// `import { name }`, `const { name } = require()`.
    Named,
    /// Default export: `import name`.
    Default,
    /// `import * as name`, `const name = require()`.
    Whole,
}

/// A name that an import brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    /// Form of the import.
    pub kind: ImportKind,
    /// Name in the other module; the local name for the other kinds.
    pub name: String,
    /// Position of that name.
    pub span: Span,
    /// Local name in the importing file.
    pub local: String,
    /// All of the specifier: `name as other`.
    pub whole: Span,
}

/// An import, a `require` or a re-export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module as written.
    pub specifier: String,
    /// Position of the specifier, without its quotes.
    pub specifier_span: Span,
    /// Span of the whole statement, or of the call if it is not a statement of its own.
    pub span: Span,
    /// The names it brings.
    pub names: Vec<ImportedName>,
    /// `require` instead of `import`.
    pub is_require: bool,
    /// True for a re-export: `export ... from`.
    pub is_export: bool,
    /// True for an `import type`.
    pub is_type: bool,
    /// True if the statement is at top level and declares nothing else.
    pub is_statement: bool,
}

/// Exports of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exports {
    /// Exported names, with their positions.
    pub names: BTreeMap<String, Span>,
    /// Position of the `export default`; `None` if the file has no default export.
    pub default: Option<Span>,
    /// Span of the value assigned in `module.exports = ...`.
    pub whole: Option<Span>,
    /// Modules whose exports are all passed on.
    pub stars: BTreeSet<String>,
}

/// Contents of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// Every identifier, by place.
    pub words: Vec<Word>,
    /// The scopes; the first is the file's.
    pub scopes: Vec<Scope>,
    /// Functions, outer ones first.
    pub functions: Vec<Function>,
    /// Classes of the file.
    pub classes: Vec<Class>,
    /// Calls in the file, `new` included.
    pub calls: Vec<Call>,
    /// Imports, in order of the text.
    pub imports: Vec<Import>,
    /// Exports of the file.
    pub exports: Exports,
    /// Statements at top level.
    pub statements: Vec<Span>,
    /// Statements that are an expression, wherever they stand.
    pub expressions: Vec<Span>,
    /// True if it is a module rather than a script.
    pub is_module: bool,
    /// First byte of each line.
    pub(super) line_starts: Vec<usize>,
}

impl Module {
    /// The line, from 1, that a byte stands in.
    pub fn line_of(&self, at: usize) -> u32 {
        u32::try_from(self.line_starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX).max(1)
    }

    /// The innermost scope around a byte.
    pub fn scope_at(&self, at: usize) -> usize {
        let around = self.scopes.iter().enumerate().filter(|(_, scope)| scope.span.start <= at && at < scope.span.end);
        let innermost = around.min_by_key(|(number, scope)| (scope.span.end - scope.span.start, Reverse(*number)));
        innermost.map_or(0, |(number, _)| number)
    }

    /// The byte at which a line begins, from 1.
    pub fn line_start(&self, line: u32) -> Option<usize> {
        self.line_starts.get(usize::try_from(line).ok()?.checked_sub(1)?).copied()
    }

    /// The place of a line without what ends it.
    pub fn line_span(&self, text: &str, line: u32) -> Option<Span> {
        let start = self.line_start(line)?;
        let length = text.get(start..)?.find('\n').unwrap_or(text.len() - start);
        Some(Span { start, end: start + length })
    }

    /// Returns the end of the statement that contains the byte `at`, as far as
    /// it is known; at most a few lines further.
    pub(crate) fn statement_end(&self, text: &str, at: usize) -> usize {
        const MAX_LINES: usize = 6;
        let rest = text.get(at..).unwrap_or_default();
        let lines: usize = rest.split_inclusive('\n').take(MAX_LINES).map(str::len).sum();
        let bodies = self.functions.iter().flat_map(|function| &function.body);
        let around = bodies.chain(&self.statements).filter(|span| span.start <= at && at < span.end);
        let end = around.min_by_key(|span| span.end - span.start).map_or(text.len(), |span| span.end);
        // Nested statements are not known: one that ends with a semicolon ends there.
        let semicolon = rest.find(";\n").map_or(text.len(), |length| at + length);
        end.min(at + lines).min(semicolon)
    }

    /// Returns whether anything calls the name itself: a namespace (`import * as name`) is never callable.
    pub(crate) fn calls_name(&self, text: &str, name: &str) -> bool {
        self.calls.iter().any(|call| call.callee.text(text) == name)
    }

    /// The innermost function around a byte.
    pub fn function_at(&self, at: usize) -> Option<&Function> {
        self.functions.iter().rfind(|function| function.span.start <= at && at < function.span.end)
    }

    /// The innermost class around a byte.
    pub fn class_at(&self, at: usize) -> Option<&Class> {
        let around = self.classes.iter().filter(|class| class.span.start <= at && at < class.span.end);
        around.min_by_key(|class| class.span.end - class.span.start)
    }

    /// The names that can be seen from a scope, and how many scopes away they are declared.
    pub fn visible(&self, scope: usize) -> BTreeMap<&str, usize> {
        let mut names = BTreeMap::new();
        let (mut current, mut distance) = (Some(scope), 0);
        while let Some(found) = current.and_then(|index| self.scopes.get(index)) {
            for name in found.bindings.keys() {
                names.entry(name.as_str()).or_insert(distance);
            }
            current = found.parent.filter(|parent| Some(*parent) != current);
            distance += 1;
        }
        names
    }

    /// Returns the position where a name that is visible from a scope is declared.
    pub fn declaration(&self, name: &str, scope: usize) -> Option<Span> {
        let mut current = Some(scope);
        while let Some(found) = current.and_then(|index| self.scopes.get(index)) {
            if let Some(span) = found.bindings.get(name) {
                return Some(*span);
            }
            current = found.parent;
        }
        None
    }

    /// The name of an import that is called `local` here.
    pub fn imported(&self, local: &str) -> Option<(&Import, &ImportedName)> {
        self.imports.iter().find_map(|import| Some((import, import.names.iter().find(|name| name.local == local)?)))
    }
}

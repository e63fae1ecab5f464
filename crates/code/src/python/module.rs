//! What stands where in one Python file, as flat tables: words, scopes, definitions, imports, calls, expressions. The
//! fixers look things up here instead of walking the tree again.

use std::collections::{BTreeMap, BTreeSet};

use super::reader;

pub use crate::span::Span;

/// What an identifier does where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A variable that is read.
    Load,
    /// A variable that is bound or deleted.
    Store,
    /// `name` in `value.name`, read.
    Attribute,
    /// `name` in `value.name = ...`.
    AttributeStore,
    /// `name` in `f(name=...)`.
    Keyword,
    /// A parameter of a function or lambda.
    Parameter,
    /// The name of a function at its `def`.
    Function,
    /// The name of a class at its `class`.
    Class,
    /// A module in an import statement.
    Module,
    /// A name in `from module import name`.
    Imported,
    /// The name after `as` in an import.
    Alias,
    /// In a `global` or `nonlocal` statement.
    Declared,
}

/// An identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// Its spelling; of a module, the dotted name.
    pub text: String,
    /// What it does there.
    pub role: Role,
    /// The scope it stands in.
    pub scope: usize,
}

/// What opens a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The file.
    Module,
    /// A class, by its number.
    Class(usize),
    /// A function, by its number.
    Function(usize),
}

/// A scope and the names bound in it; what comprehensions and lambdas bind counts to the scope around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// What opens it.
    pub kind: ScopeKind,
    /// Its text.
    pub span: Span,
    /// The scope around it.
    pub parent: Option<usize>,
    /// Bound names, and where.
    pub bindings: BTreeMap<String, Vec<Span>>,
}

/// How a parameter takes its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// By place or by name.
    Positional,
    /// `*args`.
    Rest,
    /// By name only.
    KeywordOnly,
    /// `**kwargs`.
    Keywords,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The name's place.
    pub name_span: Span,
    /// Annotation and default included.
    pub span: Span,
    /// How it takes its argument.
    pub kind: ParameterKind,
    /// The default's place.
    pub default: Option<Span>,
}

/// A function or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The name's place.
    pub name_span: Span,
    /// Decorators included.
    pub span: Span,
    /// `def` to the end.
    pub definition: Span,
    /// Between the parentheses.
    pub parameters_span: Span,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// The decorators' expressions.
    pub decorators: Vec<Span>,
    /// The class it is a method of.
    pub class: Option<usize>,
    /// Its own scope.
    pub scope: usize,
    /// The statements of its body, nested blocks not included.
    pub body: Vec<Span>,
    /// Whether some `return` in it has a value.
    pub returns_value: bool,
    /// Whether it yields.
    pub is_generator: bool,
    /// `async def`.
    pub is_async: bool,
    /// Expression statements at the end of some way through it: where a `return` may have been lost.
    pub tails: Vec<Span>,
}

/// A class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The name's place.
    pub name_span: Span,
    /// All of it.
    pub span: Span,
    /// The bases as written.
    pub bases: Vec<String>,
    /// What its body and its methods (`self.x = ...`) bind, and where.
    pub attributes: BTreeMap<String, Vec<Span>>,
}

/// One name of an import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    /// The name as imported; `*` for everything; for `import a.b` the module.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// The name after `as`.
    pub alias: Option<(String, Span)>,
}

impl ImportedName {
    /// The name it binds.
    pub fn bound(&self) -> &str {
        match &self.alias {
            Some((alias, _)) => alias,
            None => self.name.split('.').next().unwrap_or_default(),
        }
    }
}

/// An import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// All of it.
    pub span: Span,
    /// `None`: `import a, b`; else the module of `from module import ...`, empty for `from . import ...`.
    pub from: Option<String>,
    /// The module's place, dots not included.
    pub from_span: Option<Span>,
    /// The leading dots.
    pub level: u32,
    /// The names.
    pub names: Vec<ImportedName>,
    /// Whether it stands at the top level of the file.
    pub is_top_level: bool,
}

/// One argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// All of it.
    pub span: Span,
    /// The keyword and its place.
    pub keyword: Option<(String, Span)>,
    /// The value's place.
    pub value: Span,
    /// `*a` or `**k`.
    pub is_starred: bool,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// All of it.
    pub span: Span,
    /// What is called.
    pub callee: Span,
    /// The last name of what is called.
    pub name: String,
    /// From `(` to `)`.
    pub parentheses: Span,
    /// In order of the text.
    pub arguments: Vec<Argument>,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A variable.
    Name,
    /// `value.name`.
    Attribute {
        /// Before the dot.
        value: Span,
        /// After the dot.
        name: Span,
    },
    /// A call, by its number.
    Call(usize),
    /// `value[index]`.
    Subscript {
        /// Before the bracket.
        value: Span,
        /// In the brackets.
        index: Span,
    },
    /// `left operator right`, comparisons and `and`/`or` of two included.
    Binary {
        /// Left of the operator.
        left: Span,
        /// Right of it.
        right: Span,
    },
    /// A string literal.
    Text,
    /// A number literal.
    Number,
    /// A tuple and its elements.
    Tuple(Vec<Span>),
    /// A list, set or dict display, or a comprehension.
    Display,
    /// Anything else.
    Other,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// All of it, without parentheses around it.
    pub span: Span,
    /// What it is.
    pub shape: Shape,
}

/// What a statement is, as far as fixers ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// An expression alone.
    Expression,
    /// `target = value`, the last target when there are several.
    Assign {
        /// Left.
        target: Span,
        /// Right.
        value: Span,
    },
    /// `return value`.
    Return {
        /// The value.
        value: Option<Span>,
    },
    /// `for target in iterable`.
    For {
        /// After `for`.
        target: Span,
        /// After `in`.
        iterable: Span,
    },
    /// Anything else.
    Other,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// All of it, nested blocks included.
    pub span: Span,
    /// What it is.
    pub kind: StatementKind,
}

/// What stands where in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// Every identifier, in order of the text.
    pub words: Vec<Word>,
    /// Every scope; the first is the module's.
    pub scopes: Vec<Scope>,
    /// Every function.
    pub functions: Vec<Function>,
    /// Every class.
    pub classes: Vec<Class>,
    /// Every import statement.
    pub imports: Vec<Import>,
    /// Every call.
    pub calls: Vec<Call>,
    /// Every expression, outer before inner.
    pub expressions: Vec<Expression>,
    /// Every statement, outer before inner.
    pub statements: Vec<Statement>,
    /// What `__all__` lists.
    pub all: BTreeSet<String>,
    pub(super) line_starts: Vec<usize>,
}

impl Module {
    /// Reads a file; of one that does not parse, what could be recovered.
    pub fn read(text: &str) -> Self {
        reader::read(text)
    }

    /// The line, from 1, that a byte stands in.
    pub fn line_of(&self, at: usize) -> u32 {
        u32::try_from(self.line_starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX).max(1)
    }

    /// The text of a line from 1, its end included.
    pub fn line_span(&self, line: u32) -> Option<Span> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).copied().or_else(|| self.scopes.first().map(|scope| scope.span.end));
        Some(Span { start, end: end.unwrap_or(start).max(start) })
    }

    /// The innermost scope around a byte.
    pub fn scope_at(&self, at: usize) -> usize {
        self.scopes
            .iter()
            .enumerate()
            .filter(|(_, scope)| scope.span.start <= at && at < scope.span.end)
            .min_by_key(|(index, scope)| (scope.span.end - scope.span.start, std::cmp::Reverse(*index)))
            .map_or(0, |(index, _)| index)
    }

    /// The names that can be seen from a scope, with how many scopes away each is bound; builtins not included.
    pub fn visible(&self, scope: usize) -> BTreeMap<&str, usize> {
        let mut names = BTreeMap::new();
        let (mut current, mut distance) = (Some(scope), 0);
        while let Some(scope) = current.and_then(|index| self.scopes.get(index)) {
            let is_hidden_class = matches!(scope.kind, ScopeKind::Class(_)) && distance > 0;
            if !is_hidden_class {
                for name in scope.bindings.keys() {
                    names.entry(name.as_str()).or_insert(distance);
                }
            }
            current = scope.parent;
            distance += 1;
        }
        names
    }

    /// The scope that `name` is bound in, seen from `scope`.
    pub fn binding_scope(&self, name: &str, scope: usize) -> Option<usize> {
        let (mut current, mut is_first) = (Some(scope), true);
        while let Some(index) = current {
            let scope = self.scopes.get(index)?;
            if scope.bindings.contains_key(name) && (is_first || !matches!(scope.kind, ScopeKind::Class(_))) {
                return Some(index);
            }
            current = scope.parent;
            is_first = false;
        }
        None
    }

    /// The function around a byte.
    pub fn function_at(&self, at: usize) -> Option<&Function> {
        let mut current = Some(self.scope_at(at));
        while let Some(scope) = current.and_then(|index| self.scopes.get(index)) {
            if let ScopeKind::Function(number) = scope.kind {
                return self.functions.get(number);
            }
            current = scope.parent;
        }
        None
    }

    /// The class around a byte, whatever stands between.
    pub fn class_at(&self, at: usize) -> Option<&Class> {
        let inside = self.classes.iter().filter(|class| class.span.start <= at && at < class.span.end);
        inside.min_by_key(|class| class.span.end - class.span.start)
    }

    /// The innermost statement that begins before and ends after the line's first visible character; for a compound
    /// statement, its head.
    pub fn statement_at(&self, text: &str, line: u32) -> Option<Span> {
        let span = self.line_span(line)?;
        let indent = span.text(text).len() - span.text(text).trim_start().len();
        let at = span.start + indent;
        let innermost = self
            .statements
            .iter()
            .filter(|statement| statement.span.start <= at && at < statement.span.end)
            .min_by_key(|statement| statement.span.end - statement.span.start)?;
        let head_end = self
            .statements
            .iter()
            .filter(|inner| innermost.span.contains(inner.span) && inner.span != innermost.span)
            .map(|inner| inner.span.start)
            .min();
        Some(Span { start: innermost.span.start, end: head_end.unwrap_or(innermost.span.end) })
    }
}

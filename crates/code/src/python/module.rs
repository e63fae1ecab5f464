//! Contents of one Python file, as flat tables: words, scopes, definitions, imports, calls, expressions. The fixers look things
//! up here instead of walking the tree again.

use std::collections::{BTreeMap, BTreeSet};

pub use crate::span::Span;

/// Role of an identifier at its position.
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
    /// Keyword of an argument: `name` in `f(name=...)`.
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
    /// A name in a `global` or `nonlocal` statement.
    Declared,
}

/// Identifier at one position of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Position in the text.
    pub span: Span,
    /// Spelling of the identifier; for a module, the dotted name.
    pub text: String,
    /// Role of the identifier at that position.
    pub role: Role,
    /// Number of the scope that contains it.
    pub scope: usize,
}

/// Construct that opens a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The file itself.
    Module,
    /// A class, by its number.
    Class(usize),
    /// A function, by its number.
    Function(usize),
}

/// A scope and the names bound in it; what comprehensions and lambdas bind counts to the scope around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Construct that opens the scope.
    pub kind: ScopeKind,
    /// Span of the scope's text.
    pub span: Span,
    /// Number of the enclosing scope; `None` for the file.
    pub parent: Option<usize>,
    /// Bound names, with the positions of their bindings.
    pub bindings: BTreeMap<String, Vec<Span>>,
}

/// Kind of a parameter: how it accepts its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Parameter that accepts its argument by position or by name.
    Positional,
    /// Parameter for all other positional arguments: `*args`.
    Rest,
    /// Parameter that accepts its argument by name only.
    KeywordOnly,
    /// Parameter for all other keyword arguments: `**kwargs`.
    Keywords,
}

/// Parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: String,
    /// Span of the name.
    pub name_span: Span,
    /// Span of the parameter, with its annotation and default.
    pub span: Span,
    /// Kind of the parameter.
    pub kind: ParameterKind,
    /// Span of the default; `None` if the parameter is required.
    pub default: Option<Span>,
}

/// A function or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Span of the name.
    pub name_span: Span,
    /// Span of the function, decorators included.
    pub span: Span,
    /// Span of the function from `def` to its end.
    pub definition: Span,
    /// Span of the text between the parentheses.
    pub parameters_span: Span,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// Spans of the decorators' expressions.
    pub decorators: Vec<Span>,
    /// Number of the class that it is a method of.
    pub class: Option<usize>,
    /// Number of the function's own scope.
    pub scope: usize,
    /// The statements of its body, nested blocks not included.
    pub body: Vec<Span>,
    /// True if a `return` in it has a value.
    pub returns_value: bool,
    /// True if it yields.
    pub is_generator: bool,
    /// True for an `async def`.
    pub is_async: bool,
    /// Expression statements at the end of some way through it: where a `return` may have been lost.
    pub tails: Vec<Span>,
}

/// Class definition with its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Name of the class.
    pub name: String,
    /// Span of the name.
    pub name_span: Span,
    /// Span of the whole class.
    pub span: Span,
    /// The bases as written.
    pub bases: Vec<String>,
    /// Names that its body and its methods (`self.x = ...`) bind, with the positions of the bindings.
    pub attributes: BTreeMap<String, Vec<Span>>,
}

/// One name of an import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    /// The name as imported; `*` for everything; for `import a.b` the module.
    pub name: String,
    /// Span of the name.
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

/// Import statement with its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Span of the whole statement.
    pub span: Span,
    /// `None`: `import a, b`; else the module of `from module import ...`, empty for `from . import ...`.
    pub from: Option<String>,
    /// Span of the module's name, without the leading dots.
    pub from_span: Option<Span>,
    /// Number of leading dots.
    pub level: u32,
    /// Names that the statement imports.
    pub names: Vec<ImportedName>,
    /// True if it stands at the top level of the file.
    pub is_top_level: bool,
}

/// One argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Span of the argument, keyword included.
    pub span: Span,
    /// Keyword and its span; `None` for a positional argument.
    pub keyword: Option<(String, Span)>,
    /// Span of the value.
    pub value: Span,
    /// True for `*a` and `**k`.
    pub is_starred: bool,
}

/// Call with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Span of the whole call.
    pub span: Span,
    /// Expression that is called.
    pub callee: Span,
    /// Last name of the callee.
    pub name: String,
    /// Span from `(` to `)`.
    pub parentheses: Span,
    /// Arguments, in order of the text.
    pub arguments: Vec<Argument>,
}

/// Form of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Name of a variable.
    Name,
    /// Attribute of a value: `value.name`.
    Attribute {
        /// Span before the dot.
        value: Span,
        /// Span after the dot.
        name: Span,
    },
    /// A call, by its number.
    Call(usize),
    /// Subscript of a value: `value[index]`.
    Subscript {
        /// Span before the bracket.
        value: Span,
        /// Span inside the brackets.
        index: Span,
    },
    /// `left operator right`, comparisons and `and`/`or` of two included.
    Binary {
        /// Span left of the operator.
        left: Span,
        /// Span right of the operator.
        right: Span,
    },
    /// String literal, of any kind.
    Text,
    /// Number literal, of any kind.
    Number,
    /// A tuple and its elements.
    Tuple(Vec<Span>),
    /// A list, set or dict display, or a comprehension.
    Display,
    /// Any other expression.
    Other,
}

/// Expression with its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// Span of the expression, without parentheses around it.
    pub span: Span,
    /// Form of the expression.
    pub shape: Shape,
}

/// Kind of a statement, as far as fixers need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// Statement that consists of an expression.
    Expression,
    /// `target = value`, the last target when there are several.
    Assign {
        /// Span left of the `=`.
        target: Span,
        /// Span right of the `=`.
        value: Span,
    },
    /// Return statement: `return value`.
    Return {
        /// Span of the value; `None` for a bare `return`.
        value: Option<Span>,
    },
    /// `for target in iterable`.
    For {
        /// Span of the loop variable, after `for`.
        target: Span,
        /// Span of the value that is iterated over, after `in`.
        iterable: Span,
    },
    /// Any other statement.
    Other,
}

/// Statement with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Span of the statement, nested blocks included.
    pub span: Span,
    /// Kind of the statement.
    pub kind: StatementKind,
}

/// Contents of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// Every identifier, in order of the text.
    pub words: Vec<Word>,
    /// Every scope; the first is the module's.
    pub scopes: Vec<Scope>,
    /// All functions and methods.
    pub functions: Vec<Function>,
    /// All classes, at any level.
    pub classes: Vec<Class>,
    /// All import statements, at any level.
    pub imports: Vec<Import>,
    /// All calls in the file.
    pub calls: Vec<Call>,
    /// Every expression, outer before inner.
    pub expressions: Vec<Expression>,
    /// Every statement, outer before inner.
    pub statements: Vec<Statement>,
    /// Names that `__all__` lists.
    pub all: BTreeSet<String>,
    pub(super) line_starts: Vec<usize>,
}

impl Module {
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

    /// The assignments: target and value.
    pub fn assignments(&self) -> impl Iterator<Item = (Span, Span)> {
        self.statements.iter().filter_map(|statement| match statement.kind {
            StatementKind::Assign { target, value } => Some((target, value)),
            StatementKind::Expression
            | StatementKind::Return { .. }
            | StatementKind::For { .. }
            | StatementKind::Other => None,
        })
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

    /// Returns the innermost class around a byte, whatever lies between.
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

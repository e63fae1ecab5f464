//! The expressions and statements of a file as flat tables: what operators of JavaScript look at. They outlive the parser's own tree.

use crate::span::Span;

/// What an expression is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Its truth decides.
    Condition,
    /// It is called.
    Callee,
    /// It is gone through.
    Iterable,
    /// In brackets after a value.
    Index,
    /// It says where a piece of a text or an array begins or ends.
    Bound,
    /// It is assigned to.
    Target,
    /// `name` in `{ name }`.
    Shorthand,
    /// Anything else.
    Value,
}

/// What an expression is. Operands are given with the brackets around them.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A variable.
    Name,
    /// `this`.
    This,
    /// A number and its value.
    Number(f64),
    /// A string in quotes.
    Text,
    /// A template: its pieces of text.
    Template(Vec<Span>),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
    /// A regular expression: between the slashes, and the flags.
    Pattern { body: Span, flags: Span },
    /// `left + right`, comparisons, `in` and `instanceof` included.
    Binary { left: Span, right: Span, operator: &'static str },
    /// `left && right`, `||`, `??`.
    Logical { left: Span, right: Span, operator: &'static str },
    /// `!operand`, `-operand`, `typeof operand`.
    Unary { operator: &'static str, operand: Span },
    /// `i++`.
    Update { operator: &'static str, is_prefix: bool, operand: Span },
    /// `target = value`, `target += value`.
    Assign { target: Span, operator: &'static str, value: Span },
    /// `test ? yes : no`.
    Choice { test: Span, yes: Span, no: Span },
    /// `callee(arguments)`; `name`: the last name of what is called; `open`: where the bracket stands.
    Call { callee: Span, name: Span, arguments: Vec<Span>, open: Option<usize>, is_new: bool },
    /// `object.name`.
    Member { object: Span, name: Span, is_optional: bool },
    /// `object[index]`.
    Index { object: Span, index: Span },
    /// `[a, b]`.
    Array(Vec<Span>),
    /// `{ key: value }`, without shorthands, methods and what is spread.
    Object { entries: Vec<(Span, Span)>, is_empty: bool },
    /// A function as a value; of an arrow function without braces, what it gives.
    Function { gives: Option<Span> },
    /// `await operand`.
    Await(Span),
    /// The key of a pattern: `key` in `{ key: name }`, or in `{ key }`.
    Key { is_shorthand: bool },
    /// Anything else.
    Other,
}

/// An expression where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Without brackets around it.
    pub(super) span: Span,
    pub(super) shape: Shape,
    pub(super) parent: Option<usize>,
    pub(super) place: Place,
}

/// A name, a pattern or the like that gets a value where it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declarator {
    /// What is declared.
    pub(super) target: Span,
    /// Whether that is one name.
    pub(super) is_name: bool,
    pub(super) value: Option<Span>,
}

/// What a statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// An expression alone.
    Expression(Span),
    /// `const`, `let`, `var`.
    Declaration(Vec<Declarator>),
    /// `return value`.
    Return(Option<Span>),
    Throw,
    Break,
    Continue,
    If {
        test: Span,
        yes: Span,
        no: Option<Span>,
    },
    While(Span),
    DoWhile(Span),
    /// `for (;;)`: what it declares.
    For {
        declared: Vec<Declarator>,
        test: Option<Span>,
    },
    /// `for (x of xs)`, `for (x in xs)`.
    ForEach {
        is_of: bool,
        target: Span,
        iterable: Span,
    },
    Case,
    /// A function, a class.
    Definition,
    /// Anything else.
    Other,
}

impl Kind {
    pub(super) const fn is_loop(&self) -> bool {
        matches!(self, Self::While(_) | Self::DoWhile(_) | Self::For { .. } | Self::ForEach { .. })
    }

    /// Whether it leaves its block.
    pub(super) const fn is_jump(&self) -> bool {
        matches!(self, Self::Return(_) | Self::Throw | Self::Break | Self::Continue)
    }
}

/// A list of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// With its braces; of a file and a `case` all of it.
    pub(super) span: Span,
    /// Numbers of statements, in order.
    pub(super) statements: Vec<usize>,
    /// The statement that it belongs to; `None`: the file.
    pub(super) owner: Option<usize>,
    /// Whether it is the body of a function.
    pub(super) is_body: bool,
    pub(super) has_braces: bool,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) span: Span,
    pub(super) kind: Kind,
    /// From the first byte to where its first block or statement begins.
    pub(super) head: Span,
    /// The list that it stands in; `None`: it is the body of a statement, without braces.
    pub(super) block: Option<usize>,
    pub(super) is_in_loop: bool,
    pub(super) is_in_function: bool,
    /// Numbers of the expressions of its own, outer before inner.
    pub(super) nodes: Vec<usize>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// In order of the text.
    pub(super) statements: Vec<Statement>,
    pub(super) blocks: Vec<Block>,
}

//! Expressions and statements of a file as flat tables, which the operators of JavaScript read. They outlive
//! the parser's own tree.

use crate::span::Span;

/// Role of an expression in its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Condition: its truth decides which code runs.
    Condition,
    /// Expression that is called.
    Callee,
    /// Value that a loop iterates over.
    Iterable,
    /// Index in brackets after a value.
    Index,
    /// Start or end of a piece of a text or an array.
    Bound,
    /// Target of an assignment.
    Target,
    /// Shorthand: `name` in `{ name }`.
    Shorthand,
    /// Any other value.
    Value,
}

/// Form of an expression. The spans of operands include the brackets around them.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Name of a variable.
    Name,
    /// The keyword `this`.
    This,
    /// A number and its value.
    Number(f64),
    /// A string in quotes.
    Text,
    /// A template: its pieces of text.
    Template(Vec<Span>),
    /// The literal `true` or `false`.
    Boolean(bool),
    /// The literal `null`.
    Null,
    /// A regular expression: between the slashes, and the flags.
    Pattern { body: Span, flags: Span },
    /// `left + right`, comparisons, `in` and `instanceof` included.
    Binary { left: Span, right: Span, operator: &'static str },
    /// `left && right`, `||`, `??`.
    Logical { left: Span, right: Span, operator: &'static str },
    /// `!operand`, `-operand`, `typeof operand`.
    Unary { operator: &'static str, operand: Span },
    /// Increment or decrement: `i++`, `--i`.
    Update { operator: &'static str, is_prefix: bool, operand: Span },
    /// `target = value`, `target += value`.
    Assign { target: Span, operator: &'static str, value: Span },
    /// `test ? yes : no`.
    Choice { test: Span, yes: Span, no: Span },
    /// `callee(arguments)`; `name`: the last name of the callee; `open`: position of the bracket.
    Call { callee: Span, name: Span, arguments: Vec<Span>, open: Option<usize>, is_new: bool },
    /// Member access: `object.name`, `object?.name`.
    Member { object: Span, name: Span, is_optional: bool },
    /// Access by index: `object[index]`.
    Index { object: Span, index: Span },
    /// Array literal with its elements: `[a, b]`.
    Array(Vec<Span>),
    /// `{ key: value }`, without shorthands, methods and spread values.
    Object { entries: Vec<(Span, Span)>, is_empty: bool },
    /// A function as a value; `gives` is the result of an arrow function without braces.
    Function { gives: Option<Span> },
    /// Operand of an `await`.
    Await(Span),
    /// The key of a pattern: `key` in `{ key: name }`, or in `{ key }`.
    Key { is_shorthand: bool },
    /// Any other expression.
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
    /// Name or pattern that is declared.
    pub(super) target: Span,
    /// True if the target is a single name.
    pub(super) is_name: bool,
    pub(super) value: Option<Span>,
}

/// Kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Statement that consists of an expression.
    Expression(Span),
    /// Declaration with `const`, `let` or `var`.
    Declaration(Vec<Declarator>),
    /// A `return`, with its value.
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
    /// Any other statement.
    Other,
}

impl Kind {
    pub(super) const fn is_loop(&self) -> bool {
        matches!(self, Self::While(_) | Self::DoWhile(_) | Self::For { .. } | Self::ForEach { .. })
    }

    /// Returns whether it leaves its block.
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
    /// True if it is the body of a function.
    pub(super) is_body: bool,
    pub(super) has_braces: bool,
}

/// A statement with its block and its expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) span: Span,
    pub(super) kind: Kind,
    /// Span from the first byte to the start of its first block or statement.
    pub(super) head: Span,
    /// The list that it stands in; `None`: it is the body of a statement, without braces.
    pub(super) block: Option<usize>,
    pub(super) is_in_loop: bool,
    pub(super) is_in_function: bool,
    /// Numbers of the expressions of its own, outer before inner.
    pub(super) nodes: Vec<usize>,
}

/// Expressions, statements and blocks of one file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Statements, in order of the text.
    pub(super) statements: Vec<Statement>,
    pub(super) blocks: Vec<Block>,
}

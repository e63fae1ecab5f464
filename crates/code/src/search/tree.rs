//! Expressions and statements of a file as flat tables, the same for every language. A language's reader fills them from its parser's
//! tree, which they outlive; the operators read nothing else of a program's syntax.

use crate::span::Span;

/// Role of an expression in its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
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

/// Form of an expression. The spans of operands may include the brackets around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Name of a variable.
    Name,
    /// The object that the method belongs to: `this`, `self`.
    Owner,
    /// A number, with its value if it is a whole one.
    Number(Option<i64>),
    /// A string in quotes.
    Text,
    /// A text with values in it: its pieces of text, if they may be changed alone.
    Template(Vec<Span>),
    Boolean,
    /// A value that stands for none: `None`, `null`, `undefined`.
    Nothing,
    /// A regular expression: between the slashes, and the flags.
    Pattern {
        body: Span,
        flags: Span,
    },
    /// Arithmetic: `left + right`.
    Binary {
        left: Span,
        right: Span,
        operator: &'static str,
    },
    /// `left < right`, `in` and the like included; of a chain `a < b < c` all operands, with the operators between them.
    Comparison {
        operands: Vec<Span>,
        operators: Vec<&'static str>,
    },
    /// Operands with the same connective (`and`, `||`, `??`) between them.
    Logical {
        operands: Vec<Span>,
        operator: &'static str,
    },
    /// Negation of a truth value.
    Not(Span),
    /// `-operand`, `typeof operand`.
    Unary {
        operator: &'static str,
        operand: Span,
    },
    /// Increment or decrement: `i++`, `--i`.
    Update {
        operator: &'static str,
        is_prefix: bool,
        operand: Span,
    },
    /// An assignment that is a value; see [`Assignment`] for the operator.
    Assign {
        target: Span,
        operator: &'static str,
        value: Span,
    },
    /// `test ? yes : no`.
    Choice {
        test: Span,
        yes: Span,
        no: Span,
    },
    /// A call.
    Call(Call),
    /// Member access: `object.name`, `object?.name`.
    Member {
        object: Span,
        name: Span,
        is_optional: bool,
    },
    /// Access by index: `object[index]`.
    Index {
        object: Span,
        index: Span,
    },
    /// Bounds in the brackets of `object[lower:upper:step]`.
    Slice {
        lower: Option<Span>,
        upper: Option<Span>,
        step: Option<Span>,
    },
    /// List literal with its elements: `[a, b]`.
    List(Vec<Span>),
    /// Values side by side: `a, b`.
    Tuple(Vec<Span>),
    /// `{ key: value }`, without shorthands, methods and spread values.
    Object {
        entries: Vec<(Span, Span)>,
        is_empty: bool,
    },
    /// `value for target in iterable if condition`.
    Comprehension(Comprehension),
    /// A function as a value; `gives` is the result of one that is nothing but an expression.
    Function {
        gives: Option<Span>,
    },
    /// Operand of an `await`.
    Await(Span),
    /// Elements put among others: `...xs`, `*xs`.
    Spread,
    /// The key of a pattern: `key` in `{ key: name }`, or in `{ key }`.
    Key {
        is_shorthand: bool,
    },
    /// Any other expression.
    Other,
}

/// `callee(arguments)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) callee: Span,
    /// The last name of the callee; empty if it has none.
    pub(crate) name: Span,
    /// Arguments without a keyword.
    pub(crate) arguments: Vec<Span>,
    /// Arguments with one, behind those without.
    pub(crate) keywords: Vec<Keyword>,
    /// Position of the opening bracket.
    pub(crate) open: Option<usize>,
    /// True if it makes an object: `new callee(arguments)`.
    pub(crate) is_new: bool,
}

/// An argument that is given by name: `name=value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keyword {
    pub(crate) span: Span,
    /// Empty for `**values`.
    pub(crate) name: Span,
    pub(crate) value: Span,
}

/// A comprehension, as far as its last `for` is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comprehension {
    pub(crate) target: Span,
    pub(crate) iterable: Span,
    pub(crate) has_condition: bool,
    /// Key and value of a comprehension that makes entries.
    pub(crate) entry: Option<(Span, Span)>,
}

/// An expression where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// Without brackets around it.
    pub(crate) span: Span,
    pub(crate) shape: Shape,
    pub(crate) parent: Option<usize>,
    pub(crate) place: Place,
}

/// A name, a pattern or the like that gets a value where it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declarator {
    /// Name or pattern that is declared.
    pub(crate) target: Span,
    /// True if the target is a single name.
    pub(crate) is_name: bool,
    pub(crate) value: Option<Span>,
}

/// A value that is given to something that exists, or may exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) target: Span,
    /// The operator without its `=`: empty for `target = value`, `+` for `target += value`.
    pub(crate) operator: &'static str,
    pub(crate) value: Span,
}

/// Kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Statement that consists of an expression.
    Expression(Span),
    /// Declaration with `const`, `let` or `var`.
    Declaration(Vec<Declarator>),
    /// Assignment, where it is no expression: its targets; the last one with operator and value, if it has some.
    Assign {
        targets: Vec<Span>,
        last: Option<Assignment>,
    },
    /// A `return`, with its value.
    Return(Option<Span>),
    Throw,
    Break,
    Continue,
    /// A branch; `no`: what follows the `else`, or the branch that continues it.
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
    /// `for (x of xs)`, `for x in xs`.
    ForEach {
        target: Span,
        iterable: Span,
    },
    Case,
    /// A function, a class.
    Definition,
    /// Any other statement without blocks that does something: `del x`.
    Simple,
    /// Part of the file's frame, which is never changed: imports, documentation.
    Fixed,
    /// Any other statement.
    Other,
}

impl Kind {
    pub(crate) const fn is_loop(&self) -> bool {
        matches!(self, Self::While(_) | Self::DoWhile(_) | Self::For { .. } | Self::ForEach { .. })
    }

    /// Returns whether it leaves its block.
    pub(crate) const fn is_jump(&self) -> bool {
        matches!(self, Self::Return(_) | Self::Throw | Self::Break | Self::Continue)
    }
}

/// Kind of a list of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The file, or a branch whose end is not marked.
    Open,
    /// The body of a function or a class.
    Body,
    /// In braces.
    Braces,
    /// Below a line and indented.
    Indented,
}

/// A list of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// With its braces; of a file and a `case` all of it.
    pub(crate) span: Span,
    /// Numbers of statements, in order.
    pub(crate) statements: Vec<usize>,
    /// The statement that it belongs to; `None`: the file.
    pub(crate) owner: Option<usize>,
    pub(crate) kind: BlockKind,
}

/// A statement with its block and its expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
    /// Span from the first byte to the start of its first block or statement.
    pub(crate) head: Span,
    /// The list that it stands in; `None`: it is the body of a statement, without braces, or continues a branch.
    pub(crate) block: Option<usize>,
    pub(crate) is_in_loop: bool,
    pub(crate) is_in_function: bool,
    /// Numbers of the expressions of its own, outer before inner.
    pub(crate) nodes: Vec<usize>,
}

/// Expressions, statements and blocks of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Statements, in order of the text.
    pub(crate) statements: Vec<Statement>,
    pub(crate) blocks: Vec<Block>,
    /// Positions of conditions, and of the operands of those that have several.
    pub(crate) conditions: Vec<Span>,
}

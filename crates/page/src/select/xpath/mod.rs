//! The part of XPath 1.0 that selectors of scrapers are written in: paths over all axes that stay inside the page, predicates,
//! `|`, comparisons, and the functions of [`Function`]. Namespaces, variables and arithmetic are left out.

mod evaluate;
mod lexer;
mod page;
mod parse;

use regex::Regex;

pub(super) use evaluate::evaluate;
pub(super) use parse::parse;

/// XPath expression after parsing, with compiled patterns.
#[derive(Debug, Clone)]
pub(super) enum Expression {
    Or(Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Compare(Comparison, Box<Expression>, Box<Expression>),
    Union(Vec<Expression>),
    Literal(String),
    Number(f64),
    Call(Function, Vec<Expression>),
    /// `re:test(text, pattern)`: the pattern is compiled when the selector is read.
    Matches(Box<Expression>, Regex),
    Path(Path),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Contains,
    StartsWith,
    EndsWith,
    NormalizeSpace,
    String,
    StringLength,
    Translate,
    LowerCase,
    Not,
    Count,
    Position,
    Last,
    Name,
    True,
    False,
    Concat,
}

impl Function {
    /// Every function with its name and how many arguments it takes.
    const ALL: &[(&str, Self, usize, usize)] = &[
        ("contains", Self::Contains, 2, 2),
        ("starts-with", Self::StartsWith, 2, 2),
        ("ends-with", Self::EndsWith, 2, 2),
        ("normalize-space", Self::NormalizeSpace, 0, 1),
        ("string", Self::String, 0, 1),
        ("string-length", Self::StringLength, 0, 1),
        ("translate", Self::Translate, 3, 3),
        ("lower-case", Self::LowerCase, 1, 1),
        ("not", Self::Not, 1, 1),
        ("count", Self::Count, 1, 1),
        ("position", Self::Position, 0, 0),
        ("last", Self::Last, 0, 0),
        ("name", Self::Name, 0, 1),
        ("local-name", Self::Name, 0, 1),
        ("true", Self::True, 0, 0),
        ("false", Self::False, 0, 0),
        ("concat", Self::Concat, 2, 16),
    ];
}

#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
}

/// Starting point of a path.
#[derive(Debug, Clone)]
pub(super) enum Start {
    /// Above the page's root element.
    Root,
    /// The item to which the predicate applies.
    Here,
    /// Parenthesized expression with predicates: `(...)[predicates]`.
    Filtered(Box<Expression>, Vec<Expression>),
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Expression>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Child,
    Descendant,
    DescendantOrSelf,
    Parent,
    Ancestor,
    AncestorOrSelf,
    FollowingSibling,
    PrecedingSibling,
    Following,
    Preceding,
    Itself,
    Attribute,
}

impl Axis {
    const ALL: &[(&str, Self)] = &[
        ("child", Self::Child),
        ("descendant", Self::Descendant),
        ("descendant-or-self", Self::DescendantOrSelf),
        ("parent", Self::Parent),
        ("ancestor", Self::Ancestor),
        ("ancestor-or-self", Self::AncestorOrSelf),
        ("following-sibling", Self::FollowingSibling),
        ("preceding-sibling", Self::PrecedingSibling),
        ("following", Self::Following),
        ("preceding", Self::Preceding),
        ("self", Self::Itself),
        ("attribute", Self::Attribute),
    ];
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    Any,
    Name(String),
    Text,
    Node,
}

//! Interface to a language's tables of a file: what its scopes, functions and classes are. The rest of a file is in its tree.

use super::tree::Statement;
use super::uses::Uses;
use crate::edit::Edit;
use crate::span::Span;

/// A variable that has a value at some place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Named<'a> {
    pub(crate) text: &'a str,
    /// 1 for those of the same function, less for those around it.
    pub(crate) nearness: f64,
    /// True if nothing reads it.
    pub(crate) is_idle: bool,
}

/// A function or method of a file.
#[derive(Debug, Clone)]
pub(crate) struct Function<'a> {
    /// Empty if it has none.
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    pub(crate) parameters_span: Span,
    /// The parameters that a caller gives.
    pub(crate) parameters: Vec<Parameter<'a>>,
    pub(crate) is_async: bool,
    pub(crate) is_method: bool,
    /// True if the file can call it by its name alone.
    pub(crate) is_listed: bool,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter<'a> {
    /// Empty for a pattern.
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    pub(crate) is_optional: bool,
    /// True if it takes all arguments that are left.
    pub(crate) is_rest: bool,
}

/// A statement as far as its variables are concerned.
pub(crate) struct Spot<'s> {
    pub(crate) statement: &'s Statement,
    /// The function it stands in.
    pub(crate) function: Option<Span>,
    /// Returns the uses of a variable of the file.
    pub(crate) uses: &'s dyn Fn(&str) -> Uses,
}

/// The tables of one file.
pub(crate) trait Tables {
    /// The line, from 1, that a byte stands in.
    fn line_of(&self, at: usize) -> u32;

    /// All functions and methods.
    fn functions(&self) -> Vec<Function<'_>>;

    /// The number of the function around a byte.
    fn function_at(&self, at: usize) -> Option<usize>;

    /// Functions and imports that nothing uses, where that is known.
    fn unused(&self) -> Vec<&str>;

    /// Names that objects are made with, and the members of classes that hold a value.
    fn keys(&self) -> Vec<&str>;

    /// Members that the file's classes declare, those that are functions not included.
    fn declared_members(&self) -> Vec<&str>;

    /// The members of the class around a byte.
    fn own_members(&self, at: usize) -> Vec<&str>;

    /// The scope whose variables a place of a statement sees.
    fn scope(&self, head: Span, at: usize) -> usize;

    /// The variables of a scope that have a value at a statement.
    fn names(&self, spot: &Spot<'_>, scope: usize) -> Vec<Named<'_>>;

    /// Returns whether a name has a meaning at the beginning of a statement, even though it is not one of its variables.
    fn is_known(&self, spot: &Spot<'_>, name: &str) -> bool;

    /// Returns whether a variable gets its only value in that place and is useless without it.
    fn is_only_binding(&self, place: Span, name: &str) -> bool;

    /// The variables of a piece of code that are declared outside of it, and members that are called like one of them.
    fn words(&self, piece: Span) -> Vec<Span>;

    /// Returns whether edits may be made at all, as far as that is known without parsing.
    fn allows(&self, edits: &[Edit]) -> bool;

    /// Returns whether the file's text parses with the edits.
    fn parses(&self, edits: &[Edit]) -> bool;
}

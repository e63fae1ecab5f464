//! Idioms of a language: how it writes what the operators propose, as one table of data for each language.

use crate::repair::tokens::Token;

/// Codes with how likely each is beside the others. In templates `{}` stands for a variable.
pub(crate) type Weighted = &'static [(&'static str, f64)];

/// For each code those that may have been meant.
pub(crate) type Alternatives = &'static [(&'static str, Weighted)];

/// Kind of value that a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Anything,
    Number,
    Elements,
}

/// A function that may be missing around a value, with how often it is.
pub(crate) type Wrapper = (&'static str, f64, Takes);

/// Style of the lines around a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style<'a> {
    pub(crate) newline: &'a str,
    pub(crate) indentation: &'a str,
    /// White space of one more level of indentation.
    pub(crate) unit: &'a str,
    /// End of a statement.
    pub(crate) semicolon: &'a str,
    /// True if the statement of a branch is mostly written in braces.
    pub(crate) has_braces: bool,
}

/// Spelling of a language.
#[derive(Debug)]
pub(crate) struct Idioms {
    /// Splits a text that is part of a program.
    pub(crate) scan: fn(&str) -> Vec<Token>,
    pub(crate) is_keyword: fn(&str) -> bool,
    /// Beginning of a comment that ends with its line.
    pub(crate) comment: &'static str,
    /// True if statements end with a semicolon, where the file writes it.
    pub(crate) has_semicolons: bool,
    /// Statement that does nothing, where a block needs one.
    pub(crate) idle: Option<&'static str>,
    /// A branch: its condition, and its statement without a semicolon.
    pub(crate) branch: fn(&str, &str, Style<'_>) -> String,
    /// Text put before `if` for a branch that continues another, and before the `if` of one that does.
    pub(crate) else_if: &'static str,

    /// The object that the method belongs to.
    pub(crate) owner: &'static str,
    /// Text before a value that negates it, and around any.
    pub(crate) not: &'static str,
    pub(crate) not_around: (&'static str, &'static str),
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    /// Text in conditions and values that binds less than any connective.
    pub(crate) loose: &'static [&'static str],
    pub(crate) booleans: [&'static str; 2],
    /// The usual value that stands for none, and how a function returns it.
    pub(crate) nothing: &'static str,
    pub(crate) return_nothing: &'static str,
    /// Text around a collection for the number of its elements.
    pub(crate) length: (&'static str, &'static str),
    /// Text around a value that is waited for.
    pub(crate) wait: (&'static str, &'static str),
    /// True if a literal with keys is a collection that is gone through.
    pub(crate) has_dictionaries: bool,

    pub(crate) comparisons: Alternatives,
    /// Comparisons that have no opposite.
    pub(crate) unopposed: &'static [&'static str],
    pub(crate) arithmetic: Alternatives,
    pub(crate) connectives: Alternatives,
    /// Connectives whose last operand is taken for a missing value.
    pub(crate) falls_back: &'static [&'static str],
    /// Operators of assignments that may have been meant for a plain one.
    pub(crate) assignments: Weighted,
    /// Other values for literals, by their code; empty lists and objects are `[]` and `{}`, all texts `''`.
    pub(crate) literals: Alternatives,
    /// Functions that are easily taken for each other.
    pub(crate) related: &'static [&'static [&'static str]],

    /// Conditions made of a variable: to check for before a statement, of any, of a number, and of a collection.
    pub(crate) checks: Weighted,
    pub(crate) number_checks: Weighted,
    pub(crate) collection_checks: Weighted,
    /// Conditions made of a variable: to put beside another.
    pub(crate) tests: Weighted,
    /// Values made of a variable, and of a collection, that are returned.
    pub(crate) results: Weighted,
    pub(crate) collection_results: Weighted,
    /// Values that functions return.
    pub(crate) constants: Weighted,
    /// Values that variables begin with, and that are made of another variable.
    pub(crate) beginnings: Weighted,
    pub(crate) first_values: Weighted,
    /// Values in place of a missing one.
    pub(crate) fallbacks: Weighted,
    /// Values that are passed on.
    pub(crate) arguments: Weighted,
    /// Arguments that are often left out, by the function; `{collection}` and `{number}` stand for a variable that may be one.
    pub(crate) usual_arguments: Alternatives,
    /// Functions that take one argument, always or nearly always.
    pub(crate) take_one: &'static [&'static str],

    pub(crate) around: &'static [Wrapper],
    pub(crate) around_iterables: &'static [Wrapper],
    pub(crate) behind: Weighted,
    /// Names of values that are never wrapped.
    pub(crate) not_wrapped: &'static [&'static str],
    /// Factor for a wrapper that the file uses nowhere else.
    pub(crate) unusual: f64,
    /// Functions that go through their arguments.
    pub(crate) go_through: &'static [&'static str],
    /// Functions that give a text or a list.
    pub(crate) give_order: &'static [&'static str],
    /// Methods that give a part of a text or a list, from its bounds.
    pub(crate) pieces: &'static [&'static str],
    /// Functions that make a row of numbers from its bounds.
    pub(crate) ranges: &'static [&'static str],
    /// Members and functions that give a number of something.
    pub(crate) counting: &'static [&'static str],
    /// Functions that give no number.
    pub(crate) not_counting: &'static [&'static str],
    /// Members that values of many kinds have.
    pub(crate) members: Weighted,

    /// Other indices for the index `{index}` of `{value}`, and other values for the access.
    pub(crate) indices: Weighted,
    pub(crate) accesses: Weighted,
    /// Parts and elements of the value `{}`, put behind it.
    pub(crate) parts: Weighted,
    pub(crate) elements: Weighted,
    /// Parts that a variable bounds.
    pub(crate) bounded: Weighted,
    /// Text behind a number for its square, where one writes it so.
    pub(crate) squared: Option<&'static str>,
    /// Factor for an operand that what is compared may lack.
    pub(crate) compared: f64,
    /// Factor for an element of what is used like a number, and is perhaps none.
    pub(crate) indexed_number: f64,
    /// Functions that give the better of two.
    pub(crate) better: Weighted,
    /// Updates of a variable that counts.
    pub(crate) updates: Weighted,
    /// Name of the method that puts a value into the collection that begins with this code.
    pub(crate) collects: fn(&str) -> Option<&'static str>,
}

impl Idioms {
    /// The number of elements of a collection.
    pub(crate) fn length_of(&self, value: &str) -> String {
        format!("{}{value}{}", self.length.0, self.length.1)
    }

    /// Returns whether the code stands for no value.
    pub(crate) fn is_nothing(&self, code: &str) -> bool {
        code == self.nothing
    }
}

/// Returns the codes that may have been meant by another.
pub(crate) fn alternatives(table: Alternatives, written: &str) -> Weighted {
    table.iter().find(|(code, _)| *code == written).map_or(&[], |(_, others)| *others)
}

/// Puts a variable into a template.
pub(crate) fn filled(template: &str, name: &str) -> String {
    template.replace("{}", name)
}

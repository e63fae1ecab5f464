//! Why a recipe was not understood, and where.

use std::fmt;

/// A recipe that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeError {
    /// What the caller calls the text: a file's name.
    pub name: String,
    /// Where, if the parser knows.
    pub position: Option<Position>,
    /// The key that is wrong, such as `fields.title.select`; empty for the whole.
    pub path: String,
    /// What is wrong, and what to do about it.
    pub message: String,
}

/// A place in a text, both counted from 1; columns in characters of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Position {
    /// The position of a byte of a text.
    pub(super) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RecipeError {}

//! Parse errors of recipes, with their position.

use std::fmt;

/// A recipe that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeError {
    /// Name of the text, as given by the caller: a file's name.
    pub name: String,
    /// Position of the error; `None` if the parser does not know it.
    pub position: Option<Position>,
    /// The key that is wrong, such as `fields.title.select`; empty for the whole.
    pub path: String,
    /// Description of the error and its remedy.
    pub message: String,
}

/// A position in a text. Line and column count from 1; columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line number, from 1.
    pub line: usize,
    /// Column number, from 1, in characters.
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

//! The languages whose text is understood.

use std::path::Path;

/// A programming language, by the names of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// `.py`, `.pyi`.
    Python,
    /// JavaScript and TypeScript, modules and scripts, with and without JSX.
    JavaScript,
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of(file: &str) -> Option<Self> {
        match Path::new(file).extension()?.to_str()? {
            "py" | "pyi" => Some(Self::Python),
            "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" => Some(Self::JavaScript),
            _ => None,
        }
    }
}

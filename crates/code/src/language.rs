//! The languages whose text is understood.

use std::path::Path;

use crate::edit::FileEdit;
use crate::{javascript, python};

/// A programming language, by the names of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python: files named `.py` or `.pyi`.
    Python,
    /// JavaScript and TypeScript, modules and scripts, with and without JSX, and the scripts of Vue and Svelte components.
    JavaScript,
}

/// Checks that a file of that name parses in its language; a file in no known language always passes.
///
/// # Errors
///
/// The message of the language's parser.
pub fn check(file: &str, text: &str) -> Result<(), String> {
    match Language::of(file) {
        Some(Language::Python) => python::parse::check(text).map_err(|problem| problem.to_string()),
        Some(Language::JavaScript) => javascript::parse::check(file, text).map_err(|fault| fault.to_string()),
        None => Ok(()),
    }
}

/// Checks that a file parses after an edit, or that the edit removes faults and adds none: each of several
/// faults in one file may be repaired by itself.
///
/// # Errors
///
/// The message of the language's parser.
pub fn check_repair(before: &str, edit: &FileEdit, after: &str) -> Result<(), String> {
    let Err(problem) = check(&edit.file, after) else { return Ok(()) };
    let is_repair = match Language::of(&edit.file) {
        Some(Language::Python) => python::parse::removes_faults(before, after, &edit.edits),
        Some(Language::JavaScript) => javascript::parse::removes_fault(&edit.file, before, after, &edit.edits),
        None => true,
    };
    if is_repair { Ok(()) } else { Err(problem) }
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of(file: &str) -> Option<Self> {
        match Path::new(file).extension()?.to_str()? {
            "py" | "pyi" => Some(Self::Python),
            "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" | "vue" | "svelte" => Some(Self::JavaScript),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_read_in_its_language() {
        assert!(check("a.py", "def f():\n    pass\n").is_ok());
        assert!(check("a.py", "function f() {}\n").is_err());
        assert!(check("a.ts", "function f(x: number) {}\n").is_ok());
        assert!(check("a.js", "function f(x: number) {}\n").is_err());
        assert!(check("a.txt", "function f(").is_ok());
    }
}

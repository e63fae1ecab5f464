//! The languages whose text is understood.

use std::path::Path;

use crate::edit::FileEdit;
use crate::{javascript, python};

/// A programming language, by the names of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// `.py`, `.pyi`.
    Python,
    /// JavaScript and TypeScript, modules and scripts, with and without JSX, and the scripts of Vue and Svelte components.
    JavaScript,
}

/// Whether a file of that name can be read by its language; a file in none always can.
///
/// # Errors
///
/// What the language's parser says.
pub fn check(file: &str, text: &str) -> Result<(), String> {
    match Language::of(file) {
        Some(Language::Python) => python::parse::check(text).map_err(|problem| problem.to_string()),
        Some(Language::JavaScript) => javascript::parse::check(file, text).map_err(|fault| fault.to_string()),
        None => Ok(()),
    }
}

/// Whether a file can be read after an edit, or the edit takes faults away and adds none: of several faults in one file each may be repaired
/// by itself.
///
/// # Errors
///
/// What the language's parser says.
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

//! The compile check: every Python file compiled by the interpreter that runs the tests, nothing executed. The
//! program prints one JSON object per error and line.

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use serde::Deserialize;

/// One error that the compiler found.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CompileError {
    /// The file as it was given to the script.
    pub file: String,
    /// Line of the error, from 1; absent when the whole file cannot be read (encoding).
    pub line: Option<u32>,
    /// Column of the error, from 1, in characters.
    pub column: Option<u32>,
    /// Message of the compiler.
    pub message: String,
    /// `IndentationError` or `TabError` rather than `SyntaxError`.
    pub is_indentation: bool,
}

/// Reads the script's output; lines that are something else are passed over.
pub fn parse(output: &str) -> Vec<CompileError> {
    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the findings in the script's output. File names are those that the script received: relative to the
/// repository.
pub fn findings(output: &str) -> Vec<Finding> {
    parse(output)
        .into_iter()
        .map(|error| Finding {
            source: Source::Build,
            category: if error.is_indentation { Category::Indentation } else { Category::Syntax },
            file: Some(error.file.trim_start_matches("./").to_owned()),
            location: error
                .line
                .map(|line| Location { line: line.max(1), column: error.column.filter(|column| *column > 0) }),
            message: format!(
                "{}: {}",
                if error.is_indentation { "IndentationError" } else { "SyntaxError" },
                error.message
            ),
            stack: None,
        })
        .collect()
}

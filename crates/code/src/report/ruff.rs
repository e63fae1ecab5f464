//! The output of `ruff check --output-format json` as findings.

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use serde::Deserialize;

use super::relative;

#[derive(Deserialize)]
struct Entry {
    /// `null` for a syntax error in older versions, `invalid-syntax` in newer ones.
    code: Option<String>,
    filename: Option<String>,
    location: Option<Place>,
    message: String,
}

#[derive(Deserialize)]
struct Place {
    row: u32,
    column: u32,
}

/// Reason the linter's output cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the linter's output is not the JSON it was asked for: {reason}; its standard error tells why")]
pub struct RuffError {
    /// Message of the JSON parser.
    reason: String,
}

/// The findings, one per violation; a file that does not parse is SYNTAX or INDENTATION, everything else LINTING.
/// `prefixes`: the absolute folders that the repository lay in, taken off the files' names.
///
/// # Errors
///
/// [`RuffError`] when the output is not JSON of the expected shape.
pub fn findings(output: &str, prefixes: &[String]) -> Result<Vec<Finding>, RuffError> {
    let entries: Vec<Entry> = serde_json::from_str(output).map_err(|error| RuffError { reason: error.to_string() })?;
    Ok(entries.into_iter().map(|entry| finding(entry, prefixes)).collect())
}

/// The name that a message of pyflakes or ruff calls undefined: ``F821 Undefined name `name` ``, `F822 undefined name 'name' in __all__`.
pub fn undefined_name(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("F821 ").or_else(|| message.strip_prefix("F822 "))?;
    rest.split(['`', '\'']).nth(1)
}

fn finding(entry: Entry, prefixes: &[String]) -> Finding {
    let code = entry.code.filter(|code| code != "invalid-syntax");
    let category = match &code {
        Some(_) => Category::Linting,
        None if entry.message.to_lowercase().contains("indent") => Category::Indentation,
        None => Category::Syntax,
    };
    let file = entry.filename.map(|file| relative(&file, prefixes).unwrap_or(&file).to_owned());
    Finding {
        source: Source::Lint,
        category,
        file,
        location: entry.location.map(|place| Location { line: place.row.max(1), column: Some(place.column.max(1)) }),
        message: code.map_or(entry.message.clone(), |code| format!("{code} {}", entry.message)),
        stack: None,
    }
}

//! The context of a diagnosis: everything that is known before a fix is proposed (spec `doctor-agent.md`, `DiagnosisContext`).

use std::fmt::Write as _;

use autoheal_engine::diagnostics::DiagnosticsEntry;
use autoheal_engine::source::PageFault;
use autoheal_engine::{Timestamp, counted};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::Blueprint;
use crate::failure::ErrorType;

/// Maximum number of lines of the diff in a report.
const MOST_LINES: usize = 60;

/// Maximum length of such a line, in characters.
const LONGEST_LINE: usize = 160;

/// Evidence about a failure, with the spec's fields; pages are referenced by their times, since the pages themselves are in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagnosisContext {
    /// Name of the source.
    pub source_name: String,
    /// Data that it should yield.
    pub blueprint: Blueprint,
    /// The recipe that failed: the spec's `current_code`.
    pub current_code: Value,
    /// One of the five types.
    pub error_type: ErrorType,
    /// Description of the failure.
    pub error_message: String,
    /// Every error of the validation, one a line: the spec's `error_traceback`.
    pub error_traceback: String,
    /// Total number of failed runs of the source.
    pub failure_count: u64,
    /// Time of the last success.
    pub last_success_at: Option<Timestamp>,
    /// Time of the failed run that led to this diagnosis.
    pub failed_at: Option<Timestamp>,
    /// Time at which the stored page was taken that the current one is compared with.
    pub original_html: Option<Timestamp>,
    /// Time at which the current page was taken.
    pub current_html: Option<Timestamp>,
    /// Changes in the structure, as a unified diff.
    pub html_diff: String,
    /// Changes in the structure by region, readable for the user.
    pub summary: String,
    /// The types of the fields.
    pub expected_schema: Value,
    /// Data that the recipe yields now, if it yields any.
    pub actual_output: Option<Value>,
    /// Attempts that count, before this one.
    pub fix_attempts_today: u32,
    /// True if the source is in quarantine.
    pub is_quarantined: bool,
    /// Open diagnostics of the source, those seen last first.
    #[serde(default)]
    pub diagnostics: Vec<DiagnosticsEntry<PageFault>>,
}

impl DiagnosisContext {
    /// Returns the part of the report about the page: the pages compared, the changes by region, and the beginning of the diff.
    pub(super) fn report(&self) -> String {
        let mut report = "\n## What changed\n\n".to_owned();
        if self.original_html.is_none() || self.current_html.is_none() {
            report.push_str("The page could not be compared with an earlier one.\n");
            return report;
        }
        let _ = writeln!(report, "The last good page and the failing page:\n\n{}", self.summary);
        let (lines, left_out) = shortened(&self.html_diff);
        if lines.is_empty() {
            report.push_str("The structure of the page is the same as before.\n");
            return report;
        }
        let fence = fence(&lines);
        let _ = writeln!(report, "{fence}diff\n{}\n{fence}", lines.join("\n"));
        if left_out > 0 {
            let left_out = counted(left_out, "more line");
            let _ = writeln!(report, "\n{left_out}: `autoheal report RUN --json` has them in `diagnosis.html_diff`.");
        }
        report
    }
}

/// Returns the beginning of a diff, each line cut, and the number of lines that are left out.
fn shortened(diff: &str) -> (Vec<String>, usize) {
    let cut = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    let lines = diff.lines().take(MOST_LINES).map(cut).collect();
    (lines, diff.lines().count().saturating_sub(MOST_LINES))
}

/// Returns a fence that no line of the block can close.
fn fence(lines: &[String]) -> String {
    let ticks = |line: &String| line.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(lines.iter().map(ticks).max().unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_bounded_and_its_text_cannot_end_the_block() {
        let diff = format!("-{}\n", "`".repeat(5)).repeat(1000) + &"x".repeat(9000);
        let (lines, left_out) = shortened(&diff);
        assert_eq!((lines.len(), left_out), (MOST_LINES, 1001 - MOST_LINES));
        assert_eq!(fence(&lines), "``````");
        let (long, _) = shortened(&"ü".repeat(9000));
        assert_eq!(long[0].chars().count(), LONGEST_LINE + 1);
        assert_eq!(shortened(""), (Vec::new(), 0));
    }
}

//! Common parts of the prompts for plans and for edits.

use std::fmt::Write as _;

use autoheal_engine::diagnostics::{Finding, primary_failure, summarize};
use serde::{Deserialize, Serialize};

use super::PromptContext;
use crate::state::{HealState, PatchLogEntry, PatchStatus};

/// Size limits of the parts of the prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptLimits {
    /// Lines of code before and after the one in question (spec `get_code_context`).
    pub context_lines: u32,
    /// All code together, in characters.
    pub code_characters: usize,
    /// A message, in characters.
    pub message_characters: usize,
    /// A stack trace, in characters.
    pub stack_characters: usize,
    /// Maximum number of diagnostics (spec `diagnostics-log.md`, "top-N current errors").
    pub diagnostics: usize,
    /// All of them together, in characters.
    pub diagnostics_characters: usize,
    /// Earlier attempts, in characters.
    pub tried_characters: usize,
    /// The names of files, in characters.
    pub files_characters: usize,
}

impl Default for PromptLimits {
    fn default() -> Self {
        Self {
            context_lines: 5,
            code_characters: 16_000,
            message_characters: 2000,
            stack_characters: 4000,
            diagnostics: 10,
            diagnostics_characters: 3000,
            tried_characters: 6000,
            files_characters: 6000,
        }
    }
}

/// Description of the run that both prompts contain.
#[derive(Debug, Serialize)]
pub(super) struct Situation<'a> {
    pub(super) primary: String,
    pub(super) diagnostics: String,
    /// Diagnostics of a language server; empty when there are none to report.
    pub(super) hints: String,
    pub(super) tried: String,
    pub(super) limits: &'a PromptLimits,
}

impl<'a> Situation<'a> {
    /// Describes the run. With `target`, it contains only earlier attempts at this failure; otherwise those at any failure.
    pub(super) fn of(prompt_context: PromptContext<'a>, state: &HealState, target: Option<&Finding>) -> Self {
        let primary = primary_failure(&state.diagnosis.log, prompt_context.importers);
        Self {
            primary: primary.map_or_else(|| "none".to_owned(), |entry| described(&entry.finding)),
            diagnostics: summarize(&state.diagnosis.log, prompt_context.importers, prompt_context.limits.diagnostics),
            hints: state.diagnosis.lsp.summary(
                state.fixes.accepted.len(),
                prompt_context.importers,
                prompt_context.limits.diagnostics,
            ),
            tried: tried(state, target),
            limits: prompt_context.limits,
        }
    }
}

/// `LOGIC error in a.py line 3: AssertionError`.
pub(super) fn described(finding: &Finding) -> String {
    format!("{}: {}", finding.headline(), finding.message)
}

/// The attempts on the tree as it is: a model's with their changes, latest first, then how rules did.
fn tried(state: &HealState, target: Option<&Finding>) -> String {
    let mut text = String::new();
    let key = target.map(Finding::key);
    let on_this_tree =
        state.models.attempts.iter().rev().filter(|attempt| attempt.accepted == state.fixes.accepted.len());
    for attempt in on_this_tree.filter(|attempt| key.as_ref().is_none_or(|key| *key == attempt.key)) {
        let _ = writeln!(text, "An edit, {}:\n{}", attempt.outcome, attempt.change);
    }
    let accepted = state.fixes.accepted.len();
    let is_of_this = |entry: &&PatchLogEntry| {
        entry.target.as_ref().is_some_and(|(tried, at)| *at == accepted && key.as_ref().is_none_or(|key| key == tried))
    };
    let rules = state.tried.patch_log.iter().filter(is_of_this);
    let rules = rules.filter(|entry| entry.status == PatchStatus::Failed && entry.fixer != super::FIXER);
    for entry in rules.rev() {
        let _ = writeln!(text, "{} line {}: {}: {}", entry.file, entry.line, entry.description, entry.reason);
    }
    if text.is_empty() { "nothing: no rule knows what to try here\n".to_owned() } else { text }
}

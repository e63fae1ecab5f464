//! Common parts of the prompts for plans and for edits.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use autoheal_code::Sources;
use autoheal_engine::diagnostics::{DiagnosticsLog, Finding, Key, by_priority};
use serde::Serialize;

use super::PromptContext;
use crate::project::is_manifest;
use crate::prompt_limits::PromptLimits;
use crate::state::{HealState, PatchLogEntry, PatchStatus};

/// Description of the run that both prompts contain.
#[derive(Debug, Serialize)]
pub(super) struct Situation<'a> {
    /// All failures in a line each, the most urgent first.
    pub(super) diagnostics: String,
    /// Diagnostics of a language server; empty when there are none to report.
    pub(super) hints: String,
    /// Earlier attempts; empty if there were none.
    pub(super) tried: String,
    pub(super) limits: &'a PromptLimits,
}

impl<'a> Situation<'a> {
    /// Describes the run. With `target`, it contains only earlier attempts at this failure; otherwise those at any failure.
    pub(super) fn of(prompt_context: PromptContext<'a>, state: &HealState, target: Option<&Finding>) -> Self {
        let key = target.map(Finding::key);
        let lsp = &state.diagnosis.lsp;
        let is_known = lsp.about(state.fixes.accepted.len()).next().is_some();
        Self {
            diagnostics: listed(&state.diagnosis.log, prompt_context, key.as_ref()),
            hints: if is_known { listed(&lsp.log, prompt_context, None) } else { String::new() },
            tried: prompt_context.unvarying.text(&tried(state, key.as_ref())),
            limits: prompt_context.limits,
        }
    }
}

/// The most urgent entries of a log, in a line each; of the one that the prompt describes, only its place.
fn listed(log: &DiagnosticsLog, prompt_context: PromptContext<'_>, described: Option<&Key>) -> String {
    const MESSAGE_LIMIT: usize = 200;
    let entries = by_priority(log, prompt_context.importers);
    let most = prompt_context.limits.diagnostics;
    let mut text = String::new();
    for (index, entry) in entries.iter().take(most).enumerate() {
        let finding = &entry.finding;
        let message = if described == Some(&finding.key()) {
            "the error above".to_owned()
        } else {
            let first_line = finding.message.lines().next().unwrap_or_default();
            prompt_context.unvarying.text(first_line).chars().take(MESSAGE_LIMIT).collect()
        };
        let _ = writeln!(text, "{}. {}: {message}", index + 1, finding.headline());
    }
    if entries.len() > most {
        let _ = writeln!(text, "and {} more", entries.len() - most);
    }
    text
}

/// `LOGIC error in a.py line 3: AssertionError`.
pub(super) fn described(finding: &Finding) -> String {
    format!("{}: {}", finding.headline(), finding.message)
}

/// The tests that show a failure, as their runner calls them: the first ones, and the number of the others.
pub(super) fn tests_of(state: &HealState, failure: &Finding) -> String {
    const MOST: usize = 3;
    let selectors =
        state.diagnosis.current.as_ref().map(|observed| observed.result.selectors_at(failure)).unwrap_or_default();
    let mut text = selectors.iter().take(MOST).cloned().collect::<Vec<_>>().join("\n");
    if selectors.len() > MOST {
        let _ = write!(text, "\nand {} more", selectors.len() - MOST);
    }
    text
}

/// Returns whether an answer may change a file: manifests name what is installed, which is not for a model to choose.
pub(super) fn may_change(file: &str, sources: &Sources) -> bool {
    sources.is_editable(file) && !is_manifest(file)
}

/// The attempts on the tree as it is: a model's with their changes, latest first, then in a line those of search and of rules.
fn tried(state: &HealState, key: Option<&Key>) -> String {
    let mut text = String::new();
    let accepted = state.fixes.accepted.len();
    let on_this_tree = state.models.attempts.iter().rev().filter(|attempt| attempt.accepted == accepted);
    for attempt in on_this_tree.filter(|attempt| key.is_none_or(|key| *key == attempt.key)) {
        let _ = writeln!(text, "An edit, {}:\n{}", attempt.outcome, attempt.change);
    }
    let is_of_this = |other: &Key| key.is_none_or(|key| key == other);
    for search in state.tried.searches.iter().filter(|search| search.accepted == state.fixes.of_program()) {
        if is_of_this(&search.key) && search.candidates > 0 {
            let kinds = counted(search.kinds.iter().map(|(kind, count)| (kind.as_str(), *count)));
            let _ = writeln!(text, "Search: {} small changes of suspicious lines ({kinds})", search.candidates);
        }
    }
    let is_rule = |entry: &&PatchLogEntry| {
        entry.target.as_ref().is_some_and(|(tried, at)| *at == accepted && is_of_this(tried))
            && entry.status == PatchStatus::Failed
            && ![super::FIXER, crate::search::FIXER].contains(&entry.fixer.as_str())
    };
    let mut fixers: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in state.tried.patch_log.iter().filter(is_rule) {
        *fixers.entry(entry.fixer.as_str()).or_default() += 1;
    }
    if !fixers.is_empty() {
        let _ = writeln!(text, "Rules: {}", counted(fixers));
    }
    text
}

/// `write 12, swap 3`, the most frequent first.
fn counted<'a>(kinds: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", ")
}

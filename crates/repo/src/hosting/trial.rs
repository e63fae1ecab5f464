//! Fixes that only CI can judge. The checks here cannot tell whether a failure that occurs only in CI is repaired: such a fix is accepted
//! when it breaks nothing, pushed, and judged by CI. When CI fails as before, it is reverted by a commit of its own.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Category, Finding, Key};
use autoheal_engine::workflow::{FixRecord, Record, StepContext, StepError};
use autoheal_forge::CommitId;
use serde_json::json;

use crate::change::{hash_of, unified_diff};
use crate::checkout::Checkout;
use crate::commit_message::REVERT;
use crate::state::{AcceptedFix, Exhausted, FileText, HealState};
use crate::step_error::forge_error;

/// Takes note of what only CI sees of the delivered tree.
pub(crate) fn note_failures(state: &mut HealState, findings: Vec<Finding>) {
    let accepted = state.fixes.accepted.len();
    for finding in &findings {
        // For a fault of logic the tests here are the only judge, and they have nothing against anything.
        if finding.category == Category::Logic {
            state.tried.exhausted.push(Exhausted { key: finding.key(), accepted });
        }
    }
    state.ci.failures.findings = findings;
    state.ci.failures.accepted = accepted;
}

/// Reverts the newest fix when it was made for a failure that only CI saw and that CI still sees. Returns whether it did.
pub(crate) async fn revert(
    state: &mut HealState,
    checkout: &Checkout,
    before: &BTreeSet<Key>,
    context: &StepContext,
) -> Result<bool, StepError> {
    let newest = state.fixes.accepted.len().checked_sub(1).filter(|index| !state.fixes.reverted.contains(index));
    let Some((index, fix)) = newest.and_then(|index| Some((index, state.fixes.accepted.get(index)?.clone()))) else {
        return Ok(false);
    };
    let key = fix.target.key();
    let is_still_there = state.ci.failures.findings.iter().any(|finding| finding.key() == key);
    if !before.contains(&key) || !is_still_there {
        return Ok(false);
    }
    let mut files = Vec::new();
    for file in &fix.files {
        files.push(former_text(state, checkout, index, &file.file).await?);
    }
    let diff: String = fix.files.iter().zip(&files).map(|(new, old)| unified_diff(new, old)).collect();
    context.record(Record::Fix(FixRecord {
        target: state.request.repository.clone(),
        error_type: fix.category.name().to_owned(),
        diagnosis: json!({ "finding": fix.target }),
        patch: diff.clone(),
        validation: json!({ "takes_back": index + 1 }),
        deployed_to: "PRODUCTION".to_owned(),
    }));
    state.tried.visited.extend(files.iter().map(hash_of));
    state.fixes.accepted.push(AcceptedFix {
        description: format!("take back fix {}: CI fails as before", index + 1),
        fixer: REVERT.to_owned(),
        files,
        diff,
        tried_before: 0,
        runners_up: Vec::new(),
        at: context.now(),
        ..fix
    });
    state.fixes.reverted.extend([index, index + 1]);
    let findings = std::mem::take(&mut state.ci.failures.findings);
    note_failures(state, findings);
    Ok(true)
}

/// Returns the text of a file before a fix.
async fn former_text(state: &HealState, checkout: &Checkout, index: usize, file: &str) -> Result<FileText, StepError> {
    let earlier =
        state.fixes.accepted.iter().take(index).rev().flat_map(|fix| &fix.files).find(|text| text.file == file);
    if let Some(earlier) = earlier {
        return Ok(earlier.clone());
    }
    let start = state.analysis.origin.as_ref().map(|origin| origin.start_commit.clone()).unwrap_or_default();
    let start = CommitId::parse(&start).map_err(|error| forge_error(&error))?;
    let clone = checkout.folders.clone_folder();
    let bytes = checkout.git.file(&clone, &start, file).await.map_err(|error| forge_error(&error))?;
    let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    Ok(FileText { file: file.to_owned(), text })
}

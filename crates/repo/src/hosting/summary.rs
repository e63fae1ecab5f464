//! Texts of a change request, a comment and a status. Text that came from the repository or from CI appears in
//! code spans and fences only.

use std::fmt::Write as _;

use autoheal_engine::time::minutes_and_seconds;
use autoheal_engine::{Timestamp, counted};
use autoheal_forge::host::{HostKind, StatusState};

use super::poll;
use crate::commit_message::PREFIX;
use crate::report::{code, fence, tests};
use crate::results::total_time;
use crate::state::HealState;

/// The longest patch that a comment holds, in characters.
const LONGEST_PATCH: usize = 50_000;

/// Returns the title of the change request, one line.
pub(crate) fn title(state: &HealState) -> String {
    let mut kinds: Vec<&str> = state.fixes.retained().map(|fix| fix.category.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let errors = counted(state.fixes.retained().count(), "error");
    format!("{PREFIX} Fix {errors}: {}", kinds.join(", "))
}

/// Describes the failures, the changes and their reasons, the evidence for them, and how to undo them.
pub(crate) fn body(state: &HealState, host: HostKind, now: Timestamp) -> String {
    let mut text = String::new();
    text.push_str("## What failed, and what was changed\n\n");
    for (number, fix) in state.fixes.retained().enumerate() {
        let _ = writeln!(text, "{}. **{}** in {} line {}", number + 1, fix.category, code(&fix.file), fix.line);
        let _ = writeln!(text, "   - failed: {}", code(fix.target.message.lines().next().unwrap_or_default()));
        let _ = writeln!(text, "   - changed: {} (fixer `{}`)", code(&fix.description), fix.fixer);
        for runner_up in &fix.runners_up {
            let _ = writeln!(text, "   - would have passed as well: {}", code(runner_up));
        }
    }
    text.push('\n');
    evidence(&mut text, state);
    if !state.fixes.reverted.is_empty() {
        let count = state.fixes.reverted.len() / 2;
        let _ = writeln!(text, "{count} fix(es) were pushed and taken back, because CI failed as before.\n");
    }
    let warnings: Vec<&String> = state.warnings.iter().take(10).collect();
    if !warnings.is_empty() {
        text.push_str("## To know\n\n");
        for warning in warnings {
            let _ = writeln!(text, "- {}", code(warning));
        }
        text.push('\n');
    }
    text.push_str("## How to undo\n\n");
    let word = host.change_request();
    let _ = write!(
        text,
        "Close this {word} and delete its branch: nothing else was written. After a merge, revert the merge commit. "
    );
    text.push_str("Each fix is a commit of its own, so that one alone can be reverted.\n\n");
    let took = minutes_and_seconds(total_time(state, now));
    let _ = writeln!(text, "A green suite is all that is known: read the diff before you merge it. ({took})");
    text
}

fn evidence(text: &mut String, state: &HealState) {
    text.push_str("## Evidence\n\n| | |\n| --- | --- |\n");
    if let Some(result) = &state.diagnosis.baseline {
        let _ = writeln!(text, "| Tests before | {} |", tests(result));
    }
    if let Some(result) = state.diagnosis.latest() {
        let _ = writeln!(text, "| Tests after | {} |", tests(result));
    }
    if let Some(setup) = &state.analysis.setup {
        for line in setup.command_lines() {
            let _ = writeln!(text, "| Run here | {} |", code(&line));
        }
    }
    if let Some(verdict) = state.ci.verdict {
        let checks = state.ci.looks.last().map(|result| poll::words(&result.checks)).unwrap_or_default();
        let _ = writeln!(text, "| CI of the latest commit | {}: {} |", verdict.words(), code(&checks));
    }
    let left = state.diagnosis.log.current().count();
    if left > 0 {
        let _ = writeln!(text, "| Failures left | {left} |");
    }
    text.push('\n');
}

/// The comment that holds the patch.
pub(crate) fn comment(state: &HealState, patch: &str) -> String {
    let mut text = String::from("autoheal has a fix for this branch and may not push it. ");
    text.push_str("Save what follows as `fix.patch` and run `git apply fix.patch`.\n\n");
    for fix in state.fixes.retained() {
        let what = code(&fix.description);
        let _ = writeln!(text, "- **{}** in {} line {}: {what}", fix.category, code(&fix.file), fix.line);
    }
    text.push('\n');
    if patch.chars().count() > LONGEST_PATCH {
        text.push_str("The patch is too long for a comment; `autoheal report RUN --diff` prints it.\n");
    } else {
        fence(&mut text, "diff", patch);
    }
    text
}

/// Returns the description of the commit's status, a few words.
pub(crate) fn status(state: &HealState, status: StatusState) -> String {
    let fixes = counted(state.fixes.retained().count(), "fix");
    let is_redefined = state.analysis.setup.as_ref().is_some_and(|setup| !setup.redefined.is_empty());
    let by_whom = if is_redefined { "; the branch itself defines what green means" } else { "" };
    match status {
        StatusState::Pending => format!("{fixes}; CI is watched"),
        StatusState::Success => format!("{fixes}; everything passes{by_whom}"),
        StatusState::Failure => {
            let left = counted(state.diagnosis.log.current().count(), "failure");
            let why = state.ci.verdict.map_or("not verified", super::watch::CiVerdict::words);
            format!("{fixes}; {left} left; CI: {why}")
        }
    }
}

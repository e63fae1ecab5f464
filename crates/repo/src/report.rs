//! `report.md`: the course of a run, for the user.

use std::cmp::Reverse;
use std::fmt::Write as _;

use autoheal_engine::time::minutes_and_seconds;
use autoheal_engine::{Timestamp, counted};

use crate::check_result::{CheckResult, TestState};
use crate::results::{FixStatus, HealingResults};
use crate::state::{
    AcceptedFix, Diagnosis, DriftReport, HealState, LspDiagnostics, ModelAttempt, ModelUse, PatchStatus, Tried,
};

/// The report of a run, Markdown. Text that came from the repository stands in code spans and fences only, so that it
/// cannot become markup.
pub fn render(state: &HealState, results: &HealingResults, now: Timestamp) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# {}: {}\n", code(&results.repository), results.outcome);
    let _ = writeln!(text, "**{}**: {}\n", results.stop_reason, results.stop_reason.sentences());
    summary(&mut text, state, results);
    if let Some(error) = &results.error {
        let _ = writeln!(text, "## Error\n\n`{}`: {}\n", error.code, code(&error.message));
        let _ = writeln!(text, "`autoheal explain {}` tells what to do.\n", error.code);
    }
    if !state.warnings.is_empty() {
        text.push_str("## To know\n\n");
        for warning in &state.warnings {
            let _ = writeln!(text, "- {}", code(warning));
        }
        text.push('\n');
    }
    fixes(&mut text, state, results);
    drift(&mut text, state.drift.report.as_ref());
    flaky(&mut text, &state.diagnosis);
    searches(&mut text, &state.tried);
    timeline(&mut text, &state.diagnosis, state.started_at);
    lsp_diagnostics(&mut text, &state.diagnosis.lsp, state.fixes.accepted.len());
    attempts(&mut text, &state.tried);
    model_attempts(&mut text, &state.models);
    times(&mut text, state, now);
    undo(&mut text, state, results);
    text
}

fn summary(text: &mut String, state: &HealState, results: &HealingResults) {
    let _ = writeln!(text, "| | |\n| --- | --- |");
    let _ = writeln!(text, "| Branch | {} |", code(&results.branch_name));
    let _ = writeln!(text, "| Failures seen | {} |", results.total_failures);
    let _ = writeln!(text, "| Fixes applied | {} |", results.fixes_applied);
    let _ = writeln!(text, "| Rounds | {} of {} |", results.iterations, u64::from(results.retry_limit) + 1);
    let _ = writeln!(text, "| Time | {} |", results.total_time);
    let runs = state.totals.test_runs;
    let _ = writeln!(text, "| Runs of the tests | {} of all, {} of some |", runs.whole, runs.part);
    let used = state.models.usage;
    if used.calls > 0 {
        let _ = writeln!(text, "| Language model | {used} |");
    }
    if let Some(result) = &state.diagnosis.baseline {
        let _ = writeln!(text, "| Tests before | {} |", tests(result));
    }
    if let Some(result) = state.diagnosis.latest() {
        let _ = writeln!(text, "| Tests after | {} |", tests(result));
    }
    if let Some(ci) = &results.hosted_ci {
        let last = ci.looks.last().map(|result| crate::hosting::poll::words(&result.checks)).unwrap_or_default();
        let _ =
            writeln!(text, "| CI of the host | {} ({} looks): {} |", ci.verdict.words(), ci.looks.len(), code(&last));
    }
    if let Some(pull_request) = &results.pull_request {
        let _ = writeln!(text, "| Pull request | {} |", code(pull_request));
    }
    for not_run in &results.not_run {
        let _ = writeln!(text, "| Not run here | {} |", code(not_run));
    }
    for command in &results.commands {
        let _ = writeln!(text, "| What green means | {} |", code(command));
    }
    text.push('\n');
    if !state.fixes.accepted.is_empty() {
        text.push_str("A green suite is all that is known: read the diff before you merge it.\n\n");
    }
}

pub(crate) fn tests(result: &CheckResult) -> String {
    let mut line = format!(
        "{} passed, {} failed, {} skipped",
        result.count(TestState::Passed),
        result.count(TestState::Failed),
        result.count(TestState::Skipped)
    );
    if let Some(limit) = &result.cut_short {
        let _ = write!(line, " (ended by the {limit})");
    }
    line
}

fn fixes(text: &mut String, state: &HealState, results: &HealingResults) {
    if !state.fixes.accepted.is_empty() {
        text.push_str("## What was changed\n\n");
        for fix in state.fixes.retained() {
            accepted(text, fix);
        }
        if !state.fixes.reverted.is_empty() {
            text.push_str("Pushed and taken back, because CI failed as before:\n\n");
            for index in state.fixes.reverted.iter().step_by(2) {
                if let Some(fix) = state.fixes.accepted.get(*index) {
                    let _ = writeln!(text, "- {} in {} line {}", code(&fix.description), code(&fix.file), fix.line);
                }
            }
            text.push('\n');
        }
    }
    let left: Vec<_> = results.fixes.iter().filter(|fix| fix.status == FixStatus::Failed).collect();
    if !left.is_empty() {
        text.push_str("## What is left\n\n");
        for fix in left {
            let _ = writeln!(text, "- {}", code(&fix.summary));
        }
        text.push('\n');
    }
}

fn accepted(text: &mut String, fix: &AcceptedFix) {
    let _ = writeln!(text, "### {} in {} line {}\n", fix.category, code(&fix.file), fix.line);
    let _ = writeln!(text, "- Why: {}", code(fix.target.message.lines().next().unwrap_or_default()));
    let _ = writeln!(text, "- What: {} (fixer `{}`)", code(&fix.description), fix.fixer);
    let _ = writeln!(text, "- Tried before it: {}", fix.tried_before);
    if !fix.runners_up.is_empty() {
        text.push_str("- Others that met the rule too:\n");
        for runner_up in &fix.runners_up {
            let _ = writeln!(text, "  - {}", code(runner_up));
        }
    }
    text.push('\n');
    fence(text, "diff", &fix.diff);
}

fn drift(text: &mut String, report: Option<&DriftReport>) {
    let Some(report) = report else { return };
    let _ = writeln!(text, "## Dependencies\n\n{}\n", code(&report.sentence()));
    if let Some(since) = &report.since {
        let _ = writeln!(text, "- Taken to be green on {since}, the day of the commit before");
    }
    let _ = writeln!(text, "- Environments tried: {}", report.environments);
    for tried in &report.tried {
        let _ = writeln!(text, "- {}: {}", code(&tried.what()), tried.outcome_words());
    }
    text.push('\n');
}

fn flaky(text: &mut String, diagnosis: &Diagnosis) {
    if diagnosis.flaky.is_empty() {
        return;
    }
    text.push_str("## Flaky tests\n\nTheir outcome depends on more than the program, so no edit \"fixes\" them.\n\n");
    for test in &diagnosis.flaky {
        let _ = writeln!(text, "- **{}**: {} depends {}", test.kind, code(&test.test), test.kind.explanation());
        for seen in &test.evidence {
            let _ = writeln!(text, "  - {}", code(seen));
        }
        let _ = writeln!(text, "  - to see it: {}", code(&test.reproduction));
    }
    text.push('\n');
}

fn searches(text: &mut String, tried: &Tried) {
    if tried.searches.is_empty() {
        return;
    }
    text.push_str("## Searches\n\n");
    for search in &tried.searches {
        let message = search.key.message.lines().next().unwrap_or_default();
        let _ = writeln!(text, "- {}: {}", code(message), code(&crate::search::summary(search)));
    }
    text.push('\n');
}

fn timeline(text: &mut String, diagnosis: &Diagnosis, started_at: Timestamp) {
    if diagnosis.timeline.is_empty() {
        return;
    }
    text.push_str("## Diagnostics timeline\n\n| Time | Round | Looked at | Fixed | New | Unchanged | Open |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
    for entry in &diagnosis.timeline {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            minutes_and_seconds(entry.at.since(started_at)),
            entry.round,
            code(&entry.what),
            entry.delta.fixed.len(),
            entry.delta.new.len(),
            entry.delta.unchanged.len(),
            entry.open
        );
    }
    text.push('\n');
    if diagnosis.log.entries().is_empty() {
        return;
    }
    text.push_str("Seen most:\n\n");
    let mut entries: Vec<_> = diagnosis.log.entries().iter().collect();
    entries.sort_by_key(|entry| (entry.resolved_at.is_some(), Reverse(entry.occurrence_count), entry.finding.category));
    for entry in entries.iter().take(20) {
        let fate = if entry.resolved_at.is_some() { "resolved" } else { "open" };
        let message: String = entry.finding.message.lines().next().unwrap_or_default().chars().take(160).collect();
        let line = format!("{}: {message}", entry.finding.headline());
        let _ = writeln!(text, "- {fate}, seen {}: {}", counted(entry.occurrence_count, "time"), code(&line));
    }
    text.push('\n');
}

fn lsp_diagnostics(text: &mut String, lsp: &LspDiagnostics, accepted: usize) {
    let entries = lsp.log.entries();
    if entries.is_empty() {
        return;
    }
    let servers: Vec<String> = lsp.servers.iter().map(|server| code(server)).collect();
    let _ = writeln!(
        text,
        "## Hints of a language server\n\nErrors that {} sees; they count for nothing when a fix is judged.",
        servers.join(", ")
    );
    text.push_str(if lsp.are_new {
        "What was there before the last commit is left out.\n\n"
    } else {
        "Some may have been there before the last commit.\n\n"
    });
    let is_of_now = lsp.accepted == Some(accepted);
    for entry in entries.iter().take(20) {
        let fate = match (entry.resolved_at, is_of_now) {
            (Some(_), _) => "gone",
            (None, true) => "there",
            (None, false) => "there before the latest fix",
        };
        let message: String = entry.finding.message.lines().next().unwrap_or_default().chars().take(160).collect();
        let line = format!("{}: {message}", entry.finding.headline());
        let _ = writeln!(text, "- {fate}: {}", code(&line));
    }
    if entries.len() > 20 {
        let _ = writeln!(text, "- and {} more", entries.len() - 20);
    }
    text.push('\n');
}

fn attempts(text: &mut String, tried: &Tried) {
    let failed: Vec<_> = tried.patch_log.iter().filter(|entry| entry.status == PatchStatus::Failed).collect();
    if failed.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "## What else was tried\n\n{} of {} tries were not kept.\n",
        failed.len(),
        tried.patch_log.len()
    );
    for entry in failed.iter().take(50) {
        let what = format!("{} line {}: {}", entry.file, entry.line, entry.description);
        let _ = writeln!(text, "- {} (`{}`): {}", code(&what), entry.fixer, code(&entry.reason));
    }
    if failed.len() > 50 {
        let _ = writeln!(text, "- and {} more", failed.len() - 50);
    }
    text.push('\n');
}

/// Attempts of a model that were not kept, each with the reason.
fn model_attempts(text: &mut String, models: &ModelUse) {
    let mut attempts = models.attempts.iter().filter(|attempt| attempt.outcome != ModelAttempt::PENDING).peekable();
    if attempts.peek().is_none() {
        return;
    }
    text.push_str("## Attempts of the language model that were not kept\n\n");
    for attempt in attempts {
        let message = attempt.key.message.lines().next().unwrap_or_default();
        let outcome = attempt.outcome.trim_start_matches("which was ");
        let _ = writeln!(text, "- {}: {}", code(message), code(outcome));
    }
    text.push('\n');
}

fn times(text: &mut String, state: &HealState, now: Timestamp) {
    text.push_str("## Time per agent\n\n| Agent | Seconds |\n| --- | --- |\n");
    for (agent, millis) in &state.totals.agent_millis {
        let _ = writeln!(text, "| {agent} | {}.{:03} |", millis / 1000, millis % 1000);
    }
    let total = now.since(state.started_at).as_millis();
    let _ = writeln!(text, "| whole run | {}.{:03} |\n", total / 1000, total % 1000);
}

fn undo(text: &mut String, state: &HealState, results: &HealingResults) {
    text.push_str("## How to undo\n\n");
    match &state.delivery.branch {
        Some(delivered) if delivered.pushed => {
            let _ = writeln!(
                text,
                "Only the branch was written; nothing else was touched. Remove it with:\n\n```sh\ngit push origin --delete {}\n```",
                results.branch_name
            );
            text.push_str("\n(in the repository itself, for one given by path: ");
            let _ = writeln!(text, "`git branch -D {}`)", results.branch_name);
        }
        Some(_) => text.push_str("The branch stands in the run's own clone only; removing the run removes it.\n"),
        None => text.push_str("Nothing was written to the repository.\n"),
    }
}

/// Text in a code span that it cannot end: one line, wrapped in one backtick more than it holds in a row.
pub fn code(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).map(|c| if c == '|' { '¦' } else { c }).collect();
    let ticks = "`".repeat(longest_run_of_backticks(&line) + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{ticks}{pad}{line}{pad}{ticks}")
}

/// Appends a fenced block that its body cannot end.
pub fn fence(text: &mut String, language: &str, body: &str) {
    let ticks = "`".repeat(longest_run_of_backticks(body).max(2) + 1);
    let newline = if body.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(text, "{ticks}{language}\n{body}{newline}{ticks}\n");
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

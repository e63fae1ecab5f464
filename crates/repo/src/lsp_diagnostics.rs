//! Diagnostics of language servers for a failing tree. They do not count when a patch is judged and are never healed themselves;
//! therefore they are kept apart from the findings that are.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use autoheal_code::logic::files_of_interest;
use autoheal_code::search::Lines;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use crate::earlier::changed_lines;
use crate::language_server::{self, Answer};
use crate::project;
use crate::session::Session;
use crate::setup::LanguageServer;
use crate::state::{Diagnosis, HealState};

/// Maximum number of files that a server receives.
const MOST_FILES: usize = 20;

/// Maximum number of diagnostics; where everything seems wrong, diagnostics are useless.
const MOST_DIAGNOSTICS: usize = 50;

/// Fraction of the time limit for the tree as it is; the rest is for the tree of the commit before, with fewer files.
const SHARE: f64 = 0.6;

/// Asks language servers about a failing tree, once per tree, if the request enables them. A server that fails does not end the run.
pub(crate) async fn refresh(
    state: &mut HealState,
    session: &mut Session,
    context: &StepContext,
) -> Result<(), StepError> {
    let accepted = state.fixes.accepted.len();
    let is_red = state.diagnosis.current.as_ref().is_some_and(|observed| !observed.result.is_green());
    if !state.request.lsp || !is_red || state.diagnosis.lsp.accepted == Some(accepted) {
        return Ok(());
    }
    let setup = session.setup();
    let servers = setup.language_servers.clone();
    if servers.is_empty() {
        let names = language_server::names(setup.main_tools.language);
        state.warn(format!("no language server was found, so there are no hints of one; known are {names}"));
        return Ok(());
    }
    let files = files(&state.diagnosis, session);
    let limit = Duration::from_secs(state.request.limits.lsp_seconds);
    let began = Instant::now();
    for server in servers.iter().filter(|_| !files.is_empty()) {
        let left = limit.saturating_sub(began.elapsed());
        if state.diagnosis.lsp.silent.contains(&server.name) || left.is_zero() {
            continue;
        }
        context.progress(format!("asking {} about {} files", server.name, files.len()));
        let Heard { answer, are_new, is_useful } = hear(session, server, &files, left, context).await?;
        for remark in remarks(server, &answer) {
            state.warn(remark);
        }
        if !is_useful {
            state.diagnosis.lsp.silent.insert(server.name.clone());
            continue;
        }
        for finding in &answer.findings {
            let line = finding.message.lines().next().unwrap_or_default();
            context.note("hint", format!("{}: {}: {line}", server.name, finding.headline()));
        }
        state.diagnosis.lsp.log.observe(&answer.findings, context.now());
        state.diagnosis.lsp.servers.insert(server.name.clone());
        state.diagnosis.lsp.accepted = Some(accepted);
        state.diagnosis.lsp.are_new = are_new;
        break;
    }
    Ok(())
}

/// The files that failures may come from, and those that the last commit changed.
fn files(diagnosis: &Diagnosis, session: &Session) -> Vec<String> {
    let sources = session.sources();
    let mut files: Vec<String> = Vec::new();
    let mut add = |file: String| {
        if files.len() < MOST_FILES && !files.contains(&file) && sources.text(&file).is_some() {
            files.push(file);
        }
    };
    let findings: Vec<&Finding> = diagnosis.current.iter().flat_map(|observed| &observed.result.findings).collect();
    findings.iter().filter_map(|finding| finding.file.clone()).for_each(&mut add);
    changed_lines(session).into_keys().for_each(&mut add);
    let mut seen = BTreeSet::new();
    for finding in findings.into_iter().filter(|finding| seen.insert(finding.key())).take(MOST_FILES) {
        files_of_interest(finding, sources).into_iter().for_each(&mut add);
    }
    files
}

struct Heard {
    answer: Answer,
    are_new: bool,
    is_useful: bool,
}

/// Returns a server's diagnostics for the files, without those that it also reports for the commit before.
async fn hear(
    session: &mut Session,
    server: &LanguageServer,
    files: &[String],
    time: Duration,
    context: &StepContext,
) -> Result<Heard, StepError> {
    let began = Instant::now();
    let (tree, before) = (session.tree(), session.tree_before());
    let first = if before.is_some() { time.mul_f64(SHARE) } else { time };
    let mut answer = ask(session, server, &tree, files, first, context).await?;
    let is_useful = answer.cut_short.is_none() || !answer.findings.is_empty();
    let are_new = before.is_some();
    if let Some(before) = before.filter(|_| !answer.findings.is_empty()) {
        let changed = changed_lines(session);
        let wrong = cut(&mut answer.findings, &changed);
        let left = time.saturating_sub(began.elapsed());
        let old = ask(session, server, &before, &wrong, left, context).await?;
        keep_new(&mut answer, &old, &before, &changed, session);
    }
    answer.findings.truncate(MOST_DIAGNOSTICS);
    Ok(Heard { answer, are_new, is_useful })
}

/// Limits the findings to those about which the commit before can be checked, too, those on changed lines first. Returns their files.
fn cut(findings: &mut Vec<Finding>, changed: &Lines) -> Vec<String> {
    findings.sort_by_key(|finding| !is_on(changed, finding));
    findings.truncate(MOST_DIAGNOSTICS);
    let mut files: Vec<String> = Vec::new();
    findings.retain(|finding| {
        let Some(file) = &finding.file else { return true };
        let is_known = files.contains(file);
        if !is_known && files.len() < MOST_FILES {
            files.push(file.clone());
            return true;
        }
        is_known
    });
    files
}

fn is_on(lines: &Lines, finding: &Finding) -> bool {
    let lines = finding.file.as_ref().and_then(|file| lines.get(file));
    lines.zip(finding.location).is_some_and(|(lines, location)| lines.contains(&location.line))
}

/// Removes the diagnostics that the commit before had, too. If its diagnostics are incomplete, only those on lines that were changed
/// since are known to be new.
fn keep_new(answer: &mut Answer, old: &Answer, before: &Path, changed: &Lines, session: &Session) {
    let sources = session.sources();
    let known: BTreeSet<_> = old
        .findings
        .iter()
        .map(|finding| (finding.key(), line_of(finding, |file| project::read_text(before, file))))
        .collect();
    answer.findings.retain(|finding| {
        let line = line_of(finding, |file| sources.text(file).map(str::to_owned));
        !known.contains(&(finding.key(), line)) && (old.cut_short.is_none() || is_on(changed, finding))
    });
    if let Some(why) = &old.cut_short {
        answer.remarks.push(format!(
            "what a language server says of lines that the last commit did not change was left out: of the commit before, {why}"
        ));
    }
}

/// Returns the text of the line that a finding points to: line numbers change, and another line may have the same finding.
fn line_of(finding: &Finding, text: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (file, location) = (finding.file.as_ref()?, finding.location?);
    let number = usize::try_from(location.line).ok()?.checked_sub(1)?;
    text(file)?.lines().nth(number).map(|line| line.trim().to_owned())
}

async fn ask(
    session: &mut Session,
    server: &LanguageServer,
    tree: &Path,
    files: &[String],
    time: Duration,
    context: &StepContext,
) -> Result<Answer, StepError> {
    match language_server::ask(session, server, tree, files, time).await {
        Ok(answer) => Ok(answer),
        Err(StepError::LeaseLost) => Err(StepError::LeaseLost),
        // What is wrong with this machine shows where it matters.
        Err(StepError::Passing { message, .. } | StepError::Permanent { message, .. }) => {
            context.note("warning", format!("{}: {message}", server.name));
            Ok(Answer { cut_short: Some(message), ..Answer::default() })
        }
    }
}

/// Returns the warnings for the user about a server's answer.
fn remarks(server: &LanguageServer, answer: &Answer) -> Vec<String> {
    let name = &server.name;
    let cut_short = answer.cut_short.as_ref().map(|why| format!("the language server {name} was given up: {why}"));
    let elsewhere = (answer.elsewhere > 0).then(|| {
        format!("what {name} says of {} files that are none of the repository's was left out", answer.elsewhere)
    });
    cut_short.into_iter().chain(elsewhere).chain(answer.remarks.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::diagnostic_in;

    #[test]
    fn the_commit_before_is_asked_about_a_few_files_those_that_changed_first() {
        let mut findings: Vec<Finding> =
            (1..=30).map(|number| diagnostic_in(&format!("{number}.py"), 1, "wrong")).collect();
        findings.extend((1..=60).map(|line| diagnostic_in("changed.py", line, "wrong")));
        let files = cut(&mut findings, &Lines::from([("changed.py".to_owned(), (50..=60).collect())]));
        assert_eq!((files.len(), files[0].as_str()), (MOST_FILES, "changed.py"));
        let lines: Vec<u32> = findings.iter().take(11).map(|finding| finding.location.unwrap().line).collect();
        assert_eq!(lines, (50..=60).collect::<Vec<_>>());
        assert!(findings.len() <= MOST_DIAGNOSTICS);
        assert!(findings.iter().all(|finding| files.contains(finding.file.as_ref().unwrap())));
    }
}

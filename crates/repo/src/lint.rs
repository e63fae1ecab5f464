//! Running the linters, formatters and type checkers that the repository uses.
//!
//! # Layout
//!
//! - `tool`: what is known of one; `tools`: those of every language
//! - `programs`: where they are installed
//! - `formatting`: what a formatter makes of a file

pub(crate) mod formatting;
pub(crate) mod programs;
pub(crate) mod tool;
pub(crate) mod tools;

use std::path::Path;
use std::time::Duration;

use autoheal_code::report::Look;
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::Outcome;

use crate::session::Session;
use crate::setup::{LintCommand, OldFindings};
use tool::Said;

/// A linter may take this long; some compile the whole tree.
const LINT_TIME: Duration = Duration::from_mins(15);

/// Findings of the linters: those that make the tree red, and advice.
#[derive(Debug, Default)]
pub(crate) struct Linted {
    /// Findings that make the tree red: new ones of the linters that CI runs.
    pub(crate) findings: Vec<Finding>,
    /// Everything else that is worth a fix.
    pub(crate) advice: Vec<Finding>,
}

/// Runs every linter of the setup.
pub(crate) async fn run(session: &mut Session, context: &StepContext) -> Result<Linted, StepError> {
    let mut linted = Linted::default();
    let mut outputs = Vec::new();
    for linter in session.setup().linters.clone() {
        let outcome = lint_in(session, &linter, &linter.directory, words(session, &linter), context).await?;
        let old = &session.setup().old_findings;
        for finding in findings(session, &linter, &outcome, &session.prefixes()) {
            let key = finding.key();
            if old.ignored.contains(&key) {
                continue;
            }
            let is_red = linter.is_required && !old.advice.contains(&key);
            let list = if is_red { &mut linted.findings } else { &mut linted.advice };
            list.push(finding);
        }
        outputs.push(String::from_utf8_lossy(&outcome.stdout).into_owned());
    }
    session.keep_lint_outputs(outputs);
    Ok(linted)
}

/// Sorts out what the commit before had, too, by running the linters there: `before` is its tree, `None` when there is no
/// such commit. Of a linter that CI runs a few old findings are still worth a fix; of one that is only configured none is.
pub(crate) async fn old_findings(
    session: &mut Session,
    before: Option<&Path>,
    context: &StepContext,
) -> Result<OldFindings, StepError> {
    const A_FEW: usize = 10;
    let mut old = OldFindings::default();
    for linter in session.setup().linters.clone() {
        let place = match before {
            Some(before) => before.to_owned(),
            // Nothing to compare with: what CI runs counts in full, what is only configured does not count.
            None if linter.is_required => continue,
            None => session.tree(),
        };
        let directory = place.join(&linter.directory).display().to_string();
        let outcome = lint_in(session, &linter, &directory, words(session, &linter), context).await?;
        let prefixes = [place.display().to_string()];
        let found = findings(session, &linter, &outcome, &prefixes).into_iter();
        let (formats, found): (Vec<Finding>, Vec<Finding>) = found.partition(formatting::is_target);
        let found = found.into_iter().map(|finding| finding.key());
        if linter.is_required {
            old.advice.extend(found);
        } else {
            old.ignored.extend(found);
        }
        // The formatter mends a few old ones with the new ones, and CI is red before it has. Another version has other opinions.
        if formats.len() > A_FEW || !linter.is_required || !linter.is_pinned() {
            old.uncounted += if linter.is_required { formats.len() } else { 0 };
            old.ignored.extend(formats.into_iter().map(|finding| finding.key()));
        }
    }
    if old.advice.len() > A_FEW {
        old.uncounted += old.advice.len();
        old.ignored.append(&mut old.advice);
    }
    Ok(old)
}

/// Returns the findings of a linter: none if it exits successfully.
fn findings(session: &Session, linter: &LintCommand, outcome: &Outcome, prefixes: &[String]) -> Vec<Finding> {
    if outcome.end.is_success() {
        return Vec::new();
    }
    let (stdout, stderr) = outcome.text();
    let said = Said { stdout, stderr };
    let look = Look { prefixes, directory: &linter.directory, sources: session.place().sources };
    let found = tools::of(linter.linter).map(|tool| (tool.read)(&said, &look)).unwrap_or_default();
    if found.is_empty() {
        // It did not lint at all, and silence of that kind is not green.
        return vec![did_not_run(linter, outcome)];
    }
    found
}

fn did_not_run(linter: &LintCommand, outcome: &Outcome) -> Finding {
    let said = String::from_utf8_lossy(&outcome.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no output");
    Finding {
        source: Source::Lint,
        category: Category::Linting,
        file: None,
        location: None,
        message: format!("`{}` did not run ({}): {said}", linter.words.join(" "), outcome.end),
        stack: None,
    }
}

/// Runs words of a linter in a folder, with the tools of its language.
pub(crate) async fn lint_in(
    session: &mut Session,
    linter: &LintCommand,
    directory: &str,
    words: Vec<String>,
    context: &StepContext,
) -> Result<Outcome, StepError> {
    session.run_with(linter.language, directory, words, LINT_TIME, context).await
}

/// The command that reports, and changes nothing.
fn words(session: &Session, linter: &LintCommand) -> Vec<String> {
    let report = tools::of(linter.linter).map_or(&[][..], |tool| tool.report);
    let arguments = tool::with(linter.arguments.clone(), report).into_iter().map(|word| placed(session, &word));
    std::iter::once(linter.program.display().to_string()).chain(arguments).collect()
}

fn placed(session: &Session, word: &str) -> String {
    word.replace("{scratch}", &session.place().folders.scratch().display().to_string())
}

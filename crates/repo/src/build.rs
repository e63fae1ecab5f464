//! Building before the tests, and programs that have to end well after them.

use std::time::Duration;

use autoheal_code::javascript::report::build;
use autoheal_code::report::Look;
use autoheal_engine::diagnostics::{Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::Outcome;

use crate::session::Session;
use crate::setup::BuildCommand;
use crate::toolchain::Toolchain;
use crate::toolchains;

/// Runs every build of the setup, in order; what failed says why.
pub(crate) async fn run(
    session: &mut Session,
    limit: Duration,
    context: &StepContext,
) -> Result<Vec<Finding>, StepError> {
    let mut findings = Vec::new();
    for command in session.setup().builds.clone() {
        let words = with_variables(&command, command.words.iter().cloned());
        let language = session.setup().language_in(&command.directory);
        let outcome = session.run_with(language, &command.directory, words, limit, context).await?;
        if !outcome.end.is_success() {
            findings.extend(read(session, &command, &outcome));
        }
    }
    Ok(findings)
}

/// Runs every further program that CI runs; what failed says why.
pub(crate) async fn check(
    session: &mut Session,
    limit: Duration,
    context: &StepContext,
) -> Result<Vec<Finding>, StepError> {
    let mut findings = Vec::new();
    for check in session.setup().checks.clone() {
        findings.extend(check_one(session, &check, &check.directory, limit, context).await?);
    }
    Ok(findings)
}

/// Runs one of them in a folder.
pub(crate) async fn check_one(
    session: &mut Session,
    check: &BuildCommand,
    directory: &str,
    limit: Duration,
    context: &StepContext,
) -> Result<Vec<Finding>, StepError> {
    // The first word is the interpreter that the tests have.
    let program = check.words.first().map(String::as_str).unwrap_or_default();
    let toolchain = toolchains::ALL.into_iter().find(|toolchain| toolchain.starts(program));
    let language = toolchain.map_or(session.setup().main_tools.language, Toolchain::language);
    let tools = session.setup().tools_of(language).clone();
    let program = tools.interpreter.program.display().to_string();
    let mut check = check.clone();
    // Beside the sources nothing may be writable: in the tree of the commit before, nothing is.
    let compiled = session.place().folders.scratch().join("compiled").display().to_string();
    check.environment.entry("PYTHONPYCACHEPREFIX".to_owned()).or_insert(compiled);
    let words = with_variables(&check, std::iter::once(program).chain(check.words.iter().skip(1).cloned()));
    let outcome = session.run_with(language, directory, words, limit, context).await?;
    if outcome.end.is_success() {
        return Ok(Vec::new());
    }
    let mut findings = toolchains::of(tools.language).findings_in_output(&session.place(), &outcome);
    for finding in &mut findings {
        // It is judged like a build: what it finds is there, or is not.
        finding.source = Source::Build;
    }
    Ok(findings)
}

/// Returns the command's argv; variables of the command are set by `env`, which then comes first.
fn with_variables(command: &BuildCommand, words: impl Iterator<Item = String>) -> Vec<String> {
    let assigned: Vec<String> = command.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let env = (!assigned.is_empty()).then(|| "env".to_owned());
    env.into_iter().chain(assigned).chain(words).collect()
}

/// Returns the findings of a failed build. A project may call the compilers of any language.
fn read(session: &Session, command: &BuildCommand, outcome: &Outcome) -> Vec<Finding> {
    let (place, prefixes) = (session.place(), session.prefixes());
    let look = Look { prefixes: &prefixes, directory: &command.directory, sources: place.sources };
    let (stdout, stderr) = outcome.text();
    let words = command.words.join(" ");
    let mut findings = build::findings_in(&stdout, &stderr, &outcome.end.to_string(), &words, &look);
    for toolchain in toolchains::ALL {
        toolchain.name_broken_files(place.sources, &mut findings);
    }
    findings
}

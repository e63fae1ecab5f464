//! Building before the tests, and compiling as a check.

use std::time::Duration;

use autoheal_code::report::node::{Look, build};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::Outcome;

use crate::session::Session;
use crate::setup::BuildCommand;
use crate::toolchain::node;

/// Runs every build of the setup, in order; what failed says why.
pub(crate) async fn run(
    session: &mut Session,
    limit: Duration,
    context: &StepContext,
) -> Result<Vec<Finding>, StepError> {
    let mut findings = Vec::new();
    for command in session.setup().builds.clone() {
        // Variables of one command are given to it by the program that exists for that.
        let assigned = command.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let mut words: Vec<String> = assigned.collect();
        if !words.is_empty() {
            words.insert(0, "env".to_owned());
        }
        words.extend(command.words.iter().cloned());
        let outcome = session.run_in(&command.directory, words, limit, context).await?;
        if !outcome.end.is_success() {
            findings.extend(read(session, &command, &outcome));
        }
    }
    Ok(findings)
}

fn read(session: &Session, command: &BuildCommand, outcome: &Outcome) -> Vec<Finding> {
    let (place, prefixes) = (session.place(), session.prefixes());
    let look = Look { directory: &command.directory, ..node::look(&place, &prefixes) };
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let words = command.words.join(" ");
    let mut findings = build::findings_in(&stdout, &stderr, &outcome.end.to_string(), &words, &look);
    node::suite::name_broken_files(place.sources, &mut findings);
    findings
}

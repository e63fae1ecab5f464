//! Findings from the logs of the failed jobs.

use autoheal_code::Sources;
use autoheal_code::report::{Look, job_log};
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{OutputRecord, Record, StepContext};
use autoheal_forge::host::{Check, CheckState, HostError};

use super::Hosted;
use crate::check_result::millis;
use crate::state::HealState;

/// Maximum number of logs to read: one fault turns many jobs red.
const MOST_LOGS: usize = 10;

/// The findings of everything that is red: at least one.
pub(crate) async fn findings(
    state: &mut HealState,
    hosted: &Hosted,
    checks: &[Check],
    sources: &Sources,
    context: &StepContext,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut logs = 0;
    for check in checks.iter().filter(|check| check.state == CheckState::Failure) {
        let Some(run) = check.run else {
            let why = format!("its log is not on {}; see its page", hosted.host.kind());
            found.push(unread(&check.name, &why));
            continue;
        };
        let jobs = match hosted.host.jobs(&hosted.repository, run).await {
            Ok(jobs) => jobs,
            Err(error) => {
                found.push(unreadable(state, &check.name, &error));
                continue;
            }
        };
        let red: Vec<_> = jobs.into_iter().filter(|job| job.state == CheckState::Failure).collect();
        if red.is_empty() {
            found.push(unread(&check.name, "the run failed without a job that did"));
        }
        for job in red {
            if logs == MOST_LOGS {
                context.note("ci", "more jobs are red; their logs are not read");
                break;
            }
            logs += 1;
            let began = context.now();
            let log = match hosted.host.job_log(&hosted.repository, job.id).await {
                Ok(log) => log,
                Err(error) => {
                    found.push(unreadable(state, &job.name, &error));
                    continue;
                }
            };
            context.record(Record::Output(OutputRecord {
                node: context.node.to_owned(),
                command: format!("CI: {} / {}", check.name, job.name),
                ended: "failure".to_owned(),
                output: log.text.clone(),
                millis: millis(context.now().since(began)),
            }));
            let look = Look { prefixes: &log.folders, directory: "", sources };
            found.extend(job_log::findings(&job.name, &log.text, &log.errors, &look));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|finding| seen.insert(finding.key()));
    found
}

/// Reports a log that cannot be read, as a warning and a finding. The findings of the other logs are still
/// worked on.
fn unreadable(state: &mut HealState, name: &str, error: &HostError) -> Finding {
    state.warn(format!("{}: what the CI job {name} says could not be read: {error}", error.code()));
    unread(name, &error.to_string())
}

/// Returns the finding for a failed job whose cause is unknown.
fn unread(name: &str, why: &str) -> Finding {
    Finding {
        source: Source::Runtime,
        category: Category::Logic,
        file: None,
        location: None,
        message: format!("the CI job {name} failed: {why}"),
        stack: None,
    }
}

//! `autoheal ci`: heals the checkout of a job of GitHub Actions, and tells the job what came of it.

mod annotation;
mod job;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use autoheal_forge::{Git, GitSettings};
use autoheal_repo::results::{FixStatus, HealingResults};
use autoheal_store::RunRow;
use uuid::Uuid;

use super::heal::{self, Ended};
use super::report;
use crate::args::Heal;
use crate::ci_args::CiJob;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::wiring;
use annotation::{Kind, annotation};
use job::Job;

/// The longest summary that GitHub takes, in bytes, and a little less.
const LONGEST_SUMMARY: usize = 1_000_000;

/// The most annotations that a step shows of one kind.
const MOST_ANNOTATIONS: usize = 10;

pub(super) async fn run(arguments: CiJob, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let job = Job::of_environment().bad_input()?;
    let asked = heal_arguments(&arguments, &job)?;
    if !arguments.push {
        warn_of_another_commit(&job, printer).await?;
    }
    // What tests print is not for the runner to obey.
    let word = Uuid::now_v7();
    printer.data(&format!("::stop-commands::{word}\n"))?;
    let ended = heal::to_its_end(&asked, |request| request.refuse_own_commits = true, config, printer).await;
    let ended = ended.and_then(|ended| match ended {
        Ended::Run(row) => heal::tell(&row, &asked, printer).map(|exit| Some((row, exit))),
        Ended::Stopped => Ok(None),
    });
    printer.data(&format!("::{word}::\n"))?;
    let Some((row, exit)) = ended? else { return Ok(Exit::Cancelled) };
    tell_job(&row, &job, printer)?;
    if let Some(path) = &arguments.patch {
        let diff = report::diff(&wiring::open_store(config).await?, row.run).await?;
        std::fs::write(path, diff).with_context(|| format!("{} cannot be written", path.display())).bad_input()?;
    }
    Ok(exit)
}

/// What is healed is what was checked out, which a workflow may have chosen otherwise than the commit that it runs for.
async fn warn_of_another_commit(job: &Job, printer: &Printer) -> Result<(), Failure> {
    let git = Git::new(GitSettings::default()).environment()?;
    let head = git.head(&job.workspace).await.bad_input()?;
    if let Some(commit) = job.commit.as_ref().filter(|commit| commit.as_str() != head.as_str()) {
        printer
            .warn(&format!("the checkout is at {head}, and the job runs for {commit}: what is checked out is healed"));
    }
    Ok(())
}

/// The same as `autoheal heal` is asked.
fn heal_arguments(arguments: &CiJob, job: &Job) -> Result<Heal, Failure> {
    let (repository, branch) = if arguments.push {
        let branch = job.branch_to_push().bad_input()?;
        (job.repository_url().bad_input()?, Some(branch))
    } else {
        (job.workspace.display().to_string(), None)
    };
    Ok(Heal {
        repository: Some(repository),
        branch,
        github_api: job.api.clone(),
        pull_request: arguments.pull_request,
        // A push with the job's own token starts no CI, and this job is CI.
        no_wait_ci: true,
        team: arguments.team.clone(),
        leader: arguments.leader.clone(),
        retry_limit: arguments.retry_limit,
        sandbox: arguments.sandbox,
        test_command: arguments.test_command.clone(),
        install_command: arguments.install_command.clone(),
        ..Heal::default()
    })
}

/// Annotations, the summary of the job, and the outputs of the step.
fn tell_job(row: &RunRow, job: &Job, printer: &Printer) -> Result<(), Failure> {
    let document = row.results.as_ref().context("the run has no results")?;
    let results: HealingResults = serde_json::from_value(document.clone())?;
    for (kind, status) in [(Kind::Notice, FixStatus::Fixed), (Kind::Error, FixStatus::Failed)] {
        for fix in results.fixes.iter().filter(|fix| fix.status == status).take(MOST_ANNOTATIONS) {
            let place = (fix.file != "unknown").then_some((fix.file.as_str(), fix.line));
            printer.data(&annotation(kind, place, &fix.summary))?;
        }
    }
    let reason = results.stop_reason;
    if !reason.is_success() {
        let said = format!("{}: {}", reason.name(), reason.explanation());
        printer.data(&annotation(Kind::Error, None, &said))?;
    }
    if let Some(path) = &job.summary {
        let report = row.report.as_deref().unwrap_or_default();
        append(path, cut(report))?;
    }
    if let Some(path) = &job.output {
        let mut lines = String::new();
        for (name, value) in [
            ("healed", (reason.is_success() && results.fixes_applied > 0).to_string()),
            ("stop_reason", reason.name().to_owned()),
            ("fixes", results.fixes_applied.to_string()),
            ("branch", if results.commit_count > 0 { results.branch_name.clone() } else { String::new() }),
            ("pull_request", results.pull_request.clone().unwrap_or_default()),
        ] {
            // One line each, whatever a value holds.
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            let _ = writeln!(lines, "{name}={value}");
        }
        append(path, &lines)?;
    }
    Ok(())
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_SUMMARY);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("{} cannot be written", path.display())).environment()
}

//! `autoheal ci`: heals the checkout of a GitHub Actions job, and reports the result to the job.

mod annotation;
mod job;

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use autoheal_forge::{Git, GitSettings};
use autoheal_repo::HealRequest;
use autoheal_repo::results::{FixStatus, HealingResults};
use autoheal_store::RunRow;
use nix::fcntl::OFlag;
use uuid::Uuid;

use super::heal::{self, ConflictPolicy, Ended};
use super::report;
use crate::args::Heal;
use crate::ci_args::CiJob;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::{logging, wiring};
use annotation::{Kind, annotation};
use job::Job;

/// The longest summary that GitHub takes, in bytes, and a little less.
const LONGEST_SUMMARY: usize = 1_000_000;

/// The most annotations that a step shows of one kind.
const MOST_ANNOTATIONS: usize = 10;

pub(super) async fn run(arguments: CiJob, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let job = Job::of_environment().bad_input()?;
    // The runner must not obey the output of tests.
    let word = Uuid::now_v7();
    printer.data(&format!("::stop-commands::{word}\n"))?;
    let ended = heal(&arguments, &job, config, printer).await;
    printer.data(&format!("::{word}::\n"))?;
    let (row, exit) = match ended {
        Ok(Some(ended)) => ended,
        Ok(None) => return Ok(Exit::Cancelled),
        // An error may contain text of a repository: it is printed in a form in which no line is a command.
        Err(failure) => {
            logging::log_failure("ci", &failure);
            let causes: Vec<String> = failure.error.chain().map(ToString::to_string).collect();
            printer.data(&annotation(Kind::Error, None, &causes.join("\nbecause: ")))?;
            return Ok(failure.exit);
        }
    };
    tell_job(&row, &job, printer)?;
    if let Some(path) = &arguments.patch {
        let diff = report::diff(&wiring::open_store(config).await?, row.run).await?;
        if !diff.is_empty() {
            write_patch(path, &diff, &job.workspace).bad_input()?;
        }
    }
    Ok(exit)
}

/// Heals the job's checkout or branch and waits for the result; `None` if the user stopped it.
async fn heal(
    arguments: &CiJob,
    job: &Job,
    config: &Config,
    printer: &Printer,
) -> Result<Option<(Box<RunRow>, Exit)>, Failure> {
    let (asked, commit) = if arguments.push {
        let head = job.head_to_push().bad_input()?;
        (heal_arguments(arguments, job.repository_url().bad_input()?, Some(head.branch)), head.commit)
    } else {
        let commit = checked_out(job, printer).await?;
        (heal_arguments(arguments, job.workspace.display().to_string(), None), commit)
    };
    let mut config = config.clone();
    config.github.api = job.api.clone().or(config.github.api);
    let change = |request: &mut HealRequest| {
        request.refuse_own_commits = true;
        // A job works on its own commit, and never resumes the run of an earlier job for another commit.
        request.commit = Some(commit);
    };
    match heal::run_to_completion(&asked, ConflictPolicy::Cancel, change, &config, printer).await? {
        Ended::Run(row) => {
            let exit = heal::tell(&row, &asked, printer)?;
            Ok(Some((row, exit)))
        }
        Ended::Stopped => Ok(None),
    }
}

/// Writes the patch. The checkout is untrusted: a link in it could lead anywhere.
fn write_patch(path: &Path, diff: &str, workspace: &Path) -> anyhow::Result<()> {
    let path = std::path::absolute(path)?;
    let (mut at, inside) = match path.strip_prefix(workspace) {
        Ok(inside) => (workspace.to_owned(), inside),
        Err(_) => (path.clone(), Path::new("")),
    };
    for part in inside.components() {
        at.push(part);
        if at.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            bail!("{} is a link; choose another file with --patch", at.display());
        }
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).custom_flags(OFlag::O_NOFOLLOW.bits());
    let written = options.open(&path).and_then(|mut file| file.write_all(diff.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// The commit that is checked out, which a workflow may have chosen otherwise than the one that the job runs for.
async fn checked_out(job: &Job, printer: &Printer) -> Result<String, Failure> {
    let git = Git::new(GitSettings::default()).environment()?;
    let head = git.head(&job.workspace).await.bad_input()?;
    if let Some(commit) = job.commit.as_ref().filter(|commit| commit.as_str() != head.as_str()) {
        printer.warn(&format!("the checkout is at {head}, but the job runs for {commit}; healing the checkout"));
    }
    Ok(head.to_string())
}

/// Returns the arguments that `autoheal heal` would get for the job.
fn heal_arguments(arguments: &CiJob, repository: String, branch: Option<String>) -> Heal {
    Heal {
        repository: Some(repository),
        branch,
        pull_request: arguments.pull_request,
        // A push with the job's own token starts no CI, and this job is CI.
        no_wait_ci: true,
        suite: arguments.suite.clone(),
        ..Heal::default()
    }
}

/// Annotations, the summary of the job, and the outputs of the step.
fn tell_job(row: &RunRow, job: &Job, printer: &Printer) -> Result<(), Failure> {
    let document = row.results.as_ref().context("the run has no results")?;
    let results: HealingResults = serde_json::from_value(document.clone())?;
    let reason = results.stop_reason;
    // First: a step shows ten of a kind.
    if !reason.is_success() {
        let said = format!("{}: {} ({reason})", results.outcome, reason.explanation());
        printer.data(&annotation(Kind::Error, None, &said))?;
    }
    for (kind, status) in [(Kind::Notice, FixStatus::Fixed), (Kind::Error, FixStatus::Failed)] {
        for fix in results.fixes.iter().filter(|fix| fix.status == status).take(MOST_ANNOTATIONS) {
            let place = (fix.file != "unknown").then_some((fix.file.as_str(), fix.line));
            printer.data(&annotation(kind, place, &fix.summary))?;
        }
    }
    if let Some(path) = &job.summary {
        let report = row.report.as_deref().unwrap_or_default();
        append(path, cut(report))?;
    }
    if let Some(path) = &job.output {
        let mut lines = String::new();
        for (name, value) in [
            ("healed", (reason.is_success() && results.fixes_applied > 0).to_string()),
            ("outcome", results.outcome.name().to_owned()),
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
    written.with_context(|| format!("cannot write {}", path.display())).environment()
}

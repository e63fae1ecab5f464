use std::time::Duration;

use anyhow::Context as _;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::{ErrorCode, Outcome, RunId, StopReason, TaskId, Timestamp, counted};
use autoheal_forge::RepositoryAddress;
use autoheal_orchestrator::{Owner, PerformError, TaskEnd, Worker, WorkerError, ask_for};
use autoheal_repo::HealRequest;
use autoheal_repo::request::Delivery;
use autoheal_repo::results::{FixStatus, HealingResults};
use autoheal_store::{RunRow, Store};

use super::queue;
use crate::args::Heal;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::run_name::RunName;
use crate::{interrupt, progress, wiring};

const STOPPING: &str = "stopping; all results so far are kept (Ctrl-C again to stop at once)";

/// Outcome of a run in this process.
pub(super) enum Ended {
    /// The run ended with results, which the row holds.
    Run(Box<RunRow>),
    /// The user stopped it.
    Stopped,
}

/// Heals a repository in this process, by a task of the queue like any other.
pub(super) async fn run(arguments: Heal, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.enqueue {
        return put_into_queue(&arguments, config, printer).await;
    }
    match run_to_completion(&arguments, ConflictPolicy::Reject, |_| {}, config, printer).await? {
        Ended::Run(row) => tell(&row, &arguments, printer),
        Ended::Stopped => Ok(Exit::Cancelled),
    }
}

/// Puts the task into the queue, where a worker of this machine or, for a repository with an address, of any machine finds it.
async fn put_into_queue(arguments: &Heal, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let config = &arguments.over(config.clone());
    let repository = arguments.repository.as_deref().context("no repository is named").bad_input()?;
    let (address, request) = request(repository, arguments, config)?;
    let (store, machine) = (wiring::open_store(config).await?, wiring::machine_id(config)?);
    wiring::adopt_tasks(config, &store).await?;
    let enqueued = match ask_for(&store, &task_of(&address, &request, &machine, store.now())?).await {
        Err(refused @ PerformError::AskedOtherwise { .. }) => return Err(refused).bad_input(),
        enqueued => enqueued?,
    };
    queue::tell(&[(address.to_string(), enqueued)], arguments.json, printer)
}

/// Treatment of an open task for the same repository with a different request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConflictPolicy {
    /// The open task remains, and the user decides.
    Reject,
    /// The open task is cancelled, because its client no longer waits for it.
    Cancel,
}

/// Requests the run, or resumes it, and waits until it ends. `change` sets what the flags cannot express.
pub(super) async fn run_to_completion(
    arguments: &Heal,
    on_conflict: ConflictPolicy,
    change: impl FnOnce(&mut HealRequest),
    config: &Config,
    printer: &Printer,
) -> Result<Ended, Failure> {
    let config = &arguments.over(config.clone());
    let mut request =
        arguments.repository.as_deref().map(|repository| request(repository, arguments, config)).transpose()?;
    if let Some((_, request)) = &mut request {
        change(request);
    }
    let (store, machine) = (wiring::open_store(config).await?, wiring::machine_id(config)?);
    wiring::adopt_tasks(config, &store).await?;
    let asked = match (&request, &arguments.resume) {
        (_, Some(run)) => match reopen(&store, run).await? {
            Resumed::Task(task) => Asked::Task(task),
            Resumed::Ended(row) => return Ok(Ended::Run(row)),
        },
        (Some((address, request)), None) => enqueue(&store, address, request, &machine, printer).await?,
        (None, None) => return Err(Failure::bad_input("expected a repository, or a run with --resume")),
    };
    if let (Asked::Otherwise(refused), ConflictPolicy::Reject) = (&asked, on_conflict) {
        return Err(Failure::bad_input(refused.to_string()));
    }
    wiring::warn_without_sandbox(config, printer);
    let sources = wiring::source_services(config, &store)?;
    let (registry, kind) = wiring::repositories(config, sources).await?;
    let crew = wiring::crew(config, Some(kind))?;
    let maintenance = wiring::maintenance(config, &store)?;
    let worker =
        Worker::new(store.clone(), wiring::attended_worker_settings(config, Duration::from_millis(200))?, registry)
            .with_crew(crew);
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    let asked = match (asked, &request) {
        (Asked::Otherwise(PerformError::AskedOtherwise { task: old, .. }), Some((address, request))) => {
            printer.say(&format!("cancelled task {old}, an earlier request for this repository"));
            store.request_cancel(old).await?;
            // One whose process is gone ends when it is claimed.
            match worker.run_task(old, stop.clone()).await {
                Ok(_) | Err(WorkerError::Ended { .. }) => enqueue(&store, address, request, &machine, printer).await?,
                Err(error) => return conclude(Err(error), old, &store, printer).await,
            }
        }
        (asked, _) => asked,
    };
    let task = match asked {
        Asked::Task(task) => task,
        Asked::Otherwise(refused) => return Err(refused).bad_input(),
    };
    notify_if_waiting(&store, task, printer).await?;
    let end = progress::show(printer, &worker, worker.run_task(task, stop)).await;
    maintenance.clean_up_daily().await;
    conclude(end, task, &store, printer).await
}

/// Returns the request, validated as far as possible without reading the repository.
fn request(repository: &str, arguments: &Heal, config: &Config) -> Result<(RepositoryAddress, HealRequest), Failure> {
    let sites = wiring::sites(config)?;
    let address = RepositoryAddress::parse_on(repository, &sites).bad_input()?;
    address.check_folder().bad_input()?;
    if arguments.pull_request && !sites.iter().any(|site| address.on(site).is_some()) {
        let hosts: Vec<&str> = sites.iter().map(|site| site.web().as_str()).collect();
        return Err(Failure::bad_input(format!(
            "--pull-request needs a repository at {}, but {address} is not there; the settings name other hosts",
            hosts.join(" or ")
        )));
    }
    let words = |text: &Option<String>, flag: &str| {
        let split = text.as_deref().map(shell_words::split).transpose();
        let words = split.with_context(|| format!("cannot split {flag} into arguments")).bad_input()?;
        match words {
            Some(words) if words.is_empty() => Err(Failure::bad_input(format!("{flag} is empty"))),
            words => Ok(words),
        }
    };
    let delivery = match (arguments.dry_run, arguments.no_push) {
        (true, _) => Delivery::DryRun,
        (false, true) => Delivery::NoPush,
        (false, false) => Delivery::Push,
    };
    let request = HealRequest {
        repository: address.to_string(),
        branch: arguments.branch.clone(),
        trust_config: arguments.trust_config,
        delivery,
        include_uncommitted: arguments.include_uncommitted,
        test_command: words(&arguments.suite.test_command, "--test-command")?,
        install_command: words(&arguments.suite.install_command, "--install-command")?,
        ..wiring::heal_request(config)
    };
    Ok((address, request))
}

/// Result of enqueueing the request.
enum Asked {
    Task(TaskId),
    /// Another task is open for the repository.
    Otherwise(PerformError),
}

async fn enqueue(
    store: &Store,
    address: &RepositoryAddress,
    request: &HealRequest,
    machine: &str,
    printer: &Printer,
) -> Result<Asked, Failure> {
    let enqueued = match ask_for(store, &task_of(address, request, machine, store.now())?).await {
        Ok(enqueued) => enqueued,
        Err(refused @ PerformError::AskedOtherwise { .. }) => return Ok(Asked::Otherwise(refused)),
        Err(error) => return Err(error.into()),
    };
    if !enqueued.created {
        printer.warn(&format!(
            "task {0} for this repository is not finished; resuming it (to start over: autoheal tasks cancel {0})",
            enqueued.id
        ));
    }
    Ok(Asked::Task(enqueued.id))
}

fn task_of(
    address: &RepositoryAddress,
    request: &HealRequest,
    machine: &str,
    now: Timestamp,
) -> Result<NewTask, Failure> {
    let mut task = NewTask::new(TaskKind::HealRepo, address.to_string(), now);
    // A path means something on this machine only.
    task.host = address.path().map(|_| machine.to_owned());
    task.context = serde_json::to_value(request)?;
    Ok(task)
}

enum Resumed {
    Task(TaskId),
    Ended(Box<RunRow>),
}

/// Returns the task of a run to resume, or the row of a run that already has results, which is not run again.
async fn reopen(store: &Store, run: &RunName) -> Result<Resumed, Failure> {
    let row = run.find(store).await?;
    if row.results.is_some() {
        return Ok(Resumed::Ended(Box::new(row)));
    }
    let task = store.task(row.task).await?.context("the run's task is gone")?;
    if !task.state.is_open() && !store.reopen(task.id).await? {
        return Err(Failure::bad_input(format!("task {} cannot be resumed: {}", task.id, task.state.name())));
    }
    Ok(Resumed::Task(task.id))
}

/// Tells the user when another process may work on the task: this one takes over only when that lease ends.
async fn notify_if_waiting(store: &Store, task: TaskId, printer: &Printer) -> Result<(), Failure> {
    let Some(task) = store.task(task).await? else { return Ok(()) };
    let is_gone = |name: &String| name.parse::<Owner>().is_ok_and(|owner| owner.is_gone());
    if let (TaskState::InProgress, Some(owner)) = (task.state, task.lease_owner.as_ref().filter(|name| !is_gone(name)))
    {
        printer.say(&format!("waiting for worker {owner}, which runs task {}", task.id));
    }
    Ok(())
}

async fn conclude(
    end: Result<TaskEnd, WorkerError>,
    task: TaskId,
    store: &Store,
    printer: &Printer,
) -> Result<Ended, Failure> {
    match end {
        Ok(TaskEnd::Finished { run, .. }) => {
            let row = store.run(run).await?.context("the run's row is gone")?;
            Ok(Ended::Run(Box::new(row)))
        }
        Ok(TaskEnd::Stopped { run }) => {
            printer.say(&format!("stopped; to resume: autoheal heal --resume {run}"));
            Ok(Ended::Stopped)
        }
        Ok(TaskEnd::Broken { error, state: _ }) => Err(anyhow::anyhow!(error)
            .context(format!(
                "task {task} failed; its results so far are kept. To resume it, run the same command again"
            ))
            .into()),
        Ok(TaskEnd::LeaseLost) => {
            Err(anyhow::anyhow!("another worker took over task {task}; see `autoheal tasks show {task}`").into())
        }
        Err(WorkerError::Ended { .. }) => match store.last_run(task).await?.filter(|row| row.results.is_some()) {
            Some(row) => Ok(Ended::Run(Box::new(row))),
            None => {
                Err(Failure::bad_input(format!("task {task} ended without a result; see `autoheal tasks show {task}`")))
            }
        },
        Err(WorkerError::Stopped(_)) => {
            printer.say("stopped before the task started; to start it, run the same command again");
            Ok(Ended::Stopped)
        }
        Err(error @ (WorkerError::NoSuchTask(_) | WorkerError::NotReady { .. })) => Err(error).bad_input(),
        Err(error @ WorkerError::Store(_)) => Err(error.into()),
    }
}

/// Prints or writes the results of a finished run. Returns the exit code.
pub(super) fn tell(row: &RunRow, arguments: &Heal, printer: &Printer) -> Result<Exit, Failure> {
    let document = row.results.as_ref().context("the run has no results")?;
    if let Some(path) = &arguments.output {
        std::fs::write(path, serde_json::to_string_pretty(document)?)
            .with_context(|| format!("cannot write {}", path.display()))
            .bad_input()?;
    }
    if arguments.json {
        printer.json(document)?;
    }
    let results: HealingResults = match serde_json::from_value(document.clone()) {
        Ok(results) => results,
        // The run ended before its workflow had results to give: the document holds the error alone.
        Err(_) => {
            return Err(anyhow::anyhow!("{}", document["error"]["message"].as_str().unwrap_or("the run failed")).into());
        }
    };
    printer.say("");
    for fix in &results.fixes {
        let mark = match fix.status {
            FixStatus::Fixed => "fixed ",
            FixStatus::Failed => "left  ",
        };
        printer.say(&format!("{mark} {}", fix.summary));
    }
    for warning in &results.warnings {
        printer.warn(warning);
    }
    for flaky in &results.flaky {
        printer.warn(&flaky.summary());
    }
    for not_run in &results.not_run {
        printer.warn(&format!("CI also requires a check that was not run here: {not_run}"));
    }
    printer.model_usage(results.language_model.unwrap_or_default());
    let reason = results.stop_reason;
    if let (Some(change), Outcome::CouldNotFix | Outcome::PartlyFixed) = (results.refused.last(), results.outcome) {
        printer.say(&format!(
            "tried last: {} ({} line {}): {}",
            change.description, change.file, change.line, change.reason
        ));
    }
    printer.say(&format!("{}: {} ({reason})", results.outcome, reason.explanation()));
    if let Some(error) = &results.error {
        let message = if error.message == reason.explanation() { String::new() } else { format!("{error}; ") };
        printer.say(&format!("{message}for the remedy: autoheal explain {}", error.code));
    }
    if let Some(next) = next(&results, row.run, arguments.dry_run) {
        printer.say(&format!("next: {next}"));
    }
    Ok(exit(&results))
}

/// Returns the one thing to do next, as a command where there is one.
fn next(results: &HealingResults, run: RunId, dry_run: bool) -> Option<String> {
    let branch = &results.branch_name;
    let commits = counted(results.commit_count, "commit");
    match &results.pull_request {
        _ if dry_run && results.fixes_applied > 0 => {
            Some(format!("autoheal report {run} --diff shows the patch; no branch was made, as this is a dry run"))
        }
        Some(address) => Some(format!("review {address}")),
        None if results.commit_count > 0 => {
            let time = &results.total_time;
            Some(format!("git merge {branch} ({commits} in {time}; autoheal report {run} --diff shows them)"))
        }
        None => {
            let next = results.stop_reason.next();
            (!next.is_empty()).then(|| format!("{next} Report: autoheal report {run}"))
        }
    }
}

fn exit(results: &HealingResults) -> Exit {
    match results.stop_reason {
        reason if reason.is_success() => Exit::Fine,
        StopReason::PartlyChecked => Exit::PartlyChecked,
        StopReason::Cancelled => Exit::Cancelled,
        StopReason::Infra => results.error.as_ref().map_or(Exit::NotHealed, |error| exit_of(error.code)),
        _ => Exit::NotHealed,
    }
}

/// Returns the exit code for an error that ended a run.
const fn exit_of(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::InvalidInput | ErrorCode::RepoNotFound | ErrorCode::RepoAccessDenied => Exit::BadInput,
        ErrorCode::DockerBuildFailed | ErrorCode::DockerRunFailed | ErrorCode::DiskFailed => Exit::EnvironmentMissing,
        ErrorCode::StoreUnavailable | ErrorCode::StepFailed => Exit::InternalFault,
        ErrorCode::RepoCloneFailed
        | ErrorCode::TestDiscoveryFailed
        | ErrorCode::TestExecutionFailed
        | ErrorCode::LlmApiError
        | ErrorCode::LlmTimeout
        | ErrorCode::PatchApplyFailed
        | ErrorCode::SyntaxValidationFailed
        | ErrorCode::GitPushFailed
        | ErrorCode::CiTimeout
        | ErrorCode::RetryLimitReached => Exit::NotHealed,
    }
}

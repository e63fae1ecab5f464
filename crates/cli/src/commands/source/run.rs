//! Adding, running and healing: tasks of the queue, run in this process.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use autoheal_engine::source::HealthState;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_engine::{Outcome, StopReason, Timestamp};
use autoheal_orchestrator::{Notifier, PerformError, WhenStopped, Worker, ask_for};
use autoheal_source::import::{self, Imported};
use autoheal_source::scout::Schema;
use autoheal_source::{AddRequest, Definition, PageKind, SourceName};
use autoheal_store::{RunRow, Store};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::find;
use crate::commands::queue;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::person::person;
use crate::printer::Printer;
use crate::source_args::Add;
use crate::{interrupt, progress, wiring};

const STOPPING: &str = "stopping; all results so far are kept (Ctrl-C again to stop at once)";

/// Number of items of a list page that a reader sees when it is added.
const SHOWN_ITEMS: usize = 5;

/// Adds a page as a source, and prints the values that its recipe extracts.
pub(super) async fn add(
    add: &Add,
    json: bool,
    store: &Store,
    config: &Config,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let Some((name, results)) = added(add, store, config, printer).await? else { return Ok(Exit::Cancelled) };
    if json {
        printer.json(&results)?;
    } else {
        show_added(&name, &results, printer)?;
    }
    Ok(Exit::Fine)
}

/// Adds a page as a source; returns its name and the results, `None` if the user stopped it.
pub(super) async fn added(
    add: &Add,
    store: &Store,
    config: &Config,
    printer: &Printer,
) -> Result<Option<(String, Value)>, Failure> {
    let task = task_of(add, store, printer)?;
    let name = task.target.clone();
    let Some(row) = perform(&Runner::new(store, config, printer)?, task).await? else { return Ok(None) };
    let is_added = row.is_well();
    let results = row.results.unwrap_or_default();
    if !is_added {
        let reason = results["error"].as_str().unwrap_or("the page could not be added").to_owned();
        return Err(Failure::bad_input(format!("cannot add `{name}`: {reason}")));
    }
    Ok(Some((name, results)))
}

/// Displays the results of adding a page.
pub(in crate::commands) fn show_added(name: &str, results: &Value, printer: &Printer) -> Result<(), Failure> {
    for note in results["added"]["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        printer.say(note);
    }
    printer.say(&format!("added `{name}`; values of its recipe:"));
    show_values(&results["added"]["values"], name, printer)
}

/// Displays the values of a page; of a long list the first ones, if a reader sees them.
pub(super) fn show_values(values: &Value, name: &str, printer: &Printer) -> Result<(), Failure> {
    match values.as_array().and_then(|items| items.split_at_checked(SHOWN_ITEMS)) {
        Some((first, rest)) if printer.is_read() && !rest.is_empty() => {
            printer.show(&serde_json::to_string_pretty(first)?)?;
            printer.say(&format!("and {} more; to print all accepted values: autoheal source data {name}", rest.len()));
        }
        _ => printer.show(&serde_json::to_string_pretty(values)?)?,
    }
    Ok(())
}

/// Returns the task that adds the source.
fn task_of(add: &Add, store: &Store, printer: &Printer) -> Result<NewTask, Failure> {
    let request = request_of(add, printer)?;
    let suggested = || {
        SourceName::suggested(&request.url)
            .context("cannot derive a name from the address; set one with --name")
            .bad_input()
    };
    let name = add.name.clone().map_or_else(suggested, Ok)?;
    let mut task = NewTask::new(TaskKind::AddSource, name.to_string(), store.now());
    task.context = serde_json::to_value(&request)?;
    Ok(task)
}

/// Returns the request that the arguments make.
pub(super) fn request_of(add: &Add, printer: &Printer) -> Result<AddRequest, Failure> {
    let (url, more) = add.urls.split_first().context("name a page").bad_input()?;
    let imported = add.recipe.as_deref().map(read_recipe).transpose()?;
    for note in imported.iter().flat_map(|imported| &imported.notes) {
        printer.say(note);
    }
    Ok(AddRequest {
        more: more.to_vec(),
        required_as_found: imported.as_ref().is_some_and(|imported| !imported.says_required()),
        recipe: imported.map(|imported| imported.recipe),
        schema: add.schema.as_deref().map(read_schema).transpose()?,
        kind: page_kind(add),
        examples: add.examples.clone(),
        interval_seconds: add.interval.unwrap_or(Definition::DEFAULT_INTERVAL.as_secs()),
        schedule: add.schedule.clone(),
        heal_policy: add.heal_policy.into(),
        on_uncertain: add.on_uncertain.into(),
        webhook: add.webhook.clone(),
        render: add.render,
        asked_by: Some(person()),
        ..AddRequest::new(url.clone())
    })
}

pub(super) fn read_recipe(path: &Path) -> Result<Imported, Failure> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the recipe {}", path.display()))
        .bad_input()?;
    import::recipe_of(&text).map_err(|error| error.named(&path.display().to_string())).bad_input()
}

fn read_schema(path: &Path) -> Result<Schema, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the schema {name}")).bad_input()?;
    Schema::parse(&text).with_context(|| format!("cannot use the schema {name}")).bad_input()
}

/// Returns the kind of page that the flags specify.
const fn page_kind(add: &Add) -> Option<PageKind> {
    match (add.list, add.single) {
        (true, _) => Some(PageKind::List),
        (false, true) => Some(PageKind::Single),
        (false, false) => None,
    }
}

/// Runs sources now, and heals those that fail.
pub(super) async fn run(
    (names, time_limit): (&[SourceName], Duration),
    json: bool,
    store: &Store,
    config: &Config,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let wanted = wanted(names, store).await?;
    let runner = Runner::new(store, config, printer)?;
    let (mut results, mut all_good) = (Vec::new(), true);
    for name in wanted {
        let stop = runner.stop.child_token();
        let work = Box::pin(runner.show(runner.worker.refresh(&name, &stop, WhenStopped::GoesOn)));
        let Some(row) = within(time_limit, &stop, work).await? else {
            if runner.stop.is_cancelled() {
                return Ok(Exit::Cancelled);
            }
            printer.fault(&format!(
                "{name}: not finished within {} s (--time-limit); the next run resumes where this one stopped",
                time_limit.as_secs()
            ));
            all_good = false;
            results.push(json!({ "source": name, "outcome": null, "stop_reason": null, "results": null }));
            continue;
        };
        all_good &= row.is_well();
        if row.is_well() {
            printer.say(&line(&name, &row, None));
        } else {
            let source = store.source(&name).await?;
            printer.fault(&line(&name, &row, source.map(|source| source.health.state)));
        }
        let outcome = row.outcome.map(Outcome::name);
        results.push(
            json!({ "source": name, "outcome": outcome, "stop_reason": row.stop_reason, "results": row.results }),
        );
    }
    runner.deliver().await;
    if json {
        printer.json(&results)?;
    }
    Ok(if all_good { Exit::Fine } else { Exit::NotHealed })
}

/// Returns the names of existing sources; of all of them if none is named.
async fn wanted(names: &[SourceName], store: &Store) -> Result<Vec<String>, Failure> {
    for name in names {
        find(store, name).await?;
    }
    if !names.is_empty() {
        return Ok(names.iter().map(ToString::to_string).collect());
    }
    let all: Vec<String> = store.sources().await?.into_iter().map(|row| row.source).collect();
    if all.is_empty() {
        return Err(Failure::bad_input("there are no sources; add one with `autoheal source add URL`"));
    }
    Ok(all)
}

/// Puts runs of sources into the queue.
pub(super) async fn enqueue(
    names: &[SourceName],
    json: bool,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let mut queued = Vec::new();
    for name in wanted(names, store).await? {
        let task = NewTask::new(TaskKind::RefreshSource, name, store.now());
        queued.push((task.target.clone(), ask_for(store, &task).await?));
    }
    queue::tell(&queued, json, printer)
}

/// Awaits work, and stops it when the time is up.
async fn within<T>(limit: Duration, stop: &CancellationToken, mut work: impl Future<Output = T> + Unpin) -> T {
    tokio::select! {
        done = &mut work => done,
        () = tokio::time::sleep(limit) => {
            stop.cancel();
            work.await
        }
    }
}

/// Returns the line about a run that has ended: what happened, why, and what to do next. `state`: that of the source.
fn line(source: &str, row: &RunRow, state: Option<HealthState>) -> String {
    let outcome = row.outcome.map_or("not finished", Outcome::label);
    let reason = row.stop_reason.as_deref().and_then(StopReason::from_name);
    let is_failure =
        matches!(row.outcome, Some(Outcome::Broken | Outcome::Blocked | Outcome::Failed | Outcome::CouldNotFix));
    let document = row.results.as_ref().filter(|_| is_failure);
    let message = document.and_then(|document| document["failure"]["message"].as_str().or(document["error"].as_str()));
    let why =
        message.map(str::to_owned).or_else(|| reason.map(|reason| reason.explanation().to_owned())).unwrap_or_default();
    // The Doctor makes no attempt in quarantine.
    let reason =
        if is_failure && state == Some(HealthState::Quarantined) { Some(StopReason::Quarantined) } else { reason };
    let next = reason.map(StopReason::next).filter(|next| !next.is_empty());
    let next = next.map(|next| format!("\n    next: {}", next.replace("NAME", source))).unwrap_or_default();
    format!("{source}: {outcome}: {why}{next}")
}

/// Looks at a source and heals it.
pub(super) async fn heal(
    name: &SourceName,
    json: bool,
    store: &Store,
    config: &Config,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let source = find(store, name).await?;
    if source.health.state == HealthState::Dead {
        return Err(Failure::bad_input(format!("`{name}` is dead; to retry it: autoheal source release {name}")));
    }
    let task = NewTask::new(TaskKind::FixSource, name.to_string(), store.now());
    let runner = Runner::new(store, config, printer)?;
    let Some(row) = perform(&runner, task).await? else { return Ok(Exit::Cancelled) };
    runner.deliver().await;
    if json {
        printer.json(&row.results)?;
    } else {
        printer.markdown(row.report.as_deref().unwrap_or_default())?;
    }
    Ok(if row.is_well() { Exit::Fine } else { Exit::NotHealed })
}

/// A worker for tasks that the user waits for.
pub(super) struct Runner<'a> {
    worker: Worker,
    notifier: Notifier,
    stop: CancellationToken,
    printer: &'a Printer,
}

impl<'a> Runner<'a> {
    pub(super) fn new(store: &Store, config: &Config, printer: &'a Printer) -> Result<Self, Failure> {
        let settings = wiring::attended_worker_settings(config, Duration::from_millis(100))?;
        let sources = wiring::source_services(config, store)?;
        let crew = wiring::crew(config, None)?;
        let registry = wiring::source_registry(sources.clone())?;
        let worker = Worker::new(store.clone(), settings, registry).with_crew(crew);
        let notifier = wiring::notifier(config, store, &sources)?;
        Ok(Self { worker, notifier, stop: interrupt::stop_on_signal(printer, STOPPING)?, printer })
    }

    /// The time by the database's clock.
    pub(super) fn now(&self) -> Timestamp {
        self.worker.store().now()
    }

    /// Sends the notifications that the runs have left. Failed deliveries are retried by the next process that runs sources.
    async fn deliver(&self) {
        if let Err(error) = self.notifier.deliver_due(|| self.now()).await {
            tracing::warn!(%error, "cannot read notifications to post");
        }
    }

    /// Displays the progress of the work and returns the run when it has ended; `None` if the user stopped it.
    async fn show(&self, work: impl Future<Output = Result<RunRow, PerformError>>) -> Result<Option<RunRow>, Failure> {
        match progress::show(self.printer, &self.worker, work).await {
            Ok(row) => {
                self.printer.model_usage(self.worker.store().model_usage(row.run).await?);
                Ok(Some(row))
            }
            Err(stopped @ PerformError::Stopped(_)) => {
                self.printer.say(&stopped.to_string());
                Ok(None)
            }
            Err(refused @ PerformError::AskedOtherwise { .. }) => Err(refused).bad_input(),
            Err(error) => Err(error.into()),
        }
    }
}

pub(super) async fn perform(runner: &Runner<'_>, task: NewTask) -> Result<Option<RunRow>, Failure> {
    runner.show(runner.worker.perform(&task, &runner.stop, WhenStopped::GoesOn)).await
}

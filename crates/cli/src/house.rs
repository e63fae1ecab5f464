//! What goes on beside the work: runs are scheduled, what is to be told is delivered, what is old is forgotten. Several machines may each
//! do all of it.

use std::time::{Duration, Instant};

use autoheal_engine::RunId;
use autoheal_engine::source::{AlertKind, SourceRecord};
use autoheal_repo::caches;
use autoheal_sandbox::untrusted::remove_tree;
use autoheal_source::Notifier;
use autoheal_source::schedule::Schedule;
use autoheal_store::{Pruned, Retention, Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::wiring;

/// How often is looked for what is due.
const LOOK: Duration = Duration::from_secs(2);

/// How often is looked for what is to be delivered, and for what is old.
const DELIVER: Duration = Duration::from_secs(5);
const FORGET: Duration = Duration::from_hours(1);

/// How often is looked for tasks that nobody claims, and how long they may wait before it is told.
const WATCH: Duration = Duration::from_mins(5);
const WAITED: Duration = Duration::from_hours(1);

/// How often a command that is no worker forgets what is old.
const FORGET_BY_COMMAND: Duration = Duration::from_hours(24);

/// Says, at the end of a process, that it ended because a newer autoheal has migrated the database.
pub(crate) async fn ensure_current(store: &Store) -> Result<(), Failure> {
    match store.check_schema().await {
        Err(error @ StoreError::NewerSchema { .. }) => {
            Err(Failure { exit: Exit::EnvironmentMissing, error: error.into() })
        }
        // A database that cannot be reached has been warned of.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Enqueues a run of every source that is due, until stopped.
pub(crate) async fn schedule_until(store: &Store, stop: &CancellationToken) {
    let mut schedule = Schedule::default();
    while !stop.is_cancelled() {
        let looking = async {
            match schedule.enqueue_due(store, store.now()).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "sources are due"),
                Err(error) => tracing::warn!(%error, "what is due could not be enqueued"),
            }
            tokio::time::sleep(LOOK).await;
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = looking => {}
        }
    }
}

/// Something that is done again and again.
struct Recurring {
    every: Duration,
    last: Option<Instant>,
}

impl Recurring {
    const fn every(every: Duration) -> Self {
        Self { every, last: None }
    }

    /// Whether it is due, which is noted as done.
    fn is_due(&mut self) -> bool {
        let is_due = self.last.is_none_or(|at| at.elapsed() >= self.every);
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}

/// Delivers alerts and changes, raises alerts about what waits, and forgets what is old, until stopped.
pub(crate) async fn keep_until(notifier: &Notifier, store: &Store, config: &Config, stop: &CancellationToken) {
    let (mut forgetting, mut watching) = (Recurring::every(FORGET), Recurring::every(WATCH));
    while !stop.is_cancelled() {
        let keeping = async {
            if forgetting.is_due() {
                forget(store, config).await;
            }
            if watching.is_due()
                && let Err(error) = watch(store, config).await
            {
                tracing::warn!(error = format!("{:#}", error.error), "what waits could not be looked at");
            }
            if let Err(error) = notifier.deliver_due(|| store.now()).await {
                tracing::warn!(%error, "what is to be delivered could not be read");
            }
            tokio::time::sleep(DELIVER).await;
        };
        // What was claimed and not delivered is due again in two minutes.
        tokio::select! {
            () = stop.cancelled() => {}
            () = keeping => {}
        }
    }
}

/// Removes what runs left on this machine's disk (clones, trees) when they are forgotten: all of it could be made again.
async fn forget_folders(store: &Store, config: &Config) -> anyhow::Result<()> {
    let Ok(entries) = std::fs::read_dir(config.data_dir()?.join("runs")) else { return Ok(()) };
    let kept = retention(config).runs;
    // One folder that cannot be looked at or removed keeps none of the others from it.
    for entry in entries.flatten() {
        let run = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok());
        // A folder may have been used with another database: only what is old is looked at.
        let changed = entry.metadata().and_then(|folder| folder.modified());
        let is_old = changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > kept));
        if let Some(run) = run.filter(|_| is_old)
            && store.run(run).await?.is_none()
        {
            let folder = entry.path();
            let removed = tokio::task::spawn_blocking(move || remove_tree(&folder)).await?;
            if let Err(error) = removed {
                tracing::warn!(%run, %error, "the folder of an old run could not be removed");
            }
        }
    }
    Ok(())
}

/// Removes what installs left and no run has used for long, or what there is too much of.
async fn evict_caches(config: &Config) -> anyhow::Result<()> {
    let (folder, limits) = (config.data_dir()?, config.caches());
    let evicted = tokio::task::spawn_blocking(move || caches::evict(&folder, &limits)).await??;
    tracing::debug!(entries = evicted.entries, bytes = evicted.bytes, "installations removed");
    Ok(())
}

/// Raises alerts about tasks that nobody claims, and about a disk that is too full for any to be begun.
async fn watch(store: &Store, config: &Config) -> Result<(), Failure> {
    store.watch_waiting(WAITED).await?;
    if let Some(missing) = wiring::worker_settings(config)?.room.missing() {
        tracing::warn!(missing, "nothing is begun");
        let target = wiring::machine_id(config)?;
        let alert = SourceRecord::Alert { target, kind: AlertKind::NoRoom, message: missing, shared: None };
        store.change_sources(store.now(), &[alert]).await?;
    }
    Ok(())
}

/// Forgets what is old, once a day at most: for commands that do their work themselves, where no worker keeps house.
pub(crate) async fn forget_daily(store: &Store, config: &Config) {
    let Ok(mark) = wiring::data_dir(config).map(|folder| folder.join("forgotten")) else { return };
    let age = std::fs::metadata(&mark).and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age < FORGET_BY_COMMAND) {
        return;
    }
    if let Err(error) = std::fs::write(&mark, "") {
        tracing::warn!(%error, "the time of the last forgetting could not be noted");
    }
    forget(store, config).await;
}

/// Forgets what is older than the settings say.
async fn forget(store: &Store, config: &Config) {
    match store.forget(&retention(config)).await {
        Ok(Pruned { tasks, runs, rows }) => tracing::debug!(tasks, runs, rows, "forgotten"),
        Err(error) => tracing::warn!(%error, "what is old could not be forgotten"),
    }
    if let Err(error) = forget_folders(store, config).await {
        tracing::warn!(%error, "folders of old runs could not be removed");
    }
    if let Err(error) = evict_caches(config).await {
        tracing::warn!(%error, "installations that are not used could not be removed");
    }
}

fn retention(config: &Config) -> Retention {
    let days = |days: u32| Duration::from_hours(24 * u64::from(days));
    let (keep, default) = (&config.keep, Retention::default());
    Retention {
        runs: keep.run_days.map_or(default.runs, days),
        history: keep.history_days.map_or(default.history, days),
        values: keep.values.unwrap_or(default.values),
    }
}

//! Maintenance, in parallel with the tasks: scheduling runs, delivering alerts and changes, deleting old data. Several machines may
//! each do all of it.

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

/// Polling interval for sources that are due.
const LOOK: Duration = Duration::from_secs(2);

/// Intervals for delivering alerts and changes, and for deleting old data.
const DELIVER: Duration = Duration::from_secs(5);
const FORGET: Duration = Duration::from_hours(1);

/// Interval for checking for unclaimed tasks, and the waiting time after which they raise an alert.
const WATCH: Duration = Duration::from_mins(5);
const WAITED: Duration = Duration::from_hours(1);

/// Interval at which a command other than a worker deletes old data.
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
                Ok(count) => tracing::info!(count, "enqueued due sources"),
                Err(error) => tracing::warn!(%error, "cannot enqueue due sources"),
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

    /// Returns whether it is due, and if so, records it as done.
    fn is_due(&mut self) -> bool {
        let is_due = self.last.is_none_or(|at| at.elapsed() >= self.every);
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}

/// Delivers alerts and changes, raises alerts about waiting tasks, and deletes old data, until stopped.
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
                tracing::warn!(error = format!("{:#}", error.error), "cannot check waiting tasks");
            }
            if let Err(error) = notifier.deliver_due(|| store.now()).await {
                tracing::warn!(%error, "cannot read alerts to deliver");
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

/// Removes the folders (clones, trees) of deleted runs from this machine's disk; all of them could be recreated.
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
                tracing::warn!(%run, %error, "cannot remove the folder of an old run");
            }
        }
    }
    Ok(())
}

/// Evicts cached installations that no run has used for long, or that exceed the size limit.
async fn evict_caches(config: &Config) -> anyhow::Result<()> {
    let (folder, limits) = (config.data_dir()?, config.caches());
    let evicted = tokio::task::spawn_blocking(move || caches::evict(&folder, &limits)).await??;
    tracing::debug!(entries = evicted.entries, bytes = evicted.bytes, "removed cached installations");
    Ok(())
}

/// Raises alerts about tasks that no worker claims, and about a disk too full to begin any.
async fn watch(store: &Store, config: &Config) -> Result<(), Failure> {
    store.watch_waiting(WAITED).await?;
    if let Some(missing) = wiring::worker_settings(config)?.room.missing() {
        tracing::warn!(missing, "no task starts");
        let target = wiring::machine_id(config)?;
        let alert = SourceRecord::Alert { target, kind: AlertKind::NoRoom, message: missing, shared: None };
        store.change_sources(store.now(), &[alert]).await?;
    }
    Ok(())
}

/// Deletes old data, at most once a day: for commands that work without a worker, which would do the maintenance.
pub(crate) async fn forget_daily(store: &Store, config: &Config) {
    let Ok(mark) = wiring::data_dir(config).map(|folder| folder.join("forgotten")) else { return };
    let age = std::fs::metadata(&mark).and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age < FORGET_BY_COMMAND) {
        return;
    }
    if let Err(error) = std::fs::write(&mark, "") {
        tracing::warn!(%error, "cannot record the time of the last cleanup");
    }
    forget(store, config).await;
}

/// Deletes data older than the configured retention periods.
async fn forget(store: &Store, config: &Config) {
    match store.forget(&retention(config)).await {
        Ok(Pruned { tasks, runs, rows }) => tracing::debug!(tasks, runs, rows, "deleted old data"),
        Err(error) => tracing::warn!(%error, "cannot delete old data"),
    }
    if let Err(error) = forget_folders(store, config).await {
        tracing::warn!(%error, "cannot remove the folders of old runs");
    }
    if let Err(error) = evict_caches(config).await {
        tracing::warn!(%error, "cannot remove unused installations");
    }
}

fn retention(config: &Config) -> Retention {
    let days = |days: u64| Duration::from_secs(days.saturating_mul(86_400));
    let keep = &config.keep;
    Retention { runs: days(keep.run_days), history: days(keep.history_days), values: keep.values }
}

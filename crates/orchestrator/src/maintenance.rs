//! Maintenance, in parallel with the tasks: delivers alerts and changes, raises alerts about waiting tasks and full disks, and
//! deletes old data. Several machines may each do all of it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use autoheal_engine::RunId;
use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_sandbox::untrusted::remove_tree;
use autoheal_store::{Pruned, Retention, Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::notify::Notifier;
use crate::room::Room;

/// Interval for enqueueing due tasks.
const ENQUEUE: Duration = Duration::from_secs(2);

/// Interval for delivering alerts and changes.
const DELIVER: Duration = Duration::from_secs(5);

/// Interval for deleting old data.
const CLEAN_UP: Duration = Duration::from_hours(1);

/// Interval at which commands other than workers delete old data.
const CLEAN_UP_BY_COMMAND: Duration = Duration::from_hours(24);

/// Interval for checking for unclaimed tasks, and the waiting time after which they raise an alert.
const CHECK: Duration = Duration::from_mins(5);
const WAITED: Duration = Duration::from_hours(1);

/// File in the data folder whose modification time is the time of the last cleanup by a command.
const MARK: &str = "forgotten";

/// Settings of the maintenance.
#[derive(Clone)]
pub struct MaintenanceSettings {
    /// Folder for runs and caches.
    pub data_dir: PathBuf,
    /// Name of this machine, the target of alerts about it.
    pub machine: String,
    /// Disk space without which no task starts.
    pub room: Room,
    /// Retention periods of stored data.
    pub retention: Retention,
    /// Removes cached data that workflows no longer need. It may block.
    pub evict_caches: Arc<dyn Fn() -> io::Result<()> + Send + Sync>,
}

/// Maintenance of a database and of this machine's data folder.
pub struct Maintenance {
    store: Store,
    settings: MaintenanceSettings,
}

/// Failure of a part of the maintenance.
#[derive(Debug, thiserror::Error)]
enum MaintenanceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("a part of the maintenance ended early")]
    Ended(#[from] tokio::task::JoinError),
}

/// Enqueues due tasks, until stopped. `enqueue_due` returns the number of tasks that it enqueued.
pub async fn schedule_until(mut enqueue_due: impl AsyncFnMut() -> Result<usize, StoreError>, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        let enqueueing = async {
            match enqueue_due().await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "enqueued due sources"),
                Err(error) => tracing::warn!(%error, "cannot enqueue due sources"),
            }
            tokio::time::sleep(ENQUEUE).await;
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = enqueueing => {}
        }
    }
}

/// Interval since the last execution of recurring work.
struct Recurring {
    every: Duration,
    last: Option<Instant>,
}

impl Recurring {
    const fn every(every: Duration) -> Self {
        Self { every, last: None }
    }

    /// Returns whether the work is due, and if so, records it as done.
    fn is_due(&mut self) -> bool {
        let is_due = self.last.is_none_or(|at| at.elapsed() >= self.every);
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}

impl Maintenance {
    /// Creates the maintenance of a database, and of the data folder of this machine that belongs to it.
    pub const fn new(store: Store, settings: MaintenanceSettings) -> Self {
        Self { store, settings }
    }

    /// Delivers alerts and changes, raises alerts about waiting tasks, and deletes old data, until stopped.
    pub async fn run_until(&self, notifier: &Notifier, stop: &CancellationToken) {
        let (mut cleaning_up, mut checking) = (Recurring::every(CLEAN_UP), Recurring::every(CHECK));
        while !stop.is_cancelled() {
            let working = async {
                if cleaning_up.is_due() {
                    self.clean_up().await;
                }
                if checking.is_due()
                    && let Err(error) = self.check().await
                {
                    tracing::warn!(%error, "cannot check waiting tasks");
                }
                if let Err(error) = notifier.deliver_due(|| self.store.now()).await {
                    tracing::warn!(%error, "cannot read alerts to deliver");
                }
                tokio::time::sleep(DELIVER).await;
            };
            // A notice that was claimed and not delivered is due again in two minutes.
            tokio::select! {
                () = stop.cancelled() => {}
                () = working => {}
            }
        }
    }

    /// Deletes old data, at most once a day: for commands that work without a worker, which would do the maintenance.
    pub async fn clean_up_daily(&self) {
        let mark = self.settings.data_dir.join(MARK);
        let age = std::fs::metadata(&mark).and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age < CLEAN_UP_BY_COMMAND) {
            return;
        }
        if let Err(error) = std::fs::write(&mark, "") {
            tracing::warn!(%error, "cannot record the time of the last cleanup");
        }
        self.clean_up().await;
    }

    /// Deletes data older than the configured retention periods.
    async fn clean_up(&self) {
        match self.store.forget(&self.settings.retention).await {
            Ok(Pruned { tasks, runs, rows }) => tracing::debug!(tasks, runs, rows, "deleted old data"),
            Err(error) => tracing::warn!(%error, "cannot delete old data"),
        }
        if let Err(error) = self.remove_folders().await {
            tracing::warn!(%error, "cannot remove the folders of old runs");
        }
        if let Err(error) = self.evict_caches().await {
            tracing::warn!(%error, "cannot remove unused installations");
        }
    }

    /// Removes the folders (clones, trees) of deleted runs from this machine's disk; all of them could be recreated.
    async fn remove_folders(&self) -> Result<(), MaintenanceError> {
        let Ok(entries) = std::fs::read_dir(self.settings.data_dir.join("runs")) else { return Ok(()) };
        // A folder that cannot be read or removed does not keep the others on the disk.
        for entry in entries.flatten() {
            let run = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok());
            // A folder may have been used with another database: only old folders are removed.
            let changed = entry.metadata().and_then(|folder| folder.modified());
            let kept = self.settings.retention.runs;
            let is_old = changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > kept));
            if let Some(run) = run.filter(|_| is_old)
                && self.store.run(run).await?.is_none()
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

    /// Removes cached data that workflows no longer need, without blocking the other tasks of this process.
    async fn evict_caches(&self) -> Result<(), MaintenanceError> {
        let evict = Arc::clone(&self.settings.evict_caches);
        Ok(tokio::task::spawn_blocking(move || evict()).await??)
    }

    /// Raises alerts about tasks that no worker claims, and about a disk that is too full to start any.
    async fn check(&self) -> Result<(), StoreError> {
        self.store.watch_waiting(WAITED).await?;
        if let Some(message) = self.settings.room.missing() {
            tracing::warn!(missing = message, "no task starts");
            let target = self.settings.machine.clone();
            let alert = Alert { target, kind: AlertKind::NoRoom, message, shared: None };
            self.store.raise(self.store.now(), &[alert]).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use autoheal_store::Store;
    use tempfile::TempDir;

    use super::*;

    const MACHINE: &str = "machine-1";

    async fn maintenance(folder: &TempDir, least: u64, evictions: &Arc<AtomicUsize>) -> Maintenance {
        let evictions = Arc::clone(evictions);
        let settings = MaintenanceSettings {
            data_dir: folder.path().to_owned(),
            machine: MACHINE.to_owned(),
            room: Room { folder: folder.path().to_owned(), least },
            retention: Retention { runs: Duration::ZERO, history: Duration::from_hours(24), values: 10 },
            evict_caches: Arc::new(move || {
                evictions.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }),
        };
        Maintenance::new(Store::open("sqlite::memory:").await.unwrap(), settings)
    }

    #[tokio::test]
    async fn clean_up_daily_removes_folders_of_deleted_runs_once_a_day() {
        let (folder, evictions) = (tempfile::tempdir().unwrap(), Arc::default());
        let maintenance = maintenance(&folder, 0, &evictions).await;
        let runs = folder.path().join("runs");
        let of_run = |run: u128| runs.join(RunId(uuid::Uuid::from_u128(run)).to_string());
        let (deleted, foreign) = (of_run(1), runs.join("notes"));
        for kept in [&deleted, &foreign] {
            std::fs::create_dir_all(kept.join("tree")).unwrap();
        }
        maintenance.clean_up_daily().await;
        assert!(!deleted.exists() && foreign.exists());
        assert_eq!(evictions.load(Ordering::Relaxed), 1);

        std::fs::create_dir_all(&deleted).unwrap();
        maintenance.clean_up_daily().await;
        assert!(deleted.exists(), "the second call on the same day deletes nothing");
        assert_eq!(evictions.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn check_raises_one_alert_a_day_about_a_full_disk() {
        let folder = tempfile::tempdir().unwrap();
        let maintenance = maintenance(&folder, u64::MAX, &Arc::default()).await;
        maintenance.check().await.unwrap();
        maintenance.check().await.unwrap();
        let alerts = maintenance.store.alerts(&autoheal_store::AlertFilter::newest(10)).await.unwrap();
        let alerts: Vec<_> = alerts.iter().map(|alert| (alert.target.as_str(), alert.kind.as_str())).collect();
        assert_eq!(alerts, [(MACHINE, AlertKind::NoRoom.name())]);
    }
}

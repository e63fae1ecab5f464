//! What goes on beside the work: runs are scheduled, what is to be told is delivered, what is old is forgotten. Several machines may each
//! do all of it.

use std::time::{Duration, Instant};

use autoheal_engine::RunId;
use autoheal_orchestrator::now;
use autoheal_repo::caches;
use autoheal_sandbox::untrusted::remove_tree;
use autoheal_source::Notifier;
use autoheal_source::schedule::Schedule;
use autoheal_store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// How often is looked for what is due.
const LOOK: Duration = Duration::from_secs(2);

/// How often is looked for what is to be delivered, and for what is old.
const DELIVER: Duration = Duration::from_secs(5);
const FORGET: Duration = Duration::from_hours(1);

/// Runs, and what models were asked and answered, are kept for so long.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// Enqueues a run of every source that is due, until stopped.
pub(crate) async fn schedule_until(store: &Store, stop: &CancellationToken) {
    let mut schedule = Schedule::default();
    while !stop.is_cancelled() {
        let looking = async {
            match schedule.enqueue_due(store, now()).await {
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

/// Delivers alerts and changes, and forgets what is old, until stopped.
pub(crate) async fn keep_until(notifier: &Notifier, store: &Store, config: &Config, stop: &CancellationToken) {
    let mut forgot_at: Option<Instant> = None;
    while !stop.is_cancelled() {
        let keeping = async {
            if forgot_at.is_none_or(|at| at.elapsed() >= FORGET) {
                forgot_at = Some(Instant::now());
                if let Err(error) = forget(store).await {
                    tracing::warn!(%error, "what is old could not be forgotten");
                }
                if let Err(error) = forget_folders(store, config).await {
                    tracing::warn!(%error, "folders of old runs could not be removed");
                }
                if let Err(error) = evict_caches(config).await {
                    tracing::warn!(%error, "installations that are not used could not be removed");
                }
            }
            if let Err(error) = notifier.deliver_due(now).await {
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
    // One folder that cannot be looked at or removed keeps none of the others from it.
    for entry in entries.flatten() {
        let run = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok());
        // A folder may have been used with another database: only what is old is looked at.
        let changed = entry.metadata().and_then(|folder| folder.modified());
        let is_old = changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > KEPT));
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

async fn forget(store: &Store) -> Result<(), StoreError> {
    let before = now().minus(KEPT);
    store.forget_model_texts(before).await?;
    let pruned = store.prune(before).await?;
    tracing::debug!(tasks = pruned.tasks, runs = pruned.runs, "forgotten");
    Ok(())
}

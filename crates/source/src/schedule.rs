//! What is due.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Health, HealthState};
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_store::{Store, StoreError};

use crate::definition::Definition;

/// Enqueues a run of every source that is due; how many that were.
///
/// # Errors
///
/// What the database reports.
pub async fn enqueue_due(store: &Store, now: Timestamp) -> Result<usize, StoreError> {
    let mut count = 0;
    for row in store.sources().await? {
        let Ok(definition) = serde_json::from_value::<Definition>(row.definition) else { continue };
        if is_due(&row.source, &definition, &row.health, now) {
            // A worker may have run it while this loop came here.
            let task = NewTask::new(TaskKind::RefreshSource, row.source, now);
            count += usize::from(store.enqueue_after(&task, &row.health).await?);
        }
    }
    Ok(count)
}

/// Whether a source's interval has passed. A tenth of it, another for each source, spreads those that were added together.
pub fn is_due(source: &str, definition: &Definition, health: &Health, now: Timestamp) -> bool {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    let jitter = definition.interval().mul_f64(f64::from(u8::try_from(hasher.finish() % 100).unwrap_or(0)) / 1000.0);
    let last = health.last_success_at.max(health.last_failure_at);
    health.state != HealthState::Dead && last.is_none_or(|last| now.since(last) >= definition.interval() + jitter)
}

//! What is due.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Health, HealthState};
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_store::{Store, StoreError};

use crate::definition::Definition;

/// A source is asked for again after this long at the earliest, unless its interval is shorter.
const SHORTEST_REST: Duration = Duration::from_mins(10);

/// Who knows what is due, and what was asked for lately: a source whose runs end before they come to a result is not asked for again
/// and again.
#[derive(Debug, Default)]
pub struct Schedule {
    asked_at: HashMap<String, Timestamp>,
}

impl Schedule {
    /// Enqueues a run of every source that is due; how many that were.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn enqueue_due(&mut self, store: &Store, now: Timestamp) -> Result<usize, StoreError> {
        let mut count = 0;
        for row in store.sources().await? {
            let Ok(definition) = serde_json::from_value::<Definition>(row.definition) else { continue };
            let rest = definition.interval().min(SHORTEST_REST);
            let is_rested = self.asked_at.get(&row.source).is_none_or(|asked| now.since(*asked) >= rest);
            if is_rested && is_due(&row.source, &definition, &row.health, now) {
                self.asked_at.insert(row.source.clone(), now);
                // A worker may have run it while this loop came here.
                let task = NewTask::new(TaskKind::RefreshSource, row.source, now);
                count += usize::from(store.enqueue_after(&task, &row.health).await?);
            }
        }
        Ok(count)
    }
}

/// Whether a source's interval has passed. A tenth of it, another for each source, spreads those that were added together.
pub fn is_due(source: &str, definition: &Definition, health: &Health, now: Timestamp) -> bool {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    let jitter = definition.interval().mul_f64(f64::from(u8::try_from(hasher.finish() % 100).unwrap_or(0)) / 1000.0);
    let last = health.last_success_at.max(health.last_failure_at);
    health.state != HealthState::Dead && last.is_none_or(|last| now.since(last) >= definition.interval() + jitter)
}

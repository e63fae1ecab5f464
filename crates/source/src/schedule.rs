//! Schedule of the runs of sources.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Health, HealthState};
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_store::{Scheduled, SourceRow, Store, StoreError};

use crate::definition::Definition;

/// Minimum time between two enqueued runs of a source, unless its interval is shorter.
const SHORTEST_REST: Duration = Duration::from_mins(10);

/// Maximum delay that is added to a scheduled time to spread the runs of several sources.
const LONGEST_DELAY: Duration = Duration::from_mins(5);

/// Minimum time between two checks of a source, whatever its interval: one that is due again at once would keep a pass from ending.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// Number of sources that are looked at in one transaction.
const BATCH: u32 = 500;

/// Enqueues a run of every source that is due, and returns the number of runs enqueued. Only the sources are read that changed since
/// they were last looked at, or whose time has come. Several machines may do this at once: a run is enqueued once, and a source
/// whose runs end without a result rests before the next.
///
/// # Errors
///
/// Returns the error of the database.
pub async fn enqueue_due(store: &Store, now: Timestamp) -> Result<usize, StoreError> {
    let mut enqueued = 0;
    loop {
        let due = store.due_sources(now, BATCH).await?;
        let is_last = due.len() < BATCH as usize;
        let decided = due.into_iter().map(|due| {
            let scheduled = scheduled(&due.row, now);
            (due, scheduled)
        });
        enqueued += store.reschedule(decided.collect()).await?;
        if is_last {
            return Ok(enqueued);
        }
    }
}

/// Decides about a source that the schedule looks at.
fn scheduled(row: &SourceRow, now: Timestamp) -> Scheduled {
    let definition = match serde_json::from_value::<Definition>(row.definition.clone()) {
        Ok(definition) => definition,
        Err(error) => {
            tracing::error!(source = row.source, %error, "never run: what is stored of the source is not understood");
            return Scheduled { run: None, look_at: Some(now.plus(SHORTEST_REST)) };
        }
    };
    let Some(turn) = Turn::next(&row.source, &definition, &row.health, now) else {
        return Scheduled { run: None, look_at: None };
    };
    if turn.at > now {
        return Scheduled { run: None, look_at: Some(turn.at) };
    }
    let run = NewTask::new(TaskKind::RefreshSource, row.source.clone(), now);
    Scheduled { run: Some(run), look_at: Some(now.plus(turn.apart.clamp(SHORTEST_PAUSE, SHORTEST_REST))) }
}

/// Next run of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Time of the run.
    pub at: Timestamp,
    /// Interval between this run and the one after it.
    pub apart: Duration,
}

impl Turn {
    /// The turn after the last run, or now when there was none; `None`: it does not run by itself. Up to a tenth of the time to the next
    /// one, another part for each source, spreads those that were added together; where a time is named, five minutes at most.
    pub fn next(source: &str, definition: &Definition, health: &Health, now: Timestamp) -> Option<Self> {
        if health.state == HealthState::Dead || !definition.sites.is_empty() {
            return None;
        }
        let last = health.last_success_at.max(health.last_failure_at);
        let (at, apart, room) = match &definition.schedule {
            None => {
                let interval = definition.interval();
                (last.map(|last| last.plus(interval)), interval, interval / 10)
            }
            Some(schedule) => {
                let at = schedule.next_after(last.unwrap_or(now))?;
                let apart = schedule.next_after(at)?.since(at);
                (last.map(|_| at), apart, (apart / 10).min(LONGEST_DELAY))
            }
        };
        let at = at.map_or(now, |at| at.plus(room.mul_f64(part_of(source))));
        Some(Self { at, apart })
    }
}

/// A number from 0 up to 1, another one for each source.
fn part_of(source: &str) -> f64 {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    f64::from(u8::try_from(hasher.finish() % 100).unwrap_or(0)) / 100.0
}

#[cfg(test)]
mod tests {
    use autoheal_engine::source::SourceRecord;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    fn definition(interval: u64, schedule: Option<&str>) -> Definition {
        let url = "https://example.com/";
        let blueprint = json!({ "base_url": url, "kind": "single", "fields": [] });
        let document = json!({
            "url": url, "blueprint": blueprint, "interval_seconds": interval, "schedule": schedule, "heal_policy": "auto",
        });
        serde_json::from_value(document).unwrap()
    }

    fn run_at(time: Timestamp) -> Health {
        let mut health = Health::new();
        health.good_run(time);
        health
    }

    #[test]
    fn a_named_time_comes_soon_after_it_and_a_missed_one_at_once() {
        let daily = definition(60, Some("0 6 * * *"));
        let turn = |last: &str| Turn::next("news", &daily, &run_at(at(last)), at("2026-11-03T12:00:00Z")).unwrap();
        let due = turn("2026-11-01T12:00:00Z");
        assert_eq!(due.apart, Duration::from_hours(24));
        let named = at("2026-11-02T06:00:00Z");
        assert!(due.at >= named && due.at <= named.plus(LONGEST_DELAY), "{due:?}");
        assert_eq!(turn("2026-11-02T06:03:00Z").at.since(at("2026-11-03T06:00:00Z")).as_secs() / 300, 0);
        let dead = Health { state: HealthState::Dead, ..Health::new() };
        assert_eq!(Turn::next("news", &daily, &dead, named), None);
    }

    proptest! {
        #[test]
        fn a_turn_is_at_most_a_tenth_late(name in "[a-z]{1,10}", seconds in 1_u64..1_000_000, last in 0_i64..2_000_000_000_000) {
            let (last, interval) = (Timestamp::from_millis(last), Duration::from_secs(seconds));
            let by_interval = definition(seconds, None);
            let turn = Turn::next(&name, &by_interval, &run_at(last), last).unwrap();
            prop_assert!(turn.at >= last.plus(interval) && turn.at <= last.plus(interval + interval / 10));
            let hourly = definition(seconds, Some("0 * * * *"));
            let turn = Turn::next(&name, &hourly, &run_at(last), last).unwrap();
            let whole = turn.at.as_millis() / 3_600_000 * 3_600_000;
            prop_assert!(whole > last.as_millis() && whole - last.as_millis() <= 3_600_000);
            prop_assert!(turn.at.as_millis() - whole <= 300_000);
        }
    }

    #[tokio::test]
    async fn several_who_look_at_once_enqueue_one_run() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (source, last) = ("news".to_owned(), at("2026-11-01T05:00:00Z"));
        let definition = serde_json::to_value(definition(60, Some("0 6 * * *"))).unwrap();
        let added = [
            SourceRecord::Definition { source: source.clone(), definition },
            SourceRecord::Health { source, health: run_at(last) },
        ];
        store.change_sources(last, &added).await.unwrap();
        let early = at("2026-11-01T05:59:00Z");
        assert_eq!(enqueue_due(&store, early).await.unwrap(), 0);
        let late = at("2026-11-01T06:05:00Z");
        let (first, second) = tokio::join!(enqueue_due(&store, late), enqueue_due(&store, late));
        assert_eq!(first.unwrap() + second.unwrap(), 1);
    }
}

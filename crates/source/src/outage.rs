//! Detection of general outages: when most hosts fail at once, nothing is wrong with any of the sources.

use std::collections::BTreeMap;
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::workflow::StepError;
use autoheal_store::SourceRow;

use crate::definition::Definition;
use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::services::{SourceServices, store_error};

/// Runs longer ago say nothing about now.
const AT_ONCE: Duration = Duration::from_mins(30);

/// Minimum number of hosts from which an outage can be concluded.
const FEWEST_HOSTS: usize = 3;

/// Number of sources, those that ran last, that are enough to tell, however many there are.
const MOST_SOURCES: u32 = 300;

/// Returns whether a failure to reach a host is part of a general outage: this machine cannot look up names, or of at least three hosts with a run within the last
/// half hour, more than half were not reached by their last run.
pub(crate) async fn is_general(
    services: &SourceServices,
    loaded: &Loaded,
    failure: &Failure,
    now: Timestamp,
) -> Result<bool, StepError> {
    if failure.lookup_failed || !failure.unreached {
        return Ok(failure.lookup_failed);
    }
    let recent = services.store.sources_changed_since(now.minus(AT_ONCE), MOST_SOURCES).await;
    let mut rows = recent.map_err(|error| store_error(&error))?;
    if rows.iter().all(|row| row.source != loaded.row.source) {
        rows.push(loaded.row.clone());
    }
    Ok(most_hosts_fail(&rows, &loaded.row.source, now))
}

/// `this` is a source whose failure is not in its row yet.
fn most_hosts_fail(rows: &[SourceRow], this: &str, now: Timestamp) -> bool {
    let mut fails: BTreeMap<String, bool> = BTreeMap::new();
    for row in rows {
        let health = &row.health;
        let last = health.last_failure_at.max(health.last_success_at);
        let is_this = row.source == this;
        if !is_this && last.is_none_or(|last| now.since(last) > AT_ONCE) {
            continue;
        }
        let Ok(definition) = serde_json::from_value::<Definition>(row.definition.clone()) else { continue };
        let failed = is_this || health.unreached;
        // One source that is well shows that the host is.
        let host = definition.url.host_str().unwrap_or_default().to_owned();
        fails.entry(host).and_modify(|all| *all &= failed).or_insert(failed);
    }
    let failing = fails.values().filter(|failed| **failed).count();
    fails.len() >= FEWEST_HOSTS && failing * 2 > fails.len()
}

#[cfg(test)]
mod tests {
    use autoheal_engine::source::Health;
    use serde_json::json;

    use super::*;

    /// Sources on these hosts, each good or not some minutes ago.
    fn rows(sources: &[(&str, bool, i64)]) -> Vec<SourceRow> {
        let row = |(index, (host, is_good, minutes)): (usize, &(&str, bool, i64))| {
            let mut health = Health::new();
            let at = Timestamp::from_millis(100 * 60_000 - minutes * 60_000);
            if *is_good {
                health.good_run(at);
            } else {
                health.failed_run(at);
                health.unreached = true;
            }
            let url = format!("https://{host}/page");
            let blueprint = json!({ "base_url": url, "kind": "single", "fields": [] });
            let definition =
                json!({ "url": url, "blueprint": blueprint, "interval_seconds": 60, "heal_policy": "auto" });
            SourceRow { source: index.to_string(), definition, health, created_at: at }
        };
        sources.iter().enumerate().map(row).collect()
    }

    #[test]
    fn most_hosts_must_fail_and_lately() {
        let general = |sources: &[_]| most_hosts_fail(&rows(sources), "0", Timestamp::from_millis(100 * 60_000));
        assert!(general(&[("a.example", true, 300), ("b.example", false, 5), ("c.example", true, 5)]));
        assert!(!general(&[("a.example", true, 300), ("b.example", true, 5), ("c.example", true, 5)]));
        assert!(!general(&[("a.example", true, 300), ("b.example", false, 5)]), "two hosts are not many");
        assert!(!general(&[("a.example", true, 300), ("b.example", false, 50), ("c.example", false, 50)]), "long ago");
        // A host with a source that is well is reached.
        let shared =
            [("a.example", true, 300), ("b.example", false, 5), ("b.example", true, 5), ("c.example", true, 5)];
        assert!(!general(&shared));
    }
}

//! Figures of each day.

use std::collections::BTreeMap;

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::task::TaskKind;
use autoheal_engine::{Outcome, StopReason};
use autoheal_store::trend::{DayFigures, NoisyTarget, SlowTarget};
use rstest::rstest;

use crate::database::Engine;
use crate::listing::{at, run};

/// The first millisecond of the third day of 1970.
const DAY_3: i64 = 2 * 86_400_000;

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn runs_fixes_and_alerts_are_counted_by_day_and_the_slowest_and_noisiest_come_first(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    run(store, TaskKind::RefreshSource, "news", Some(StopReason::Good)).await;
    run(store, TaskKind::HealRepo, "a/b", Some(StopReason::Green)).await;
    run(store, TaskKind::HealRepo, "a/b", None).await;
    database.execute(&format!("UPDATE run SET started_at = {DAY_3} + 100, finished_at = finished_at + {DAY_3} + 700 WHERE workflow = 'HEAL_REPO'")).await;
    for (target, kind) in
        [("news", AlertKind::Rollback), ("news", AlertKind::Quarantine), ("shop", AlertKind::Quarantine)]
    {
        let alert = Alert { target: target.to_owned(), kind, message: String::new(), shared: None };
        store.raise(at(DAY_3 + 5), &[alert]).await.unwrap();
    }
    for (deployed_to, failed_at, days) in
        [("PRODUCTION", 1000, 0), ("PRODUCTION", 3000, 0), ("FAILED", 0, 0), ("STAGING", 0, 1)]
    {
        database
            .execute(&format!(
                "INSERT INTO fix_history (source_name, error_type, diagnosis_context, patch_generated, validation_result, deployed_to, created_at)
                 VALUES ('news', 'PARSE_ERROR', '{{\"failed_at\": {failed_at}}}', '', '{{}}', '{deployed_to}', {days} * 86400000 + 5000)"
            ))
            .await;
    }
    let days = store.day_figures(at(0)).await.unwrap();
    let first = DayFigures {
        runs: BTreeMap::from([(Some(Outcome::Fetched), 1)]),
        fixes_tried: 3,
        fixes_passed: 2,
        recoveries: 2,
        recovery_millis: 4000 + 2000,
        ..DayFigures::default()
    };
    let second = DayFigures { fixes_tried: 1, fixes_passed: 1, ..DayFigures::default() };
    let third = DayFigures {
        runs: BTreeMap::from([(None, 1), (Some(StopReason::Green.outcome(0)), 1)]),
        alerts: 3,
        fixes_taken_back: 1,
        ..DayFigures::default()
    };
    assert_eq!(days, BTreeMap::from([(0, first), (1, second), (2, third.clone())]));
    assert_eq!(store.day_figures(at(DAY_3)).await.unwrap(), BTreeMap::from([(2, third)]));

    let slow = |workflow: TaskKind, target: &str, average_millis| SlowTarget {
        workflow: workflow.name().to_owned(),
        target: target.to_owned(),
        runs: 1,
        average_millis,
    };
    let slowest = [slow(TaskKind::HealRepo, "a/b", 800), slow(TaskKind::RefreshSource, "news", 100)];
    assert_eq!(store.slowest_targets(at(0), 10).await.unwrap(), slowest);
    assert_eq!(store.slowest_targets(at(0), 1).await.unwrap(), slowest[..1]);
    let noisy = |target: &str, alerts| NoisyTarget { target: target.to_owned(), alerts };
    assert_eq!(store.noisiest_targets(at(0), 10).await.unwrap(), [noisy("news", 2), noisy("shop", 1)]);
}

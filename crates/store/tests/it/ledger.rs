//! The accounts of models.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::budget::Exhausted;
use autoheal_engine::ledger::{CallLedger as _, CallRecord};
use autoheal_store::UsageBy;
use autoheal_store::ledger::MODELS;
use rstest::rstest;

use crate::database::Engine;

const DAY: i64 = 86_400_000;

fn call(millis: i64, model: &str, micro_dollars: Option<u64>) -> CallRecord {
    CallRecord {
        at: Timestamp::from_millis(millis),
        target: Some("news".to_owned()),
        user: None,
        purpose: "diagnose_source".to_owned(),
        model: model.to_owned(),
        prompt_hash: "00".to_owned(),
        prompt: Some("a question with a NUL: \0".to_owned()),
        answer: Some("an answer".to_owned()),
        input_tokens: 100,
        output_tokens: 20,
        cached_tokens: 40,
        micro_dollars,
        latency: Duration::from_millis(700),
        outcome: "ANSWERED".to_owned(),
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn calls_are_summed_by_day_and_by_whatever_is_asked_for(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    assert_eq!(store.used_since(Timestamp::default()).await.unwrap().calls, 0);
    for call in [call(DAY - 1, "a/b", Some(7)), call(DAY, "a/b", Some(5)), call(DAY + 9, "c/d", None)] {
        store.record(call).await.unwrap();
    }
    let used = store.used_since(Timestamp::from_millis(DAY)).await.unwrap();
    assert_eq!((used.calls, used.tokens, used.micro_dollars), (2, 240, 5));
    let days = store.usage(Timestamp::default(), UsageBy::Day).await.unwrap();
    let told: Vec<(&str, u64, u64, u64)> =
        days.iter().map(|row| (row.name.as_str(), row.calls, row.micro_dollars, row.unpriced)).collect();
    assert_eq!(told, [("1970-01-01", 1, 7, 0), ("1970-01-02", 2, 5, 1)]);
    for (by, names) in [
        (UsageBy::Model, vec!["a/b", "c/d"]),
        (UsageBy::Target, vec!["news"]),
        (UsageBy::User, vec![""]),
        (UsageBy::Purpose, vec!["diagnose_source"]),
    ] {
        let rows = store.usage(Timestamp::default(), by).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), names);
    }
    store.forget_model_texts(Timestamp::from_millis(DAY)).await.unwrap();
    assert_eq!(store.used_since(Timestamp::default()).await.unwrap().calls, 3, "what was used stays");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn that_the_day_is_used_up_is_told_once_a_day(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    for hours in [1, 2, 26] {
        let at = Timestamp::from_millis(hours * 3_600_000);
        database.store.day_exhausted(at, Exhausted::Calls).await.unwrap();
    }
    let alerts = database.store.alerts(Some(MODELS), None, 10).await.unwrap();
    assert_eq!(alerts.iter().map(|alert| alert.kind.as_str()).collect::<Vec<_>>(), ["BUDGET", "BUDGET"]);
    assert!(alerts[0].message.contains("model calls is used up for today"), "{}", alerts[0].message);
}

//! The accounts of models.

use std::time::Duration;

use autoheal_engine::budget::{Exhausted, Limits, Usage};
use autoheal_engine::ledger::{Answered, CallLedger as _, CallRecord, Planned};
use autoheal_engine::{RunId, Timestamp};
use autoheal_store::ledger::MODELS;
use autoheal_store::{AlertFilter, UsageBy};
use rstest::rstest;
use uuid::Uuid;

use crate::database::{Engine, TestDatabase};

const DAY: i64 = 86_400_000;

/// A request that may cost 1,000 millionths of a dollar.
pub(crate) fn planned(run: RunId) -> Planned {
    let worst_case = Usage { tokens: 120, micro_dollars: 1000, calls: 1, wall_time: Duration::ZERO };
    let (per_run, per_day) = (Limits::default(), Limits::default());
    Planned { run, worst_case, per_run, per_day, longest: Duration::from_mins(3) }
}

fn run() -> RunId {
    RunId(Uuid::now_v7())
}

/// Makes a call, as if it had ended at a time.
async fn record(database: &TestDatabase, millis: i64, call: CallRecord) {
    let store = &database.store;
    let reservation = store.reserve(planned(run())).await.unwrap().unwrap();
    let run = reservation.run;
    store.settle(reservation, call).await.unwrap();
    database.execute(format!("UPDATE llm_call SET at = {millis} WHERE run_id = '{run}'")).await;
}

pub(crate) fn call(model: &str, micro_dollars: Option<u64>) -> CallRecord {
    CallRecord {
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
async fn an_answer_is_found_again_for_the_same_question_while_it_is_kept(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let now = store.now().as_millis();
    let with = |answer: &str, outcome: &str| CallRecord {
        answer: Some(answer.to_owned()),
        outcome: outcome.to_owned(),
        ..call("a/b", None)
    };
    record(&database, now - 40 * DAY, with("too old", "ANSWERED")).await;
    let same = Answered {
        target: Some("news".to_owned()),
        purpose: "diagnose_source".to_owned(),
        model: "a/b".to_owned(),
        prompt_hash: "00".to_owned(),
    };
    assert_eq!(store.answer_to(&same).await.unwrap(), None);
    for (at, answer, outcome) in [(5, "first", "ANSWERED"), (3, "last", "ANSWERED"), (1, "cut", "CUT_OFF")] {
        record(&database, now - at * 1000, with(answer, outcome)).await;
    }
    assert_eq!(store.answer_to(&same).await.unwrap().as_deref(), Some("last"));
    for other in [
        Answered { target: None, ..same.clone() },
        Answered { purpose: "plan".to_owned(), ..same.clone() },
        Answered { model: "c/d".to_owned(), ..same.clone() },
        Answered { prompt_hash: "01".to_owned(), ..same.clone() },
    ] {
        assert_eq!(store.answer_to(&other).await.unwrap(), None, "{other:?}");
    }
    store.forget_model_texts(Timestamp::from_millis(now)).await.unwrap();
    assert_eq!(store.answer_to(&same).await.unwrap(), None);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn calls_are_summed_by_day_and_by_whatever_is_asked_for(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    for (at, model, price) in [(DAY - 1, "a/b", Some(7)), (DAY, "a/b", Some(5)), (DAY + 9, "c/d", None)] {
        record(&database, at, call(model, price)).await;
    }
    let days = store.usage(Timestamp::default(), UsageBy::Day).await.unwrap();
    let told: Vec<(&str, u64, u64, u64)> = days
        .iter()
        .map(|row| (row.name.as_str(), row.usage.calls, row.usage.micro_dollars, row.usage.unpriced_calls))
        .collect();
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
    let days = store.usage(Timestamp::default(), UsageBy::Day).await.unwrap();
    assert_eq!(days.iter().map(|row| row.usage.calls).sum::<u64>(), 3, "what was used stays");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_reservation_counts_until_it_is_settled_or_its_time_is_up(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let per_day = Limits { micro_dollars: Some(2500), ..Limits::default() };
    let planned = || Planned { per_day, ..planned(run()) };
    let first = store.reserve(planned()).await.unwrap().unwrap();
    let lost = store.reserve(planned()).await.unwrap().unwrap();
    assert_eq!(store.reserve(planned()).await.unwrap(), Err(Exhausted::Money), "nothing is spent, and all is reserved");

    // 1,000 were reserved, and 300 spent.
    let of_run = first.run;
    store.settle(first, call("a/b", Some(300))).await.unwrap();
    assert_eq!(store.usage_of(of_run).await.unwrap().micro_dollars, 300);
    let third = store.reserve(planned()).await.unwrap().unwrap();
    assert_eq!(store.reserve(planned()).await.unwrap(), Err(Exhausted::Money));

    // A process that died settles nothing.
    database.execute(format!("UPDATE llm_reservation SET until = 1 WHERE reservation_id = {}", lost.number)).await;
    assert_eq!(store.usage_of(lost.run).await.unwrap().calls, 0);
    store.settle(store.reserve(planned()).await.unwrap().unwrap(), call("a/b", Some(1000))).await.unwrap();
    assert_eq!(store.reserve(planned()).await.unwrap(), Err(Exhausted::Money), "300, 1,000, and 1,000 reserved");
    // One that was only slow does, and what it has used counts.
    store.settle(lost, call("a/b", Some(100))).await.unwrap();
    store.settle(third, call("a/b", Some(1))).await.unwrap();
    let models = store.usage(Timestamp::default(), UsageBy::Model).await.unwrap();
    assert_eq!((models[0].usage.calls, models[0].usage.micro_dollars), (4, 1401));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn yesterday_counts_for_a_run_and_not_for_the_day(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let limits = Limits { calls: Some(1), ..Limits::default() };
    let (one, other) = (run(), run());
    let first = Planned { per_run: limits, per_day: limits, ..planned(one) };
    store.settle(store.reserve(first).await.unwrap().unwrap(), call("a/b", None)).await.unwrap();
    let second = Planned { run: other, ..first };
    assert_eq!(store.reserve(second).await.unwrap(), Err(Exhausted::Calls));
    database.execute(format!("UPDATE llm_call SET at = at - {DAY}")).await;
    assert_eq!(store.reserve(first).await.unwrap(), Err(Exhausted::Calls), "a run that lasts longer has one limit");
    assert!(store.reserve(second).await.unwrap().is_ok());
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn that_the_day_is_used_up_is_told_once_a_day(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let per_day = Limits { calls: Some(0), ..Limits::default() };
    for age in [DAY, 0, 0] {
        let refused = database.store.reserve(Planned { per_day, ..planned(run()) }).await.unwrap();
        assert_eq!(refused, Err(Exhausted::Calls));
        database.execute(format!("UPDATE alert SET created_at = created_at - {age}")).await;
    }
    let alerts = database.store.alerts(&AlertFilter::about(MODELS, 10)).await.unwrap();
    assert_eq!(alerts.iter().map(|alert| alert.kind.as_str()).collect::<Vec<_>>(), ["BUDGET", "BUDGET"]);
    assert!(alerts[0].message.contains("model calls is used up for today"), "{}", alerts[0].message);
}

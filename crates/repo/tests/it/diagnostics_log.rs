//! The three scenarios of `diagnostics_log.test` (spec `diagnostics-log.md`, "Tests").

use autoheal_engine::Timestamp;
use autoheal_engine::event::EventBody;
use autoheal_repo::{HealRequest, HealState};
use autoheal_testkit::repository::TestRepository;

use crate::driver::{Healed, heal};

/// A run on a fault of logic that no small change repairs: the log keeps what the tests said.
async fn heal_a_failing_test() -> Option<Healed> {
    let repository = TestRepository::with_files(&[
        ("calc.py", "def root(a):\n    return a\n"),
        ("test_calc.py", "from calc import root\n\n\ndef test_root():\n    assert (root(49), root(361)) == (7, 19)\n"),
    ]);
    heal(HealRequest::new(repository.path().display().to_string())).await
}

#[tokio::test]
async fn a_failing_test_populates_the_diagnostics_log() {
    let Some(healed) = heal_a_failing_test().await else { return };
    let entries = healed.state.diagnosis.log.entries();
    assert_eq!(entries.len(), 1, "{entries:?}");
    let entry = &entries[0];
    assert_eq!(entry.finding.file.as_deref(), Some("test_calc.py"));
    assert!(entry.finding.location.is_some() && entry.finding.stack.is_some());
    assert!(entry.finding.message.contains("AssertionError"), "{}", entry.finding.message);
    assert!(entry.first_seen_at <= entry.last_seen_at && entry.occurrence_count >= 1);
}

#[tokio::test]
async fn repeated_failures_increment_the_occurrence_count() {
    let Some(healed) = heal_a_failing_test().await else { return };
    let result = healed.state.diagnosis.current.unwrap().result;
    let mut state = HealState::new(HealRequest::new("/some/repository"), Timestamp::from_millis(0));
    for millis in 1..=3 {
        state.observe(&result, "again", Timestamp::from_millis(millis));
    }
    assert_eq!(state.diagnosis.log.entries().len(), 1);
    assert_eq!(state.diagnosis.log.entries()[0].occurrence_count, 3);
    assert_eq!(state.diagnosis.log.entries()[0].last_seen_at, Timestamp::from_millis(3));
    assert!(state.diagnosis.timeline[2].delta.is_empty(), "nothing changed, and the planner can tell");
}

#[tokio::test]
async fn the_planner_sees_the_diagnostics() {
    let Some(healed) = heal_a_failing_test().await else { return };
    let told = healed.events.iter().find_map(|event| match event {
        EventBody::Note { node, topic, message } if node == "plan" && topic == "diagnostics" => Some(message),
        _ => None,
    });
    let told = told.expect("the planner tells what it plans from");
    assert!(told.starts_with("1. LOGIC error in test_calc.py line 5: AssertionError"), "{told}");
}

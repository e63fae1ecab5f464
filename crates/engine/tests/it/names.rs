//! Names and JSON forms survive a round trip: the next version must be able to read what this one writes.

use autoheal_engine::error_code::CodedError;
use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::{ErrorCode, RunId, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

fn body() -> impl Strategy<Value = EventBody> {
    let text = || "\\PC{0,12}";
    prop_oneof![
        text().prop_map(|target| EventBody::RunStarted { target }),
        text().prop_map(|node| EventBody::RunResumed { node }),
        (text(), any::<u32>()).prop_map(|(node, attempt)| EventBody::NodeStarted { node, attempt }),
        (text(), any::<u32>(), text(), any::<bool>()).prop_map(|(node, attempt, error, retry)| EventBody::NodeFailed {
            node,
            attempt,
            error,
            retry
        }),
        (text(), any::<u64>()).prop_map(|(node, millis)| EventBody::NodeFinished { node, millis }),
        (text(), text(), text()).prop_map(|(node, topic, message)| EventBody::Note { node, topic, message }),
        (text(), text()).prop_map(|(node, message)| EventBody::Progress { node, message }),
        text().prop_map(|stop_reason| EventBody::RunFinished { outcome: None, stop_reason }),
    ]
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn an_event_survives_json(run in any::<u128>(), sequence in any::<i64>(), at in any::<i64>(), body in body()) {
        let event = Event { run: RunId(Uuid::from_u128(run)), sequence, at: Timestamp::from_millis(at), body };
        let json = serde_json::to_string(&event).unwrap();
        prop_assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
    }

    #[test]
    fn only_progress_is_not_stored(body in body()) {
        prop_assert_eq!(body.is_stored(), !matches!(body, EventBody::Progress { .. }));
    }

    #[test]
    fn a_run_id_survives_its_text(run in any::<u128>()) {
        let run = RunId(Uuid::from_u128(run));
        prop_assert_eq!(run.to_string().parse::<RunId>().unwrap(), run);
    }

    #[test]
    fn the_open_key_is_the_kind_and_the_target(kind in 0..4_usize, target in "\\PC{0,20}", other in "\\PC{0,20}") {
        let task = |target: &str| NewTask::new(TaskKind::ALL[kind], target, Timestamp::default());
        prop_assert_eq!(task(&target).open_key() == task(&other).open_key(), target == other);
        for another in TaskKind::ALL.into_iter().filter(|another| *another != TaskKind::ALL[kind]) {
            prop_assert_ne!(NewTask::new(another, target.as_str(), Timestamp::default()).open_key(), task(&target).open_key());
        }
    }
}

#[test]
fn every_name_leads_back() {
    for kind in TaskKind::ALL {
        assert_eq!(TaskKind::from_name(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    for state in TaskState::ALL {
        assert_eq!(TaskState::from_name(state.name()), Some(state));
        assert_eq!(serde_json::to_value(state).unwrap(), state.name());
    }
    for &code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_name(code.name()), Some(code));
        assert_eq!(serde_json::to_value(code).unwrap(), code.name());
    }
    assert_eq!(ErrorCode::ALL.get(14), Some(&ErrorCode::InvalidInput), "the spec's fifteen come first");
    assert_eq!(ErrorCode::from_name("repo_clone_failed"), None);
}

#[test]
fn a_coded_error_has_the_form_of_the_spec() {
    let error =
        CodedError::new(ErrorCode::RepoCloneFailed, "no such host", Timestamp::from_millis(0)).with("attempts", 3);
    assert_eq!(
        serde_json::to_value(&error).unwrap(),
        serde_json::json!({
            "code": "REPO_CLONE_FAILED",
            "message": "no such host",
            "details": {"attempts": 3},
            "timestamp": "1970-01-01T00:00:00.000Z",
        })
    );
}

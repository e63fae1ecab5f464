//! Arbitrary results of checks, findings and states for the property tests.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::{BTreeMap, BTreeSet};

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use autoheal_engine::{StopReason, Timestamp};
use autoheal_repo::check_result::{CheckResult, TestState};
use autoheal_repo::state::AcceptedFix;
use autoheal_repo::{HealRequest, HealState};
use proptest::prelude::*;

pub(crate) fn category() -> impl Strategy<Value = Category> {
    prop::sample::select(Category::ALL.to_vec())
}

pub(crate) fn finding() -> impl Strategy<Value = Finding> {
    let source = prop::sample::select(vec![Source::Test, Source::Build, Source::Lint, Source::Runtime]);
    let file = prop::option::of("[a-c]/[a-c]\\.py");
    (source, category(), file, prop::option::of(0_u32..50), "[a-z]{1,8} ?[0-9]{0,2}").prop_map(
        |(source, category, file, line, message)| Finding {
            source,
            category,
            file,
            location: line.map(|line| Location { line, column: None }),
            message,
            stack: None,
        },
    )
}

pub(crate) fn test_state() -> impl Strategy<Value = TestState> {
    prop::sample::select(vec![TestState::Passed, TestState::Failed, TestState::Skipped])
}

pub(crate) fn result() -> impl Strategy<Value = CheckResult> {
    let tests = prop::collection::btree_map("t[0-9]", test_state(), 0..8);
    let (findings, advice) = (prop::collection::vec(finding(), 0..4), prop::collection::vec(finding(), 0..2));
    (tests, findings, advice, 0_u64..5_000).prop_map(|(tests, findings, advice, millis)| CheckResult {
        tests,
        findings,
        advice,
        selectors: BTreeMap::new(),
        selected: BTreeMap::new(),
        test_files: BTreeSet::new(),
        not_repeated: BTreeSet::new(),
        millis,
        cut_short: None,
    })
}

fn accepted() -> impl Strategy<Value = AcceptedFix> {
    (finding(), category(), "[a-z]{1,6}\\.py", 0_u32..90, "[ -~]{0,30}").prop_map(
        |(target, category, file, line, description)| AcceptedFix {
            target,
            category,
            file,
            line,
            description,
            fixer: "fixer".to_owned(),
            files: Vec::new(),
            diff: String::new(),
            tried_before: 0,
            runners_up: Vec::new(),
            at: Timestamp::from_millis(0),
        },
    )
}

/// A state as it may be when a run ends, for whatever reason and in whatever round.
pub(crate) fn ended_state() -> impl Strategy<Value = HealState> {
    let names = ("\\PC{1,20}", "\\PC{1,20}");
    let stop = prop::option::of(prop::sample::select(StopReason::ALL.to_vec()));
    let results = prop::collection::vec(result(), 0..4);
    (names, stop, results, prop::collection::vec(accepted(), 0..4), 0_i64..10_000_000).prop_map(
        |((team, leader), stop, results, accepted, started)| {
            let mut request = HealRequest::new("/some/repository");
            request.team_name = team;
            request.leader_name = leader;
            let mut state = HealState::new(request, Timestamp::from_millis(started));
            for (index, result) in results.into_iter().enumerate() {
                let at = Timestamp::from_millis(started + i64::try_from(index).unwrap());
                state.observe(&result, "results", at);
                state.rounds.close(result.is_green(), result.keys().len(), at);
                state.rounds.retry_count += 1;
            }
            state.fixes.accepted = accepted;
            state.stop = stop;
            state
        },
    )
}

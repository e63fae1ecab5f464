//! The retry loop: the order of the agents, and when it ends. The graph is walked as the orchestrator walks it, with agents
//! that report what a test says they report.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::time::Duration;

use autoheal_engine::graph::Next;
use autoheal_engine::{StopReason, Timestamp};
use autoheal_repo::check_result::{CheckResult, TestState};
use autoheal_repo::request::CommandLimits;
use autoheal_repo::state::{CiStatus, PatchVerdict};
use autoheal_repo::{HealNode, HealRequest, HealState, graph};
use proptest::prelude::*;

fn verdict(green: bool) -> CheckResult {
    let state = if green { TestState::Passed } else { TestState::Failed };
    CheckResult { tests: [("t".to_owned(), state)].into(), ..CheckResult::default() }
}

#[test]
fn looking_for_fixes_ends_with_the_time_of_the_run_and_waiting_for_ci_does_not() {
    let limits = CommandLimits { run_seconds: 100, install_seconds: 20, test_seconds: 3, ..CommandLimits::default() };
    let (hour, all) = (Duration::from_hours(1), Duration::from_secs(132));
    for node in [HealNode::Plan, HealNode::Fix, HealNode::Patch] {
        assert_eq!((node.limit(hour, &limits), node.limit(Duration::ZERO, &limits)), (all, Duration::ZERO), "{node:?}");
    }
    assert_eq!(HealNode::Monitor.limit(hour, &limits), hour);
}

/// Walks the graph; every round accepts a patch, and the monitor of round `n` is green when `greens[n]` says so.
fn walk(retry_limit: u32, greens: &[bool]) -> (HealState, Vec<HealNode>) {
    let graph = graph().unwrap();
    let mut request = HealRequest::new("/some/repository");
    request.retry_limit = retry_limit;
    let mut state = HealState::new(request, Timestamp::from_millis(0));
    let mut visited = Vec::new();
    let mut node = graph.entry();
    loop {
        visited.push(node);
        match node {
            HealNode::Patch => state.plan.patch_verdict = PatchVerdict::Accepted,
            HealNode::Monitor => {
                let green = greens.get(state.rounds.retry_count as usize).copied().unwrap_or(false);
                state.conclude_round(verdict(green), Timestamp::from_millis(1));
            }
            HealNode::Analyze
            | HealNode::Discover
            | HealNode::Diagnose
            | HealNode::Plan
            | HealNode::Fix
            | HealNode::Commit => {}
        }
        match graph.next(node, &state).unwrap() {
            Next::To(next) => node = next,
            Next::End => return (state, visited),
        }
    }
}

const ROUND: [HealNode; 8] = [
    HealNode::Analyze,
    HealNode::Discover,
    HealNode::Diagnose,
    HealNode::Plan,
    HealNode::Fix,
    HealNode::Patch,
    HealNode::Commit,
    HealNode::Monitor,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    // Feature: autoheal-ci-agent, Property 9: Retry Loop Termination on Success
    #[test]
    fn the_loop_ends_with_the_first_green(limit in 0_u32..8, greens in prop::collection::vec(any::<bool>(), 0..10)) {
        let (state, visited) = walk(limit, &greens);
        let rounds = visited.len() / ROUND.len();
        let first_green = greens.iter().position(|green| *green);
        if let Some(first) = first_green.filter(|first| *first <= limit as usize) {
            prop_assert_eq!(rounds, first + 1);
            prop_assert_eq!(state.stop, Some(StopReason::Green));
            prop_assert_eq!(state.rounds.history.last().unwrap().status, CiStatus::Passed);
        }
    }

    // Feature: autoheal-ci-agent, Property 10: Retry Loop Termination on Limit
    #[test]
    fn the_loop_ends_at_its_limit(limit in 0_u32..12) {
        let (state, visited) = walk(limit, &[]);
        prop_assert_eq!(visited.len() / ROUND.len(), limit as usize + 1);
        prop_assert_eq!(state.stop, Some(StopReason::Attempts));
        prop_assert_eq!(state.rounds.retry_count, limit);
        prop_assert_eq!(state.rounds.history.len(), limit as usize + 1);
    }

    // Feature: autoheal-ci-agent, Property 23: Agent Execution Sequence
    #[test]
    fn every_round_calls_the_agents_in_order(limit in 0_u32..8, greens in prop::collection::vec(any::<bool>(), 0..10)) {
        let (_, visited) = walk(limit, &greens);
        prop_assert_eq!(visited.len() % ROUND.len(), 0);
        for round in visited.chunks(ROUND.len()) {
            prop_assert_eq!(round, &ROUND[..]);
        }
    }
}

//! Progress of a healing job, in the fields of the spec: `currentStep` and `progress`.

use autoheal_engine::graph::Node as _;
use autoheal_repo::HealNode;

/// The spec's seven steps, in their order.
pub(super) const STEPS: [&str; 7] = [
    "analyze_repo",
    "discover_tests",
    "diagnose_failures",
    "generate_fixes",
    "patch_code",
    "commit_push",
    "monitor_ci",
];

/// Progress within the first round at the beginning of each step, in percent. (The spec's example has diagnosis at 40.)
const DONE: [u32; 7] = [5, 20, 40, 55, 65, 80, 85];

/// Progress at the end of the first round, in percent; later rounds share the rest, and the last percent is the end itself.
const FIRST_ROUND: u32 = 90;
const LAST: u32 = 99;

/// Returns the index of the step in the spec. Planning the next fix belongs to the step of generating fixes.
fn step_of(node: &str) -> usize {
    let node = if node == HealNode::Plan.name() { HealNode::Fix.name() } else { node };
    STEPS.iter().position(|step| *step == node).unwrap_or(0)
}

/// Returns the current step of a run and its progress in percent, from the finished nodes. The progress never decreases: a repeated
/// node counts once.
pub(super) fn of(steps: &[(String, Option<String>)], retry_limit: u32) -> (&'static str, u32) {
    let mut rounds = 0;
    let (mut current, mut percent) = (0, 0);
    for (node, next) in steps {
        rounds += u32::from(node == HealNode::Monitor.name());
        // A run whose last node has ended is about to end.
        current = next.as_deref().map_or(current, step_of);
        let done = DONE.get(current).copied().unwrap_or(0);
        let here = match rounds {
            0 => done,
            // Each later round has its share of what is left.
            later => FIRST_ROUND + (LAST - FIRST_ROUND) * (later - 1).min(retry_limit) / retry_limit.max(1),
        };
        percent = percent.max(here.min(LAST));
    }
    (STEPS.get(current).copied().unwrap_or("analyze_repo"), percent.max(DONE[0]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn walked(nodes: &[&str]) -> Vec<(String, Option<String>)> {
        let next = nodes.iter().skip(1).map(|node| Some((*node).to_owned()));
        nodes.iter().map(|node| (*node).to_owned()).zip(next).collect()
    }

    #[test]
    fn a_run_begins_with_the_first_step_and_diagnosis_is_at_forty() {
        assert_eq!(of(&[], 5), ("analyze_repo", 5));
        assert_eq!(of(&walked(&["analyze_repo", "discover_tests", "diagnose_failures"]), 5), ("diagnose_failures", 40));
        let planned = walked(&["analyze_repo", "discover_tests", "diagnose_failures", "plan"]);
        assert_eq!(of(&planned, 5), ("generate_fixes", 55));
    }

    proptest! {
        #[test]
        fn progress_never_goes_back_nor_says_that_all_is_done(
            picks in proptest::collection::vec(0..HealNode::ALL.len(), 0..60),
            retry_limit in 0..9_u32,
        ) {
            let nodes: Vec<&str> = picks.iter().map(|pick| HealNode::ALL[*pick].name()).collect();
            let steps = walked(&nodes);
            let mut last = 0;
            for end in 0..=steps.len() {
                let (step, percent) = of(&steps[..end], retry_limit);
                prop_assert!(STEPS.contains(&step));
                prop_assert!(percent >= last && percent <= LAST, "{percent} after {last}");
                last = percent;
            }
        }
    }
}

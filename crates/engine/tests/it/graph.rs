use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node, Policy};
use proptest::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    A,
    B,
    C,
    D,
}

impl Node for Stop {
    const ALL: &'static [Self] = &[Self::A, Self::B, Self::C, Self::D];

    fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::D => "d",
        }
    }
}

/// The state is the answer of every choice.
type Answer = Next<Stop>;

fn next() -> impl Strategy<Value = Answer> {
    prop_oneof![3 => (0..4_usize).prop_map(|index| Next::To(Stop::ALL[index])), 1 => Just(Next::End)]
}

/// Input for one node: its routes (each a list of targets; one target
/// is a plain edge), and whether it has a policy.
#[derive(Debug, Clone)]
struct Plan {
    routes: Vec<Vec<Answer>>,
    policy: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let routes = prop_oneof![
        1 => Just(0_usize),
        20 => Just(1),
        1 => Just(2)
    ]
    .prop_flat_map(|count| proptest::collection::vec(proptest::collection::vec(next(), 1..4), count));
    (routes, proptest::bool::weighted(0.95)).prop_map(|(routes, policy)| Plan { routes, policy })
}

fn build(entry: Stop, plans: &[Plan]) -> Result<Graph<Stop, Answer>, GraphError> {
    let mut builder = GraphBuilder::new(entry);
    for (&node, plan) in Stop::ALL.iter().zip(plans) {
        if plan.policy {
            builder = builder.policy(node, Policy::once(Duration::from_secs(1)));
        }
        for route in &plan.routes {
            builder = match route.as_slice() {
                [only] => builder.edge(node, *only),
                several => {
                    let targets: Vec<_> = several.iter().map(|target| ("way", *target)).collect();
                    builder.choice(node, &targets, |answer| *answer)
                }
            };
        }
    }
    builder.build()
}

/// Returns whether a path leads from `from` to `to` with at most `steps` nodes in between: the definition, by
/// plain recursion.
fn leads_to(plans: &[Plan], from: Stop, to: Answer, steps: usize) -> bool {
    let index = Stop::ALL.iter().position(|node| *node == from).unwrap();
    plans[index].routes.iter().flatten().any(|&target| {
        target == to
            || match target {
                Next::To(node) => steps > 0 && leads_to(plans, node, to, steps - 1),
                Next::End => false,
            }
    })
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn a_graph_is_built_exactly_when_nothing_is_wrong_with_it(
        entry in 0..4_usize,
        plans in proptest::collection::vec(plan(), 4),
    ) {
        let entry = Stop::ALL[entry];
        let index = |name: &str| Stop::ALL.iter().position(|node| node.name() == name).unwrap();
        let reached = |node: Stop| node == entry || leads_to(&plans, entry, Next::To(node), 4);
        let ends = |node: Stop| leads_to(&plans, node, Next::End, 4);
        match build(entry, &plans) {
            Ok(graph) => {
                prop_assert_eq!(graph.entry(), entry);
                for (&node, plan) in Stop::ALL.iter().zip(&plans) {
                    prop_assert!(plan.routes.len() == 1 && plan.policy && reached(node) && ends(node));
                }
            }
            Err(GraphError::TwoRoutes(name)) => prop_assert!(plans[index(name)].routes.len() > 1),
            Err(GraphError::NoRoute(name)) => prop_assert!(plans[index(name)].routes.is_empty()),
            Err(GraphError::NoPolicy(name)) => prop_assert!(!plans[index(name)].policy),
            Err(GraphError::Unreachable(name)) => prop_assert!(!reached(Stop::ALL[index(name)])),
            Err(GraphError::Endless(name)) => prop_assert!(!ends(Stop::ALL[index(name)])),
            Err(GraphError::UnlistedTarget(name)) => prop_assert!(false, "nothing was routed at {}", name),
        }
    }

    #[test]
    fn routing_follows_the_list_and_refuses_what_is_not_on_it(
        plans in proptest::collection::vec(plan(), 4),
        answer in next(),
    ) {
        if let Ok(graph) = build(Stop::A, &plans) {
            for (&node, plan) in Stop::ALL.iter().zip(&plans) {
                let listed = &plan.routes[0];
                let targets: Vec<Answer> = graph.targets(node).into_iter().map(|(_, target)| target).collect();
                prop_assert_eq!(&targets, listed);
                let expected = match listed.as_slice() {
                    [only] => Ok(*only),
                    several if several.contains(&answer) => Ok(answer),
                    _ => Err(GraphError::UnlistedTarget(node.name())),
                };
                prop_assert_eq!(graph.next(node, &answer), expected);
            }
        }
    }

    #[test]
    fn the_drawing_has_one_arrow_per_target(plans in proptest::collection::vec(plan(), 4)) {
        if let Ok(graph) = build(Stop::A, &plans) {
            let drawing = graph.mermaid();
            let arrows = drawing.lines().filter(|line| line.contains("-->")).count();
            let targets: usize = Stop::ALL.iter().map(|node| graph.targets(*node).len()).sum();
            prop_assert_eq!(arrows, targets + 1);
        }
    }

    #[test]
    fn each_wait_doubles_the_one_before(backoff in 0..100_000_u64, attempt in 2..30_u32) {
        let policy = Policy { timeout: Duration::from_secs(1), attempts: 40, backoff: Duration::from_millis(backoff) };
        prop_assert_eq!(policy.wait_before(1), Duration::ZERO);
        prop_assert_eq!(policy.wait_before(2), policy.backoff);
        prop_assert_eq!(policy.wait_before(attempt + 1), policy.wait_before(attempt) * 2);
    }

    #[test]
    fn waits_never_shrink_or_overflow(backoff in any::<u64>(), attempt in any::<u32>()) {
        let policy = Policy { timeout: Duration::ZERO, attempts: u32::MAX, backoff: Duration::from_secs(backoff) };
        prop_assert!(policy.wait_before(attempt.saturating_add(1)) >= policy.wait_before(attempt));
    }
}

#[test]
fn every_node_name_leads_back() {
    for &node in Stop::ALL {
        assert_eq!(Stop::from_name(node.name()), Some(node));
    }
    assert_eq!(Stop::from_name("z"), None);
}

#[test]
fn a_drawing() {
    let policy = Policy::once(Duration::from_secs(1));
    let graph: Graph<Stop, Answer> = GraphBuilder::new(Stop::A)
        .edge(Stop::A, Next::To(Stop::B))
        .choice(Stop::B, &[("again", Next::To(Stop::A)), ("on", Next::To(Stop::C))], |answer| *answer)
        .edge(Stop::C, Next::To(Stop::D))
        .edge(Stop::D, Next::End)
        .policy(Stop::A, policy)
        .policy(Stop::B, policy)
        .policy(Stop::C, policy)
        .policy(Stop::D, policy)
        .build()
        .unwrap();
    let expected = "flowchart TD
    START([start]) --> a
    a --> b
    b -- again --> a
    b -- on --> c
    c --> d
    d --> END
    END([end])
";
    assert_eq!(graph.mermaid(), expected);
}

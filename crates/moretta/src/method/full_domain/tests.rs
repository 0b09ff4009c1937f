//! Searches against trying every node, on thousands of small random tables.

use proptest::prelude::*;

use super::oracle::{Case, TestPromise, cases, wide_cases};
use crate::method::full_domain::*;

fn is_finer(a: &[u16], b: &[u16]) -> bool {
    a != b && a.iter().zip(b).all(|(x, y)| x <= y)
}

const OBJECTIVES: [Objective; 5] =
    [Objective::Loss, Objective::Gcp, Objective::Dm, Objective::Height, Objective::Entropy];

/// The node of least cost among all nodes that keep the promises.
///
/// Refuses a lattice of more than a million nodes, and a promise that no node keeps, naming the share of people that
/// would have to be left out.
pub(super) fn optimal_node(task: &Task<'_>, objective: Objective, progress: &Progress) -> Result<LatticeNode> {
    Ground::new(task)?.optimal(objective, progress)
}

/// All nodes that keep the promises while no finer node does, sorted by levels from the last attribute to the first.
///
/// Refuses what [`optimal_node`] refuses.
pub(super) fn minimal_nodes(task: &Task<'_>, objective: Objective, progress: &Progress) -> Result<Vec<LatticeNode>> {
    Ground::new(task)?.minimal(objective, progress)
}

/// The release at a node: the groups that fail are left out, as far as the task allows.
pub(super) fn plan_at(task: &Task<'_>, levels: &[u16]) -> Result<Grouping> {
    Ground::new(task)?.plan(levels)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_optimum_is_that_of_trying_every_node(case in cases(), pick in 0_usize..5) {
        let objective = OBJECTIVES[pick];
        let satisfying = case.satisfying();
        let costs: Vec<f64> = satisfying.iter().map(|(levels, out)| case.cost(objective, levels, out)).collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        case.with_task(|task| {
            let found = optimal_node(task, objective, &Progress::default());
            let Ok(node) = found else {
                assert!(satisfying.is_empty(), "{found:?}");
                return;
            };
            assert!((node.cost - least).abs() <= 1e-9 * least.max(1.0), "{node:?} is not {least}");
            let (_, out) = satisfying.iter().find(|(levels, _)| *levels == node.levels).unwrap();
            assert!((node.cost - case.cost(objective, &node.levels, out)).abs() <= 1e-9 * least.max(1.0));
            assert_eq!(node.suppressed, case.people_out(out));
            case.check_plan(task, &plan_at(task, &node.levels).unwrap(), &node.levels, out);
        });
    }

    #[test]
    fn the_minimal_nodes_are_those_of_trying_every_node(case in cases()) {
        let satisfying = case.satisfying();
        let is_minimal = |levels: &NodeLevels| !satisfying.iter().any(|(other, _)| is_finer(other, levels));
        let mut minimal: Vec<NodeLevels> = satisfying.iter().map(|(levels, _)| levels.clone()).filter(is_minimal).collect();
        minimal.sort();
        case.with_task(|task| {
            let found = minimal_nodes(task, Objective::Loss, &Progress::default());
            let mut found: Vec<NodeLevels> = found.unwrap_or_default().into_iter().map(|node| node.levels).collect();
            found.sort();
            assert_eq!(found, minimal);
        });
    }

    #[test]
    fn a_heuristic_search_says_how_far_it_may_be_from_the_optimum(case in cases(), pick in 0_usize..5, nodes in 1_u64..60) {
        let objective = OBJECTIVES[pick];
        let satisfying = case.satisfying();
        let least = satisfying.iter().map(|(levels, out)| case.cost(objective, levels, out)).fold(f64::INFINITY, f64::min);
        case.with_task(|task| {
            let found = Ground::new(task).unwrap().heuristic(objective, nodes, &Progress::default());
            let Ok((node, at_least)) = found else { return };
            let slack = 1e-9 * least.max(1.0);
            assert!(at_least <= least + slack && least <= node.cost + slack, "{at_least} {least} {node:?}");
            let (_, out) = satisfying.iter().find(|(levels, _)| *levels == node.levels).unwrap();
            assert!((node.cost - case.cost(objective, &node.levels, out)).abs() <= slack);
        });
    }

    #[test]
    fn a_wide_table_is_grouped_as_a_narrow_one((case, levels) in wide_cases()) {
        let out = case.leave_out(&levels);
        case.with_task(|task| match (plan_at(task, &levels), out) {
            (Ok(plan), Some(out)) => case.check_plan(task, &plan, &levels, &out),
            (Err(_), None) => {}
            (plan, out) => panic!("{plan:?} is not what leaves out {out:?}"),
        });
    }

    #[test]
    fn the_number_of_threads_changes_nothing(case in cases(), pick in 0_usize..5) {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        case.with_task(|task| {
            let search = || {
                let node = optimal_node(task, OBJECTIVES[pick], &Progress::default()).map_err(|e| e.to_string())?;
                let minimal = minimal_nodes(task, OBJECTIVES[pick], &Progress::default()).map_err(|e| e.to_string())?;
                Ok::<_, String>((plan_at(task, &node.levels).map_err(|e| e.to_string())?, node, minimal))
            };
            assert_eq!(pool(1).install(search), pool(3).install(search));
        });
    }

    #[test]
    fn the_share_that_would_do_is_the_least(case in cases()) {
        let unlimited = Case { may_suppress: u64::MAX, ..case.clone() };
        let least = unlimited.satisfying().iter().map(|(_, out)| case.people_out(out)).min();
        case.with_task(|task| {
            let Err(error) = optimal_node(task, Objective::Loss, &Progress::default()) else { return };
            let said = match least {
                Some(least) => format!("the fewest are {least} people"),
                None => "nor with any number left out".to_owned(),
            };
            assert!(error.message().contains(&said), "{error}");
        });
    }
}

#[test]
fn what_can_not_be_searched_is_refused_with_what_to_do() {
    let path = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
    let deep: Vec<Vec<String>> = vec![path(&["a", "b", "c", "d", "*"]), path(&["x", "y", "z", "w", "*"])];
    let case = Case {
        hierarchies: vec![deep; 9],
        rows: vec![(vec![0; 9], 0, 1), (vec![1; 9], 0, 1)],
        sensitive: 1,
        promises: vec![TestPromise::Size(2)],
        may_suppress: 0,
    };
    case.with_task(|task| {
        let error = optimal_node(task, Objective::Loss, &Progress::default()).unwrap_err();
        assert!(error.message().starts_with("5 × 5 × 5 × 5 × 5 × 5 × 5 × 5 × 5 = 1953125 combinations"), "{error}");
        assert!(error.advice().unwrap().contains("search = \"heuristic\""));
        let (node, at_least) =
            Ground::new(task).unwrap().heuristic(Objective::Loss, 100, &Progress::default()).unwrap();
        assert_eq!(node.levels, vec![4; 9]);
        assert!((node.cost - 1.0).abs() < 1e-12 && (at_least - 1.0).abs() < 1e-12, "{node:?} {at_least}");
    });

    let uneven = vec![path(&["a", "g", "g", "*"]), path(&["b", "g", "*"])];
    let case = Case { hierarchies: vec![uneven], rows: vec![(vec![0], 0, 1), (vec![1], 0, 1)], ..case };
    case.with_task(|task| {
        let error = optimal_node(task, Objective::Loss, &Progress::default()).unwrap_err();
        assert!(error.message().contains("\"a\" and \"b\" are one at level 1 and two at level 2"), "{error}");
    });
}

//! Closeness to large parts of a table, whose groups stand in a tree.

use proptest::prelude::*;

use super::naive::{close, histogram, slow_distance};
use super::wishes::{DISTANCES, closeness_models, wishes};
use crate::model::{PartitionTree, Requirement};
use crate::progress::CancelToken;
use crate::testkit::tables::{Row, groups, policy, rows, table_of};

/// A tree over some groups.
fn trees(groups: usize) -> impl Strategy<Value = PartitionTree> {
    let parents = proptest::collection::vec(any::<prop::sample::Index>(), 0..5);
    let nodes = proptest::collection::vec(any::<prop::sample::Index>(), groups);
    (parents, nodes).prop_map(|(parents, nodes)| {
        let parents: Vec<u32> =
            std::iter::once(0).chain((1..).zip(&parents).map(|(node, p)| p.index(node) as u32)).collect();
        let node_of_group = nodes.iter().map(|node| node.index(parents.len()) as u32).collect();
        PartitionTree { parents, node_of_group }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn closeness_to_large_parts_is_what_the_definition_says(
        (rows, tree) in rows().prop_flat_map(|rows| {
            let mut names: Vec<i64> = rows.iter().map(|row| row.0).collect();
            names.sort_unstable();
            names.dedup();
            (Just(rows), trees(names.len()))
        }),
        wish in wishes(),
    ) {
        let models = closeness_models(&format!("model = \"n-t-closeness\", n = {}", wish.n), &wish);
        let policy = policy(&models);
        let groups = groups(&table_of(&rows), &policy);
        let verdicts = Requirement::for_judging(&policy.models, &groups.whole).unwrap().judge_in(&groups, &tree, &CancelToken::new()).unwrap();
        let above = |node: u32| std::iter::successors(Some(node), |&node| (node > 0).then(|| tree.parents[node as usize]));
        let inside = |node: u32| {
            let tree = &tree;
            (0..groups.len()).filter(move |&group| above(tree.node_of_group[group]).any(|above| above == node))
        };
        for (which, verdict) in verdicts.iter().enumerate() {
            let attribute = usize::from(which < 2);
            let mut worst: f64 = 0.0;
            for group in 0..groups.len() {
                let own = histogram(&groups, attribute, group);
                let nearest = above(tree.node_of_group[group])
                    .filter(|&node| inside(node).map(|group| groups.people[group]).sum::<u64>() >= wish.n)
                    .map(|node| {
                        let mut sum = vec![0; own.len()];
                        inside(node).for_each(|g| {
                            sum.iter_mut().zip(histogram(&groups, attribute, g)).for_each(|(sum, more)| *sum += more);
                        });
                        slow_distance(which, &groups, &own, &sum)
                    })
                    .fold(f64::INFINITY, f64::min);
                worst = worst.max(if groups.people[group] >= wish.n { 0.0 } else { nearest });
            }
            prop_assert!(close(&verdict.achieved["t"], worst), "{:?}: {:?}, not {}", DISTANCES[which], verdict, worst);
            if (worst - wish.t.to_f64()).abs() > 1e-7 {
                prop_assert_eq!(verdict.holds, worst < wish.t.to_f64());
                let n = verdict.achieved["n"].as_u64().unwrap();
                prop_assert_eq!(verdict.holds, n >= wish.n, "(n, t) holds for the largest n that holds with t");
            }
        }
    }
}

#[test]
fn two_groups_close_to_ancestors_of_their_own_need_not_be_close_to_a_common_one() {
    let rows: Vec<Row> =
        vec![(0, "aa", 1, 5), (1, "aa", 1, 100), (2, "bb", 1, 1), (3, "bb", 1, 100), (4, "ab", 1, 800)];
    let model = "model = \"n-t-closeness\", n = 100, t = 0.1, distance = \"equal\", attribute = \"disease\"";
    let policy = policy(&[model.to_owned()]);
    let small = groups(&table_of(&rows), &policy);
    let requirement = Requirement::for_judging(&policy.models, &small.whole).unwrap();
    assert!(!requirement.safety().merge);
    let tree = PartitionTree { parents: vec![0, 0, 0], node_of_group: vec![1, 1, 2, 2, 0] };
    assert!(requirement.judge_in(&small, &tree, &CancelToken::new()).unwrap()[0].holds);
    // The first and the third group become one, which lies in no node but the whole.
    let merged: Vec<Row> = rows.iter().map(|&row| if row.0 == 2 { (0, row.1, row.2, row.3) } else { row }).collect();
    let tree = PartitionTree { parents: vec![0, 0, 0], node_of_group: vec![0, 1, 2, 0] };
    let verdict = &requirement.judge_in(&groups(&table_of(&merged), &policy), &tree, &CancelToken::new()).unwrap()[0];
    assert!(!verdict.holds);
    assert_eq!(verdict.witnesses[0], 0);
}

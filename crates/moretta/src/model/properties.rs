//! Every model against its definition, and its declared properties against random merges and growth.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value as Json;

use super::{Group, GroupCheck, Groups, Levels, PartitionTree, Requirement, Verdict};
use crate::distance::{Ground, Scratch, divergence};
use crate::model::{PrivacyModel, Scope};
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::release::TableSummary;
use crate::testkit::oracle::{self, Counts, Hundredths};
use crate::testkit::tables::{DISEASES, Row, groups, policy, rows, sensitive, table_of};
use crate::testkit::transport;

/// The diseases and the salaries of each group, and of all.
struct Slow {
    groups: Vec<[Counts; 2]>,
    whole: [Counts; 2],
    categories: [Vec<Vec<String>>; 2],
}

fn slow(rows: &[Row], policy: &Policy) -> Slow {
    let counts = |rows: &[&Row]| {
        [
            oracle::count(rows.iter().map(|row| (row.1, row.3))),
            oracle::count(
                rows.iter()
                    .map(|row| (row.2.to_string(), row.3))
                    .collect::<Vec<_>>()
                    .iter()
                    .map(|(v, n)| (v.as_str(), *n)),
            ),
        ]
    };
    let mut by_group: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by_group.entry(row.0).or_default().push(row);
    }
    let categories = |place: usize| sensitive(policy)[place].categories.clone().unwrap();
    Slow {
        groups: by_group.values().map(|rows| counts(rows)).collect(),
        whole: counts(&rows.iter().collect::<Vec<_>>()),
        categories: [categories(0), categories(1)],
    }
}

impl Slow {
    /// Whether a promise holds for both attributes of all groups.
    fn all(&self, holds: impl Fn(&Counts, usize) -> bool) -> bool {
        self.groups.iter().all(|group| (0..2).all(|place| holds(&group[place], place)))
    }

    fn levels(&self, level: impl Fn(&Counts, usize) -> f64) -> Vec<f64> {
        let level = &level;
        self.groups.iter().flat_map(|group| (0..2).map(move |place| level(&group[place], place))).collect()
    }

    fn least(&self, level: impl Fn(&Counts, usize) -> f64) -> f64 {
        self.levels(level).into_iter().fold(f64::INFINITY, f64::min)
    }

    fn most(&self, level: impl Fn(&Counts, usize) -> f64) -> f64 {
        self.levels(level).into_iter().fold(0.0, f64::max)
    }
}

fn close(fast: &Json, slow: f64) -> bool {
    match fast.as_f64() {
        Some(fast) => (fast - slow).abs() <= 1e-9 * slow.abs().max(1.0),
        None => slow.is_infinite(),
    }
}

fn judged(policy: &Policy, groups: &Groups) -> Vec<Verdict> {
    Requirement::for_judging(&policy.models, &groups.whole).unwrap().judge(groups, &CancelToken::new()).unwrap()
}

/// Parameters of all models at once.
#[derive(Clone, Debug)]
struct Wish {
    l: u64,
    fraction: Hundredths,
    c: Hundredths,
    k: u64,
    alpha: Hundredths,
    weight: Hundredths,
    t: Hundredths,
    n: u64,
}

fn wishes() -> impl Strategy<Value = Wish> {
    (1_u64..5, 100_u64..400, 1_u64..400, 1_u64..8, 1_u64..=100, 0_u64..500, 0_u64..69, 1_u64..40).prop_map(
        |(l, fraction, c, k, alpha, weight, t, n)| Wish {
            l,
            fraction: Hundredths(fraction),
            c: Hundredths(c),
            k,
            alpha: Hundredths(alpha),
            weight: Hundredths(weight),
            t: Hundredths(t),
            n,
        },
    )
}

fn diversity_models(wish: &Wish) -> Vec<String> {
    let Wish { l, fraction, c, k, alpha, weight, .. } = wish;
    vec![
        format!("model = \"k-anonymity\", k = {k}"),
        format!("model = \"distinct-l-diversity\", l = {l}"),
        format!("model = \"probabilistic-l-diversity\", l = {fraction}"),
        format!("model = \"entropy-l-diversity\", l = {fraction}"),
        format!("model = \"recursive-l-diversity\", c = {c}, l = {l}"),
        format!("model = \"alpha-k-anonymity\", alpha = {alpha}, k = {k}"),
        format!(
            "model = \"alpha-k-anonymity\", alpha = {alpha}, k = {k}, attribute = \"disease\", values = [\"aa\", \"cc\"]"
        ),
        format!("model = \"p-sensitive\", p = {l}, k = {k}"),
        format!("model = \"p-plus-sensitive\", p = {l}, k = {k}, attribute = \"disease\""),
        format!("model = \"p-alpha-sensitive\", p = {l}, k = {k}, alpha = {weight}"),
        format!("model = \"delta-disclosure\", delta = {c}"),
    ]
}

const DISTANCES: [(&str, &str); 8] = [
    ("ordered", "attribute = \"salary\""),
    ("ordered", "attribute = \"salary\", order = \"value\""),
    ("equal", "attribute = \"disease\""),
    ("hierarchical", "attribute = \"disease\""),
    ("js", "attribute = \"disease\""),
    ("kl", "attribute = \"disease\""),
    ("variational", "attribute = \"disease\""),
    ("kernel-js", "attribute = \"disease\", bandwidth = 0.7"),
];

fn closeness_models(model: &str, wish: &Wish) -> Vec<String> {
    let write = |(distance, rest): &(&str, &str)| format!("{model}, distance = \"{distance}\", t = {}, {rest}", wish.t);
    DISTANCES.iter().map(write).collect()
}

const T_CLOSENESS: &str = "model = \"t-closeness\"";

/// The distance of two histograms over all codes, from its definition.
fn slow_distance(which: usize, groups: &Groups, p: &[u64], q: &[u64]) -> f64 {
    let sensitive = &groups.whole.sensitive[usize::from(which < 2)];
    let codes = sensitive.domain.len();
    let place = |code: usize| sensitive.domain.value(code as u32).as_number().unwrap();
    let (tree, ranks) = groups.whole.sensitive[0].hierarchy.as_ref().unwrap();
    let in_tree = |i: usize, j: usize| {
        let (a, b) = (ranks[i].min(ranks[j]), ranks[i].max(ranks[j]));
        if i == j {
            0.0
        } else {
            f64::from(tree.height(tree.common_ancestor(a, b))) / f64::from(tree.height(0)).max(1.0)
        }
    };
    match which {
        0 => transport::emd(p, q, |i, j| i.abs_diff(j) as f64 / (codes.max(2) - 1) as f64).unwrap(),
        1 => {
            let range = place(codes - 1) - place(0);
            transport::emd(p, q, |i, j| if i == j { 0.0 } else { (place(i) - place(j)).abs() / range }).unwrap()
        }
        2 | 6 => transport::emd(p, q, |i, j| f64::from(u8::from(i != j))).unwrap(),
        3 => transport::emd(p, q, in_tree).unwrap(),
        4 => divergence::js(p, q),
        5 => divergence::kl(p, q),
        _ => {
            let kernel = |i, j| f64::max(0.0, 1.0 - (in_tree(i, j) / 0.7_f64).powi(2));
            let smooth = |counts: &[u64]| {
                let norm = |i| (0..codes).map(|j| kernel(i, j)).sum::<f64>();
                let sums =
                    (0..codes).map(|i| (0..codes).map(|j| counts[j] as f64 * kernel(i, j)).sum::<f64>() / norm(i));
                let sums: Vec<f64> = sums.collect();
                let total: f64 = sums.iter().sum();
                sums.iter().map(|sum| sum / total).collect::<Vec<f64>>()
            };
            divergence::js_of_shares(&smooth(p), &smooth(q))
        }
    }
}

fn histogram(groups: &Groups, attribute: usize, group: usize) -> Vec<u64> {
    let mut all = groups.scratch();
    groups.fill(group, &mut all);
    all.swap_remove(attribute)
}

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
    fn diversity_is_what_the_definitions_say(rows in rows(), wish in wishes()) {
        let policy = policy(&diversity_models(&wish));
        let groups = groups(&table_of(&rows), &policy);
        let slow = slow(&rows, &policy);
        let verdicts = judged(&policy, &groups);
        let disease = |holds: &dyn Fn(&Counts) -> bool| slow.groups.iter().all(|group| holds(&group[0]));
        let large = |group: &Counts| oracle::people(group) >= wish.k;
        let distinct = |group: &Counts| group.len() as u64;
        let weighs = |group: &Counts, place: usize| {
            let unit = (slow.categories[place].len() as u64 - 1).max(1);
            oracle::weight_parts(group, &slow.categories[place]) * 100 >= wish.weight.0 * unit
        };
        let holds = [
            slow.all(|group, _| large(group)),
            slow.all(|group, _| distinct(group) >= wish.l),
            slow.all(|group, _| oracle::probabilistic(group, wish.fraction)),
            slow.all(|group, _| oracle::entropy_l(group).ln() >= wish.fraction.to_f64().ln() - 1e-10),
            slow.all(|group, _| oracle::recursive(group, wish.c, wish.l as usize)),
            slow.all(|group, _| large(group) && oracle::alpha(group, wish.alpha, None)),
            disease(&|group| large(group) && oracle::alpha(group, wish.alpha, Some(&["aa", "cc"]))),
            slow.all(|group, _| large(group) && distinct(group) >= wish.l),
            disease(&|group| large(group) && oracle::categories(group, &slow.categories[0]) as u64 >= wish.l),
            slow.all(|group, place| large(group) && distinct(group) >= wish.l && weighs(group, place)),
            slow.all(|group, place| oracle::delta(group, &slow.whole[place]) <= wish.c.to_f64() + 1e-10),
        ];
        let share = |group: &Counts| *group.values().max().unwrap() as f64 / oracle::people(group) as f64;
        let levels = [
            ("k", slow.least(|group, _| oracle::people(group) as f64)),
            ("l", slow.least(|group, _| group.len() as f64)),
            ("l", slow.least(|group, _| 1.0 / share(group))),
            ("l", slow.least(|group, _| oracle::entropy_l(group))),
            ("c", slow.most(|group, _| oracle::recursive_c(group, wish.l as usize))),
            ("alpha", slow.most(|group, _| share(group))),
            ("k", slow.least(|group, _| oracle::people(group) as f64)),
            ("p", slow.least(|group, _| group.len() as f64)),
            ("p", slow.least(|group, place| if place == 0 { oracle::categories(group, &slow.categories[0]) as f64 } else { 99.0 })),
            ("weight", slow.least(|group, place| {
                oracle::weight_parts(group, &slow.categories[place]) as f64 / (slow.categories[place].len() as f64 - 1.0).max(1.0)
            })),
            ("delta", slow.most(|group, place| oracle::delta(group, &slow.whole[place]))),
        ];
        for ((verdict, holds), (name, level)) in verdicts.iter().zip(holds).zip(levels) {
            prop_assert_eq!(verdict.holds, holds, "{}: {:?}", verdict.model, verdict.achieved);
            prop_assert!(close(&verdict.achieved[name], level), "{}: {:?}, not {}", verdict.model, verdict.achieved, level);
            prop_assert!(verdict.witnesses.len() == groups.len().min(10));
        }
        let largest = (1..99).take_while(|&l| slow.all(|group, _| oracle::recursive(group, wish.c, l))).count();
        prop_assert!(close(&verdicts[4].achieved["l"], largest as f64));
    }

    #[test]
    fn closeness_is_what_the_definition_says(rows in rows(), wish in wishes()) {
        let policy = policy(&closeness_models(T_CLOSENESS, &wish));
        let groups = groups(&table_of(&rows), &policy);
        for (which, verdict) in judged(&policy, &groups).iter().enumerate() {
            let attribute = usize::from(which < 2);
            let whole = &groups.whole.sensitive[attribute].people;
            let distances = (0..groups.len())
                .map(|group| slow_distance(which, &groups, &histogram(&groups, attribute, group), whole));
            let worst = distances.fold(0.0, f64::max);
            prop_assert!(close(&verdict.achieved["t"], worst), "{:?}: {:?}, not {}", DISTANCES[which], verdict, worst);
            if (worst - wish.t.to_f64()).abs() > 1e-7 {
                prop_assert_eq!(verdict.holds, worst < wish.t.to_f64());
            }
        }
    }

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

    #[test]
    fn all_levels_are_those_of_the_models(rows in rows(), wish in wishes()) {
        let mut models = diversity_models(&Wish { l: 2, ..wish.clone() });
        models.extend(closeness_models(T_CLOSENESS, &wish));
        let models: Vec<String> = models
            .into_iter()
            .filter(|model| !model.contains("values"))
            .map(|model| {
                let alone = model.contains("attribute") || model.contains("\"k-anonymity");
                if alone { model } else { format!("{model}, attribute = \"disease\"") }
            })
            .collect();
        let policy = policy(&models);
        let groups = groups(&table_of(&rows), &policy);
        let verdicts = judged(&policy, &groups);
        let found = Levels::of(&groups, &CancelToken::new()).unwrap();
        let json = serde_json::to_value(&found).unwrap();
        let disease = &json["sensitive"]["disease"];
        let level = |verdict: usize, name: &str| verdicts[verdict].achieved[name].as_f64().unwrap_or(f64::INFINITY);
        prop_assert!(close(&json["k"], level(0, "k")));
        for (key, verdict, name) in [
            ("distinct_l", 1, "l"), ("probabilistic_l", 2, "l"), ("entropy_l", 3, "l"), ("alpha", 5, "alpha"),
            ("p", 6, "p"), ("p_plus", 7, "p"), ("weight", 8, "weight"), ("delta", 9, "delta"),
        ] {
            prop_assert!(close(&disease[key], level(verdict, name)), "{key}: {} against {}", disease[key], level(verdict, name));
            let worst = &found.sensitive[0].worst.iter().find(|(name, _)| *name == if key == "p" { "distinct_l" } else { key });
            prop_assert_eq!(&worst.unwrap().1, &verdicts_by_level(&policy, &groups, verdict), "{}", key);
        }
        let recursive = disease["recursive"].as_object().unwrap();
        prop_assert_eq!(recursive.len() as u64 + 1, found.sensitive[0].distinct_l);
        for (l, c) in recursive {
            let slow = slow(&rows, &policy);
            let slow = slow.groups.iter().map(|group| oracle::recursive_c(&group[0], l.parse().unwrap())).fold(0.0, f64::max);
            prop_assert!(close(c, slow));
        }
        for (which, (distance, _)) in DISTANCES.iter().enumerate().filter(|&(which, _)| which != 1 && which != 7) {
            let attribute = if which < 2 { "salary" } else { "disease" };
            let t = &json["sensitive"][attribute]["t"][distance];
            prop_assert!(close(t, level(10 + which, "t")), "{distance}: {t}");
        }
    }

    #[test]
    fn declared_properties_survive_merging_and_growing(
        rows in rows(),
        wish in wishes(),
        picked in proptest::collection::vec((0_u64..6, 0_u64..6, 0_u64..4), DISEASES.len()),
        easy in 0_u64..3,
    ) {
        // Modest wishes, so that many groups keep them.
        let wish = Wish { l: wish.l.min(1 + easy), fraction: Hundredths(100 + wish.fraction.0 / 4), ..wish };
        let mut models = diversity_models(&wish);
        models.extend(closeness_models(T_CLOSENESS, &wish));
        let policy = policy(&models);
        let groups = groups(&table_of(&rows), &policy);
        let domains = groups.scratch();
        // Any histograms over the domains: a group need not be part of the table.
        let draw = |pick: fn(&(u64, u64, u64)) -> u64| -> Vec<Vec<u64>> {
            let draw = |domain: &Vec<u64>| {
                let mut counts: Vec<u64> = picked.iter().map(pick).cycle().take(domain.len()).collect();
                counts[0] = counts[0].max(1);
                counts
            };
            let mut all: Vec<Vec<u64>> = domains.iter().map(draw).collect();
            // Both attributes count the same people.
            let (a, b) = (all[0].iter().sum::<u64>(), all[1].iter().sum::<u64>());
            let poorer = usize::from(a > b);
            all[poorer][0] += a.abs_diff(b);
            all
        };
        let parts = [draw(|pick| pick.0), draw(|pick| pick.1), draw(|pick| pick.2)];
        let union = |a: &[Vec<u64>], b: &[Vec<u64>]| -> Vec<Vec<u64>> {
            a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
        };
        let mut scratch = Scratch::default();
        for model in &*policy.models {
            let check = prepare(&**model, &groups.whole);
            let mut holds = |sensitive: &[Vec<u64>]| {
                check.holds(&Group { people: sensitive[0].iter().sum(), sensitive, parent: None }, &mut scratch)
            };
            let both = union(&parts[0], &parts[1]);
            if check.safety().merge && holds(&parts[0]) && holds(&parts[1]) {
                prop_assert!(holds(&both), "{} is not merge-safe", model.name());
            }
            if check.safety().grow && holds(&parts[0]) {
                prop_assert!(holds(&union(&parts[0], &parts[2])), "{} is not grow-safe", model.name());
            }
            if holds(&both) {
                prop_assert!(both[0].iter().sum::<u64>() >= check.least_people());
            }
        }
    }
}

fn prepare(model: &dyn PrivacyModel, whole: &TableSummary) -> Box<dyn GroupCheck> {
    match model.scope() {
        Scope::Groups(model) => model.prepare(whole).unwrap(),
        other => panic!("{other:?} does not judge groups"),
    }
}

/// The groups from the worst level to the best, for a model's first measure.
fn verdicts_by_level(policy: &Policy, groups: &Groups, model: usize) -> Vec<usize> {
    let check = prepare(&*policy.models[model], &groups.whole);
    let levels: Vec<f64> = (0..groups.len())
        .map(|group| {
            let histograms = [histogram(groups, 0, group), histogram(groups, 1, group)];
            let group = Group { people: groups.people[group], sensitive: &histograms, parent: None };
            let mut levels = [0.0; 4];
            check.measure(&group, &mut Scratch::default(), &mut levels[..check.measures().len()]);
            check.measures()[0].safer.goodness(levels[0])
        })
        .collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&a, &b| levels[a].total_cmp(&levels[b]).then(a.cmp(&b)));
    order.truncate(10);
    order
}

/// A check of diseases in a table that has each of aa, ab, ba, bb equally often.
fn check(model: &str) -> Box<dyn GroupCheck> {
    let rows: Vec<Row> = ["aa", "ab", "ba", "bb"].map(|disease| (0, disease, 1, 10)).to_vec();
    let policy = policy(&[format!("{model}, attribute = \"disease\"")]);
    prepare(&*policy.models[0], &groups(&table_of(&rows), &policy).whole)
}

#[test]
fn models_that_are_not_grow_safe_fail_when_rows_join() {
    for model in [
        "model = \"probabilistic-l-diversity\", l = 2",
        "model = \"entropy-l-diversity\", l = 2",
        "model = \"recursive-l-diversity\", c = 2, l = 2",
        "model = \"alpha-k-anonymity\", alpha = 0.5, k = 1",
        "model = \"t-closeness\", t = 0.2, distance = \"equal\"",
        "model = \"t-closeness\", t = 0.2, distance = \"kernel-js\", bandwidth = 0.1",
        "model = \"delta-disclosure\", delta = 0.5",
    ] {
        let check = check(model);
        assert!(!check.safety().grow, "{model}");
        let holds = |counts: [u64; 4]| {
            let sensitive = [counts.to_vec(), vec![counts.iter().sum()]];
            let people = counts.iter().sum();
            check.holds(&Group { people, sensitive: &sensitive, parent: None }, &mut Scratch::default())
        };
        assert!(holds([2, 2, 2, 2]) && !holds([40, 2, 2, 2]), "{model}");
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

#[test]
fn the_mask_tree_is_the_one_that_the_slow_distance_sees() {
    let rows: Vec<Row> = ["aa", "ab", "ba"].map(|disease| (0, disease, 1, 1)).to_vec();
    let policy = policy(&[]);
    let groups = groups(&table_of(&rows), &policy);
    let (tree, ranks) = groups.whole.sensitive[0].hierarchy.as_ref().unwrap();
    let emd = crate::distance::emd::Emd::new(Ground::Tree { tree, ranks }, 3).unwrap();
    assert!((emd.measure(&[1, 0, 0], &[0, 1, 0], &mut Vec::new()) - 0.5).abs() < 1e-12);
}

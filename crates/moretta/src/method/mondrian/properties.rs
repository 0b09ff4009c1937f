//! Mondrian, and what starts from its cuts, under promises about sensitive values, on random tables: what it publishes is judged from scratch.

use proptest::prelude::*;

use crate::data::cells::count_distinct;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::{Type, Value};
use crate::hierarchy::Scale;
use crate::kind::generalized::Grouping;
use crate::method::Task;
use crate::model::Requirement;
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::progress::Progress;
use crate::release::{Groups, TableSummary};
use crate::testkit::concrete;
use crate::testkit::tables::{DISEASES, column, parse, sensitive, table, text};

/// An age, a zip code, a city, a disease, and the people that they stand for.
type Row = (i64, &'static str, &'static str, &'static str, u64);

const ATTRIBUTES: &str = r#"
    [data]
    source = "toy.csv"
    [attributes]
    age = { role = "quasi", type = "integer" }
    zip = { role = "quasi", type = "text", hierarchy = { mask = "right" } }
    city = { role = "quasi", type = "text" }
    disease = { role = "sensitive", type = "text", hierarchy = { mask = "right" } }
"#;

/// Methods that cut by halves.
const METHODS: [&str; 2] = ["mondrian", "least-loss"];

fn policy(method: &str, models: &[String]) -> Policy {
    parse(&format!("{ATTRIBUTES}\n[method]\nname = {method:?}\n"), models).unwrap()
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let zip = proptest::sample::select(vec!["11", "12", "13", "14", "21", "22", "31"]);
    let city = proptest::sample::select(vec!["a", "b", "c", "d"]);
    let disease = proptest::sample::select(DISEASES.to_vec());
    let weight = prop_oneof![4 => Just(1_u64), 1 => 1_u64..5];
    proptest::collection::vec((20_i64..26, zip, city, disease, weight), 1..90)
}

/// What the policy's method makes of some rows, and the same rows grouped by what they publish.
fn publish(rows: &[Row], policy: &Policy) -> Option<(Grouping, Groups)> {
    let texts =
        |name, pick: fn(&Row) -> &'static str| column(name, Type::Text, rows.iter().map(|r| text(pick(r))).collect());
    let age = column("age", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
    let quasi = vec![age, texts("zip", |row| row.1), texts("city", |row| row.2)];
    let weights: Vec<u64> = rows.iter().map(|row| row.4).collect();
    let mut table = table(quasi, vec![texts("disease", |row| row.3)], weights.clone());
    let described = sensitive(policy);
    let whole = TableSummary::of_table(&table, &described).unwrap();
    let requirement = Requirement::prepare(&policy.models, &whole).ok()?;
    let quasi: Vec<_> = policy.with_role(Role::Quasi).collect();
    let scales: Vec<Scale> = table
        .quasi
        .iter()
        .zip(&quasi)
        .map(|(column, attribute)| Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name).unwrap())
        .collect();
    let columns: Vec<(&[u32], usize)> = table.quasi.iter().chain(&table.sensitive).map(Column::counted).collect();
    let cells = count_distinct(&columns, rows.len(), Some(&weights));
    let task = Task {
        quasi_names: quasi.iter().map(|attribute| attribute.name.clone()).collect(),
        scales: &scales,
        cells: &cells,
        sensitive_sizes: table.sensitive.iter().map(|column| column.domain.len()).collect(),
        requirement: &requirement,
        whole: &whole,
        may_suppress: 0,
        seed: crate::chance::Seed(0),
        branches: None,
        persons: None,
        links: &[],
        group: None,
        token: &CancelToken::new(),
    };
    let plan = concrete::<Grouping>(policy.method.as_ref().unwrap().plan(&task, &Progress::default()).unwrap());
    let mut people = vec![0; cells.len()];
    plan.pieces.iter().for_each(|piece| people[piece.cell as usize] += piece.people);
    assert_eq!(people, cells.people, "everybody is published once");
    // A cell may stand in several groups: what is published are the pieces.
    let groups = plan.pieces.iter().map(|piece| Value::Integer(piece.group.into())).collect();
    let disease = &mut table.sensitive[0];
    disease.codes = plan.pieces.iter().map(|piece| cells.columns[quasi.len()][piece.cell as usize]).collect();
    table.quasi = vec![column("group", Type::Integer, groups)];
    table.weights = Some(plan.pieces.iter().map(|piece| piece.people).collect());
    table.source_rows = (0..plan.pieces.len() as u32).collect();
    Some((plan, Groups::of_table(&table, &described).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_promise_holds_in_what_is_published(rows in rows(), n in 1_u64..60, k in 1_u64..4, t in 0_u32..60, which in 0_usize..7) {
        let closeness = ["equal", "hierarchical", "js"].map(|distance| format!("distance = \"{distance}\", t = 0.{t:02}"));
        let first = match which {
            0..=2 => format!("model = \"n-t-closeness\", n = {n}, {}", closeness[which]),
            3 => format!("model = \"t-closeness\", {}", closeness[1]),
            4 => format!("model = \"recursive-l-diversity\", c = 1.{t:02}, l = 2"),
            _ => "model = \"entropy-l-diversity\", l = 1.7".to_owned(),
        };
        let k_anonymity = format!("model = \"k-anonymity\", k = {k}");
        // Where nothing is asked of values, cuts are chosen by sizes alone.
        let models = if which == 6 { vec![k_anonymity] } else { vec![first, k_anonymity] };
        for method in METHODS {
            let policy = policy(method, &models);
            let Some((plan, groups)) = publish(&rows, &policy) else { break };
            let requirement = Requirement::for_judging(&policy.models, &groups.whole).unwrap();
            prop_assert_eq!(plan.len(), groups.len());
            prop_assert_eq!(plan.tree.is_some(), which < 3);
            let verdicts = match &plan.tree {
                Some(tree) => requirement.judge_in(&groups, tree, &CancelToken::new()).unwrap(),
                None => requirement.judge(&groups, &CancelToken::new()).unwrap(),
            };
            for verdict in &verdicts {
                prop_assert!(verdict.holds, "{method}: {:?} {:?}", verdict, plan.tree);
            }
            let written = serde_json::to_string(&plan).unwrap();
            prop_assert_eq!(serde_json::from_str::<Grouping>(&written).unwrap(), plan);
        }
    }
}

/// Four zip codes below one node are cut two by two, and both halves publish the node. Cut again by age, the parts of
/// age 20 publish the same values and are one group: 10 aa, 10 ab, 2 bb, 2 ba. Each part was like its own half, but
/// the group lies only in the whole, in which the four are even, and it has fewer than 30 people.
#[test]
fn groups_that_publish_the_same_do_not_lose_the_promise() {
    let mut rows: Vec<Row> = Vec::new();
    for (zip, disease, young, old) in
        [("11", "aa", 10, 10), ("12", "ab", 10, 10), ("13", "bb", 2, 18), ("14", "ba", 2, 18)]
    {
        rows.extend([(20, zip, "a", disease, young), (25, zip, "a", disease, old)]);
    }
    let published = |method: &str, n: u64| {
        let policy = policy(method, &[format!("model = \"n-t-closeness\", n = {n}, distance = \"equal\", t = 0.05")]);
        let (plan, groups) = publish(&rows, &policy).unwrap();
        let requirement = Requirement::for_judging(&policy.models, &groups.whole).unwrap();
        let verdict =
            requirement.judge_in(&groups, plan.tree.as_ref().unwrap(), &CancelToken::new()).unwrap().swap_remove(0);
        assert!(verdict.holds, "{verdict:?} {:?}", plan.tree);
        groups.people
    };
    // The group of age 20 takes back what it was cut from; where 24 people are enough, it need not.
    for method in METHODS {
        assert_eq!(published(method, 30), [80]);
        assert_eq!(published(method, 24), [24, 56]);
    }
}

#[test]
fn the_plan_and_its_tree_do_not_depend_on_the_number_of_threads() {
    let zips = ["11", "12", "13", "14", "21", "22", "31"];
    let cities = ["a", "b", "c", "d"];
    let draw = |row: u64, salt: u64, below: u64| {
        let mixed =
            (row + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(salt).wrapping_mul(0xD1B5_4A32_D192_ED03);
        ((mixed >> 33) % below) as usize
    };
    // Old people are ill in another way, so that parts differ from the whole.
    let row = |row: u64| -> Row {
        let age = i64::try_from(draw(row, 1, 200)).unwrap();
        let disease = DISEASES[(draw(row, 2, 3) + if age < 100 { 0 } else { 3 }) % DISEASES.len()];
        (age, zips[draw(row, 3, 7)], cities[draw(row, 4, 4)], disease, 1)
    };
    let rows: Vec<Row> = (0..12_000).map(row).collect();
    let model = "model = \"n-t-closeness\", n = 1000, distance = \"hierarchical\", t = 0.2";
    for method in METHODS {
        let policy = policy(method, &[model.to_owned()]);
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| publish(&rows, &policy).unwrap().0)
        };
        let plan = with_threads(1);
        assert!(plan.len() > 100 && plan.tree.as_ref().is_some_and(|tree| tree.parents.len() > 2), "{}", plan.len());
        assert_eq!(plan, with_threads(4));
    }
}

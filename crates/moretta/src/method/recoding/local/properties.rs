//! Local recoding on random tables: what it publishes is judged from scratch.

use std::collections::BTreeMap;

use moretta_lab::adult::{Adult, FILE, QI_6};
use proptest::prelude::*;

use crate::data::cells::{Cells, count_distinct};
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::{Type, Value};
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::kind::Plan;
use crate::kind::generalized::Grouping;
use crate::method::Task;
use crate::model::Requirement;
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::progress::Progress;
use crate::release::{Groups, TableSummary};
use crate::steward::{self as publish, Options};
use crate::testkit::adult::data_folder;
use crate::testkit::concrete;
use crate::testkit::tables::{DISEASES, column, parse, sensitive, table, text};

/// An age, a zip code, a city, a disease, and the people that they stand for.
type Row = (i64, &'static str, &'static str, &'static str, u64);

/// Numbers without a hierarchy, an uneven hierarchy (codes differ in length), and sets.
const ATTRIBUTES: &str = r#"
    [data]
    source = "toy.csv"
    [attributes]
    age = { role = "quasi", type = "integer" }
    zip = { role = "quasi", type = "text", hierarchy = { mask = "right" } }
    city = { role = "quasi", type = "text" }
    disease = { role = "sensitive", type = "text", categories = [["aa", "ba"], ["ab", ""], [], ["cc"], ["bb"]] }
"#;

fn rows() -> impl Strategy<Value = Vec<Row>> {
    (1_usize..8, 1_i64..7, 1_usize..5, 1_usize..=DISEASES.len()).prop_flat_map(|(zips, ages, cities, diseases)| {
        let zip = proptest::sample::select(["11", "12", "13", "2", "21", "3141", "3142"][..zips].to_vec());
        let city = proptest::sample::select(["a", "b", "c", "d"][..cities].to_vec());
        let disease = proptest::sample::select(DISEASES[..diseases].to_vec());
        let weight = prop_oneof![6 => Just(1_u64), 2 => 1_u64..5, 1 => 1_u64..300];
        proptest::collection::vec((20..20 + ages, zip, city, disease, weight), 1..70)
    })
}

struct Published {
    plan: Grouping,
    cells: Cells,
    scales: Vec<Scale>,
    /// The released people, grouped by what they publish.
    groups: Groups,
    may_suppress: u64,
}

fn policy(method: &str, models: &[String]) -> Policy {
    parse(&format!("{ATTRIBUTES}\n[method]\nname = {method:?}\n"), models).unwrap()
}

/// A method that searches for so many steps.
fn searching(method: &str, steps: u64, models: &[String]) -> Policy {
    parse(&format!("{ATTRIBUTES}\n[method]\nname = {method:?}\neffort = {steps}\n"), models).unwrap()
}

/// What a method makes of some rows; nothing where the table can't meet the requirement.
fn publish(rows: &[Row], policy: &Policy, percent: u64) -> Option<Published> {
    let texts =
        |name, pick: fn(&Row) -> &'static str| column(name, Type::Text, rows.iter().map(|r| text(pick(r))).collect());
    let age = column("age", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
    let quasi = vec![age, texts("zip", |row| row.1), texts("city", |row| row.2)];
    let weights: Vec<u64> = rows.iter().map(|row| row.4).collect();
    let original = table(quasi, vec![texts("disease", |row| row.3)], weights.clone());
    let described = sensitive(policy);
    let whole = TableSummary::of_table(&original, &described).unwrap();
    let requirement = Requirement::prepare(&policy.models, &whole).ok()?;
    let quasi: Vec<_> = policy.with_role(Role::Quasi).collect();
    let scale = |(column, attribute): (&Column, &&crate::schema::Attribute)| {
        Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name).unwrap()
    };
    let scales: Vec<Scale> = original.quasi.iter().zip(&quasi).map(scale).collect();
    let columns: Vec<(&[u32], usize)> = original.quasi.iter().chain(&original.sensitive).map(Column::counted).collect();
    let cells = count_distinct(&columns, rows.len(), Some(&weights));
    let task = Task {
        quasi_names: quasi.iter().map(|attribute| attribute.name.clone()).collect(),
        scales: &scales,
        cells: &cells,
        sensitive_sizes: original.sensitive.iter().map(|column| column.domain.len()).collect(),
        requirement: &requirement,
        whole: &whole,
        may_suppress: whole.people * percent / 100,
        seed: crate::chance::Seed(0),
        branches: None,
        persons: None,
        links: &[],
        group: None,
        token: &CancelToken::new(),
    };
    let plan = policy.method.as_ref().unwrap().plan(&task, &Progress::default()).map(|plan| concrete::<Grouping>(plan));
    let plan = match plan {
        Ok(plan) => plan,
        // Only a model that is not merge-safe may turn out to be impossible so late.
        Err(error) => {
            assert!(!requirement.safety().merge, "{error}");
            return None;
        }
    };
    let published = |piece: &crate::release::plan::Piece| {
        let labels = (0..3).map(|a| &plan.attributes[a].labels[plan.groups[a][piece.group as usize] as usize]);
        Value::Text(labels.map(String::as_str).collect::<Vec<_>>().join("|").into())
    };
    let group = column("group", Type::Text, plan.pieces.iter().map(published).collect());
    let disease = plan.pieces.iter().map(|p| original.sensitive[0].domain.value(cells.columns[3][p.cell as usize]));
    let disease = column("disease", Type::Text, disease.cloned().collect());
    let released = table(vec![group], vec![disease], plan.pieces.iter().map(|piece| piece.people).collect());
    let groups = Groups::of_table(&released, &described).unwrap();
    Some(Published { groups, may_suppress: task.may_suppress, plan, cells, scales })
}

fn check(published: &Published, policy: &Policy) {
    let Published { plan, cells, scales, groups, may_suppress } = published;
    let mut people = vec![0; cells.len()];
    for piece in &plan.pieces {
        assert!(piece.people > 0);
        people[piece.cell as usize] += piece.people;
        for (attribute, scale) in scales.iter().enumerate() {
            let code = cells.columns[attribute][piece.cell as usize];
            let value = plan.groups[attribute][piece.group as usize];
            assert!(covers(scale, &plan.attributes[attribute].values[value as usize], code));
        }
    }
    assert!(people.iter().zip(&cells.people).all(|(published, there)| published <= there));
    assert!(cells.total() - plan.people() <= *may_suppress);
    let requirement = Requirement::for_judging(&policy.models, &groups.whole).unwrap();
    for verdict in requirement.judge(groups, &CancelToken::new()).unwrap() {
        assert!(verdict.holds, "{verdict:?}");
    }
}

fn covers(scale: &Scale, value: &GeneralizedValue, code: u32) -> bool {
    match value {
        GeneralizedValue::Node(node) => {
            scale.tree().unwrap().ranks(*node).contains(&scale.rank_of_codes()[code as usize])
        }
        GeneralizedValue::Interval(first, last) => (*first..=*last).contains(&code),
        GeneralizedValue::Set(codes) => codes.contains(&code),
    }
}

fn models() -> impl Strategy<Value = Vec<String>> {
    (0_usize..12, 1_u64..6, 10_u32..90, 1_u64..4).prop_map(|(which, k, share, l)| {
        let first = match which {
            0..=2 => "model = \"k-anonymity\", k = 1".to_owned(),
            3 => format!("model = \"distinct-l-diversity\", l = {l}"),
            4 => format!("model = \"p-alpha-sensitive\", p = {l}, alpha = 0.{share}, k = {k}"),
            5 => format!("model = \"p-plus-sensitive\", p = {l}, k = {k}"),
            6 => "model = \"entropy-l-diversity\", l = 1.7".to_owned(),
            7 => format!("model = \"recursive-l-diversity\", c = 1.{share}, l = 2"),
            8 => format!("model = \"alpha-k-anonymity\", alpha = 0.{share}, k = {k}"),
            9 => format!("model = \"delta-disclosure\", delta = 1.{share}"),
            10 => format!("model = \"n-t-closeness\", n = {}, distance = \"equal\", t = 0.{share}", 10 * l),
            _ => format!("model = \"t-closeness\", distance = \"equal\", t = 0.{share}"),
        };
        vec![first, format!("model = \"k-anonymity\", k = {k}")]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn top_down_keeps_every_promise(rows in rows(), models in models(), percent in prop_oneof![Just(0_u64), 0_u64..50]) {
        let policy = policy("top-down", &models);
        if let Some(published) = publish(&rows, &policy, percent) {
            check(&published, &policy);
        }
    }

    #[test]
    fn clustering_keeps_every_promise(rows in rows(), models in models(), percent in prop_oneof![Just(0_u64), 0_u64..50]) {
        let policy = policy("clustering", &models);
        if let Some(published) = publish(&rows, &policy, percent) {
            check(&published, &policy);
        }
    }

    #[test]
    fn least_loss_keeps_every_promise_and_leaves_out_only_who_saves_loss(
        rows in rows(),
        models in models(),
        percent in prop_oneof![Just(0_u64), 0_u64..50],
    ) {
        // Mondrian's own tests judge (n, t)-closeness, in the tree that its groups were cut from.
        prop_assume!(!models[0].contains("n-t-closeness"));
        let policy = policy("least-loss", &models);
        if let Some(published) = publish(&rows, &policy, percent) {
            check(&published, &policy);
            let everybody = publish(&rows, &policy, 0).unwrap();
            prop_assert_eq!(everybody.cells.total(), everybody.plan.people());
            prop_assert!(charged_loss(&published) <= charged_loss(&everybody) + 1e-9);
        }
    }

    #[test]
    fn a_search_keeps_every_promise(
        rows in rows(),
        models in models(),
        percent in prop_oneof![Just(0_u64), 0_u64..50],
        method in proptest::sample::select(vec!["least-loss", "top-down", "clustering"]),
        steps in 1_u64..80,
    ) {
        prop_assume!(!models[0].contains("n-t-closeness"));
        let searching = searching(method, steps, &models);
        if let Some(searched) = publish(&rows, &searching, percent) {
            check(&searched, &searching);
            if method == "least-loss" {
                let quick = publish(&rows, &policy(method, &models), percent).unwrap();
                prop_assert!(charged_loss(&searched) <= charged_loss(&quick) + 1e-9);
            }
        }
    }

    #[test]
    fn least_loss_loses_no_more_than_mondrian(rows in rows(), models in models()) {
        let least_loss = policy("least-loss", &models);
        let mondrian = policy("mondrian", &models);
        if let Some(published) = publish(&rows, &least_loss, 0) {
            let halved = publish(&rows, &mondrian, 0).unwrap();
            prop_assert!(charged_loss(&published) <= charged_loss(&halved) + 1e-9);
        }
    }
}

/// The loss of all people, where those left out lose everything.
fn charged_loss(published: &Published) -> f64 {
    let suppressed = published.cells.total() - published.plan.people();
    published.plan.cost(&published.scales) + suppressed as f64 * published.scales.len() as f64
}

/// Two people stand alone in a box around everybody, with eighteen who were lent to them. Leaving the two out lets the lent
/// go home.
#[test]
fn least_loss_leaves_out_the_few_who_cost_the_many() {
    let few = [(20, "11", "a", "aa", 40), (25, "3142", "d", "aa", 1), (22, "21", "b", "aa", 1)];
    let policy = policy("least-loss", &["model = \"k-anonymity\", k = 20".to_owned()]);
    let with = publish(&few, &policy, 5).unwrap();
    check(&with, &policy);
    assert_eq!(with.cells.total() - with.plan.people(), 2);
    assert!((charged_loss(&with) - 6.0).abs() < 1e-9);
    assert!(charged_loss(&publish(&few, &policy, 4).unwrap()) > 6.0);
}

/// Sun, Sun and Wang 2010, table 8: two of the three stay exact, one joins the fourth.
#[test]
fn the_worked_example_of_zip_codes() {
    let attributes = r#"
        [data]
        source = "toy.csv"
        [attributes]
        zip = { role = "quasi", type = "text", hierarchy = { mask = "right" } }
        disease = { role = "sensitive", type = "text", categories = [["HIV", "Cancer"], ["Flu", "Indigestion"]] }
        [method]
        name = "top-down"
    "#;
    let policy = parse(attributes, &["model = \"p-alpha-sensitive\", p = 2, alpha = 1, k = 2".to_owned()]).unwrap();
    let rows = [("14248", "HIV"), ("14248", "Indigestion"), ("14248", "Flu"), ("14247", "Cancer")];
    let zip = column("zip", Type::Text, rows.iter().map(|row| text(row.0)).collect());
    let disease = column("disease", Type::Text, rows.iter().map(|row| text(row.1)).collect());
    let scales = [Scale::new(&policy.attributes[0].hierarchy, zip.domain.clone(), "zip").unwrap()];
    let cells = count_distinct(&[zip.counted(), disease.counted()], 4, None);
    let table = table(vec![zip], vec![disease], vec![1; 4]);
    let whole = TableSummary::of_table(&table, &sensitive(&policy)).unwrap();
    let requirement = Requirement::prepare(&policy.models, &whole).unwrap();
    let task = Task {
        quasi_names: vec!["zip".to_owned()],
        scales: &scales,
        cells: &cells,
        sensitive_sizes: vec![4],
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
    let mut published: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for piece in &plan.pieces {
        let label = &plan.attributes[0].labels[plan.groups[0][piece.group as usize] as usize];
        let disease = table.sensitive[0].domain.value(cells.columns[1][piece.cell as usize]);
        published.entry(label).or_default().push(disease.to_string());
    }
    assert_eq!(published.keys().copied().collect::<Vec<_>>(), ["1424*", "14248"]);
    assert!(published["14248"].contains(&"HIV".to_owned()) && published["14248"].len() == 2);
    assert!(published["1424*"].contains(&"Cancer".to_owned()) && published["1424*"].len() == 2);
}

/// Adult's complete training rows with six quasi-identifiers, as a policy.
fn adult(folder: &std::path::Path, method: &str, models: &str) -> Policy {
    let table = Adult::train().with_hierarchies("quasi", &QI_6).with("sensitive", &["occupation"]);
    crate::testkit::adult::policy(folder, &table, &format!("{models}[method]\nname = {method:?}\n"))
}

#[test]
fn adult_loses_no_more_than_measured() {
    let Some(folder) = data_folder("adult_loses_no_more_than_measured", FILE) else { return };
    let k = "[[require]]\nmodel = \"k-anonymity\"\nk = 5\n";
    let l = &format!("{k}[[require]]\nmodel = \"distinct-l-diversity\"\nl = 5\n");
    for (method, models, at_most) in [
        ("top-down", k, 0.0190),
        ("top-down", l, 0.0315),
        ("clustering", k, 0.030),
        ("clustering", l, 0.080),
        ("least-loss", k, 0.0198),
        ("least-loss", l, 0.0330),
    ] {
        let policy = adult(&folder, method, models);
        let report = publish::publish(&policy, &Options::default(), &Progress::default()).unwrap();
        assert_eq!((report.rows_out, report.suppressed), (30162, 0));
        assert!(report.utility.loss.unwrap() <= at_most, "{method} {models}: {}", report.utility.loss.unwrap());
    }
}

#[test]
fn the_plan_is_the_same_for_every_number_of_threads() {
    let diseases = ["aa", "ab", "ba", "bb", "cc"];
    let zips = ["11", "12", "13", "2", "21", "3141", "3142"];
    let pick = |row: usize, salt: usize, from: usize| (row * row * 31 + row * salt + row / 7) % from;
    let ages: Vec<i64> = (20..60).collect();
    let row = |row: usize| {
        let (zip, city) = (zips[pick(row, 17, 7)], ["a", "b", "c", "d"][pick(row, 5, 4)]);
        (ages[pick(row, 13, 40)], zip, city, diseases[pick(row, 11, 5)], 1)
    };
    let rows: Vec<Row> = (0..6000).map(row).collect();
    let models = ["model = \"k-anonymity\", k = 4".to_owned(), "model = \"entropy-l-diversity\", l = 1.5".to_owned()];
    let quick = ["top-down", "clustering", "least-loss", "mondrian"].map(|method| policy(method, &models));
    let searching = ["top-down", "clustering", "least-loss"].map(|method| searching(method, 300, &models));
    for policy in quick.into_iter().chain(searching) {
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| publish(&rows, &policy, 10).unwrap())
        };
        let (one, two) = (with_threads(1), with_threads(2));
        check(&one, &policy);
        assert_eq!(one.plan, two.plan, "{:?}", policy.method);
    }
}

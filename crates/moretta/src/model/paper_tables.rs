//! The papers' small tables, retyped, with the figures that they must give.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{Groups, Levels, PartitionTree, Requirement, Verdict};
use crate::data::value::{Type, Value};
use crate::error::Fault;
use crate::progress::CancelToken;
use crate::testkit::tables::{column, groups, parse, table, text};

/// Judges a table of (group, value, people) in which the values are texts, or numbers if all of them are.
fn judge(attribute: &str, rows: &[(i64, &str, u64)], models: &[&str]) -> (Groups, Vec<Verdict>) {
    let (groups, policy) = grouped(attribute, rows, models);
    let verdicts =
        Requirement::for_judging(&policy.models, &groups.whole).unwrap().judge(&groups, &CancelToken::new()).unwrap();
    (groups, verdicts)
}

fn grouped(attribute: &str, rows: &[(i64, &str, u64)], models: &[&str]) -> (Groups, crate::Policy) {
    let attributes = format!(
        "[data]\nsource = \"t.csv\"\n[attributes]\ngroup = {{ role = \"quasi\" }}\ns = {{ role = \"sensitive\", {attribute} }}"
    );
    let models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
    let policy = parse(&attributes, &models).unwrap();
    let numbers: Option<Vec<Value>> = rows.iter().map(|row| row.1.parse().ok().map(Value::Integer)).collect();
    let sensitive = match numbers {
        Some(numbers) => column("s", Type::Integer, numbers),
        None => column("s", Type::Text, rows.iter().map(|row| text(row.1)).collect()),
    };
    let quasi = column("group", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
    let table = table(vec![quasi], vec![sensitive], rows.iter().map(|row| row.2).collect());
    (groups(&table, &policy), policy)
}

fn single<'v>(groups: &[&[&'v str]]) -> Vec<(i64, &'v str, u64)> {
    (1..).zip(groups).flat_map(|(group, values)| values.iter().map(move |&value| (group, value, 1))).collect()
}

fn achieved(verdict: &Verdict, level: &str) -> f64 {
    verdict.achieved[level].as_f64().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// Writes figure 2.2's tree of diseases beside other temporary files.
fn diseases() -> (tempfile::NamedTempFile, String) {
    let mut lines = String::new();
    for (class, family, leaves) in [
        ("respiratory", "infection", &["flu", "pneumonia", "bronchitis"][..]),
        ("respiratory", "vascular", &["pulmonary edema", "pulmonary embolism"]),
        ("digestive", "stomach", &["gastric ulcer", "stomach cancer", "gastritis"]),
        ("digestive", "colon", &["colitis", "colon cancer"]),
    ] {
        for leaf in leaves {
            writeln!(lines, "{leaf},{family},{class},*").unwrap();
        }
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines).unwrap();
    let attribute = format!("hierarchy = {:?}", file.path().to_str().unwrap());
    (file, attribute)
}

#[test]
fn salaries_of_the_closeness_tables() {
    let table_2 = single(&[&["3", "4", "5"], &["6", "8", "11"], &["7", "9", "10"]]);
    let model = |t: &str| format!("model = \"t-closeness\", distance = \"ordered\", t = {t}");
    let (groups, verdicts) = judge("type = \"integer\"", &table_2, &[&model("0.375"), &model("0.374")]);
    assert!(near(achieved(&verdicts[0], "t"), 0.375));
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, false));
    assert_eq!(verdicts[1].witnesses[0], 0);
    // The second group is at 1/6; with the first one out of the way it is the worst of its own.
    let second = groups.held(0, 1).0.to_vec();
    assert_eq!(second, [3, 5, 8]);
    let table_5 = single(&[&["3", "5", "9"], &["6", "11", "8"], &["4", "7", "10"]]);
    let (_, verdicts) = judge("type = \"integer\"", &table_5, &[&model("0.1667"), &model("0.1666")]);
    assert!(near(achieved(&verdicts[0], "t"), 1.0 / 6.0));
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, false));
}

#[test]
fn diseases_of_the_closeness_tables() {
    let (_file, attribute) = diseases();
    let model = |t: &str| format!("model = \"t-closeness\", distance = \"hierarchical\", t = {t}");
    let table_2 = single(&[
        &["gastric ulcer", "gastritis", "stomach cancer"],
        &["gastritis", "flu", "bronchitis"],
        &["bronchitis", "pneumonia", "stomach cancer"],
    ]);
    let (_, verdicts) = judge(&attribute, &table_2, &[&model("0.4445"), &model("0.4444")]);
    assert!(near(achieved(&verdicts[0], "t"), 4.0 / 9.0));
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, false));
    let table_5 = single(&[
        &["gastric ulcer", "stomach cancer", "pneumonia"],
        &["gastritis", "flu", "bronchitis"],
        &["gastritis", "bronchitis", "stomach cancer"],
    ]);
    let (groups, verdicts) = judge(&attribute, &table_5, &[&model("0.2963"), &model("0.2962")]);
    assert!(near(achieved(&verdicts[0], "t"), 8.0 / 27.0));
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, false));
    let sensitive = &groups.whole.sensitive[0];
    let (tree, ranks) = sensitive.hierarchy.as_ref().unwrap();
    let ground = crate::distance::Ground::Tree { tree, ranks };
    let emd = crate::distance::emd::Emd::new(ground, sensitive.domain.len()).unwrap();
    let mut scratch = groups.scratch();
    groups.fill(0, &mut scratch);
    let ratio = emd.exact(&scratch[0], &sensitive.people, &mut Vec::new()).unwrap().reduced();
    assert_eq!((ratio.num, ratio.den), (7, 27));
}

#[test]
fn the_weighted_table_is_close_to_large_populations_but_not_to_the_whole() {
    let rows = [
        (1, "Cancer", 300),
        (1, "Flu", 300),
        (2, "Cancer", 200),
        (2, "Flu", 1800),
        (3, "Cancer", 200),
        (3, "Flu", 200),
    ];
    let models = [
        "model = \"t-closeness\", distance = \"equal\", t = 0.1",
        "model = \"n-t-closeness\", distance = \"equal\", n = 1000, t = 0.1",
    ];
    let (groups, policy) = grouped("type = \"text\"", &rows, &models);
    let requirement = Requirement::for_judging(&policy.models, &groups.whole).unwrap();
    // Without a tree only the whole contains a group, and it is too far away.
    assert!(requirement.judge(&groups, &CancelToken::new()).unwrap().iter().all(|verdict| !verdict.holds));
    let by_zip_code = PartitionTree { parents: vec![0, 0], node_of_group: vec![1, 0, 1] };
    let verdicts = requirement.judge_in(&groups, &by_zip_code, &CancelToken::new()).unwrap();
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (false, true));
    assert!(near(achieved(&verdicts[0], "t"), 0.5 - 700.0 / 3000.0));
    assert_eq!(verdicts[1].achieved, *json!({"t": 0, "n": 1000}).as_object().unwrap());
    assert_eq!(verdicts[0].witnesses[..2], [0, 2]);
}

const CATEGORIES: &str = "categories = [[\"HIV\", \"Cancer\"], [\"Phthisis\", \"Hepatitis\"], [\"Obesity\", \"Asthma\"], [\"Flu\", \"Indigestion\"]]";

#[test]
fn the_p_sensitive_tables() {
    let table_5 = single(&[
        &["HIV", "HIV", "Cancer", "Cancer"],
        &["Hepatitis", "Phthisis", "Asthma", "Obesity"],
        &["Flu", "Flu", "Flu", "Indigestion"],
    ]);
    let models = ["model = \"p-sensitive\", p = 2, k = 4", "model = \"p-plus-sensitive\", p = 2, k = 4"];
    let (_, verdicts) = judge(CATEGORIES, &table_5, &models);
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, false));
    assert_eq!(verdicts[1].achieved, *json!({"p": 1, "k": 4}).as_object().unwrap());

    let table_6 = single(&[
        &["HIV", "Cancer", "Flu", "Indigestion"],
        &["Hepatitis", "Phthisis", "Asthma", "Obesity"],
        &["HIV", "Cancer", "Flu", "Flu"],
    ]);
    let (_, verdicts) = judge(CATEGORIES, &table_6, &models);
    assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, true));
    assert_eq!(verdicts[1].achieved, *json!({"p": 2, "k": 4}).as_object().unwrap());
}

#[test]
fn the_weights_of_table_7_are_1_2_and_3() {
    let groups: [&[&str]; 3] = [
        &["HIV", "HIV", "Cancer", "Flu"],
        &["Hepatitis", "Phthisis", "Asthma", "Obesity"],
        &["Cancer", "Flu", "Flu", "Indigestion"],
    ];
    for (weight, group) in (1..).zip(groups) {
        let model = |alpha: &str| format!("model = \"p-alpha-sensitive\", p = 3, k = 4, alpha = {alpha}");
        let models = [model(&weight.to_string()), model(&format!("{weight}.0001"))];
        let (_, verdicts) = judge(CATEGORIES, &single(&[group]), &[&models[0], &models[1]]);
        assert_eq!((verdicts[0].holds, verdicts[1].holds), (true, false));
        assert_eq!(verdicts[0].achieved["weight"], Json::from(weight));
    }
}

#[test]
fn recursive_diversity_sorts_descending() {
    let rows = [(1, "a", 1), (1, "b", 17), (1, "c", 2)];
    let model = |c: &str| format!("model = \"recursive-l-diversity\", l = 3, c = {c}");
    let (groups, verdicts) = judge("type = \"text\"", &rows, &[&model("17"), &model("17.01"), &model("1")]);
    let holds: Vec<bool> = verdicts.iter().map(|verdict| verdict.holds).collect();
    assert_eq!(holds, [false, true, false]);
    assert_eq!(verdicts[0].achieved, *json!({"c": 17, "l": 2}).as_object().unwrap());
    let levels = serde_json::to_value(Levels::of(&groups, &CancelToken::new()).unwrap()).unwrap();
    assert_eq!(levels["sensitive"]["s"]["recursive"], json!({"2": 17.0 / 3.0, "3": 17}));
}

#[test]
fn a_uniform_group_of_four_has_entropy_4_and_one_that_lacks_a_value_discloses_without_bound() {
    let rows = single(&[&["a", "b", "c", "d"], &["a", "b", "c", "d", "d", "e"]]);
    let models = [
        "model = \"entropy-l-diversity\", l = 4",
        "model = \"entropy-l-diversity\", l = 4.01",
        "model = \"delta-disclosure\", delta = 100",
    ];
    let (groups, verdicts) = judge("type = \"text\"", &rows, &models);
    let holds: Vec<bool> = verdicts.iter().map(|verdict| verdict.holds).collect();
    assert_eq!(holds, [true, false, false]);
    assert_eq!(verdicts[0].achieved, *json!({"l": 4}).as_object().unwrap());
    assert_eq!(verdicts[2].achieved, *json!({"delta": null}).as_object().unwrap());
    let levels = serde_json::to_value(Levels::of(&groups, &CancelToken::new()).unwrap()).unwrap();
    assert_eq!(levels["sensitive"]["s"]["entropy_l"], json!(4));
    assert_eq!(levels["sensitive"]["s"]["delta"], Json::Null);
}

#[test]
fn what_the_whole_table_cannot_meet_is_refused_with_the_best_level() {
    let rows = single(&[&["a", "b", "c"], &["a", "a", "a"]]);
    for (model, best) in [
        ("model = \"distinct-l-diversity\", l = 4", "l = 3"),
        ("model = \"probabilistic-l-diversity\", l = 1.6", "l = 1.5"),
        ("model = \"entropy-l-diversity\", l = 3", "l = 2.38"),
        ("model = \"recursive-l-diversity\", c = 4, l = 3", "c = 4, l = 2"),
        ("model = \"alpha-k-anonymity\", alpha = 0.5, k = 2", "alpha = 0.6666"),
        ("model = \"p-sensitive\", p = 4, k = 2", "p = 3, k = 6"),
        ("model = \"n-t-closeness\", n = 7, t = 0.5, distance = \"js\"", "t = infinite, n = 6"),
    ] {
        let (groups, policy) = grouped("type = \"text\"", &rows, &[model]);
        let error = Requirement::prepare(&policy.models, &groups.whole).unwrap_err();
        assert_eq!(error.fault(), Fault::Data);
        assert!(error.message().contains(best), "{error}");
    }
    let (groups, policy) =
        grouped("type = \"text\"", &rows, &["model = \"alpha-k-anonymity\", alpha = 0.5, k = 2, values = [\"bb\"]"]);
    let error = Requirement::prepare(&policy.models, &groups.whole).unwrap_err();
    assert_eq!((error.fault(), error.advice()), (Fault::Input, Some("did you mean `b`?")));
    assert!(Requirement::for_judging(&policy.models, &groups.whole).is_ok());
}

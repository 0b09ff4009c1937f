//! The optima that another implementation of the same definitions finds on the Adult table, to four digits.
//!
//! Reference: ARX 3.9.2 on the 30,162 complete rows of the training split, all attributes through its
//! hierarchies, at most 4 % of the rows suppressed and each counted as full loss.

use std::path::Path;

use moretta_lab::adult::{Adult, FILE, QI_6};

use super::oracle::TestPromise;
use super::tests::optimal_node;
use crate::data::cells::count_distinct;
use crate::data::table::Column;
use crate::hierarchy::Scale;
use crate::method::full_domain::*;
use crate::model::{PrivacyModel, Requirement};
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::release::TableSummary;
use crate::schema::Attribute;
use crate::steward::{Options, publish};
use crate::testkit::adult::{self, data_folder};

const QI_8: [&str; 8] = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country", "income"];

fn policy(folder: &Path, quasi: &[&'static str], method: &str) -> Policy {
    let table = Adult::train().with_hierarchies("quasi", quasi).with("sensitive", &["occupation"]);
    let rest = "[[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"full-domain\"\nsuppression = 0.04\n";
    adult::policy(folder, &table, &format!("{rest}{method}"))
}

/// Runs something on the table as a task under some promises.
fn with_task<T>(policy: &Policy, promises: &[TestPromise], run: impl FnOnce(&Task<'_>) -> T) -> T {
    let table = policy.read_table(policy.open_source().unwrap(), &Progress::default()).unwrap().table;
    let quasi: Vec<&Attribute> = policy.with_role(Role::Quasi).collect();
    let described: Vec<&Attribute> = policy.with_role(Role::Sensitive).collect();
    let scale = |(attribute, column): (&&Attribute, &Column)| {
        Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name).unwrap()
    };
    let scales: Vec<Scale> = quasi.iter().zip(&table.quasi).map(scale).collect();
    let columns: Vec<_> = table.quasi.iter().chain(&table.sensitive).map(Column::counted).collect();
    let cells = count_distinct(&columns, table.rows(), None);
    let whole = TableSummary::of_table(&table, &described).unwrap();
    assert_eq!(whole.people, 30_162);
    let models: Vec<Box<dyn PrivacyModel>> =
        promises.iter().map(|&promise| Box::new(promise) as Box<dyn PrivacyModel>).collect();
    run(&Task {
        quasi_names: quasi.iter().map(|attribute| attribute.name.clone()).collect(),
        scales: &scales,
        cells: &cells,
        sensitive_sizes: table.sensitive.iter().map(|column| column.domain.len()).collect(),
        requirement: &Requirement::prepare(&models, &whole).unwrap(),
        whole: &whole,
        may_suppress: 1206,
        seed: crate::chance::Seed(0),
        branches: None,
        persons: None,
        links: &[],
        group: None,
        token: &CancelToken::new(),
    })
}

fn optimum(policy: &Policy, promises: &[TestPromise]) -> (Vec<u16>, u64, String) {
    with_task(policy, promises, |task| {
        let node = optimal_node(task, Objective::Loss, &Progress::default()).unwrap();
        (node.levels, node.suppressed, format!("{:.4}", node.cost))
    })
}

#[test]
fn six_quasi_identifiers_of_adult() {
    let Some(folder) = data_folder("six_quasi_identifiers_of_adult", FILE) else { return };
    let policy = policy(&folder, &QI_6, "");
    assert_eq!(optimum(&policy, &[TestPromise::Size(5)]), (vec![3, 1, 1, 0, 0, 0], 945, "0.1392".to_owned()));
    let report = publish(&policy, &Options::default(), &Progress::default()).unwrap();
    assert_eq!((report.suppressed, report.rows_out), (945, 29_217));
    assert_eq!(format!("{:.4}", report.utility.loss.unwrap()), "0.1392");
}

#[test]
fn eight_quasi_identifiers_of_adult() {
    let Some(folder) = data_folder("eight_quasi_identifiers_of_adult", FILE) else { return };
    let policy = policy(&folder, &QI_8, "");
    let wanted = (vec![3, 1, 1, 1, 0, 0, 1, 0], 1_178, "0.2044".to_owned());
    assert_eq!(optimum(&policy, &[TestPromise::Size(5)]), wanted);
}

#[test]
fn distinct_diversity_on_adult() {
    let Some(folder) = data_folder("distinct_diversity_on_adult", FILE) else { return };
    let wanted = (vec![3, 1, 1, 1, 0, 0], 1_147, "0.2149".to_owned());
    assert_eq!(optimum(&policy(&folder, &QI_6, ""), &[TestPromise::Size(5), TestPromise::Distinct(5)]), wanted);
}

#[test]
fn closeness_on_adult() {
    let Some(folder) = data_folder("closeness_on_adult", FILE) else { return };
    let wanted = (vec![4, 2, 3, 0, 1, 1], 848, "0.8380".to_owned());
    assert_eq!(optimum(&policy(&folder, &QI_6, ""), &[TestPromise::Size(5), TestPromise::Close(4)]), wanted);
}

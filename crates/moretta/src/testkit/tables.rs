//! Small tables of people, random or retyped, with a policy that describes them.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use crate::Policy;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column, ReadCounts};
use crate::data::value::{Type, Value};
use crate::release::Groups;
use crate::schema::Attribute;

/// A row: the group it stands in, a disease, a salary, and the people it stands for.
pub(crate) type Row = (i64, &'static str, i64, u64);

/// Diseases whose first letter is what a mask leaves of them; the empty text is a missing value.
pub(crate) const DISEASES: [&str; 6] = ["", "aa", "ab", "ba", "bb", "cc"];

/// The attributes of a toy table. The third category is empty in every table, the fourth lists a value that never occurs.
pub(crate) const ATTRIBUTES: &str = r#"
    [data]
    source = "toy.csv"
    [attributes]
    group = { role = "quasi", type = "integer" }
    disease = { role = "sensitive", type = "text", hierarchy = { mask = "right" }, categories = [["aa", "ba"], ["ab", ""], [], ["cc", "never"], ["bb"]] }
    salary = { role = "sensitive", type = "integer", categories = [["1", "2", "4", "5", "9", "20", "-9223372036854775808"]] }
"#;

/// Texts as hostile as names of columns can be: quotes, dots, ends of lines, signs of every script, nothing at all.
pub(crate) fn odd_text() -> impl Strategy<Value = String> {
    let sign = prop_oneof![
        any::<char>(),
        proptest::sample::select("\"'.\n\r\t\\#=[]{}, \0\u{7f}az09_-é".chars().collect::<Vec<_>>())
    ];
    proptest::collection::vec(sign, 0..6).prop_map(String::from_iter)
}

/// Random tables of 1 to 24 rows in 1 to 5 groups: weights, ties, single values, missing values, one group.
pub(crate) fn rows() -> impl Strategy<Value = Vec<Row>> {
    let weight = prop_oneof![3 => Just(1_u64), 2 => 1_u64..6, 1 => 1_u64..1000];
    (1_i64..6, 1_usize..=DISEASES.len(), 1_usize..6).prop_flat_map(move |(groups, diseases, salaries)| {
        let disease = proptest::sample::select(DISEASES[..diseases].to_vec());
        let salary = proptest::sample::select(vec![1_i64, 2, 4, 5, 9, 20][..salaries].to_vec());
        proptest::collection::vec((0..groups, disease, salary, weight.clone()), 1..25)
    })
}

/// A column of some values.
pub(crate) fn column(name: &str, kind: Type, values: Vec<Value>) -> Column {
    let (domain, codes) = Domain::from_unsorted(kind, values);
    Column { name: name.to_owned(), domain: Arc::new(domain), codes }
}

/// A text, or a missing value.
pub(crate) fn text(value: &str) -> Value {
    if value.is_empty() { Value::Missing } else { Value::Text(value.into()) }
}

/// A table of some columns.
pub(crate) fn table(quasi: Vec<Column>, sensitive: Vec<Column>, weights: Vec<u64>) -> CodedTable {
    let source_rows = (0..weights.len() as u32).collect();
    CodedTable {
        quasi,
        sensitive,
        group: None,
        person: None,
        weights: Some(weights),
        source_rows,
        tally: ReadCounts::default(),
    }
}

/// The table of some rows.
pub(crate) fn table_of(rows: &[Row]) -> CodedTable {
    let quasi = column("group", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
    let disease = column("disease", Type::Text, rows.iter().map(|row| text(row.1)).collect());
    let salary = column("salary", Type::Integer, rows.iter().map(|row| Value::Integer(row.2)).collect());
    table(vec![quasi], vec![disease, salary], rows.iter().map(|row| row.3).collect())
}

/// The toy policy with some models, each a line of keys, for example `model = "k-anonymity", k = 2`.
pub(crate) fn policy(models: &[String]) -> Policy {
    parse(ATTRIBUTES, models).unwrap()
}

/// A policy of some attributes with some models, each a line of keys.
pub(crate) fn parse(attributes: &str, models: &[String]) -> crate::Result<Policy> {
    let list: Vec<String> = models.iter().map(|model| format!("{{ {model} }}")).collect();
    let text = format!("require = [{}]\n{attributes}", list.join(", "));
    Policy::in_file(text, Path::new("policy.toml"), &[])
}

/// The sensitive attributes of a policy.
pub(crate) fn sensitive(policy: &Policy) -> Vec<&Attribute> {
    policy.with_role(Role::Sensitive).collect()
}

/// The groups of a table as a policy describes it.
pub(crate) fn groups(table: &CodedTable, policy: &Policy) -> Groups {
    Groups::of_table(table, &sensitive(policy)).unwrap()
}

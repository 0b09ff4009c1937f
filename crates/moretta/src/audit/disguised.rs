//! Quasi-identifiers in disguise: columns that are published as they are, and nearly tell people apart.

use super::finding::{Finding, Tested};
use super::{Attack, AuditInput};
use crate::data::cells::count_distinct;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::error::Result;
use crate::progress::Progress;
use crate::text::short_percent;

pub(super) const ATTACK: Attack = Attack {
    name: "disguised-quasi-identifiers",
    adversary: "knows of a person what the steward thought harmless: the columns that are published as they are",
    run,
};

/// So large a share of people who are alone with their value makes a column a quasi-identifier.
const TELLING: f64 = 0.05;

#[expect(clippy::unnecessary_wraps, reason = "every attack may fail to be run")]
fn run(scene: &AuditInput<'_>, _: &Progress) -> Result<Tested> {
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped(
            "which columns are insensitive is only known from the policy: add --original POLICY".into(),
        ));
    };
    let names: Vec<&str> =
        original_table.policy.with_role(Role::Insensitive).map(|attribute| attribute.name.as_str()).collect();
    let table = scene.audited.tables.iter().find(|table| names.iter().any(|name| table.column(name).is_some()));
    let Some(table) = table else {
        return Ok(Tested::Skipped("no column is published as it is but by a role that protects it".into()));
    };
    let columns: Vec<&Column> = names.iter().filter_map(|name| table.column(name)).collect();
    let alone = |columns: &[&Column]| {
        let counted: Vec<_> = columns.iter().map(|column| column.counted()).collect();
        let cells = count_distinct(&counted, table.rows, None);
        cells.people.iter().filter(|&&people| people == 1).count()
    };
    let share = |unique: usize| unique as f64 / table.rows.max(1) as f64;
    let mut findings: Vec<(String, usize)> =
        columns.iter().map(|column| (column.name.clone(), alone(&[column]))).collect();
    if columns.len() > 1 {
        findings.push(("all of them together".to_owned(), alone(&columns)));
    }
    let worst = findings.iter().max_by_key(|(_, unique)| *unique).cloned().unwrap_or_default();
    let telling: Vec<&str> =
        findings.iter().filter(|(_, unique)| share(*unique) >= TELLING).map(|(name, _)| name.as_str()).collect();
    let finding = Finding::new("share alone", share(worst.1), table.rows as u64)
        .hitting(worst.1 as u64, "nobody else has the same values")
        .worst(
            (worst.1 > 0).then(|| format!("{} makes {} of the people unique", worst.0, short_percent(share(worst.1)))),
        )
        .detail("nearly_quasi_identifiers", telling);
    Ok(Tested::Found(vec![finding]))
}

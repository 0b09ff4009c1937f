//! Identifiers that slipped through: values of the original's identifier columns, anywhere in the released files.

use super::finding::{Finding, Tested};
use super::input::OriginalTable;
use super::{Attack, AuditInput, PublishedTable};
use crate::data::lookup::HashSet;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::kind::bucketized::GROUP;
use crate::kind::sliced::BUCKET;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "identifiers",
    adversary: "searches the files for names, numbers and addresses that identify somebody",
    run,
};

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped(
            "which values identify people is only known beside the original: add --original POLICY".into(),
        ));
    };
    let named =
        |role: Role| original_table.policy.with_role(role).map(|attribute| attribute.name.clone()).collect::<Vec<_>>();
    let identifiers: Vec<String> = [Role::Identifier, Role::Person].into_iter().flat_map(named).collect();
    if identifiers.is_empty() {
        return Ok(Tested::Skipped("the policy names no identifier".into()));
    }
    let original = PublishedTable::read("original", original_table.policy.open_source()?, progress)?;
    let telling = telling_values(original_table, &original, &identifiers);
    let mut found = Vec::new();
    let (mut hits, mut rows) = (0_u64, 0_u64);
    for table in &scene.audited.tables {
        rows = rows.max(table.rows as u64);
        for column in &table.columns {
            progress.check()?;
            if identifiers.contains(&column.name) {
                found.push(format!("{} has the identifier column {:?}", table.name, column.name));
            }
            let here = leaked_fields(column, &telling);
            if here > 0 {
                found.push(format!(
                    "{here} fields of {}.{} hold an identifier of the original",
                    table.name, column.name
                ));
            }
            hits += here;
        }
    }
    let finding = Finding::new("fields that leak", hits.max(found.len() as u64) as f64, rows)
        .forbidden()
        .hitting(hits, "the row holds somebody's identifier")
        .worst(found.first().cloned())
        .detail("found", found);
    Ok(Tested::Found(vec![finding]))
}

/// The values of identifiers that are not also values of what may be published: a patient's number 35 is no age.
fn telling_values(
    original_table: &OriginalTable,
    original: &PublishedTable,
    identifiers: &[String],
) -> HashSet<String> {
    let published = |name: &str| {
        let is_published = |role: Role| role.is_in_use() && role != Role::Person;
        original_table.policy.attributes.iter().any(|attribute| attribute.name == name && is_published(attribute.role))
    };
    let values_where = |wanted: &dyn Fn(&Column) -> bool| -> HashSet<String> {
        let columns = original.columns.iter().filter(|column| wanted(column));
        columns.flat_map(|column| column.domain.values()).map(Value::to_string).collect()
    };
    let harmless = values_where(&|column| published(&column.name));
    let mut telling = values_where(&|column| identifiers.contains(&column.name));
    telling.retain(|text| text.chars().count() >= 2 && !harmless.contains(text));
    telling
}

/// The fields of a column that hold an identifier. A number may be one by accident, so most of a column's numbers must be.
fn leaked_fields(column: &Column, telling: &HashSet<String>) -> u64 {
    let texts: Vec<String> = column.domain.values().iter().map(Value::to_string).collect();
    let leaks: Vec<bool> = texts.iter().map(|text| telling.contains(text)).collect();
    let numbers = texts.iter().zip(&leaks).filter(|(text, leaks)| **leaks && text.parse::<f64>().is_ok()).count();
    let by_accident = numbers * 2 <= texts.len() || column.name == GROUP || column.name == BUCKET;
    let counts = |&&code: &&u32| leaks[code as usize] && !(by_accident && texts[code as usize].parse::<f64>().is_ok());
    column.codes.iter().filter(counts).count() as u64
}

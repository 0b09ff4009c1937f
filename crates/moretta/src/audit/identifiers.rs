//! Identifiers that slipped through: values of the original's identifier columns, anywhere in the released files.

use super::finding::{Finding, Tested};
use super::{Attack, AuditInput};
use crate::data::lookup::HashSet;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::kind::bucketized::GROUP;
use crate::kind::sliced::BUCKET;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::schema::EncodedTable;

pub(super) const ATTACK: Attack = Attack {
    name: "identifiers",
    adversary: "searches the files for names, numbers and addresses that identify somebody",
    run,
};

/// The columns of an original that identify people, and the values that do so.
#[derive(Debug)]
pub(super) struct IdentifyingTexts {
    /// Whether there is any such column.
    are_named: bool,
    /// The columns that are not to be published in any form.
    columns: Vec<String>,
    texts: HashSet<String>,
}

impl IdentifyingTexts {
    /// Nothing that identifies anybody.
    pub(super) fn none() -> Self {
        Self { are_named: false, columns: Vec::new(), texts: HashSet::from_iter([]) }
    }

    /// The values of identifiers that are not also values of what may be published: a patient's number 35 is no age.
    pub(super) fn of(policy: &Policy, original: &EncodedTable) -> Self {
        let identifies = |role: Role| matches!(role, Role::Identifier | Role::Person | Role::Pseudonym);
        let names_where = |wanted: &dyn Fn(Role) -> bool| -> Vec<String> {
            let attributes = policy.attributes.iter().filter(|attribute| wanted(attribute.role));
            attributes.map(|attribute| attribute.name.clone()).collect()
        };
        let texts_of =
            |names: &[String]| -> HashSet<String> { names.iter().flat_map(|name| original.spellings(name)).collect() };
        let identifying = names_where(&identifies);
        let harmless = texts_of(&names_where(&|role| role.is_in_use() && !identifies(role)));
        let mut texts = texts_of(&identifying);
        texts.retain(|text| text.chars().count() >= 2 && !harmless.contains(text));
        // A column of pseudonyms has the name of the identifier, and none of its values.
        let columns = names_where(&|role| identifies(role) && role != Role::Pseudonym);
        Self { are_named: !identifying.is_empty(), columns, texts }
    }
}

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped(
            "which values identify people is only known beside the original: add --original POLICY".into(),
        ));
    };
    let IdentifyingTexts { are_named, columns: identifiers, texts } = &*original_table.identifying;
    if !are_named {
        return Ok(Tested::Skipped("the policy names no identifier".into()));
    }
    let mut found = Vec::new();
    let (mut hits, mut rows) = (0_u64, 0_u64);
    for table in &scene.audited.tables {
        progress.check()?;
        rows = rows.max(table.rows as u64);
        for column in &table.columns {
            progress.check()?;
            if identifiers.contains(&column.name) {
                found.push(format!("{} has the identifier column {:?}", table.name, column.name));
            }
            let here = leaked_fields(column, texts);
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

/// The fields of a column that hold an identifier. A number may be one by accident, so most of a column's numbers must be.
fn leaked_fields(column: &Column, identifying: &HashSet<String>) -> u64 {
    let texts: Vec<String> = column.domain.values().iter().map(Value::to_string).collect();
    let leaks: Vec<bool> = texts.iter().map(|text| identifying.contains(text)).collect();
    let numbers = texts.iter().zip(&leaks).filter(|(text, leaks)| **leaks && text.parse::<f64>().is_ok()).count();
    let by_accident = numbers * 2 <= texts.len() || column.name == GROUP || column.name == BUCKET;
    let counts = |&&code: &&u32| leaks[code as usize] && !(by_accident && texts[code as usize].parse::<f64>().is_ok());
    column.codes.iter().filter(counts).count() as u64
}

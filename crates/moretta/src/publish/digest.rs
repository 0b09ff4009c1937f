//! What identifies a table and the way to publish it, so that chance can be of its own for each.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::HierarchySpec;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::schema::Attribute;

/// So many cells are handed to the digest at once.
const CELLS_AT_ONCE: usize = 1 << 12;

/// A digest of the counted cells, the schema, the models with their parameters, and the method with all its options.
///
/// It depends on neither the source's path nor its format, the order of its rows, how missing values are spelt, or the number of threads:
/// the same people published in the same way get the same draws, wherever they are read from.
pub(super) fn of(policy: &Policy, prepared: &Prepared) -> Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let method = policy.for_publishing()?;
    let mut way = format!("{method:?}\n{:?}\n", policy.suppression);
    for model in &*policy.models {
        let parameters = serde_json::Value::Object(model.parameters());
        let _ = writeln!(way, "{} {parameters}", model.name());
    }
    push(&mut digest, way.as_bytes());
    policy.attributes.iter().for_each(|attribute| push_attribute(&mut digest, attribute));
    let table = &prepared.table;
    for column in table.quasi.iter().chain(&table.sensitive).chain(&table.group) {
        push(&mut digest, column.name.as_bytes());
        push_domain(&mut digest, &column.domain);
    }
    let cells = &prepared.cells;
    digest.update((cells.len() as u64).to_le_bytes());
    let records = |first: usize| {
        let mut records = Vec::new();
        for cell in first..cells.len().min(first + CELLS_AT_ONCE) {
            records.extend_from_slice(&cells.people[cell].to_le_bytes());
            cells.columns.iter().for_each(|column| records.extend_from_slice(&column[cell].to_le_bytes()));
        }
        records
    };
    (0..cells.len()).step_by(CELLS_AT_ONCE).for_each(|first| digest.update(records(first)));
    Ok(digest.finalize().into())
}

/// With its length, so that two texts are not taken for two others.
fn push(digest: &mut Sha256, text: &[u8]) {
    digest.update((text.len() as u64).to_le_bytes());
    digest.update(text);
}

fn push_attribute(digest: &mut Sha256, attribute: &Attribute) {
    push(digest, attribute.name.as_bytes());
    push(digest, attribute.role.name().as_bytes());
    match &attribute.hierarchy {
        // Where the file stands does not matter.
        HierarchySpec::File(file) => push(digest, &file.digest),
        spec => push(digest, format!("{spec:?}").as_bytes()),
    }
    push(digest, format!("{:?}", attribute.categories).as_bytes());
    if !attribute.limits.are_none() {
        push(digest, format!("{:?}", attribute.limits).as_bytes());
    }
}

fn push_domain(digest: &mut Sha256, domain: &Domain) {
    digest.update((domain.len() as u64).to_le_bytes());
    for value in domain.values() {
        digest.update([u8::from(value.is_missing())]);
        push(digest, value.to_string().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;

    fn digest_of(rows: &str) -> [u8; 32] {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("table.csv"), format!("age,disease\n{rows}")).unwrap();
        let text = "[data]\nsource = \"table.csv\"\n[attributes]\nage = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
                    [[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n";
        let policy = Policy::in_file(text.to_owned(), &home.path().join("policy.toml"), &[]).unwrap();
        of(&policy, &Prepared::read(&policy, &Progress::default()).unwrap()).unwrap()
    }

    #[test]
    fn it_depends_on_how_many_people_there_are_and_not_on_their_order() {
        let few = digest_of("1,x\n2,y\n2,y\n");
        assert_eq!(few, digest_of("2,y\n1,x\n2,y\n"));
        assert_ne!(few, digest_of("1,x\n2,y\n2,y\n2,y\n"));
        assert_ne!(few, digest_of("1,x\n1,x\n2,y\n"));
    }
}

//! Reading a condensed release.

use super::DATA;
use crate::data::role::Role;
use crate::data::table::CodedTable;
use crate::data::value::{Type, Value};
use crate::error::Result;
use crate::kind::uncertain::math::space::number_of;
use crate::progress::Progress;
use crate::release::{Files, Groups, ValueMeaning};
use crate::schema::Attribute;

/// A condensed release.
#[derive(Debug)]
pub struct Condensed {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// Its records.
    pub table: CodedTable,
    pub(super) drawn: Vec<Drawn>,
}

/// An attribute whose values were drawn anew.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) attribute: String,
    pub(super) kind: Type,
    /// Its columns: one, or one for each value.
    pub(super) columns: Vec<usize>,
    /// Where each value has a coordinate: the values, and the one whose coordinate is largest in each record.
    pub(super) values: Vec<Value>,
    pub(super) codes: Vec<u32>,
}

impl Drawn {
    fn all(files: &Files<'_>, table: &CodedTable) -> Result<Vec<Self>> {
        let mut found: Vec<Self> = Vec::new();
        for (at, column) in table.quasi.iter().enumerate() {
            if column.domain.missing().is_some() {
                return Err(files.wrong(format!("{:?} lacks a number", column.name)));
            }
            let meaning = files.manifest.columns.iter().find(|meaning| meaning.name == column.name);
            let (attribute, value) = match meaning.map(|meaning| &meaning.values) {
                Some(ValueMeaning::Drawn { attribute, value }) => (attribute.as_str(), value.as_deref()),
                _ => (column.name.as_str(), None),
            };
            if found.last().is_none_or(|last| last.attribute != attribute) {
                let kind = meaning.map_or(Type::Number, |meaning| meaning.kind);
                let (columns, values, codes) = (Vec::new(), Vec::new(), Vec::new());
                found.push(Self { attribute: attribute.to_owned(), kind, columns, values, codes });
            }
            if let Some(last) = found.last_mut() {
                last.columns.push(at);
                last.values.extend(value.map(|value| Value::Text(value.into())));
            }
        }
        found.iter_mut().filter(|drawn| !drawn.values.is_empty()).for_each(|drawn| drawn.choose(table));
        Ok(found)
    }

    fn choose(&mut self, table: &CodedTable) {
        let numbers = |&at: &usize| -> Vec<f64> { table.quasi[at].domain.values().iter().map(number_of).collect() };
        let numbers: Vec<Vec<f64>> = self.columns.iter().map(numbers).collect();
        let coordinate =
            |index: usize, row: usize| numbers[index][table.quasi[self.columns[index]].codes[row] as usize];
        let largest = |row: usize| {
            (1..numbers.len())
                .fold(0, |best, next| if coordinate(next, row) > coordinate(best, row) { next } else { best })
        };
        self.codes = (0..table.rows()).map(|row| largest(row) as u32).collect();
    }
}

impl Condensed {
    pub(crate) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let table = files.read(DATA, &attributes, progress)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let groups = Groups::of_table(&table, &described)?;
        files.compare("people", files.manifest.people, table.people())?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        let drawn = Drawn::all(files, &table)?;
        Ok(Self { groups, table, drawn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::published::publish;

    #[test]
    fn a_number_that_is_lost_is_damage() {
        let rows: String = (0..20).map(|i| format!("{},{},flu\n", 20 + i * 7 % 41, 1000 + i * 13 % 17)).collect();
        let policy = "[attributes]\nage = { role = \"quasi\" }\nincome = { role = \"quasi\" }\n\
                      disease = { role = \"sensitive\" }\n[[require]]\nmodel = \"condensed-k\"\nk = 3\n[method]\nname = \"condensation\"\n";
        let published = publish(&format!("age,income,disease\n{rows}"), policy, 7).unwrap();
        let text = published.text("data");
        let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = lines[0].iter().position(|name| *name == "age").unwrap();
        lines[1][column] = "";
        let lines: Vec<String> = lines.iter().map(|line| line.join(",") + "\n").collect();
        published.forge("data", &lines.concat());
        let storage = published.storage();
        let error =
            Condensed::read(&Files::open(&storage, &Progress::default()).unwrap(), &Progress::default()).unwrap_err();
        assert_eq!((error.code(), error.message()), ("release-damaged", "\"age\" lacks a number"));
    }
}

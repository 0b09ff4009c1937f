//! A table that was looked at, whose values are kept: what else a steward asks while deciding is answered without reading it again.

use std::sync::Arc;

use super::partition::RowWeights;
use super::uniqueness::ComparedTable;
use super::{Inspection, UniquenessRisk};
use crate::data::domain::Domain;
use crate::data::table::Column;
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result, nearest};
use crate::hierarchy::{HierarchySpec, by_columns, by_frequency};

/// A table that was looked at, and its values. Memory: four bytes for each value, and the distinct ones.
#[derive(Debug)]
pub struct Examined {
    pub(super) inspection: Inspection,
    pub(super) columns: Vec<Column>,
    /// How many people each row stands for, where a column was taken to say so.
    pub(super) weights: Option<Vec<u64>>,
}

impl Examined {
    /// What was found.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// How far some columns tell people apart: the risk of publishing them as they are. A missing value counts as a value.
    pub fn risk<'n>(&self, columns: impl IntoIterator<Item = &'n str>) -> Result<UniquenessRisk> {
        let columns = columns.into_iter().map(|name| self.column(name)).collect::<Result<Vec<_>>>()?;
        let rows = self.columns.first().map_or(0, |column| column.codes.len());
        Ok(ComparedTable { rows, people: RowWeights(self.weights.as_deref()) }.risk(&columns))
    }

    /// The values of a column in their order, each with the people who have it; a missing value comes first.
    pub fn values(&self, column: &str) -> Result<Vec<(Value, u64)>> {
        let column = self.column(column)?;
        let people = column.people_of_values(self.weights.as_deref());
        Ok(column.domain.values().iter().cloned().zip(people).collect())
    }

    /// The values of a column as a policy may read them, with the people who have each: numbers that are labels, as those of a postal code,
    /// become texts.
    pub(crate) fn domain(&self, column: &str, kind: Option<Type>) -> Result<(Arc<Domain>, Vec<u64>)> {
        let found = self.column(column)?;
        let people = found.people_of_values(self.weights.as_deref());
        if kind != Some(Type::Text) || found.domain.kind() == Type::Text {
            return Ok((found.domain.clone(), people));
        }
        let text = |value: &Value| match value {
            Value::Missing => Value::Missing,
            other => Value::Text(other.to_string().into()),
        };
        let (domain, code_of) = Domain::from_unsorted(Type::Text, found.domain.values().iter().map(text).collect());
        let mut people_of = vec![0; domain.len()];
        for (code, people) in code_of.into_iter().zip(people) {
            people_of[code as usize] += people;
        }
        Ok((Arc::new(domain), people_of))
    }

    /// A hierarchy that only the table itself tells, as a list; nothing for one that needs no rows.
    pub(crate) fn grown(&self, column: &str, spec: &HierarchySpec) -> Result<Option<HierarchySpec>> {
        let own = self.column(column)?;
        let rows = match spec {
            HierarchySpec::Frequency(levels) | HierarchySpec::FrequencyOrSets(levels) => {
                by_frequency(own, self.weights.as_deref(), levels)
            }
            HierarchySpec::Columns(names) => {
                let others = names.iter().map(|name| self.column(name)).collect::<Result<Vec<_>>>()?;
                by_columns(own, &others, column)?
            }
            _ => return Ok(None),
        };
        Ok(Some(HierarchySpec::Listed(rows)))
    }

    fn column(&self, name: &str) -> Result<&Column> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            let error = Error::input(format!("the table has no column {name:?}")).coded(Code::UnknownAttribute);
            match nearest(name, self.columns.iter().map(|column| column.name.as_str())) {
                Some(near) => error.help(format!("did you mean {near:?}?")),
                None => error,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::examine;
    use crate::data::source::{Input, ReadOptions, Source};
    use crate::data::value::Type;
    use crate::progress::Progress;

    #[test]
    fn what_is_asked_later_is_what_a_first_look_says() {
        let text = "zip,age,disease\n1001,30,flu\n1001,31,flu\n1002,30,gout\n1002,30,flu\n1003,40,flu\n";
        let input = Input::Memory("people.csv".into(), text.into());
        let examined = examine(&Source::open(input, ReadOptions::detect()).unwrap(), &Progress::new()).unwrap();
        let all = examined.risk(["zip", "age"]).unwrap();
        assert_eq!((all.classes.unique, all.classes.distinct, all.classes.smallest), (3, 4, 1));
        assert_eq!(examined.risk([]).unwrap().classes.smallest, 5);
        let ages = examined.values("age").unwrap();
        assert_eq!(
            ages.iter().map(|(age, people)| (age.to_string(), *people)).collect::<Vec<_>>(),
            [("30".to_owned(), 3), ("31".to_owned(), 1), ("40".to_owned(), 1)]
        );
        let (zips, people) = examined.domain("zip", Some(Type::Text)).unwrap();
        assert_eq!((zips.kind(), people), (Type::Text, vec![2, 2, 1]));
        assert_eq!(examined.risk(["zipp"]).unwrap_err().advice(), Some("did you mean \"zip\"?"));
    }
}

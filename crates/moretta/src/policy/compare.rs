//! Whether two policies describe the same table.

use super::{DataSpec, Policy};
use crate::schema::Attribute;

impl Policy {
    /// What another policy says otherwise of a table; nothing if both read it alike. Models and method do not matter.
    pub(crate) fn schema_differs(&self, other: &Self) -> Option<String> {
        let names = |policy: &Self| policy.attributes.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        if names(self) != names(other) {
            return Some("it has other attributes".to_owned());
        }
        let same = |one: &Attribute, two: &Attribute| {
            (one.role, one.kind, &one.hierarchy, &one.categories)
                == (two.role, two.kind, &two.hierarchy, &two.categories)
        };
        if let Some((attribute, _)) = self.attributes.iter().zip(&other.attributes).find(|(one, two)| !same(one, two)) {
            return Some(format!("{:?} has another role, type, hierarchy or other categories", attribute.name));
        }
        let rows = |data: &DataSpec| {
            (
                data.missing,
                data.options.missing_values.clone(),
                data.options.empty_text.clone(),
                format!("{:?}", data.filter),
            )
        };
        (rows(&self.data) != rows(&other.data)).then(|| "other rows are taken, or other values are missing".to_owned())
    }
}

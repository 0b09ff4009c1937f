//! What a hierarchy does to the values of a column.

use serde::Serialize;

use super::run::Run;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::value::Type;
use crate::error::{Code, Error, Result};
use crate::hierarchy::{HierarchySpec, Scale};
use crate::release::auxiliary_attribute;
use crate::schema::{Attribute, MissingRule, TableSpec};

/// A hierarchy over the values of a column, with the people who have them.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HierarchyPreview {
    /// Each value with what it becomes level by level: the value first, the root last.
    pub rows: Vec<Vec<String>>,
    /// The levels, from the values themselves to the root.
    pub levels: Vec<HierarchyLevel>,
}

impl HierarchyPreview {
    /// As a file that a policy can name: a line for each value, the value first and the root last.
    pub fn to_csv(&self) -> String {
        let field = |label: &String| {
            // A label with the sign of another separator is quoted, too, since the first line tells which one it is.
            if label.contains([',', ';', '\t', '"', '\n', '\r']) || label.trim() != label {
                format!("\"{}\"", label.replace('"', "\"\""))
            } else {
                label.clone()
            }
        };
        self.rows.iter().map(|row| row.iter().map(field).collect::<Vec<_>>().join(",") + "\n").collect()
    }
}

/// A level of a hierarchy.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct HierarchyLevel {
    /// Its labels in the order of their values, with the people whose values they stand for.
    pub labels: Vec<(String, u64)>,
}

/// Builds a hierarchy over the values of a column, and counts who stands under each of its labels.
///
/// ```
/// use moretta::{HierarchySpec, Run, files::{ReadOptions, open}};
/// # fn main() -> moretta::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("moretta-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let file = folder.join("people.csv");
/// # std::fs::write(&file, "age\n21\n22\n37\n").unwrap();
/// let ages = moretta::hierarchy(&open(&file, ReadOptions::detect())?, "age", &HierarchySpec::intervals([10]), &Run::new())?;
/// assert_eq!(ages.levels[1].labels, [("[20, 29]".to_owned(), 2), ("[30, 39]".to_owned(), 1)]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok(())
/// # }
/// ```
pub fn hierarchy(table: &Source, column: &str, spec: &HierarchySpec, run: &Run) -> Result<HierarchyPreview> {
    if table.position(column).is_none() {
        return Err(Error::input(format!("the table has no column {column:?}"))
            .coded(Code::UnknownAttribute)
            .at_file(table.input().name()));
    }
    let name = table.input().name().to_path_buf();
    let read = run.carry_out(|progress| {
        let attribute = |name: &String| {
            let is_own = name == column;
            let role = if is_own { Role::Quasi } else { Role::Drop };
            let hierarchy = if is_own { spec.clone() } else { HierarchySpec::Default };
            Attribute { kind: None, hierarchy, ..auxiliary_attribute(name, role, Type::Text) }
        };
        let attributes: Vec<Attribute> = table.names().iter().map(attribute).collect();
        let whole = TableSpec { attributes: &attributes, file: &name, missing: MissingRule::Keep, filter: None };
        whole.read(table.clone(), progress)
    })?;
    let [values] = read.table.quasi.as_slice() else { return Err(Error::bug("a column was not read")) };
    let spec = read.grown.first().map_or(spec, |(_, grown)| grown);
    let scale = Scale::new(spec, values.domain.clone(), column)?;
    preview(&scale, &values.people_of_values(read.table.weights.as_deref()), column)
}

/// What a scale makes of the values of a column, which so many people have each.
pub(super) fn preview(scale: &Scale, people: &[u64], column: &str) -> Result<HierarchyPreview> {
    let (Some(tree), ranks) = (scale.tree(), scale.rank_of_codes()) else {
        return Err(Error::input(format!(
            "the values of {column:?} are generalized without a hierarchy: to intervals or sets"
        ))
        .coded(Code::HierarchyWrong)
        .help("state one: intervals, cuts, prefixes, frequency, a file"));
    };
    let mut levels = vec![HierarchyLevel::default(); tree.levels()];
    let mut rows = Vec::with_capacity(people.len());
    let mut order: Vec<usize> = (0..people.len()).collect();
    order.sort_unstable_by_key(|&code| ranks[code]);
    for code in order {
        let row: Vec<String> =
            (0..tree.levels()).map(|level| tree.label(tree.at_level(ranks[code], level)).to_owned()).collect();
        for (level, label) in levels.iter_mut().zip(&row) {
            match level.labels.last_mut() {
                Some((known, count)) if known == label => *count += people[code],
                _ => level.labels.push((label.clone(), people[code])),
            }
        }
        rows.push(row);
    }
    Ok(HierarchyPreview { rows, levels })
}

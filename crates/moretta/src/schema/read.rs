//! Reading the table that a policy describes.

use std::path::Path;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::{Attribute, EncodedTable, MissingRule};
use crate::condition::Predicate;
use crate::config::suggestion;
use crate::data::role::Role;
use crate::data::source::{ColumnData, ColumnNeed, Input, Source};
use crate::data::table::{CodedTable, Column, ReadCounts};
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::hierarchy::{HierarchySpec, by_columns, by_frequency};
use crate::progress::Progress;

/// What reading a policy's table yields.
#[derive(Debug)]
pub struct Reading {
    /// The attributes that decide, encoded.
    pub table: CodedTable,
    /// The table's file, to be passed over again for attributes that are published as they are.
    pub source: Source,
    /// The type of every insensitive attribute and of every pseudonym, in the order of the policy.
    pub insensitive_types: Vec<Type>,
    /// The hierarchies that only the table tells, by the name of their attribute.
    pub grown: GrownHierarchies,
}

/// Hierarchies that follow from a table's own rows, by the name of their attribute.
pub type GrownHierarchies = Vec<(String, HierarchySpec)>;

/// A column of the source while rows are still being chosen.
struct Draft<'a> {
    attribute: &'a Attribute,
    collected: Kept,
}

enum Kept {
    Column(Column),
    NullMask(FixedBitSet, Type),
    Fingerprints(Vec<Option<u64>>),
}

fn draft<'a>(attribute: &'a Attribute, collected: ColumnData, source: &Source) -> Result<Draft<'a>> {
    let collected = match collected {
        ColumnData::NullMask { missing, kind } => Kept::NullMask(missing, attribute.kind.unwrap_or(kind)),
        ColumnData::Fingerprints(fingerprints) => Kept::Fingerprints(fingerprints),
        ColumnData::Codes(encoded) => {
            let decimal = source.options().decimal;
            let Attribute { name, kind, format, .. } = attribute;
            let (domain, codes) = encoded.typed(*kind, decimal, format.as_ref(), name, source.input())?;
            Kept::Column(Column { name: attribute.name.clone(), domain: Arc::new(domain), codes })
        }
    };
    Ok(Draft { attribute, collected })
}

/// What a table is read as.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec<'a> {
    /// Every column, in the order of the policy.
    pub attributes: &'a [Attribute],
    /// The file that describes them.
    pub file: &'a Path,
    /// What to do with rows that lack a value.
    pub missing: MissingRule,
    /// The rows to take.
    pub filter: Option<&'a Predicate>,
}

impl TableSpec<'_> {
    /// Reads the table of a source.
    pub fn read(&self, source: Source, progress: &Progress) -> Result<Reading> {
        let needs = self.needs(&source)?;
        let collected = source.encode(&needs, progress)?;
        self.assemble(source, collected, progress)
    }

    /// The same of a source whose columns were read before.
    pub fn read_encoded(&self, encoded: &EncodedTable, progress: &Progress) -> Result<Reading> {
        let needs = self.needs(encoded.source())?;
        let column = |&(index, need): &(usize, ColumnNeed)| encoded.column(index).clone().narrowed(need);
        self.assemble(encoded.source().clone(), needs.iter().map(column).collect(), progress)
    }

    /// The column of each attribute, and what is needed of it.
    fn needs(&self, source: &Source) -> Result<Vec<(usize, ColumnNeed)>> {
        let in_filter = |name: &str| self.filter.is_some_and(|f| f.attributes().contains(&name));
        let need = |attribute: &Attribute| {
            need(attribute.role, in_filter(&attribute.name) || self.is_level_of_another(&attribute.name))
        };
        Ok(self.match_columns(source)?.into_iter().zip(self.attributes.iter().map(need)).collect())
    }

    /// Whether a column is a level of another attribute's hierarchy.
    pub fn is_level_of_another(&self, name: &str) -> bool {
        let names_it =
            |spec: &HierarchySpec| matches!(spec, HierarchySpec::Columns(names) if names.iter().any(|n| n == name));
        self.attributes.iter().any(|attribute| names_it(&attribute.hierarchy))
    }

    fn assemble(&self, source: Source, collected: Vec<ColumnData>, progress: &Progress) -> Result<Reading> {
        // All at the same time; of several that are wrong the first is told.
        let drafts = self.attributes.par_iter().zip(collected);
        let drafts: Vec<Result<Draft<'_>>> = drafts
            .map(|(attribute, collected)| progress.check().and_then(|()| draft(attribute, collected, &source)))
            .collect();
        let drafts = drafts.into_iter().collect::<Result<Vec<_>>>()?;
        let rows = drafts.first().map_or(0, |draft| draft.collected.rows());
        if rows == 0 {
            return Err(Error::input("the table has a header but no row")
                .coded(Code::TableUnreadable)
                .at_file(source.input().name()));
        }
        u32::try_from(rows).map_err(|_| {
            Error::input(format!("the table has {rows} rows")).help("at most 4,294,967,295 can be read at once")
        })?;
        choose_rows(self, drafts, rows, source, progress)
    }

    /// The column of each attribute. A forgotten column is how people get hurt, so none may be left over.
    fn match_columns(&self, source: &Source) -> Result<Vec<usize>> {
        let file = source.input().name().display();
        let names: Vec<&str> = source.names().iter().map(String::as_str).collect();
        let indices = self.attributes.iter().map(|attribute| {
            source.position(&attribute.name).ok_or_else(|| {
                let error = Error::input(format!("the table {file} has no column {:?}", attribute.name))
                    .coded(Code::UnknownAttribute);
                error.at_file(self.file).at_line(attribute.line).help(suggestion(&attribute.name, &names))
            })
        });
        let indices = indices.collect::<Result<Vec<_>>>()?;
        if let Some(unnamed) = names.iter().find(|name| !self.attributes.iter().any(|a| a.name == **name)) {
            return Err(Error::input(format!("the policy does not name the column {unnamed:?} of {file}"))
                .coded(Code::UnnamedColumn)
                .at_file(self.file)
                .help(format!(
                    "give it a role under [attributes]; to leave it out: {unnamed} = {{ role = \"drop\" }}"
                )));
        }
        if let Some(filter) = self.filter
            && let Some(unknown) = filter.attributes().iter().find(|name| !names.contains(name))
        {
            return Err(Error::input(format!("`where` names {unknown:?}, which is no column of {file}"))
                .coded(Code::UnknownAttribute)
                .at_file(self.file)
                .help(suggestion(unknown, &names)));
        }
        Ok(indices)
    }
}

fn need(role: Role, in_filter: bool) -> ColumnNeed {
    match role {
        _ if in_filter => ColumnNeed::Codes,
        Role::Quasi | Role::Sensitive | Role::Group | Role::Person | Role::Weight | Role::Unclassified => {
            ColumnNeed::Codes
        }
        Role::Identifier | Role::Pseudonym => ColumnNeed::Fingerprints,
        Role::Insensitive => ColumnNeed::NullMask,
        Role::Drop => ColumnNeed::Presence,
    }
}

/// Whether a row can't be kept without a value: a missing weight is no number of people, and a row that is nobody's could be anybody's, so
/// that counting it as one more person would overstate a group.
fn needs_value(role: Role) -> bool {
    matches!(role, Role::Weight | Role::Person | Role::Pseudonym)
}

impl Kept {
    fn rows(&self) -> usize {
        match self {
            Self::Column(column) => column.codes.len(),
            Self::NullMask(missing, _) => missing.len(),
            Self::Fingerprints(fingerprints) => fingerprints.len(),
        }
    }

    fn missing_rows(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Self::NullMask(missing, _) => Box::new(missing.ones()),
            Self::Fingerprints(all) => {
                Box::new(all.iter().enumerate().filter(|(_, f)| f.is_none()).map(|(row, _)| row))
            }
            Self::Column(column) => match column.domain.missing() {
                None => Box::new(std::iter::empty()),
                Some(missing) => Box::new((0..column.codes.len()).filter(move |&row| column.codes[row] == missing)),
            },
        }
    }
}

fn choose_rows(
    spec: &TableSpec<'_>,
    drafts: Vec<Draft<'_>>,
    rows: usize,
    source: Source,
    progress: &Progress,
) -> Result<Reading> {
    let mut tally = ReadCounts { read: rows as u64, ..ReadCounts::default() };
    let mut keep = FixedBitSet::with_capacity(rows);
    keep.insert_range(..);
    let left_out = |keep: &FixedBitSet, before: &mut usize| {
        let now = keep.count_ones(..);
        std::mem::replace(before, now).saturating_sub(now) as u64
    };
    let mut left = rows;

    if let Some(filter) = spec.filter {
        let columns: Vec<&Column> = drafts.iter().filter_map(|d| d.collected.column()).collect();
        let bound = filter.bind(&|name| {
            let found = columns.iter().enumerate().find(|(_, column)| column.name == name);
            let (index, column) = found.ok_or_else(|| Error::bug(format!("the column {name:?} was not read")))?;
            Ok((index, &*column.domain))
        })?;
        for row in 0..rows {
            progress.check()?;
            keep.set(row, bound.truth(&|index: usize| columns[index].codes[row]) == Some(true));
        }
        tally.filtered = left_out(&keep, &mut left);
    }

    for Draft { attribute, collected } in &drafts {
        let counts = match spec.missing {
            MissingRule::DropAny => true,
            MissingRule::Drop | MissingRule::Error => attribute.role.is_in_use(),
            MissingRule::Keep => needs_value(attribute.role),
        };
        if !counts {
            continue;
        }
        let refuses = spec.missing == MissingRule::Error
            || attribute.role == Role::Weight
            || (spec.missing == MissingRule::Keep && needs_value(attribute.role));
        for row in collected.missing_rows() {
            if refuses && keep.contains(row) {
                return Err(missing_value(attribute, row, source.input()));
            }
            keep.remove(row);
        }
    }
    tally.missing = left_out(&keep, &mut left);

    let weights = drafts.iter().find(|d| d.attribute.role == Role::Weight).and_then(|d| d.collected.column());
    let weights = weights.map(|column| read_weights(column, &mut keep, source.input())).transpose()?;
    tally.weightless = left_out(&keep, &mut left);
    if left == 0 {
        let message = format!(
            "no row of the table is left: {} do not pass `where`, {} lack a value",
            tally.filtered, tally.missing
        );
        return Err(Error::data(message)
            .coded(Code::NoRowsLeft)
            .at_file(source.input().name())
            .help("see `where` and `missing` under [data]"));
    }

    let source_rows: Vec<u32> = keep.ones().map(|row| row as u32).collect();
    let kept_weights: Option<Vec<u64>> =
        weights.as_ref().map(|all| source_rows.iter().map(|&row| all[row as usize]).collect());
    let grown = grown(spec, &drafts, &source_rows, kept_weights.as_deref())?;
    let mut table =
        CodedTable { quasi: vec![], sensitive: vec![], group: None, person: None, weights: None, source_rows, tally };
    let mut insensitive_types = Vec::new();
    for Draft { attribute, collected } in drafts {
        progress.check()?;
        match (attribute.role, collected) {
            (Role::Quasi | Role::Unclassified, Kept::Column(column)) => {
                table.quasi.push(column.keep(&table.source_rows));
            }
            (Role::Sensitive, Kept::Column(column)) => table.sensitive.push(column.keep(&table.source_rows)),
            (Role::Group, Kept::Column(column)) => table.group = Some(column.keep(&table.source_rows)),
            (Role::Person, Kept::Column(column)) => table.person = Some(column.keep(&table.source_rows)),
            (role @ (Role::Identifier | Role::Pseudonym), collected) => {
                let all = match collected {
                    Kept::Fingerprints(all) => all,
                    Kept::Column(column) => column.fingerprints(),
                    Kept::NullMask(..) => return Err(Error::bug("an identifier that was not read")),
                };
                table.tally.repeated_identifiers += repeats(&all, &table.source_rows);
                if role == Role::Pseudonym {
                    insensitive_types.push(Type::Text);
                }
            }
            (Role::Insensitive, Kept::NullMask(_, kind)) => insensitive_types.push(kind),
            (Role::Insensitive, Kept::Column(column)) => insensitive_types.push(column.domain.kind()),
            _ => {}
        }
    }
    table.weights = kept_weights;
    Ok(Reading { table, source, insensitive_types, grown })
}

/// The hierarchies that follow from the rows that were kept.
fn grown(
    spec: &TableSpec<'_>,
    drafts: &[Draft<'_>],
    rows: &[u32],
    weights: Option<&[u64]>,
) -> Result<GrownHierarchies> {
    let column = |name: &str| {
        let found = drafts.iter().find(|draft| draft.attribute.name == name)?;
        found.collected.column().map(|column| column.clone().keep(rows))
    };
    let wanted = spec.attributes.iter().filter(|attribute| attribute.hierarchy.needs_rows());
    let one = |attribute: &Attribute| {
        let name = &attribute.name;
        let own = column(name).ok_or_else(|| Error::bug(format!("the column {name:?} was not read")))?;
        let rows = match &attribute.hierarchy {
            HierarchySpec::Columns(names) => {
                let others = names.iter().map(|other| {
                    column(other).filter(|_| other != name).ok_or_else(|| {
                        let all: Vec<&str> = spec.attributes.iter().map(|a| a.name.as_str()).collect();
                        Error::input(format!("the hierarchy of {name:?} names {other:?}, which is no other column"))
                            .coded(Code::UnknownAttribute)
                            .at_file(spec.file)
                            .at_line(attribute.line)
                            .help(suggestion(other, &all))
                    })
                });
                let others = others.collect::<Result<Vec<Column>>>()?;
                let others: Vec<&Column> = others.iter().collect();
                by_columns(&own, &others, name).map_err(|error| error.at_file(spec.file).at_line(attribute.line))?
            }
            HierarchySpec::Frequency(levels) | HierarchySpec::FrequencyOrSets(levels) => {
                by_frequency(&own, weights, levels)
            }
            _ => Vec::new(),
        };
        Ok((name.clone(), HierarchySpec::Listed(rows)))
    };
    wanted.map(one).collect()
}

impl Kept {
    fn column(&self) -> Option<&Column> {
        match self {
            Self::Column(column) => Some(column),
            _ => None,
        }
    }
}

/// The weight of every row; rows that stand for nobody leave `keep`.
fn read_weights(column: &Column, keep: &mut FixedBitSet, input: &Input) -> Result<Vec<u64>> {
    let weight_of_code: Vec<Option<u64>> = column
        .domain
        .values()
        .iter()
        .map(|value| match value {
            Value::Integer(i) => u64::try_from(*i).ok(),
            _ => None,
        })
        .collect();
    let mut weights = vec![0; column.codes.len()];
    let mut total: u64 = 0;
    for (row, &code) in column.codes.iter().enumerate() {
        if !keep.contains(row) {
            continue;
        }
        let weight = weight_of_code[code as usize].ok_or_else(|| {
            let value = column.domain.value(code);
            Error::input(format!("column {:?}: the weight of row {} is {value}", column.name, row + 1))
                .coded(Code::ValueOfWrongType)
                .at_file(input.name())
                .help("a weight is a whole number of people, 0 or more")
        })?;
        total = total.checked_add(weight).filter(|&total| total < 1 << 53).ok_or_else(|| {
            Error::input(format!("column {:?}: the weights add up to more people than can be counted", column.name))
                .at_file(input.name())
        })?;
        weights[row] = weight;
        keep.set(row, weight > 0);
    }
    Ok(weights)
}

fn missing_value(attribute: &Attribute, row: usize, input: &Input) -> Error {
    let role = attribute.role.name();
    Error::input(format!("row {} lacks a value in the {role} column {:?}", row + 1, attribute.name))
        .coded(Code::MissingValue)
        .at_file(input.name())
        .help("fill it in, or state `missing = \"drop\"` or \"keep\" under [data]")
}

/// Rows whose identifier occurs in another row too.
fn repeats(fingerprints: &[Option<u64>], kept: &[u32]) -> u64 {
    let mut present: Vec<u64> = kept.iter().filter_map(|&row| fingerprints[row as usize]).collect();
    present.sort_unstable();
    present.chunk_by(|a, b| a == b).filter(|run| run.len() > 1).map(|run| run.len() as u64).sum()
}

//! Which rows of a table are kept: those that pass the filter, lack no value that they need, and stand for somebody.

use fixedbitset::FixedBitSet;

use super::draft::{ColumnDraft, Kept};
use super::fold::Alike;
use super::read::{FoldedRows, GrownHierarchies, Reading, TableSpec};
use super::{Attribute, MissingRule};
use crate::config::suggestion;
use crate::data::role::Role;
use crate::data::source::{Input, Source};
use crate::data::table::{CodedTable, Column, ReadCounts};
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::hierarchy::{HierarchySpec, by_columns, by_frequency};
use crate::progress::Progress;

/// Whether a row can't be kept without a value: a missing weight is no number of people, and a row that is nobody's could be anybody's, so
/// that counting it as one more person would overstate a group.
fn needs_value(role: Role) -> bool {
    matches!(role, Role::Weight | Role::Person | Role::Pseudonym)
}

/// Whether rows that lack a value in a column of this role are left out, or refused.
pub(super) fn minds_missing(rule: MissingRule, role: Role) -> bool {
    match rule {
        MissingRule::DropAny => true,
        MissingRule::Drop | MissingRule::Error => role.is_in_use(),
        MissingRule::Keep => needs_value(role),
    }
}

/// Chooses rows and makes the table; of rows that were folded, `alike` says which they are.
pub(super) fn choose_rows(
    spec: &TableSpec<'_>,
    drafts: Vec<ColumnDraft<'_>>,
    read: usize,
    alike: Option<&Alike>,
    source: Source,
    progress: &Progress,
) -> Result<Reading> {
    let mut tally = ReadCounts { read: read as u64, ..ReadCounts::default() };
    let rows = alike.map_or(read, |alike| alike.rows.len());
    let mut keep = FixedBitSet::with_capacity(rows);
    keep.insert_range(..);
    let left_out = |keep: &FixedBitSet, before: &mut u64| {
        let now = match alike {
            None => keep.count_ones(..) as u64,
            Some(alike) => keep.ones().map(|row| alike.rows[row]).sum(),
        };
        std::mem::replace(before, now).saturating_sub(now)
    };
    // The number of a row in the source, of folded ones that of the first.
    let first = |row: usize| alike.map_or(row, |alike| alike.first[row] as usize);
    let mut left = tally.read;

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

    for ColumnDraft { attribute, collected } in &drafts {
        if !minds_missing(spec.missing, attribute.role) {
            continue;
        }
        let refuses = spec.missing == MissingRule::Error
            || attribute.role == Role::Weight
            || (spec.missing == MissingRule::Keep && needs_value(attribute.role));
        let lacking = collected.missing_rows().filter(|&row| refuses && keep.contains(row));
        if let Some(row) = lacking.map(first).min() {
            return Err(missing_value(attribute, row, source.input()));
        }
        collected.missing_rows().for_each(|row| keep.remove(row));
    }
    tally.missing = left_out(&keep, &mut left);

    let weights = drafts.iter().find(|d| d.attribute.role == Role::Weight).and_then(|d| d.collected.column());
    let weights = weights.map(|column| read_weights(column, &mut keep, alike, source.input())).transpose()?;
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
    let of_one = |row: u32| weights.as_ref().map_or(1, |all| all[row as usize]);
    let kept_weights: Option<Vec<u64>> = match alike {
        None => weights.as_ref().map(|_| source_rows.iter().map(|&row| of_one(row)).collect()),
        Some(alike) => Some(source_rows.iter().map(|&row| of_one(row) * alike.rows[row as usize]).collect()),
    };
    let unfolded = alike.map(|alike| {
        let (keep, of_row) = (&keep, &alike.of_row);
        let kept = || (0_u32..).zip(of_row).filter(move |(_, one)| keep.contains(**one as usize));
        let weights = weights.as_ref().map(|all| kept().map(|(_, &one)| all[one as usize]).collect());
        let mut number = vec![0; rows];
        (0..).zip(&source_rows).for_each(|(place, &row)| number[row as usize] = place);
        let folded = kept().map(|(_, &one)| number[one as usize]).collect();
        FoldedRows { source_rows: kept().map(|(row, _)| row).collect(), folded, weights }
    });
    let grown = grown(spec, &drafts, &source_rows, kept_weights.as_deref())?;
    let mut table =
        CodedTable { quasi: vec![], sensitive: vec![], group: None, person: None, weights: None, source_rows, tally };
    let mut insensitive_types = Vec::new();
    for ColumnDraft { attribute, collected } in drafts {
        progress.check()?;
        match (attribute.role, collected) {
            (Role::Quasi | Role::Unclassified, Kept::Column(column)) => {
                table.quasi.push(column.keep(&table.source_rows));
            }
            (Role::Sensitive, Kept::Column(column)) => table.sensitive.push(column.keep(&table.source_rows)),
            (Role::Group, Kept::Column(column)) => table.group = Some(column.keep(&table.source_rows)),
            (Role::Person, Kept::Column(column)) => table.person = Some(column.keep(&table.source_rows)),
            (role @ (Role::Identifier | Role::Pseudonym), collected) => {
                let all = match (collected, alike) {
                    (Kept::Fingerprints(all) | Kept::FoldedFingerprints(all, _), _) => all,
                    (Kept::Column(column), None) => column.fingerprints(),
                    (Kept::Column(column), Some(alike)) => {
                        let folded = column.fingerprints();
                        alike.of_row.iter().map(|&one| folded[one as usize]).collect()
                    }
                    (Kept::NullMask(..), _) => return Err(Error::bug("an identifier that was not read")),
                };
                let kept = unfolded.as_ref().map_or(&table.source_rows, |rows| &rows.source_rows);
                table.tally.repeated_identifiers += repeats(&all, kept);
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
    Ok(Reading { table, source, insensitive_types, grown, rows: unfolded })
}

/// The hierarchies that follow from the rows that were kept.
fn grown(
    spec: &TableSpec<'_>,
    drafts: &[ColumnDraft<'_>],
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

/// The weight of every row; rows that stand for nobody leave `keep`.
fn read_weights(column: &Column, keep: &mut FixedBitSet, alike: Option<&Alike>, input: &Input) -> Result<Vec<u64>> {
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
    let wrong = (0..column.codes.len())
        .filter(|&row| keep.contains(row) && weight_of_code[column.codes[row] as usize].is_none())
        .map(|row| (alike.map_or(row, |alike| alike.first[row] as usize), row))
        .min();
    if let Some((first, row)) = wrong {
        let value = column.domain.value(column.codes[row]);
        return Err(Error::input(format!("column {:?}: the weight of row {} is {value}", column.name, first + 1))
            .coded(Code::ValueOfWrongType)
            .at_file(input.name())
            .help("a weight is a whole number of people, 0 or more"));
    }
    for (row, &code) in column.codes.iter().enumerate() {
        let Some(weight) = weight_of_code[code as usize].filter(|_| keep.contains(row)) else { continue };
        let people = weight.checked_mul(alike.map_or(1, |alike| alike.rows[row]));
        total =
            people.and_then(|people| total.checked_add(people)).filter(|&total| total < 1 << 53).ok_or_else(|| {
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

//! Writing a sliced release: one table, in which each column is shuffled inside its bucket.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde_json::{Map, Value as Json};

use super::plan::Slices;
use super::{BUCKET, SLICED};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values};
use crate::error::{Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::kind::bucketized::write::{Numbered, number};
use crate::kind::generalized;
use crate::release::plan::Piece;
use crate::release::write::{Context, Dealt, WrittenTables, pass_over_kept, write_map, write_table};
use crate::release::{ColumnMeaning, SetLabels};
use crate::schema::Attribute;
use crate::storage::Storage;

/// Writes the release, and beside it in private who stands where.
///
/// One row a position, which is one person: buckets come in the order of their numbers, which are random, and each column is
/// in random order inside its bucket, whatever the others do. So neither order tells anything.
pub(crate) fn write(
    plan: &Slices,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    context.refuse_name(BUCKET)?;
    let Numbered { pieces, .. } = number(&plan.buckets, context);
    let dealt = Dealt::new(context, &pieces)?;
    if let Some(private) = private {
        write_map(context, &dealt, private)?;
    }
    let indices = Positions::new(&pieces, plan.buckets.len);
    let mut headers = vec![Header::plain(BUCKET, Type::Integer)];
    let mut coded: Vec<Vec<u32>> = Vec::new();
    for (number, column) in plan.columns.iter().enumerate() {
        let cells = indices.shuffled(&indices.cells, context, &format!("column {number} of the slices"));
        for &index in column {
            let (header, codes) = attribute(plan, context, number, index, &cells);
            headers.push(header);
            coded.push(codes);
        }
    }
    let texts = insensitive(context, &dealt, &indices)?;
    let insensitive = context.with_role(Role::Insensitive).zip(context.insensitive_types);
    headers.extend(insensitive.map(|(attribute, kind)| Header::plain(&attribute.name, *kind)));
    let mut columns = vec![Values::Integers(&indices.numbers)];
    columns.extend(coded.iter().map(|codes| Values::Codes(codes)));
    columns.extend(texts.iter().map(|texts| Values::Texts(texts)));
    let meanings = describe(plan, context);
    let notes = super::ENTRY.annotate(SLICED, &mut headers, &meanings, context.unit());
    let file = write_table(context, release, SLICED, (&headers, &notes), &columns)?;
    Ok(WrittenTables {
        columns: meanings,
        tables: vec![file],
        groups: plan.buckets.len as u64,
        ..WrittenTables::default()
    })
}

/// The positions of all buckets, one after the other.
struct Positions {
    /// The number that each position's bucket publishes.
    numbers: Vec<i64>,
    /// The cell of each position, in the original's links.
    cells: Vec<u32>,
    /// Where each bucket starts, and where the last ends.
    starts: Vec<usize>,
}

impl Positions {
    fn new(pieces: &[Piece], buckets: usize) -> Self {
        let mut found = Self { numbers: Vec::new(), cells: Vec::new(), starts: vec![0; buckets + 1] };
        for piece in pieces {
            let people = piece.people as usize;
            found.cells.extend(std::iter::repeat_n(piece.cell, people));
            found.numbers.extend(std::iter::repeat_n(i64::from(piece.group) + 1, people));
            found.starts[piece.group as usize + 1] += people;
        }
        (0..buckets).for_each(|bucket| found.starts[bucket + 1] += found.starts[bucket]);
        found
    }

    /// Items in random order inside each bucket, with chance of its own for each purpose and bucket.
    fn shuffled<T: Clone + Send>(&self, items: &[T], context: &Context<'_>, purpose: &str) -> Vec<T> {
        let mut items = items.to_vec();
        let mut rest = items.as_mut_slice();
        let mut parts = Vec::with_capacity(self.starts.len());
        for bucket in self.starts.windows(2) {
            let (part, after) = rest.split_at_mut(bucket[1] - bucket[0]);
            parts.push(part);
            rest = after;
        }
        let shuffle =
            |(bucket, part): (usize, &mut [T])| part.shuffle(&mut context.seed.stream(purpose, bucket as u64));
        parts.into_par_iter().enumerate().for_each(shuffle);
        items
    }
}

/// What an attribute publishes at each position whose column comes from these cells.
fn attribute(plan: &Slices, context: &Context<'_>, column: usize, index: usize, cells: &[u32]) -> (Header, Vec<u32>) {
    let quasi = context.table.quasi.len();
    if let (Some(recoded), true) = (&plan.recoded[column], index < quasi) {
        let at = plan.columns[column].iter().filter(|&&other| other < index).count();
        let planned = &recoded.grouping.attributes[at];
        let labels = Arc::new(Domain::labels(SetLabels::of(&planned.values, &recoded.scales[at]).labels));
        let of_region = &recoded.grouping.groups[at];
        let codes = cells.iter().map(|&cell| of_region[recoded.region_of_cell[cell as usize] as usize]);
        return (Header::coded(&planned.name, labels), codes.collect());
    }
    let source = if index < quasi { &context.table.quasi[index] } else { &context.table.sensitive[index - quasi] };
    let codes = cells.iter().map(|&cell| context.cells.columns[index][cell as usize]).collect();
    (Header::coded(&source.name, source.domain.clone()), codes)
}

type Texts = Vec<Option<Box<str>>>;

/// The insensitive attributes: a column of their own, shuffled like every other.
fn insensitive(context: &Context<'_>, dealt: &Dealt, indices: &Positions) -> Result<Vec<Texts>> {
    let wanted = context.insensitive_types.len();
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let mut next = indices.starts.clone();
    let mut rows: Vec<Texts> = vec![Vec::new(); indices.cells.len()];
    pass_over_kept(context, |batch, kept| {
        for &(row, index) in kept {
            let text = |column: &Texts| column[index as usize].as_deref().map(Into::into);
            let texts: Texts = batch.columns.iter().map(text).collect();
            dealt.of_row(context.table, row as usize, |bucket, people| {
                for _ in 0..people {
                    rows[next[bucket as usize]].clone_from(&texts);
                    next[bucket as usize] += 1;
                }
            });
        }
        Ok(())
    })?;
    if rows.iter().any(|row| row.len() != wanted) {
        return Err(Error::bug("somebody in a bucket has no insensitive values; nothing was published"));
    }
    // In the order of what they publish, whatever the source's is, before they are shuffled.
    for bucket in indices.starts.windows(2) {
        rows[bucket[0]..bucket[1]].sort_unstable();
    }
    let rows = indices.shuffled(&rows, context, "insensitive column of the slices");
    Ok((0..wanted).map(|at| rows.iter().map(|row| row[at].clone()).collect()).collect())
}

/// The meaning of every attribute, with the column that it stands in.
fn describe(plan: &Slices, context: &Context<'_>) -> Vec<ColumnMeaning> {
    let quasi = context.table.quasi.len();
    let column_of = |index: usize| plan.columns.iter().position(|column| column.contains(&index));
    let of_quasi = |index: usize, attribute: &Attribute| {
        let column = column_of(index);
        let at = |column: usize| plan.columns[column].iter().filter(|&&other| other < index).count();
        let recoded = column.and_then(|column| Some((plan.recoded[column].as_ref()?, at(column))));
        let meaning = match recoded {
            Some((recoded, at)) => {
                generalized::meaning(&recoded.grouping, at, &recoded.scales[at], &HierarchySpec::Free)
            }
            None => context.exact(index),
        };
        ColumnMeaning { role: attribute.role, detail: slice_of(column), ..meaning }
    };
    let mut columns = context.describe(of_quasi);
    columns.retain(|column| column.role != Role::Weight);
    for column in &mut columns {
        if let Some(index) = context.table.sensitive.iter().position(|c| c.name == column.name) {
            column.detail = slice_of(column_of(quasi + index));
        }
        if column.role == Role::Insensitive {
            column.detail = slice_of(Some(plan.columns.len()));
        }
    }
    columns
}

/// What the manifest says of the column of attributes that an attribute stands in.
fn slice_of(column: Option<usize>) -> Map<String, Json> {
    column.map(|column| Map::from_iter([("slice".to_owned(), (column + 1).into())])).unwrap_or_default()
}

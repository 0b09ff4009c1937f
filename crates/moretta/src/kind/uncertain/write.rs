//! Writing an uncertain release: a row for each person, with the centre and the scales of a density.

use super::math::Density;
use super::math::draw::{decimals, spell};
use super::plan::Densities;
use super::{AXES, UNCERTAIN};
use crate::chance::permutation;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values, noted_writer};
use crate::error::Result;
use crate::kind::uncertain::Detail;
use crate::release::write::{Context, WrittenTables, detail, file_name, people_of, write_table};
use crate::release::{Claim, ColumnMeaning, TableFile};
use crate::storage::Storage;

const BATCH_ROWS: usize = 1 << 16;

/// Writes the release, and beside it in private which record is whose.
pub(crate) fn write(
    plan: &Densities,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    let columns = columns(plan, context)?;
    let cells = people_in_order(context);
    // The record at each index of the table: a shuffle that nothing in the release tells.
    let order = permutation(cells.len(), &mut context.seed.stream("order of records", 0));
    let table = write_records(plan, context, (&cells, &order), &columns, release)?;
    if let Some(private) = private {
        write_map(context, &order, private)?;
    }
    Ok(WrittenTables {
        columns,
        tables: vec![table],
        groups: plan.classes.len() as u64,
        detail: detail(&Detail { density: plan.density.clone() })?,
        claim: context.claims.then(|| Claim::Owners(order.iter().map(|&person| cells[person as usize]).collect())),
    })
}

/// The cell of every person, in the order of the cells.
fn people_in_order(context: &Context<'_>) -> Vec<u32> {
    let cells = (0..).zip(&context.cells.people);
    cells.flat_map(|(cell, &people)| std::iter::repeat_n(cell, people as usize)).collect()
}

fn columns(plan: &Densities, context: &Context<'_>) -> Result<Vec<ColumnMeaning>> {
    let dimensions = || plan.density.dimensions.iter().map(|dimension| dimension.name.as_str());
    let number = |name: String| ColumnMeaning::exact(&name, Role::Quasi, Type::Number);
    let mut columns: Vec<ColumnMeaning> = dimensions().map(Density::center_column).map(number).collect();
    columns.extend(dimensions().map(Density::scale_column).map(number));
    if plan.frames.iter().any(|frame| frame.axes.is_some()) {
        columns.push(ColumnMeaning::exact(AXES, Role::Quasi, Type::Text));
    }
    columns.iter().try_for_each(|column| context.refuse_name(&column.name))?;
    columns.extend(plan.kept.iter().map(|&index| context.exact(index)));
    let sensitive = context.with_role(Role::Sensitive).zip(&context.table.sensitive);
    columns.extend(
        sensitive.map(|(attribute, column)| {
            crate::release::write::meaning::sensitive(&column.name, &column.domain, attribute)
        }),
    );
    Ok(columns)
}

fn write_records(
    plan: &Densities,
    context: &Context<'_>,
    (cells, order): (&[u32], &[u32]),
    columns: &[ColumnMeaning],
    storage: &Storage,
) -> Result<TableFile> {
    let format = context.output;
    let file = file_name(UNCERTAIN, format);
    let mut sink = storage.create(&file)?;
    let unwritable = |e: std::io::Error| storage.unwritable(&file, e);
    let quasi = context.table.quasi.len();
    let coded: Vec<usize> =
        plan.kept.iter().copied().chain((0..context.table.sensitive.len()).map(|s| quasi + s)).collect();
    let spelled = columns.len() - coded.len();
    let mut headers: Vec<Header> = columns[..spelled].iter().map(|c| Header::plain(&c.name, c.kind)).collect();
    headers.extend(
        columns[spelled..].iter().zip(&coded).map(|(c, &at)| Header::coded(&c.name, context.domain(at).clone())),
    );
    let notes = super::ENTRY.annotate(UNCERTAIN, &mut headers, columns, context.unit());
    let mut writer = noted_writer(format, &mut sink, &headers, &notes).map_err(unwritable)?;

    let units: Vec<f64> = plan.density.dimensions.iter().map(|dimension| dimension.unit).collect();
    let dims = units.len();
    let digits: Vec<Vec<i32>> = plan.frames.iter().map(|frame| decimals(frame, &units)).collect();
    let boxed = |text: String| Some(text.into_boxed_str());
    let has_axes = spelled > 2 * dims;
    // What a class publishes, in words: its scales, and its axes or those of space.
    let of_class: Vec<Vec<Option<Box<str>>>> = plan
        .classes
        .iter()
        .map(|class| {
            let mut texts: Vec<_> = class.scales.iter().map(|scale| boxed(scale.to_string())).collect();
            if has_axes {
                texts.push(boxed(class.axes.as_ref().map_or_else(String::new, |axes| axes_text(axes))));
            }
            texts
        })
        .collect();
    for batch in order.chunks(BATCH_ROWS) {
        let mut texts: Vec<Vec<Option<Box<str>>>> = vec![Vec::with_capacity(batch.len()); spelled];
        let mut codes: Vec<Vec<u32>> = vec![Vec::with_capacity(batch.len()); coded.len()];
        for &person in batch {
            let cell = cells[person as usize] as usize;
            let class = plan.class_of_cell[cell] as usize;
            let location = &plan.locations[person as usize * dims..][..dims];
            for d in 0..dims {
                texts[d].push(boxed(spell(location[d] * units[d], digits[class][d])));
            }
            texts[dims..].iter_mut().zip(&of_class[class]).for_each(|(column, text)| column.push(text.clone()));
            codes.iter_mut().zip(&coded).for_each(|(column, &at)| column.push(context.cells.columns[at][cell]));
        }
        let texts = texts.iter().map(|texts| Values::Texts(texts));
        let values: Vec<Values<'_>> = texts.chain(codes.iter().map(|codes| Values::Codes(codes))).collect();
        writer.write(&values).map_err(unwritable)?;
    }
    writer.finish().map_err(unwritable)?;
    let print = sink.finish()?;
    let rows = order.len() as u64;
    Ok(TableFile {
        name: UNCERTAIN.to_owned(),
        file,
        format,
        rows,
        bytes: print.bytes,
        sha256: print.sha256,
        parts: Vec::new(),
    })
}

/// Axes as a list of numbers, row after row.
fn axes_text(axes: &[f64]) -> String {
    let numbers: Vec<String> = axes.iter().map(ToString::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

/// Writes the private map: for each row of the source, its record, counted as they stand in the table.
fn write_map(context: &Context<'_>, order: &[u32], storage: &Storage) -> Result<()> {
    let mut record_of = vec![0_i64; order.len()];
    for (record, &person) in (1..).zip(order) {
        record_of[person as usize] = record;
    }
    let mut next: Vec<usize> = Vec::with_capacity(context.cells.len());
    let mut total = 0;
    for people in &context.cells.people {
        next.push(total);
        total += *people as usize;
    }
    let (mut rows, mut records) = (Vec::new(), Vec::new());
    for (row, &source_row) in context.table.source_rows.iter().enumerate() {
        let cell = context.cells.cell_of_row[row] as usize;
        for _ in 0..people_of(context.table, row) {
            rows.push(i64::from(source_row) + 1);
            records.push(record_of[next[cell]]);
            next[cell] += 1;
        }
    }
    let headers = [Header::plain("row", Type::Integer), Header::plain("record", Type::Integer)];
    let columns = [Values::Integers(&rows), Values::Integers(&records)];
    write_table(context, storage, "map", (&headers, &[]), &columns).map(drop)
}

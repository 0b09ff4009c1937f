//! Writing a condensed release: records drawn anew, by group, with the sensitive values of the group in random order.

use super::{Condensate, DATA};
use crate::chance::permutation;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values};
use crate::error::Result;
use crate::kind::bucketized::GROUP;
use crate::kind::uncertain::math::density::Dimension;
use crate::kind::uncertain::math::draw::spell;
use crate::release::plan::Piece;
use crate::release::write::{Context, Dealt, WrittenTables, write_map, write_table};
use crate::release::{ColumnMeaning, ValueMeaning};
use crate::storage::Storage;

/// Writes the release, and beside it in private who stands where.
pub(crate) fn write(
    plan: &Condensate,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    context.refuse_name(GROUP)?;
    let dims = plan.dimensions.len();
    let number_of = permutation(plan.len, &mut context.seed.stream("group numbers", 0));
    let people: Vec<(u32, u32)> = plan
        .pieces
        .iter()
        .flat_map(|piece| std::iter::repeat_n((number_of[piece.group as usize], piece.cell), piece.people as usize))
        .collect();
    // Records by the group's number, drawn ones in the order of their draw; sensitive values in an order of their own.
    let mut order: Vec<u32> = (0..people.len() as u32).collect();
    order.sort_by_key(|&person| people[person as usize].0);
    let shuffled = permutation(people.len(), &mut context.seed.stream("condensed values", 0));
    let mut giver: Vec<u32> = (0..people.len() as u32).collect();
    giver.sort_by_key(|&person| (people[person as usize].0, shuffled[person as usize]));

    let mut headers = Vec::new();
    let mut texts: Vec<Vec<Option<Box<str>>>> = Vec::new();
    for (d, dimension) in plan.dimensions.iter().enumerate() {
        let decimals = 4 - dimension.unit.log10().floor() as i32;
        let text = |&person: &u32| Some(spell(plan.records[person as usize * dims + d], decimals).into_boxed_str());
        headers.push(Header::plain(&dimension.name, Type::Number));
        texts.push(order.iter().map(text).collect());
    }
    let numbers: Vec<i64> = order.iter().map(|&person| i64::from(people[person as usize].0) + 1).collect();
    headers.push(Header::plain(GROUP, Type::Integer));
    let quasi = context.table.quasi.len();
    let value = |index: usize| {
        giver.iter().map(|&person| context.cells.columns[quasi + index][people[person as usize].1 as usize]).collect()
    };
    let sensitive: Vec<Vec<u32>> = (0..context.table.sensitive.len()).map(value).collect();
    headers.extend(context.table.sensitive.iter().map(|column| Header::coded(&column.name, column.domain.clone())));
    let mut columns: Vec<Values<'_>> = texts.iter().map(|texts| Values::Texts(texts)).collect();
    columns.push(Values::Integers(&numbers));
    columns.extend(sensitive.iter().map(|codes| Values::Codes(codes)));
    let drawn = |d: &Dimension| {
        let values = ValueMeaning::Drawn { attribute: d.attribute.clone(), value: d.value.clone() };
        ColumnMeaning { values, ..ColumnMeaning::exact(&d.name, Role::Quasi, d.kind) }
    };
    let mut meanings: Vec<ColumnMeaning> = plan.dimensions.iter().map(drawn).collect();
    meanings.push(ColumnMeaning::exact(GROUP, Role::Group, Type::Integer));
    let described = context.with_role(Role::Sensitive).zip(&context.table.sensitive);
    meanings.extend(
        described.map(|(attribute, column)| {
            crate::release::write::meaning::sensitive(&column.name, &column.domain, attribute)
        }),
    );
    let notes = super::ENTRY.annotate(DATA, &mut headers, &meanings, context.unit());
    let table = write_table(context, release, DATA, (&headers, &notes), &columns)?;
    if let Some(private) = private {
        let renumbered = |piece: &Piece| Piece { group: number_of[piece.group as usize], ..*piece };
        let mut pieces: Vec<Piece> = plan.pieces.iter().map(renumbered).collect();
        pieces.sort_unstable_by_key(|piece| (piece.group, piece.cell));
        write_map(context, &Dealt::new(context, &pieces)?, private)?;
    }
    Ok(WrittenTables { columns: meanings, tables: vec![table], groups: plan.len as u64, ..WrittenTables::default() })
}

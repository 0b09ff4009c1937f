//! Passing over the source once more, for what is published as it stands there.

use rayon::prelude::*;

use super::Context;
use crate::data::role::Role;
use crate::data::source::RowBatch;
use crate::data::value::{Decimal, Type, Value};
use crate::error::{Code, Error, Fault, Result};
use crate::schema::Attribute;

/// Hands over the insensitive attributes, and identifiers as their pseudonyms, batch by batch, in the order of the policy, with the rows of each batch that were kept: their number in the
/// table, and their index in the batch.
pub(crate) fn pass_over_kept(
    context: &Context<'_>,
    mut sink: impl FnMut(&RowBatch, &[(u32, u32)]) -> Result<()>,
) -> Result<()> {
    let Context { table, source, .. } = *context;
    let passed = || context.attributes.iter().filter(|attribute| attribute.role.is_passed_over());
    let wanted: Vec<usize> = passed().filter_map(|attribute| source.position(&attribute.name)).collect();
    let hidden: Vec<usize> = passed()
        .enumerate()
        .filter(|(_, attribute)| attribute.role == Role::Pseudonym)
        .map(|(place, _)| place)
        .collect();
    let pseudonyms = match &context.pseudonyms {
        None if !hidden.is_empty() => return Err(Error::bug("identifiers would be published as they are")),
        pseudonyms => pseudonyms.as_ref(),
    };
    let spellings: Vec<Spelling<'_>> =
        passed().zip(context.insensitive_types).map(|(attribute, &kind)| Spelling { attribute, kind }).collect();
    let mut kept = (0..).zip(table.source_rows.iter().copied()).peekable();
    let (mut here, mut read) = (Vec::new(), 0);
    source.stream(&wanted, &mut |mut batch| {
        context.progress.check()?;
        for (spelling, column) in spellings.iter().zip(&mut batch.columns) {
            spelling.make_ours(column, batch.first_row, context)?;
        }
        for (&place, pseudonyms) in hidden.iter().zip(pseudonyms.into_iter().cycle()) {
            batch.columns[place].par_iter_mut().flatten().for_each(|text| *text = pseudonyms.of(text));
        }
        read = batch.first_row + batch.rows as u64;
        here.clear();
        while let Some((row, source_row)) = kept.next_if(|&(_, source_row)| u64::from(source_row) < read) {
            here.push((row, (u64::from(source_row) - batch.first_row) as u32));
        }
        sink(&batch, &here)
    })?;
    if read != table.tally.read {
        return Err(Error::new(Fault::Machine, "the table changed while it was being published")
            .coded(Code::InputChanged)
            .at_file(source.input().name())
            .help("publish again when nobody writes to it"));
    }
    Ok(())
}

/// How the table spells an attribute that is published as it is.
struct Spelling<'a> {
    attribute: &'a Attribute,
    kind: Type,
}

impl Spelling<'_> {
    /// Spells the values of a column as we do, where the policy states another spelling: the same table gives the same release, however it is written.
    fn make_ours(&self, column: &mut [Option<Box<str>>], first_row: u64, context: &Context<'_>) -> Result<()> {
        let signs = context.source.options().number_signs();
        let read = |text: &str| match (&self.attribute.format, self.kind) {
            (Some(format), kind) => format.read_as(text, kind),
            (None, kind) => {
                let plain = signs.plain(text);
                let decimals = signs.decimal.map_or(vec![Decimal::Point, Decimal::Comma], |stated| vec![stated]);
                decimals.into_iter().find_map(|decimal| Value::parse(&plain, kind, decimal))
            }
        };
        let are_numbers = signs.thousands.is_some() && matches!(self.kind, Type::Integer | Type::Number);
        if self.attribute.format.is_none() && !are_numbers && !self.kind.is_time() {
            return Ok(());
        }
        for (row, text) in (first_row..).zip(column) {
            let Some(found) = text else { continue };
            // As days are spelled by us.
            if self.kind == Type::Date && self.attribute.format.is_none() && found.len() == 10 {
                continue;
            }
            let value = read(found).ok_or_else(|| {
                let name = &self.attribute.name;
                Error::input(format!("column {name:?}: {found:?}, in row {}, is not a {}", row + 1, self.kind.name()))
                    .coded(Code::ValueOfWrongType)
                    .at_file(context.source.input().name())
                    .help("see `format` of the attribute, and `thousands` and `decimal` under [data]; if it means a missing value, add it to `missing_values`")
            })?;
            *text = Some(value.to_string().into());
        }
        Ok(())
    }
}

//! Passing over the source once more, for what is published as it stands there.

use rayon::prelude::*;

use super::Context;
use crate::data::role::Role;
use crate::data::source::RowBatch;
use crate::error::{Code, Error, Fault, Result};

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
    let mut kept = (0..).zip(table.source_rows.iter().copied()).peekable();
    let (mut here, mut read) = (Vec::new(), 0);
    source.stream(&wanted, &mut |mut batch| {
        context.progress.check()?;
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

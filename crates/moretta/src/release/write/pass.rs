//! Passing over the source once more, for what is published as it stands there.

use super::Context;
use crate::data::role::Role;
use crate::data::source::RowBatch;
use crate::error::{Code, Error, Fault, Result};

/// Hands over the insensitive attributes batch by batch, in the order of the policy, with the rows of each batch that were kept: their number in the
/// table, and their index in the batch.
pub(crate) fn pass_over_kept(
    context: &Context<'_>,
    mut sink: impl FnMut(&RowBatch, &[(u32, u32)]) -> Result<()>,
) -> Result<()> {
    let Context { table, source, .. } = *context;
    let wanted: Vec<usize> =
        context.with_role(Role::Insensitive).filter_map(|attribute| source.position(&attribute.name)).collect();
    let mut kept = (0..).zip(table.source_rows.iter().copied()).peekable();
    let (mut here, mut read) = (Vec::new(), 0);
    source.stream(&wanted, &mut |batch| {
        context.progress.check()?;
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

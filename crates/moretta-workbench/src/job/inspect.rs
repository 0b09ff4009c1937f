//! Looks at a table, and writes a policy to start from.

use std::sync::Arc;

use moretta::text::counted;
use moretta::{Examined, Result, Run};

use super::Done;
use crate::bench::Bench;
use crate::workspace::{Picture, TableName};

pub(super) fn run(bench: &Bench, table: &TableName, run: &Run) -> Result<Done> {
    let workspace = &bench.workspace;
    let stamp = workspace.stamp(table)?;
    let source = match bench.policy() {
        // A policy that was written for this table may say more about how it is read.
        Ok(policy) if workspace.named_table()?.as_ref() == Some(table) => policy.open_source()?,
        _ => workspace.open_table(table, bench.password(table))?,
    };
    let examined = Arc::new(Examined::read(&source, run)?);
    let picture = Picture::of(stamp.clone(), &source, &examined)?;
    run.check()?;
    workspace.turn_to(table, &picture.suggested_policy)?;
    workspace.keep_picture(&picture)?;
    bench.keep(stamp, examined);
    let says = format!(
        "{} and {} were read.",
        counted(picture.rows, "row", "rows"),
        counted(picture.columns.len() as u64, "column", "columns")
    );
    Ok(Done { go: "/understand".to_owned(), says, shown: None })
}

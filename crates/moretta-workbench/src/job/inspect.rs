//! Looks at a table, and writes a policy to start from.

use std::sync::Arc;

use moretta::files::{self, ReadOptions};
use moretta::text::counted;
use moretta::{Examined, Result, Run};

use super::Done;
use crate::bench::Bench;
use crate::workspace::Picture;

pub(super) fn run(bench: &Bench, table: &str, run: &Run) -> Result<Done> {
    let workspace = &bench.workspace;
    let stamp = workspace.stamp(table)?;
    let examined = Arc::new(Examined::read(&files::open(workspace.table(table)?, ReadOptions::detect())?, run)?);
    let picture = Picture::of(stamp.clone(), &examined)?;
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

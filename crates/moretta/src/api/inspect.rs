//! A first look at a table.

use super::run::Run;
use super::table::Table;
use crate::data::source::Source;
use crate::error::Result;
use crate::inspect::{self, Inspection, RulesFound};
use crate::knowledge::Mining;

/// Looks at a table: what its columns hold, which roles they may have, how far they tell people apart.
pub fn inspect(table: &Source, run: &Run) -> Result<Inspection> {
    run.carry_out(|progress| inspect::inspect(table, progress))
}

/// What can be excluded about people by rules that hold in the table.
pub fn rules(table: &Table, mining: &Mining, run: &Run) -> Result<Vec<RulesFound>> {
    run.carry_out(|progress| inspect::rules(table.policy(), table.prepared(), mining, progress))
}

impl Inspection {
    /// A commented policy to start from, for a table of this name.
    pub fn suggested_policy(&self, source: &str) -> String {
        inspect::starter_policy(self, source)
    }
}

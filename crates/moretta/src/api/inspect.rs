//! A first look at a table.

use super::hierarchy::{HierarchyPreview, preview};
use super::run::Run;
use super::table::Table;
use crate::data::source::Source;
use crate::data::value::Type;
use crate::error::Result;
use crate::hierarchy::{HierarchySpec, Scale};
use crate::inspect::{self, Examined, Inspection, RulesFound};
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

impl Examined {
    /// Looks at a table and keeps its values, for what else there is to ask while its policy is written.
    ///
    /// ```
    /// use moretta::{Examined, HierarchySpec, Run, files};
    ///
    /// let table = files::csv("age,sex\n21,F\n21,F\n37,M\n")?;
    /// let examined = Examined::read(&table, &Run::new())?;
    /// assert_eq!(examined.risk(["age", "sex"])?.classes.unique, 1);
    /// let ages = examined.hierarchy("age", None, &HierarchySpec::intervals([10]))?;
    /// assert_eq!(ages.levels[1].labels[0], ("[20, 29]".to_owned(), 2));
    /// let rare = examined.hierarchy("sex", None, &HierarchySpec::frequency([3]))?;
    /// assert_eq!(rare.levels[1].labels, [("{F, M}".to_owned(), 3)]);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    pub fn read(table: &Source, run: &Run) -> Result<Self> {
        run.carry_out(|progress| inspect::examine(table, progress))
    }

    /// What a hierarchy does to the values of a column, as [`crate::hierarchy()`] says it; `kind` where a policy states the type.
    pub fn hierarchy(&self, column: &str, kind: Option<Type>, spec: &HierarchySpec) -> Result<HierarchyPreview> {
        let (domain, people) = self.domain(column, kind)?;
        let grown = self.grown(column, spec)?;
        preview(&Scale::new(grown.as_ref().unwrap_or(spec), domain, column)?, &people, column)
    }
}

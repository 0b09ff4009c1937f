//! Reading the table that a policy describes.

use std::path::Path;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::choose::choose_rows;
use super::draft::{ColumnDraft, ColumnRest, Kept, draft, unfolded};
use super::fold::{Alike, Telling, fold};
use super::{Attribute, EncodedTable, MissingRule};
use crate::condition::Predicate;
use crate::config::suggestion;
use crate::data::role::Role;
use crate::data::source::{ColumnData, ColumnNeed, Source};
use crate::data::table::{CodedTable, Column};
use crate::data::value::Type;
use crate::error::{Code, Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::progress::Progress;

/// What reading a policy's table yields.
#[derive(Debug)]
pub struct Reading {
    /// The attributes that decide, encoded.
    pub table: CodedTable,
    /// The table's file, to be passed over again for attributes that are published as they are.
    pub source: Source,
    /// The type of every insensitive attribute and of every pseudonym, in the order of the policy.
    pub insensitive_types: Vec<Type>,
    /// The hierarchies that only the table tells, by the name of their attribute.
    pub grown: GrownHierarchies,
    /// Where rows that agree were folded into one whose weight they are: the rows themselves.
    pub(crate) rows: Option<FoldedRows>,
}

/// The rows of a table whose rows were folded.
#[derive(Debug)]
pub(crate) struct FoldedRows {
    /// The number, in the source, of each row that was kept.
    pub(crate) source_rows: Vec<u32>,
    /// The row of the table into which it was folded.
    pub(crate) folded: Vec<u32>,
    /// How many people it stands for, where the table states it.
    pub(crate) weights: Option<Vec<u64>>,
}

/// Hierarchies that follow from a table's own rows, by the name of their attribute.
pub type GrownHierarchies = Vec<(String, HierarchySpec)>;

impl Reading {
    /// The same as if its rows had been folded, each into itself.
    fn unfolded(mut self) -> Self {
        let table = &self.table;
        let folded = (0..table.rows() as u32).collect();
        let weights = table.weights.clone();
        self.rows = Some(FoldedRows { source_rows: table.source_rows.clone(), folded, weights });
        self
    }
}

/// What a table is read as.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec<'a> {
    /// Every column, in the order of the policy.
    pub attributes: &'a [Attribute],
    /// The file that describes them.
    pub file: &'a Path,
    /// What to do with rows that lack a value.
    pub missing: MissingRule,
    /// The rows to take.
    pub filter: Option<&'a Predicate>,
}

impl TableSpec<'_> {
    /// Reads the table of a source.
    pub fn read(&self, source: Source, progress: &Progress) -> Result<Reading> {
        let needs = self.needs(&source)?;
        let collected = source.encode(&needs, progress)?;
        self.assemble(source, collected, progress)
    }

    /// The same, with rows that agree folded into one: the table has a row for each of the different ones, and how many people they stand for
    /// as weights. Who needs it may ask for the rows as well; otherwise the different rows stand in the order in which they first occur.
    ///
    /// Large tables take less memory so: what tells rows apart is held once for all that agree.
    pub fn read_folded(&self, source: Source, of_row: bool, progress: &Progress) -> Result<Reading> {
        let needs = self.needs(&source)?;
        let collected = source.encode(&needs, progress)?;
        // Which values stand beside which is told by the first row that contradicts, so that one needs all of them.
        if self.attributes.iter().any(|attribute| matches!(attribute.hierarchy, HierarchySpec::Columns(_))) {
            return self.assemble(source, collected, progress).map(Reading::unfolded);
        }
        let rows = Self::count_rows(collected.first().map_or(0, ColumnData::rows), &source)?;
        // Whether an identifier repeats is told by rows.
        let asked = of_row;
        let of_row = asked || self.attributes.iter().any(|a| matches!(a.role, Role::Identifier | Role::Pseudonym));
        let (drafts, alike) = self.fold(collected, rows, (of_row, !asked), &source, progress)?;
        choose_rows(self, drafts, rows, Some(&alike), source, progress)
    }

    /// Columns of different rows, and which rows these are.
    fn fold<'a>(
        &'a self,
        collected: Vec<ColumnData>,
        rows: usize,
        (of_row, in_order): (bool, bool),
        source: &Source,
        progress: &Progress,
    ) -> Result<(Vec<ColumnDraft<'a>>, Alike)> {
        // All at the same time; of several that are wrong the first is told.
        let read = self.attributes.par_iter().zip(collected);
        let read: Vec<Result<(ColumnRest, Telling)>> = read
            .map(|(attribute, collected)| {
                progress.check().and_then(|()| unfolded(attribute, self.missing, collected, source))
            })
            .collect();
        let (rest, telling): (Vec<ColumnRest>, Vec<Telling>) =
            read.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
        progress.start("counting", 0);
        let mut folded = fold(telling, rows, of_row, progress)?;
        if in_order {
            folded.order_by_first();
        }
        let drafts = self.attributes.iter().zip(rest).zip(folded.columns);
        let drafts = drafts.map(|((attribute, rest), codes)| {
            let missing = || {
                let mut missing = FixedBitSet::with_capacity(codes.len());
                (0..codes.len()).filter(|&row| codes[row] == 1).for_each(|row| missing.insert(row));
                missing
            };
            let collected = match rest {
                ColumnRest::Column(domain) => Kept::Column(Column { name: attribute.name.clone(), domain, codes }),
                ColumnRest::NullMask(kind) => Kept::NullMask(missing(), kind),
                ColumnRest::Fingerprints(all) => Kept::FoldedFingerprints(all, missing()),
            };
            ColumnDraft { attribute, collected }
        });
        Ok((drafts.collect(), folded.alike))
    }

    /// The same of a source whose columns were read before.
    pub fn read_encoded(&self, encoded: &EncodedTable, progress: &Progress) -> Result<Reading> {
        let needs = self.needs(encoded.source())?;
        let column = |&(index, need): &(usize, ColumnNeed)| encoded.column(index).clone().narrowed(need);
        self.assemble(encoded.source().clone(), needs.iter().map(column).collect::<Result<_>>()?, progress)
    }

    /// The column of each attribute, and what is needed of it.
    fn needs(&self, source: &Source) -> Result<Vec<(usize, ColumnNeed)>> {
        let in_filter = |name: &str| self.filter.is_some_and(|f| f.attributes().contains(&name));
        let need = |attribute: &Attribute| {
            need(attribute.role, in_filter(&attribute.name) || self.is_level_of_another(&attribute.name))
        };
        Ok(self.match_columns(source)?.into_iter().zip(self.attributes.iter().map(need)).collect())
    }

    /// Whether a column is a level of another attribute's hierarchy.
    pub fn is_level_of_another(&self, name: &str) -> bool {
        let names_it =
            |spec: &HierarchySpec| matches!(spec, HierarchySpec::Columns(names) if names.iter().any(|n| n == name));
        self.attributes.iter().any(|attribute| names_it(&attribute.hierarchy))
    }

    fn assemble(&self, source: Source, collected: Vec<ColumnData>, progress: &Progress) -> Result<Reading> {
        // All at the same time; of several that are wrong the first is told.
        let drafts = self.attributes.par_iter().zip(collected);
        let drafts: Vec<Result<ColumnDraft<'_>>> = drafts
            .map(|(attribute, collected)| progress.check().and_then(|()| draft(attribute, collected, &source)))
            .collect();
        let drafts = drafts.into_iter().collect::<Result<Vec<_>>>()?;
        let rows = Self::count_rows(drafts.first().map_or(0, |draft| draft.collected.rows()), &source)?;
        choose_rows(self, drafts, rows, None, source, progress)
    }

    /// Refuses tables without a row, and those that have too many.
    fn count_rows(rows: usize, source: &Source) -> Result<usize> {
        if rows == 0 {
            return Err(Error::input("the table has a header but no row")
                .coded(Code::TableUnreadable)
                .at_file(source.input().name()));
        }
        u32::try_from(rows).map_err(|_| {
            Error::input(format!("the table has {rows} rows")).help("at most 4,294,967,295 can be read at once")
        })?;
        Ok(rows)
    }

    /// The column of each attribute. A forgotten column is how people get hurt, so none may be left over.
    fn match_columns(&self, source: &Source) -> Result<Vec<usize>> {
        let file = source.input().name().display();
        let names: Vec<&str> = source.names().iter().map(String::as_str).collect();
        let indices = self.attributes.iter().map(|attribute| {
            source.position(&attribute.name).ok_or_else(|| {
                let error = Error::input(format!("the table {file} has no column {:?}", attribute.name))
                    .coded(Code::UnknownAttribute);
                error.at_file(self.file).at_line(attribute.line).help(suggestion(&attribute.name, &names))
            })
        });
        let indices = indices.collect::<Result<Vec<_>>>()?;
        if let Some(unnamed) = names.iter().find(|name| !self.attributes.iter().any(|a| a.name == **name)) {
            return Err(Error::input(format!("the policy does not name the column {unnamed:?} of {file}"))
                .coded(Code::UnnamedColumn)
                .at_file(self.file)
                .help(format!(
                    "give it a role under [attributes]; to leave it out: {unnamed} = {{ role = \"drop\" }}"
                )));
        }
        if let Some(filter) = self.filter
            && let Some(unknown) = filter.attributes().iter().find(|name| !names.contains(name))
        {
            return Err(Error::input(format!("`where` names {unknown:?}, which is no column of {file}"))
                .coded(Code::UnknownAttribute)
                .at_file(self.file)
                .help(suggestion(unknown, &names)));
        }
        Ok(indices)
    }
}

fn need(role: Role, in_filter: bool) -> ColumnNeed {
    match role {
        _ if in_filter => ColumnNeed::Codes,
        Role::Quasi | Role::Sensitive | Role::Group | Role::Person | Role::Weight | Role::Unclassified => {
            ColumnNeed::Codes
        }
        Role::Identifier | Role::Pseudonym => ColumnNeed::Fingerprints,
        Role::Insensitive => ColumnNeed::NullMask,
        Role::Drop => ColumnNeed::Presence,
    }
}

//! The table of a policy, read and counted.

use std::ops::Deref;
use std::time::Instant;

use rayon::prelude::*;

use crate::data::cells::{Cells, count_distinct};
use crate::data::role::Role;
use crate::data::source::{Source, Stamp};
use crate::data::table::{CodedTable, Column};
use crate::data::value::Type;
use crate::error::{Code, Error, Fault, Result};
use crate::hierarchy::Scale;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::release::{Original, Persons, TableSummary};
use crate::schema::{Attribute, EncodedTable, FoldedRows, GrownHierarchies, Reading, TableSpec};

/// A policy's table, ready to be planned from, published, compared, attacked.
///
/// It does not depend on the policy's models and method: candidates that differ only in those share it.
#[derive(Debug)]
pub struct Prepared {
    /// The table.
    pub table: CodedTable,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: Cells,
    /// How its quasi-identifiers generalize.
    pub scales: Vec<Scale>,
    /// What the policy says of its sensitive attributes.
    pub whole: TableSummary,
    /// The table's file, to be passed over again for attributes that are published as they are.
    pub source: Source,
    /// The type of every insensitive attribute and of every pseudonym, in the order of the policy.
    pub insensitive_types: Vec<Type>,
    /// The hierarchies that its rows tell. A part of the table keeps them: whoever publishes it knows the whole.
    grown: GrownHierarchies,
    /// What the file was when it was read.
    stamp: Stamp,
    /// How long reading took, and counting.
    pub seconds: (f64, f64),
}

impl Prepared {
    /// Reads the table that a policy names, and counts it.
    pub fn read(policy: &Policy, progress: &Progress) -> Result<Self> {
        Self::read_source(policy, policy.open_source()?, progress)
    }

    /// The same for publishing alone: without the codes of rows, which are not needed once cells are counted, and in memory that grows with
    /// the different rows, and by a number or two for each row.
    pub fn read_for_publishing(policy: &Policy, progress: &Progress) -> Result<Self> {
        Self::read_folded(policy, policy.open_source()?, progress)
    }

    pub(super) fn read_folded(policy: &Policy, source: Source, progress: &Progress) -> Result<Self> {
        let clock = Instant::now();
        let stamp = source.input().stamp()?;
        let reading = policy.table_spec().read_folded(source, true, progress)?;
        Self::count(policy, reading, stamp, clock.elapsed().as_secs_f64(), progress).map(Self::without_codes)
    }

    /// Reads the table of a source, which need not be the one that the policy names, and counts it.
    pub fn read_source(policy: &Policy, source: Source, progress: &Progress) -> Result<Self> {
        let clock = Instant::now();
        let stamp = source.input().stamp()?;
        let reading = policy.read_table(source, progress)?;
        let read = clock.elapsed().as_secs_f64();
        Self::count(policy, reading, stamp, read, progress)
    }

    /// The same of a source that was read before, for those who need more of it than the table.
    pub fn read_encoded(policy: &Policy, encoded: &EncodedTable, progress: &Progress) -> Result<Self> {
        let clock = Instant::now();
        let stamp = encoded.source().input().stamp()?;
        let reading = policy.table_spec().read_encoded(encoded, progress)?;
        Self::count(policy, reading, stamp, clock.elapsed().as_secs_f64(), progress)
    }

    fn count(policy: &Policy, reading: Reading, stamp: Stamp, read: f64, progress: &Progress) -> Result<Self> {
        let clock = Instant::now();
        let Reading { mut table, source, insensitive_types, grown, rows } = reading;
        progress.start("counting", 0);
        progress.check()?;
        let scales = policy.scales(&table, &grown)?;
        progress.check()?;
        let described: Vec<&Attribute> = policy.with_role(Role::Sensitive).collect();
        let whole = TableSummary::of_table(&table, &described)?;
        progress.check()?;
        let mut cells = count_cells(&table);
        if let Some(FoldedRows { source_rows, folded, weights }) = rows {
            cells.cell_of_row = folded.into_par_iter().map(|row| cells.cell_of_row[row as usize]).collect();
            table.source_rows = source_rows;
            table.weights = weights;
        }
        progress.check()?;
        let seconds = (read, clock.elapsed().as_secs_f64());
        Ok(Self { table, cells, scales, whole, source, insensitive_types, grown, stamp, seconds })
    }

    /// Only those rows, counted from 0, that are `inside`: the same as if the source had held no others.
    pub fn part(&self, policy: &Policy, inside: &dyn Fn(usize) -> bool, progress: &Progress) -> Result<Self> {
        let rows: Vec<u32> = (0..self.table.rows() as u32).filter(|&row| inside(row as usize)).collect();
        let (source, insensitive_types) = (self.source.clone(), self.insensitive_types.clone());
        let grown = self.grown.clone();
        let table = self.table.clone().keep(&rows);
        let reading = Reading { table, source, insensitive_types, grown, rows: None };
        Self::count(policy, reading, self.stamp, 0.0, progress)
    }

    /// The same as a part of a whole that others hold: its sensitive values are numbered as those of the whole, and its groups are compared
    /// with the whole.
    pub fn within(mut self, whole: TableSummary) -> Result<Self> {
        for (column, known) in self.table.sensitive.iter_mut().zip(&whole.sensitive) {
            let code = |value| {
                known.domain.code(value).ok_or_else(|| {
                    Error::data(format!(
                        "a value of {:?} occurs in a part of the table and not in the whole",
                        column.name
                    ))
                })
            };
            let code_of = column.domain.values().iter().map(code).collect::<Result<Vec<u32>>>()?;
            column.codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
            column.domain = known.domain.clone();
        }
        self.cells = count_cells(&self.table);
        self.whole = whole;
        Ok(self)
    }

    /// The same as if its people stood in other cells, of whose rows nothing is known.
    #[must_use]
    pub(crate) fn with_cells(&self, cells: Cells) -> Self {
        let Self { table, scales, whole, source, insensitive_types, grown, stamp, .. } = self;
        Self {
            table: table.clone(),
            cells,
            scales: scales.clone(),
            whole: whole.clone(),
            source: source.clone(),
            insensitive_types: insensitive_types.clone(),
            grown: grown.clone(),
            stamp: *stamp,
            seconds: (0.0, 0.0),
        }
    }

    /// The same without the codes of rows, which are not needed any more once cells are counted.
    #[must_use]
    pub fn without_codes(mut self) -> Self {
        let CodedTable { quasi, sensitive, group, person, .. } = &mut self.table;
        quasi.iter_mut().chain(sensitive).chain(group).chain(person).for_each(|column| column.codes = Vec::new());
        self
    }

    /// The original beside which a release is judged.
    pub fn original(&self) -> Original<'_> {
        Original::new(&self.table, &self.cells).described(&self.scales, &self.whole)
    }

    /// Whose each cell is, where several rows may belong to one person.
    pub fn persons(&self) -> Option<Persons<'_>> {
        Persons::of_cells(&self.table, &self.cells)
    }

    /// Refuses a source that is not what it was when it was read.
    pub fn check_unchanged(&self) -> Result<()> {
        if self.source.input().stamp()? == self.stamp {
            return Ok(());
        }
        Err(Error::new(Fault::Machine, "the table changed while it was being published")
            .coded(Code::InputChanged)
            .at_file(self.source.input().name())
            .help("publish again when nobody writes to it"))
    }
}

/// A prepared table that is somebody's own, or shared with others.
#[derive(Debug)]
pub enum Held<'a> {
    /// Whose rows may be forgotten when they have been written.
    Own(Box<Prepared>),
    /// Which others still need.
    Shared(&'a Prepared),
}

impl Held<'_> {
    /// Frees what only writers and proofs beside the original need.
    pub fn forget_rows(&mut self) {
        if let Self::Own(prepared) = self {
            prepared.cells = Cells::default();
            prepared.table.source_rows = Vec::new();
        }
    }
}

impl Deref for Held<'_> {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        match self {
            Self::Own(prepared) => prepared,
            Self::Shared(prepared) => prepared,
        }
    }
}

/// Reads a table for questions: insensitive attributes stand after the quasi-identifiers.
pub fn read_for_questions(policy: &Policy, source: Source, progress: &Progress) -> Result<(CodedTable, Cells)> {
    let (open, mut attributes): (Vec<Attribute>, Vec<Attribute>) =
        policy.attributes.iter().cloned().partition(|attribute| attribute.role == Role::Insensitive);
    attributes.extend(open.into_iter().map(|attribute| Attribute { role: Role::Unclassified, ..attribute }));
    let (missing, filter) = (policy.data.missing, policy.data.filter.as_ref());
    let spec = TableSpec { attributes: &attributes, file: &policy.file, missing, filter };
    let table = spec.read(source, progress)?.table;
    progress.start("counting", 0);
    let cells = count_cells(&table);
    Ok((table, cells))
}

/// Counts the distinct rows of a table: a column for each quasi-identifier, one for each sensitive attribute, one
/// for the attribute that names groups, if there is one, and one for whose the row is, if that is known.
///
/// So every cell belongs to one person where people have several rows.
pub fn count_cells(table: &CodedTable) -> Cells {
    let CodedTable { quasi, sensitive, group, person, .. } = table;
    let columns: Vec<_> = quasi.iter().chain(sensitive).chain(group).chain(person).map(Column::counted).collect();
    count_distinct(&columns, table.rows(), table.weights.as_deref())
}

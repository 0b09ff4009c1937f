//! Tables of people, as the library takes them.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;

use super::run::Run;
use crate::audit::OriginalTable;
use crate::data::cells::Cells;
use crate::data::source::{Batches, Input, ReadOptions, Source};
use crate::data::table::CodedTable;
use crate::error::{Code, Error, Result};
use crate::policy::{Accept, Policy};
use crate::prepare::{Held, Prepared, read_for_questions};
use crate::progress::Progress;
use crate::storage::Storage;

/// A table of people: read as a policy's schema describes it, encoded and counted once.
///
/// It can be published, compared and attacked as often as one likes, with every policy that has the same schema.
#[derive(Clone, Debug)]
pub struct Table {
    policy: Policy,
    prepared: Arc<Prepared>,
    asked: Arc<OnceLock<(CodedTable, Cells)>>,
    original: Arc<OnceLock<Arc<OriginalTable>>>,
}

impl Source {
    /// A table of record batches, which have this Arrow schema, to be looked at or read as a policy says.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    /// use moretta::{Run, Source, inspect};
    ///
    /// let ages: ArrayRef = Arc::new(Int64Array::from(vec![34, 36, 51]));
    /// let batch = RecordBatch::try_from_iter([("age", ages)]).unwrap();
    /// let source = Source::from_batches(batch.schema(), [batch])?;
    /// assert_eq!(inspect(&source, &Run::new())?.rows, 3);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    pub fn from_batches(arrow: SchemaRef, batches: impl IntoIterator<Item = RecordBatch>) -> Result<Self> {
        let batches = Batches::new(arrow, batches.into_iter().collect())?;
        Self::open(Input::of_batches(batches), ReadOptions::detect())
    }
}

/// What a policy says of a table, models and method aside: attributes, roles, hierarchies, missing values, which rows.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'p>(&'p Policy);

impl Policy {
    /// What the policy says of its table.
    pub fn schema(&self) -> Schema<'_> {
        Schema(self)
    }
}

impl Table {
    /// The table of some record batches, which have this Arrow schema.
    pub fn from_batches(
        arrow: SchemaRef,
        batches: impl IntoIterator<Item = RecordBatch>,
        schema: Schema<'_>,
    ) -> Result<Self> {
        let batches = Batches::new(arrow, batches.into_iter().collect())?;
        Self::of_input(Input::of_batches(batches), schema, &Run::new())
    }

    /// The table that a reader of record batches gives.
    pub fn from_reader(reader: impl RecordBatchReader, schema: Schema<'_>) -> Result<Self> {
        Self::of_input(Input::of_batches(Batches::collect(reader)?), schema, &Run::new())
    }

    /// The table of any source. How it is read, the policy says.
    pub fn read(source: &Source, schema: Schema<'_>, run: &Run) -> Result<Self> {
        Self::of_input(source.input().clone(), schema, run)
    }

    fn of_input(input: Input, schema: Schema<'_>, run: &Run) -> Result<Self> {
        let source = Source::open(input, schema.0.data.options.clone())?;
        Self::of_source(source, schema, run)
    }

    /// The table of a source that was opened as the policy says: a database is asked once.
    pub(super) fn of_source(source: Source, schema: Schema<'_>, run: &Run) -> Result<Self> {
        let Schema(policy) = schema;
        let prepared = run.carry_out(|progress| Prepared::read_source(policy, source, progress))?;
        Ok(Self::new(policy.clone(), Arc::new(prepared)))
    }

    /// The table that a policy names, to be published and nothing else: what only other uses need is not kept. What there is no room for goes
    /// onto a shelf.
    pub(super) fn for_publishing(policy: &Policy, spill: Option<&Storage>, run: &Run) -> Result<Self> {
        let prepared = run.carry_out(|progress| {
            progress.memory().spill_into(spill.and_then(Storage::folder));
            Prepared::read_for_publishing(policy, progress)
        })?;
        Ok(Self::new(policy.clone(), Arc::new(prepared)))
    }

    /// A table that was counted elsewhere, under the policy of its counts.
    pub(super) fn of_counts(policy: Policy, prepared: Prepared) -> Self {
        Self::new(policy, Arc::new(prepared))
    }

    fn new(policy: Policy, prepared: Arc<Prepared>) -> Self {
        Self { policy, prepared, asked: Arc::default(), original: Arc::default() }
    }

    /// The table that a policy names, with what identifies people in it, which only an audit needs: read once all the same.
    pub(super) fn with_identifiers(policy: &Policy, run: &Run) -> Result<Self> {
        let original = run.carry_out(|progress| OriginalTable::read(policy.clone(), progress)).map(Arc::new)?;
        let table = Self::new(policy.clone(), original.counted.clone());
        table.original.get_or_init(|| original);
        Ok(table)
    }

    /// How many rows are considered: those that the filter and the rule for missing values leave.
    pub fn rows(&self) -> u64 {
        self.prepared.table.rows() as u64
    }

    /// How many people these stand for: rows, or the sum of their weights.
    pub fn people(&self) -> u64 {
        self.prepared.table.people()
    }

    pub(super) fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// The most that attacks may reach, as the policy says.
    pub fn accepted(&self) -> &Accept {
        &self.policy.accept
    }

    /// The table as an auditor has it. What identifies people is read when it is first asked for.
    pub(super) fn original(&self, progress: &Progress) -> Result<Arc<OriginalTable>> {
        if let Some(original) = self.original.get() {
            return Ok(original.clone());
        }
        let original = OriginalTable::of_prepared(self.policy.clone(), self.prepared.clone(), progress)?;
        Ok(self.original.get_or_init(|| Arc::new(original)).clone())
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The table with its insensitive attributes, as questions need it. Read when it is first asked for.
    pub(super) fn for_questions(&self, progress: &Progress) -> Result<&(CodedTable, Cells)> {
        if let Some(read) = self.asked.get() {
            return Ok(read);
        }
        let read = read_for_questions(&self.policy, self.prepared.source.clone(), progress)?;
        Ok(self.asked.get_or_init(|| read))
    }

    /// Refuses a policy under whose schema the table would have been read otherwise.
    pub(super) fn check_schema(&self, policy: &Policy) -> Result<()> {
        match self.policy.schema_differs(policy) {
            None => Ok(()),
            Some(what) => Err(Error::input(format!("the table was read under another schema: {what}"))
                .coded(Code::OriginalMismatch)
                .at_file(&policy.file)
                .help("read the table with this policy's own `schema()`")),
        }
    }
}

impl Schema<'_> {
    /// The names of the columns that a table must have, in the order of the policy.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.attributes.iter().map(|attribute| attribute.name.as_str())
    }
}

/// A table to be lent, or given away: whoever gives it away lets its memory be freed while the release is written.
pub(super) fn held(table: Cow<'_, Table>) -> HeldTable<'_> {
    match table {
        Cow::Borrowed(table) => HeldTable::Lent(table),
        Cow::Owned(table) => match Arc::try_unwrap(table.prepared) {
            Ok(prepared) => HeldTable::Own(Box::new(prepared.without_codes())),
            Err(shared) => HeldTable::Shared(shared),
        },
    }
}

/// A table to be published.
pub(super) enum HeldTable<'t> {
    Lent(&'t Table),
    Own(Box<Prepared>),
    Shared(Arc<Prepared>),
}

impl HeldTable<'_> {
    /// Lets somebody work with the table.
    pub(super) fn with<T>(self, work: impl FnOnce(Held<'_>) -> Result<T>) -> Result<T> {
        match self {
            Self::Lent(table) => work(Held::Shared(&table.prepared)),
            Self::Own(prepared) => work(Held::Own(prepared)),
            Self::Shared(prepared) => work(Held::Shared(&prepared)),
        }
    }
}

impl From<Table> for Cow<'_, Table> {
    fn from(table: Table) -> Self {
        Cow::Owned(table)
    }
}

impl<'t> From<&'t Table> for Cow<'t, Table> {
    fn from(table: &'t Table) -> Self {
        Cow::Borrowed(table)
    }
}

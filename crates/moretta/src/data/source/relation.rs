//! Tables that are held elsewhere: in a database, in a sheet. They come as record batches, and every pass must see the same rows.

use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use arrow_array::{Array, RecordBatch};
use arrow_schema::Field;
use hashbrown::DefaultHashBuilder;
use rayon::prelude::*;

use super::arrow_column::ArrowColumn;
use super::batches::whole_days;
use super::collect::{ColumnData, ColumnNeed};
use super::{Input, ReadOptions, RowBatch};
use crate::error::{Code, Error, Fault, Result};
use crate::progress::Progress;

/// At most so many rows make a batch.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(super) const BATCH_ROWS: usize = 1 << 13;

/// A table of another program: its columns, and its rows in an order that stays.
pub(super) trait Relation: Debug + Send + Sync {
    /// The columns.
    fn columns(&self) -> &[RelationColumn];

    /// Hands over all rows, in batches that have all columns. Batches end at the same rows in every pass.
    fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()>;
}

/// A column of a relation.
#[derive(Clone, Debug)]
pub(super) struct RelationColumn {
    /// Its name and its type. Of a column that is not taken, batches say in truth values only whether there is a value.
    pub(super) field: Field,
    /// Why it is not taken, and what to do: it can only be left out.
    pub(super) refused: Option<NotTaken>,
}

/// Why a column is not taken.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(any(feature = "postgres", feature = "spreadsheet", feature = "sqlite")),
    allow(dead_code, reason = "parts of a table, which are always there, refuse no column so")
)]
pub(super) struct NotTaken {
    pub(super) why: String,
    pub(super) help: String,
}

/// A relation, of which every pass is compared with the first: the rows of the first one decide, and are looked up by their number
/// later.
#[derive(Debug)]
pub(super) struct Steady {
    relation: Box<dyn Relation>,
    hasher: DefaultHashBuilder,
    first: Mutex<Option<Pass>>,
}

/// What a pass has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pass {
    rows: u64,
    digest: u64,
}

impl Steady {
    pub(super) fn new(relation: Box<dyn Relation>) -> Self {
        Self { relation, hasher: DefaultHashBuilder::default(), first: Mutex::new(None) }
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        self.relation.columns().iter().map(|column| column.field.name().clone()).collect()
    }

    fn column<'a>(
        &'a self,
        index: usize,
        input: &'a Input,
        options: &'a ReadOptions,
        need: ColumnNeed,
    ) -> Result<ArrowColumn<'a>> {
        let RelationColumn { field, refused } = &self.relation.columns()[index];
        match refused {
            Some(NotTaken { why, help }) if need != ColumnNeed::Presence => {
                Err(Error::input(format!("column {:?} {why}", field.name()))
                    .coded(Code::TableUnreadable)
                    .at_file(input.name())
                    .help(format!("{help}; or give it the role \"drop\"")))
            }
            _ => Ok(ArrowColumn { field, input, options }),
        }
    }

    fn scan(&self, input: &Input, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let mut rows = 0;
        let mut digest = self.hasher.build_hasher();
        self.relation.scan(&mut |batch| {
            rows += batch.num_rows() as u64;
            observe(&batch, &mut digest);
            sink(batch)
        })?;
        let pass = Pass { rows, digest: digest.finish() };
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if *first.get_or_insert(pass) == pass {
            return Ok(());
        }
        Err(Error::new(Fault::Machine, "the rows came in another order, or are others, when they were read again")
            .coded(Code::InputChanged)
            .at_file(input.name())
            .help("let the query say an order in which no two rows are equal: ORDER BY"))
    }
}

/// Mixes in the content of a batch. Equal batches are built alike, so their buffers are equal too.
fn observe(batch: &RecordBatch, digest: &mut impl Hasher) {
    batch.num_rows().hash(digest);
    // Values of dictionaries and of nested columns stand below.
    let mut below: Vec<_> = batch.columns().iter().map(Array::to_data).collect();
    while let Some(data) = below.pop() {
        data.buffers().iter().for_each(|buffer| buffer.as_slice().hash(digest));
        if let Some(nulls) = data.nulls() {
            nulls.iter().for_each(|present| present.hash(digest));
        }
        below.extend(data.child_data().iter().cloned());
    }
}

pub(super) fn encode(
    steady: &Steady,
    input: &Input,
    options: &ReadOptions,
    needs: &[(usize, ColumnNeed)],
    progress: &Progress,
) -> Result<Vec<ColumnData>> {
    // How many rows there are is known when they have all come.
    progress.start("reading", 0);
    let readers = needs.iter().map(|&(index, need)| steady.column(index, input, options, need)?.reader(need));
    let mut readers = readers.collect::<Result<Vec<_>>>()?;
    steady.scan(input, &mut |batch| {
        progress.check()?;
        readers.par_iter_mut().zip(needs).try_for_each(|(reader, &(index, _))| {
            reader.push(batch.column(index))?;
            reader.ease(progress.memory())
        })
    })?;
    Ok(readers.into_iter().map(super::arrow_column::ColumnReader::finish).collect())
}

pub(super) fn stream(
    steady: &Steady,
    input: &Input,
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    let columns = wanted.iter().map(|&index| steady.column(index, input, options, ColumnNeed::Codes));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let days = whole_days(&columns, |places| {
        let needs: Vec<_> = places.iter().map(|&place| (wanted[place], ColumnNeed::NullMask)).collect();
        encode(steady, input, options, &needs, &Progress::default())
    })?;
    let mut first_row = 0;
    steady.scan(input, &mut |batch| {
        let texts = columns.iter().zip(wanted).zip(&days);
        let texts = texts.map(|((column, &index), &days)| column.texts(batch.column(index), first_row, days));
        let rows = batch.num_rows();
        sink(RowBatch { first_row, rows, columns: texts.collect::<Result<Vec<_>>>()? })?;
        first_row += rows as u64;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use arrow_array::Int64Array;
    use arrow_schema::{DataType, Schema};

    use super::*;

    /// Gives 1, 2, 3 in the first passes, and then something else.
    #[derive(Debug)]
    struct Fickle {
        columns: Vec<RelationColumn>,
        passes: AtomicI64,
        later: Vec<i64>,
    }

    impl Relation for Fickle {
        fn columns(&self) -> &[RelationColumn] {
            &self.columns
        }

        fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
            let first = self.passes.fetch_add(1, Ordering::Relaxed) < 2;
            let values = if first { vec![1, 2, 3] } else { self.later.clone() };
            let schema = Schema::new(vec![self.columns[0].field.clone()]);
            let array = Arc::new(Int64Array::from(values));
            sink(RecordBatch::try_new(Arc::new(schema), vec![array]).map_err(|e| Error::bug(e.to_string()))?)
        }
    }

    fn fickle(later: &[i64]) -> Steady {
        let field = Field::new("a", DataType::Int64, true);
        let columns = vec![RelationColumn { field, refused: None }];
        Steady::new(Box::new(Fickle { columns, passes: AtomicI64::new(0), later: later.to_vec() }))
    }

    #[test]
    fn every_pass_must_see_the_rows_of_the_first_one_in_their_order() {
        let input = Input::Database("db".into());
        let options = ReadOptions::detect();
        let pass = |steady: &Steady| encode(steady, &input, &options, &[(0, ColumnNeed::Codes)], &Progress::default());
        for (later, right) in
            [(vec![1, 2, 3], true), (vec![2, 1, 3], false), (vec![1, 2], false), (vec![1, 2, 4], false)]
        {
            let steady = fickle(&later);
            assert!(pass(&steady).is_ok() && pass(&steady).is_ok());
            match pass(&steady) {
                Ok(_) => assert!(right, "{later:?}"),
                Err(error) => assert_eq!((error.code(), right), ("input-changed", false), "{later:?}"),
            }
        }
    }

    #[test]
    fn a_column_that_is_not_taken_can_be_left_out_and_nothing_else() {
        let field = Field::new("a", DataType::Boolean, true);
        let refused = Some(NotTaken { why: "has the type int4[]".to_owned(), help: "unnest it".to_owned() });
        let columns = vec![RelationColumn { field, refused }];
        let steady = Steady::new(Box::new(Fickle { columns, passes: AtomicI64::new(0), later: Vec::new() }));
        let (input, options) = (Input::Database("db".into()), ReadOptions::detect());
        for need in [ColumnNeed::Codes, ColumnNeed::NullMask, ColumnNeed::Fingerprints] {
            let error = encode(&steady, &input, &options, &[(0, need)], &Progress::default()).unwrap_err();
            assert!(error.to_string().contains("\"a\" has the type int4[]"), "{error}");
        }
        assert!(stream(&steady, &input, &options, &[0], &mut |_| Ok(())).is_err());
    }
}

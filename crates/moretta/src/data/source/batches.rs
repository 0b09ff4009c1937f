//! Record batches in memory.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;

use super::arrow_column::ArrowColumn;
use super::arrow_type::ArrowType;
use super::collect::{ColumnData, ColumnNeed};
use super::{Input, ReadOptions, RowBatch};
use crate::data::value::Type;
use crate::error::{Code, Error, Fault, Result};
use crate::progress::Progress;

/// At most so many rows are looked at together, however long a batch is.
const RUN_ROWS: usize = 1 << 16;

/// A table in memory: record batches of one schema.
#[derive(Clone, Debug)]
pub struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    /// A table of these batches, all of which must have the schema's columns.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        for (number, batch) in batches.iter().enumerate() {
            let own = batch.schema_ref().fields();
            let differs = |(stated, found): (&Arc<arrow_schema::Field>, &Arc<arrow_schema::Field>)| {
                stated.name() != found.name() || stated.data_type() != found.data_type()
            };
            if own.len() != schema.fields().len() {
                let message =
                    format!("batch {} has {} columns, the schema {}", number + 1, own.len(), schema.fields().len());
                return Err(Error::input(message)
                    .coded(Code::TableUnreadable)
                    .help("give all batches the schema's columns"));
            }
            if let Some((stated, found)) = schema.fields().iter().zip(own).find(|&pair| differs(pair)) {
                let message = format!(
                    "batch {}: the column {:?} of type {} stands where the schema has {:?} of type {}",
                    number + 1,
                    found.name(),
                    found.data_type(),
                    stated.name(),
                    stated.data_type()
                );
                return Err(Error::input(message)
                    .coded(Code::TableUnreadable)
                    .help("give all batches the schema's columns"));
            }
        }
        Ok(Self { schema, batches })
    }

    /// Takes all batches of a reader.
    pub fn collect(reader: impl RecordBatchReader) -> Result<Self> {
        let schema = reader.schema();
        let batches = reader.collect::<std::result::Result<Vec<_>, _>>().map_err(unreadable)?;
        Self::new(schema, batches)
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A column in runs.
    fn column(&self, index: usize) -> impl Iterator<Item = ArrayRef> {
        self.batches.iter().flat_map(move |batch| {
            let column = batch.column(index);
            runs(column.len()).map(|(start, length)| column.slice(start, length))
        })
    }
}

fn runs(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).step_by(RUN_ROWS).map(move |start| (start, RUN_ROWS.min(rows - start)))
}

/// What a reader of batches could not read.
fn unreadable(error: ArrowError) -> Error {
    let message = format!("the record batches can't be read: {error}");
    match error {
        ArrowError::IoError(_, source) => Error::system(&message, source),
        ArrowError::MemoryError(_) => Error::new(Fault::Machine, message),
        _ => Error::input(message).coded(Code::TableUnreadable),
    }
}

pub(super) fn encode(
    batches: &Batches,
    input: &Input,
    options: &ReadOptions,
    needs: &[(usize, ColumnNeed)],
    progress: &Progress,
) -> Result<Vec<ColumnData>> {
    progress.start("reading", batches.rows().saturating_mul(needs.len() as u64));
    needs
        .par_iter()
        .map(|&(index, need)| {
            let column = ArrowColumn { field: batches.schema.field(index), input, options };
            let arrays = batches.column(index).map(|array| {
                progress.check()?;
                progress.advance(array.len() as u64);
                Ok(array)
            });
            column.encode(need, progress.memory(), arrays)
        })
        .collect()
}

pub(super) fn stream(
    batches: &Batches,
    input: &Input,
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    let columns: Vec<ArrowColumn<'_>> =
        wanted.iter().map(|&index| ArrowColumn { field: batches.schema.field(index), input, options }).collect();
    let days = whole_days(&columns, |places| {
        let needs: Vec<_> = places.iter().map(|&place| (wanted[place], ColumnNeed::NullMask)).collect();
        encode(batches, input, options, &needs, &Progress::default())
    })?;
    let mut first_row = 0;
    for batch in &batches.batches {
        for (start, rows) in runs(batch.num_rows()) {
            let texts = columns.iter().zip(wanted).zip(&days).map(|((column, &index), &days)| {
                column.texts(&batch.column(index).slice(start, rows), first_row, days)
            });
            let columns = texts.collect::<Result<Vec<_>>>()?;
            sink(RowBatch { first_row, rows, columns })?;
            first_row += rows as u64;
        }
    }
    Ok(())
}

/// Of each column, whether it holds timestamps that are all whole days. `encode` reads the columns at these places.
pub(super) fn whole_days(
    columns: &[ArrowColumn<'_>],
    encode: impl FnOnce(&[usize]) -> Result<Vec<ColumnData>>,
) -> Result<Vec<bool>> {
    let mut timestamps = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        if ArrowType::of(column.field, column.input)?.may_be_days() {
            timestamps.push(place);
        }
    }
    let mut days = vec![false; columns.len()];
    if !timestamps.is_empty() {
        for (&place, read) in timestamps.iter().zip(encode(&timestamps)?) {
            days[place] = matches!(read, ColumnData::NullMask { kind: Type::Date, .. });
        }
    }
    Ok(days)
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::types::{Int8Type, Int16Type};
    use arrow_array::{
        BinaryArray, DictionaryArray, DurationSecondArray, Float64Array, Int64Array, NullArray, RecordBatchIterator,
        StringArray, StructArray, Time32SecondArray, TimestampSecondArray, UInt64Array,
    };
    use arrow_schema::{DataType, Field, Schema};

    use super::*;
    use crate::data::source::Source;
    use crate::data::value::Value;

    fn source(columns: Vec<(&str, ArrayRef)>) -> Source {
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
        let table = Batches::new(batch.schema(), vec![batch]).unwrap();
        Source::open(Input::Batches("people".into(), Arc::new(table)), ReadOptions::detect()).unwrap()
    }

    fn read(source: &Source, stated: Option<Type>) -> Result<(Type, Vec<Value>)> {
        let data = source.encode(&[(0, ColumnNeed::Codes)], &Progress::default())?.remove(0);
        let ColumnData::Codes(encoded) = data else { panic!("codes") };
        let (domain, codes) = encoded.typed(stated, None, None, "a", source.input())?;
        Ok((domain.kind(), codes.iter().map(|&code| domain.value(code).clone()).collect()))
    }

    #[test]
    fn what_is_no_value_of_a_person_is_refused_by_name() {
        let mut lists = ListBuilder::new(StringBuilder::new());
        lists.append(true);
        let parts: Vec<(Arc<Field>, ArrayRef)> =
            vec![(Arc::new(Field::new("x", DataType::Int64, true)), Arc::new(Int64Array::from(vec![1])))];
        let columns: Vec<(ArrayRef, &str)> = vec![
            (Arc::new(lists.finish()), "one value a row"),
            (Arc::new(StructArray::from(parts)), "one value a row"),
            (Arc::new(BinaryArray::from_vec(vec![b"x"])), "text in UTF-8"),
            (Arc::new(DurationSecondArray::from(vec![1])), "as a number"),
            (Arc::new(Time32SecondArray::from(vec![1])), "13:45:00"),
        ];
        for (array, instead) in columns {
            let held = array.data_type().to_string();
            let source = source(vec![("a", array)]);
            for need in [ColumnNeed::Codes, ColumnNeed::NullMask, ColumnNeed::Fingerprints] {
                let error = source.encode(&[(0, need)], &Progress::default()).unwrap_err().to_string();
                assert!(error.contains("\"a\"") && error.contains(&held) && error.contains(instead), "{error}");
            }
            assert!(source.stream(&[0], &mut |_| Ok(())).is_err());
            assert!(source.encode(&[(0, ColumnNeed::Presence)], &Progress::default()).is_ok(), "it may be left out");
        }
    }

    #[test]
    fn a_dictionary_with_keys_of_any_type_keeps_its_rows() {
        let texts: DictionaryArray<Int8Type> = vec![Some("b"), None, Some("a"), Some("b")].into_iter().collect();
        let (kind, values) = read(&source(vec![("a", Arc::new(texts))]), None).unwrap();
        let text = |text: &str| Value::Text(text.into());
        assert_eq!((kind, values), (Type::Text, vec![text("b"), Value::Missing, text("a"), text("b")]));
        let keys = arrow_array::PrimitiveArray::<Int16Type>::from(vec![Some(2), Some(0), None, Some(1)]);
        let held = Arc::new(Int64Array::from(vec![Some(7), None, Some(-3), Some(99)]));
        let numbers = DictionaryArray::<Int16Type>::try_new(keys, held).unwrap();
        let (kind, values) = read(&source(vec![("a", Arc::new(numbers))]), None).unwrap();
        assert_eq!(kind, Type::Integer);
        assert_eq!(values, [Value::Integer(-3), Value::Integer(7), Value::Missing, Value::Missing]);
    }

    #[test]
    fn numbers_too_large_are_codes_as_in_csv() {
        let (kind, values) = read(&source(vec![("a", Arc::new(UInt64Array::from(vec![u64::MAX, 5])))]), None).unwrap();
        assert_eq!((kind, values[0].to_string()), (Type::Text, u64::MAX.to_string()));
        let (kind, _) = read(&source(vec![("a", Arc::new(UInt64Array::from(vec![6, 5])))]), None).unwrap();
        assert_eq!(kind, Type::Integer);
    }

    #[test]
    fn values_that_are_none_are_placed() {
        let error = read(&source(vec![("a", Arc::new(Float64Array::from(vec![1.0, f64::NAN])))]), None).unwrap_err();
        assert!(error.to_string().contains("row 2 is not a finite number"), "{error}");
        let far = TimestampSecondArray::from(vec![0, i64::MAX]);
        let error = read(&source(vec![("a", Arc::new(far))]), None).unwrap_err();
        assert!(error.to_string().contains("row 2 lies beyond the calendar"), "{error}");
        let times = TimestampSecondArray::from(vec![0, 1]);
        let error = read(&source(vec![("a", Arc::new(times))]), Some(Type::Date)).unwrap_err();
        assert!(error.to_string().contains("1970-01-01T00:00:01"), "{error}");
    }

    #[test]
    fn a_column_of_nulls_is_a_text_that_nobody_has() {
        let source = source(vec![("a", Arc::new(NullArray::new(3)))]);
        assert_eq!(read(&source, None).unwrap(), (Type::Text, vec![Value::Missing; 3]));
        let mut rows = 0;
        let all_missing = |column: &[Option<Box<str>>]| column.iter().all(Option::is_none);
        source
            .stream(&[0], &mut |batch| {
                rows += batch.rows;
                assert!(all_missing(&batch.columns[0]));
                Ok(())
            })
            .unwrap();
        assert_eq!(rows, 3);
    }

    #[test]
    fn batches_must_have_one_schema_and_readers_may_fail() {
        let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Utf8, true)]));
        let other = RecordBatch::try_from_iter([("a", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
        let error = Batches::new(schema.clone(), vec![other]).unwrap_err().to_string();
        assert!(error.contains("batch 1") && error.contains("Int64") && error.contains("Utf8"), "{error}");
        let good = RecordBatch::try_new(schema.clone(), vec![Arc::new(StringArray::from(vec!["x", "y"]))]).unwrap();
        let broken = ArrowError::CDataInterface("the other side went away".to_owned());
        let reader = RecordBatchIterator::new([Ok(good.clone()), Err(broken)], schema.clone());
        let error = Batches::collect(reader).unwrap_err();
        assert!(error.to_string().contains("the other side went away"), "{error}");
        assert_eq!(error.code(), "table-unreadable");
        let whole = Batches::collect(RecordBatchIterator::new([Ok(good.clone()), Ok(good)], schema)).unwrap();
        assert_eq!((whole.rows(), whole.batches().len()), (4, 2));
    }
}

//! Arrays that name their values instead of repeating them: dictionaries, and runs.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RunArray};
use arrow_schema::DataType;

use crate::error::{Error, Result};

/// The place of a row that lacks a value.
pub(super) const NOWHERE: usize = usize::MAX;

/// An array as its values, and the place of each row among them.
pub(super) struct Unfolded {
    pub(super) values: ArrayRef,
    /// Nothing where every row has a value of its own.
    pub(super) places: Option<Vec<usize>>,
}

impl Unfolded {
    /// Looks behind dictionaries and runs, also those of each other.
    pub(super) fn of(array: &ArrayRef) -> Result<Self> {
        let mut found = Self { values: array.clone(), places: None };
        loop {
            let (values, inner) = match found.values.data_type() {
                DataType::Dictionary(..) => by_dictionary(&found.values),
                DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                    DataType::Int16 => by_runs(found.values.as_any().downcast_ref::<RunArray<Int16Type>>()),
                    DataType::Int32 => by_runs(found.values.as_any().downcast_ref::<RunArray<Int32Type>>()),
                    _ => by_runs(found.values.as_any().downcast_ref::<RunArray<Int64Type>>()),
                }?,
                _ => return Ok(found),
            };
            let outer =
                |places: Vec<usize>| places.iter().map(|&place| inner.get(place).copied().unwrap_or(NOWHERE)).collect();
            found.places = Some(match found.places.take() {
                Some(places) => outer(places),
                None => inner,
            });
            found.values = values;
        }
    }
}

fn by_dictionary(array: &ArrayRef) -> (ArrayRef, Vec<usize>) {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    // Where there is no value, no key can name one.
    let mut places = if values.is_empty() { vec![NOWHERE; dictionary.len()] } else { dictionary.normalized_keys() };
    if let Some(nulls) = dictionary.keys().nulls() {
        places.iter_mut().zip(nulls).filter(|(_, present)| !present).for_each(|(place, _)| *place = NOWHERE);
    }
    (values.clone(), places)
}

fn by_runs<R: RunEndIndexType>(array: Option<&RunArray<R>>) -> Result<(ArrayRef, Vec<usize>)>
where
    <R as ArrowPrimitiveType>::Native: Into<i64>,
{
    let array = array.ok_or_else(|| Error::bug("runs of another type than their array says"))?;
    let mut places = Vec::with_capacity(array.len());
    let first = array.run_ends().get_start_physical_index();
    for (run, end) in (first..).zip(array.run_ends().sliced_values()) {
        let end: i64 = end.into();
        places.resize(usize::try_from(end).unwrap_or(0).max(places.len()), run);
    }
    Ok((array.values().clone(), places))
}

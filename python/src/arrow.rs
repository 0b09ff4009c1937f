//! Tables that change hands with Python by the Arrow `PyCapsule` interface, without a copy.
//!
//! This is the only module with `unsafe` code. It takes over what a capsule holds; what is inside is C's own Arrow data interface, whose
//! producers vouch for it.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors::unreadable;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A table as Arrow has it; whatever speaks the Arrow `PyCapsule` interface takes it.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct ArrowTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ArrowTable {
    /// A table of batches, of which there is at least one.
    pub(crate) fn new(batches: Vec<RecordBatch>) -> Option<Self> {
        let schema = batches.first()?.schema();
        Some(Self { schema, batches })
    }
}

#[pymethods]
impl ArrowTable {
    /// A stream of the record batches. The schema can't be chosen: asking for another one gets this one, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new(self.batches.clone().into_iter().map(Ok), self.schema.clone());
        // Whoever takes the stream out of the capsule leaves an empty one; else the capsule frees it.
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(|e| PyErr::from(unreadable(&e)))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Takes the record batches of an object that has the Arrow `PyCapsule` interface.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    if object.hasattr("__arrow_c_stream__")? {
        import_stream(object)
    } else if object.hasattr("__arrow_c_array__")? {
        let batch = import_array(object)?;
        Ok((batch.schema(), vec![batch]))
    } else {
        let name = object.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a {name} is no table: pass a pandas, polars or pyarrow frame, a DuckDB relation, or whatever else has __arrow_c_stream__"
        )))
    }
}

fn import_stream(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a valid, aligned ArrowArrayStream, which belongs to whoever takes it (Arrow PyCapsule interface).
    // It is moved out, and an empty one is left behind, so that the capsule's destructor frees nothing twice. The capsule lives until the
    // end of this function, and the interpreter is held, so nobody else takes the stream meanwhile.
    #[expect(unsafe_code, reason = "memory changes hands here")]
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let reader = RecordBatchStreamReader::try_new(stream).map_err(|e| PyErr::from(unreadable(&e)))?;
    object.py().detach(|| collect(reader))
}

/// All batches of a reader. Between two of them Ctrl-C is looked for; a producer that needs the interpreter finds it free.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough in its lifetime")]
fn collect(reader: RecordBatchStreamReader) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let schema = reader.schema();
    let mut batches = Vec::new();
    for batch in reader {
        batches.push(batch.map_err(|e| unreadable(&e))?);
        Python::attach(|py| py.check_signals())?;
    }
    Ok((schema, batches))
}

fn import_array(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let capsules = object.call_method0("__arrow_c_array__")?;
    let capsules = capsules.cast::<PyTuple>()?;
    let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold a valid, aligned ArrowSchema and ArrowArray that belong together and to whoever takes them (Arrow
    // PyCapsule interface). Both are moved out, and empty ones are left behind. The tuple keeps the capsules alive, and the interpreter is
    // held, so nobody else takes them meanwhile. `from_ffi` asks of the array what the interface promises: that it has the schema's layout.
    #[expect(unsafe_code, reason = "memory changes hands here")]
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.as_ptr());
        from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), &schema)
    };
    let data = data.map_err(|e| PyErr::from(unreadable(&e)))?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        let error = ArrowError::SchemaError(format!("an array of {} is no table", data.data_type()));
        return Err(unreadable(&error).into());
    }
    Ok(StructArray::from(data).into())
}

//! Columns that one row alone has, as one of that row.

use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::lone::{Gathered, gather};
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::rows::slice;
use super::work::run;

const EXPECTED: &str = "X of float64 or float32 is expected as (data, indices, indptr, columns), with indices and indptr \
                        both int32, or both int64 for float64";

type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, usize);

/// ((data, indices, indptr, columns), kept, lone, owner, share, seen_by, length): sparse rows whose columns of one row alone
/// are one or two a row; which column each of the first was; the columns that were lone, whose they are, and their share of
/// its length; whose each of the last columns is, and its share of that. None where that is not worth it.
#[pyfunction]
#[allow(non_snake_case)] // X is the field's own name
pub fn gather_lone<'py>(py: Python<'py>, X: Parts<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let wide = X.1.cast::<PyArray1<i64>>().is_ok();
    match X.0.cast::<PyArray1<f32>>() {
        Ok(_) => gathered::<f32, i32>(py, &X),
        Err(_) if wide => gathered::<f64, i64>(py, &X),
        Err(_) => gathered::<f64, i32>(py, &X),
    }
}

fn gathered<'py, V: Value + Element, I: Index + Element>(
    py: Python<'py>,
    x: &Parts<'py>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let wrong = |_| PyTypeError::new_err(EXPECTED);
    let data = x.0.extract::<PyReadonlyArray1<'_, V>>().map_err(wrong)?;
    let indices = x.1.extract::<PyReadonlyArray1<'_, I>>().map_err(wrong)?;
    let indptr = x.2.extract::<PyReadonlyArray1<'_, I>>().map_err(wrong)?;
    let (data, indices) = (slice(&data, "data")?, slice(&indices, "indices")?);
    let indptr = slice(&indptr, "indptr")?;
    let columns = x.3;
    let found = run(py, 1, || Ok(gather(&Rows::sparse(data, indices, indptr, columns)?)))?;
    let Some(found) = found.map_err(|sentence: String| PyValueError::new_err(sentence))? else {
        return Ok(None);
    };
    let Gathered { values, indices, indptr, kept, lone, owner, share, seen_by, length } = found;
    let columns = kept.len() + seen_by.len();
    let rows = (values.into_pyarray(py), indices.into_pyarray(py), indptr.into_pyarray(py), columns);
    let lone = (lone.into_pyarray(py), owner.into_pyarray(py), share.into_pyarray(py));
    let last = (seen_by.into_pyarray(py), length.into_pyarray(py));
    (rows, kept.into_pyarray(py), lone.0, lone.1, lone.2, last.0, last.1).into_pyobject(py).map(Some)
}

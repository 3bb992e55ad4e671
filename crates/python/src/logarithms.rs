//! Tables of logarithms, made where NumPy has room.

use deciban_core::learn::logarithms::Logarithms;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::work::{run, threads};

/// W (d, C) = log(v + a + s) − l from s (C, d), a and l (C,), v (d,) or None for zeros; log(v + a − s) − l with `less`.
/// None where a number has no finite logarithm.
#[pyfunction]
#[pyo3(signature = (s, a, l, *, v=None, less=false, n_jobs=None))]
pub fn log_table<'py>(
    py: Python<'py>,
    s: PyReadonlyArray2<'py, f64>,
    a: PyReadonlyArray1<'py, f64>,
    l: PyReadonlyArray1<'py, f64>,
    v: Option<PyReadonlyArray1<'py, f64>>,
    less: bool,
    n_jobs: Option<usize>,
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let [classes, columns] = [s.shape()[0], s.shape()[1]];
    let fits = a.len() == classes && l.len() == classes && v.as_ref().is_none_or(|v| v.len() == columns);
    if !fits {
        return Err(PyValueError::new_err("s (C, d), a (C,), l (C,) and v (d,) are expected"));
    }
    let made = PyArray2::zeros(py, [columns, classes], false);
    let mut held = made.readwrite();
    let table = held.as_slice_mut()?;
    let v = v.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let all = Logarithms { s: s.as_slice()?, less, v, a: a.as_slice()?, l: l.as_slice()? };
    let finite = run(py, threads(n_jobs), || all.fill(table))?;
    drop(held);
    Ok(finite.then_some(made))
}

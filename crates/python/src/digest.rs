//! The digest of an array, whole or in parts.

use deciban_core::digest as core;
use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::rows::slice;
use super::work::{run, threads};

/// 32 bytes that name the numbers of x (n,), of float64, float32, int64, int32 or uint8: equal numbers, equal names.
#[pyfunction]
#[pyo3(signature = (x, *, n_jobs=None))]
pub fn digest<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    macro_rules! of {
        ($($value:ty)*) => {
            $(if let Ok(x) = x.extract::<PyReadonlyArray1<'_, $value>>() {
                return named::<$value>(py, slice(&x, "x")?, n_jobs);
            })*
        };
    }
    of!(f64 f32 i64 i32 u8);
    Err(PyTypeError::new_err("x (n,) of float64, float32, int64, int32 or uint8 is expected"))
}

fn named<'py, V: Element + deciban_core::rows::Value>(
    py: Python<'py>,
    x: &[V],
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &run(py, threads(n_jobs), || core::digest(x))?))
}

/// 32 bytes for each stretch of 32,768 numbers of x (n,), for `digest_joined`.
#[pyfunction]
#[pyo3(signature = (x, *, n_jobs=None))]
pub fn digest_stretches<'py>(
    py: Python<'py>,
    x: PyReadonlyArray1<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let x = slice(&x, "x")?;
    Ok(PyBytes::new(py, &run(py, threads(n_jobs), || core::stretches(x))?))
}

/// The digest of `count` numbers from the bytes of their stretches.
#[pyfunction]
pub fn digest_joined<'py>(py: Python<'py>, count: usize, stretches: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &core::joined(count, stretches))
}

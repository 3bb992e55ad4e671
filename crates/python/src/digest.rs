//! The digest of an array, whole or in parts.

use deciban_core::digest::{self as core, Sha2};
use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

use super::rows::slice;
use super::work::{run, threads_for};

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
    Ok(PyBytes::new(py, &run(py, threads_for(n_jobs, x.len()), || core::digest(x))?))
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
    Ok(PyBytes::new(py, &run(py, threads_for(n_jobs, x.len()), || core::stretches(x))?))
}

/// The digest of `count` numbers from the bytes of their stretches.
#[pyfunction]
pub fn digest_joined<'py>(py: Python<'py>, count: usize, stretches: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &core::joined(count, stretches))
}

/// SHA-256, as `hashlib` has it, whose library takes longer to load than most files to read.
#[pyclass(frozen, module = "deciban._core")]
#[derive(Default)]
pub struct Sha256 {
    inner: Mutex<core::Sha256>,
}

#[pymethods]
impl Sha256 {
    /// Of nothing yet.
    #[new]
    fn new() -> Sha256 {
        Sha256::default()
    }

    /// Adds bytes, or those from `start` on of them.
    #[pyo3(signature = (content, start=0))]
    fn update(&self, py: Python<'_>, content: PyBackedBytes, start: usize) {
        let bytes = content.get(start..).unwrap_or_default();
        py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).update(bytes));
    }

    /// The digest of all that was added, in hexadecimal digits.
    fn hexdigest(&self) -> String {
        let sha = self.inner.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

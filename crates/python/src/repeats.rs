//! Whether a sparse matrix tells a place twice.

use deciban_core::learn::repeats;
use deciban_core::rows::{Index, Rows, Value};
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_rows};

struct Repeats;

impl Kernel for Repeats {
    type Output = bool;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<bool, Refusal> {
        Ok(repeats::repeats(rows))
    }
}

/// Whether some row of X stores two values for the same column.
#[pyfunction(name = "repeats")]
#[pyo3(signature = (X, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn has_repeats(py: Python<'_>, X: &Bound<'_, PyAny>, n_jobs: Option<usize>) -> PyResult<bool> {
    on_rows(py, X, n_jobs, Repeats)
}

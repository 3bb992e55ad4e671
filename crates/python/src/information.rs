//! Mutual information of features and classes, as an array.

use deciban_core::learn::information as core;
use deciban_core::rows::{Index, Rows, Value};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::rows::{Kernel, Labelled, Refusal, on_rows};

struct Information<'a>(Labelled<'a>);

impl Kernel for Information<'_> {
    type Output = Vec<f64>;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Vec<f64>, Refusal> {
        let labels = self.0.labels(rows.count(), 1)?;
        Ok(core::information(rows, &labels)?)
    }
}

/// (d,) the mutual information in nats of each column, every distinct value a category, and the class.
#[pyfunction]
#[pyo3(signature = (X, y, weight, classes, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn information<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    classes: usize,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let labelled = Labelled::new(&y, weight.as_ref(), classes)?;
    Ok(on_rows(py, X, n_jobs, Information(labelled))?.into_pyarray(py))
}

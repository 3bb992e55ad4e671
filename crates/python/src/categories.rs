//! Histograms of categories, as arrays.

use deciban_core::learn::categories::{self, Categories, Offsets};
use deciban_core::learn::largest as top;
use deciban_core::rows::{Index, Rows, Value};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use super::rows::{Kernel, Labelled, Refusal, on_rows, slice, table};

type Table<'py> = Bound<'py, PyArray2<f64>>;

struct ClassCategories<'a> {
    labelled: Labelled<'a>,
    offsets: &'a [i64],
}

impl Kernel for ClassCategories<'_> {
    type Output = (Categories, usize, usize);

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let offsets = Offsets::new(self.offsets, rows.columns())?;
        let labels = self.labelled.labels(rows.count(), offsets.total())?;
        Ok((categories::class_categories(rows, &labels, &offsets)?, offsets.total(), rows.columns()))
    }
}

/// (counts, missing): the weight of each category, (C, offsets[-1]); (C, d) the weight where x is NaN, or None.
#[pyfunction]
#[pyo3(signature = (X, y, weight, classes, offsets, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn class_categories<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    classes: usize,
    offsets: PyReadonlyArray1<'py, i64>,
    n_jobs: Option<usize>,
) -> PyResult<(Table<'py>, Option<Table<'py>>)> {
    let labelled = Labelled::new(&y, weight.as_ref(), classes)?;
    let kernel = ClassCategories { labelled, offsets: slice(&offsets, "offsets")? };
    let (counts, total, columns) = on_rows(py, X, n_jobs, kernel)?;
    let missing = counts.missing.map(|missing| table(py, missing, [classes, columns])).transpose()?;
    Ok((table(py, counts.s, [classes, total])?, missing))
}

struct Largest;

impl Kernel for Largest {
    type Output = Vec<f64>;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Vec<f64>, Refusal> {
        Ok(top::largest(rows, true)?)
    }
}

/// (d,) the largest whole number of each column, NaN passed over; −∞ where there is none.
#[pyfunction]
#[pyo3(signature = (X, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn largest<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(on_rows(py, X, n_jobs, Largest)?.into_pyarray(py))
}

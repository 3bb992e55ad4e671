//! The sufficient statistics of labelled rows, as arrays.

use deciban_core::learn::moments::{self, Moments};
use deciban_core::learn::sums;
use deciban_core::learn::support::{Domain, Support};
use deciban_core::rows::{Index, Rows, Value};
use numpy::{PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::exact::length;
use super::rows::{Kernel, Labelled, Refusal, columns, on_rows, table};

type Table<'py> = Bound<'py, PyArray2<f64>>;
type Pair<'py> = Bound<'py, PyArray3<f64>>;

fn support(name: &str) -> PyResult<Support> {
    Ok(match name {
        "finite" => Support::Finite,
        "nonnegative" => Support::NonNegative,
        "binary" => Support::Binary,
        "whole" => Support::Whole,
        _ => {
            let expected = "\"finite\", \"nonnegative\", \"binary\" or \"whole\"";
            return Err(PyValueError::new_err(format!("support is one of {expected}, not {name:?}")));
        }
    })
}

struct ClassSums<'a> {
    labelled: Labelled<'a>,
    domain: Domain,
    above: Option<f64>,
    s: &'a mut [f64],
}

impl Kernel for ClassSums<'_> {
    type Output = Option<Vec<f64>>;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        if rows.is_sparse() && self.above.is_some_and(|above| above < 0.0) {
            return Err("above ≥ 0 is expected for sparse rows, whose zeros are not stored"
                .to_string()
                .into());
        }
        let labels = self.labelled.labels(rows.count(), rows.columns())?;
        Ok(sums::add_class_sums(rows, &labels, self.domain, self.above, self.s)?)
    }
}

/// (s, missing), each (C, d): Σ w x per class, or Σ w 1{x > above}; the weight where x is NaN, None where it never is.
#[pyfunction]
#[pyo3(signature = (X, y, weight, classes, *, support="finite", above=None, missing=true, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn class_sums<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    classes: usize,
    support: &str,
    above: Option<f64>,
    missing: bool,
    n_jobs: Option<usize>,
) -> PyResult<(Table<'py>, Option<Table<'py>>)> {
    let labelled = Labelled::new(&y, weight.as_ref(), classes)?;
    let domain = Domain { support: self::support(support)?, missing };
    let columns = columns(X)?;
    labelled.fits(columns)?;
    let shape = [classes, columns];
    let table_of_sums = PyArray2::zeros(py, shape, false);
    let mut held = table_of_sums.readwrite();
    let s = held.as_slice_mut()?;
    let missing = on_rows(py, X, n_jobs, ClassSums { labelled, domain, above, s })?;
    drop(held);
    let missing = missing.map(|missing| table(py, missing, shape)).transpose()?;
    Ok((table_of_sums, missing))
}

struct ClassMoments<'a>(Labelled<'a>);

impl Kernel for ClassMoments<'_> {
    type Output = (Moments, usize);

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let labels = self.0.labels(rows.count(), rows.columns().saturating_mul(8))?;
        Ok((moments::class_moments(rows, &labels)?, rows.columns()))
    }
}

/// (s, q, missing): Σ w x and Σ w x² per class as (L, C, d) in parts; (C, d) the weight where x is NaN, or None.
#[pyfunction]
#[pyo3(signature = (X, y, weight, classes, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn class_moments<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    classes: usize,
    n_jobs: Option<usize>,
) -> PyResult<(Pair<'py>, Pair<'py>, Option<Table<'py>>)> {
    let labelled = Labelled::new(&y, weight.as_ref(), classes)?;
    let (moments, columns) = on_rows(py, X, n_jobs, ClassMoments(labelled))?;
    let shape = |parts: &[f64]| [length(parts, classes * columns), classes, columns];
    let missing = moments.missing.map(|missing| table(py, missing, [classes, columns])).transpose()?;
    let (s, q) = (shape(&moments.s), shape(&moments.q));
    Ok((table(py, moments.s, s)?, table(py, moments.q, q)?, missing))
}

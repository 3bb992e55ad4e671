//! Scores under densities, and squared lengths that they are made of, as arrays.

use deciban_core::learn::densities::Parameters;
use deciban_core::learn::gaussian;
use deciban_core::learn::lengths::{Measures, squared_lengths as lengths};
use deciban_core::learn::student;
use deciban_core::rows::{Index, Rows, Value};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_rows, slice, table};
use super::work::{run, threads};

type Table<'py> = PyReadonlyArray2<'py, f64>;

struct Scores<'a> {
    parameters: Parameters<'a>,
    freedom: Option<&'a [f64]>,
}

impl Kernel for Scores<'_> {
    type Output = (Vec<f64>, usize);

    fn cost(&self) -> usize {
        4 * self.parameters.classes
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let columns = self.parameters.columns;
        if rows.columns() != columns {
            let there = rows.columns();
            return Err(
                format!("X of {columns} columns is expected, like the parameters, not {there}").into()
            );
        }
        let scores = match self.freedom {
            None => gaussian::gaussian_scores(rows, self.parameters),
            Some(freedom) => student::student_scores(rows, self.parameters, freedom),
        };
        Ok((scores, rows.count()))
    }
}

fn score<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    tables: [&Table<'py>; 3],
    freedom: Option<&Table<'py>>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let [location, scale, constant] = tables;
    let shape = location.shape();
    if tables.into_iter().chain(freedom).any(|table| table.shape() != shape) {
        return Err(PyValueError::new_err("parameters of one shape, (classes, columns), are expected"));
    }
    let parameters = Parameters {
        location: slice(location, "the location")?,
        scale: slice(scale, "the scale")?,
        constant: slice(constant, "the constants")?,
        classes: shape[0],
        columns: shape[1],
    };
    let freedom = freedom.map(|freedom| slice(freedom, "the freedom")).transpose()?;
    let (scores, count) = on_rows(py, x, n_jobs, Scores { parameters, freedom })?;
    table(py, scores, [count, shape[0]])
}

/// (N, C) Σ_j constants − ½ z², z = (x − mean) · scale; parameters are (C, d). NaN is left out.
#[pyfunction]
#[pyo3(signature = (X, mean, scale, constants, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn gaussian_scores<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    mean: Table<'py>,
    scale: Table<'py>,
    constants: Table<'py>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    score(py, X, [&mean, &scale, &constants], None, n_jobs)
}

/// (N, C) Σ_j constants − ½ (freedom + 1) log(1 + z² / freedom), z = (x − location) · scale; parameters are (C, d).
#[pyfunction]
#[pyo3(signature = (X, location, scale, freedom, constants, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn student_scores<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    location: Table<'py>,
    scale: Table<'py>,
    freedom: Table<'py>,
    constants: Table<'py>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    score(py, X, [&location, &scale, &constants], Some(&freedom), n_jobs)
}

/// (C, N) ‖(x − mean_c) L_c‖² of rows (N, d) for means (C, d) and factors L (C, d, r); no feature counts from farther than
/// `farthest` (d,).
#[pyfunction]
#[pyo3(signature = (X, mean, factors, farthest, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn squared_lengths<'py>(
    py: Python<'py>,
    X: Table<'py>,
    mean: Table<'py>,
    factors: PyReadonlyArray3<'py, f64>,
    farthest: PyReadonlyArray1<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (classes, d, rank) = (factors.shape()[0], factors.shape()[1], factors.shape()[2]);
    let (count, columns) = (X.shape()[0], X.shape()[1]);
    if mean.shape() != [classes, d] || farthest.len() != d || columns != d || d == 0 {
        return Err(PyValueError::new_err("rows, means and factors of the same columns are expected"));
    }
    let rows = slice(&X, "X")?;
    let measures = Measures {
        mean: slice(&mean, "the means")?,
        factors: slice(&factors, "the factors")?,
        farthest: slice(&farthest, "the distances")?,
        classes,
        rank,
    };
    let found = run(py, threads(n_jobs), || lengths(rows, &measures))?;
    table(py, found, [classes, count])
}

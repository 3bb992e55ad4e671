//! Products of rows with weights, as arrays.

use deciban_core::products;
use deciban_core::rows::{Index, Rows, Value};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, slice, table};

type Table<'py> = Bound<'py, PyArray2<f64>>;

/// What is to be multiplied with the rows.
enum Product<'a> {
    Scores { w: &'a [f64], b: &'a [f64] },
    Combination { u: &'a [f64], classes: usize },
    Gram { h: &'a [f64] },
}

fn fits(what: &str, there: usize, expected: usize) -> Result<(), Refusal> {
    if there == expected {
        return Ok(());
    }
    Err(format!("{what} of {expected} numbers is expected to go with X, not {there}").into())
}

impl Kernel for Product<'_> {
    type Output = (Vec<f64>, [usize; 2]);

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let (count, columns) = (rows.count(), rows.columns());
        Ok(match self {
            Product::Scores { w, b } => {
                fits("W", w.len(), b.len() * columns)?;
                (products::scores(rows, w, b), [count, b.len()])
            }
            Product::Combination { u, classes } => {
                fits("U", u.len(), count * classes)?;
                (products::combination(rows, u, classes), [classes, columns])
            }
            Product::Gram { h } => {
                fits("h", h.len(), count)?;
                (products::gram(rows, h), [columns, columns])
            }
        })
    }
}

fn product<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    n_jobs: Option<usize>,
    what: Product<'_>,
) -> PyResult<Table<'py>> {
    let (numbers, shape) = on_reals(py, x, n_jobs, what)?;
    table(py, numbers, shape)
}

/// (N, K) X·Wᵀ + b for W (K, d), b (K,).
#[pyfunction]
#[pyo3(signature = (X, W, b, *, n_jobs=None))]
#[allow(non_snake_case)] // X and W are the field's own names
pub fn scores<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    W: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray1<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Table<'py>> {
    product(py, X, n_jobs, Product::Scores { w: slice(&W, "W")?, b: slice(&b, "b")? })
}

/// (K, d) Uᵀ·X for U (N, K).
#[pyfunction]
#[pyo3(signature = (X, U, *, n_jobs=None))]
#[allow(non_snake_case)] // X and U are the field's own names
pub fn combination<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    U: PyReadonlyArray2<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Table<'py>> {
    product(py, X, n_jobs, Product::Combination { u: slice(&U, "U")?, classes: U.shape()[1] })
}

/// (d, d) the lower triangle of Xᵀ·diag(h)·X for h (N,), zeros above it; the indices of a sparse X ascend in each row.
#[pyfunction]
#[pyo3(signature = (X, h, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn gram<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    h: PyReadonlyArray1<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Table<'py>> {
    product(py, X, n_jobs, Product::Gram { h: slice(&h, "h")? })
}

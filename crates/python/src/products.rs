//! Products of rows with weights, as arrays.

use deciban_core::products;
use deciban_core::rows::{Index, Rows, Value};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, on_rows, slice, table};

type Table<'py> = Bound<'py, PyArray2<f64>>;

/// What is to be multiplied with the rows.
enum Product<'a> {
    Combination { u: &'a [f64], classes: usize },
    GramDiagonals { h: &'a [f64], classes: usize },
    Gram { h: &'a [f64] },
    GramTimes { h: &'a [f64], v: &'a [f64] },
}

struct Sizes;

impl Kernel for Sizes {
    type Output = (f64, f64);

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        Ok(rows.sizes())
    }
}

/// The least |x| of X's values that are not zero, and the largest; ∞ and 0 where all are zero.
#[pyfunction]
#[pyo3(signature = (X, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn sizes(py: Python<'_>, X: &Bound<'_, PyAny>, n_jobs: Option<usize>) -> PyResult<(f64, f64)> {
    on_reals(py, X, n_jobs, Sizes)
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
            Product::Combination { u, classes } => {
                fits("U", u.len(), count * classes)?;
                (products::combination(rows, u, classes), [classes, columns])
            }
            Product::GramDiagonals { h, classes } => {
                fits("H", h.len(), count * classes)?;
                (products::gram_diagonals(rows, h, classes), [classes, columns])
            }
            Product::Gram { h } => {
                fits("h", h.len(), count)?;
                (products::gram(rows, h), [columns, columns])
            }
            Product::GramTimes { h, v } => {
                fits("h", h.len(), count)?;
                fits("v", v.len(), columns)?;
                (products::gram_times(rows, h, v), [1, columns])
            }
        })
    }
}

/// Weights W (K, d), or turned over already, and b (K,).
struct Scores<'a> {
    w: &'a [f64],
    turned: bool,
    b: &'a [f64],
}

impl Kernel for Scores<'_> {
    type Output = (Vec<f64>, [usize; 2]);

    fn cost(&self) -> usize {
        self.b.len()
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let Scores { w, turned, b } = self;
        fits("W", w.len(), b.len() * rows.columns())?;
        let scores = if turned { products::scores_turned(rows, w, b) } else { products::scores(rows, w, b) };
        Ok((scores, [rows.count(), b.len()]))
    }
}

/// Weights W (d, K) and b (K,) for rows of counts.
struct ScoresOfCounts<'a> {
    w: &'a [f64],
    b: &'a [f64],
}

impl Kernel for ScoresOfCounts<'_> {
    type Output = Option<(Vec<f64>, [usize; 2])>;

    fn cost(&self) -> usize {
        self.b.len()
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let ScoresOfCounts { w, b } = self;
        fits("W", w.len(), b.len() * rows.columns())?;
        Ok(products::scores_of_counts(rows, w, b).map(|scores| (scores, [rows.count(), b.len()])))
    }
}

/// (N, K) X·W + b for W (d, K), b (K,); None where a value of X is no count, that is not from 0 to 10^300.
#[pyfunction]
#[pyo3(signature = (X, W, b, *, n_jobs=None))]
#[allow(non_snake_case)] // X and W are the field's own names
pub fn scores_of_counts<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    W: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray1<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Option<Table<'py>>> {
    let (w, b) = (slice(&W, "W")?, slice(&b, "b")?);
    let found = on_rows(py, X, n_jobs, ScoresOfCounts { w, b })?;
    found.map(|(numbers, shape)| table(py, numbers, shape)).transpose()
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

/// (N, K) X·Wᵀ + b for W (K, d) in either order, b (K,). The order of (d, K) spares a copy.
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
    let turned = !W.is_c_contiguous() && W.is_fortran_contiguous();
    let w = if turned { W.as_slice()? } else { slice(&W, "W")? };
    let (numbers, shape) = on_rows(py, X, n_jobs, Scores { w, turned, b: slice(&b, "b")? })?;
    table(py, numbers, shape)
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

/// (K, d) the diagonals of Xᵀ·diag(h)·X for each h of H (N, K).
#[pyfunction]
#[pyo3(signature = (X, H, *, n_jobs=None))]
#[allow(non_snake_case)] // X and H are the field's own names
pub fn gram_diagonals<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    H: PyReadonlyArray2<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Table<'py>> {
    product(py, X, n_jobs, Product::GramDiagonals { h: slice(&H, "H")?, classes: H.shape()[1] })
}

/// (1, d) Xᵀ·diag(h)·X·v for h (N,) and v (d,), in one pass over X.
#[pyfunction]
#[pyo3(signature = (X, h, v, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn gram_times<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    h: PyReadonlyArray1<'py, f64>,
    v: PyReadonlyArray1<'py, f64>,
    n_jobs: Option<usize>,
) -> PyResult<Table<'py>> {
    product(py, X, n_jobs, Product::GramTimes { h: slice(&h, "h")?, v: slice(&v, "v")? })
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

//! Examples that differ, in an order of their values.

use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::distinct::{self as core, Distinct, Told};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, on_rows, slice};

struct Examples<'a>(Told<'a>);

impl Kernel for Examples<'_> {
    type Output = Distinct;

    fn cost(&self) -> usize {
        4
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Distinct, Refusal> {
        let Told { y, ranked, offset } = self.0;
        let there = [y.len(), ranked.len(), offset.map_or(rows.count(), <[f64]>::len)];
        if there != [rows.count(); 3] {
            let [y, ranked, offset] = there;
            return Err(format!(
                "y, ranked and offset of {} numbers each, one a row, are expected, not {y}, {ranked} and {offset}",
                rows.count()
            )
            .into());
        }
        Ok(core::distinct(rows, self.0))
    }
}

type Places<'py> = Bound<'py, PyArray1<i64>>;

/// (of, kept): which of the examples that differ each one is (N,), and the first that is each of these (M,), sorted by
/// digests of their values and of `ranked`, by `y` and by place.
#[pyfunction]
#[pyo3(signature = (X, y, ranked, *, offset=None, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn distinct<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, f64>,
    ranked: PyReadonlyArray1<'py, f64>,
    offset: Option<PyReadonlyArray1<'py, f64>>,
    n_jobs: Option<usize>,
) -> PyResult<(Places<'py>, Places<'py>)> {
    let offset = offset.as_ref().map(|offset| slice(offset, "offset")).transpose()?;
    let told = Told { y: slice(&y, "y")?, ranked: slice(&ranked, "ranked")?, offset };
    let Distinct { of, kept } = on_reals(py, X, n_jobs, Examples(told))?;
    let places = |numbers: Vec<u32>| numbers.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py);
    Ok((places(of), places(kept)))
}

struct Digests(u64);

impl Kernel for Digests {
    type Output = Vec<u64>;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Vec<u64>, Refusal> {
        Ok(core::digests(rows, self.0))
    }
}

/// (N,) a digest of the values of each row, the same however it is stored.
#[pyfunction]
#[pyo3(signature = (X, seed, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn row_digests<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    seed: u64,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    Ok(on_rows(py, X, n_jobs, Digests(seed))?.into_pyarray(py))
}

//! Many kernel machines about rows whose Gram matrix is known.

use deciban_core::solve::Limits;
use deciban_core::solve::smo::OfGram;
use deciban_core::temperature::temperature as minimum;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::slice;
use super::shared::{Problems, Solved, Watcher};
use super::work::{run, threads};

type Square<'py> = PyReadonlyArray2<'py, f64>;

fn square<'a>(gram: &'a Square<'_>) -> PyResult<(&'a [f64], usize)> {
    let (rows, columns) = (gram.shape()[0], gram.shape()[1]);
    if rows != columns {
        let text = format!("K of as many rows as columns is expected, not ({rows}, {columns})");
        return Err(PyValueError::new_err(text));
    }
    Ok((slice(gram, "K")?, rows))
}

/// Minimises the dual of each problem as `SharedKernel.solve` does, from K (N, N) of all rows; steps in `floats`, where
/// these hold its values well enough. What converged, or ended before `exact_below` iterations, is brought to the
/// optimum up to rounding.
#[pyfunction]
#[pyo3(signature = (K, problems, *, floats=false, tol=1e-4, max_iter=1000, exact_below=0, memory=200_000_000, watch=None,
                    n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // K is the field's own name; one keyword each
pub fn smo_of_gram<'py>(
    py: Python<'py>,
    K: Square<'py>,
    problems: Problems<'py>,
    floats: bool,
    tol: f64,
    max_iter: usize,
    exact_below: usize,
    memory: usize,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Solved<'py>> {
    let (gram, count) = square(&K)?;
    let tasks = problems.tasks(count)?;
    let (watcher, limits, of) =
        (Watcher::new(watch), Limits::new(tol, max_iter), OfGram { gram, exact_below });
    let found = run(py, threads(n_jobs).min(tasks.len().max(1)), || {
        let watch = &|k, i, p, g| watcher.stop(k, i, p, g);
        if floats {
            of.solve_each::<f32>(&tasks, limits, memory, watch)
        } else {
            of.solve_each::<f64>(&tasks, limits, memory, watch)
        }
    })?;
    watcher.solved(py, found)
}

/// β and gradient of one problem at its optimum up to rounding, from a start that is near it and K (N, N) of all rows;
/// and whether a signal ended it before.
#[pyfunction]
#[allow(non_snake_case, clippy::type_complexity)] // K is the field's own name
pub fn finish_exactly<'py>(
    py: Python<'py>,
    K: Square<'py>,
    problems: Problems<'py>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, bool)> {
    let (gram, count) = square(&K)?;
    let tasks = problems.tasks(count)?;
    let [task] = tasks.as_slice() else { return Err(PyValueError::new_err("one problem is expected")) };
    let end = run(py, 1, || OfGram { gram, exact_below: 0 }.finish(task))?;
    Ok((end.beta.into_pyarray(py), end.gradient.into_pyarray(py), end.cut))
}

/// The A > 0 for which the posterior softmax(A·s) suits targets (N, C) best, of scores (N, C) and weights (N,).
#[pyfunction]
pub fn temperature(
    py: Python<'_>,
    scores: Square<'_>,
    targets: Square<'_>,
    weight: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    let (rows, classes) = (scores.shape()[0], scores.shape()[1]);
    if targets.shape() != [rows, classes] || weight.len() != rows {
        let text = format!("targets ({rows}, {classes}) and weight ({rows},) are expected, as scores have");
        return Err(PyValueError::new_err(text));
    }
    let (s, t, weight) = (slice(&scores, "scores")?, slice(&targets, "targets")?, slice(&weight, "weight")?);
    run(py, 1, || minimum(s, classes, t, weight))
}

//! Lines of svmlight.

use deciban_core::svmlight;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

type Pairs<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Returns indices and values of a line of ASCII behind its first `start` characters; None where it is not plain pairs.
#[pyfunction]
pub fn svmlight_pairs<'py>(py: Python<'py>, text: &str, start: usize) -> Option<Pairs<'py>> {
    let (indices, values) = svmlight::pairs(text.as_bytes().get(start..)?)?;
    Some((indices.into_pyarray(py), values.into_pyarray(py)))
}

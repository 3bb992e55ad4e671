//! Kernels that Python computes, as a source of rows.

use deciban_core::solve::smo::Source;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::slice;

/// A kernel that Python computes.
pub struct OfCallable<'a> {
    /// Rows (m,) → (m, N) doubles.
    pub rows: Py<PyAny>,
    /// Coefficients (N,) → (N,) doubles.
    pub scores: Py<PyAny>,
    pub diagonal: &'a [f64],
    pub active: Vec<u32>,
    pub raised: Option<PyErr>,
}

impl OfCallable<'_> {
    fn ask<T>(&mut self, of: impl FnOnce(Python<'_>, &Self) -> PyResult<T>) -> Option<T> {
        let said = Python::attach(|py| of(py, self));
        said.map_err(|error| self.raised = Some(error)).ok()
    }
}

impl Source<f64> for OfCallable<'_> {
    fn diagonal(&mut self) -> Option<Vec<f64>> {
        Some(self.diagonal.to_vec())
    }

    fn fill(&mut self, row: u32, out: &mut [f64]) -> bool {
        let answer = self.ask(|py, all| {
            let answer = all.rows.call1(py, (PyArray1::from_vec(py, vec![i64::from(row)]),))?;
            let k: PyReadonlyArray2<'_, f64> = answer.extract(py)?;
            let k = slice(&k, "rows of the kernel")?;
            if k.len() != all.diagonal.len() {
                let (there, expected) = (k.len(), all.diagonal.len());
                let text = format!("a row of {expected} kernel values is expected, not {there}");
                return Err(PyValueError::new_err(text));
            }
            out.iter_mut().zip(&all.active).for_each(|(k_out, &j)| *k_out = k[j as usize]);
            Ok(())
        });
        answer.is_some()
    }

    fn restrict(&mut self, rows: &[u32]) {
        self.active = rows.to_vec();
    }

    fn scores(&mut self, coefficients: &[f64]) -> Option<Vec<f64>> {
        self.ask(|py, all| {
            let answer = all.scores.call1(py, (PyArray1::from_slice(py, coefficients),))?;
            let f: PyReadonlyArray1<'_, f64> = answer.extract(py)?;
            if f.len() != coefficients.len() {
                return Err(PyValueError::new_err("as many scores as coefficients are expected"));
            }
            Ok(slice(&f, "scores")?.to_vec())
        })
    }
}

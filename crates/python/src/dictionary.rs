//! The served artefact: items become scores, rows and reasons.

use deciban_core::score;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::counter::rules;
use super::items::{borrow, hold, hold_one};
use super::reader::Reader;
use super::work::{run, threads};

/// A dictionary of features, with their weights if items are to be scored.
#[pyclass(frozen, module = "deciban._core")]
pub struct Dictionary {
    inner: score::Dictionary,
    weights: Vec<f64>,
    bias: Vec<f64>,
    threads: usize,
}

type Term = (u32, String, u32, Vec<(usize, usize)>);
type Csr<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

fn words<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

#[pymethods]
impl Dictionary {
    /// `hashes` (V,) of 64-bit, `weights` (V, C) and `bias` (C,) of float64, all as little-endian bytes.
    #[new]
    #[pyo3(signature = (reader, hashes, *, weights=None, bias=None, binary=false, hashed_bits=None, n_jobs=None))]
    fn new(
        reader: &Reader,
        hashes: &[u8],
        weights: Option<&[u8]>,
        bias: Option<&[u8]>,
        binary: bool,
        hashed_bits: Option<u32>,
        n_jobs: Option<usize>,
    ) -> PyResult<Dictionary> {
        let rules = rules(binary, hashed_bits, usize::MAX)?;
        let hashes = words::<8>(hashes).map(u64::from_le_bytes);
        let weights: Vec<f64> = words::<8>(weights.unwrap_or_default()).map(f64::from_le_bytes).collect();
        let bias: Vec<f64> = words::<8>(bias.unwrap_or_default()).map(f64::from_le_bytes).collect();
        if weights.len() != hashes.len() * bias.len() && !bias.is_empty() {
            return Err(PyValueError::new_err("one weight per feature and class is expected"));
        }
        if weights.iter().chain(&bias).any(|weight| weight.is_nan()) {
            return Err(PyValueError::new_err("weights that are numbers are expected"));
        }
        let n = hashes.len();
        let inner = score::Dictionary::new(reader.inner.clone(), rules, hashes);
        if inner.len() != n {
            return Err(PyValueError::new_err("distinct hashes are expected"));
        }
        Ok(Dictionary { inner, weights, bias, threads: threads(n_jobs) })
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Scores (N, C): log joint probabilities for a naive Bayes model.
    fn scores<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let scores = self.score(py, &items)?;
        scores.into_pyarray(py).reshape([items.len(), self.bias.len()])
    }

    /// Scores item by item, as lists: for a few items, without loading NumPy.
    fn score_lists(&self, py: Python<'_>, items: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
        let held = hold(items)?;
        let scores = self.score(py, &borrow(&held))?;
        Ok(scores.chunks_exact(self.bias.len()).map(<[f64]>::to_vec).collect())
    }

    /// Items as a sparse matrix: (row ends, features, values).
    fn rows<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Csr<'py>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let rows = run(py, self.threads, || self.inner.rows(&items))?;
        Ok((rows.ends.into_pyarray(py), rows.features.into_pyarray(py), rows.values.into_pyarray(py)))
    }

    /// The item's readable text, and (feature, name, count, places in characters) of each of its words in the dictionary.
    fn reasons(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<(String, Vec<Term>)> {
        let item = hold_one(item)?;
        let (text, reasons) = run(py, 1, || self.inner.reasons(item.bytes()))?;
        Ok((text, reasons.into_iter().map(|r| (r.feature, r.name, r.count, r.places)).collect()))
    }
}

impl Dictionary {
    fn score(&self, py: Python<'_>, items: &[&[u8]]) -> PyResult<Vec<f64>> {
        if self.bias.is_empty() {
            return Err(PyValueError::new_err("this dictionary was made without weights"));
        }
        // One item is scored where we are: starting threads would take longer.
        let threads = if items.len() == 1 { 1 } else { self.threads };
        run(py, threads, || self.inner.scores(items, &self.weights, &self.bias))
    }
}

/// Log posteriors of one item from its scores: b − [B + log Σ exp(b − B)], B = max b.
#[pyfunction]
pub fn log_posterior(mut scores: Vec<f64>) -> Vec<f64> {
    score::log_posterior(&mut scores);
    scores
}

//! The served artefact: items become scores, rows and reasons.

use deciban_core::doubt::{Belief, Doubt, Prior};
use deciban_core::score;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::corpus::TokenCorpus;
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
    doubt: Option<Doubt>,
    threads: usize,
}

/// What stands behind the weights, as `deciban.text.served.Belief` hands it over.
#[derive(FromPyObject)]
struct Given {
    alpha: f64,
    added: f64,
    total: Vec<f64>,
    absent: bool,
    prior: Vec<f64>,
    learnt: bool,
    widening: Vec<f64>,
    slope: f64,
}

pub type Term = (u32, String, u32, Vec<(usize, usize)>);
pub type Judged = (Vec<f64>, (usize, usize), f64);
pub type Csr<'py> = (Bound<'py, PyArray1<isize>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

pub fn words<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

#[pymethods]
impl Dictionary {
    /// `hashes` (V,) of 64-bit, `weights` (V, C) and `bias` (C,) of float64, all as little-endian bytes; `belief` has
    /// the fields of `deciban.text.served.Belief`.
    #[new]
    #[pyo3(signature = (
        reader, hashes, *, weights=None, bias=None, belief=None, binary=false, hashed_bits=None, n_jobs=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        reader: &Reader,
        hashes: &[u8],
        weights: Option<&[u8]>,
        bias: Option<&[u8]>,
        belief: Option<Given>,
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
        if n > score::MOST_FEATURES {
            let most = score::MOST_FEATURES;
            return Err(PyValueError::new_err(format!("at most {most} features are expected, not {n}")));
        }
        let inner = score::Dictionary::new(reader.inner.clone(), rules, hashes);
        if inner.len() != n {
            return Err(PyValueError::new_err("distinct hashes are expected"));
        }
        let doubt = belief.map(|given| doubt(given, n, bias.len())).transpose()?;
        Ok(Dictionary { inner, weights, bias, doubt, threads: threads(n_jobs) })
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

    /// Item by item: its scores (C), its first class and the next, and the variance of the log-odds between them.
    fn judge(&self, py: Python<'_>, items: &Bound<'_, PyAny>) -> PyResult<Vec<Judged>> {
        let doubt = self.doubt.as_ref();
        let doubt =
            doubt.ok_or_else(|| PyValueError::new_err("this dictionary was made without a belief"))?;
        let held = hold(items)?;
        let items = borrow(&held);
        let threads = self.threads_for(&items);
        let judged = run(py, threads, || self.inner.judge(&items, &self.weights, &self.bias, doubt))?;
        Ok(judged.into_iter().map(|j| (j.scores, j.first_two, j.variance)).collect())
    }

    /// Items as a sparse matrix: (row ends, features, values).
    fn rows<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Csr<'py>> {
        let held = hold(items)?;
        let items = borrow(&held);
        written(py, self.threads, run(py, self.threads, || self.inner.rows(&items))?)
    }

    /// Items of a corpus, at these places, as a sparse matrix.
    fn rows_of<'py>(
        &self,
        py: Python<'py>,
        corpus: &TokenCorpus,
        places: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Csr<'py>> {
        let mut found = Vec::new();
        corpus.chosen(py, &self.inner.reader, &places)?.each(py, |part| {
            let known = self.inner.places(part.segment);
            found.extend(self.inner.rows_of(part.segment, &known, part.items));
        })?;
        written(py, self.threads, score::Rows::new(found, self.inner.rules.binary))
    }

    /// In which passages of its content each word is of items of a corpus, at these places: a bit for each, in the order
    /// of `rows_of`.
    fn passages_of<'py>(
        &self,
        py: Python<'py>,
        corpus: &TokenCorpus,
        places: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let mut found = Vec::new();
        corpus.chosen(py, &self.inner.reader, &places)?.each(py, |part| {
            let heard = self.inner.heard(part.segment);
            found.extend(self.inner.passages_of(part.segment, &heard, part.items));
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Scores (N, C) of items of a corpus, at these places.
    fn scores_of<'py>(
        &self,
        py: Python<'py>,
        corpus: &TokenCorpus,
        places: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.check_weights()?;
        let (mut scores, n) = (Vec::new(), places.len());
        corpus.chosen(py, &self.inner.reader, &places)?.each(py, |part| {
            let known = self.inner.weighed_places(part.segment);
            scores.extend(self.inner.scores_of(part.segment, &known, part.items, &self.weights, &self.bias));
        })?;
        scores.into_pyarray(py).reshape([n, self.bias.len()])
    }

    /// The item's readable text, and (feature, name, count, places in characters) of each of its words in the dictionary.
    fn reasons(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<(String, Vec<Term>)> {
        let item = hold_one(item)?;
        Ok(named(run(py, 1, || self.inner.reasons(item.bytes()))?))
    }
}

impl Dictionary {
    fn score(&self, py: Python<'_>, items: &[&[u8]]) -> PyResult<Vec<f64>> {
        self.check_weights()?;
        run(py, self.threads_for(items), || self.inner.scores(items, &self.weights, &self.bias))
    }

    fn check_weights(&self) -> PyResult<()> {
        if self.bias.is_empty() {
            return Err(PyValueError::new_err("this dictionary was made without weights"));
        }
        Ok(())
    }

    /// One item is scored where we are: starting threads would take longer.
    fn threads_for(&self, items: &[&[u8]]) -> usize {
        if items.len() == 1 { 1 } else { self.threads }
    }
}

/// Rows as a sparse matrix, written into arrays of NumPy, which asks for large pages of memory.
pub fn written(py: Python<'_>, threads: usize, rows: score::Rows) -> PyResult<Csr<'_>> {
    let features = PyArray1::<i32>::zeros(py, rows.len(), false);
    let values = PyArray1::<f64>::zeros(py, rows.len(), false);
    let (mut room, mut more_room) = (features.readwrite(), values.readwrite());
    let (some, more) = (room.as_slice_mut()?, more_room.as_slice_mut()?);
    let ends = run(py, threads, || rows.write(some, more))?;
    drop((room, more_room));
    Ok((ends.into_pyarray(py), features, values))
}

/// An item's readable text and its reasons, as Python has them.
pub fn named((text, reasons): (String, Vec<score::Reason>)) -> (String, Vec<Term>) {
    (text, reasons.into_iter().map(|r| (r.feature, r.name, r.count, r.places)).collect())
}

/// The doubt of a dictionary of so many words and classes.
fn doubt(given: Given, words: usize, classes: usize) -> PyResult<Doubt> {
    let prior = if given.learnt { Prior::Learnt(given.prior) } else { Prior::Given(given.prior) };
    let Given { alpha, added, total, absent, widening, slope, .. } = given;
    let belief = Belief { alpha, added, total, absent, prior, widening, slope };
    Doubt::new(belief, words, classes).ok_or_else(|| {
        PyValueError::new_err(
            "totals, a prior and a widening of one finite number from 0 per class, alpha > 0 and slope > 0 are expected",
        )
    })
}

/// Log posteriors of one item from its scores: b − [B + log Σ exp(b − B)], B = max b.
#[pyfunction]
pub fn log_posterior(mut scores: Vec<f64>) -> Vec<f64> {
    score::log_posterior(&mut scores);
    scores
}

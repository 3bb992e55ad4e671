//! Labelled items as sets of words, which are read once.

use deciban_core::text::word_sets::{self as core, Gathered};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::counter::{Counted, counted};
use super::items::{borrow, hold};
use super::reader::Reader;
use super::work::{run, threads};

/// Labelled items as sets of words, each content once, under the label with which it came first.
#[pyclass(frozen, module = "deciban._core")]
pub struct WordSets {
    inner: Mutex<Option<core::WordSets>>,
    classes: usize,
    threads: usize,
}

/// What was counted; then of the items, in the order of their digests: where the words of each end, the places of these
/// in the book and their passages; classes, arrivals and digests; and how many items were there already, under the same
/// class and under another.
type Finished<'py> = (
    Counted<'py>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<u16>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyBytes>,
    u64,
    u64,
);

#[pymethods]
impl WordSets {
    /// No items yet, of so many classes. Beyond `most_words` distinct words the rarest are dropped.
    #[new]
    #[pyo3(signature = (reader, classes, most_words=1 << 20, n_jobs=None))]
    fn new(reader: &Reader, classes: usize, most_words: usize, n_jobs: Option<usize>) -> PyResult<WordSets> {
        if classes == 0 || !reader.inner.covers(&reader.inner) {
            return Err(PyValueError::new_err(
                "a class and a reader of words, from single ones, are expected",
            ));
        }
        let inner = core::WordSets::new(reader.inner.clone(), classes, most_words.max(2));
        Ok(WordSets { inner: Mutex::new(Some(inner)), classes, threads: threads(n_jobs) })
    }

    /// More items (str or bytes), each of the class with the given number.
    fn add(&self, py: Python<'_>, items: &Bound<'_, PyAny>, classes: Vec<u32>) -> PyResult<()> {
        let held = hold(items)?;
        if held.len() != classes.len() || classes.iter().any(|&class| class as usize >= self.classes) {
            return Err(PyValueError::new_err("one known class per item is expected"));
        }
        let items = borrow(&held);
        run(py, self.threads, || self.lock().as_mut().map(|sets| sets.add(&items, &classes, self.threads)))?
            .ok_or_else(finished)
    }

    /// The words and the items; nothing is added after.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Finished<'py>> {
        let found = run(py, self.threads, || self.lock().take().map(core::WordSets::finish))?;
        let Gathered { found, ends, words, passages, classes, arrivals, digests, duplicates, conflicts } =
            found.ok_or_else(finished)?;
        Ok((
            counted(py, found),
            ends.into_pyarray(py),
            words.into_pyarray(py),
            passages.into_pyarray(py),
            classes.into_pyarray(py),
            arrivals.into_pyarray(py),
            PyBytes::new(py, digests.as_flattened()),
            duplicates,
            conflicts,
        ))
    }
}

impl WordSets {
    fn lock(&self) -> MutexGuard<'_, Option<core::WordSets>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("these items are finished; begin anew")
}

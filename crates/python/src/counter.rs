//! Counting labelled items.

use deciban_core::intake::{Intake, Seen};
use deciban_core::text::count::{self, Found, Lost, Rules};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::items::{borrow, hold};
use super::reader::Reader;
use super::wordbook::Wordbook;
use super::work::{run, threads};

/// Counts words of labelled items, class by class.
#[pyclass(module = "deciban._core")]
pub struct Counter {
    inner: Option<Inner>,
    classes: usize,
    threads: usize,
    words: Option<Found>,
}

/// A wordbook, how many words were dropped, how often they had been counted, how often words were dropped, and the
/// generation of each word; empty where nothing was dropped, and all are of generation 0.
pub type Counted<'py> = (Wordbook, usize, f64, u32, Bound<'py, PyArray1<u32>>);

/// What was counted, as Python takes it.
pub fn counted(py: Python<'_>, found: Found) -> Counted<'_> {
    let Lost { words, occurrences, times } = found.lost;
    let born = if times == 0 { Vec::new() } else { found.born };
    (Wordbook { inner: found.book }, words, occurrences, times, born.into_pyarray(py))
}

enum Inner {
    All(count::Counter),
    Once(Intake),
}

/// The rules in force; refuses sizes that make no sense.
pub fn rules(binary: bool, hashed_bits: Option<u32>, most_words: usize) -> PyResult<Rules> {
    if hashed_bits.is_some_and(|bits| !(1..=30).contains(&bits)) {
        return Err(PyValueError::new_err(format!(
            "hashed_bits from 1 to 30 is expected, not {hashed_bits:?}"
        )));
    }
    Ok(Rules { binary, hashed_bits, most_words: most_words.max(2) })
}

#[pymethods]
impl Counter {
    /// `once`: exact duplicates count once. `weighted`: items come with weights. Beyond `most_words` the rarest are
    /// dropped. `readable`: where features are hashed, words are counted, too, for `words`.
    #[new]
    #[pyo3(signature = (reader, classes, *, binary=false, hashed_bits=None, most_words=1 << 20, once=false, weighted=false, readable=false, n_jobs=None))]
    #[allow(clippy::too_many_arguments)] // one keyword each
    fn new(
        reader: &Reader,
        classes: usize,
        binary: bool,
        hashed_bits: Option<u32>,
        most_words: usize,
        once: bool,
        weighted: bool,
        readable: bool,
        n_jobs: Option<usize>,
    ) -> PyResult<Counter> {
        let rules = rules(binary, hashed_bits, most_words)?;
        if classes == 0 || (once && weighted) {
            return Err(PyValueError::new_err(
                "at least one class is expected, and not both once and weighted",
            ));
        }
        let threads = threads(n_jobs);
        let counter = count::Counter::new(reader.inner.clone(), rules, classes, threads, weighted);
        let counter = if readable { counter.keeping_words() } else { counter };
        let inner = if once { Inner::Once(Intake::new(counter)) } else { Inner::All(counter) };
        Ok(Counter { inner: Some(inner), classes, threads, words: None })
    }

    /// Makes room for more classes.
    fn grow(&mut self, classes: usize) -> PyResult<()> {
        match self.inner.as_mut().ok_or_else(finished)? {
            Inner::All(counter) => counter.grow(classes),
            Inner::Once(intake) => intake.grow(classes),
        }
        self.classes = self.classes.max(classes);
        Ok(())
    }

    /// How many distinct words there are so far.
    fn distinct(&self, py: Python<'_>) -> PyResult<usize> {
        let inner = self.inner.as_ref().ok_or_else(finished)?;
        run(py, self.threads, || match inner {
            Inner::All(counter) => counter.distinct(),
            Inner::Once(intake) => intake.distinct(),
        })
    }

    /// Counts items (str or bytes), each of the class with the given number, with its weight if the counter is weighted.
    #[pyo3(signature = (items, classes, weights=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        classes: Vec<usize>,
        weights: Option<Vec<f64>>,
    ) -> PyResult<()> {
        let held = hold(items)?;
        let lengths_differ =
            held.len() != classes.len() || weights.as_ref().is_some_and(|w| w.len() != held.len());
        if lengths_differ || classes.iter().any(|&class| class >= self.classes) {
            return Err(PyValueError::new_err("one known class (and one weight) per item is expected"));
        }
        let items = borrow(&held);
        let inner = self.inner.as_mut().ok_or_else(finished)?;
        run(py, self.threads, || match (inner, &weights) {
            (Inner::All(counter), Some(weights)) => counter.add_weighted(&items, &classes, weights),
            (Inner::All(counter), None) => counter.add(&items, &classes),
            (Inner::Once(intake), _) => intake.take(&items, &classes),
        })
    }

    /// What was counted, then of each item that was counted once its digest, its class and its generation, and how many
    /// were there already, under the same class and under another.
    #[allow(clippy::type_complexity)] // said in the line above
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<(
        Counted<'py>,
        Bound<'py, PyBytes>,
        Bound<'py, PyArray1<u32>>,
        Bound<'py, PyArray1<u32>>,
        u64,
        u64,
    )> {
        let inner = self.inner.take().ok_or_else(finished)?;
        let (found, words, seen) = run(py, self.threads, || {
            let (mut counter, seen) = match inner {
                Inner::All(counter) => (counter, Seen::default()),
                Inner::Once(intake) => intake.finish(),
            };
            let words = counter.take_words();
            (counter.finish(), words, seen)
        })?;
        self.words = words;
        let digests = PyBytes::new_with(py, 16 * seen.items.len(), |bytes| {
            bytes
                .chunks_exact_mut(16)
                .zip(&seen.items)
                .for_each(|(to, (digest, _))| to.copy_from_slice(digest));
            Ok(())
        })?;
        let (classes, generations): (Vec<u32>, Vec<u32>) = seen.items.iter().map(|&(_, of)| of).unzip();
        Ok((
            counted(py, found),
            digests,
            classes.into_pyarray(py),
            generations.into_pyarray(py),
            seen.duplicates,
            seen.conflicts,
        ))
    }

    /// The words of the buckets, of one class, once counting has finished; None unless they are kept.
    fn words<'py>(&mut self, py: Python<'py>) -> Option<Counted<'py>> {
        Some(counted(py, self.words.take()?))
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("this counter has finished; begin a new one")
}

//! Items that are tokenised once, and what is counted and looked up of them.

use deciban_core::intake::digest;
use deciban_core::narrow::narrow;
use deciban_core::parallel::each_of;
use deciban_core::rows::Index;
use deciban_core::source::ReadError;
use deciban_core::text::corpus as core;
use deciban_core::text::count::{Found, Rules};
use deciban_core::text::reader as read;
use deciban_core::text::segment::Segment;
use deciban_core::text::table::Count;
use deciban_core::text::tally::{Chosen, Tally};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::counter::{Counted, counted, rules};
use super::files::os_error;
use super::items::{borrow, hold};
use super::reader::Reader;
use super::rows::numbers;
use super::work::{run, threads};

/// The tokens of items, in memory up to a bound, beyond it in a temporary file without a name.
#[pyclass(frozen, module = "deciban._core")]
pub struct TokenCorpus {
    inner: Mutex<core::Corpus>,
    threads: usize,
}

#[pymethods]
impl TokenCorpus {
    /// No items yet. Their tokens take about `memory` bytes, what is more goes into the file.
    #[new]
    #[pyo3(signature = (reader, memory=256 << 20, n_jobs=None))]
    fn new(reader: &Reader, memory: usize, n_jobs: Option<usize>) -> PyResult<TokenCorpus> {
        if !reader.inner.covers(&reader.inner) {
            return Err(PyValueError::new_err("a reader of words, from single ones, is expected"));
        }
        let inner = Mutex::new(core::Corpus::new(reader.inner.clone(), memory));
        Ok(TokenCorpus { inner, threads: threads(n_jobs) })
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().len())
    }

    /// Bytes in the temporary file.
    #[getter]
    fn spilled(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.lock().written())
    }

    /// More items (str or bytes); gives their digests, 16 bytes each.
    fn add<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let digests = run(py, self.threads, || {
            let mut corpus = self.lock();
            let kind = corpus.reader().kind;
            let digests: Vec<_> = each_of(&items, 16, &|item| digest(kind, item));
            corpus.add(&items, self.threads).map(|()| digests)
        })?;
        Ok(PyBytes::new(py, digests.map_err(|error| fault(py, error))?.as_flattened()))
    }

    /// How often each word was seen in each of so many classes, in the items at these places, ascending, of these
    /// classes, and the same of the words of hash buckets where `readable`; then the generation of each item, empty where
    /// no word was dropped. The words that `reader` reads are counted, and have names if `named`.
    #[pyo3(signature = (
        reader, places, members, classes, *, weights=None, binary=false, hashed_bits=None, most_words=1 << 20,
        readable=false, named=true
    ))]
    #[allow(clippy::too_many_arguments)] // one keyword each
    #[allow(clippy::type_complexity)] // said in the lines above
    fn count<'py>(
        &self,
        py: Python<'py>,
        reader: &Reader,
        places: PyReadonlyArray1<'_, i64>,
        members: PyReadonlyArray1<'_, i64>,
        classes: usize,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        binary: bool,
        hashed_bits: Option<u32>,
        most_words: usize,
        readable: bool,
        named: bool,
    ) -> PyResult<(Counted<'py>, Option<Counted<'py>>, Bound<'py, PyArray1<u32>>)> {
        let rules = rules(binary, hashed_bits, most_words)?;
        let chosen = self.chosen(py, &reader.inner, &places)?;
        let members = numbers(&members, classes);
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let fit = weights.as_ref().is_none_or(|weights| weights.len() == chosen.places.len());
        let Some(members) = members.filter(|members| fit && members.len() == chosen.places.len()) else {
            return Err(PyValueError::new_err("one known class (and one weight) per item is expected"));
        };
        let wanted = Wanted { chosen, members: &members, classes, named };
        let words = (readable && hashed_bits.is_some()).then_some(Rules { hashed_bits: None, ..rules });
        let ((found, generations), words) = match &weights {
            Some(weights) => wanted.both(py, rules, words, |i| weights[i])?,
            None => wanted.both(py, rules, words, |_| 1u32)?,
        };
        let generations = if found.lost.times == 0 { Vec::new() } else { generations };
        Ok((counted(py, found), words.map(|found| counted(py, found)), generations.into_pyarray(py)))
    }
}

/// Some items of a corpus, read with a reader.
pub struct Selection<'a> {
    corpus: &'a TokenCorpus,
    reader: &'a read::Reader,
    places: Vec<usize>,
}

impl TokenCorpus {
    fn lock(&self) -> MutexGuard<'_, core::Corpus> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The items at these places, as `reader` reads them.
    pub fn chosen<'a>(
        &'a self,
        py: Python<'_>,
        reader: &'a read::Reader,
        places: &PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Selection<'a>> {
        let places: Vec<usize> = places.as_array().iter().map(|&place| place.place()).collect();
        let (covers, items) = py.detach(|| {
            let corpus = self.lock();
            (corpus.reader().covers(reader), corpus.len())
        });
        if !covers {
            return Err(PyValueError::new_err("a reader of the same words as the corpus is expected"));
        }
        if !places.windows(2).all(|pair| pair[0] < pair[1]) || places.last().is_some_and(|&p| p >= items) {
            return Err(PyValueError::new_err("places of items, in ascending order, are expected"));
        }
        Ok(Selection { corpus: self, reader, places })
    }
}

/// The items of one segment: its number, itself, the places of the items in it, where those begin among all that were
/// chosen, and whether the items that were added together end with it.
pub struct Part<'a> {
    number: usize,
    pub segment: &'a Segment,
    pub items: &'a [u32],
    start: usize,
    ends: bool,
}

impl Selection<'_> {
    /// Does something with the items of each segment on the threads of the corpus; Ctrl-C ends it between two.
    pub fn each(&self, py: Python<'_>, mut f: impl FnMut(Part<'_>) + Send) -> PyResult<()> {
        let mut start = 0;
        for number in 0..py.detach(|| self.corpus.lock().segments()) {
            py.check_signals()?;
            let done = run(py, self.corpus.threads, || {
                let corpus = self.corpus.lock();
                let within = corpus.within(number);
                let others = &self.places[start..];
                let here = &others[..others.partition_point(|&place| place < within.end)];
                let items: Vec<u32> = here.iter().map(|&place| narrow(place - within.start)).collect();
                // Of a segment without any of the items nothing is read back.
                let segment = if items.is_empty() { Arc::default() } else { corpus.segment(number)? };
                let ends = corpus.ends(number);
                drop(corpus);
                f(Part { number, segment: &segment, items: &items, start, ends });
                start += items.len();
                io::Result::Ok(())
            })?;
            done.map_err(|error| fault(py, error))?;
        }
        Ok(())
    }
}

/// What is to be counted.
struct Wanted<'a> {
    chosen: Selection<'a>,
    members: &'a [u32],
    classes: usize,
    named: bool,
}

/// What was counted, and the generation of each item.
type OfItems = (Found, Vec<u32>);

impl Wanted<'_> {
    fn both<T: Count>(
        &self,
        py: Python<'_>,
        rules: Rules,
        words: Option<Rules>,
        weight: impl Fn(usize) -> T + Sync,
    ) -> PyResult<(OfItems, Option<Found>)> {
        let one = vec![0; self.members.len()];
        let counted = self.count(py, Tally::new(rules, self.classes), self.members, &weight)?;
        let words = words.map(|rules| self.count(py, Tally::new(rules, 1), &one, &weight)).transpose()?;
        // The words of buckets have no items.
        let words = words.map(|(mut found, _)| {
            found.book.items = vec![0.0];
            found
        });
        Ok((counted, words))
    }

    fn count<T: Count>(
        &self,
        py: Python<'_>,
        mut tally: Tally,
        members: &[u32],
        weight: &(impl Fn(usize) -> T + Sync),
    ) -> PyResult<OfItems> {
        let mut generations = Vec::with_capacity(members.len());
        let tokenizer = &self.chosen.reader.tokenizer;
        self.chosen.each(py, |part| {
            let start = part.start;
            let classes = &members[start..start + part.items.len()];
            let chosen = Chosen { items: part.items, classes, weights: &|i| weight(start + i) };
            tally.add(part.number, part.segment, tokenizer, &chosen);
            generations.resize(start + part.items.len(), tally.generation());
            if part.ends {
                tally.bound();
            }
        })?;
        let corpus = self.chosen.corpus;
        let found = run(py, corpus.threads, || tally.finish(&corpus.lock(), self.named))?;
        Ok((found.map_err(|error| fault(py, error))?, generations))
    }
}

/// What the system said of the temporary file, which has no name: the folder that it is in.
fn fault(py: Python<'_>, error: io::Error) -> PyErr {
    os_error(py, ReadError { path: std::env::temp_dir(), error })
}

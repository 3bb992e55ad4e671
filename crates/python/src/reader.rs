//! How items are read.

use deciban_core::intake::digest;
use deciban_core::mail::Limits;
use deciban_core::parallel::each_of;
use deciban_core::text::char_grams::MOST_CHARACTERS;
use deciban_core::text::hash::Key;
use deciban_core::text::reader as core;
use deciban_core::text::token::{MOST_WORDS, Tokenizer, Unit};
use deciban_core::view::View;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::items::{borrow, hold, hold_one};
use super::work::{run, threads};

/// Settings that turn an item into tokens.
#[pyclass(frozen, module = "deciban._core")]
pub struct Reader {
    pub inner: core::Reader,
}

/// The digest of an item; when it came; and its distinct words by ascending expert and hash: hashes (n,) of 64 bits, the
/// expert of each in a byte, names one after the other, and where each ends (n,) in 64 bits.
type WordSet<'py> = (
    Bound<'py, PyBytes>,
    i64,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// Prefix of the field, first byte, one past the last.
type Span = (&'static str, usize, usize);

#[pymethods]
impl Reader {
    /// `kind` "text" or "mail"; n-grams of `words[0]` to `words[1]` units ("word", "char", "char_wb"); `key` of the
    /// hash; words that are passed over; whether characters are lower-cased.
    #[new]
    #[pyo3(signature = (kind, words=(1, 1), key=0, unit="word", stop_words=Vec::new(), lowercase=true))]
    fn new(
        kind: &str,
        words: (usize, usize),
        key: u64,
        unit: &str,
        stop_words: Vec<String>,
        lowercase: bool,
    ) -> PyResult<Reader> {
        let kind = match kind {
            "text" => core::Kind::Text,
            "mail" => core::Kind::Mail,
            other => {
                return Err(PyValueError::new_err(format!(
                    "kind \"text\" or \"mail\" is expected, not {other:?}"
                )));
            }
        };
        let (unit, most) = match unit {
            "word" => (Unit::Words, MOST_WORDS),
            "char" | "char_wb" if kind == core::Kind::Text => {
                (Unit::Characters { of_words: unit == "char_wb", folds: lowercase }, MOST_CHARACTERS)
            }
            other => {
                return Err(PyValueError::new_err(format!(
                    "unit \"word\", or of texts \"char\" or \"char_wb\", is expected, not {other:?}"
                )));
            }
        };
        let (shortest, longest) = words;
        if shortest < 1 || shortest > longest || longest > most {
            return Err(PyValueError::new_err(format!(
                "words=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ {most} is expected, not {words:?}"
            )));
        }
        let tokenizer = Tokenizer { unit, ..Tokenizer::of_words(Key::new(key), shortest, longest) };
        let tokenizer = tokenizer.without(&stop_words);
        Ok(Reader { inner: core::Reader { kind, tokenizer, limits: Limits::default() } })
    }

    /// Bytes of an item that are read; what is longer is cut off there.
    #[getter]
    fn most_bytes(&self) -> usize {
        self.inner.limits.message_bytes
    }

    /// Whether the item is longer than what is read of one.
    fn is_cut(&self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.inner.is_cut(hold_one(item)?.bytes()))
    }

    /// The item's readable text, and what in it carries evidence: (field prefix, start, end) in bytes.
    fn view(&self, item: &Bound<'_, PyAny>) -> PyResult<(String, Vec<Span>)> {
        let item = hold_one(item)?;
        let mut view = View::default();
        self.inner.view(item.bytes(), &mut view);
        let spans = view.spans.iter().map(|span| (span.field.prefix(), span.start, span.end)).collect();
        Ok((view.text, spans))
    }

    /// When each item came, in seconds since 1970; 0 where it does not say.
    fn arrivals<'py>(
        &self,
        py: Python<'py>,
        items: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let arrival = |item: &&[u8]| self.inner.arrival(item).unwrap_or(0);
        let found: Vec<i64> = run(py, threads(None), || each_of(&items, 256, &arrival))?;
        Ok(found.into_pyarray(py))
    }

    /// Each item as a set of words, with its digest and when it came, or 0.
    fn word_sets<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Vec<WordSet<'py>>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let threads = if items.len() == 1 { 1 } else { threads(None) };
        let read = |item: &&[u8]| {
            let arrival = self.inner.arrival(item).unwrap_or(0);
            (digest(self.inner.kind, item), arrival, self.inner.word_set(item))
        };
        let found: Vec<_> = run(py, threads, || each_of(&items, 16, &read))?;
        let bytes = |of: &[u8]| PyBytes::new(py, of);
        let packed = |(digest, arrival, words): ([u8; 16], i64, core::WordSet)| {
            let hashes: Vec<u8> = words.hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
            let ends: Vec<u8> = words.ends.iter().flat_map(|&end| (end as u64).to_le_bytes()).collect();
            let names = words.names.as_bytes();
            let passages: Vec<u8> = words.passages.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            (bytes(&digest), arrival, bytes(&hashes), bytes(&passages), bytes(names), bytes(&ends))
        };
        Ok(found.into_iter().map(packed).collect())
    }

    /// The names of the item's tokens, in order.
    fn tokens(&self, item: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let item = hold_one(item)?;
        let (mut view, mut tokens) = (View::default(), Vec::new());
        let text = self.inner.tokens(item.bytes(), &mut view, &mut tokens);
        let names = tokens.iter().map(|&token| self.inner.tokenizer.name(text, token)).collect();
        Ok(names)
    }

    /// The digest by which the item is known: 16 bytes.
    fn digest<'py>(&self, py: Python<'py>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let item = hold_one(item)?;
        Ok(PyBytes::new(py, &digest(self.inner.kind, item.bytes())))
    }

    /// Those of several items, one after the other.
    fn digests<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let one = |item: &&[u8]| digest(self.inner.kind, item);
        let found: Vec<[u8; 16]> = run(py, threads(None), || each_of(&items, 256, &one))?;
        Ok(PyBytes::new(py, found.as_flattened()))
    }
}

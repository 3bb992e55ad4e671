//! How items are read.

use deciban_core::intake::digest;
use deciban_core::mail::Limits;
use deciban_core::text::char_grams::MOST_CHARACTERS;
use deciban_core::text::hash::Key;
use deciban_core::text::reader as core;
use deciban_core::text::token::{MOST_WORDS, Tokenizer, Unit};
use deciban_core::view::View;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::items::hold_one;

/// Settings that turn an item into tokens.
#[pyclass(frozen, module = "deciban._core")]
pub struct Reader {
    pub inner: core::Reader,
}

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

    /// The item's readable text, and what in it carries evidence: (field prefix, start, end) in bytes.
    fn view(&self, item: &Bound<'_, PyAny>) -> PyResult<(String, Vec<Span>)> {
        let item = hold_one(item)?;
        let mut view = View::default();
        self.inner.view(item.bytes(), &mut view);
        let spans = view.spans.iter().map(|span| (span.field.prefix(), span.start, span.end)).collect();
        Ok((view.text, spans))
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
}

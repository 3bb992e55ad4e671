//! Items as Python hands them over: str or bytes, borrowed for as long as the core reads them.

use deciban_core::source::Batch;
use deciban_core::text::token::MOST_BYTES;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};
use std::sync::Arc;

use super::files::Items;

/// Items at once: they are numbered in 32 bits.
const MOST_ITEMS: usize = u32::MAX as usize;

/// One item, kept alive.
pub enum Held {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
    Owned(Vec<u8>),
    /// The item at this place among those that were read together.
    Read(Arc<Batch>, usize),
}

impl Held {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Held::Str(s) => s.as_bytes(),
            Held::Bytes(b) => b,
            Held::Owned(v) => v,
            Held::Read(batch, place) => batch.item(*place),
        }
    }

    fn new(item: &Bound<'_, PyAny>, position: usize) -> PyResult<Held> {
        let held = Held::any(item, position)?;
        let size = held.bytes().len();
        if size > MOST_BYTES {
            return Err(PyValueError::new_err(format!(
                "texts of at most {MOST_BYTES} bytes are expected; item {position} has {size}"
            )));
        }
        Ok(held)
    }

    fn any(item: &Bound<'_, PyAny>, position: usize) -> PyResult<Held> {
        if let Ok(text) = item.cast::<PyString>() {
            return Ok(match text.to_str() {
                Ok(_) => Held::Str(PyBackedStr::try_from(text.clone())?),
                Err(_) => Held::Owned(text.to_string_lossy().into_owned().into_bytes()), // lone surrogates
            });
        }
        if let Ok(bytes) = item.cast::<PyBytes>() {
            return Ok(Held::Bytes(PyBackedBytes::from(bytes.clone())));
        }
        Err(PyTypeError::new_err(format!(
            "texts are expected, each str or bytes; item {position} is {}",
            item.get_type().name()?
        )))
    }
}

/// All items of an iterable of str or bytes; a single str is refused, as it would be read letter by letter.
pub fn hold(items: &Bound<'_, PyAny>) -> PyResult<Vec<Held>> {
    if items.is_instance_of::<PyString>() || items.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err("an iterable of texts is expected, not one text: put it in a list"));
    }
    if let Ok(items) = items.cast::<Items>() {
        let batch = &items.get().inner;
        return Ok((0..batch.len()).map(|place| Held::Read(batch.clone(), place)).collect());
    }
    let held: Vec<Held> =
        items.try_iter()?.enumerate().map(|(i, item)| Held::new(&item?, i)).collect::<PyResult<_>>()?;
    if held.len() > MOST_ITEMS {
        return Err(PyValueError::new_err(format!(
            "at most {MOST_ITEMS} texts at once are expected, not {}",
            held.len()
        )));
    }
    Ok(held)
}

/// The one item given.
pub fn hold_one(item: &Bound<'_, PyAny>) -> PyResult<Held> {
    Held::new(item, 0)
}

/// The items' bytes.
pub fn borrow(held: &[Held]) -> Vec<&[u8]> {
    held.iter().map(Held::bytes).collect()
}

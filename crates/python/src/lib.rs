//! The Python face of `deciban-core`: convert, check, let go of the interpreter, catch panics, map errors.
mod counter;
mod dictionary;
mod files;
mod items;
mod reader;
mod wordbook;
mod work;

use pyo3::prelude::*;

/// The compiled core.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::counter::Counter;
    #[pymodule_export]
    use super::dictionary::{Dictionary, log_posterior};
    #[pymodule_export]
    use super::files::Files;
    #[pymodule_export]
    use super::reader::Reader;
    #[pymodule_export]
    use super::wordbook::Wordbook;
}

//! The Python face of `deciban-core`.
use pyo3::prelude::*;

#[pymodule]
mod _core {}

//! Items read from files, batch by batch.

use deciban_core::source::{Batches, Input, ReadError};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::path::PathBuf;
use std::sync::Mutex;

use super::work::{run, threads};

/// The number of an error that has none of the system.
const EIO: i32 = 5;

/// An iterator over the items of files: each step gives ([input number, …], [item bytes, …]), about 16 MiB at a time.
#[pyclass(module = "deciban._core")]
pub struct Files {
    inner: Mutex<Batches>,
    threads: usize,
}

#[pymethods]
impl Files {
    /// Reads `paths` in order; those with a true `mboxes` hold many messages. Items longer than `most_bytes` are cut.
    #[new]
    #[pyo3(signature = (paths, mboxes, most_bytes, n_jobs=None))]
    fn new(paths: Vec<PathBuf>, mboxes: Vec<bool>, most_bytes: usize, n_jobs: Option<usize>) -> Files {
        let inputs = paths.into_iter().zip(mboxes).map(|(path, mbox)| Input { path, mbox }).collect();
        Files { inner: Mutex::new(Batches::new(inputs, most_bytes)), threads: threads(n_jobs) }
    }

    /// The numbers of the inputs so far that were gone when it was their turn.
    #[getter]
    fn gone(&self) -> Vec<usize> {
        self.inner.lock().unwrap_or_else(|e| e.into_inner()).gone().to_vec()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<(Vec<usize>, Bound<'py, PyList>)>> {
        let read = run(py, self.threads, || self.inner.lock().unwrap_or_else(|e| e.into_inner()).read())?;
        let items = read.map_err(|e| os_error(py, e))?;
        if items.is_empty() {
            return Ok(None);
        }
        let bytes = PyList::new(py, items.iter().map(|item| PyBytes::new(py, &item.bytes)))?;
        Ok(Some((items.iter().map(|item| item.input).collect(), bytes)))
    }
}

/// OSError(errno, text, path): Python picks PermissionError and its kin by the number.
pub fn os_error(py: Python<'_>, e: ReadError) -> PyErr {
    let code = e.error.raw_os_error();
    let strerror = |code: i32| py.import("os")?.call_method1("strerror", (code,))?.extract::<String>();
    let text = code.and_then(|code| strerror(code).ok()).unwrap_or_else(|| e.error.to_string());
    PyOSError::new_err((code.unwrap_or(EIO), text, e.path))
}

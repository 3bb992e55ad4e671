//! Items read from files, batch by batch.

use deciban_core::source::{BATCH, Batch, Batches, Input, ReadError};
use pyo3::exceptions::{PyIndexError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PySlice};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::work::{run, threads};

/// The number of an error that has none of the system.
const EIO: i32 = 5;

/// An iterator over the items of files: each step gives ([input number, …], items), about `size` bytes at a time.
#[pyclass(module = "deciban._core")]
pub struct Files {
    inner: Mutex<Batches>,
    /// The last two batches, whose memory is used again where nobody holds them any more.
    last: Mutex<Vec<Arc<Batch>>>,
    threads: usize,
}

/// Items that were read together, a sequence of bytes: the core reads them as they lie here, without a copy.
#[pyclass(frozen, sequence, module = "deciban._core")]
pub struct Items {
    pub inner: Arc<Batch>,
}

#[pymethods]
impl Files {
    /// Reads `paths` in order; those with a true `mboxes` hold many messages. Items longer than `most_bytes` are cut.
    #[new]
    #[pyo3(signature = (paths, mboxes, most_bytes, n_jobs=None, size=BATCH))]
    fn new(
        paths: Vec<PathBuf>,
        mboxes: Vec<bool>,
        most_bytes: usize,
        n_jobs: Option<usize>,
        size: usize,
    ) -> Files {
        let inputs = paths.into_iter().zip(mboxes).map(|(path, mbox)| Input { path, mbox }).collect();
        let inner = Mutex::new(Batches::new(inputs, most_bytes, size));
        Files { inner, last: Mutex::default(), threads: threads(n_jobs) }
    }

    /// The numbers of the inputs so far that were gone when it was their turn.
    #[getter]
    fn gone(&self) -> Vec<usize> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).gone().to_vec()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(Vec<usize>, Items)>> {
        let mut batch = self.free();
        let read = run(py, self.threads, || {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).read(&mut batch)
        })?;
        read.map_err(|e| os_error(py, e))?;
        if batch.is_empty() {
            return Ok(None);
        }
        let inner = Arc::new(batch);
        self.last.lock().unwrap_or_else(PoisonError::into_inner).push(inner.clone());
        Ok(Some((inner.inputs.clone(), Items { inner })))
    }
}

impl Files {
    /// A batch that nobody holds any more, or a new one.
    fn free(&self) -> Batch {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let free = last.iter().position(|batch| Arc::strong_count(batch) == 1);
        let batch = free.and_then(|place| Arc::into_inner(last.remove(place)));
        if last.len() > 1 {
            last.remove(0);
        }
        batch.unwrap_or_default()
    }
}

#[pymethods]
impl Items {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// One item, or a list of those of a slice.
    fn __getitem__<'py>(&self, py: Python<'py>, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.inner.len();
        let item = |place: usize| PyBytes::new(py, self.inner.item(place));
        if let Ok(slice) = place.cast::<PySlice>() {
            let within = slice.indices(count.cast_signed())?;
            let place = |k: usize| (within.start + within.step * k.cast_signed()).cast_unsigned();
            let places = (0..within.slicelength).map(place);
            return Ok(PyList::new(py, places.map(item).collect::<Vec<_>>())?.into_any());
        }
        let place: isize = place.extract()?;
        let place = if place < 0 { count.checked_add_signed(place) } else { usize::try_from(place).ok() };
        let place = place.filter(|&place| place < count);
        Ok(item(place.ok_or_else(|| PyIndexError::new_err("a place of an item is expected"))?).into_any())
    }

    /// How many bytes each item has.
    fn sizes(&self) -> Vec<usize> {
        (0..self.inner.len()).map(|i| self.inner.item(i).len()).collect()
    }
}

/// OSError(errno, text, path): Python picks PermissionError and its kin by the number.
pub fn os_error(py: Python<'_>, e: ReadError) -> PyErr {
    let code = e.error.raw_os_error();
    let strerror = |code: i32| py.import("os")?.call_method1("strerror", (code,))?.extract::<String>();
    let text = code.and_then(|code| strerror(code).ok()).unwrap_or_else(|| e.error.to_string());
    PyOSError::new_err((code.unwrap_or(EIO), text, e.path))
}

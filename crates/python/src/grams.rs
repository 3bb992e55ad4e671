//! Words and n-grams as columns, and counts that are weighed.

use deciban_core::rows::Index;
use deciban_core::text::grams as core;
use deciban_core::text::weigh::{self, Norm, Real, Weighing};
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::dictionary::{Csr, written};
use super::items::{borrow, hold};
use super::reader::Reader;
use super::work::{run, threads};

/// The words and n-grams of items, in the order of their names, and the rows of the items.
#[pyclass(module = "deciban._core")]
pub struct Grams {
    inner: core::Grams,
    length: usize,
    threads: usize,
}

/// Hashes of columns (d,), their names one after the other in UTF-8, and where each ends (d,).
type Columns<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u64>>);

#[pymethods]
impl Grams {
    /// Of items (str or bytes); `rows` says whether their rows are wanted.
    #[new]
    #[pyo3(signature = (reader, items, *, rows=true, n_jobs=None))]
    fn new(
        py: Python<'_>,
        reader: &Reader,
        items: &Bound<'_, PyAny>,
        rows: bool,
        n_jobs: Option<usize>,
    ) -> PyResult<Grams> {
        let held = hold(items)?;
        let (items, threads) = (borrow(&held), threads(n_jobs));
        let inner = run(py, threads, || core::Grams::new(&reader.inner, &items, rows))?;
        let inner = inner.ok_or_else(|| {
            PyValueError::new_err("texts of at most 2^29 bytes each, and 2^34 together, are expected")
        })?;
        Ok(Grams { length: inner.len(), inner, threads })
    }

    fn __len__(&self) -> usize {
        self.length
    }

    /// How often each occurs.
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.inner.counts().into_pyarray(py)
    }

    /// In how many items each is.
    fn texts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.inner.texts().into_pyarray(py)
    }

    /// The hash of each.
    fn hashes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.inner.hashes().into_pyarray(py)
    }

    /// Makes columns of those at these places, ascending, or of all; once. Gives the hashes and names of the columns.
    #[pyo3(signature = (kept=None))]
    fn keep<'py>(
        &mut self,
        py: Python<'py>,
        kept: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<Columns<'py>> {
        let kept: Option<Vec<usize>> =
            kept.map(|kept| kept.as_array().iter().map(|&place| place.place()).collect());
        if let Some(kept) = &kept
            && (!kept.windows(2).all(|pair| pair[0] < pair[1])
                || kept.last().is_some_and(|&last| last >= self.length))
        {
            return Err(PyValueError::new_err("places of n-grams in ascending order are expected"));
        }
        let (hashes, names) = run(py, self.threads, || self.inner.keep(kept.as_deref()))?;
        let (text, ends) = names.into_parts();
        let ends: Vec<u64> = ends.into_iter().map(|end| end as u64).collect();
        Ok((hashes.into_pyarray(py), text.into_bytes().into_pyarray(py), ends.into_pyarray(py)))
    }

    /// The rows of the items as a sparse matrix, once, when columns are chosen: (row ends, features, values).
    fn rows<'py>(&mut self, py: Python<'py>, binary: bool) -> PyResult<Csr<'py>> {
        written(py, self.threads, run(py, self.threads, || self.inner.rows(binary))?)
    }
}

const EXPECTED: &str = "the parts of a CSR matrix of float64 or float32 are expected, with indices and indptr both int32 \
                        or both int64, and one weight of its type for each column";

/// Weighs the rows of a CSR matrix in place: by 1 + ln x if `sublinear`, by a weight for each column, and divided by the
/// norm of each row, "l1" or "l2".
#[pyfunction]
#[pyo3(signature = (indptr, indices, data, *, idf=None, sublinear=false, norm=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // one keyword each
pub fn weigh_rows(
    py: Python<'_>,
    indptr: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    idf: Option<&Bound<'_, PyAny>>,
    sublinear: bool,
    norm: Option<&str>,
    n_jobs: Option<usize>,
) -> PyResult<()> {
    let norm = match norm {
        None => Norm::None,
        Some("l1") => Norm::L1,
        Some("l2") => Norm::L2,
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "norm \"l1\", \"l2\" or None expected, not {other:?}"
            )));
        }
    };
    let given = Given { indptr, indices, data, idf, sublinear, norm, threads: threads(n_jobs) };
    let weighed = match (data.cast::<PyArray1<f64>>().is_ok(), indices.cast::<PyArray1<i32>>().is_ok()) {
        (true, true) => given.weigh::<f64, i32>(py)?,
        (true, false) => given.weigh::<f64, i64>(py)?,
        (false, true) => given.weigh::<f32, i32>(py)?,
        (false, false) => given.weigh::<f32, i64>(py)?,
    };
    if weighed { Ok(()) } else { Err(PyValueError::new_err(EXPECTED)) }
}

struct Given<'a, 'py> {
    indptr: &'a Bound<'py, PyAny>,
    indices: &'a Bound<'py, PyAny>,
    data: &'a Bound<'py, PyAny>,
    idf: Option<&'a Bound<'py, PyAny>>,
    sublinear: bool,
    norm: Norm,
    threads: usize,
}

impl Given<'_, '_> {
    fn weigh<V: Real + Element, I: Index + Element>(&self, py: Python<'_>) -> PyResult<bool> {
        let wrong = || PyTypeError::new_err(EXPECTED);
        let [indptr, indices] = [self.indptr, self.indices]
            .map(|part| part.extract::<PyReadonlyArray1<'_, I>>().map_err(|_| wrong()));
        let (indptr, indices) = (indptr?, indices?);
        let mut data = self.data.extract::<PyReadwriteArray1<'_, V>>().map_err(|_| wrong())?;
        let idf = self.idf.map(|idf| idf.extract::<PyReadonlyArray1<'_, V>>().map_err(|_| wrong()));
        let idf = idf.transpose()?;
        let idf = idf.as_ref().map(|idf| idf.as_slice()).transpose().map_err(|_| wrong())?;
        let (starts, columns) =
            (indptr.as_slice().map_err(|_| wrong())?, indices.as_slice().map_err(|_| wrong())?);
        let values = data.as_slice_mut().map_err(|_| wrong())?;
        let how = Weighing { idf, sublinear: self.sublinear, norm: self.norm };
        run(py, self.threads, || weigh::weigh(starts, columns, values, how))
    }
}

/// In how many rows each of so many columns of a CSR matrix, which holds each once a row, is not 0.
#[pyfunction]
pub fn rows_with<'py>(
    py: Python<'py>,
    indices: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    columns: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let counted = match (data.cast::<PyArray1<f64>>().is_ok(), indices.cast::<PyArray1<i32>>().is_ok()) {
        (true, true) => count::<f64, i32>(py, indices, data, columns)?,
        (true, false) => count::<f64, i64>(py, indices, data, columns)?,
        (false, true) => count::<f32, i32>(py, indices, data, columns)?,
        (false, false) => count::<f32, i64>(py, indices, data, columns)?,
    };
    counted.map(|counted| counted.into_pyarray(py)).ok_or_else(|| PyValueError::new_err(EXPECTED))
}

fn count<V: Real + Element, I: Index + Element>(
    py: Python<'_>,
    indices: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    columns: usize,
) -> PyResult<Option<Vec<f64>>> {
    let wrong = || PyTypeError::new_err(EXPECTED);
    let indices = indices.extract::<PyReadonlyArray1<'_, I>>().map_err(|_| wrong())?;
    let data = data.extract::<PyReadonlyArray1<'_, V>>().map_err(|_| wrong())?;
    let (places, values) = (indices.as_slice().map_err(|_| wrong())?, data.as_slice().map_err(|_| wrong())?);
    run(py, 1, || weigh::present(places, values, columns))
}

//! The statistics of labelled text, as arrays.

use deciban_core::rows::Index;
use deciban_core::text::names::Names;
use deciban_core::text::wordbook::{self as core, Fault};
use deciban_core::view::Field;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use super::work::{run, threads};

/// How often each word was seen in each class. Wordbooks add and subtract.
#[pyclass(frozen, module = "deciban._core")]
pub struct Wordbook {
    pub inner: core::Wordbook,
}

type Parts<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyBytes>,
    Bound<'py, PyArray1<u64>>,
);

fn fault(fault: Fault) -> PyErr {
    PyValueError::new_err(match fault {
        Fault::Shape(what) => format!("parts of a wordbook do not belong together: {what}"),
        Fault::Negative(name) if name.is_empty() => {
            "more items are to be forgotten than were learnt".to_string()
        }
        Fault::Negative(name) => format!("{name:?} is to be forgotten more often than it was learnt"),
    })
}

#[pymethods]
impl Wordbook {
    /// From `hashes` (V,), `counts` (V, C), `items` (C,), and the names: one after the other in UTF-8, and where each ends.
    #[new]
    fn new(
        hashes: PyReadonlyArray1<'_, u64>,
        counts: PyReadonlyArray2<'_, f64>,
        items: PyReadonlyArray1<'_, f64>,
        names: Vec<u8>,
        ends: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Wordbook> {
        let text =
            String::from_utf8(names).map_err(|_| fault(Fault::Shape("names in UTF-8 are expected")))?;
        let ends = ends.as_array().iter().map(|&end| usize::try_from(end).unwrap_or(usize::MAX)).collect();
        let names = Names::from_parts(text, ends)
            .ok_or_else(|| fault(Fault::Shape("ends that fit the names are expected")))?;
        let book = core::Wordbook {
            classes: items.as_array().len(),
            hashes: hashes.as_array().to_vec(),
            counts: counts.as_array().iter().copied().collect(),
            items: items.as_array().to_vec(),
            names,
        };
        Ok(Wordbook { inner: book.checked().map_err(fault)? })
    }

    /// (hashes, counts, items, names, ends) as in the constructor.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let (names, ends) = self.inner.names.parts();
        let shape = [self.inner.hashes.len(), self.inner.classes];
        Ok((
            self.inner.hashes.clone().into_pyarray(py),
            self.inner.counts.clone().into_pyarray(py).reshape(shape)?,
            self.inner.items.clone().into_pyarray(py),
            PyBytes::new(py, names.as_bytes()),
            ends.iter().map(|&end| end as u64).collect::<Vec<_>>().into_pyarray(py),
        ))
    }

    /// For pickle and copy: the constructor and its parts.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Parts<'py>)> {
        Ok((py.get_type::<Wordbook>(), self.parts(py)?))
    }

    fn __len__(&self) -> usize {
        self.inner.hashes.len()
    }

    fn __eq__(&self, other: &Wordbook) -> bool {
        self.inner == other.inner
    }

    /// Hashes of the words, ascending.
    #[getter]
    fn hashes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.inner.hashes.clone().into_pyarray(py)
    }

    /// Only the words in these rows, ascending, of so many items of each class.
    fn take(
        &self,
        py: Python<'_>,
        rows: PyReadonlyArray1<'_, i64>,
        items: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Wordbook> {
        let rows = self.places(&rows)?;
        let items = items.as_array().to_vec();
        let inner = py.detach(|| self.inner.take(&rows, items));
        Ok(Wordbook { inner: inner.map_err(fault)? })
    }

    /// Both together.
    fn plus(&self, py: Python<'_>, other: &Wordbook) -> PyResult<Wordbook> {
        let sum = py.detach(|| self.inner.plus(&other.inner));
        Ok(Wordbook { inner: sum.map_err(fault)? })
    }

    /// This one without `other`; ValueError where that has more.
    fn minus(&self, py: Python<'_>, other: &Wordbook) -> PyResult<Wordbook> {
        let difference = py.detach(|| self.inner.minus(&other.inner));
        Ok(Wordbook { inner: difference.map_err(fault)? })
    }

    /// Items (or their weight) per class.
    #[getter]
    fn items(&self) -> Vec<f64> {
        self.inner.items.clone()
    }

    /// Rows of the k words seen most often over all classes, ascending.
    fn most_frequent<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyArray1<isize>>> {
        let rows = run(py, threads(None), || self.inner.most_frequent(k))?;
        Ok(rows.into_iter().map(usize::cast_signed).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Which of the two experts of a message hears each word: 0 what it says, 1 how it came.
    fn experts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let names = &self.inner.names;
        let expert = |word| Field::of_name(names.get(word)).expert();
        let experts: Vec<u8> = py.detach(|| (0..self.inner.hashes.len()).map(expert).collect());
        experts.into_pyarray(py)
    }

    /// Names of the given rows.
    fn names(&self, rows: Vec<usize>) -> Vec<String> {
        rows.into_iter().map(|i| self.inner.names.get(i).to_string()).collect()
    }

    /// Names of the given rows one after the other in UTF-8, and where each ends.
    fn packed_names<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyArray1<u64>>)> {
        let mut packed = Names::default();
        self.places(&rows)?.into_iter().for_each(|i| packed.push(self.inner.names.get(i)));
        let (text, ends) = packed.parts();
        let ends: Vec<u64> = ends.iter().map(|&end| end as u64).collect();
        Ok((PyBytes::new(py, text.as_bytes()), ends.into_pyarray(py)))
    }

    /// (hashes, counts) of the given rows, each smaller than `len(self)`.
    #[allow(clippy::type_complexity)] // said in the line above
    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyArray2<f64>>)> {
        let rows = self.places(&rows)?;
        let hashes: Vec<u64> = rows.iter().map(|&i| self.inner.hashes[i]).collect();
        let counts: Vec<f64> = rows.iter().flat_map(|&i| self.inner.row(i)).copied().collect();
        Ok((hashes.into_pyarray(py), counts.into_pyarray(py).reshape([rows.len(), self.inner.classes])?))
    }
}

impl Wordbook {
    /// Rows that there are.
    fn places(&self, rows: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
        let n = self.inner.hashes.len();
        let places: Vec<usize> = rows.as_array().iter().map(|i| i.place()).collect();
        if places.iter().any(|&i| i >= n) {
            return Err(PyValueError::new_err(format!("rows from 0 to below {n} are expected")));
        }
        Ok(places)
    }
}

//! Matrices as Python hands them over, borrowed for as long as the core reads them.

use deciban_core::learn::labels::Labels;
use deciban_core::learn::support::Outside;
use deciban_core::rows::{Index, Rows, Value};
use numpy::{
    Element, IntoPyArray, PyArray, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2,
};
use numpy::{PyUntypedArrayMethods, ndarray::Dimension};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::work::{run, threads_for};

pyo3::create_exception!(
    deciban._core,
    OutsideSupport,
    PyValueError,
    "A value that the distribution cannot have: (row, column, value)."
);

/// Why the core did not count.
pub enum Refusal {
    /// What was expected, in a sentence.
    Wrong(String),
    /// The first value outside the support.
    Outside(Outside),
}

impl From<String> for Refusal {
    fn from(sentence: String) -> Refusal {
        Refusal::Wrong(sentence)
    }
}

impl From<Outside> for Refusal {
    fn from(outside: Outside) -> Refusal {
        Refusal::Outside(outside)
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> PyErr {
        match refusal {
            Refusal::Wrong(sentence) => PyValueError::new_err(sentence),
            Refusal::Outside(Outside { row, column, value }) => OutsideSupport::new_err((row, column, value)),
        }
    }
}

/// What is to be done with rows of any type.
pub trait Kernel: Send {
    type Output: Send;

    /// How many rows or columns each value of X is worked with, about.
    fn cost(&self) -> usize {
        1
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal>;
}

const EXPECTED: &str = "X of float64, float32, int64, uint8 or bool is expected, as a 2-D array in C order or as \
                        (data, indices, indptr, columns) with indices and indptr both int32, or both int64 for float64";

const EXPECTED_REALS: &str = "X of float64 or float32 is expected, as a 2-D array in C order or as (data, indices, indptr, \
                              columns) with indices and indptr both int32, or both int64 for float64";

/// Runs a kernel on X of the types listed, a 2-D array or the parts of a CSR matrix, detached from the interpreter.
/// Every pair of types is compiled for every kernel: 64-bit indices go with doubles only.
macro_rules! on_types {
    ($py:expr, $x:expr, $n_jobs:expr, $kernel:expr, $expected:expr, $($value:ty)*) => {{
        let (py, x, kernel, n_jobs) = ($py, $x, $kernel, $n_jobs);
        if let Ok(parts) = x.cast::<PyTuple>() {
            let (data, indices, indptr, columns) = parts
                .extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, usize)>()
                .map_err(|_| PyTypeError::new_err($expected))?;
            let data = whole_bytes::<numpy::Ix1>(&data)?;
            $(if let Ok(data) = data.extract::<PyReadonlyArray1<'_, $value>>() {
                let data = slice(&data, "data")?;
                if let Some((indices, indptr)) = both::<i32>(&indices, &indptr) {
                    let (indices, indptr) = (slice(&indices, "indices")?, slice(&indptr, "indptr")?);
                    return sparse(py, threads_for(n_jobs, work(data.len(), &kernel)), data, indices, indptr, columns, kernel);
                }
            })*
            if let Ok(data) = data.extract::<PyReadonlyArray1<'_, f64>>()
                && let Some((indices, indptr)) = both::<i64>(&indices, &indptr)
            {
                let (indices, indptr) = (slice(&indices, "indices")?, slice(&indptr, "indptr")?);
                let data = slice(&data, "data")?;
                return sparse(py, threads_for(n_jobs, work(data.len(), &kernel)), data, indices, indptr, columns, kernel);
            }
            return Err(PyTypeError::new_err($expected));
        }
        let x = whole_bytes::<numpy::Ix2>(x)?;
        $(if let Ok(x) = x.extract::<PyReadonlyArray2<'_, $value>>() {
            let (values, [count, columns]) = (slice(&x, "X")?, x.dims().into_pattern().into());
            let rows = || Rows::<_, i32>::dense(values, count, columns);
            let threads = threads_for(n_jobs, work(values.len(), &kernel));
            return Ok(run(py, threads, || kernel.call(&rows()?))??);
        })*
        Err(PyTypeError::new_err($expected))
    }};
}

/// Runs the kernel on X of any type that is counted.
pub fn on_rows<K: Kernel>(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    n_jobs: Option<usize>,
    kernel: K,
) -> PyResult<K::Output> {
    on_types!(py, x, n_jobs, kernel, EXPECTED, f64 f32 i64 u8)
}

/// Runs the kernel on X of real numbers, which are all that solvers take.
pub fn on_reals<K: Kernel>(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    n_jobs: Option<usize>,
    kernel: K,
) -> PyResult<K::Output> {
    on_types!(py, x, n_jobs, kernel, EXPECTED_REALS, f64 f32)
}

fn sparse<V: Value, I: Index, K: Kernel>(
    py: Python<'_>,
    threads: usize,
    data: &[V],
    indices: &[I],
    indptr: &[I],
    columns: usize,
    kernel: K,
) -> PyResult<K::Output> {
    Ok(run(py, threads, || kernel.call(&Rows::sparse(data, indices, indptr, columns)?))??)
}

fn work<K: Kernel>(values: usize, kernel: &K) -> usize {
    values.saturating_mul(kernel.cost().max(1))
}

/// How many columns X has, as far as can be seen before it is read.
pub fn columns(x: &Bound<'_, PyAny>) -> PyResult<usize> {
    match x.cast::<PyTuple>() {
        Ok(parts) => parts.get_item(3)?.extract(),
        Err(_) => x.getattr("shape")?.get_item(1)?.extract(),
    }
    .map_err(|_: PyErr| PyTypeError::new_err(EXPECTED))
}

/// Truth values are read as bytes.
fn whole_bytes<'py, D: Dimension>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match array.cast::<PyArray<bool, D>>() {
        Ok(truths) => truths.call_method1("view", ("uint8",)),
        Err(_) => Ok(array.clone()),
    }
}

type Borrowed<'py, T> = PyReadonlyArray1<'py, T>;

fn both<'py, T: Element>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> Option<(Borrowed<'py, T>, Borrowed<'py, T>)> {
    Some((a.extract().ok()?, b.extract().ok()?))
}

/// The numbers of an array in C order, in place.
pub fn slice<'a, T: Element, D: Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
    name: &str,
) -> PyResult<&'a [T]> {
    let refused = || {
        PyValueError::new_err(format!("{name} in C order is expected: numpy.ascontiguousarray makes it so"))
    };
    if !array.is_c_contiguous() {
        return Err(refused());
    }
    array.as_slice().map_err(|_| refused())
}

/// Numbers from 0 to below `end`; None if one is not.
pub fn numbers(array: &PyReadonlyArray1<'_, i64>, end: usize) -> Option<Vec<u32>> {
    let below = |&number: &i64| u32::try_from(number).ok().filter(|_| number.place() < end);
    array.as_array().iter().map(below).collect()
}

/// Labels and weights, before the rows are known.
pub struct Labelled<'a> {
    y: &'a [i64],
    weight: Option<&'a [f64]>,
    classes: usize,
}

impl<'a> Labelled<'a> {
    pub fn new(
        y: &'a PyReadonlyArray1<'_, i64>,
        weight: Option<&'a PyReadonlyArray1<'_, f64>>,
        classes: usize,
    ) -> PyResult<Self> {
        let weight = weight.map(|weight| slice(weight, "weight")).transpose()?;
        Ok(Labelled { y: slice(y, "y")?, weight, classes })
    }

    /// That tables of `width` numbers a class fit into memory.
    pub fn fits(&self, width: usize) -> Result<(), Refusal> {
        let fits = |numbers| Vec::<f64>::new().try_reserve_exact(numbers).is_ok();
        if !self.classes.checked_mul(width).is_some_and(fits) {
            let classes = self.classes;
            return Err(
                format!("a table of {classes} classes × {width} numbers does not fit into memory").into()
            );
        }
        Ok(())
    }

    /// Checked against the rows; `width` numbers a class must fit into memory.
    pub fn labels(&self, count: usize, width: usize) -> Result<Labels<'a>, Refusal> {
        self.fits(width)?;
        Ok(Labels::new(self.y, self.weight, self.classes, count)?)
    }
}

/// A table of some shape.
pub fn table<'py, D: Dimension>(
    py: Python<'py>,
    numbers: Vec<f64>,
    shape: impl numpy::ndarray::IntoDimension<Dim = D>,
) -> PyResult<Bound<'py, PyArray<f64, D>>> {
    numbers.into_pyarray(py).reshape(shape)
}

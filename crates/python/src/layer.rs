//! The first layer of networks over sparse rows, in arrays of NumPy.

use deciban_core::layer::{Picked, Real, sparse};
use deciban_core::rows::Index;
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::work::{run, threads};

type Whole<'py> = PyReadonlyArray1<'py, i32>;
type Places<'py> = PyReadonlyArray1<'py, i64>;

/// A CSR whose values are of either type.
#[derive(FromPyObject)]
pub enum Values<'py> {
    Single(PyReadonlyArray1<'py, f32>),
    Double(PyReadonlyArray1<'py, f64>),
}

/// The same of a table.
#[derive(FromPyObject)]
pub enum Table<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
}

fn picked<'a, T: Element>(
    data: &'a PyReadonlyArray1<'_, T>,
    indices: &'a Whole<'_>,
    ends: &'a Whole<'_>,
    places: &'a Places<'_>,
) -> PyResult<Picked<'a, T>> {
    let (data, indices, ends, places) =
        (data.as_slice()?, indices.as_slice()?, ends.as_slice()?, places.as_slice()?);
    let rows = ends.len().saturating_sub(1);
    let whole = |&i: &i64| {
        let i = i.place();
        i < rows && ends[i].place() <= ends[i + 1].place() && ends[i + 1].place() <= data.len()
    };
    if data.len() != indices.len() || !places.iter().all(whole) {
        return Err(PyValueError::new_err(format!("a CSR and places among its {rows} rows are expected")));
    }
    Ok(Picked { data, indices, ends, places })
}

fn in_order<T: Element>(table: &PyReadonlyArray2<'_, T>) -> PyResult<()> {
    if table.is_c_contiguous() {
        Ok(())
    } else {
        Err(PyValueError::new_err("a table in C order is expected"))
    }
}

fn forward<'py, T: Element + Real>(
    py: Python<'py>,
    rows: &Picked<'_, T>,
    w: &PyReadonlyArray2<'py, T>,
) -> PyResult<Bound<'py, PyAny>> {
    let units = w.shape()[1];
    in_order(w)?;
    let made = PyArray2::<T>::zeros(py, [rows.count(), units], false);
    let mut held = made.readwrite();
    let (w, s) = (w.as_slice()?, held.as_slice_mut()?);
    run(py, threads(None), || rows.forward(w, units, s))?;
    drop(held);
    Ok(made.into_any())
}

fn backward<'py, T: Element + Real>(
    py: Python<'py>,
    rows: &Picked<'_, T>,
    delta: &PyReadonlyArray2<'py, T>,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let units = delta.shape()[1];
    if delta.shape()[0] != rows.count() {
        return Err(PyValueError::new_err(format!(
            "a line of delta for each of {} rows is expected",
            rows.count()
        )));
    }
    in_order(delta)?;
    let made = PyArray2::<T>::zeros(py, [columns, units], false);
    let mut held = made.readwrite();
    let (delta, g) = (delta.as_slice()?, held.as_slice_mut()?);
    run(py, threads(None), || rows.backward(delta, units, g))?;
    drop(held);
    Ok(made.into_any())
}

fn types() -> PyErr {
    PyTypeError::new_err("values and weights of one type, float32 or float64, are expected")
}

/// X·w, (n, units), of the rows of a CSR at the given places; its indices ascend in every row.
#[pyfunction]
pub fn rows_times<'py>(
    py: Python<'py>,
    data: Values<'py>,
    indices: Whole<'py>,
    ends: Whole<'py>,
    places: Places<'py>,
    w: Table<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    match (&data, &w) {
        (Values::Single(data), Table::Single(w)) => forward(py, &picked(data, &indices, &ends, &places)?, w),
        (Values::Double(data), Table::Double(w)) => forward(py, &picked(data, &indices, &ends, &places)?, w),
        _ => Err(types()),
    }
}

/// Xᵀ·delta, (columns, units), of the same rows.
#[pyfunction]
pub fn rows_turned_times<'py>(
    py: Python<'py>,
    data: Values<'py>,
    indices: Whole<'py>,
    ends: Whole<'py>,
    places: Places<'py>,
    delta: Table<'py>,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    match (&data, &delta) {
        (Values::Single(data), Table::Single(delta)) => {
            backward(py, &picked(data, &indices, &ends, &places)?, delta, columns)
        }
        (Values::Double(data), Table::Double(delta)) => {
            backward(py, &picked(data, &indices, &ends, &places)?, delta, columns)
        }
        _ => Err(types()),
    }
}

type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>);

fn parts<'py, T: Element + Real>(
    py: Python<'py>,
    table: &PyReadonlyArray2<'py, T>,
    most: usize,
) -> PyResult<Option<Parts<'py>>> {
    in_order(table)?;
    let (columns, table) = (table.shape()[1], table.as_slice()?);
    let found = run(py, threads(None), || sparse(table, columns, most))?;
    Ok(found.map(|(data, indices, ends)| {
        (data.into_pyarray(py).into_any(), indices.into_pyarray(py), ends.into_pyarray(py))
    }))
}

/// (data, indices, ends) of a CSR of what a table has besides zeros; None where that is more than `most` values.
#[pyfunction]
pub fn nonzeros<'py>(py: Python<'py>, table: Table<'py>, most: usize) -> PyResult<Option<Parts<'py>>> {
    match &table {
        Table::Single(table) => parts(py, table, most),
        Table::Double(table) => parts(py, table, most),
    }
}

//! Sums that are known to the last bit, as arrays of parts.

use deciban_core::learn::central::{self, Parts};
use deciban_core::learn::exact;
use deciban_core::learn::outer;
use deciban_core::learn::powers::{self, Dense};
use deciban_core::rows::{Index, Rows, Value};
use numpy::{PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::{Kernel, Labelled, Refusal, on_rows, slice, table};
use super::work::{run, threads, threads_for};

type Flat<'py> = Bound<'py, PyArray2<f64>>;
type In<'py> = PyReadonlyArray2<'py, f64>;

/// L of parts (L, size); 2 where there are no places.
pub fn length(parts: &[f64], size: usize) -> usize {
    parts.len().checked_div(size).unwrap_or(2)
}

fn flat<'py>(py: Python<'py>, parts: Vec<f64>, size: usize) -> PyResult<Flat<'py>> {
    let shape = [length(&parts, size), size];
    table(py, parts, shape)
}

fn parts<'a>(array: &'a In<'_>) -> PyResult<Parts<'a>> {
    Ok(Parts::new(slice(array, "parts")?, array.shape()[1]))
}

/// Σ of sums in parts, each (L, size), those after the first `plus` subtracted: (L, size) in parts.
#[pyfunction]
pub fn total_of_parts<'py>(py: Python<'py>, terms: Vec<In<'py>>, plus: usize) -> PyResult<Flat<'py>> {
    let size = terms.first().map_or(0, |term| term.shape()[1]);
    if terms.iter().any(|term| term.shape()[1] != size) {
        return Err(PyValueError::new_err("sums of the same places are expected"));
    }
    let slices: Vec<&[f64]> = terms.iter().map(|term| slice(term, "parts")).collect::<PyResult<_>>()?;
    let work = slices.iter().map(|slice| slice.len()).sum();
    let found = run(py, threads_for(None, work), || exact::total(&slices, plus, size))?;
    flat(py, found, size)
}

struct ClassProducts<'a> {
    labelled: Labelled<'a>,
    pooled: bool,
}

impl Kernel for ClassProducts<'_> {
    type Output = (Vec<f64>, usize);

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let labels = self.labelled.labels(rows.count(), rows.columns())?;
        Ok((outer::class_products(rows, &labels, self.pooled)?, rows.columns()))
    }
}

/// Σ w x xᵀ of the rows of X (N, d), dense or CSR with each place stored once: (L, C·d·d) in parts, or (L, d·d) of all
/// classes together.
#[pyfunction]
#[allow(non_snake_case)] // X is the field's own name
pub fn class_products<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    classes: usize,
    pooled: bool,
) -> PyResult<Flat<'py>> {
    let labelled = Labelled::new(&y, weight.as_ref(), classes)?;
    let (found, d) = on_rows(py, X, None, ClassProducts { labelled, pooled })?;
    flat(py, found, if pooled { 1 } else { classes } * d * d)
}

/// Of `norms` Σ w ‖x‖² x (L, C·d) and Σ w ‖x‖⁴ (L, C), else Σ w x³ and Σ w x⁴, both (L, C·d); all in parts.
#[pyfunction]
#[allow(non_snake_case)] // X is the field's own name
pub fn class_powers<'py>(
    py: Python<'py>,
    X: In<'py>,
    y: PyReadonlyArray1<'py, i64>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    classes: usize,
    norms: bool,
) -> PyResult<(Flat<'py>, Flat<'py>)> {
    let columns = X.shape()[1];
    let rows = Dense { values: slice(&X, "X")?, columns };
    let labels = Labelled::new(&y, weight.as_ref(), classes)?.labels(X.shape()[0], columns)?;
    let [third, fourth] = run(py, threads(None), || match norms {
        true => powers::norms(rows, &labels),
        false => powers::third_and_fourth(rows, &labels),
    })?;
    Ok((
        flat(py, third, classes * columns)?,
        flat(py, fourth, if norms { classes } else { classes * columns })?,
    ))
}

/// (size,) Σ w (x − mean)² from Σ w, Σ w x and Σ w x², each (L, size) in parts.
#[pyfunction]
pub fn central_squares<'py>(
    py: Python<'py>,
    n: In<'py>,
    s: In<'py>,
    q: In<'py>,
) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
    let size = n.shape()[1];
    let (n, s, q) = (parts(&n)?, parts(&s)?, parts(&q)?);
    let found = run(py, threads_for(None, 16 * size), || central::squares(n, s, q))?;
    table(py, found, [size])
}

/// (G, d, d) Σ w (x − mean)(x − mean)ᵀ from Σ w (L, C), Σ w x (L, C·d) and Σ w x xᵀ (L, G·d·d) in parts, G = C or 1.
#[pyfunction]
pub fn central_products<'py>(
    py: Python<'py>,
    n: In<'py>,
    s: In<'py>,
    q: In<'py>,
    d: usize,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let groups = q.shape()[1] / (d * d).max(1);
    if s.shape()[1] != n.shape()[1] * d || (groups != 1 && groups != n.shape()[1]) {
        return Err(PyValueError::new_err("sums of the same classes and features are expected"));
    }
    let (n, s, q) = (parts(&n)?, parts(&s)?, parts(&q)?);
    let found = run(py, threads_for(None, 16 * groups * d * d), || central::products(n, s, q, d))?;
    table(py, found, [groups, d, d])
}

/// (C·d,) Σ w (x − mean)⁴ from n (L, C) and the sums of four powers (L, C·d), in parts.
#[pyfunction]
pub fn central_fourths<'py>(
    py: Python<'py>,
    n: In<'py>,
    powers: [In<'py>; 4],
) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
    let [a, b, c, d] = &powers;
    let (n, powers) = (parts(&n)?, [parts(a)?, parts(b)?, parts(c)?, parts(d)?]);
    let found = run(py, threads(None), || central::fourths(n, powers))?;
    let size = found.len();
    table(py, found, [size])
}

/// (C,) Σ w ‖x − mean‖⁴ from n (L, C), Σ w x, Σ w x xᵀ, Σ w ‖x‖² x and Σ w ‖x‖⁴, in parts.
#[pyfunction]
pub fn central_norms<'py>(
    py: Python<'py>,
    n: In<'py>,
    s: In<'py>,
    q: In<'py>,
    third: In<'py>,
    fourth: In<'py>,
) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
    let size = n.shape()[1];
    let (n, s, q, third, fourth) = (parts(&n)?, parts(&s)?, parts(&q)?, parts(&third)?, parts(&fourth)?);
    let found = run(py, threads(None), || central::fourth_norms(n, s, q, third, fourth))?;
    table(py, found, [size])
}

//! A pass of the multi-class machine of Crammer & Singer, whose state Python keeps.

use deciban_core::narrow::narrow;
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::Order;
use deciban_core::solve::crammer_singer::{Plan, State, pass};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, slice};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Given<'py> = PyReadonlyArray1<'py, f64>;

struct Passes<'a> {
    y: &'a [i64],
    weight: &'a [f64],
    strength: f64,
    constant: f64,
    seed: u64,
    parts: [Vec<f64>; 4],
}

impl Kernel for Passes<'_> {
    type Output = ([Vec<f64>; 4], f64, f64);

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let Passes { y, weight, strength, constant, seed, parts: [mut w, mut b, mut a, mut residual] } = self;
        let (n, k, d) = (rows.count(), b.len(), rows.columns());
        let known = y.iter().all(|y| y.place() < k);
        if y.len() != n
            || weight.len() != n
            || w.len() != k * d
            || a.len() != n * k
            || residual.len() != k
            || !known
        {
            return Err(
                format!("y and c of {n}, w of {k} x {d} and a of {n} x {k} numbers are expected").into()
            );
        }
        let mut places: Vec<u32> = (0..narrow(n)).filter(|&i| weight[i as usize] > 0.0).collect();
        Order::new(seed).shuffle(&mut places);
        let plan = Plan { rows, y, weight, strength, constant, classes: k };
        let mut state = State { w: &mut w, b: &mut b, a: &mut a, residual: &mut residual };
        let (loss, gap) = pass(&plan, &mut state, &places);
        Ok(([w, b, a, residual], loss, gap))
    }
}

/// One pass from W (K·d,), b (K,), a (N·K,) and Σ c a (K,): these anew, and Σ c ℓ and Σ c (ℓ + ℓ* + a·s) on the way.
#[pyfunction]
#[pyo3(signature = (X, y, c, w, b, a, residual, *, strength, constant, seed, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn crammer_singer<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    c: Given<'py>,
    w: Given<'py>,
    b: Given<'py>,
    a: Given<'py>,
    residual: Given<'py>,
    strength: f64,
    constant: f64,
    seed: u64,
    n_jobs: Option<usize>,
) -> PyResult<([Numbers<'py>; 4], f64, f64)> {
    let parts = [
        slice(&w, "w")?.to_vec(),
        slice(&b, "b")?.to_vec(),
        slice(&a, "a")?.to_vec(),
        slice(&residual, "residual")?.to_vec(),
    ];
    let passes = Passes { y: slice(&y, "y")?, weight: slice(&c, "c")?, strength, constant, seed, parts };
    let (parts, loss, gap) = on_reals(py, X, n_jobs, passes)?;
    Ok((parts.map(|part| part.into_pyarray(py)), loss, gap))
}

//! Losses and penalties place by place, and their sums over all examples.

use deciban_core::loss::shift::best_shift;
use deciban_core::loss::sums::Scored;
use deciban_core::loss::{
    Absolute, EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Squared, SquaredEpsilonInsensitive,
    SquaredHinge, ZeroOne,
};
use deciban_core::penalty::Penalty;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::slice;
use super::solving::with_loss;
use super::work::{run, threads_for};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Given<'py> = PyReadonlyArray1<'py, f64>;

/// Runs the body with `$loss` any loss of the catalogue.
macro_rules! any_loss {
    ($name:expr, $delta:expr, $loss:ident => $body:expr) => {
        with_loss!($name, $loss => $body,
            "zero_one": ZeroOne, "perceptron": Hinge { margin: 0.0 }, "hinge": Hinge { margin: 1.0 },
            "squared_hinge": SquaredHinge, "logistic": Logistic, "squared": Squared, "absolute": Absolute,
            "huber": Huber { delta: $delta },
            "epsilon_insensitive": EpsilonInsensitive { epsilon: $delta },
            "squared_epsilon_insensitive": SquaredEpsilonInsensitive { epsilon: $delta })
    };
}

/// (value, slope, curvature, conjugate) of a loss at (y, s), and its conjugate at (y, u), place by place.
#[pyfunction]
#[pyo3(signature = (loss, y, s, u, *, delta=1.0))]
pub fn loss_table<'py>(
    py: Python<'py>,
    loss: &str,
    y: Given<'py>,
    s: Given<'py>,
    u: Given<'py>,
    delta: f64,
) -> PyResult<[Numbers<'py>; 4]> {
    let (y, s, u) = (slice(&y, "y")?, slice(&s, "s")?, slice(&u, "u")?);
    fn columns<L: Loss>(loss: L, y: &[f64], s: &[f64], u: &[f64]) -> [Vec<f64>; 4] {
        let each = |f: &dyn Fn(f64, f64) -> f64, x: &[f64]| y.iter().zip(x).map(|(&y, &x)| f(y, x)).collect();
        [
            each(&|y, s| loss.value(y, s), s),
            each(&|y, s| loss.slope(y, s), s),
            each(&|y, s| loss.curvature(y, s), s),
            each(&|y, u| loss.conjugate(y, u), u),
        ]
    }
    let columns = any_loss!(loss, delta, loss => columns(loss, y, s, u));
    Ok(columns.map(|column| column.into_pyarray(py)))
}

/// Ω(w), Ω*(v) of no |v_j| beyond λ₁ where λ₂ = 0, and prox(v, t) place by place, for Ω = λ₁‖w‖₁ + ½λ₂‖w‖².
#[pyfunction]
#[pyo3(signature = (w, v, t, *, l1, l2, nonnegative=false))]
pub fn penalty_table<'py>(
    py: Python<'py>,
    w: Given<'py>,
    v: Given<'py>,
    t: f64,
    l1: f64,
    l2: f64,
    nonnegative: bool,
) -> PyResult<(f64, f64, Numbers<'py>)> {
    let (penalty, w, v) = (Penalty { l1, l2, nonnegative }, slice(&w, "w")?, slice(&v, "v")?);
    let prox: Vec<f64> = v.iter().map(|&v| penalty.prox(v, t)).collect();
    Ok((penalty.value(w), penalty.conjugate(v), prox.into_pyarray(py)))
}

fn scored<'a>(y: &'a Given<'_>, c: &'a Given<'_>, s: &'a Given<'_>) -> PyResult<Scored<'a>> {
    let scored = Scored { y: slice(y, "y")?, c: slice(c, "c")?, s: slice(s, "s")? };
    if scored.y.len() == scored.c.len() && scored.c.len() == scored.s.len() {
        return Ok(scored);
    }
    Err(PyValueError::new_err("y, c and s of one number an example are expected"))
}

/// (Σ c ℓ(y, s), a = −∂ℓ/∂s, h = c ∂²ℓ/∂s²).
#[pyfunction]
#[pyo3(signature = (loss, y, c, s, *, delta=1.0, n_jobs=None))]
pub fn loss_look<'py>(
    py: Python<'py>,
    loss: &str,
    y: Given<'py>,
    c: Given<'py>,
    s: Given<'py>,
    delta: f64,
    n_jobs: Option<usize>,
) -> PyResult<(f64, Numbers<'py>, Numbers<'py>)> {
    let all = scored(&y, &c, &s)?;
    let (mut a, mut h) = (vec![0.0; all.y.len()], vec![0.0; all.y.len()]);
    let sum = any_loss!(loss, delta, loss => run(py, threads_for(n_jobs, all.y.len()), || all.look(loss, &mut a, &mut h))?);
    Ok((sum, a.into_pyarray(py), h.into_pyarray(py)))
}

/// (Σ c ℓ'(y, s + t·d)·d, Σ c ℓ''(y, s + t·d)·d²), d ones if None.
#[pyfunction]
#[pyo3(signature = (loss, y, c, s, d, t, *, delta=1.0, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // one keyword each
pub fn loss_along<'py>(
    py: Python<'py>,
    loss: &str,
    y: Given<'py>,
    c: Given<'py>,
    s: Given<'py>,
    d: Option<Given<'py>>,
    t: f64,
    delta: f64,
    n_jobs: Option<usize>,
) -> PyResult<(f64, f64)> {
    let all = scored(&y, &c, &s)?;
    let d = d.as_ref().map(|d| slice(d, "d")).transpose()?;
    if d.is_some_and(|d| d.len() != all.y.len()) {
        return Err(PyValueError::new_err("d of one number an example is expected"));
    }
    any_loss!(loss, delta, loss => run(py, threads_for(n_jobs, all.y.len()), || all.along(loss, d, t)))
}

/// Finds the t that minimises Σ c ℓ(y, s + t) of a smooth loss.
#[pyfunction]
#[pyo3(signature = (loss, y, c, s, *, delta=1.0, n_jobs=None))]
pub fn loss_shift<'py>(
    py: Python<'py>,
    loss: &str,
    y: Given<'py>,
    c: Given<'py>,
    s: Given<'py>,
    delta: f64,
    n_jobs: Option<usize>,
) -> PyResult<f64> {
    let all = scored(&y, &c, &s)?;
    let size = all.c.iter().sum();
    let find = |along: &(dyn Fn(f64) -> (f64, f64) + Sync)| {
        run(py, threads_for(n_jobs, all.y.len()), || best_shift(&along, size))
    };
    any_loss!(loss, delta, loss => find(&|t| all.along(loss, None, t)))
}

/// Σ c ℓ*(y, −a).
#[pyfunction]
#[pyo3(signature = (loss, y, c, a, *, delta=1.0, n_jobs=None))]
pub fn loss_conjugate<'py>(
    py: Python<'py>,
    loss: &str,
    y: Given<'py>,
    c: Given<'py>,
    a: Given<'py>,
    delta: f64,
    n_jobs: Option<usize>,
) -> PyResult<f64> {
    let all = scored(&y, &c, &a)?;
    any_loss!(loss, delta, loss => run(py, threads_for(n_jobs, all.y.len()), || all.conjugate(loss)))
}

//! Solvers of few features, whose systems of equations the core solves itself.

use deciban_core::loss::{
    Chosen, Huber, Logistic, Margin, Regression, Squared, SquaredEpsilonInsensitive, SquaredHinge,
};
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::few::Few;
use deciban_core::solve::interior_point::{End, Path};
use deciban_core::solve::{Limits, Problem, Solution, newton as core, softmax};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, numbers, on_reals, slice};
use super::solving::{Examples, Found, Watcher, with_loss};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Given<'py> = PyReadonlyArray1<'py, f64>;

struct Newton<'a> {
    examples: Examples<'a>,
    loss: Chosen,
    strength: f64,
    start: Option<(&'a [f64], f64)>,
    limits: Limits,
    watcher: &'a mut Watcher,
}

impl Kernel for Newton<'_> {
    type Output = Solution;

    fn cost(&self) -> usize {
        8
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Solution, Refusal> {
        let Newton { examples, loss, strength, start, limits, watcher } = self;
        examples.check(rows.count())?;
        if let Some((w, _)) = start.filter(|(w, _)| w.len() != rows.columns()) {
            let (there, expected) = (w.len(), rows.columns());
            return Err(format!("w of {expected} numbers, one a column, is expected, not {there}").into());
        }
        let Examples { y, weight, offset, intercept } = examples;
        let problem = Problem { rows: &Few::new(rows), y, weight, offset, loss, intercept };
        Ok(core::solve(&problem, strength, start, limits, &mut |i, p, g| watcher.stop(i, p, g)))
    }
}

/// Minimises Σ c ℓ(y, x·w + b) + ½·strength·‖w‖² by Newton's method, from w and b: (w, b, dual, iterations, ending).
#[pyfunction]
#[pyo3(signature = (X, y, c, loss, *, delta=1.0, strength=1.0, intercept=true, offset=None, w=None, b=0.0, tol=1e-6,
                    max_iter=1000, null=f64::INFINITY, floor=0.0, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn newton<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: Given<'py>,
    c: Given<'py>,
    loss: &str,
    delta: f64,
    strength: f64,
    intercept: bool,
    offset: Option<Given<'py>>,
    w: Option<Given<'py>>,
    b: f64,
    tol: f64,
    max_iter: usize,
    null: f64,
    floor: f64,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Found<'py>> {
    let mut watcher = Watcher::new(watch);
    let start = w.as_ref().map(|w| slice(w, "w")).transpose()?.map(|w| (w, b));
    let offset = offset.as_ref().map(|offset| slice(offset, "offset")).transpose()?;
    let examples = Examples { y: slice(&y, "y")?, weight: slice(&c, "c")?, offset, intercept };
    let limits = Limits { null, floor, ..Limits::new(tol, max_iter) };
    let loss = with_loss!(loss, loss => loss,
        "squared_hinge": Chosen::from(Margin::from(SquaredHinge)), "logistic": Chosen::from(Margin::from(Logistic)),
        "squared": Chosen::from(Regression::from(Squared)),
        "huber": Chosen::from(Regression::from(Huber { delta })),
        "squared_epsilon_insensitive":
            Chosen::from(Regression::from(SquaredEpsilonInsensitive { epsilon: delta })));
    let newton = Newton { examples, loss, strength, start, limits, watcher: &mut watcher };
    let solution = on_reals(py, X, n_jobs, newton)?;
    watcher.found(py, solution)
}

struct Following<'a> {
    lines: [&'a [f64]; 5],
    away: f64,
    strength: f64,
    intercept: bool,
    limits: Limits,
    proof: Proof,
    watcher: &'a mut Watcher,
}

/// A Python callable (w, b, u) -> bool that proves an optimum; what it raises is kept.
struct Proof {
    callable: Py<PyAny>,
    raised: Option<PyErr>,
}

impl Proof {
    fn prove(&mut self, w: &[f64], b: f64, u: &[f64]) -> bool {
        let said = Python::attach(|py| {
            self.callable.call1(py, (w.to_pyarray(py), b, u.to_pyarray(py)))?.is_truthy(py)
        });
        said.unwrap_or_else(|error| {
            self.raised = Some(error);
            true
        })
    }
}

impl Kernel for Following<'_> {
    type Output = (End, Option<PyErr>);

    fn cost(&self) -> usize {
        8
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let Following { lines, away, strength, intercept, limits, mut proof, watcher } = self;
        let (count, there) = (lines[0].len(), [rows.count(), rows.count() + rows.columns()]);
        if !there.contains(&count) || lines.iter().any(|line| line.len() != count) {
            return Err(format!(
                "t, lo, hi, curve and middle of {} numbers each, or of {}, are expected to go with X",
                there[0], there[1]
            )
            .into());
        }
        let rows = Few::new(rows);
        let path = Path { rows: &rows, lines, away, strength, intercept };
        let mut stop = |i, p, g| watcher.stop(i, p, g);
        let end = path.follow(limits, &mut |w, b, u| proof.prove(w, b, u), &mut stop);
        Ok((end, proof.raised))
    }
}

/// Follows the path of an interior point to where `proof`, told (w, b, u), says yes: (w, b, u, iterations, ending).
#[pyfunction]
#[pyo3(signature = (X, t, lo, hi, curve, middle, *, away, strength=1.0, intercept=true, proof, tol=1e-6, max_iter=1000,
                    null=f64::INFINITY, floor=0.0, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn interior_point<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    t: Given<'py>,
    lo: Given<'py>,
    hi: Given<'py>,
    curve: Given<'py>,
    middle: Given<'py>,
    away: f64,
    strength: f64,
    intercept: bool,
    proof: Py<PyAny>,
    tol: f64,
    max_iter: usize,
    null: f64,
    floor: f64,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Found<'py>> {
    if !(strength >= 0.0 && strength.is_finite()) {
        return Err(PyValueError::new_err(format!("strength of at least 0 is expected, not {strength}")));
    }
    let mut watcher = Watcher::new(watch);
    let lines = [
        slice(&t, "t")?,
        slice(&lo, "lo")?,
        slice(&hi, "hi")?,
        slice(&curve, "curve")?,
        slice(&middle, "middle")?,
    ];
    let limits = Limits { null, floor, ..Limits::new(tol, max_iter) };
    let proof = Proof { callable: proof, raised: None };
    let following = Following { lines, away, strength, intercept, limits, proof, watcher: &mut watcher };
    let (end, raised) = on_reals(py, X, n_jobs, following)?;
    if let Some(error) = raised {
        return Err(error);
    }
    let End { w, b, u, iterations, ending } = end;
    let ending = watcher.ending(py, ending)?;
    let found: (Numbers<'py>, Numbers<'py>) = (w.into_pyarray(py), u.into_pyarray(py));
    Ok((found.0, b, found.1, iterations, ending))
}

struct Together<'a> {
    y: &'a [u32],
    weight: &'a [f64],
    classes: usize,
    intercept: bool,
    strength: f64,
    start: Option<(&'a [f64], &'a [f64])>,
    limits: Limits,
    watcher: &'a mut Watcher,
}

impl Kernel for Together<'_> {
    type Output = softmax::Found;

    fn cost(&self) -> usize {
        8 * self.classes
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<softmax::Found, Refusal> {
        let Together { y, weight, classes, intercept, strength, start, limits, watcher } = self;
        if rows.is_sparse() || y.len() != rows.count() || weight.len() != rows.count() {
            return Err("dense X, and y and c of one number a row, are expected".to_string().into());
        }
        if start.is_some_and(|(w, b)| w.len() != classes * rows.columns() || b.len() != classes) {
            return Err("w of one number a class and column, and b of one a class, are expected"
                .to_string()
                .into());
        }
        let rows = Few::new(rows);
        let of = softmax::Softmax { rows: &rows, y, weight, classes, intercept, strength, limits };
        Ok(of.solve(start, &mut |i, p, g| watcher.stop(i, p, g)))
    }
}

/// (w, b, iterations, ending)
type Weights<'py> = (Numbers<'py>, Numbers<'py>, usize, &'static str);

/// Minimises Σ c [log Σ e^s − s_y] + ½·strength·‖W‖² by Newton's method, from w and b: (w, b, iterations, ending).
#[pyfunction]
#[pyo3(signature = (X, y, c, classes, *, strength=1.0, intercept=true, w=None, b=None, tol=1e-6, max_iter=1000,
                    null=f64::INFINITY, floor=0.0, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn newton_softmax<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    c: Given<'py>,
    classes: usize,
    strength: f64,
    intercept: bool,
    w: Option<Given<'py>>,
    b: Option<Given<'py>>,
    tol: f64,
    max_iter: usize,
    null: f64,
    floor: f64,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Weights<'py>> {
    let refused = || PyValueError::new_err(format!("y from 0 to {classes} − 1 is expected"));
    let y = numbers(&y, classes).ok_or_else(refused)?;
    let mut watcher = Watcher::new(watch);
    let start = match (&w, &b) {
        (Some(w), Some(b)) => Some((slice(w, "w")?, slice(b, "b")?)),
        _ => None,
    };
    let limits = Limits { null, floor, ..Limits::new(tol, max_iter) };
    let weight = slice(&c, "c")?;
    let together =
        Together { y: &y, weight, classes, intercept, strength, start, limits, watcher: &mut watcher };
    let found = on_reals(py, X, n_jobs, together)?;
    let ending = watcher.ending(py, found.ending)?;
    Ok((found.w.into_pyarray(py), found.b.into_pyarray(py), found.iterations, ending))
}

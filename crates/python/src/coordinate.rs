//! Coordinate descent with working sets, with a Python callable as its watcher.

use deciban_core::columns::Columns;
use deciban_core::loss::{Huber, Logistic, Squared, SquaredEpsilonInsensitive, SquaredHinge};
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::coordinate::{Examples as Targets, Penalty, Smooth, solve};
use deciban_core::solve::{Limits, Solution};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, slice};
use super::solving::{Examples, Found, Watcher};

/// A smooth loss: known by its name only after the rows, so that every type of rows is compiled once.
enum Known {
    Logistic(Logistic),
    Squared(Squared),
    SquaredHinge(SquaredHinge),
    Huber(Huber),
    SquaredTube(SquaredEpsilonInsensitive),
}

impl Known {
    fn new(name: &str, delta: f64) -> PyResult<Known> {
        Ok(match name {
            "logistic" => Known::Logistic(Logistic),
            "squared" => Known::Squared(Squared),
            "squared_hinge" => Known::SquaredHinge(SquaredHinge),
            "huber" => Known::Huber(Huber { delta }),
            "squared_epsilon_insensitive" => Known::SquaredTube(SquaredEpsilonInsensitive { epsilon: delta }),
            _ => {
                let known =
                    r#""logistic", "squared", "squared_hinge", "huber", "squared_epsilon_insensitive""#;
                return Err(PyValueError::new_err(format!("loss is one of {known}, not {name:?}")));
            }
        })
    }
}

struct Descent<'a> {
    examples: Examples<'a>,
    loss: Known,
    penalty: Penalty,
    start: Option<&'a [f64]>,
    seed: u64,
    limits: Limits,
    watcher: &'a mut Watcher,
}

impl Descent<'_> {
    fn solve<L: Smooth>(self, columns: &Columns, loss: L) -> Solution {
        let Examples { y, weight, offset, intercept } = self.examples;
        let examples = Targets { y, weight, offset, loss, intercept, total: weight.iter().sum() };
        let watcher = self.watcher;
        let mut watch = |i, p, g| watcher.stop(i, p, g);
        solve(columns, &examples, self.penalty, self.start, self.seed, self.limits, &mut watch)
    }
}

impl Kernel for Descent<'_> {
    type Output = Solution;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Solution, Refusal> {
        self.examples.check(rows.count())?;
        if let Some(start) = self.start.filter(|start| start.len() != rows.columns()) {
            let (there, expected) = (start.len(), rows.columns());
            return Err(format!("start of {expected} numbers, one a column, is expected, not {there}").into());
        }
        let columns = Columns::new(rows);
        Ok(match self.loss {
            Known::Logistic(loss) => self.solve(&columns, loss),
            Known::Squared(loss) => self.solve(&columns, loss),
            Known::SquaredHinge(loss) => self.solve(&columns, loss),
            Known::Huber(loss) => self.solve(&columns, loss),
            Known::SquaredTube(loss) => self.solve(&columns, loss),
        })
    }
}

/// Minimises Σ c ℓ(y, x·w + b) + l1·‖w‖₁ + ½·l2·‖w‖², over w ≥ 0 if `nonnegative`, by coordinate descent: (w, b, dual, iterations, ending).
#[pyfunction]
#[pyo3(signature = (X, y, c, loss, *, delta=1.0, l1=1.0, l2=0.0, nonnegative=false, intercept=true, offset=None, start=None, seed=0, tol=1e-6,
                    max_iter=1000, null=f64::INFINITY, floor=0.0, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn coordinate<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, f64>,
    c: PyReadonlyArray1<'py, f64>,
    loss: &str,
    delta: f64,
    l1: f64,
    l2: f64,
    nonnegative: bool,
    intercept: bool,
    offset: Option<PyReadonlyArray1<'py, f64>>,
    start: Option<PyReadonlyArray1<'py, f64>>,
    seed: u64,
    tol: f64,
    max_iter: usize,
    null: f64,
    floor: f64,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Found<'py>> {
    let loss = Known::new(loss, delta)?;
    let some = nonnegative || l1 + l2 > 0.0;
    if !(l1 >= 0.0 && l2 >= 0.0 && some && (l1 + l2).is_finite()) {
        let refused = format!("l1 and l2 of at least 0, not both 0, are expected, not {l1} and {l2}");
        return Err(PyValueError::new_err(refused));
    }
    let mut watcher = Watcher::new(watch);
    let start = start.as_ref().map(|start| slice(start, "start")).transpose()?;
    let offset = offset.as_ref().map(|offset| slice(offset, "offset")).transpose()?;
    let examples = Examples { y: slice(&y, "y")?, weight: slice(&c, "c")?, offset, intercept };
    let limits = Limits { null, floor, ..Limits::new(tol, max_iter) };
    let penalty = Penalty { l1, l2, nonnegative };
    let descent = Descent { examples, loss, penalty, start, seed, limits, watcher: &mut watcher };
    let solution = on_reals(py, X, n_jobs, descent)?;
    watcher.found(py, solution)
}

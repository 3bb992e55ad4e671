//! The perceptron and stochastic descent, whose states Python keeps between passes.

use deciban_core::loss::{
    Absolute, Chosen, EpsilonInsensitive, Hinge, Huber, Logistic, Squared, SquaredEpsilonInsensitive,
    SquaredHinge,
};
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::descent::{self, Rule};
use deciban_core::solve::{Problem, perceptron as rosenblatt};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, slice};
use super::solving::{Examples, Watcher, with_loss};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Weights<'py> = (PyReadonlyArray1<'py, f64>, f64);
type Given<'py> = (Numbers<'py>, f64);

fn fits(state: usize, rows: usize) -> Result<(), Refusal> {
    if state == rows {
        return Ok(());
    }
    Err(format!("weights of {rows} numbers are expected to go with X, not {state}").into())
}

struct Rosenblatt<'a> {
    examples: Examples<'a>,
    state: rosenblatt::State,
    shuffle: Option<u64>,
    pocket: bool,
    max_iter: usize,
    patience: Option<(usize, usize)>,
    watcher: &'a mut Watcher,
}

impl Kernel for Rosenblatt<'_> {
    type Output = rosenblatt::Found;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let Rosenblatt { examples, state, shuffle, pocket, max_iter, patience, watcher } = self;
        examples.check(rows.count())?;
        fits(state.w.len(), rows.columns())?;
        if !state.early.is_empty() {
            fits(state.early.len(), rows.columns())?;
        }
        let Examples { y, weight, intercept, .. } = examples;
        let plan = rosenblatt::Plan { rows, y, weight, intercept, shuffle, pocket, max_iter, patience };
        Ok(rosenblatt::solve(&plan, state, &mut |i, p, g| watcher.stop(i, p, g)))
    }
}

/// (last w and b, early w and b, visits, mistakes, best w and b, passes, (R/γ)², how it ended)
type Separated<'py> = (Given<'py>, Given<'py>, f64, f64, Given<'py>, usize, f64, &'static str);

/// Follows Rosenblatt's rule from `last`, with `early`, `visits` and `mistakes` as an earlier call gave them; `early` is
/// empty where the mean is not wanted.
#[pyfunction]
#[pyo3(signature = (X, y, c, last, early, visits, mistakes, *, intercept=true, shuffle=None, pocket=false,
                    max_iter=1000, patience=None, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn perceptron<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, f64>,
    c: PyReadonlyArray1<'py, f64>,
    last: Weights<'py>,
    early: Weights<'py>,
    visits: f64,
    mistakes: f64,
    intercept: bool,
    shuffle: Option<u64>,
    pocket: bool,
    max_iter: usize,
    patience: Option<(usize, usize)>,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Separated<'py>> {
    let mut watcher = Watcher::new(watch);
    let state = rosenblatt::State {
        w: slice(&last.0, "w")?.to_vec(),
        b: last.1,
        early: slice(&early.0, "w")?.to_vec(),
        early_b: early.1,
        visits,
        mistakes,
    };
    let examples = Examples { y: slice(&y, "y")?, weight: slice(&c, "c")?, offset: None, intercept };
    let watched = &mut watcher;
    let kernel = Rosenblatt { examples, state, shuffle, pocket, max_iter, patience, watcher: watched };
    let rosenblatt::Found { last, best, iterations, bound, ending } = on_reals(py, X, n_jobs, kernel)?;
    let ending = watcher.ending(py, ending)?;
    let rosenblatt::State { w, b, early, early_b, visits, mistakes } = last;
    let given = |w: Vec<f64>, b| (w.into_pyarray(py), b);
    Ok((
        given(w, b),
        given(early, early_b),
        visits,
        mistakes,
        given(best.0, best.1),
        iterations,
        bound,
        ending,
    ))
}

struct Descend<'a> {
    examples: Examples<'a>,
    loss: Chosen,
    plan: descent::Plan,
    state: descent::State,
}

impl Kernel for Descend<'_> {
    type Output = descent::State;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Self::Output, Refusal> {
        let Descend { examples, loss, plan, state } = self;
        examples.check(rows.count())?;
        fits(state.w.len(), rows.columns())?;
        fits(state.sum.len(), rows.columns())?;
        let Examples { y, weight, intercept, .. } = examples;
        Ok(descent::pass(&Problem { rows, y, weight, offset: None, loss, intercept }, &plan, state))
    }
}

/// (w and b, Σ w and Σ b, steps, Σ ‖g‖², what was suffered), all of which go on from what is given
type Descended<'py> = (Given<'py>, Given<'py>, f64, f64, f64);

/// One pass of stochastic descent, from (w, b) on; `rule` is one of "constant", "decay", "root" and "adaptive".
#[pyfunction]
#[pyo3(signature = (X, y, c, loss, now, total, steps, squares, *, delta=1.0, intercept=true, batch=1, rule="root",
                    step=1.0, decay=0.0, averaged=false, l1=0.0, l2=0.0, radius=f64::INFINITY, suffered=0.0, shuffle=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn descend<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, f64>,
    c: PyReadonlyArray1<'py, f64>,
    loss: &str,
    now: Weights<'py>,
    total: Weights<'py>,
    steps: f64,
    squares: f64,
    delta: f64,
    intercept: bool,
    batch: usize,
    rule: &str,
    step: f64,
    decay: f64,
    averaged: bool,
    l1: f64,
    l2: f64,
    radius: f64,
    suffered: f64,
    shuffle: Option<u64>,
    n_jobs: Option<usize>,
) -> PyResult<Descended<'py>> {
    let rule = match rule {
        "constant" => Rule::Constant(step),
        "decay" => Rule::Decay(step, decay),
        "root" => Rule::Root(step),
        "adaptive" => Rule::Adaptive(step),
        _ => return Err(PyValueError::new_err(format!("no rule is called {rule:?}"))),
    };
    if batch == 0 || batch > 1 && (matches!(rule, Rule::Adaptive(_)) || radius.is_finite()) {
        return Err(PyValueError::new_err(format!(
            "batch is a whole number > 0, and 1 for \"adaptive\" or a radius, not {batch}"
        )));
    }
    if averaged && l1 > 0.0 {
        return Err(PyValueError::new_err("averages go with l1 = 0: a mean of sparse weights is not sparse"));
    }
    let plan = descent::Plan { batch, rule, averaged, l1, l2, radius, shuffle };
    let (w, sum_w) = (slice(&now.0, "w")?.to_vec(), slice(&total.0, "w")?.to_vec());
    let state = descent::State { w, b: now.1, sum: sum_w, sum_b: total.1, steps, squares, suffered };
    let examples = Examples { y: slice(&y, "y")?, weight: slice(&c, "c")?, offset: None, intercept };
    let loss = with_loss!(loss, loss => loss,
        "perceptron": Chosen::Margin(Hinge { margin: 0.0 }.into()),
        "hinge": Chosen::Margin(Hinge { margin: 1.0 }.into()),
        "squared_hinge": Chosen::Margin(SquaredHinge.into()), "logistic": Chosen::Margin(Logistic.into()),
        "squared": Chosen::Regression(Squared.into()),
        "absolute": Chosen::Regression(Absolute.into()),
        "huber": Chosen::Regression(Huber { delta }.into()),
        "epsilon_insensitive": Chosen::Regression(EpsilonInsensitive { epsilon: delta }.into()),
        "squared_epsilon_insensitive": Chosen::Regression(SquaredEpsilonInsensitive { epsilon: delta }.into()));
    let descent::State { w, b, sum, sum_b, steps, squares, suffered } =
        on_reals(py, X, n_jobs, Descend { examples, loss, plan, state })?;
    Ok(((w.into_pyarray(py), b), (sum.into_pyarray(py), sum_b), steps, squares, suffered))
}

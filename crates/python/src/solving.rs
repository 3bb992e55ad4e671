//! The solvers, with a Python callable as their watcher, or none.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use deciban_core::halt::is_best_wanted;
use deciban_core::loss::{
    Absolute, Chosen, EpsilonInsensitive, Hinge, Huber, Logistic, Margin, Squared, SquaredEpsilonInsensitive,
    SquaredHinge,
};
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::{Ending, Limits, Problem, Solution, dual_coordinate as ascent};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, slice};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
/// (w, b, dual, iterations, how it ended)
pub type Found<'py> = (Numbers<'py>, f64, Numbers<'py>, usize, &'static str);

/// Runs the body with `$loss` the loss of that name, among those listed.
macro_rules! with_loss {
    ($name:expr, $loss:ident => $body:expr, $($known:literal: $value:expr),*) => {
        match $name {
            $($known => { let $loss = $value; $body })*
            _ => {
                let known = [$(concat!("\"", $known, "\"")),*].join(", ");
                return Err(PyValueError::new_err(format!("loss is one of {known}, not {:?}", $name)));
            }
        }
    };
}
pub(crate) use with_loss;

/// Targets and weights, before the rows are known.
pub struct Examples<'a> {
    pub y: &'a [f64],
    pub weight: &'a [f64],
    pub offset: Option<&'a [f64]>,
    pub intercept: bool,
}

impl Examples<'_> {
    /// That there is one of each a row.
    pub fn check(&self, count: usize) -> Result<(), Refusal> {
        let (y, c) = (self.y.len(), self.weight.len());
        let offset = self.offset.map_or(count, <[f64]>::len);
        if y == count && c == count && offset == count {
            return Ok(());
        }
        let came = format!("{y}, {c} and {offset}");
        Err(format!("y, c and offset of {count} numbers each, one a row, are expected, not {came}").into())
    }
}

/// The steps of a solver that nobody else watches, noted without the interpreter, and its time.
#[pyclass(module = "deciban._core", frozen)]
pub struct Trace {
    begun: Instant,
    before: f64,
    time_limit: f64,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    steps: Vec<(usize, f64, f64, f64)>,
    late: bool,
}

#[pymethods]
impl Trace {
    /// Seconds that have passed already, and those after which it is late.
    #[new]
    #[pyo3(signature = (before, time_limit=f64::INFINITY))]
    fn new(before: f64, time_limit: f64) -> Trace {
        Trace { begun: Instant::now(), before, time_limit, noted: Mutex::default() }
    }

    /// (iteration, primal, gap, seconds) of each step, and whether it was late.
    fn steps(&self) -> (Vec<(usize, f64, f64, f64)>, bool) {
        let noted = self.noted();
        (noted.steps.clone(), noted.late)
    }
}

impl Trace {
    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, iteration: usize, primal: f64, gap: f64) -> bool {
        let seconds = self.before + self.begun.elapsed().as_secs_f64();
        let mut noted = self.noted();
        noted.steps.push((iteration, primal, gap, seconds));
        noted.late |= seconds >= self.time_limit;
        noted.late
    }
}

/// A `Trace`, or a Python callable (iteration, primal, gap) -> bool that says when to stop; what it raises stops, too.
pub struct Watcher {
    callable: Option<Py<PyAny>>,
    trace: Option<Py<Trace>>,
    raised: Option<PyErr>,
    interrupted: bool,
}

impl Watcher {
    pub fn new(callable: Option<Py<PyAny>>) -> Watcher {
        let trace = Python::attach(|py| {
            callable.as_ref()?.cast_bound::<Trace>(py).ok().map(|trace| trace.clone().unbind())
        });
        let callable = callable.filter(|_| trace.is_none());
        Watcher { callable, trace, raised: None, interrupted: false }
    }

    pub fn stop(&mut self, iteration: usize, primal: f64, gap: f64) -> bool {
        if is_best_wanted() {
            self.interrupted = true;
            return true;
        }
        if let Some(trace) = &self.trace {
            return trace.get().note(iteration, primal, gap);
        }
        let Some(callable) = &self.callable else { return false };
        let said = Python::attach(|py| callable.call1(py, (iteration, primal, gap))?.is_truthy(py));
        said.unwrap_or_else(|error| {
            self.raised = Some(error);
            true
        })
    }

    /// How the solver ended, in a word; what the callable raised is raised again, but for Ctrl-C, which loses nothing.
    pub fn ending(self, py: Python<'_>, ending: Ending) -> PyResult<&'static str> {
        match self.raised {
            Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok("interrupted"),
            Some(error) => Err(error),
            None if self.interrupted && ending == Ending::Stopped => Ok("interrupted"),
            None => Ok(match ending {
                Ending::Converged => "converged",
                Ending::Exhausted => "exhausted",
                Ending::Stopped => "stopped",
                Ending::Overflow => "overflow",
            }),
        }
    }

    /// A solution as Python takes it.
    pub fn found<'py>(self, py: Python<'py>, solution: Solution) -> PyResult<Found<'py>> {
        let ending = self.ending(py, solution.ending)?;
        Ok(of_solution(py, solution, ending))
    }

    /// The solutions of problems that were watched together.
    pub fn found_each<'py>(self, py: Python<'py>, solutions: Vec<Solution>) -> PyResult<Vec<Found<'py>>> {
        let stopped = solutions.iter().any(|each| each.ending == Ending::Stopped);
        let ending = self.ending(py, if stopped { Ending::Stopped } else { Ending::Exhausted })?;
        let of = |each: Solution| {
            let ending = if each.ending == Ending::Converged { "converged" } else { ending };
            of_solution(py, each, ending)
        };
        Ok(solutions.into_iter().map(of).collect())
    }
}

fn of_solution<'py>(py: Python<'py>, solution: Solution, ending: &'static str) -> Found<'py> {
    let Solution { w, b, dual, iterations, .. } = solution;
    (w.into_pyarray(py), b, dual.into_pyarray(py), iterations, ending)
}

struct Ascent<'a> {
    examples: Examples<'a>,
    loss: Chosen,
    strength: f64,
    start: Option<&'a [f64]>,
    seed: u64,
    limits: Limits,
    watcher: &'a mut Watcher,
}

impl Kernel for Ascent<'_> {
    type Output = Solution;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Solution, Refusal> {
        let Ascent { examples, loss, strength, start, seed, limits, watcher } = self;
        examples.check(rows.count())?;
        let Examples { y, weight, offset, intercept } = examples;
        if let Some(start) = start.filter(|start| start.len() != y.len()) {
            let (there, expected) = (start.len(), y.len());
            return Err(format!("start of {expected} numbers is expected, not {there}").into());
        }
        let problem = Problem { rows, y, weight, offset, loss, intercept };
        Ok(ascent::solve(&problem, strength, start, seed, limits, &mut |i, p, g| watcher.stop(i, p, g)))
    }
}

/// Minimises Σ c ℓ(y, x·w + b) + ½·strength·‖w‖² by dual coordinate ascent: (w, b, dual, passes, ending).
#[pyfunction]
#[pyo3(signature = (X, y, c, loss, *, delta=1.0, strength=1.0, intercept=true, offset=None, start=None, seed=0, tol=1e-6,
                    max_iter=1000, null=f64::INFINITY, floor=0.0, strict=false,
                    work=f64::INFINITY, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn dual_coordinate<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, f64>,
    c: PyReadonlyArray1<'py, f64>,
    loss: &str,
    delta: f64,
    strength: f64,
    intercept: bool,
    offset: Option<PyReadonlyArray1<'py, f64>>,
    start: Option<PyReadonlyArray1<'py, f64>>,
    seed: u64,
    tol: f64,
    max_iter: usize,
    null: f64,
    floor: f64,
    strict: bool,
    work: f64,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Found<'py>> {
    let mut watcher = Watcher::new(watch);
    let start = start.as_ref().map(|start| slice(start, "start")).transpose()?;
    let offset = offset.as_ref().map(|offset| slice(offset, "offset")).transpose()?;
    let examples = Examples { y: slice(&y, "y")?, weight: slice(&c, "c")?, offset, intercept };
    let limits = Limits { tol, max_iter, null, floor, strict, work };
    let watched = &mut watcher;
    let loss = with_loss!(loss, loss => loss,
        "hinge": Chosen::Margin(Hinge { margin: 1.0 }.into()), "squared_hinge": Chosen::Margin(SquaredHinge.into()),
        "logistic": Chosen::Margin(Logistic.into()),
        "squared": Chosen::Regression(Squared.into()),
        "absolute": Chosen::Regression(Absolute.into()),
        "huber": Chosen::Regression(Huber { delta }.into()),
        "epsilon_insensitive": Chosen::Regression(EpsilonInsensitive { epsilon: delta }.into()),
        "squared_epsilon_insensitive": Chosen::Regression(SquaredEpsilonInsensitive { epsilon: delta }.into()));
    let ascent = Ascent { examples, loss, strength, start, seed, limits, watcher: watched };
    let solution = on_reals(py, X, n_jobs, ascent)?;
    watcher.found(py, solution)
}

struct Ascents<'a> {
    targets: Vec<&'a [f64]>,
    weight: &'a [f64],
    intercept: bool,
    loss: Margin,
    strength: f64,
    starts: Vec<Option<&'a [f64]>>,
    seed: u64,
    limits: Vec<Limits>,
    watcher: &'a mut Watcher,
}

impl Kernel for Ascents<'_> {
    type Output = Vec<Solution>;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Vec<Solution>, Refusal> {
        let Ascents { targets, weight, intercept, loss, strength, starts, seed, limits, watcher } = self;
        for y in targets.iter().chain(starts.iter().flatten()) {
            Examples { y, weight, offset: None, intercept }.check(rows.count())?;
        }
        let problem = |&y| Problem { rows, y, weight, offset: None, loss, intercept };
        let problems: Vec<_> = targets.iter().map(problem).collect();
        Ok(ascent::solve_each(&problems, strength, &starts, seed, &limits, &mut |i, p, g| {
            watcher.stop(i, p, g)
        }))
    }
}

/// Minimises the same for at most eight targets of the same rows side by side: what `dual_coordinate` gives, of each.
/// Which is not done after some passes is "exhausted", and has a dual to go on from.
#[pyfunction]
#[pyo3(signature = (X, targets, c, loss, *, strength=1.0, intercept=true, starts, seed=0, tol=1e-6, max_iter=1000, null,
                    floor, strict=false, watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn dual_coordinate_each<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    targets: Vec<PyReadonlyArray1<'py, f64>>,
    c: PyReadonlyArray1<'py, f64>,
    loss: &str,
    strength: f64,
    intercept: bool,
    starts: Vec<Option<PyReadonlyArray1<'py, f64>>>,
    seed: u64,
    tol: f64,
    max_iter: usize,
    null: Vec<f64>,
    floor: Vec<f64>,
    strict: bool,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Vec<Found<'py>>> {
    let count = targets.len();
    if count == 0 || count > ascent::LANES || [starts.len(), null.len(), floor.len()] != [count; 3] {
        let most = ascent::LANES;
        return Err(PyValueError::new_err(format!(
            "1 to {most} targets are expected, each with start, null and floor"
        )));
    }
    let mut watcher = Watcher::new(watch);
    let watched = &mut watcher;
    let targets = targets.iter().map(|y| slice(y, "targets")).collect::<PyResult<Vec<_>>>()?;
    let starts = starts
        .iter()
        .map(|a| a.as_ref().map(|a| slice(a, "starts")).transpose())
        .collect::<PyResult<Vec<_>>>()?;
    let weight = slice(&c, "c")?;
    let own = |(&null, &floor)| Limits { null, floor, strict, ..Limits::new(tol, max_iter) };
    let limits = null.iter().zip(&floor).map(own).collect();
    let loss = with_loss!(loss, loss => loss,
        "hinge": Margin::Hinge(Hinge { margin: 1.0 }), "squared_hinge": Margin::SquaredHinge(SquaredHinge),
        "logistic": Margin::Logistic(Logistic));
    let ascents =
        Ascents { targets, weight, intercept, loss, strength, starts, seed, limits, watcher: watched };
    let solutions = on_reals(py, X, n_jobs, ascents)?;
    watcher.found_each(py, solutions)
}

//! Kernels of rows, and the solver that takes two at a time.

use deciban_core::kernel::{Doubles, Kernel as Function, OfRows, within};
use deciban_core::narrow::narrow;
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::Limits;
use deciban_core::solve::smo::{Found, Machine, Room, solve as minimise_by_pairs};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::callable::OfCallable;
use super::rows::{Kernel, Refusal, on_reals, slice, table};
use super::solving::Watcher;
use super::work::{run, threads};

pub fn function(name: &str, parameters: &[f64]) -> PyResult<Function> {
    Function::by_name(name, parameters).ok_or_else(|| {
        let count = parameters.len();
        PyValueError::new_err(format!("the core knows no kernel {name:?} of {count} parameters"))
    })
}

struct Ready(Function);

impl Kernel for Ready {
    type Output = Doubles;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Doubles, Refusal> {
        Ok(Doubles::new(rows, self.0, false))
    }
}

/// Rows at least, where it is worth to ask how many threads there are.
const FEW: usize = 64;

struct Square(Function);

impl Kernel for Square {
    type Output = (Vec<f64>, usize);

    fn cost(&self) -> usize {
        FEW
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<(Vec<f64>, usize), Refusal> {
        Ok((Doubles::new(rows, self.0, true).square(), rows.count()))
    }
}

/// (N, N) K(x_i, x_j) in doubles, symmetric to the last bit.
#[pyfunction]
#[pyo3(signature = (X, kernel, parameters, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn kernel_gram<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    kernel: &str,
    parameters: Vec<f64>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (values, n) = on_reals(py, X, n_jobs, Square(function(kernel, &parameters)?))?;
    table(py, values, [n, n])
}

struct Sums<'a> {
    z: &'a Doubles,
    coefficients: &'a [f64],
    /// Where groups of z end that are summed by themselves.
    ends: &'a [usize],
}

impl Kernel for Sums<'_> {
    type Output = Vec<f64>;

    fn cost(&self) -> usize {
        self.z.count()
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Vec<f64>, Refusal> {
        let all: Vec<u32> = (0..narrow(self.z.count())).collect();
        let x = self.z.like(rows);
        if let Some(sums) = self.z.combinations_of_few(&x, self.coefficients, self.ends) {
            return Ok(sums);
        }
        let z = self.z.choose(&all);
        Ok(if self.ends.is_empty() {
            x.combination(&z, self.coefficients)
        } else {
            x.combinations(&z, self.coefficients, self.ends)
        })
    }
}

struct Within<'a>(Function, &'a [f64]);

impl Kernel for Within<'_> {
    type Output = Vec<f64>;

    fn cost(&self) -> usize {
        self.1.len()
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Vec<f64>, Refusal> {
        let (there, expected) = (self.1.len(), rows.count());
        if there != expected {
            return Err(format!("{expected} coefficients are expected, one a row, not {there}").into());
        }
        Ok(within(rows, self.0, self.1))
    }
}

/// (n, C) Σ_j K(x_i, z_j) coefficients_jk in doubles, for X (n, d), Z (m, d), coefficients (m, C); where Z is of G
/// groups, which end at `ends`, (n, G·C) those of each group.
#[pyfunction]
#[pyo3(signature = (X, Z, coefficients, kernel, parameters, *, ends=Vec::new(), n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X and Z are the field's own names; one keyword each
pub fn kernel_scores<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    Z: &Bound<'py, PyAny>,
    coefficients: PyReadonlyArray2<'py, f64>,
    kernel: &str,
    parameters: Vec<f64>,
    ends: Vec<usize>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let z = on_reals(py, Z, n_jobs, Ready(function(kernel, &parameters)?))?;
    let [m, columns] = [coefficients.shape()[0], coefficients.shape()[1]];
    let (wide, width) = (super::rows::columns(X)?, super::rows::columns(Z)?);
    if m != z.count() || wide != width {
        let count = z.count();
        return Err(PyValueError::new_err(format!(
            "coefficients of {count} rows and X of {width} columns are expected to go with Z, not {m} and {wide}"
        )));
    }
    let whole = ends.is_empty() || (ends.is_sorted() && ends.last() == Some(&m));
    if !whole {
        return Err(PyValueError::new_err(format!("ends that rise to {m} are expected")));
    }
    let coefficients = slice(&coefficients, "coefficients")?;
    let sums = on_reals(py, X, n_jobs, Sums { z: &z, coefficients, ends: &ends })?;
    let width = columns * ends.len().max(1);
    let rows = sums.len().checked_div(width).unwrap_or(0);
    table(py, sums, [rows, width])
}

/// (N,) Σ_j K(x_i, x_j) coefficients_j in doubles.
#[pyfunction]
#[pyo3(signature = (X, coefficients, kernel, parameters, *, n_jobs=None))]
#[allow(non_snake_case)] // X is the field's own name
pub fn kernel_within<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    coefficients: PyReadonlyArray1<'py, f64>,
    kernel: &str,
    parameters: Vec<f64>,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let coefficients = slice(&coefficients, "coefficients")?;
    Ok(on_reals(py, X, n_jobs, Within(function(kernel, &parameters)?, coefficients))?.into_pyarray(py))
}

type Numbers<'py> = PyReadonlyArray1<'py, f64>;
type Places<'py> = PyReadonlyArray1<'py, i64>;

/// What `KernelProblem` holds besides kernel and X: t, lo, hi, group, sums, row.
#[derive(FromPyObject)]
pub struct Parts<'py>(Numbers<'py>, Numbers<'py>, Numbers<'py>, Places<'py>, Numbers<'py>, Places<'py>);

impl Parts<'_> {
    /// Checked: of one length, groups and rows that there are.
    pub fn machine(&self, count: usize) -> PyResult<Machine<'_>> {
        let machine = Machine {
            t: slice(&self.0, "t")?,
            lo: slice(&self.1, "lo")?,
            hi: slice(&self.2, "hi")?,
            group: slice(&self.3, "group")?,
            sums: slice(&self.4, "sums")?,
            row: slice(&self.5, "row")?,
        };
        let m = machine.t.len();
        let lengths = [machine.lo.len(), machine.hi.len(), machine.group.len(), machine.row.len()];
        if lengths.iter().any(|&length| length != m) {
            let text =
                format!("lo, hi, group and row of {m} numbers each, as t has, are expected, not {lengths:?}");
            return Err(PyValueError::new_err(text));
        }
        let groups = machine.sums.len();
        let wrong = machine.group.iter().any(|g| g.place() >= groups);
        if wrong || machine.row.iter().any(|i| i.place() >= count) {
            let text = format!("group below {groups} and row below {count} are expected, both from 0 on");
            return Err(PyValueError::new_err(text));
        }
        Ok(machine)
    }
}

struct Minimise<'a> {
    function: Function,
    machine: Machine<'a>,
    start: Vec<f64>,
    limits: Limits,
    room: Room,
    watcher: &'a mut Watcher,
}

impl Kernel for Minimise<'_> {
    type Output = Option<Found>;

    fn cost(&self) -> usize {
        self.machine.t.len()
    }

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Option<Found>, Refusal> {
        let Minimise { function, machine, start, limits, room, watcher } = self;
        if machine.row.iter().any(|i| i.place() >= rows.count()) {
            return Err(format!("row below {} is expected", rows.count()).into());
        }
        let watch = &mut |i, p, g| watcher.stop(i, p, g);
        Ok(if function.of_size_one() {
            let mut source = OfRows::<_, _, f32, 32>::new(rows, function);
            minimise_by_pairs(&machine, &mut source, start, limits, room, watch)
        } else {
            let mut source = OfRows::<_, _, f64, 16>::new(rows, function);
            minimise_by_pairs(&machine, &mut source, start, limits, room, watch)
        })
    }
}

/// (β, gradient, iterations, how it ended)
type Solved<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, usize, &'static str);

fn solved<'py>(py: Python<'py>, found: Found, watcher: Watcher) -> PyResult<Solved<'py>> {
    let ending = watcher.ending(py, found.ending)?;
    Ok((found.beta.into_pyarray(py), found.gradient.into_pyarray(py), found.iterations, ending))
}

/// That β fits the problem.
pub fn feasible_start(machine: &Machine<'_>, start: &[f64]) -> PyResult<Vec<f64>> {
    let m = machine.t.len();
    let inside = |(i, b): (usize, &f64)| machine.lo[i] <= *b && *b <= machine.hi[i];
    if start.len() != m || !start.iter().enumerate().all(inside) {
        return Err(PyValueError::new_err(format!("start of {m} numbers between lo and hi is expected")));
    }
    Ok(start.to_vec())
}

/// Minimises the dual of a kernel machine, two coefficients a step, from a feasible start; after so many `rows` of the
/// kernel it ends.
#[pyfunction]
#[pyo3(signature = (X, kernel, parameters, parts, start, *, tol=1e-4, max_iter=1000, rows=None, memory=200_000_000,
                    watch=None, n_jobs=None))]
#[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
pub fn smo<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    kernel: &str,
    parameters: Vec<f64>,
    parts: Parts<'py>,
    start: PyReadonlyArray1<'py, f64>,
    tol: f64,
    max_iter: usize,
    rows: Option<usize>,
    memory: usize,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Solved<'py>> {
    let machine = parts.machine(usize::MAX >> 1)?;
    let start = feasible_start(&machine, slice(&start, "start")?)?;
    let mut watcher = Watcher::new(watch);
    let limits = Limits::new(tol, max_iter);
    let function = function(kernel, &parameters)?;
    let watched = &mut watcher;
    let room = Room { bytes: memory, rows: rows.unwrap_or(usize::MAX) };
    let minimise = Minimise { function, machine, start, limits, room, watcher: watched };
    let found = on_reals(py, X, n_jobs, minimise)?;
    solved(py, found.ok_or_else(|| PyValueError::new_err("the kernel gave out"))?, watcher)
}

/// The same for a kernel that Python computes: `rows(places)` → (len(places), N) doubles, `scores(coefficients)` → (N,).
#[pyfunction]
#[pyo3(signature = (rows, scores, diagonal, parts, start, *, tol=1e-4, max_iter=1000, memory=200_000_000, watch=None,
                    n_jobs=None))]
#[allow(clippy::too_many_arguments)] // one keyword each
pub fn smo_of_rows<'py>(
    py: Python<'py>,
    rows: Py<PyAny>,
    scores: Py<PyAny>,
    diagonal: PyReadonlyArray1<'py, f64>,
    parts: Parts<'py>,
    start: PyReadonlyArray1<'py, f64>,
    tol: f64,
    max_iter: usize,
    memory: usize,
    watch: Option<Py<PyAny>>,
    n_jobs: Option<usize>,
) -> PyResult<Solved<'py>> {
    let diagonal = slice(&diagonal, "diagonal")?;
    let machine = parts.machine(diagonal.len())?;
    let start = feasible_start(&machine, slice(&start, "start")?)?;
    let mut watcher = Watcher::new(watch);
    let mut source = OfCallable { rows, scores, diagonal, active: Vec::new(), raised: None };
    let limits = Limits::new(tol, max_iter);
    let (kept, watched) = (&mut source, &mut watcher);
    let found = run(py, threads(n_jobs), move || {
        minimise_by_pairs(&machine, kept, start, limits, Room::of(memory), &mut |i, p, g| {
            watched.stop(i, p, g)
        })
    })?;
    match (found, source.raised) {
        (_, Some(error)) => Err(error),
        (Some(found), None) => solved(py, found, watcher),
        (None, None) => Err(PyValueError::new_err("the kernel gave out")),
    }
}

//! Many kernel machines about the same rows.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use deciban_core::halt::is_best_wanted;
use deciban_core::kernel::{Kernel as Function, Shared};
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::smo::{Ends, Found, Machine, Task, solve_each};
use deciban_core::solve::{Ending, Limits};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use super::kernels::function;
use super::rows::{Kernel, Refusal, numbers, on_reals, slice};
use super::work::{run, threads};

/// In floats, where these hold the values of the kernel well enough.
enum Precision {
    Floats(Shared<f32, 32>),
    Doubles(Shared<f64, 16>),
}

/// Runs the body with `$shared` in either precision.
macro_rules! with_shared {
    ($precision:expr, $shared:ident => $body:expr) => {
        match $precision {
            Precision::Floats($shared) => $body,
            Precision::Doubles($shared) => $body,
        }
    };
}

struct Ready(Function);

impl Kernel for Ready {
    type Output = Precision;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Precision, Refusal> {
        Ok(if self.0.of_size_one() {
            Precision::Floats(Shared::new(rows, self.0))
        } else {
            Precision::Doubles(Shared::new(rows, self.0))
        })
    }
}

type Numbers<'py> = PyReadonlyArray1<'py, f64>;
type Places<'py> = PyReadonlyArray1<'py, i64>;

/// Problems one after the other: t, lo, hi, group, row and start of their variables, and where each ends after a 0; the
/// places of their rows, and where each ends after a 0; the sums of their groups, as many for each.
#[derive(FromPyObject)]
pub struct Problems<'py> {
    #[pyo3(item("t"))]
    t: Numbers<'py>,
    #[pyo3(item("lo"))]
    lo: Numbers<'py>,
    #[pyo3(item("hi"))]
    hi: Numbers<'py>,
    #[pyo3(item("group"))]
    group: Places<'py>,
    #[pyo3(item("row"))]
    row: Places<'py>,
    #[pyo3(item("start"))]
    start: Numbers<'py>,
    #[pyo3(item("ends"))]
    ends: Vec<usize>,
    #[pyo3(item("rows"))]
    rows: Places<'py>,
    #[pyo3(item("row_ends"))]
    row_ends: Vec<usize>,
    #[pyo3(item("sums"))]
    sums: Numbers<'py>,
}

fn rising(ends: &[usize], length: usize) -> bool {
    ends.first() == Some(&0) && ends.last() == Some(&length) && ends.windows(2).all(|ends| ends[0] <= ends[1])
}

impl Problems<'_> {
    pub fn tasks(&self, count: usize) -> PyResult<Vec<Task<'_>>> {
        let (t, lo, hi) = (slice(&self.t, "t")?, slice(&self.lo, "lo")?, slice(&self.hi, "hi")?);
        let (group, row, rows) =
            (slice(&self.group, "group")?, slice(&self.row, "row")?, slice(&self.rows, "rows")?);
        let (start, sums) = (slice(&self.start, "start")?, slice(&self.sums, "sums")?);
        let number = self.ends.len().saturating_sub(1);
        let groups = sums.len().checked_div(number).unwrap_or(0);
        let one_length =
            [lo.len(), hi.len(), group.len(), row.len(), start.len()].iter().all(|&n| n == t.len());
        let whole = one_length
            && rising(&self.ends, t.len())
            && rising(&self.row_ends, rows.len())
            && self.row_ends.len() == number + 1
            && groups * number == sums.len()
            && rows.iter().all(|row| row.place() < count)
            && group.iter().all(|g| g.place() < groups)
            && (0..t.len()).all(|i| lo[i] <= start[i] && start[i] <= hi[i]);
        let own = |k: usize| self.ends[k]..self.ends[k + 1];
        let own_rows = |k: usize| &rows[self.row_ends[k]..self.row_ends[k + 1]];
        let of_its_rows = |k: usize| row[own(k)].iter().all(|r| r.place() < own_rows(k).len());
        if !whole || !(0..number).all(of_its_rows) {
            let text = "problems one after the other are expected, of one length, from feasible starts, about rows \
                        that there are";
            return Err(PyValueError::new_err(text));
        }
        let task = |k: usize| Task {
            machine: Machine {
                t: &t[own(k)],
                lo: &lo[own(k)],
                hi: &hi[own(k)],
                group: &group[own(k)],
                sums: &sums[k * groups..][..groups],
                row: &row[own(k)],
            },
            rows: own_rows(k),
            start: &start[own(k)],
        };
        Ok((0..number).map(task).collect())
    }
}

/// A Python callable (problem, iteration, primal, gap) -> bool; what it raises ends all problems.
pub struct Watcher {
    callable: Option<Py<PyAny>>,
    raised: Mutex<Option<PyErr>>,
    ended: AtomicBool,
    interrupted: AtomicBool,
}

impl Watcher {
    pub fn new(callable: Option<Py<PyAny>>) -> Watcher {
        let [ended, interrupted] = [false, false].map(AtomicBool::new);
        Watcher { callable, raised: Mutex::new(None), ended, interrupted }
    }

    pub fn stop(&self, problem: usize, iteration: usize, primal: f64, gap: f64) -> bool {
        if is_best_wanted() {
            self.interrupted.store(true, Ordering::Relaxed);
            return true;
        }
        let Some(callable) = &self.callable else { return false };
        if self.ended.load(Ordering::Relaxed) {
            return true;
        }
        let told = (problem, iteration, primal, gap);
        let said = Python::attach(|py| callable.call1(py, told)?.is_truthy(py));
        said.unwrap_or_else(|error| {
            self.ended.store(true, Ordering::Relaxed);
            if let Ok(mut raised) = self.raised.lock() {
                raised.get_or_insert(error);
            }
            true
        })
    }

    /// What was found, as Python takes it; what the callable raised is raised again, but for Ctrl-C, which loses nothing.
    pub fn solved(self, py: Python<'_>, found: Vec<Option<Found>>) -> PyResult<Solved<'_>> {
        let raised = self.raised.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let interrupted = match raised {
            Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => return Err(error),
            raised => raised.is_some() || self.interrupted.load(Ordering::Relaxed),
        };
        let (mut beta, mut gradient) = (Vec::new(), Vec::new());
        let (mut iterations, mut endings) = (Vec::new(), Vec::new());
        for found in found {
            let gave_out = || PyValueError::new_err("the kernel gave out");
            let Found { beta: b, gradient: g, iterations: i, ending } = found.ok_or_else(gave_out)?;
            beta.extend(b);
            gradient.extend(g);
            iterations.push(i);
            endings.push(match ending {
                Ending::Converged => "converged",
                Ending::Exhausted => "exhausted",
                Ending::Stopped if interrupted => "interrupted",
                Ending::Stopped => "stopped",
                Ending::Overflow => "overflow",
            });
        }
        Ok((beta.into_pyarray(py), gradient.into_pyarray(py), iterations, endings))
    }
}

/// β and gradient of all problems, one after the other; of each the iterations, and how it ended.
pub type Solved<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Vec<usize>, Vec<&'static str>);

/// Rows made ready once for the kernel machines of many problems.
#[pyclass(frozen)]
pub struct SharedKernel {
    precision: Precision,
    threads: usize,
}

#[pymethods]
impl SharedKernel {
    /// `classes` (N,) where problems are about two of them each; `whole` where they are about any rows: what is worth
    /// it is computed now and kept, if it fits into `memory` bytes.
    #[new]
    #[pyo3(signature = (X, kernel, parameters, classes=None, whole=false, memory=200_000_000, n_jobs=None))]
    #[allow(non_snake_case, clippy::too_many_arguments)] // X is the field's own name; one keyword each
    fn new(
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        kernel: &str,
        parameters: Vec<f64>,
        classes: Option<Places<'_>>,
        whole: bool,
        memory: usize,
        n_jobs: Option<usize>,
    ) -> PyResult<SharedKernel> {
        let mut precision = on_reals(py, X, n_jobs, Ready(function(kernel, &parameters)?))?;
        let count = with_shared!(&precision, shared => shared.count());
        let refused =
            || PyValueError::new_err(format!("{count} classes from 0 to below {count} are expected"));
        let checked = |classes: Places<'_>| numbers(&classes, count).filter(|of| of.len() == count);
        let of = classes.map(|classes| checked(classes).ok_or_else(refused)).transpose()?;
        let threads = threads(n_jobs);
        run(py, threads, || {
            with_shared!(&mut precision, shared => {
                if whole {
                    shared.learn_all(memory);
                } else if let Some(of) = of {
                    shared.learn_classes(of, memory);
                }
            });
        })?;
        Ok(SharedKernel { precision, threads })
    }

    /// Minimises the dual of each problem, two coefficients a step; `memory` bytes for each. Those of up to `small[0]`
    /// rows get `small[1]` rounds, and are brought to the optimum up to rounding; those of more than `large[0]` rows end
    /// after `large[1]` rows of the kernel.
    #[pyo3(signature = (problems, *, tol=1e-4, max_iter=1000, small=(0, 0), large=None, memory=200_000_000, watch=None))]
    #[allow(clippy::too_many_arguments)] // one keyword each
    fn solve<'py>(
        &self,
        py: Python<'py>,
        problems: Problems<'py>,
        tol: f64,
        max_iter: usize,
        small: (usize, usize),
        large: Option<(usize, usize)>,
        memory: usize,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Solved<'py>> {
        let tasks = problems.tasks(with_shared!(&self.precision, shared => shared.count()))?;
        let watcher = Watcher::new(watch);
        let mut ends = Ends::new(Limits::new(tol, max_iter), memory);
        (ends.small, ends.rounds) = small;
        (ends.large, ends.most) = large.unwrap_or((ends.large, ends.most));
        let found = run(py, self.threads, || {
            let watch = &|k, i, p, g| watcher.stop(k, i, p, g);
            with_shared!(&self.precision, shared => {
                let (part, square) = (|rows, bytes| shared.part(rows, bytes), |rows: &[u32]| shared.square(rows));
                solve_each(part, square, &tasks, ends, watch)
            })
        })?;
        watcher.solved(py, found)
    }
}

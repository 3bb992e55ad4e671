//! What the solver by blocks does many times: kernels of chosen rows, steps within a block, how far there is to go.

use deciban_core::kernel::{Floats, Kernel as Function, Real, Tiles};
use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::smo::{State, Table, measure, steps};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::kernels::{Parts, function};
use super::rows::{Kernel, Refusal, numbers, on_reals, slice};
use super::work::{run, threads};

struct Ready(Function);

impl Kernel for Ready {
    type Output = Floats;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Floats, Refusal> {
        Ok(Floats::new(rows, self.0, true))
    }
}

/// Rows made ready for kernels in floats, and the last values that were computed, within so many bytes.
#[pyclass]
pub struct KernelTiles {
    tiles: Tiles<f32, 32>,
    threads: usize,
}

impl KernelTiles {
    fn chosen(&self, rows: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<u32>> {
        let count = self.tiles.count();
        let refused = || PyValueError::new_err(format!("rows from 0 to below {count} are expected"));
        numbers(rows, count).ok_or_else(refused)
    }
}

#[pymethods]
impl KernelTiles {
    #[new]
    #[pyo3(signature = (X, kernel, parameters, memory=200_000_000, n_jobs=None))]
    #[allow(non_snake_case)] // X is the field's own name
    fn new(
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        kernel: &str,
        parameters: Vec<f64>,
        memory: usize,
        n_jobs: Option<usize>,
    ) -> PyResult<KernelTiles> {
        let points = on_reals(py, X, n_jobs, Ready(function(kernel, &parameters)?))?;
        Ok(KernelTiles { tiles: Tiles::new(points, memory), threads: threads(n_jobs) })
    }

    /// (q, q) K of rows that were chosen.
    fn within<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = self.chosen(&rows)?;
        let values = run(py, self.threads, || self.tiles.within(&rows))?;
        PyArray1::from_vec(py, values).reshape([rows.len(), rows.len()])
    }

    /// From now on sums are wanted of the rows at these places only, or of all for None.
    #[pyo3(signature = (rows))]
    fn restrict(&mut self, py: Python<'_>, rows: Option<PyReadonlyArray1<'_, i64>>) -> PyResult<()> {
        let rows = rows.map(|rows| self.chosen(&rows)).transpose()?;
        let threads = self.threads;
        run(py, threads, || self.tiles.restrict(rows.as_deref()))
    }

    /// Σ_j K(x_i, x_rows_j) coefficients_j, summed in doubles, for each row i that sums are wanted of.
    fn combination<'py>(
        &mut self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'py, i64>,
        coefficients: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = self.chosen(&rows)?;
        let coefficients = slice(&coefficients, "coefficients")?;
        if coefficients.len() != rows.len() {
            return Err(PyValueError::new_err("as many coefficients as rows are expected"));
        }
        let threads = self.threads;
        Ok(run(py, threads, || self.tiles.combination(&rows, coefficients))?.into_pyarray(py))
    }
}

/// β after steps within a block, and how many: K (q, q), its β, gradient, lo, hi and where its groups end, until the
/// violation is at most `eps`.
#[pyfunction]
#[allow(non_snake_case, clippy::too_many_arguments)] // K is the field's own name; one keyword each
pub fn block_steps<'py>(
    py: Python<'py>,
    K: &Bound<'py, PyAny>,
    beta: PyReadonlyArray1<'py, f64>,
    gradient: PyReadonlyArray1<'py, f64>,
    lo: PyReadonlyArray1<'py, f64>,
    hi: PyReadonlyArray1<'py, f64>,
    ends: Vec<usize>,
    eps: f64,
    limit: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, usize)> {
    let block = Block {
        beta: slice(&beta, "beta")?,
        gradient: slice(&gradient, "gradient")?,
        lo: slice(&lo, "lo")?,
        hi: slice(&hi, "hi")?,
        ends,
    };
    let (beta, steps) = if let Ok(k) = K.extract::<PyReadonlyArray2<'_, f32>>() {
        block.steps(py, slice(&k, "K")?, eps, limit)?
    } else {
        let k: PyReadonlyArray2<'_, f64> = K.extract()?;
        block.steps(py, slice(&k, "K")?, eps, limit)?
    };
    Ok((beta.into_pyarray(py), steps))
}

struct Block<'a> {
    beta: &'a [f64],
    gradient: &'a [f64],
    lo: &'a [f64],
    hi: &'a [f64],
    ends: Vec<usize>,
}

impl Block<'_> {
    fn steps<R: Real>(self, py: Python<'_>, k: &[R], eps: f64, limit: usize) -> PyResult<(Vec<f64>, usize)> {
        let Block { beta, gradient, lo, hi, ends } = self;
        let q = beta.len();
        let rising = ends.windows(2).all(|ends| ends[0] <= ends[1]);
        let whole = ends.first() == Some(&0) && ends.last() == Some(&q) && rising;
        if !whole || k.len() != q * q || [gradient, lo, hi].iter().any(|all| all.len() != q) {
            let text = format!("K ({q}, {q}), and gradient, lo and hi of {q} numbers each, are expected");
            return Err(PyValueError::new_err(text));
        }
        let mut state = State {
            beta: beta.to_vec(),
            gradient: gradient.to_vec(),
            lo: lo.to_vec(),
            hi: hi.to_vec(),
            diagonal: k.iter().step_by(q + 1).map(|k| k.double()).collect(),
            ends,
            ..State::default()
        };
        let done = run(py, 1, || {
            state.settle();
            steps(&mut state, &mut Table(k, q), eps, limit)
        })?;
        Ok((state.beta, done.steps))
    }
}

/// (P, P + D, the largest violation) of β and its gradient Kβ − t; P is NaN or infinite where bounds are infinite.
#[pyfunction]
pub fn kernel_measure<'py>(
    parts: Parts<'py>,
    beta: PyReadonlyArray1<'py, f64>,
    gradient: PyReadonlyArray1<'py, f64>,
) -> PyResult<(f64, f64, f64)> {
    let machine = parts.machine(usize::MAX >> 1)?;
    let (beta, gradient) = (slice(&beta, "beta")?, slice(&gradient, "gradient")?);
    if beta.len() != machine.t.len() || gradient.len() != machine.t.len() {
        return Err(PyValueError::new_err("beta and gradient as long as t are expected"));
    }
    let now = measure(&machine, beta, gradient);
    Ok((now.primal, now.gap, now.violation))
}

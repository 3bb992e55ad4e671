//! The path of an interior point, which Python keeps between the systems that it solves.

use deciban_core::rows::{Index, Rows, Value};
use deciban_core::solve::barrier::{self as core, Look};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rows::{Kernel, Refusal, on_reals, slice};
use super::work::{run, threads_for};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Given<'py> = PyReadonlyArray1<'py, f64>;

/// One walk along all lines, beside the rows of X.
struct Walk<'a> {
    barrier: &'a mut core::Barrier,
    pace: Pace<'a>,
}

enum Pace<'a> {
    Look { w: &'a [f64], b: f64 },
    Aim { mu: Option<f64> },
    Turn { w: &'a [f64], b: f64, summed: bool },
}

impl Kernel for Walk<'_> {
    type Output = Look;

    fn call<V: Value, I: Index>(self, rows: &Rows<'_, V, I>) -> Result<Look, Refusal> {
        let Walk { barrier, pace } = self;
        let (there, columns) = ([rows.count(), rows.count() + rows.columns()], rows.columns());
        if barrier.rows() != there[0] || !there.contains(&barrier.count()) {
            return Err(format!(
                "lines of {} rows, and of no weights or {columns}, are expected to go with X, not of {} and {}",
                there[0],
                barrier.rows(),
                barrier.count() - barrier.rows()
            )
            .into());
        }
        if let Pace::Look { w, .. } | Pace::Turn { w, .. } = pace
            && w.len() != columns
        {
            return Err(format!("w of {columns} numbers is expected to go with X, not {}", w.len()).into());
        }
        Ok(match pace {
            Pace::Look { w, b } => barrier.look(rows, w, b),
            Pace::Aim { mu } => Look { sums: barrier.aim(rows, mu), ..Look::default() },
            Pace::Turn { w, b, summed } => Look { sums: barrier.turn(rows, w, b, summed), ..Look::default() },
        })
    }
}

/// The lines of a problem on their way to its optimum: `deciban.solvers.interior_point`.
#[pyclass(module = "deciban._core")]
pub struct Barrier {
    inner: core::Barrier,
    away: f64,
    n_jobs: Option<usize>,
}

#[pymethods]
impl Barrier {
    /// t, lo, hi, curve and middle (M,) of lines, `rows` of them of rows of X and the others, if any, of all weights.
    #[new]
    #[pyo3(signature = (t, lo, hi, curve, middle, *, away, rows, n_jobs=None))]
    #[allow(clippy::too_many_arguments)] // one keyword each
    fn new(
        t: Given<'_>,
        lo: Given<'_>,
        hi: Given<'_>,
        curve: Given<'_>,
        middle: Given<'_>,
        away: f64,
        rows: usize,
        n_jobs: Option<usize>,
    ) -> PyResult<Barrier> {
        let given = [
            slice(&t, "t")?,
            slice(&lo, "lo")?,
            slice(&hi, "hi")?,
            slice(&curve, "curve")?,
            slice(&middle, "middle")?,
        ];
        let count = given[0].len();
        if given.iter().any(|each| each.len() != count) || rows > count {
            let told = format!("t, lo, hi, curve and middle of {count} numbers each, {rows} of them or more");
            return Err(PyValueError::new_err(format!("{told}, are expected")));
        }
        Ok(Barrier { inner: core::Barrier::new(given, away, rows), away, n_jobs })
    }

    /// (Σ of the losses, z·(hi − u) + q·(u − lo), Aᵀu, Σ u) at w and b.
    #[allow(non_snake_case)] // X is the field's own name
    fn look<'py>(
        &mut self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        w: Given<'py>,
        b: f64,
    ) -> PyResult<(f64, f64, Numbers<'py>, f64)> {
        let Look { losses, product, sums } = self.walk(py, X, Pace::Look { w: slice(&w, "w")?, b })?;
        Ok((losses, product, sums.0.into_pyarray(py), sums.1))
    }

    /// (M,) what each line weighs in the system of equations.
    fn weights<'py>(&mut self, py: Python<'py>) -> PyResult<Numbers<'py>> {
        Ok(self.work(py, core::Barrier::weights)?.into_pyarray(py))
    }

    /// (Aᵀdu, Σ du) where w and b stay and the products of complements become μ, corrected, or without it 0.
    #[allow(non_snake_case)] // X is the field's own name
    #[pyo3(signature = (X, mu=None))]
    fn aim<'py>(
        &mut self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        mu: Option<f64>,
    ) -> PyResult<(Numbers<'py>, f64)> {
        let (v, sum) = self.walk(py, X, Pace::Aim { mu })?.sums;
        Ok((v.into_pyarray(py), sum))
    }

    /// (Aᵀdu, Σ du) with steps of w and b, or zeros if they are not to be summed.
    #[allow(non_snake_case)] // X is the field's own name
    fn turn<'py>(
        &mut self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        w: Given<'py>,
        b: f64,
        summed: bool,
    ) -> PyResult<(Numbers<'py>, f64)> {
        let (v, sum) = self.walk(py, X, Pace::Turn { w: slice(&w, "w")?, b, summed })?.sums;
        Ok((v.into_pyarray(py), sum))
    }

    /// (length, z·(hi − u) + q·(u − lo) after it): how far the step can be taken, 1 at most.
    fn reach(&mut self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.work(py, core::Barrier::reach)
    }

    /// Takes the step, a share at most of what is to be reached; how far.
    fn advance(&mut self, py: Python<'_>, share: f64) -> PyResult<f64> {
        self.work(py, |inner| inner.advance(share))
    }

    /// (M,) u, at its bound where it tends to it.
    fn clean<'py>(&mut self, py: Python<'py>) -> PyResult<Numbers<'py>> {
        let away = self.away;
        Ok(self.work(py, |inner| inner.clean(away))?.into_pyarray(py))
    }
}

impl Barrier {
    fn walk(&mut self, py: Python<'_>, x: &Bound<'_, PyAny>, pace: Pace<'_>) -> PyResult<Look> {
        on_reals(py, x, self.n_jobs, Walk { barrier: &mut self.inner, pace })
    }

    fn work<R: Send>(
        &mut self,
        py: Python<'_>,
        of: impl FnOnce(&mut core::Barrier) -> R + Send,
    ) -> PyResult<R> {
        let threads = threads_for(self.n_jobs, self.inner.count());
        run(py, threads, || of(&mut self.inner))
    }
}

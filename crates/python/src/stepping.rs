//! Steps of networks, in place in the arrays that Python holds.

use deciban_core::solve::steps::{self, Adam, Momentum, Number};
use numpy::{
    Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::work::{run, threads};

type Given<'a, 'py> = &'a Bound<'py, PyAny>;

/// w, then what is remembered, borrowed to be written; and g.
struct Arrays<'py, T: Element> {
    written: Vec<PyReadwriteArrayDyn<'py, T>>,
    g: PyReadonlyArrayDyn<'py, T>,
}

impl<'py, T: Element> Arrays<'py, T> {
    /// None where w is of another type; else all must be like it.
    fn of(written: &[Given<'_, 'py>], g: Given<'_, 'py>) -> PyResult<Option<Self>> {
        if !written[0].is_instance_of::<PyArrayDyn<T>>() {
            return Ok(None);
        }
        let wrong = || PyTypeError::new_err("arrays of one type, float32 or float64, are expected");
        let g = g.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?.readonly();
        let mut found = Vec::with_capacity(written.len());
        for array in written {
            let array = array.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?;
            found.push(array.try_readwrite().map_err(|e| PyValueError::new_err(e.to_string()))?);
        }
        if found.iter().any(|each| each.shape() != g.shape()) {
            return Err(PyValueError::new_err("arrays of one shape are expected"));
        }
        if !g.is_c_contiguous() || !found.iter().all(|each| each.is_c_contiguous()) {
            return Err(PyValueError::new_err("arrays in C order are expected"));
        }
        Ok(Some(Arrays { written: found, g }))
    }

    /// Calls `step` with the written arrays and g, on threads where there are many numbers.
    fn go<const K: usize>(
        mut self,
        py: Python<'py>,
        step: impl FnOnce([&mut [T]; K], &[T]) + Send,
    ) -> PyResult<()>
    where
        T: Send + Sync,
    {
        let g = self.g.as_slice()?;
        let mut slices = Vec::with_capacity(K);
        for array in &mut self.written {
            slices.push(array.as_slice_mut()?);
        }
        let slices: [&mut [T]; K] =
            slices.try_into().map_err(|_| PyValueError::new_err("arrays of another number are expected"))?;
        if g.len() < steps::FEW {
            step(slices, g);
            return Ok(());
        }
        run(py, threads(None), || step(slices, g))
    }
}

fn neither() -> PyErr {
    PyTypeError::new_err("arrays of float32 or float64 are expected")
}

fn adam_of<'py, T: Number + Element>(py: Python<'py>, arrays: Arrays<'py, T>, by: Adam<f64>) -> PyResult<()> {
    let by = Adam {
        eta: T::of(by.eta),
        scale: T::of(by.scale),
        beta1: T::of(by.beta1),
        rest1: T::of(by.rest1),
        beta2: T::of(by.beta2),
        rest2: T::of(by.rest2),
        epsilon: T::of(by.epsilon),
        decay: T::of(by.decay),
    };
    arrays.go(py, |[w, m, q], g| steps::adam(w, g, m, q, &by))
}

/// w, m and q after Adam's step with the gradient g; eta and scale have the corrections of the means in them.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the formula's own letters
pub fn adam_step<'py>(
    py: Python<'py>,
    w: Given<'_, 'py>,
    g: Given<'_, 'py>,
    m: Given<'_, 'py>,
    q: Given<'_, 'py>,
    eta: f64,
    scale: f64,
    beta1: f64,
    beta2: f64,
    epsilon: f64,
    decay: f64,
) -> PyResult<()> {
    let by = Adam { eta, scale, beta1, rest1: 1.0 - beta1, beta2, rest2: 1.0 - beta2, epsilon, decay };
    if let Some(arrays) = Arrays::<f32>::of(&[w, m, q], g)? {
        return adam_of(py, arrays, by);
    }
    adam_of(py, Arrays::<f64>::of(&[w, m, q], g)?.ok_or_else(neither)?, by)
}

/// w and v after a step with the gradient g.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the formula's own letters
pub fn momentum_step<'py>(
    py: Python<'py>,
    w: Given<'_, 'py>,
    g: Given<'_, 'py>,
    v: Given<'_, 'py>,
    eta: f64,
    mu: f64,
    decay: f64,
    nesterov: bool,
) -> PyResult<()> {
    if let Some(arrays) = Arrays::<f32>::of(&[w, v], g)? {
        let by = Momentum { eta: f32::of(eta), mu: f32::of(mu), decay: f32::of(decay), nesterov };
        return arrays.go(py, |[w, v], g| steps::momentum(w, g, v, &by));
    }
    let arrays = Arrays::<f64>::of(&[w, v], g)?.ok_or_else(neither)?;
    let by = Momentum { eta, mu, decay, nesterov };
    arrays.go(py, |[w, v], g| steps::momentum(w, g, v, &by))
}

//! Steps of a network in batches, in place in the arrays that Python holds.

use deciban_core::network::{
    Activation, Descent, Error, Examples, Layer, Network, Output, Parameter, Real, Tally, Targets, Wrong,
};
use deciban_core::rows::{Index, Value};
use numpy::{
    Element, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::layer::Table;
use super::work::{run, threads};

/// Classes (n,), or numbers (n, K).
#[derive(FromPyObject)]
pub enum Answers<'py> {
    Classes(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray2<'py, f64>),
}

/// (η, β₁, β₂, ε, steps taken before) of Adam, or (η, μ, by Nesterov's rule).
#[derive(FromPyObject)]
pub enum Steps {
    Adam(f64, f64, f64, f64, f64),
    Momentum(f64, f64, bool),
}

/// The activation, the output, the error, and what is counted as wrong, by their names.
type Names<'a> = (&'a str, &'a str, &'a str, &'a str);

fn refuse<R>(what: &str) -> PyResult<R> {
    Err(PyValueError::new_err(format!("{what} expected")))
}

fn one_of<T: Copy>(name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map_or_else(
        || refuse(&format!("none of the network's parts is {name:?}: another one is")),
        |f| Ok(f.1),
    )
}

fn activation(name: &str) -> PyResult<Activation> {
    let known = [("logistic", Activation::Logistic), ("tanh", Activation::Tanh)];
    one_of(name, &[known[0], known[1], ("relu", Activation::Relu), ("identity", Activation::Identity)])
}

/// The arrays of a network, borrowed to be written: of each parameter its values, and what is remembered of it.
struct Held<'py, T: Element>(Vec<Vec<PyReadwriteArrayDyn<'py, T>>>);

impl<'py, T: Element> Held<'py, T> {
    fn of(parameters: &[Bound<'py, PyAny>], memory: &[Vec<Bound<'py, PyAny>>]) -> PyResult<Self> {
        let borrow = |array: &Bound<'py, PyAny>| {
            let array = array.cast::<PyArrayDyn<T>>();
            let array = array.map_err(|_| PyTypeError::new_err("arrays of one type are expected"))?;
            array.try_readwrite().map_err(|e| PyValueError::new_err(e.to_string()))
        };
        if memory.iter().any(|arrays| arrays.len() != parameters.len()) {
            return refuse("arrays of memory for each parameter are");
        }
        let mut held = Vec::with_capacity(parameters.len());
        for (k, values) in parameters.iter().enumerate() {
            let all = std::iter::once(values).chain(memory.iter().map(|arrays| &arrays[k]));
            let all = all.map(borrow).collect::<PyResult<Vec<_>>>()?;
            if all.iter().any(|each| each.shape() != all[0].shape() || !each.is_c_contiguous()) {
                return refuse("arrays of one shape in C order are");
            }
            held.push(all);
        }
        Ok(Held(held))
    }

    /// How many features and outputs there are, of layers that fit together.
    fn shape(&self) -> PyResult<(usize, usize)> {
        let sizes: Vec<&[usize]> = self.0.iter().map(|arrays| arrays[0].shape()).collect();
        let (layers, rest) = sizes.as_chunks::<2>();
        let whole = layers.iter().all(|[w, b]| w.len() == 2 && b.len() == 1 && w[1] == b[0] && b[0] > 0);
        let fit = whole && layers.windows(2).all(|pair| pair[0][1][0] == pair[1][0][0]);
        match (layers.first(), layers.last()) {
            (Some([w, _]), Some([_, b])) if fit && rest.is_empty() => Ok((w[0], b[0])),
            _ => refuse("weights (units below, units) and biases (units,) of layers that fit together are"),
        }
    }

    fn layers(&mut self) -> PyResult<Vec<Layer<'_, T>>> {
        let mut parameters = Vec::with_capacity(self.0.len());
        for arrays in &mut self.0 {
            let mut slices = arrays.iter_mut().map(|each| each.as_slice_mut());
            let mut next = || slices.next().unwrap_or(Ok(&mut []));
            parameters.push(Parameter { values: next()?, first: next()?, second: next()? });
        }
        let mut layers = Vec::with_capacity(parameters.len() / 2);
        let mut parameters = parameters.into_iter();
        while let (Some(w), Some(b)) = (parameters.next(), parameters.next()) {
            layers.push(Layer { w, b });
        }
        Ok(layers)
    }
}

/// What is the same for either type of weights.
struct Plan<'a> {
    y: Targets<'a>,
    weight: &'a [f64],
    places: &'a [i64],
    batch: usize,
    names: Names<'a>,
    descent: Descent,
    decay: f64,
    clip: Option<f64>,
}

impl Plan<'_> {
    fn check(&self, rows: usize, outputs: usize) -> PyResult<()> {
        let whole = match self.y {
            Targets::Classes(y) => {
                let most = outputs.max(2); // one output tells two classes
                y.len() == rows && y.iter().all(|&y| usize::try_from(y).is_ok_and(|y| y < most))
            }
            Targets::Numbers(y) => y.len() == rows * outputs,
        };
        if !whole || self.weight.len() != rows {
            return refuse(&format!("targets of {outputs} outputs and a weight for each of {rows} rows are"));
        }
        if self.batch == 0 || !self.places.iter().all(|place| place.place() < rows) {
            return refuse(&format!("batches of places among {rows} rows are"));
        }
        Ok(())
    }

    fn go<'py, T: Real + Element, X: Value + Element>(
        &self,
        py: Python<'py>,
        x: &PyReadonlyArray2<'py, X>,
        mut held: Held<'py, T>,
    ) -> PyResult<Tally> {
        let (d, outputs) = held.shape()?;
        if !x.is_c_contiguous() || x.shape()[1] != d {
            return refuse(&format!("rows of {d} features in C order are"));
        }
        self.check(x.shape()[0], outputs)?;
        let remembered = if matches!(self.descent, Descent::Adam(..)) { 3 } else { 2 };
        if held.0.iter().any(|arrays| arrays.len() != remembered) {
            return refuse("two arrays of memory a parameter of Adam, one of momentum are");
        }
        let (activated, output, error, wrong) = self.names;
        let mut network = Network {
            layers: held.layers()?,
            activation: activation(activated)?,
            output: one_of(
                output,
                &[("linear", Output::Linear), ("logistic", Output::Logistic), ("softmax", Output::Softmax)],
            )?,
            error: one_of(error, &[("squared", Error::Squared), ("cross_entropy", Error::CrossEntropy)])?,
            wrong: one_of(
                wrong,
                &[("class", Wrong::Class), ("label", Wrong::Label), ("squared", Wrong::Squared)],
            )?,
            descent: self.descent,
            decay: self.decay,
            clip: self.clip,
        };
        let examples = Examples { x: x.as_slice()?, y: self.y, weight: self.weight };
        let threads = if network.is_large(self.batch) { threads(None) } else { 1 };
        run(py, threads, || network.descend(&examples, self.places, self.batch))
    }
}

type Told = (f64, f64, f64, Vec<f64>, usize, bool);

/// A step for every `batch` of the rows at `places`, in their order, in place. Returns the sums of the weighted errors,
/// of what is wrong, of the weights, and of the squares of each layer's gradient; how many steps were taken; and whether
/// the error of the next one left the range.
#[pyfunction]
#[pyo3(signature = (x, y, weight, places, batch, parameters, memory, names, descent, decay, clip))]
#[allow(clippy::too_many_arguments)] // examples, network, plan
pub fn network_steps<'py>(
    py: Python<'py>,
    x: Table<'py>,
    y: Answers<'py>,
    weight: PyReadonlyArray1<'py, f64>,
    places: PyReadonlyArray1<'py, i64>,
    batch: usize,
    parameters: Vec<Bound<'py, PyAny>>,
    memory: Vec<Vec<Bound<'py, PyAny>>>,
    names: (String, String, String, String),
    descent: Steps,
    decay: f64,
    clip: Option<f64>,
) -> PyResult<Told> {
    let y = match &y {
        Answers::Classes(y) => Targets::Classes(y.as_slice()?),
        Answers::Numbers(y) => Targets::Numbers(y.as_slice()?),
    };
    let descent = match descent {
        Steps::Adam(eta, beta1, beta2, epsilon, taken) => Descent::Adam(eta, beta1, beta2, epsilon, taken),
        Steps::Momentum(eta, mu, nesterov) => Descent::Momentum(eta, mu, nesterov),
    };
    let names = (&*names.0, &*names.1, &*names.2, &*names.3);
    let (weight, places) = (weight.as_slice()?, places.as_slice()?);
    let plan = Plan { y, weight, places, batch, names, descent, decay, clip };
    let single = parameters.first().is_some_and(|each| each.is_instance_of::<PyArrayDyn<f32>>());
    let tally = match (&x, single) {
        (Table::Single(x), true) => plan.go(py, x, Held::<f32>::of(&parameters, &memory)?),
        (Table::Double(x), true) => plan.go(py, x, Held::<f32>::of(&parameters, &memory)?),
        (Table::Single(x), false) => plan.go(py, x, Held::<f64>::of(&parameters, &memory)?),
        (Table::Double(x), false) => plan.go(py, x, Held::<f64>::of(&parameters, &memory)?),
    }?;
    Ok((tally.loss, tally.wrong, tally.weight, tally.squares, tally.steps, tally.overflow))
}

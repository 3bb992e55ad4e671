//! Some examples through the layers and back.

use pulp::{Simd, WithSimd};

use super::dense::{Matrix, product};
use super::outputs::{Outputs, Wanted};
use super::{Activation, Error, Examples, Network, Output, ROWS, Real, Targets, Wrong};
use crate::kernel;
use crate::rows::{Index, Value};

/// Room for a part of a batch, and for the gradients of a whole one.
pub(super) struct Bench<T> {
    x: Vec<T>,
    y: Vec<T>,
    classes: Vec<usize>,
    weight: Vec<T>,
    /// h of each layer.
    h: Vec<Vec<T>>,
    delta: Vec<T>,
    below: Vec<T>,
    panels: Vec<T>,
    /// ∂𝓔/∂W and ∂𝓔/∂b of each layer.
    pub(super) gradients: Vec<[Vec<T>; 2]>,
}

impl<T: Real> Bench<T> {
    pub(super) fn new(network: &Network<'_, T>) -> Bench<T> {
        let zeros = |n| vec![T::default(); n];
        let layers = network.layers.iter();
        Bench {
            x: Vec::new(),
            y: Vec::new(),
            classes: Vec::new(),
            weight: Vec::new(),
            h: layers.clone().map(|layer| Vec::with_capacity(ROWS * layer.b.values.len())).collect(),
            delta: Vec::new(),
            below: Vec::new(),
            panels: Vec::new(),
            gradients: layers
                .map(|layer| [zeros(layer.w.values.len()), zeros(layer.b.values.len())])
                .collect(),
        }
    }
}

/// The examples at `places`, of a batch of `count`; the gradients are added to what is there, or replace it.
pub(super) struct Pass<'a, 'n, 'e, T, X> {
    pub(super) network: &'a Network<'n, T>,
    pub(super) examples: &'a Examples<'e, X>,
    pub(super) places: &'a [i64],
    pub(super) count: usize,
    pub(super) adds: bool,
    pub(super) bench: &'a mut Bench<T>,
}

impl<T: Real, X: Value> WithSimd for Pass<'_, '_, '_, T, X> {
    /// Σ weight · 𝓔_n, Σ weight · what is wrong, Σ weight.
    type Output = (f64, f64, f64);

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> (f64, f64, f64) {
        self.gather();
        self.forward();
        let is_of_classes = self.is_of_classes();
        let (network, bench) = (self.network, &mut *self.bench);
        let (units, last) = (network.outputs(), bench.h.len() - 1);
        bench.delta.resize(self.places.len() * units, T::default());
        let (h, weight) = (&mut bench.h[last][..], &bench.weight[..]);
        let y = if is_of_classes { Wanted::Classes(&bench.classes) } else { Wanted::Numbers(&bench.y) };
        let mut outputs = Outputs { h, weight, delta: &mut bench.delta, units };
        let count = <T as kernel::Real>::of(self.count as f64);
        let (loss, wrong) = outputs.pass(y, network.output, network.error, network.wrong, count);
        let mut total = 0.0;
        for weight in weight {
            total += weight.double();
        }
        if loss.is_finite() {
            self.backward();
        }
        (loss, wrong, total)
    }
}

impl<T: Real, X: Value> Pass<'_, '_, '_, T, X> {
    /// Put the rows, their targets and weights side by side, in the type of the network.
    #[inline(always)]
    fn gather(&mut self) {
        let (units, d) = (self.network.outputs(), self.network.features());
        let (is_of_classes, of) = (self.is_of_classes(), <T as kernel::Real>::of);
        let bench = &mut *self.bench;
        bench.x.resize(self.places.len() * d, T::default());
        bench.weight.clear();
        bench.y.clear();
        bench.classes.clear();
        for k in 0..self.places.len() {
            let i = self.places[k].place();
            let (x, given) = (&mut bench.x[k * d..][..d], &self.examples.x[i * d..][..d]);
            for j in 0..d {
                x[j] = T::near(given[j]);
            }
            bench.weight.push(of(self.examples.weight[i]));
            match self.examples.y {
                Targets::Numbers(y) => {
                    for &y in &y[i * units..][..units] {
                        bench.y.push(of(y));
                    }
                }
                Targets::Classes(y) if is_of_classes => bench.classes.push(y[i].place()),
                Targets::Classes(y) if units == 1 => bench.y.push(of(y[i] as f64)),
                Targets::Classes(y) => {
                    let (from, class) = (bench.y.len(), y[i].place());
                    bench.y.resize(from + units, T::default());
                    bench.y[from..][class] = of(1.0);
                }
            }
        }
    }

    /// Whether the targets are looked at as classes: the last step of most networks, and the quickest.
    #[inline(always)]
    fn is_of_classes(&self) -> bool {
        let network = self.network;
        matches!(self.examples.y, Targets::Classes(_))
            && (network.output, network.error, network.wrong)
                == (Output::Softmax, Error::CrossEntropy, Wrong::Class)
    }

    #[inline(always)]
    fn forward(&mut self) {
        let (n, bench, layers) = (self.places.len(), &mut *self.bench, &self.network.layers);
        let (mut below, mut d) = (&bench.x[..], self.network.features());
        for (k, (layer, h)) in layers.iter().zip(&mut bench.h).enumerate() {
            let units = layer.b.values.len();
            h.resize(n * units, T::default());
            let w = Matrix::Lines(&*layer.w.values, units);
            product(Matrix::Lines(below, d), w, h, false, &mut bench.panels);
            let last = k + 1 == layers.len();
            let activation = if last { Activation::Identity } else { self.network.activation };
            activation.forward(h, layer.b.values);
            (below, d) = (h, units);
        }
    }

    #[inline(always)]
    fn backward(&mut self) {
        let (n, adds, d, layers) =
            (self.places.len(), self.adds, self.network.features(), &self.network.layers);
        let bench = &mut *self.bench;
        for (k, layer) in layers.iter().enumerate().rev() {
            let units = layer.b.values.len();
            let (below, width) = match k {
                0 => (&bench.x, d),
                k => (&bench.h[k - 1], layers[k - 1].b.values.len()),
            };
            let delta = Matrix::Lines(&bench.delta, units);
            let [w, b] = &mut bench.gradients[k];
            product(Matrix::Turned(below, width), delta, w, adds, &mut bench.panels);
            if !adds {
                b.fill(T::default());
            }
            for line in bench.delta.chunks_exact(units) {
                for k in 0..units {
                    b[k] = b[k] + line[k];
                }
            }
            if k > 0 {
                bench.below.resize(n * width, T::default());
                let turned = Matrix::Turned(&*layer.w.values, units);
                product(delta, turned, &mut bench.below, false, &mut bench.panels);
                self.network.activation.backward(&mut bench.below, below);
                std::mem::swap(&mut bench.delta, &mut bench.below);
            }
        }
    }
}

//! Training a network in batches: forward, back, and one step down the gradient, batch after batch.
//!
//! ```text
//! forward    s = h W + b          h = σ(s)                     layer by layer, from the examples x
//! error      𝓔_n of the last h against the target              `outputs`
//! back       G = hᵀ Δ             Δ ← (Δ Wᵀ) ⊙ σ'(s)           layer by layer, to the first
//! step       w by Adam, or with momentum                       `solve::steps`
//! ```
//!
//! Rumelhart, Hinton & Williams, Nature 323 (1986). Floor: 6·n·Σ(units below · units) operations, a third less for the
//! first layer, at the rate of `dense`; and for each batch Adam's pass over the weights. Every sum has one order, so
//! that threads change no bit.

pub mod dense;
mod outputs;
mod pass;
mod units;

use std::ops::{Add, Div, Mul, Sub};

use pulp::{Arch, Simd, WithSimd};

use crate::kernel;
use crate::rows::Value;
use crate::solve::steps::{self, Adam, Momentum, Number};
use crate::vectors::Float;

use pass::{Bench, Pass};
pub use units::Activation;

/// A number of a network: float32, or float64.
pub trait Real:
    Float
    + Number
    + kernel::Real
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
}
impl Real for f32 {}
impl Real for f64 {}

/// Rows that go through the layers at once: what they leave stays in the caches.
const ROWS: usize = 256;

/// Weights or biases, and what the steps remember of each: two numbers for Adam, else one, and none as `second`.
pub struct Parameter<'a, T> {
    /// W (units below, units), line by line, or b (units).
    pub values: &'a mut [T],
    /// The mean of the gradients; the speed.
    pub first: &'a mut [T],
    /// The mean of their squares.
    pub second: &'a mut [T],
}

/// W and b of a layer.
pub struct Layer<'a, T> {
    /// (units below, units)
    pub w: Parameter<'a, T>,
    /// (units)
    pub b: Parameter<'a, T>,
}

/// What becomes of the last layer's signals.
#[derive(Clone, Copy, PartialEq)]
pub enum Output {
    /// h = s
    Linear,
    /// h = 1 / (1 + e^−s), each by itself
    Logistic,
    /// h = e^s / Σ e^s
    Softmax,
}

/// How far h is from the target.
#[derive(Clone, Copy, PartialEq)]
pub enum Error {
    /// ½ Σ (h − y)²
    Squared,
    /// −ln of the probability of the target
    CrossEntropy,
}

/// What is counted as wrong.
#[derive(Clone, Copy, PartialEq)]
pub enum Wrong {
    /// The class of the largest h is not that of the largest y.
    Class,
    /// The share of outputs on the other side of ½ than y.
    Label,
    /// The mean of (h − y)².
    Squared,
}

/// Examples X (n, d), line by line, with their targets and weights.
pub struct Examples<'a, X> {
    /// (n, d)
    pub x: &'a [X],
    /// What is to be put out.
    pub y: Targets<'a>,
    /// (n)
    pub weight: &'a [f64],
}

/// Classes, or numbers, that are to be put out.
#[derive(Clone, Copy)]
pub enum Targets<'a> {
    /// (n): 1 for this output, and 0 for the others; of one output the number itself.
    Classes(&'a [i64]),
    /// (n, K)
    Numbers(&'a [f64]),
}

/// How a step goes down the gradient.
#[derive(Clone, Copy)]
pub enum Descent {
    /// η, β₁, β₂, ε, and how many steps were taken before.
    Adam(f64, f64, f64, f64, f64),
    /// η, μ, and whether by Nesterov's rule.
    Momentum(f64, f64, bool),
}

/// A network on its way.
pub struct Network<'a, T> {
    /// From below.
    pub layers: Vec<Layer<'a, T>>,
    /// σ of the hidden layers.
    pub activation: Activation,
    /// What becomes of the last layer's signals.
    pub output: Output,
    /// How far it is from the target.
    pub error: Error,
    /// What is counted as wrong.
    pub wrong: Wrong,
    /// How steps go.
    pub descent: Descent,
    /// λ of the penalty ½ λ Σ w².
    pub decay: f64,
    /// The longest gradient.
    pub clip: Option<f64>,
}

/// What steps sum on their way.
#[derive(Default)]
pub struct Tally {
    /// Σ weight · 𝓔_n
    pub loss: f64,
    /// Σ weight · what is wrong
    pub wrong: f64,
    /// Σ weight
    pub weight: f64,
    /// Σ over the steps of ‖∂𝓔/∂W‖² of each layer
    pub squares: Vec<f64>,
    /// How many steps were taken.
    pub steps: usize,
    /// Whether the error of the next one left the range: it was not taken.
    pub overflow: bool,
}

impl<T: Real> Network<'_, T> {
    /// How many features the first layer reads.
    fn features(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.w.values.len() / layer.b.values.len().max(1))
    }

    /// Units of the last layer.
    fn outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.b.values.len())
    }

    /// Whether steps of so many rows are worth a second thread.
    pub fn is_large(&self, rows: usize) -> bool {
        self.layers.iter().any(|layer| {
            let size = layer.w.values.len();
            size >= steps::FEW || size * rows.min(ROWS) >= dense::WORTH
        })
    }

    /// Takes a step for every `batch` of the examples at `places`, in their order.
    ///
    /// # Panics
    ///
    /// Where the examples are not of the first layer's features, or a place is not among them.
    pub fn descend<X: Value>(&mut self, examples: &Examples<'_, X>, places: &[i64], batch: usize) -> Tally {
        let mut bench = Bench::new(self);
        let mut tally = Tally { squares: vec![0.0; self.layers.len()], ..Tally::default() };
        for places in places.chunks(batch.max(1)) {
            let count = places.len();
            for (part, places) in places.chunks(ROWS).enumerate() {
                let pass = Pass { network: self, examples, places, count, adds: part > 0, bench: &mut bench };
                let (loss, wrong, weight) = Arch::new().dispatch(pass);
                if !loss.is_finite() {
                    tally.overflow = true;
                    return tally;
                }
                tally.loss += loss;
                tally.wrong += wrong;
                tally.weight += weight;
            }
            self.step(&mut bench.gradients, &mut tally);
        }
        tally
    }

    fn step(&mut self, gradients: &mut [[Vec<T>; 2]], tally: &mut Tally) {
        let mut total = 0.0;
        for ([w, b], sum) in gradients.iter().zip(&mut tally.squares) {
            let of_weights = Arch::new().dispatch(Squares(w));
            *sum += of_weights;
            total += of_weights + Arch::new().dispatch(Squares(b));
        }
        tally.steps += 1;
        if let Some(longest) = self.clip.filter(|&longest| total.sqrt() > longest) {
            let share = <T as Number>::of(longest / total.sqrt());
            gradients.iter_mut().flatten().flatten().for_each(|g| *g = *g * share);
        }
        for (layer, [w, b]) in self.layers.iter_mut().zip(gradients) {
            self.descent.step(&mut layer.w, w, self.decay, tally.steps);
            self.descent.step(&mut layer.b, b, 0.0, tally.steps);
        }
    }
}

impl Descent {
    /// The step after `steps` − 1 others.
    fn step<T: Real>(&self, of: &mut Parameter<'_, T>, g: &[T], decay: f64, steps: usize) {
        let t = <T as Number>::of;
        match *self {
            Descent::Adam(eta, beta1, beta2, epsilon, before) => {
                let taken = before + steps as f64;
                let by = Adam {
                    eta: t(eta / (1.0 - beta1.powf(taken))),
                    scale: t((1.0 - beta2.powf(taken)).powf(-0.5)),
                    beta1: t(beta1),
                    rest1: t(1.0 - beta1),
                    beta2: t(beta2),
                    rest2: t(1.0 - beta2),
                    epsilon: t(epsilon),
                    decay: t(decay),
                };
                steps::adam(of.values, g, of.first, of.second, &by);
            }
            Descent::Momentum(eta, mu, nesterov) => {
                let by = Momentum { eta: t(eta), mu: t(mu), decay: t(decay), nesterov };
                steps::momentum(of.values, g, of.first, &by);
            }
        }
    }
}

/// Σ g², of every 32nd together, and these in their order.
struct Squares<'a, T>(&'a [T]);

impl<T: Real> WithSimd for Squares<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let (whole, rest) = self.0.as_chunks::<32>();
        let mut sums = [T::default(); 32];
        for g in whole {
            for k in 0..32 {
                sums[k] = g[k].times(g[k], sums[k]);
            }
        }
        let mut total = 0.0;
        for sum in sums {
            total += sum.double();
        }
        for g in rest {
            total += (*g * *g).double();
        }
        total
    }
}

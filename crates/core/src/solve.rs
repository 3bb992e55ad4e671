//! Learning by minimising: one file an algorithm, the problem it solves and the paper on top.
//!
//! ```text
//! min over w (d,), b of   P(w, b) = Σ_i c_i ℓ(y_i, x_i·w + b) + Ω(w)
//! ```
//!
//! A solver stops when the relative duality gap is small enough, when its watcher says so, or at its limit of
//! iterations: it always returns the best it has and how it ended, never prints and never warns.

pub mod adaptive;
pub mod barrier;
pub mod coordinate;
pub mod crammer_singer;
pub mod descent;
pub mod distinct;
pub mod dual_coordinate;
pub mod few;
pub mod interior_point;
mod line;
pub mod lone;
pub mod moments;
pub mod newton;
mod order;
pub mod passages;
pub mod perceptron;
pub mod smo;
pub mod softmax;
pub mod steps;
pub mod system;

pub use order::Order;

use crate::loss::{DualLoss, OfLoss};

/// What is to be minimised, but for the penalty: examples, their targets and weights, and the loss.
pub struct Problem<'a, R, L> {
    /// X (N, d).
    pub rows: &'a R,
    /// y (N,): −1 or +1 for margins, any number for regression.
    pub y: &'a [f64],
    /// c (N,) ≥ 0.
    pub weight: &'a [f64],
    /// (N,) what every score has besides x·w + b, or None for nothing.
    pub offset: Option<&'a [f64]>,
    /// ℓ.
    pub loss: L,
    /// Whether b is free; else it is 0. It is never penalised.
    pub intercept: bool,
}

impl<R, L> Problem<'_, R, L> {
    /// What score i has besides x·w + b.
    #[inline(always)]
    pub fn offset(&self, i: usize) -> f64 {
        self.offset.map_or(0.0, |offset| offset[i])
    }

    /// a with Σ c_i a_i = 0 where there is an intercept: the heavier side shrinks to the lighter, which leaves it in the
    /// domain of the conjugate.
    pub fn balanced(&self, mut a: Vec<f64>) -> Vec<f64> {
        if !self.intercept {
            return a;
        }
        let side =
            |sign: f64| -> f64 { a.iter().zip(self.weight).map(|(a, c)| c * (sign * a).max(0.0)).sum() };
        let (up, down) = shares(side(1.0), side(-1.0));
        a.iter_mut().for_each(|a| *a *= if *a > 0.0 { up } else { down });
        a
    }
}

impl<R, L: DualLoss> Problem<'_, R, L> {
    /// Σ c_i ℓ(y_i, s_i), for s = x·w + b without the offset.
    pub fn total_loss(&self, scores: &[f64]) -> f64 {
        self.loss.narrow(self.total(scores, false))
    }

    /// Σ c_i [ℓ*(y_i, −a_i) + a_i·offset_i].
    pub fn total_conjugate(&self, a: &[f64]) -> f64 {
        self.loss.narrow(self.total(a, true))
    }

    fn total<'t>(&'t self, of: &'t [f64], conjugate: bool) -> Total<'t> {
        Total { y: self.y, weight: self.weight, offset: self.offset, of, conjugate }
    }
}

/// By how much each of two sides shrinks so that both are as heavy as the lighter.
fn shares(up: f64, down: f64) -> (f64, f64) {
    if up > down { (down / up, 1.0) } else { (1.0, if down > 0.0 { up / down } else { 1.0 }) }
}

/// Losses of all examples, or conjugates.
struct Total<'a> {
    y: &'a [f64],
    weight: &'a [f64],
    offset: Option<&'a [f64]>,
    of: &'a [f64],
    conjugate: bool,
}

impl Total<'_> {
    /// Σ c_i of what is given a place and its offset. Examples of weight 0 count nothing, whatever is infinite there.
    fn sum(&self, of: impl Fn(usize, f64) -> f64) -> f64 {
        let counted = self.weight.iter().enumerate().filter(|&(_, &c)| c > 0.0);
        counted.map(|(i, &c)| c * of(i, self.offset.map_or(0.0, |offset| offset[i]))).sum()
    }
}

impl OfLoss for Total<'_> {
    type Output = f64;

    fn call<L: DualLoss>(self, loss: L) -> f64 {
        let Total { y, of, .. } = self;
        if self.conjugate {
            self.sum(|i, offset| loss.conjugate(y[i], -of[i]) + of[i] * offset)
        } else {
            self.sum(|i, offset| loss.value(y[i], of[i] + offset))
        }
    }
}

/// When to stop.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Stop when (primal − dual) ≤ tol · |primal|.
    pub tol: f64,
    /// Passes over the data.
    pub max_iter: usize,
    /// P at w = 0: the gap is also to be small against what the weights gain; infinity where that is not known.
    pub null: f64,
    /// So small a gap is lost to rounding, whatever the primal is.
    pub floor: f64,
    /// Whether a gap that is small against P alone is never enough: something else follows what ends too late.
    pub strict: bool,
    /// Passes over all examples that the work is worth, however few of them a pass visits: after it something else follows.
    pub work: f64,
}

/// Weights that gain less than this share of P are not told from 0.
const GAIN: f64 = 1e-6;

impl Limits {
    /// Of a tolerance and a number of passes alone.
    pub fn new(tol: f64, max_iter: usize) -> Limits {
        Limits { tol, max_iter, null: f64::INFINITY, floor: 0.0, strict: false, work: f64::INFINITY }
    }

    /// The largest gap at which to stop.
    pub fn enough(&self, primal: f64) -> f64 {
        let size = primal.abs();
        (self.tol * size.min((self.null - primal).max(GAIN * size))).max(self.floor)
    }
}

/// How a solver ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The tolerance was reached.
    Converged,
    /// Its iterations were used up.
    Exhausted,
    /// The watcher said stop.
    Stopped,
    /// The numbers left the range of a double; the solution is the last that was within.
    Overflow,
}

/// Told after every pass: (pass, primal, gap), NaN where they are not known; true means stop.
pub type Watch<'a> = dyn FnMut(usize, f64, f64) -> bool + Send + 'a;

/// So many looks in a row that find nothing lower, and rounding hides what is left.
const PATIENCE: usize = 10;

/// The lowest primal and gap until now.
struct Progress {
    primal: f64,
    gap: f64,
    since: usize,
}

impl Progress {
    fn new() -> Progress {
        Progress { primal: f64::INFINITY, gap: f64::INFINITY, since: 0 }
    }

    /// Tells how steps end at what they came to, which the watcher hears; None where another one follows.
    fn ending(
        &mut self,
        iterations: usize,
        primal: f64,
        gap: f64,
        limits: Limits,
        watch: &mut Watch<'_>,
    ) -> Option<Ending> {
        self.since = if primal < self.primal || gap < self.gap { 0 } else { self.since + 1 };
        (self.primal, self.gap) = (self.primal.min(primal), self.gap.min(gap));
        let enough = gap <= limits.enough(primal);
        match watch(iterations, primal, gap) {
            _ if enough => Some(Ending::Converged),
            true => Some(Ending::Stopped),
            false if self.since >= PATIENCE => Some(Ending::Overflow),
            false if iterations >= limits.max_iter => Some(Ending::Exhausted),
            false => None,
        }
    }
}

/// What a solver found.
pub struct Solution {
    /// (d,).
    pub w: Vec<f64>,
    /// The intercept.
    pub b: f64,
    /// a (N,) in the domain of the conjugate, with Σ c_i a_i = 0 where there is an intercept; w = Σ c_i a_i x_i / λ at
    /// the optimum. Empty for solvers without a dual.
    pub dual: Vec<f64>,
    /// Passes over the data.
    pub iterations: usize,
    /// How it ended.
    pub ending: Ending,
}

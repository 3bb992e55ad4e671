//! The path of an interior point for few features, whole: `barrier` moves the lines, `system` tells where to.
//!
//! Mehrotra's steps, predicted and corrected (SIAM J. Optim. 2, 1992). Floor of a step: that of `barrier` and of `system`.

use super::barrier::{Barrier, Look};
use super::few::{Few, Sums};
use super::moments::Moments;
use super::system::{System, dot};
use super::{Ending, Limits, Watch};

/// How far towards the border of the feasible set a step goes, at most.
const SHARE: f64 = 0.995;
/// After so many steps without progress no line is left behind any more.
const FREELY: usize = 3;
/// So many steps without progress, and the path is lost to rounding.
const PATIENCE: usize = 15;
/// Of the conditions that a step is to meet at first order, what may be left over before it is refined.
const LEFT: f64 = 1e-6;

/// What lines are to be met by, and how.
pub struct Path<'a> {
    /// X (N, d).
    pub rows: &'a Few<'a>,
    /// The lines of its rows and, with λ₁, of the weights, as `Barrier::new` takes them.
    pub lines: [&'a [f64]; 5],
    /// What `Barrier::new` is to hold multipliers away from.
    pub away: f64,
    /// λ₂.
    pub strength: f64,
    /// Whether b is free.
    pub intercept: bool,
}

/// Where a path ended.
pub struct End {
    /// (d,).
    pub w: Vec<f64>,
    /// The intercept.
    pub b: f64,
    /// u of all lines, at their bounds where they tend to them.
    pub u: Vec<f64>,
    /// Steps.
    pub iterations: usize,
    /// How; `Overflow` where the path was lost to rounding.
    pub ending: Ending,
}

/// Told what seems to be the optimum: (w, b, u); true where it is proved to be.
pub type Proof<'a> = dyn FnMut(&[f64], f64, &[f64]) -> bool + Send + 'a;

impl Path<'_> {
    /// The best point of the path.
    pub fn follow(&self, limits: Limits, proof: &mut Proof<'_>, watch: &mut Watch<'_>) -> End {
        let mut state = State::new(self);
        let mut best = (state.w.clone(), state.b, state.barrier.clean(self.away));
        let (mut iterations, mut least, mut since) = (0, f64::INFINITY, 0);
        let (mut lowest, mut lowered) = (f64::INFINITY, 0); // since lines were left behind
        let ending = loop {
            let (primal, gap) = state.look(self);
            let gap = if gap < 0.0 { 0.0 } else { gap }; // rounding; NaN stays NaN, and is never small enough
            if gap < least {
                best = (state.w.clone(), state.b, state.barrier.clean(self.away));
                (least, since) = (gap, iterations);
            }
            let freely = iterations - since <= FREELY;
            if freely || gap < lowest {
                (lowest, lowered) = (gap, iterations);
            }
            if !(primal + gap).is_finite() || iterations - lowered >= PATIENCE {
                break Ending::Overflow;
            }
            let mut done = gap <= limits.enough(primal) && proof(&best.0, best.1, &best.2);
            if !done && gap <= limits.enough(primal) && since == iterations {
                // What tends to a bound as slowly as to 0 unbalances the others where it is put there.
                let inside = state.barrier.inside();
                done = proof(&best.0, best.1, &inside);
                best.2 = if done { inside } else { best.2 };
            }
            let stopped = watch(iterations, primal, gap);
            match () {
                () if done => break Ending::Converged,
                () if stopped => break Ending::Stopped,
                () if iterations >= limits.max_iter => break Ending::Exhausted,
                () => {}
            }
            iterations += 1;
            if state.step(self, freely).is_none() {
                watch(iterations, primal, gap);
                break Ending::Stopped;
            }
        };
        End { w: best.0, b: best.1, u: best.2, iterations, ending }
    }
}

/// Weights, and the lines with u, z and q.
struct State {
    barrier: Barrier,
    w: Vec<f64>,
    b: f64,
    product: f64,
    slope: Vec<f64>,
    sum: f64,
    rest: Sums,
}

impl State {
    fn new(path: &Path<'_>) -> State {
        let barrier = Barrier::new(path.lines, path.away);
        State {
            barrier,
            w: vec![0.0; path.rows.columns()],
            b: 0.0,
            product: 0.0,
            slope: vec![],
            sum: 0.0,
            rest: Sums::default(),
        }
    }

    /// P, and what the conditions of optimality are short of it.
    fn look(&mut self, path: &Path<'_>) -> (f64, f64) {
        let Look { losses, product, apart, sums: (v, total), rest } =
            self.barrier.look(path.rows, &self.w, self.b);
        self.rest = rest;
        self.product = product;
        self.slope = self.w.iter().zip(v).map(|(w, v)| path.strength * w - v).collect();
        self.sum = if path.intercept { total } else { 0.0 };
        let short = product.max(apart) + dot(&self.slope, &self.w).abs() + (self.sum * self.b).abs();
        (losses + 0.5 * path.strength * dot(&self.w, &self.w), short)
    }

    /// Makes a step, that few lines do not hold back where it is made `freely`; None where nobody waits for it.
    fn step(&mut self, path: &Path<'_>, freely: bool) -> Option<()> {
        let weights = self.barrier.weights();
        let (of_rows, of_weights) = weights.split_at(path.rows.count());
        let mut ridge = vec![path.strength; self.w.len()];
        ridge.iter_mut().zip(of_weights).for_each(|(ridge, weight)| *ridge += weight);
        let system = System::new(&Moments::of(path.rows, of_rows, &[])?, &ridge, path.intercept);
        let rest = std::mem::take(&mut self.rest);
        self.aim(path, &system, rest, 1);
        let left = self.barrier.reach();
        let mu = (left / self.product).powi(3) * self.product / (2.0 * self.barrier.count() as f64);
        let rest = self.barrier.aim(path.rows, mu);
        let (w, b) = self.aim(path, &system, rest, 2);
        let length = self.barrier.advance(SHARE, freely);
        self.w.iter_mut().zip(w).for_each(|(own, step)| *own += length * step);
        self.b += length * b;
        Some(())
    }

    /// Changes of w and b after which, with those of u, λ₂w = Aᵀu and Σ u = 0, given the sums of the steps of u where w and
    /// b stay; in a second round refined, where the factor was not precise enough.
    fn aim(
        &mut self,
        path: &Path<'_>,
        system: &System,
        (mut v, mut total): Sums,
        rounds: usize,
    ) -> (Vec<f64>, f64) {
        let (mut w, mut b, mut first) = (vec![0.0; self.w.len()], 0.0, 0.0);
        for left in (0..rounds).rev() {
            let wanted = v.iter().zip(&self.slope).zip(&w);
            let slope: Vec<f64> = wanted.map(|((v, slope), w)| v - slope - path.strength * w).collect();
            let border = if path.intercept { self.sum + total } else { 0.0 };
            let length = dot(&slope, &slope).sqrt() + border.abs();
            if length <= LEFT * first {
                break;
            }
            first = length;
            let (dw, db) = system.solve(&slope, border);
            w.iter_mut().zip(dw).for_each(|(w, dw)| *w += dw);
            b += if path.intercept { db } else { 0.0 };
            (v, total) = self.barrier.turn(path.rows, &w, b, left > 0);
        }
        (w, b)
    }
}

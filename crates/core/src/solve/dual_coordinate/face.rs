//! Newton's step on the face: all examples whose a is inside its domain at once, while those at an edge stay.
//!
//! ```text
//! (XXᵀ/λ + σ²11ᵀ/λ + diag(κ_i/c_i)) p = t − s   over the free examples,      a ← a + p/c,
//! ```
//!
//! where t_i is the score that a_i answers to and κ_i = 1/ℓ″(t_i). Coordinate ascent finds the face soon and then needs
//! as many passes as the matrix's condition; conjugate gradients need its root (Moré & Toraldo, SIAM J. Optim. 1, 1991,
//! take them in turn for the same reason). Of a step that leaves the domain what is inside counts, as much of it as
//! raises the dual. Each gradient is two looks at every value of a free row, on all cores.

use super::{Problem, State};
use crate::loss::DualLoss;
use crate::products::{combination, scores, scores_of};
use crate::rows::{Index, Rows, Value};

/// Conjugate gradients at most: with more the step leaves the domain in too many places (measured on text: 6, 12, 15,
/// 20, 40).
const GRADIENTS: usize = 12;
/// They end when what is left of the equations, squared, is so small a part of what was there.
const ENOUGH: f64 = 1e-4;
/// Parts of the step that are tried.
const PARTS: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// After so many passes the first step is tried, and from then on after `AGAIN` while it pays.
const FIRST: usize = 10;
const AGAIN: usize = 4;

/// When the next step is due.
pub struct Faces {
    /// Passes from one to the next.
    wait: usize,
    /// Passes since the last.
    passes: usize,
    /// The dual one pass ago, where a step is due next.
    dual: f64,
}

impl Faces {
    pub fn new() -> Faces {
        Faces { wait: FIRST, passes: 0, dual: f64::NAN }
    }

    /// A step where one is due. It is due again soon if the dual rose by more for each visit than it did in the pass,
    /// else after twice as many passes.
    pub fn after_a_pass<V: Value, I: Index, L: DualLoss>(
        &mut self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
        state: &mut State,
    ) {
        self.passes += 1;
        if self.passes + 1 < self.wait {
            return;
        }
        let dual = state.dual(problem, &state.a, &state.w, state.residual);
        let risen = dual - std::mem::replace(&mut self.dual, dual);
        if self.passes < self.wait {
            return;
        }
        let visits = state.awake.len() as f64;
        let gain = step(problem, state, dual);
        state.visits += gain.visits * CORES;
        let pays = gain.dual * visits > risen * gain.visits;
        *self = Faces { wait: if pays { AGAIN } else { 2 * self.wait }, passes: 0, dual: f64::NAN };
        if gain.dual > 0.0 {
            state.wake(1.0);
        }
    }
}

/// What a step gave and took.
struct Gain {
    /// By how much the dual rose.
    dual: f64,
    /// Examples visited, as a pass visits them.
    visits: f64,
}

/// The equations of the free examples.
struct Face<'a, 'p, 'b, 'r, V, I, L> {
    problem: &'a Problem<'b, Rows<'r, V, I>, L>,
    free: Vec<u32>,
    /// κ_i/c_i.
    diagonal: Vec<f64>,
    /// The right-hand side t − s.
    wanted: Vec<f64>,
    state: &'p State,
}

/// One step from where the state and its dual are; nothing changes where no part of the step raises the dual.
fn step<V: Value, I: Index, L: DualLoss>(
    problem: &Problem<'_, Rows<'_, V, I>, L>,
    state: &mut State,
    before: f64,
) -> Gain {
    let face = Face::new(problem, state);
    let (p, gradients) = face.solve();
    let mut visits = (1 + gradients) as f64 * face.free.len() as f64 / CORES;
    let free = face.free;
    for part in PARTS {
        let mut a = state.a.clone();
        for (&i, p) in free.iter().zip(&p) {
            let i = i as usize;
            a[i] = problem.loss.feasible(problem.y[i], a[i] + part * p / problem.weight[i]);
        }
        let w = state.weights(problem, &a);
        let residual = a.iter().zip(problem.weight).map(|(a, c)| a * c).sum();
        let dual = state.dual(problem, &a, &w, residual);
        visits += a.len() as f64 / CORES;
        if dual > before {
            state.b += state.hold.square / state.strength * (residual - state.residual);
            (state.a, state.w, state.residual) = (a, w, residual);
            return Gain { dual: dual - before, visits };
        }
    }
    Gain { dual: 0.0, visits }
}

/// Cores that a step is taken to have: what it costs is compared with a pass, which has one, and the answer must not
/// depend on how many there are.
const CORES: f64 = 2.0;

impl<'a, 'p, 'b, 'r, V: Value, I: Index, L: DualLoss> Face<'a, 'p, 'b, 'r, V, I, L> {
    fn new(problem: &'a Problem<'b, Rows<'r, V, I>, L>, state: &'p State) -> Self {
        let s = scores(problem.rows, &state.w, &[state.b]);
        let mut face = Face { problem, free: vec![], diagonal: vec![], wanted: vec![], state };
        for (i, (&y, &c)) in problem.y.iter().zip(problem.weight).enumerate().filter(|(_, (_, c))| **c > 0.0)
        {
            if let Some((t, kappa)) = problem.loss.answered(y, state.a[i]) {
                face.free.push(i as u32);
                face.diagonal.push(kappa / c);
                face.wanted.push(t - s[i] - problem.offset(i));
            }
        }
        face
    }

    /// The matrix times p.
    fn times(&self, p: &[f64]) -> Vec<f64> {
        let Face { problem, state, .. } = self;
        let mut all = vec![0.0; problem.y.len()];
        self.free.iter().zip(p).for_each(|(&i, &p)| all[i as usize] = p / state.strength);
        let w = combination(problem.rows, &all, 1);
        let b = state.hold.square / state.strength * p.iter().sum::<f64>();
        let mut result = scores_of(problem.rows, &self.free, &w, b);
        result.iter_mut().zip(p.iter().zip(&self.diagonal)).for_each(|(q, (p, d))| *q += p * d);
        result
    }

    /// p by conjugate gradients, preconditioned by the diagonal, and how many.
    fn solve(&self) -> (Vec<f64>, usize) {
        let constant = self.state.hold.square / self.state.strength;
        let size = |&i: &u32| self.state.curvature[i as usize] / self.problem.weight[i as usize] + constant;
        let scale: Vec<f64> =
            self.free.iter().zip(&self.diagonal).map(|(i, d)| 1.0 / (size(i) + d)).collect();
        let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(&scale).map(|(r, s)| r * s).collect() };
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mut x = vec![0.0; self.free.len()];
        let mut r = self.wanted.clone();
        let mut p = scaled(&r);
        let mut rz = dot(&r, &p);
        let enough = ENOUGH * rz;
        for gradients in 0..GRADIENTS {
            if rz.is_nan() || rz <= enough {
                return (x, gradients);
            }
            let q = self.times(&p);
            let pq = dot(&p, &q);
            if pq.is_nan() || pq <= 0.0 {
                return (x, gradients);
            }
            let step = rz / pq;
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
            let z = scaled(&r);
            let next = dot(&r, &z);
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + next / rz * *p);
            rz = next;
        }
        (x, GRADIENTS)
    }
}

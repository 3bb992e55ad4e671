//! Coordinate descent with working sets.
//!
//! ```text
//! min over w (d,), b of   P(w, b) = Σ_i c_i ℓ(y_i, x_i·w + b) + λ₁‖w‖₁ + ½λ₂‖w‖²,    b free or 0, never penalised,
//!                                 all w_j ≥ 0 where the penalty asks for it
//! ```
//!
//! An iteration is a step of Newton's method, the penalty kept as it is (Lee, Sun & Saunders, SIAM Journal on
//! Optimization 24, 2014; Yuan, Ho & Lin, JMLR 13, 2012, "An improved GLMNET"): one exponential an example, then
//! additions and multiplications only. The quadratic model is minimised over a working set of the weights that are not
//! zero and the worst offenders among the others (Massias, Gramfort & Salmon, ICML 2018; Bertrand et al., NeurIPS 2022)
//! by sweeps over columns; once these have cost what forming the Hessian costs, it is formed, the sweeps go on over it,
//! extrapolated, and the next iterations use it again, a few columns added, as long as P falls fast. The step is searched along its line, so P never rises; b is minimised out exactly, so
//! a = −∂ℓ/∂s, scaled, is feasible for the dual and the gap costs nothing beyond the slopes.
//!
//! Floor: a gather and a multiplication a value for the slopes, the same and a write for a sweep (≈ 220 M/s a core).

mod extrapolation;
mod gram;
mod hessian;
mod point;
mod quadratic;
mod smooth;

use super::{Ending, Limits, Order, Solution, Watch};
use crate::columns::Columns;
pub use crate::penalty::Penalty;
use gram::Gram;
use point::{Point, combined};
use quadratic::Quadratic;
pub use smooth::Smooth;

/// Weights that may join the working set at once, at least; so few may all do.
const JOIN: usize = 256;
const FEW: usize = 4 * JOIN;
/// The model is minimised to where no slope is farther off than this share of the worst before.
const TARGET: f64 = 0.1;
/// A Hessian is used again as long as P falls by at most this share of the fall before: so it nears the optimum fast.
const FALL: f64 = 0.3;
/// One in so many columns at most joins a Hessian that is there.
const MISSING: usize = 12;
/// Sweeps over columns that a model is worth after a step that had to be cut, twice as many after each whole one, and at
/// most: far from the optimum to minimise the model well is work for nothing.
const SWEEPS: (usize, usize) = (5, 100);
/// From this share of λ₁/max |v_j| on the dual is bounded by the length of w, as in `certificates/duality.py`.
const NEAR: f64 = 1.0 - 1e-4;
/// Below this share of P its falls are rounding, and the worst violation tells instead.
const ROUNDING: f64 = 1e-13;

/// Targets, weights and the loss; whether b is free.
pub struct Examples<'a, L> {
    /// y (N,).
    pub y: &'a [f64],
    /// c (N,) ≥ 0.
    pub weight: &'a [f64],
    /// What the scores have besides (N,), 0 where there is none.
    pub offset: Option<&'a [f64]>,
    /// ℓ.
    pub loss: L,
    /// Whether b is free; else it is 0.
    pub intercept: bool,
    /// Σ c_i.
    pub total: f64,
}

/// The optimum, from the weights `start` (d,) and b = 0 or from zero.
pub fn solve<L: Smooth>(
    columns: &Columns,
    examples: &Examples<'_, L>,
    penalty: Penalty,
    start: Option<&[f64]>,
    seed: u64,
    limits: Limits,
    watch: &mut Watch<'_>,
) -> Solution {
    let free = penalty.l1 == 0.0 && penalty.l2 == 0.0;
    let steepest =
        start.filter(|_| free).map(|_| State::new(columns, examples, penalty, None).steepest_slope());
    let mut state =
        State { steepest: steepest.unwrap_or_default(), ..State::new(columns, examples, penalty, start) };
    let mut order = Order::new(seed);
    let mut iterations = 0;
    let ending = loop {
        let (primal, gap) = state.examine();
        if gap <= limits.enough(primal) {
            watch(iterations, primal, gap);
            break Ending::Converged;
        }
        if watch(iterations, primal, gap) {
            break Ending::Stopped;
        }
        if iterations >= limits.max_iter {
            break Ending::Exhausted;
        }
        iterations += 1;
        if !state.step(&mut order) {
            let done = gap <= limits.tol.max(1e-9) * primal.abs();
            break if done { Ending::Converged } else { Ending::Exhausted };
        }
    };
    Solution { w: state.w, b: state.point.b, dual: state.dual, iterations, ending }
}

struct State<'a, L> {
    columns: &'a Columns,
    examples: &'a Examples<'a, L>,
    penalty: Penalty,
    w: Vec<f64>,
    point: Point,
    /// v (d,) = Σ c_i a_i x_i.
    v: Vec<f64>,
    /// D at `dual`, the best bound so far.
    bound: f64,
    dual: Vec<f64>,
    /// The Hessian of some iteration before.
    gram: Option<Gram>,
    /// The steepest slope so far, and that at 0, where all weights are free to grow.
    steepest: f64,
    /// The worst violation before the last step.
    worst: f64,
    /// Sweeps that the next model is worth.
    sweeps: usize,
    /// P now, before the last step and before the one before it.
    primals: [f64; 3],
}

impl<'a, L: Smooth> State<'a, L> {
    fn new(
        columns: &'a Columns,
        examples: &'a Examples<'a, L>,
        penalty: Penalty,
        start: Option<&[f64]>,
    ) -> State<'a, L> {
        let w = start.map_or_else(|| vec![0.0; columns.columns()], <[f64]>::to_vec);
        let set: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
        let values: Vec<f64> = set.iter().map(|&j| w[j]).collect();
        let mut s = combined(columns, &set, &values, 0.0);
        s.iter_mut().zip(examples.offset.unwrap_or_default()).for_each(|(s, o)| *s += o);
        let point = examples.look(0.0, s);
        let dual = vec![0.0; point.a.len()];
        let (bound, worst) = (f64::NEG_INFINITY, f64::INFINITY);
        State {
            columns,
            examples,
            penalty,
            w,
            point,
            v: vec![],
            bound,
            dual,
            gram: None,
            steepest: 0.0,
            worst,
            sweeps: SWEEPS.0,
            primals: [f64::INFINITY; 3],
        }
    }

    /// Primal and gap; the slopes of all columns.
    fn examine(&mut self) -> (f64, f64) {
        let u: Vec<f64> = self.point.a.iter().zip(self.examples.weight).map(|(a, c)| a * c).collect();
        self.v = self.columns.combination(&u);
        let Penalty { l1, l2, .. } = self.penalty;
        let largest = self.v.iter().fold(0.0_f64, |m, &v| m.max(self.penalty.pull(v)));
        let factor = if l2 == 0.0 && largest > l1 { l1 / largest } else { 1.0 };
        let scaled = -self.examples.conjugate(&self.point.a, factor) - self.penalty.conjugate(&self.v);
        self.offer(scaled, factor);
        self.steepest = self.steepest.max(largest);
        let length: f64 = self.w.iter().map(|w| w.abs()).sum();
        let small = 0.0 < largest && largest <= (1.0 - NEAR) * self.steepest;
        let near = if l1 > 0.0 { NEAR < factor && factor < 1.0 } else { l2 == 0.0 && small };
        let mut bound = self.bound;
        if near && length > 0.0 {
            // Over all weights up to twice as long as these, where little more than rounding keeps v from λ₁. Without λ₁
            // it says nothing of weights that have hardly begun to grow, so that it is not kept.
            let reach = -self.examples.conjugate(&self.point.a, 1.0) - 2.0 * length * (largest - l1);
            if l1 > 0.0 {
                self.offer(reach, 1.0);
                bound = self.bound;
            } else if reach > bound {
                bound = reach;
                self.dual.clone_from(&self.point.a);
            }
        }
        let primal = self.point.loss + self.penalty.value(&self.w);
        self.primals = [primal, self.primals[0], self.primals[1]];
        (primal, (primal - bound).max(0.0))
    }

    /// The largest slope of a weight, on the side where it pulls it from 0.
    fn steepest_slope(&self) -> f64 {
        let u: Vec<f64> = self.point.a.iter().zip(self.examples.weight).map(|(a, c)| a * c).collect();
        self.columns.combination(&u).iter().fold(0.0_f64, |m, &v| m.max(self.penalty.pull(v)))
    }

    /// Takes a bound, that of factor·a, if it is the best.
    fn offer(&mut self, bound: f64, factor: f64) {
        if bound > self.bound {
            self.bound = bound;
            self.dual = self.point.a.iter().map(|a| a * factor).collect();
        }
    }

    /// How far −v_j is from −∂Ω.
    fn violation(&self, j: usize) -> f64 {
        let (w, slope) = (self.w[j], self.penalty.l2 * self.w[j] - self.v[j]);
        quadratic::best(w, slope, 1.0, self.penalty.kink()).1
    }

    /// The weights that are not zero, and the worst offenders among the others; the worst violation.
    fn working_set(&self) -> (Vec<usize>, f64) {
        let violations: Vec<f64> = (0..self.w.len()).map(|j| self.violation(j)).collect();
        let worst = violations.iter().fold(0.0_f64, |m, &v| m.max(v));
        let mut set: Vec<usize> = (0..self.w.len()).filter(|&j| self.w[j] != 0.0).collect();
        let mut others: Vec<usize> =
            (0..self.w.len()).filter(|&j| self.w[j] == 0.0 && violations[j] > 0.0).collect();
        let many = self.w.len() > FEW;
        let most = if many && (self.penalty.l1 > 0.0 || self.penalty.nonnegative) {
            JOIN.max(set.len())
        } else {
            others.len()
        };
        if others.len() > most {
            others.select_nth_unstable_by(most, |&i, &j| {
                violations[j].total_cmp(&violations[i]).then(i.cmp(&j))
            });
            others.truncate(most);
        }
        set.extend(others);
        set.sort_unstable();
        (set, worst)
    }

    /// One iteration; false where no step goes down.
    fn step(&mut self, order: &mut Order) -> bool {
        let (set, worst) = self.working_set();
        let kept =
            self.gram.take().filter(|_| self.nears(worst)).and_then(|gram| self.fitted(gram, &set, worst));
        self.worst = worst;
        if let Some(gram) = kept {
            let small = gram
                .small(self.penalty.kink(), self.penalty.l2, |p| (-self.v[gram.set[p]], self.w[gram.set[p]]));
            let step = gram.minimise(&small, vec![0.0; gram.set.len()], TARGET * worst);
            if self.go(&gram.set, &step, gram.shift(&step)) {
                self.gram = Some(gram);
                return true;
            }
        }
        let (step, shift, gram) = self.model(&set, TARGET * worst, order);
        self.gram = gram;
        self.go(&set, &step, shift)
    }

    /// Whether the last steps show that the Hessian they were made with is good enough.
    fn nears(&self, worst: f64) -> bool {
        let [now, before, first] = self.primals;
        let told = before - now > ROUNDING * now.abs();
        if told { before - now <= FALL * (first - before) } else { worst <= FALL * self.worst }
    }

    /// A Hessian with the columns that matter now, unless too many are missing.
    fn fitted(&self, gram: Gram, set: &[usize], worst: f64) -> Option<Gram> {
        let missing = set.iter().copied().filter(|j| gram.set.binary_search(j).is_err());
        let missing: Vec<usize> = missing.filter(|&j| self.violation(j) > TARGET * worst).collect();
        match missing.len() {
            0 => Some(gram),
            n if n * MISSING > gram.set.len() => None,
            _ => Some(gram.extended(self.columns, &missing, self.examples.intercept, self.penalty.l2)),
        }
    }

    /// The step that the model asks for, in w and b; the Hessian, if that was formed.
    fn model(&self, set: &[usize], target: f64, order: &mut Order) -> (Vec<f64>, f64, Option<Gram>) {
        let Examples { weight, loss, intercept, .. } = *self.examples;
        let least = 1e-10 * loss.bound(); // where the loss is flat a model without curvature has no minimum
        let curvature: Vec<f64> =
            self.point.curvature.iter().zip(weight).map(|(h, c)| h + c * least).collect();
        let model = Quadratic {
            columns: self.columns,
            set,
            curvature: &curvature,
            gradient: set.iter().map(|&j| -self.v[j]).collect(),
            w: set.iter().map(|&j| self.w[j]).collect(),
            kink: self.penalty.kink(),
            l2: self.penalty.l2,
            intercept,
        };
        let u: Vec<f64> = self.point.a.iter().zip(weight).map(|(a, c)| -a * c).collect();
        model.minimise(&u, target, self.sweeps, order)
    }

    /// Goes along a step as far as P falls; false where it does not fall.
    fn go(&mut self, set: &[usize], step: &[f64], shift: f64) -> bool {
        let along = combined(self.columns, set, step, shift);
        let t = self.search(set, step, &along);
        self.sweeps = if t == 1.0 { SWEEPS.1.min(2 * self.sweeps) } else { SWEEPS.0 };
        if t == 0.0 {
            return false;
        }
        for (&j, d) in set.iter().zip(step) {
            let w = self.w[j] + t * d;
            self.w[j] = if t == 1.0 && w.abs() <= 1e-14 * d.abs() { 0.0 } else { w }; // w − w to the last bit
        }
        let s = self.point.s.iter().zip(&along).map(|(s, d)| s + t * d).collect();
        self.point = self.examples.look(self.point.b + t * shift, s);
        true
    }

    /// The first t of 1, ½, ¼, … at which P falls by a share of what the slope promises (Yuan, Ho & Lin, eq. 20).
    fn search(&self, set: &[usize], step: &[f64], along: &[f64]) -> f64 {
        let (kink, l2) = (self.penalty.kink(), self.penalty.l2);
        let penalty = |t: f64| -> f64 {
            let each = set.iter().zip(step).map(|(&j, d)| {
                let (w, d) = (self.w[j], t * d);
                kink.rise(w, d) + l2 * d * (w + 0.5 * d)
            });
            each.sum()
        };
        let smooth: f64 = set.iter().zip(step).map(|(&j, d)| (l2 * self.w[j] - self.v[j]) * d).sum();
        let kinks: f64 = set.iter().zip(step).map(|(&j, d)| kink.rise(self.w[j], *d)).sum();
        let promised = smooth + kinks;
        if promised.is_nan() || promised >= 0.0 {
            return 0.0;
        }
        if -promised <= ROUNDING * self.point.loss.abs() {
            return 1.0; // below the rounding of P nothing can be compared
        }
        let mut t = 1.0;
        for _ in 0..60 {
            let rise = self.examples.rise(&self.point.s, along, t) + penalty(t);
            if rise <= 0.01 * t * promised {
                return t;
            }
            t *= 0.5;
        }
        0.0
    }
}

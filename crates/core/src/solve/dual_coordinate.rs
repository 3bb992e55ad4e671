//! Dual coordinate ascent with shrinking.
//!
//! ```text
//! max over a (N,) of   D(a) = −Σ c_i ℓ*(y_i, −a_i) − ½λ‖w‖²,     w = Σ c_i a_i x_i / λ kept up to date,
//! subject to Σ c_i a_i = 0 where there is an intercept:   the dual of   min Σ c_i ℓ(y_i, x_i·w + b) + ½λ‖w‖²
//! ```
//!
//! Hsieh, Chang, Lin, Keerthi & Sundararajan, ICML 2008, Algorithm 3; for the logistic loss Yu, Huang & Lin, Machine
//! Learning 85, 2011. Each step maximises D over one a_i exactly. The intercept is the multiplier of the constraint and
//! is found by the method of multipliers (Hestenes 1969, Powell 1969): within a pass it moves as the weight of a
//! constant feature σ would, after each pass the constraint's residual is added once more (`Hold`). Where many passes are
//! needed, some are followed by a step of Newton's on the face (`face.rs`). One pass touches every value stored twice.
//! Floor: dot and addition at ≈ 500 M values/s a core, where the processor foresees them.

mod face;
mod hold;
mod lanes;

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use self::face::Faces;
use self::hold::Hold;
pub use self::lanes::{LANES, solve_each};
use super::{Ending, Limits, Order, Problem, Solution, Watch};
use crate::loss::shift::best_corner;
use crate::loss::{DualLoss, OfLoss};
use crate::products::{combination, scores};
use crate::rows::{Index, Rows, Value};

/// Values beyond so many bytes, which no core has near, are fetched: of rows that are neighbours the next one while one is
/// at work.
const FAR: usize = 1 << 20;
/// Rows that are visited one after the other then: as many passes are needed as in an order of single rows (measured on
/// texts by runs of 1, 2, 4, 8 and 16: from 8 on there are more).
const RUN: u32 = 4;

/// In the place of an example that falls asleep.
const ASLEEP: u32 = u32::MAX;

/// Every so many visits the gap of an example is looked at, to guess the gap of all.
const SAMPLED: usize = 8;

/// The optimum of the penalty ½λ‖w‖², from `start` (N,) or from zero.
pub fn solve<V: Value, I: Index, L: DualLoss>(
    problem: &Problem<'_, Rows<'_, V, I>, L>,
    strength: f64,
    start: Option<&[f64]>,
    seed: u64,
    limits: Limits,
    watch: &mut Watch<'_>,
) -> Solution {
    let mut state = State::new(problem, strength, start);
    let mut order = Order::new(seed);
    let mut ending = Ending::Exhausted;
    let mut iterations = 0;
    let mut faces = Faces::new();
    let mut before: Option<Look> = None;
    let mut asked = None; // the gap at which to stop, as far as the primal is known
    let mut patience = limits.max_iter; // once the gap is small against P, passes until it is against what w gains
    let work = limits.work * problem.y.len() as f64;
    while iterations < limits.max_iter && state.visits < work {
        iterations += 1;
        let guess = state.pass(problem, &mut order);
        let is_last = iterations == limits.max_iter || state.visits >= work;
        let enough = asked.unwrap_or(limits.tol * guess.primal.abs());
        let mut known = (f64::NAN, f64::NAN);
        let is_due = looks(iterations, limits.strict);
        if guess.gap <= enough || is_due || is_last || iterations == patience {
            let (primal, gap) = state.examine(problem);
            state.visits += EXAMINED * problem.y.len() as f64;
            known = (primal, gap);
            asked = Some(limits.enough(primal));
            let small = !limits.strict && gap <= limits.tol * primal.abs();
            patience = if small { patience.min(PATIENCE * iterations) } else { patience };
            if gap <= limits.enough(primal) || (small && iterations >= patience) {
                ending = Ending::Converged;
                watch(iterations, primal, gap);
                break;
            }
            let (look, enough) = (Look { iterations, gap }, limits.enough(primal));
            let slow = |before: Look| look.tells_too_slow(before, enough, limits.max_iter);
            if is_due && limits.strict && before.replace(look).is_some_and(slow) {
                watch(iterations, primal, gap);
                break;
            }
            state.wake(gap / guess.gap.max(f64::MIN_POSITIVE));
        }
        if state.unsettled(enough) && iterations % SETTLING == 0 {
            state.wake(1.0);
        }
        if watch(iterations, known.0, known.1) {
            ending = Ending::Stopped;
            break;
        }
        faces.after_a_pass(problem, &mut state);
    }
    let dual = state.balanced(problem);
    let b = state.b + state.best_corner(problem);
    Solution { w: state.w, b, dual, iterations, ending }
}

/// Whether the gap is looked at whatever the guess, each time that there have been twice as many passes: sampled examples
/// and an intercept that is not settled can make that too large for ever. Where another solver follows, it is looked at
/// from half as many passes on and twice as often, so that its fall is known early.
fn looks(iterations: usize, followed: bool) -> bool {
    if followed {
        let among = |step: usize| iterations.is_multiple_of(step) && (iterations / step).is_power_of_two();
        iterations >= LOOKED_AT / 2 && (among(1) || among(3))
    } else {
        iterations >= LOOKED_AT && iterations.is_power_of_two()
    }
}

/// Looks at all rows that primal and gap take.
const EXAMINED: f64 = 2.0;

/// First at this pass.
const LOOKED_AT: usize = 16;

/// So many times the passes that made the gap small against P are spent at most on weights that gain little.
const PATIENCE: usize = 3;

/// While the intercept is not settled, sleepers are woken after so many passes: it moves on between passes, where no
/// clearance sees it, and the examples that could hold it may be asleep.
const SETTLING: usize = 8;

/// The gap where it was looked at last, at the end of so many passes.
#[derive(Clone, Copy)]
struct Look {
    iterations: usize,
    gap: f64,
}

impl Look {
    /// Whether more passes than are allowed would be needed, if the gap fell on as fast as since the look before.
    fn tells_too_slow(self, before: Look, enough: f64, most: usize) -> bool {
        let fell = (before.gap / self.gap).ln() / (self.iterations - before.iterations) as f64;
        (self.gap / enough).ln() > fell * most.saturating_sub(self.iterations) as f64
    }
}

/// What is known of primal and gap after a pass, without looking at everything.
struct Guess {
    primal: f64,
    gap: f64,
}

struct State {
    w: Vec<f64>,
    b: f64,
    a: Vec<f64>,
    /// Σ c_i a_i, which the intercept makes vanish.
    residual: f64,
    /// c_i ‖x_i‖² / λ.
    curvature: Vec<f64>,
    strength: f64,
    hold: Hold,
    /// The examples that cost something, and those of them that may still move, as they stand.
    places: Vec<u32>,
    awake: Vec<u32>,
    /// Neighbours that are visited one after the other, so many.
    run: u32,
    /// Examples visited until now, each time that one is.
    visits: f64,
    /// What the others lose, as they did when put to sleep.
    asleep: f64,
    /// Beyond this distance from its kink an example that did not move is put to sleep.
    clearance: f64,
    /// How much larger the gap was than guessed, when last looked at.
    caution: f64,
}

impl State {
    fn new<V: Value, I: Index, L: DualLoss>(
        problem: &Problem<'_, Rows<'_, V, I>, L>,
        strength: f64,
        start: Option<&[f64]>,
    ) -> State {
        let Problem { rows, y, weight: c, loss, intercept, .. } = problem;
        let norms: Vec<f64> = (0..rows.count()).map(|i| rows.row(i).squared_norm()).collect();
        let hold = Hold::new(norms.iter().copied(), c, *intercept, strength);
        let curvature = norms.iter().zip(*c).map(|(n, c)| c * n / strength).collect();
        let a: Vec<f64> = match start {
            None => vec![0.0; y.len()],
            Some(start) => start.iter().zip(*y).map(|(&a, &y)| loss.feasible(y, a)).collect(),
        };
        let places: Vec<u32> = (0..y.len() as u32).filter(|&i| c[i as usize] > 0.0).collect();
        let mut state = State {
            w: vec![0.0; rows.columns()],
            b: 0.0,
            residual: a.iter().zip(*c).map(|(a, c)| a * c).sum(),
            a,
            curvature,
            strength,
            hold,
            awake: places.clone(),
            places,
            run: if size_of_val(rows.values()) > FAR { RUN } else { 1 },
            visits: 0.0,
            asleep: 0.0,
            clearance: f64::INFINITY,
            caution: 1.0,
        };
        if start.is_some() {
            state.w = state.weights(problem, &state.a);
            state.b = state.intercept(problem).unwrap_or(state.residual * hold.square / strength);
        }
        state
    }

    /// The b that examples inside their domains ask for on average, where b is free and there are any.
    fn intercept<V: Value, I: Index, L: DualLoss>(
        &self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
    ) -> Option<f64> {
        let s = scores(problem.rows, &self.w, &[0.0]);
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, (&y, &c)) in problem.y.iter().zip(problem.weight).enumerate() {
            if let Some((t, _)) = problem.loss.answered(y, self.a[i]) {
                sum += c * (t - s[i] - problem.offset(i));
                total += c;
            }
        }
        (problem.intercept && total > 0.0).then(|| sum / total)
    }

    /// w = Σ c_i a_i x_i / λ.
    fn weights<V: Value, I: Index, L>(
        &self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
        a: &[f64],
    ) -> Vec<f64> {
        let u: Vec<f64> = a.iter().zip(problem.weight).map(|(a, c)| a * c / self.strength).collect();
        combination(problem.rows, &u, 1)
    }

    fn pass<V: Value, I: Index, L: DualLoss>(
        &mut self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
        order: &mut Order,
    ) -> Guess {
        let (before, asleep) = (self.awake.len(), self.asleep);
        self.visits += before as f64;
        let runs = order.runs(before, self.run);
        let told = problem.loss.narrow(Ready { problem, runs: &runs, state: self });
        self.awake.retain(|&i| i != ASLEEP);
        self.b += self.hold.square / self.strength * self.residual;
        self.clearance = if told.moved > 0.0 { told.moved } else { f64::INFINITY };
        let scale = (before as f64 / told.sampled.max(1) as f64).max(1.0);
        let norm: f64 = self.w.iter().map(|w| w * w).sum();
        let seen = told.gap * scale * self.caution;
        let gap = seen + self.off();
        self.b += self.hold.grow(self.residual, gap - seen, seen) / self.strength * self.residual;
        Guess { primal: told.loss * scale + asleep + 0.5 * self.strength * norm, gap }
    }

    /// What a pass raises: D(a) less μ·Σ c_i a_i and ½σ²/λ times its square, μ being what the intercept is without it.
    fn dual<V: Value, I: Index, L: DualLoss>(
        &self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
        a: &[f64],
        w: &[f64],
        residual: f64,
    ) -> f64 {
        let weight = self.hold.square / self.strength;
        let multiplier = self.b - weight * self.residual;
        let square: f64 = w.iter().map(|w| w * w).sum();
        -problem.total_conjugate(a)
            - 0.5 * self.strength * square
            - (multiplier + 0.5 * weight * residual) * residual
    }

    /// Primal and gap, from all examples.
    fn examine<V: Value, I: Index, L: DualLoss>(
        &self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
    ) -> (f64, f64) {
        let half = 0.5 * self.strength;
        let square = |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>();
        let primal = problem.total_loss(&scores(problem.rows, &self.w, &[self.b])) + half * square(&self.w);
        let a = self.balanced(problem);
        let w = self.weights(problem, &a);
        (primal, primal + problem.total_conjugate(&a) + half * square(&w))
    }

    fn balanced<V: Value, I: Index, L: DualLoss>(
        &self,
        problem: &Problem<'_, Rows<'_, V, I>, L>,
    ) -> Vec<f64> {
        problem.balanced(self.a.clone())
    }

    /// Finds what is to be added to b for the loss of w to be least, where it is straight between corners: passes leave b
    /// where the last examples happened to leave it.
    fn best_corner<V: Value, I: Index, L: DualLoss>(&self, problem: &Problem<'_, Rows<'_, V, I>, L>) -> f64 {
        if !problem.intercept || problem.loss.corners(1.0).is_none() {
            return 0.0;
        }
        let mut s = scores(problem.rows, &self.w, &[self.b]);
        s.iter_mut().enumerate().for_each(|(i, s)| *s += problem.offset(i));
        best_corner(problem.loss, problem.y, problem.weight, &s).unwrap_or(0.0)
    }

    /// Whether the residual alone keeps the gap open while some examples sleep.
    fn unsettled(&self, enough: f64) -> bool {
        self.awake.len() < self.places.len() && self.off() > enough
    }

    /// What the residual adds to the gap.
    fn off(&self) -> f64 {
        self.hold.off(self.residual, self.b)
    }

    /// All examples may move again.
    fn wake(&mut self, caution: f64) {
        self.awake.clone_from(&self.places);
        self.asleep = 0.0;
        self.clearance = f64::INFINITY;
        self.caution = (self.caution * caution).clamp(0.1, 10.0);
    }
}

/// What a pass saw on its way.
#[derive(Default)]
struct Told {
    /// The farthest that a score was moved.
    moved: f64,
    sampled: usize,
    loss: f64,
    gap: f64,
}

/// A pass whose loss was chosen and is not known yet.
struct Ready<'a, 'p, 'b, 'r, V, I, L> {
    problem: &'a Problem<'b, Rows<'r, V, I>, L>,
    runs: &'a [Range<usize>],
    state: &'p mut State,
}

impl<V: Value, I: Index, L: DualLoss> OfLoss for Ready<'_, '_, '_, '_, V, I, L> {
    type Output = Told;

    fn call<K: DualLoss>(self, loss: K) -> Told {
        let Ready { problem, runs, state } = self;
        Arch::new().dispatch(Pass { problem, runs, loss, state })
    }
}

struct Pass<'a, 'p, 'b, 'r, V, I, L, K> {
    problem: &'a Problem<'b, Rows<'r, V, I>, L>,
    runs: &'a [Range<usize>],
    loss: K,
    state: &'p mut State,
}

impl<V: Value, I: Index, L: DualLoss, K: DualLoss> WithSimd for Pass<'_, '_, '_, '_, V, I, L, K> {
    type Output = Told;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Told {
        let Pass { problem, runs, loss, state } = self;
        let Problem { rows, y, weight: c, .. } = *problem;
        let mut told = Told::default();
        let constant = state.hold.square;
        for (visit, k) in runs.iter().cloned().flatten().enumerate() {
            let i = state.awake[k] as usize;
            let (y, c, from) = (y[i], c[i], state.a[i]);
            let q = state.curvature[i] + c * constant / state.strength;
            let row = rows.row(i);
            let s = row.dot(&state.w) + state.b + problem.offset(i);
            if visit % SAMPLED == 0 {
                let lost = loss.value(y, s);
                told.sampled += 1;
                told.loss += c * lost;
                told.gap += c * (lost + loss.conjugate(y, -from) + from * s).max(0.0);
            }
            let a = loss.climb(y, s, q, from);
            let step = a - from;
            if step == 0.0 {
                if loss.clearance(y, s, from) > state.clearance {
                    state.asleep += c * loss.value(y, s);
                    state.awake[k] = ASLEEP;
                }
                continue;
            }
            told.moved = told.moved.max(q * step.abs());
            state.a[i] = a;
            let step = c * step;
            row.add_to(step / state.strength, &mut state.w);
            state.residual += step;
            state.b += constant * step / state.strength;
        }
        told
    }
}

//! Several targets of the same examples at once, as one against the rest, class by class, has.
//!
//! Weights of a feature lie side by side, eight targets to a cache line: a value that is read, and a line of weights that
//! it leads to, serve all of them. Each target climbs as it would by itself, but an example sleeps only where it may for
//! all. Floor: one line of weights a value and a touch, ≈ 100 M values/s a core, for eight targets.

use std::array::from_fn;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::{ASLEEP, Hold, Look, SAMPLED, State, looks};
use crate::loss::shift::best_corner;
use crate::loss::{DualLoss, OfLoss};
use crate::products::{combination, scores_turned};
use crate::rows::{Index, Rows, Value};
use crate::solve::{Ending, Limits, Order, Problem, Solution, Watch};

/// Targets that are climbed at once.
pub const LANES: usize = 8;
/// After so many passes a target that still climbs does so alone, where all that speeds up long climbs is at hand; unless
/// another solver follows, to which it goes as soon as the gap's fall tells.
const TOGETHER: usize = 30;

type Lane = [f64; LANES];

/// The optima of at most eight problems that differ in their targets and limits alone, without an offset, from `starts`
/// or from zero. A target that is not done after some passes has the ending `Exhausted`, and its dual to go on from.
pub fn solve_each<V: Value, I: Index, L: DualLoss>(
    problems: &[Problem<'_, Rows<'_, V, I>, L>],
    strength: f64,
    starts: &[Option<&[f64]>],
    seed: u64,
    limits: &[Limits],
    watch: &mut Watch<'_>,
) -> Vec<Solution> {
    let mut climb = Climb::new(problems, strength, starts);
    let (mut order, lanes) = (Order::new(seed), problems.len());
    let (followed, most) = (limits[0].strict, limits[0].max_iter);
    let passes = if followed { most } else { most.min(TOGETHER) };
    let mut before: Vec<Option<Look>> = vec![None; lanes];
    let mut endings = vec![Ending::Exhausted; lanes];
    let mut asked: Vec<Option<f64>> = vec![None; lanes];
    let mut iterations = 0;
    while iterations < passes {
        iterations += 1;
        let guess = climb.pass(&mut order);
        let done = |k: usize| guess[k].1 <= asked[k].unwrap_or(limits[k].tol * guess[k].0.abs());
        let mut worst = (f64::NAN, f64::NAN);
        let is_due = followed && looks(iterations, followed);
        if (0..lanes).all(done) || is_due || iterations == passes {
            let known = climb.examine();
            for (k, &(primal, gap)) in known.iter().enumerate() {
                asked[k] = Some(limits[k].enough(primal));
                endings[k] =
                    if gap <= limits[k].enough(primal) { Ending::Converged } else { Ending::Exhausted };
            }
            worst = known.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(worst);
            let hopeless = |k: usize| {
                let look = Look { iterations, gap: known[k].1 };
                let enough = limits[k].enough(known[k].0);
                is_due
                    && before[k].replace(look).is_some_and(|before| look.tells_too_slow(before, enough, most))
            };
            let hopeless: Vec<bool> = (0..lanes).map(hopeless).collect();
            if (0..lanes).all(|k| endings[k] == Ending::Converged || hopeless[k]) {
                watch(iterations, worst.0, worst.1);
                break;
            }
            climb.wake(&known, &guess);
        }
        if watch(iterations, worst.0, worst.1) {
            endings.fill(Ending::Stopped);
            break;
        }
    }
    climb.solutions(iterations, &endings)
}

/// Where the targets are: what `State` has of one, side by side.
struct Climb<'a, 'b, 'r, V, I, L> {
    problems: &'a [Problem<'b, Rows<'r, V, I>, L>],
    /// What is the same of all: curvatures, places, clearance; its weights are not used.
    shared: State,
    holds: [Hold; LANES],
    w: Vec<Lane>,
    b: Lane,
    a: Vec<Lane>,
    y: Vec<Lane>,
    residual: Lane,
    caution: Lane,
}

impl<'a, 'b, 'r, V: Value, I: Index, L: DualLoss> Climb<'a, 'b, 'r, V, I, L> {
    fn new(problems: &'a [Problem<'b, Rows<'r, V, I>, L>], strength: f64, starts: &[Option<&[f64]>]) -> Self {
        let (n, d) = (problems[0].rows.count(), problems[0].rows.columns());
        let shared = State::new(&problems[0], strength, None);
        let mut climb = Climb {
            problems,
            holds: [shared.hold; LANES],
            shared,
            w: vec![[0.0; LANES]; d],
            b: [0.0; LANES],
            a: vec![[0.0; LANES]; n],
            y: vec![[1.0; LANES]; n],
            residual: [0.0; LANES],
            caution: [1.0; LANES],
        };
        for (k, problem) in problems.iter().enumerate() {
            climb.y.iter_mut().zip(problem.y).for_each(|(lane, &y)| lane[k] = y);
            if starts[k].is_some() {
                let own = State::new(problem, strength, starts[k]);
                climb.a.iter_mut().zip(&own.a).for_each(|(lane, &a)| lane[k] = a);
                climb.w.iter_mut().zip(&own.w).for_each(|(lane, &w)| lane[k] = w);
                (climb.b[k], climb.residual[k]) = (own.b, own.residual);
            }
        }
        climb
    }

    /// A pass over the examples that are awake; primal and gap of each target, guessed on the way.
    fn pass(&mut self, order: &mut Order) -> Vec<(f64, f64)> {
        let before = self.shared.awake.len();
        let runs = order.runs(before, self.shared.run);
        let told = self.problems[0].loss.narrow(Ready { runs: &runs, climb: self });
        self.shared.awake.retain(|&i| i != ASLEEP);
        let strength = self.shared.strength;
        self.shared.clearance = if told.moved > 0.0 { told.moved } else { f64::INFINITY };
        let scale = (before as f64 / told.sampled.max(1) as f64).max(1.0);
        let mut squares = [0.0; LANES];
        self.w.iter().for_each(|lane| squares.iter_mut().zip(lane).for_each(|(sum, w)| *sum += w * w));
        (0..self.problems.len())
            .map(|k| {
                let (residual, hold) = (self.residual[k], &mut self.holds[k]);
                self.b[k] += hold.square / strength * residual;
                let (seen, off) = (told.gap[k] * scale * self.caution[k], hold.off(residual, self.b[k]));
                self.b[k] += hold.grow(residual, off, seen) / strength * residual;
                (told.loss[k] * scale + 0.5 * strength * squares[k], seen + off)
            })
            .collect()
    }

    /// Primal and gap of each target, from all examples.
    fn examine(&self) -> Vec<(f64, f64)> {
        let (lanes, half) = (self.problems.len(), 0.5 * self.shared.strength);
        let rows = self.problems[0].rows;
        let s = scores_turned(rows, self.w.as_flattened(), &self.b);
        let balanced: Vec<Vec<f64>> = (0..lanes).map(|k| self.balanced(k)).collect();
        let weight = self.problems[0].weight;
        let u: Vec<f64> = (0..rows.count())
            .flat_map(|i| balanced.iter().map(move |a| a[i] * weight[i] / self.shared.strength))
            .collect();
        let w = combination(rows, &u, lanes);
        let square = |w: &mut dyn Iterator<Item = f64>| w.map(|w| w * w).sum::<f64>();
        (0..lanes)
            .map(|k| {
                let own: Vec<f64> = s.iter().skip(k).step_by(LANES).copied().collect();
                let primal =
                    self.problems[k].total_loss(&own) + half * square(&mut self.w.iter().map(|lane| lane[k]));
                let from = w[k * rows.columns()..][..rows.columns()].iter().copied();
                let dual =
                    self.problems[k].total_conjugate(&balanced[k]) + half * square(&mut from.into_iter());
                (primal, primal + dual)
            })
            .collect()
    }

    /// Finds what is to be added to each b for the loss to be least, as for one.
    fn best_corners(&self) -> Lane {
        let first = &self.problems[0];
        if !first.intercept || first.loss.corners(1.0).is_none() {
            return [0.0; LANES];
        }
        let s = scores_turned(first.rows, self.w.as_flattened(), &self.b);
        from_fn(|k| {
            let own: Vec<f64> = s.iter().skip(k).step_by(LANES).copied().collect();
            let best =
                |problem: &Problem<'_, _, L>| best_corner(problem.loss, problem.y, problem.weight, &own);
            self.problems.get(k).and_then(best).unwrap_or(0.0)
        })
    }

    fn balanced(&self, k: usize) -> Vec<f64> {
        self.problems[k].balanced(self.a.iter().map(|lane| lane[k]).collect())
    }

    /// All examples may move again.
    fn wake(&mut self, known: &[(f64, f64)], guess: &[(f64, f64)]) {
        self.shared.wake(1.0);
        for (k, (known, guess)) in known.iter().zip(guess).enumerate() {
            self.caution[k] = (self.caution[k] * known.1 / guess.1.max(f64::MIN_POSITIVE)).clamp(0.1, 10.0);
        }
    }

    fn solutions(&self, iterations: usize, endings: &[Ending]) -> Vec<Solution> {
        let corners = self.best_corners();
        let of = |(k, &ending): (usize, &Ending)| Solution {
            w: self.w.iter().map(|lane| lane[k]).collect(),
            b: self.b[k] + corners[k],
            dual: self.balanced(k),
            iterations,
            ending,
        };
        endings.iter().enumerate().map(of).collect()
    }
}

/// What a pass saw on its way.
#[derive(Default)]
struct Told {
    /// The farthest that a score was moved.
    moved: f64,
    sampled: usize,
    loss: Lane,
    gap: Lane,
}

/// A pass whose loss was chosen and is not known yet.
struct Ready<'p, 'a, 'b, 'r, V, I, L> {
    runs: &'p [Range<usize>],
    climb: &'p mut Climb<'a, 'b, 'r, V, I, L>,
}

impl<V: Value, I: Index, L: DualLoss> OfLoss for Ready<'_, '_, '_, '_, V, I, L> {
    type Output = Told;

    fn call<K: DualLoss>(self, loss: K) -> Told {
        Arch::new().dispatch(Pass { runs: self.runs, climb: self.climb, loss })
    }
}

struct Pass<'p, 'a, 'b, 'r, V, I, L, K> {
    runs: &'p [Range<usize>],
    climb: &'p mut Climb<'a, 'b, 'r, V, I, L>,
    loss: K,
}

impl<V: Value, I: Index, L: DualLoss, K: DualLoss> WithSimd for Pass<'_, '_, '_, '_, V, I, L, K> {
    type Output = Told;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Told {
        let Climb { problems, shared, holds, w, b, a, y, residual, .. } = self.climb;
        let Problem { rows, weight, .. } = problems[0];
        let loss = self.loss;
        let lanes = problems.len();
        let constant = holds.map(|hold| hold.square / shared.strength);
        let mut told = Told::default();
        for (visit, at) in self.runs.iter().cloned().flatten().enumerate() {
            let i = shared.awake[at] as usize;
            let (c, y, from) = (weight[i], y[i], a[i]);
            let q: Lane = from_fn(|k| shared.curvature[i] + c * constant[k]);
            let row = rows.row(i);
            let mut s = *b;
            row.each(|j, x| {
                let (x, lane) = (x.real(), &w[j]);
                (0..LANES).for_each(|k| s[k] += x * lane[k]);
            });
            if visit % SAMPLED == 0 {
                told.sampled += 1;
                for k in 0..lanes {
                    let lost = loss.value(y[k], s[k]);
                    told.loss[k] += c * lost;
                    told.gap[k] += c * (lost + loss.conjugate(y[k], -from[k]) + from[k] * s[k]).max(0.0);
                }
            }
            let (mut step, mut moves, mut rests) = ([0.0; LANES], false, true);
            for k in 0..lanes {
                let to = loss.climb(y[k], s[k], q[k], from[k]);
                step[k] = to - from[k];
                moves |= step[k] != 0.0;
                rests &= step[k] == 0.0 && loss.clearance(y[k], s[k], from[k]) > shared.clearance;
                told.moved = told.moved.max(q[k] * step[k].abs());
                a[i][k] = to;
            }
            if rests {
                shared.awake[at] = ASLEEP;
            }
            if !moves {
                continue;
            }
            for k in 0..LANES {
                step[k] *= c;
                residual[k] += step[k];
                b[k] += constant[k] * step[k];
                step[k] /= shared.strength;
            }
            row.each(|j, x| {
                let (x, lane) = (x.real(), &mut w[j]);
                (0..LANES).for_each(|k| lane[k] += x * step[k]);
            });
        }
        told
    }
}

//! The optimum up to rounding, from coefficients that are near it: pairs of them in turn with all that are free.
//!
//! ```text
//! min over β (m,)   D(β) = ½ βᵀKβ − tᵀβ     subject to   lo ≤ β ≤ hi,   Σ β over each group constant
//! ```
//!
//! Steps of pairs change which coefficients lie at a bound; between these, the coefficients that lie between their
//! bounds go to their minimum, one system of equations, or as far towards it as the bounds allow (Nocedal & Wright,
//! Numerical Optimization, 2nd ed. 2006, §16.5). D never rises. No tolerance decides which coefficients are free, so that
//! weights and repetitions, other units and other orders of the examples lead to the same machine.
//! Floor, a system of f free of n rows: f³/3 multiplications for its factor, and the rows of K of all β ≠ 0 read once.

use pulp::{Arch, Simd, WithSimd};

use super::factor::inner;
use super::{Machine, State, Table, steps};
use crate::halt;
use crate::kernel::{block, combine};
use crate::narrow::narrow;
use crate::rows::Index;

/// Rounds at most, so many that gain nothing, and multiplications in all of them.
const ROUNDS: usize = 500;
const PATIENCE: usize = 4;
pub(super) const WORK: f64 = 4e9;
/// A smaller share of D is rounding.
const GAIN: f64 = 1e-13;
/// Steps of pairs between two systems, for each variable, and a few more; they end at this share of the violation.
const STEPS: usize = 2;
const MORE: usize = 10;
const SHARE: f64 = 0.1;
/// A coefficient nearer to a bound than this share of the way between both is at it.
const NEAR: f64 = 1e-14;
/// A violation of so many units in the last place of the sums that it is made of is none.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// What was found.
pub struct Finished {
    /// β (m,).
    pub beta: Vec<f64>,
    /// Kβ − t (m,).
    pub gradient: Vec<f64>,
    /// Whether it ended early, as somebody waits.
    pub cut: bool,
}

/// The optimum, or the best that was found, from β near it and the Gram matrix K (n, n) of the rows, on one thread.
pub fn finish(machine: &Machine<'_>, mut k: Vec<f64>, start: &[f64]) -> Finished {
    let n = k.len().isqrt();
    // Where Σ β is 0 the kernel of the rows about their middle is the same, and keeps digits.
    let mut middle = vec![0.0; n];
    if machine.sums.iter().sum::<f64>() == 0.0 {
        Arch::new().dispatch(Centre { k: &mut k, middle: &mut middle });
    }
    let (beta, cut) = if machine.t.is_empty() || k.iter().all(|&k| k == 0.0) {
        (start.to_vec(), false)
    } else {
        Exact::new(*machine, &k, start).run()
    };
    let of_rows = sum_rows(machine, &beta, n);
    let shift: f64 = middle.iter().zip(&of_rows).map(|(m, beta)| m * beta).sum();
    let mut f = vec![shift; n];
    combine(&k, &of_rows, &mut f);
    let gradient = machine.row.iter().zip(machine.t).map(|(row, t)| f[row.place()] - t).collect();
    Finished { beta, gradient, cut }
}

/// Takes from K_ij what makes it that of the rows about their middle, a number for i and one for j: (n,) these.
struct Centre<'a> {
    k: &'a mut [f64],
    middle: &'a mut [f64],
}

impl WithSimd for Centre<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Centre { k, middle } = self;
        let n = middle.len();
        let (ones, count) = (vec![1.0; n], n.max(1) as f64);
        for i in 0..n {
            middle[i] = inner(&k[i * n..][..n], &ones) / count;
        }
        let half = 0.5 * (inner(middle, &ones) / count);
        middle.iter_mut().for_each(|m| *m -= half);
        for i in 0..n {
            let (row, own) = (&mut k[i * n..][..n], middle[i]);
            for j in 0..n {
                row[j] = row[j] - own - middle[j];
            }
        }
    }
}

fn sum_rows(machine: &Machine<'_>, beta: &[f64], n: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n];
    machine.row.iter().zip(beta).for_each(|(row, beta)| sums[row.place()] += beta);
    sums
}

/// β and its gradient, in units in which the median of |K's diagonal| is 1.
pub(super) struct Exact<'a> {
    pub machine: Machine<'a>,
    pub k: &'a [f64],
    pub n: usize,
    pub unit: f64,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    /// The variables of each group.
    pub members: Vec<Vec<usize>>,
    /// (m,) √K_ii.
    pub size: Vec<f64>,
    pub beta: Vec<f64>,
    pub gradient: Vec<f64>,
    pub work: f64,
}

impl Exact<'_> {
    fn new<'a>(machine: Machine<'a>, k: &'a [f64], start: &[f64]) -> Exact<'a> {
        let n = k.len().isqrt();
        let diagonal: Vec<f64> = k.iter().step_by(n + 1).map(|k| k.abs()).collect();
        let unit = median(diagonal.iter().copied().filter(|&d| d > 0.0).collect());
        let scaled = |of: &[f64]| of.iter().map(|x| unit * x).collect::<Vec<f64>>();
        let mut members = vec![Vec::new(); machine.sums.len()];
        machine.group.iter().enumerate().for_each(|(i, g)| members[g.place()].push(i));
        let size = machine.row.iter().map(|row| (diagonal[row.place()] / unit).sqrt()).collect();
        let (lo, hi) = (scaled(machine.lo), scaled(machine.hi));
        let mut beta = scaled(start);
        for ((beta, lo), hi) in beta.iter_mut().zip(&lo).zip(&hi) {
            let near = NEAR * (hi - lo);
            if *beta - lo <= near {
                *beta = *lo;
            } else if hi - *beta <= near {
                *beta = *hi;
            }
        }
        let gradient = Vec::new();
        let mut exact = Exact { machine, k, n, unit, lo, hi, members, size, beta, gradient, work: 0.0 };
        exact.measure();
        exact
    }

    /// Finds ∂D/∂β.
    pub fn measure(&mut self) {
        let Machine { row, t, .. } = self.machine;
        let mut f = vec![0.0; self.n];
        let weight = sum_rows(&self.machine, &self.beta, self.n);
        combine(self.k, &weight, &mut f);
        self.gradient = row.iter().zip(t).map(|(row, t)| f[row.place()] / self.unit - t).collect();
    }

    pub fn rises(&self, i: usize) -> bool {
        self.beta[i] < self.hi[i]
    }

    pub fn falls(&self, i: usize) -> bool {
        self.beta[i] > self.lo[i]
    }

    /// The best β of the rounds, in the units of the problem, and whether somebody ended them.
    fn run(mut self) -> (Vec<f64>, bool) {
        let (mut least, mut known) = self.violation();
        let (mut best, mut lowest, mut since, mut cut) = (self.beta.clone(), self.value(), 0, false);
        for _ in 0..ROUNDS {
            cut = halt::is_best_wanted();
            if cut || least <= known || since > PATIENCE || self.work > WORK {
                break;
            }
            self.settle();
            let mut now = self.violation();
            if now.0 > now.1 {
                self.pairs(now.0);
                self.settle();
                now = self.violation();
            }
            known = now.1;
            let value = self.value();
            let gained = now.0 < 0.5 * least || value < lowest - GAIN * lowest.abs();
            since = if gained { 0 } else { since + 1 };
            lowest = lowest.min(value);
            if now.0 < least {
                least = now.0;
                best.clone_from(&self.beta);
            }
        }
        let Machine { lo, hi, .. } = self.machine;
        let own = |(i, beta): (usize, &f64)| {
            if *beta >= self.hi[i] {
                hi[i]
            } else if *beta <= self.lo[i] {
                lo[i]
            } else {
                beta / self.unit
            }
        };
        (best.iter().enumerate().map(own).collect(), cut)
    }

    /// D(β).
    fn value(&self) -> f64 {
        let of = |((g, t), beta): ((&f64, &f64), &f64)| 0.5 * (g - t) * beta;
        self.gradient.iter().zip(self.machine.t).zip(&self.beta).map(of).sum()
    }

    /// The variables of a group with the largest −∂D/∂β that may rise, and the smallest that may fall, if there are any.
    fn extremes(&self, own: &[usize]) -> (Option<usize>, Option<usize>) {
        let (mut top, mut bottom): (Option<usize>, Option<usize>) = (None, None);
        for &i in own {
            if self.rises(i) && top.is_none_or(|top| self.gradient[i] < self.gradient[top]) {
                top = Some(i);
            }
            if self.falls(i) && bottom.is_none_or(|bottom| self.gradient[i] > self.gradient[bottom]) {
                bottom = Some(i);
            }
        }
        (top, bottom)
    }

    /// How far the one is above the other, in the worst group; and how far rounding lets it be known.
    fn violation(&self) -> (f64, f64) {
        let (mut worst, mut known) = (0.0, 0.0);
        let length: f64 = self.size.iter().zip(&self.beta).map(|(size, beta)| size * beta.abs()).sum();
        for own in &self.members {
            let (Some(i), Some(j)) = self.extremes(own) else { continue };
            let apart = self.gradient[j] - self.gradient[i];
            if apart > worst {
                let t = self.machine.t[i].abs().max(self.machine.t[j].abs());
                (worst, known) = (apart, ROUNDING * ((self.size[i] + self.size[j]) * length + t));
            }
        }
        (worst, known)
    }

    /// Makes some steps of two coefficients, of those that are free or violate the conditions of optimality.
    fn pairs(&mut self, violation: f64) {
        let (mut chosen, mut ends) = (Vec::new(), vec![0]);
        for own in &self.members {
            let (top, bottom) = self.extremes(own);
            let lowest = bottom.map_or(f64::INFINITY, |bottom| -self.gradient[bottom]);
            let highest = top.map_or(f64::NEG_INFINITY, |top| -self.gradient[top]);
            chosen.extend(own.iter().copied().filter(|&i| {
                let (up, rises, falls) = (-self.gradient[i], self.rises(i), self.falls(i));
                (rises && (falls || up >= lowest)) || (falls && up <= highest)
            }));
            ends.push(chosen.len());
        }
        let of = |all: &[f64]| chosen.iter().map(|&i| all[i]).collect::<Vec<f64>>();
        let rows: Vec<u32> = chosen.iter().map(|&i| narrow(self.machine.row[i].place())).collect();
        let (q, mut table) = (chosen.len(), block(self.k, &rows));
        table.iter_mut().for_each(|k| *k /= self.unit);
        let mut state = State {
            beta: of(&self.beta),
            gradient: of(&self.gradient),
            lo: of(&self.lo),
            hi: of(&self.hi),
            diagonal: table.iter().step_by(q + 1).copied().collect(),
            ends,
            ..State::default()
        };
        state.settle();
        steps(&mut state, &mut Table(&table, q), SHARE * violation, STEPS * q + MORE);
        chosen.iter().zip(&state.beta).for_each(|(&i, beta)| self.beta[i] = *beta);
        self.measure();
    }
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_unstable_by(f64::total_cmp);
    match of.len() {
        0 => 1.0,
        n if n % 2 == 1 => of[n / 2],
        n => 0.5 * (of[n / 2 - 1] + of[n / 2]),
    }
}

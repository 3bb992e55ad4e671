//! Newton's method for the softmax of many scores, dense rows and few features, whole.
//!
//! ```text
//! min over W (K, d), b (K,) of   P = Σ c_i [log Σ_k e^(s_ik) − s_iy] + ½λ‖W‖²,      s_i = W x_i + b,  p_i = softmax(s_i)
//! H_kl = −Σ c p_k p_l (x, 1)(x, 1)ᵀ for k ≠ l,      H_kk = −Σ_{l ≠ k} H_kl + λ
//! ```
//!
//! A step is taken whole where it brings the slope along it near 0, else as long as a search along it says. a = e_y − p is
//! feasible for the dual once all p are mixed with as little of one distribution as balances the classes; its conjugate is
//! convex, which bounds the gap without a logarithm. Floor of a step: N·d²·K(K − 1)/4 multiplications and additions, as
//! many a cycle as the processor does, and (K·d)³/6 of the factor.

mod hessian;
mod line;

use std::ops::Range;

use self::line::Line;
use super::few::{Few, Sums};
use super::system::{Equations, dot};
use super::{Ending, Limits, Progress, Watch};
use crate::halt::{current, is_given_up};
use crate::parallel::{each, fill};

/// Rows whose scores lie class by class, side by side.
const BLOCK: usize = 256;
/// Parts of the rows at most, and blocks of each at least.
const PARTS: usize = 8;
const LEAST: usize = 4;
/// What is to be minimised.
pub struct Softmax<'a> {
    /// X (N, d), dense.
    pub rows: &'a Few<'a>,
    /// y (N,) from 0 to K − 1.
    pub y: &'a [u32],
    /// c (N,) ≥ 0.
    pub weight: &'a [f64],
    /// K.
    pub classes: usize,
    /// Whether b is free.
    pub intercept: bool,
    /// λ > 0.
    pub strength: f64,
    /// When to stop.
    pub limits: Limits,
}

/// What was found.
pub struct Found {
    /// (K, d).
    pub w: Vec<f64>,
    /// (K,).
    pub b: Vec<f64>,
    /// Steps.
    pub iterations: usize,
    /// How it ended.
    pub ending: Ending,
}

impl Softmax<'_> {
    /// The optimum, from W and b or from 0.
    pub fn solve(&self, start: Option<(&[f64], &[f64])>, watch: &mut Watch<'_>) -> Found {
        let limits = self.limits;
        let mut point = Point::new(self, start);
        let mut best = (point.w.clone(), point.b.clone());
        let Some(truth) = self.sums(|i, k| if self.y[i] as usize == k { self.weight[i] } else { 0.0 }) else {
            watch(0, point.primal, point.gap);
            return Found { w: best.0, b: best.1, iterations: 0, ending: Ending::Stopped };
        };
        let (mut look, mut iterations, mut progress) = (point.look(self, &truth), 0, Progress::new());
        let ending = loop {
            let Some(known) = &look else {
                // Nobody waits for more, as the watcher finds, or no step goes down.
                let ended = is_given_up(&current()) && watch(iterations, f64::NAN, f64::NAN);
                break if ended { Ending::Stopped } else { Ending::Overflow };
            };
            best = (point.w.clone(), point.b.clone());
            if let Some(ending) = progress.ending(iterations, point.primal, point.gap, limits, watch) {
                break ending;
            }
            iterations += 1;
            look = point.step(self, &truth, known);
        };
        Found { w: best.0, b: best.1, iterations, ending }
    }

    /// Scores (blocks, K, `BLOCK`) by W and b.
    fn scores(&self, w: &[f64], b: &[f64]) -> Vec<f64> {
        let (d, count) = (self.rows.columns(), self.rows.count());
        let mut scores = vec![0.0; count.div_ceil(BLOCK) * self.classes * BLOCK];
        fill(&mut scores, self.classes * BLOCK, &|block, scores| {
            let first = block * BLOCK;
            for (k, scores) in scores.chunks_exact_mut(BLOCK).enumerate() {
                let own = &mut scores[..BLOCK.min(count - first)];
                self.rows.scores_from(first, &w[k * d..][..d], b[k], own);
            }
        });
        scores
    }

    /// Σ u_k x and Σ u_k of each class.
    fn sums(&self, u: impl Fn(usize, usize) -> f64 + Sync) -> Option<Vec<Sums>> {
        let count = self.rows.count();
        let of_part = |own: Range<usize>| {
            let mut sums = vec![(vec![0.0; self.rows.columns()], 0.0); self.classes];
            for first in own.step_by(BLOCK) {
                for (k, sums) in sums.iter_mut().enumerate() {
                    let own: Vec<f64> = (first..count.min(first + BLOCK)).map(|i| u(i, k)).collect();
                    self.rows.add_from(first, &own, sums);
                }
            }
            sums
        };
        let together = |mut all: Vec<Sums>, part: Vec<Sums>| {
            all.iter_mut().zip(&part).for_each(|(all, part)| add(all, part));
            all
        };
        let none = || vec![(vec![0.0; self.rows.columns()], 0.0); self.classes];
        Some(self.parts(&of_part)?.into_iter().reduce(together).unwrap_or_else(none))
    }

    /// Makes something of each part of the rows, which hangs on their number alone; None where nobody waits for more than
    /// what is best until now.
    fn parts<R: Send>(&self, of: &(dyn Fn(Range<usize>) -> R + Sync)) -> Option<Vec<R>> {
        let (halt, count) = (current(), self.rows.count());
        let share = count.div_ceil(PARTS * BLOCK).max(LEAST) * BLOCK;
        each(count.div_ceil(share), &|part| {
            (!is_given_up(&halt)).then(|| of(part * share..count.min((part + 1) * share)))
        })
        .into_iter()
        .collect()
    }
}

fn add(all: &mut Sums, part: &Sums) {
    all.0.iter_mut().zip(&part.0).for_each(|(all, part)| *all += part);
    all.1 += part.1;
}

/// Weights, their scores and probabilities, block by block and class by class.
struct Point {
    w: Vec<f64>,
    b: Vec<f64>,
    s: Vec<f64>,
    p: Vec<f64>,
    primal: f64,
    gap: f64,
}

/// Σ c p_k x and Σ c p_k.
type Look = Vec<Sums>;

impl Point {
    fn new(of: &Softmax<'_>, start: Option<(&[f64], &[f64])>) -> Point {
        let zero = || (vec![0.0; of.classes * of.rows.columns()], vec![0.0; of.classes]);
        let (w, b) = start.map_or_else(zero, |(w, b)| (w.to_vec(), b.to_vec()));
        let s = of.scores(&w, &b);
        let p = vec![0.0; s.len()];
        Point { w, b, s, p, primal: f64::NAN, gap: f64::INFINITY }
    }

    /// Probabilities, primal and a bound of the gap; what is more is asked for only where that may be enough.
    fn look(&mut self, of: &Softmax<'_>, truth: &[Sums]) -> Option<Look> {
        let (classes, strength) = (of.classes, of.strength);
        let s = &self.s;
        let parts = fill(&mut self.p, classes * BLOCK, &|block, p| {
            let first = block * BLOCK;
            let n = BLOCK.min(of.rows.count() - first);
            let own = first..first + n;
            probabilities(&s[first * classes..][..classes * BLOCK], n, p, &of.y[own.clone()], &of.weight[own])
        });
        let (losses, entropy) = parts.into_iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let p = &self.p;
        let place = |i: usize, k: usize| (i / BLOCK * classes + k) * BLOCK + i % BLOCK;
        let look = of.sums(|i, k| of.weight[i] * p[place(i, k)])?;
        let (mix, t) = if of.intercept { mixture(&look, truth) } else { (0.0, vec![0.0; classes]) };
        let total: f64 = truth.iter().map(|own| own.1).sum();
        let all: Vec<f64> = (0..of.rows.columns()).map(|j| truth.iter().map(|own| own.0[j]).sum()).collect();
        let mut lengths = 0.0;
        for ((look, truth), t) in look.iter().zip(truth).zip(&t) {
            let v: Vec<f64> = (look.0.iter().zip(&truth.0).zip(&all))
                .map(|((p, truth), all)| truth - (1.0 - mix) * p - mix * t * all)
                .collect();
            lengths += dot(&v, &v);
        }
        let of_t: f64 = t.iter().map(|t| if *t > 0.0 { t * t.ln() } else { 0.0 }).sum();
        let bound = (1.0 - mix) * entropy + mix * total * of_t;
        self.primal = losses + 0.5 * strength * dot(&self.w, &self.w);
        let (short, enough) = (self.primal + 0.5 * lengths / strength, of.limits.enough(self.primal));
        let exact = short + bound > enough && short + entropy <= enough;
        let gap = short + if exact { self.entropy_of_mixture(of, mix, &t) } else { bound };
        self.gap = if gap < 0.0 { 0.0 } else { gap }; // NaN stays NaN, and is never small enough
        Some(look)
    }

    /// Σ c Σ q ln q for q = (1 − mix) p + mix·t.
    fn entropy_of_mixture(&self, of: &Softmax<'_>, mix: f64, t: &[f64]) -> f64 {
        let of_block = |block: usize| {
            let first = block * BLOCK;
            let weight = &of.weight[first..of.rows.count().min(first + BLOCK)];
            let p = self.p[first * of.classes..].chunks_exact(BLOCK);
            let of_class = |(p, t): (&[f64], &f64)| -> f64 {
                let mixed = p.iter().map(|p| (1.0 - mix) * p + mix * t);
                mixed.zip(weight).map(|(q, c)| if q > 0.0 { c * q * q.ln() } else { 0.0 }).sum()
            };
            p.zip(t).map(of_class).sum::<f64>()
        };
        each(of.rows.count().div_ceil(BLOCK), &of_block).into_iter().sum()
    }

    /// Makes one step; None where no step goes down, or nobody waits for it.
    fn step(&mut self, of: &Softmax<'_>, truth: &[Sums], look: &Look) -> Option<Look> {
        let (d, width) = (of.rows.columns(), of.rows.columns() + usize::from(of.intercept));
        let (matrix, size) = of.hessian(&self.p)?;
        let mut downhill = vec![0.0; size];
        for (k, (truth, look)) in truth.iter().zip(look).enumerate() {
            let own = &mut downhill[k * width..][..width];
            for (j, own) in own[..d].iter_mut().enumerate() {
                *own = truth.0[j] - look.0[j] - of.strength * self.w[k * d + j];
            }
            if of.intercept {
                own[d] = truth.1 - look.1;
            }
        }
        let step = Equations::new(matrix, size).solve(&downhill);
        let first = -dot(&downhill, &step);
        if !first.is_finite() || first >= 0.0 {
            return None;
        }
        let dw: Vec<f64> = step.chunks_exact(width).flat_map(|own| &own[..d]).copied().collect();
        let of_b = |own: &[f64]| if of.intercept { own[d] } else { 0.0 };
        let db: Vec<f64> = step.chunks_exact(width).map(of_b).collect();
        let ds = of.scores(&dw, &db);
        let line = Line {
            ww: of.strength * dot(&self.w, &dw),
            wd: of.strength * dot(&dw, &dw),
            s: std::mem::take(&mut self.s),
            ds,
        };
        let t = line.search(of, first);
        let moved = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(from, by)| from + t * by).collect();
        (self.w, self.b) = (moved(&self.w, &dw), moved(&self.b, &db));
        self.s = moved(&line.s, &line.ds);
        self.look(of, truth)
    }
}

/// Writes the probabilities of n rows, class by class; Σ c [log Σ e^s − s_y] and Σ c Σ p ln p.
fn probabilities(s: &[f64], n: usize, p: &mut [f64], y: &[u32], c: &[f64]) -> (f64, f64) {
    let (mut top, mut sum) = ([f64::NEG_INFINITY; BLOCK], [0.0; BLOCK]);
    for s in s.chunks_exact(BLOCK) {
        top.iter_mut().zip(s).for_each(|(top, s)| *top = top.max(*s));
    }
    for (p, s) in p.chunks_exact_mut(BLOCK).zip(s.chunks_exact(BLOCK)) {
        for i in 0..n {
            p[i] = (s[i] - top[i]).exp();
            sum[i] += p[i];
        }
    }
    let mut mean = [0.0; BLOCK];
    for (p, s) in p.chunks_exact_mut(BLOCK).zip(s.chunks_exact(BLOCK)) {
        for i in 0..n {
            p[i] /= sum[i];
            mean[i] += p[i] * (s[i] - top[i]);
        }
    }
    let (mut losses, mut entropy) = (0.0, 0.0);
    for i in 0..n {
        let log = sum[i].ln();
        losses += c[i] * (log + (top[i] - s[y[i] as usize * BLOCK + i]));
        entropy += c[i] * (mean[i] - log);
    }
    (losses, entropy)
}

/// How much of one distribution, and which, brings the weight of what is predicted to that of the classes.
fn mixture(look: &[Sums], truth: &[Sums]) -> (f64, Vec<f64>) {
    let share = |(there, wanted): (&Sums, &Sums)| {
        if there.1 > wanted.1 { (there.1 - wanted.1) / there.1 } else { 0.0 }
    };
    let mix = look.iter().zip(truth).map(share).fold(0.0, f64::max).min(1.0);
    let left: Vec<f64> =
        look.iter().zip(truth).map(|(there, wanted)| (wanted.1 - (1.0 - mix) * there.1).max(0.0)).collect();
    let total: f64 = left.iter().sum();
    if mix < 1e-15 || total <= 0.0 {
        return (0.0, vec![0.0; look.len()]);
    }
    (mix, left.into_iter().map(|left| left / total).collect())
}

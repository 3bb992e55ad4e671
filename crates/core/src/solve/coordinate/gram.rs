//! The quadratic model on a working set with its Hessian formed: a step costs m, whatever N is.
//!
//! Friedman, Hastie & Tibshirani (Journal of Statistical Software 33, 2010, "covariance updates"); every few sweeps the
//! iterates are extrapolated (Bertrand & Massias, AISTATS 2021, Algorithm 2), which is kept where the model falls.

use pulp::{Arch, Simd, WithSimd};

use super::extrapolation::extrapolated;
use super::hessian::{price, products};
use super::quadratic::{Diagonal, Quadratic, best};
use crate::columns::{Column, Columns};
use crate::parallel::each_of;
use crate::penalty::Kink;

/// So many columns at most.
const MOST: usize = 4096;
/// Iterates that are combined.
const MEMORY: usize = 5;
/// Entries that sweeps read at most, and so many sweeps at most.
const EFFORT: usize = 200_000_000;
const SWEEPS: usize = 10_000;
/// Over the Hessian sweeps cost little, so they go on to this share of what is asked of sweeps over columns.
const SHARE: f64 = 0.01;

/// G (m, m) = Xᵀ·diag(h)·X of the working set, b minimised out, λ₂ on the diagonal.
pub struct Gram {
    /// The columns that it is of, ascending.
    pub set: Vec<usize>,
    entries: Vec<f64>,
    diagonal: Diagonal,
    /// h (N,), that it was formed with.
    curvature: Vec<f64>,
}

impl Gram {
    /// What it costs to form, in values touched by a sweep over columns.
    pub fn price(model: &Quadratic<'_>, active: &[u32]) -> usize {
        if active.len() > MOST {
            return usize::MAX;
        }
        price(&columns_of(model, active), model.columns.count()) + active.len() * active.len() / 4
    }

    /// None where it was interrupted.
    pub fn new(model: &Quadratic<'_>, diagonal: &Diagonal, active: &mut [u32]) -> Option<Gram> {
        active.sort_unstable();
        let size = active.len();
        let mut entries = products(&columns_of(model, active), model.curvature)?;
        for k in 0..size {
            let mean = diagonal.mean[active[k] as usize] / diagonal.total;
            for l in k..size {
                entries[k * size + l] -= mean * diagonal.mean[active[l] as usize];
                entries[l * size + k] = entries[k * size + l];
            }
            entries[k * size + k] = diagonal.q[active[k] as usize];
        }
        let chosen = |of: &[f64]| active.iter().map(|&k| of[k as usize]).collect();
        let diagonal =
            Diagonal { mean: chosen(&diagonal.mean), q: chosen(&diagonal.q), total: diagonal.total };
        Some(Gram {
            set: active.iter().map(|&k| model.set[k as usize]).collect(),
            entries,
            diagonal,
            curvature: model.curvature.to_vec(),
        })
    }

    /// The same with some more columns, each a pass over the columns there are.
    pub fn extended(self, columns: &Columns, more: &[usize], intercept: bool, l2: f64) -> Gram {
        let (old, size) = (self.set.len(), self.set.len() + more.len());
        let mut joined: Vec<(usize, usize)> = self.set.iter().chain(more).copied().zip(0..).collect();
        let lines: Vec<(Vec<f64>, f64)> = each_of(more, 1, &|&j| {
            let mut hx = vec![0.0; columns.count()];
            columns.column(j).each(|i, x| hx[i] = self.curvature[i] * x);
            let line = joined.iter().map(|&(k, _)| columns.column(k).dot(&hx)).collect();
            (line, if intercept { hx.iter().sum() } else { 0.0 })
        });
        let mut mean = self.diagonal.mean;
        mean.extend(lines.iter().map(|(_, mean)| mean));
        let mut q = self.diagonal.q;
        let total = self.diagonal.total;
        let entry = |k: usize, l: usize| match (k < old, l < old) {
            (true, true) => self.entries[k * old + l],
            (true, false) => lines[l - old].0[k] - mean[k] * mean[l] / total,
            _ => lines[k.max(l) - old].0[k.min(l)] - mean[k] * mean[l] / total,
        };
        q.extend((old..size).map(|k| entry(k, k).max(1e-10 * lines[k - old].0[k]) + l2));
        joined.sort_unstable();
        let mut entries = Vec::with_capacity(size * size);
        for &(_, k) in &joined {
            entries.extend(joined.iter().map(|&(_, l)| if k == l { q[k] } else { entry(k, l) }));
        }
        let diagonal = Diagonal {
            mean: joined.iter().map(|&(_, k)| mean[k]).collect(),
            q: joined.iter().map(|&(_, k)| q[k]).collect(),
            total,
        };
        Gram { set: joined.iter().map(|&(j, _)| j).collect(), entries, diagonal, curvature: self.curvature }
    }

    fn line(&self, k: usize) -> &[f64] {
        &self.entries[k * self.set.len()..][..self.set.len()]
    }

    /// The model with this Hessian, of the slope of the loss and the weight at each column.
    pub fn small(&self, kink: Kink, l2: f64, of: impl Fn(usize) -> (f64, f64)) -> Small {
        let (gradient, w): (Vec<f64>, Vec<f64>) = (0..self.set.len()).map(of).unzip();
        let first = gradient.iter().zip(&w).map(|(g, w)| g + l2 * w).collect();
        Small { w, first, kink }
    }

    /// The β that goes with δ.
    pub fn shift(&self, step: &[f64]) -> f64 {
        -step.iter().zip(&self.diagonal.mean).map(|(d, m)| d * m).sum::<f64>() / self.diagonal.total
    }

    /// δ, begun from `step`, to where no slope is farther than a share of `target` from the subgradients of the penalty.
    pub fn minimise(&self, small: &Small, step: Vec<f64>, target: f64) -> Vec<f64> {
        let mut slope = small.first.clone();
        for (k, &d) in step.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            slope.iter_mut().zip(self.line(k)).for_each(|(s, g)| *s += d * g);
        }
        let mut now = Iterate { step, slope };
        let mut memory = vec![];
        for _ in 0..(EFFORT / (self.set.len().pow(2) + 1)).min(SWEEPS) {
            if memory.is_empty() {
                memory.push(now.clone());
            }
            let violation = Arch::new().dispatch(Sweep { gram: self, small, now: &mut now });
            if violation <= SHARE * target {
                break;
            }
            memory.push(now.clone());
            if memory.len() > MEMORY {
                if let Some(far) = extrapolated(&memory)
                    && far.value(small) < now.value(small)
                {
                    now = far;
                }
                memory.clear();
            }
        }
        now.step
    }
}

/// What a sweep asks of the columns it is over: w, the model's slope at δ = 0, and what has a corner.
pub struct Small {
    w: Vec<f64>,
    first: Vec<f64>,
    kink: Kink,
}

struct Sweep<'a> {
    gram: &'a Gram,
    small: &'a Small,
    now: &'a mut Iterate,
}

impl WithSimd for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Sweep { gram, small, now } = self;
        let mut worst = 0.0_f64;
        for k in 0..small.w.len() {
            let w = small.w[k] + now.step[k];
            let (next, violation) = best(w, now.slope[k], gram.diagonal.q[k], small.kink);
            worst = worst.max(violation);
            let change = next - w;
            if change != 0.0 {
                now.step[k] += change;
                now.slope.iter_mut().zip(gram.line(k)).for_each(|(s, g)| *s += change * g);
            }
        }
        worst
    }
}

/// δ and the slope of the smooth part there.
#[derive(Clone)]
pub struct Iterate {
    pub step: Vec<f64>,
    pub slope: Vec<f64>,
}

impl Iterate {
    /// The model.
    fn value(&self, small: &Small) -> f64 {
        let smooth: f64 =
            self.step.iter().zip(&small.first).zip(&self.slope).map(|((d, f), s)| 0.5 * d * (f + s)).sum();
        smooth + small.kink.total(self.step.iter().zip(&small.w).map(|(d, w)| w + d))
    }
}

fn columns_of<'a>(model: &Quadratic<'a>, active: &[u32]) -> Vec<Column<'a>> {
    active.iter().map(|&k| model.columns.column(model.set[k as usize])).collect()
}

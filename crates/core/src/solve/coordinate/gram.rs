//! The quadratic model on a working set with its Hessian formed: a step costs m, whatever N is.
//!
//! Friedman, Hastie & Tibshirani (Journal of Statistical Software 33, 2010, "covariance updates"); every few sweeps the
//! iterates are extrapolated (Bertrand & Massias, AISTATS 2021, Algorithm 2), which is kept where the model falls.

use rayon::prelude::*;

use super::quadratic::{Diagonal, Quadratic, best};

/// So many columns at most.
const MOST: usize = 4096;
/// Iterates that are combined.
const MEMORY: usize = 5;
/// Sweeps at most.
const SWEEPS: usize = 2000;

/// G (m, m) = Xᵀ·diag(h)·X of the working set, b minimised out, λ₂ on the diagonal.
pub struct Gram {
    size: usize,
    entries: Vec<f64>,
}

/// The working set row by row, places within it ascending.
struct Lists {
    starts: Vec<usize>,
    places: Vec<u32>,
    values: Vec<f64>,
}

impl Gram {
    /// What it costs to form, in values touched.
    pub fn price(model: &Quadratic<'_>) -> usize {
        let m = model.set.len();
        if m > MOST {
            return usize::MAX;
        }
        let lengths = lengths(model);
        lengths.iter().map(|&n| n as usize * (n as usize + 6) / 2).sum::<usize>() + m * m
    }

    /// Formed row by row of the result, each by itself, so that the bits do not depend on the number of threads.
    pub fn new(model: &Quadratic<'_>, diagonal: &Diagonal) -> Gram {
        let size = model.set.len();
        let lists = Lists::new(model);
        let mut entries = vec![0.0; size * size];
        entries.par_chunks_mut(size.max(1)).enumerate().for_each(|(k, line)| {
            model.columns.column(model.set[k]).each(|i, x| {
                let (start, end) = (lists.starts[i], lists.starts[i + 1]);
                let (places, values) = (&lists.places[start..end], &lists.values[start..end]);
                let from = places.partition_point(|&p| (p as usize) < k);
                let step = model.curvature[i] * x;
                places[from..].iter().zip(&values[from..]).for_each(|(&p, x)| line[p as usize] += step * x);
            });
            let mean = diagonal.mean[k] / diagonal.total;
            line[k..].iter_mut().zip(&diagonal.mean[k..]).for_each(|(g, m)| *g -= mean * m);
            line[k] = diagonal.q[k];
        });
        for k in 0..size {
            for l in 0..k {
                entries[k * size + l] = entries[l * size + k];
            }
        }
        Gram { size, entries }
    }

    fn line(&self, k: usize) -> &[f64] {
        &self.entries[k * self.size..][..self.size]
    }

    /// δ (m,), begun from `step`, to where no slope is farther than `target` from the subgradients of the penalty.
    pub fn minimise(
        &self,
        model: &Quadratic<'_>,
        diagonal: &Diagonal,
        step: Vec<f64>,
        target: f64,
    ) -> Vec<f64> {
        let first: Vec<f64> = model.gradient.iter().zip(&model.w).map(|(g, w)| g + model.l2 * w).collect();
        let mut slope = first.clone();
        for (k, &d) in step.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            slope.iter_mut().zip(self.line(k)).for_each(|(s, g)| *s += d * g);
        }
        let mut now = Iterate { step, slope };
        let mut memory = vec![];
        for _ in 0..SWEEPS {
            if memory.is_empty() {
                memory.push(now.clone());
            }
            let violation = self.sweep(model, diagonal, &mut now);
            if violation <= target {
                break;
            }
            memory.push(now.clone());
            if memory.len() > MEMORY {
                if let Some(far) = extrapolated(&memory)
                    && far.value(model, &first) < now.value(model, &first)
                {
                    now = far;
                }
                memory.clear();
            }
        }
        now.step
    }

    fn sweep(&self, model: &Quadratic<'_>, diagonal: &Diagonal, now: &mut Iterate) -> f64 {
        let mut worst = 0.0_f64;
        for k in 0..self.size {
            let w = model.w[k] + now.step[k];
            let (next, violation) = best(w, now.slope[k], diagonal.q[k], model.l1);
            worst = worst.max(violation);
            let change = next - w;
            if change != 0.0 {
                now.step[k] += change;
                now.slope.iter_mut().zip(self.line(k)).for_each(|(s, g)| *s += change * g);
            }
        }
        worst
    }
}

/// δ and the slope of the smooth part there.
#[derive(Clone)]
struct Iterate {
    step: Vec<f64>,
    slope: Vec<f64>,
}

impl Iterate {
    /// The model, its slope at 0 being `first`.
    fn value(&self, model: &Quadratic<'_>, first: &[f64]) -> f64 {
        let smooth: f64 =
            self.step.iter().zip(first).zip(&self.slope).map(|((d, f), s)| 0.5 * d * (f + s)).sum();
        smooth + model.l1 * self.step.iter().zip(&model.w).map(|(d, w)| (w + d).abs()).sum::<f64>()
    }
}

/// The combination of the iterates, weights summing to 1, whose step is shortest.
fn extrapolated(memory: &[Iterate]) -> Option<Iterate> {
    let n = memory.len() - 1;
    let moves: Vec<Vec<f64>> =
        memory.windows(2).map(|pair| pair[1].step.iter().zip(&pair[0].step).map(|(b, a)| b - a).collect()).collect();
    let mut system: Vec<Vec<f64>> = moves
        .iter()
        .map(|a| moves.iter().map(|b| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect())
        .collect();
    let trace: f64 = (0..n).map(|k| system[k][k]).sum();
    (0..n).for_each(|k| system[k][k] += 1e-12 * trace);
    let weights = solved(system, vec![1.0; n])?;
    let total: f64 = weights.iter().sum();
    if !total.is_finite() || total == 0.0 {
        return None;
    }
    let combined = |of: &dyn Fn(&Iterate) -> &Vec<f64>| {
        let mut sum = vec![0.0; of(&memory[0]).len()];
        for (iterate, c) in memory[1..].iter().zip(&weights) {
            sum.iter_mut().zip(of(iterate)).for_each(|(s, x)| *s += c / total * x);
        }
        sum
    };
    Some(Iterate { step: combined(&|it| &it.step), slope: combined(&|it| &it.slope) })
}

/// The solution of a small positive definite system, by elimination.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        if !(a[k][k] > 0.0) {
            return None;
        }
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

/// How many values of the working set each row has.
fn lengths(model: &Quadratic<'_>) -> Vec<u32> {
    let mut lengths = vec![0; model.columns.count()];
    for &j in model.set {
        model.columns.column(j).each(|i, _| lengths[i] += 1);
    }
    lengths
}

impl Lists {
    fn new(model: &Quadratic<'_>) -> Lists {
        let mut starts = Vec::with_capacity(model.columns.count() + 1);
        let mut total = 0;
        for n in lengths(model) {
            starts.push(total);
            total += n as usize;
        }
        let mut next = starts.clone();
        starts.push(total);
        let (mut places, mut values) = (vec![0; total], vec![0.0; total]);
        for (k, &j) in model.set.iter().enumerate() {
            model.columns.column(j).each(|i, x| {
                (places[next[i]], values[next[i]]) = (k as u32, x);
                next[i] += 1;
            });
        }
        Lists { starts, places, values }
    }
}

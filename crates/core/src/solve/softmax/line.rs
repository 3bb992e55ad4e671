//! A step of a softmax, searched along its line.

use super::{BLOCK, SEARCHED, Softmax, probabilities};
use crate::parallel::each;

/// Lengths that a search tries at most.
const TRIALS: usize = 40;

/// What is known along a step: λ W·dW, λ dW·dW, the scores before it, and how they change.
pub(super) struct Line {
    pub(super) ww: f64,
    pub(super) wd: f64,
    pub(super) s: Vec<f64>,
    pub(super) ds: Vec<f64>,
}

impl Line {
    /// The t > 0 that minimises P along the step, by Newton's method within a bracket, to a slope that is small against
    /// `scale`.
    pub(super) fn search(&self, of: &Softmax<'_>, scale: f64) -> f64 {
        let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..TRIALS {
            let (first, second) = self.along(of, t);
            let (first, second) = (first + self.ww + t * self.wd, second + self.wd);
            if first.abs() <= SEARCHED * scale {
                break;
            }
            if first < 0.0 {
                low = t
            } else {
                high = t
            }
            t = if second > 0.0 { t - first / second } else { f64::INFINITY };
            if !(low < t && t < high) {
                t = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * f64::max(low, 1.0) };
            }
        }
        t
    }

    /// The first and second derivative of the losses at t.
    fn along(&self, of: &Softmax<'_>, t: f64) -> (f64, f64) {
        let classes = of.classes;
        let of_block = |block: usize| {
            let first = block * BLOCK;
            let n = BLOCK.min(of.rows.count() - first);
            let own = first * classes..(first + BLOCK) * classes;
            let (s, ds) = (&self.s[own.clone()], &self.ds[own]);
            let at: Vec<f64> = s.iter().zip(ds).map(|(s, ds)| s + t * ds).collect();
            let mut p = vec![0.0; at.len()];
            let (y, c) = (&of.y[first..first + n], &of.weight[first..first + n]);
            probabilities(&at, n, &mut p, y, c);
            let (mut slope, mut bend) = (0.0, 0.0);
            for i in 0..n {
                let (mut mean, mut square) = (0.0, 0.0);
                for k in (0..classes * BLOCK).step_by(BLOCK) {
                    mean += p[k + i] * ds[k + i];
                    square += p[k + i] * ds[k + i] * ds[k + i];
                }
                slope += c[i] * (mean - ds[y[i] as usize * BLOCK + i]);
                bend += c[i] * (square - mean * mean);
            }
            (slope, bend)
        };
        let blocks: Vec<(f64, f64)> = each(of.rows.count().div_ceil(BLOCK), &of_block);
        blocks.into_iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y))
    }
}

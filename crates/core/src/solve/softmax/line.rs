//! A step of a softmax, searched along its line.

use super::super::line::search;
use super::{BLOCK, Softmax, probabilities};
use crate::parallel::each;

/// What is known along a step: λ W·dW, λ dW·dW, the scores before it, and how they change.
pub(super) struct Line {
    pub(super) ww: f64,
    pub(super) wd: f64,
    pub(super) s: Vec<f64>,
    pub(super) ds: Vec<f64>,
}

impl Line {
    /// Finds how far to go, of a step that falls so steeply at first.
    pub(super) fn search(&self, of: &Softmax<'_>, first: f64) -> f64 {
        let along = |t: f64| {
            let (slope, bend) = self.along(of, t);
            (slope + self.ww + t * self.wd, bend + self.wd)
        };
        search(&along, first)
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

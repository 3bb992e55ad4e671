//! What lines are lines of: rows of X, and weights.

use std::ops::Range;

use super::Sums;
use crate::solve::few::Few;

/// Σ of numbers, eight at a time.
#[inline(always)]
pub(super) fn sum(x: &[f64]) -> f64 {
    let (eights, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    eights.iter().for_each(|x| (0..8).for_each(|k| sums[k] += x[k]));
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// What lines are of.
pub(super) trait Lines: Sync {
    fn columns(&self) -> usize;

    /// Aw + b of the lines from `first` on.
    fn scores(&self, first: usize, w: &[f64], b: f64, s: &mut [f64]);

    /// Adds Aᵀu and Σ u of the lines from `first` on.
    fn add(&self, first: usize, u: &[f64], sums: &mut Sums);
}

/// Of nothing that is asked.
pub(super) struct Alone;

impl Lines for Alone {
    fn columns(&self) -> usize {
        0
    }

    fn scores(&self, _: usize, _: &[f64], _: f64, _: &mut [f64]) {}

    fn add(&self, _: usize, _: &[f64], _: &mut Sums) {}
}

/// Of rows of X, then of weights, which know no b.
pub struct Beside<'a> {
    pub rows: &'a Few<'a>,
}

impl Beside<'_> {
    /// The rows among so many lines, and the weights.
    #[inline(always)]
    fn split(&self, first: usize, lines: usize) -> (Range<usize>, Range<usize>) {
        let (end, rows) = (first + lines, self.rows.count());
        (first.min(rows)..end.min(rows), first.max(rows) - rows..end.max(rows) - rows)
    }
}

impl Lines for Beside<'_> {
    fn columns(&self) -> usize {
        self.rows.columns()
    }

    fn scores(&self, first: usize, w: &[f64], b: f64, s: &mut [f64]) {
        let (rows, weights) = self.split(first, s.len());
        let (of_rows, of_weights) = s.split_at_mut(rows.len());
        self.rows.scores_from(rows.start, w, b, of_rows);
        of_weights.iter_mut().zip(weights).for_each(|(s, j)| *s = w[j]);
    }

    fn add(&self, first: usize, u: &[f64], sums: &mut Sums) {
        let (rows, weights) = self.split(first, u.len());
        let (of_rows, of_weights) = u.split_at(rows.len());
        self.rows.add_from(rows.start, of_rows, sums);
        of_weights.iter().zip(weights).for_each(|(&u, j)| sums.0[j] += u);
    }
}

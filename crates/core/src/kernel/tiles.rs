//! Kernels of a block of rows with all others, kept while there is room.

use rayon::prelude::*;

use super::panel::GROUP;
use super::{Points, Real};

/// Rows, and the last values of their kernel, within so many bytes.
pub struct Tiles<R, const L: usize> {
    points: Points<R, L>,
}

impl<R: Real, const L: usize> Tiles<R, L> {
    /// Nothing is kept yet.
    pub fn new(points: Points<R, L>, _bytes: usize) -> Self {
        Tiles { points }
    }

    /// N.
    pub fn count(&self) -> usize {
        self.points.count()
    }

    /// (q, q) K of the rows that were chosen, row by row.
    pub fn within(&self, rows: &[u32]) -> Vec<R> {
        let own = self.points.take(rows);
        let mut all = vec![R::default(); rows.len() * rows.len()];
        let stretch = rows.len().div_ceil(8).next_multiple_of(GROUP).max(GROUP);
        all.par_chunks_mut(stretch * rows.len().max(1)).zip(rows.par_chunks(stretch)).for_each(
            |(out, some)| {
                out.copy_from_slice(&own.rows(&self.points.choose(some)));
            },
        );
        all
    }

    /// (N,) Σ_j K(x_i, x_j) c_j over the rows j that were chosen.
    pub fn combination(&mut self, rows: &[u32], coefficients: &[f64]) -> Vec<f64> {
        if rows.is_empty() {
            return vec![0.0; self.count()];
        }
        self.points.combination(&self.points.choose(rows), coefficients)
    }
}

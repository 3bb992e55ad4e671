//! The kernel of rows with each other.

use rayon::prelude::*;

use super::panel::GROUP;
use super::products::table;
use super::stretches::Sums;
use super::{Points, Real};
use crate::halt;

/// Rows that panels are multiplied with at once: they stay in the cache of one core.
pub(super) const STRIPE: usize = 32 * GROUP;

impl<R: Real, const L: usize> Points<R, L> {
    /// (N, N) K(x_i, x_j), on all threads: up to the diagonal and its stretch, the rest from these, as K is symmetric to
    /// the last bit.
    pub fn square(&self) -> Vec<R> {
        let (n, rows) = (self.count(), self.stretch() * L);
        let all: Vec<u32> = (0..n as u32).collect();
        let mut out = vec![R::default(); n * n];
        let halt = halt::current();
        self.stretches();
        let stripes: Vec<_> = out.chunks_mut(rows * n.max(1)).zip(all.chunks(rows)).enumerate().collect();
        // The longest first.
        stripes.into_par_iter().rev().with_max_len(1).for_each_init(Sums::new, |sums, (s, (out, stripe))| {
            for (out, some) in out.chunks_mut(STRIPE * n).zip(stripe.chunks(STRIPE)) {
                halt::check(&halt);
                table(self, &self.choose(some), 0..s + 1, sums, out);
            }
        });
        (0..n).step_by(rows.max(1)).for_each(|first| turn(&mut out, n, first, n.min(first + rows)));
        out
    }
}

/// Copies what is left of some rows' stretch to above it.
fn turn<R: Real>(all: &mut [R], n: usize, first: usize, end: usize) {
    let (above, own) = all.split_at_mut(first * n);
    above.par_chunks_exact_mut(n).with_min_len(STRIPE).enumerate().for_each(|(j, out)| {
        own.chunks_exact(n).zip(&mut out[first..end]).for_each(|(row, out)| *out = row[j]);
    });
}

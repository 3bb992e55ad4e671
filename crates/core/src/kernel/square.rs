//! The kernel of rows with each other.

use super::panel::GROUP;
use super::products::table;
use super::stretches::Sums;
use super::{Points, Real};
use crate::halt;
use crate::parallel::{Spare, consume, fill};

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
        let spare = Spare::new();
        let of_stripe = |s: usize, out: &mut [R], stripe: &[u32], sums: &mut Sums<R, L>| {
            for (out, some) in out.chunks_mut(STRIPE * n).zip(stripe.chunks(STRIPE)) {
                halt::check(&halt);
                table(self, &self.choose(some), 0..s + 1, sums, out);
            }
        };
        // The longest first.
        consume(stripes.into_iter().rev().collect(), &|_, (s, (out, stripe))| {
            spare.lend(Sums::new, |sums| of_stripe(s, out, stripe, sums));
        });
        (0..n).step_by(rows.max(1)).for_each(|first| turn(&mut out, n, first, n.min(first + rows)));
        out
    }
}

/// Copies what is left of some rows' stretch to above it.
fn turn<R: Real>(all: &mut [R], n: usize, first: usize, end: usize) {
    let (above, own) = all.split_at_mut(first * n);
    fill(above, n * STRIPE, &|part, lines| {
        for (j, out) in (part * STRIPE..).zip(lines.chunks_exact_mut(n)) {
            own.chunks_exact(n).zip(&mut out[first..end]).for_each(|(row, out)| *out = row[j]);
        }
    });
}

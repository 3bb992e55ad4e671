//! Sums over all rows of few columns that the steps of Newton's methods ask for, in one pass.
//!
//! ```text
//! [X 1]ᵀD[X 1]      Σ u x and Σ u of u > 0 and of u < 0
//! ```
//!
//! Floor: of dense rows N·d²/2 multiplications and additions, as many a cycle as the processor does; of sparse ones one
//! and a write for each pair of values of a row. Rows are summed in parts that hang on their number alone, added in order.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::few::{Few, Sums};
use crate::halt::{current, is_given_up};
use crate::panels::{CHUNK, Multiply, Panel, Sums as Products, Take, WIDTH, chunk};
use crate::parallel::each;

/// Rows whose products are taken together: their panels stay near the core.
pub(super) const BLOCK: usize = 256;
/// Parts of the rows at most, and rows of each at least.
const PARTS: usize = 16;
pub(super) const LEAST: usize = 4 * BLOCK;
/// Of sparse rows so many pairs of values, for each number that a part sums.
const WORTH: usize = 8;

/// Sums over all rows.
pub struct Moments {
    /// The lower triangle of [X 1]ᵀD[X 1] (d + 1, d + 1); empty without D.
    pub lower: Vec<f64>,
    /// Of the numbers u above 0.
    pub up: Sums,
    /// Of those below.
    pub down: Sums,
}

impl Moments {
    fn zero(columns: usize, weighed: bool) -> Moments {
        let size = (columns + 1) * usize::from(weighed);
        Moments {
            lower: vec![0.0; size * size],
            up: (vec![0.0; columns], 0.0),
            down: (vec![0.0; columns], 0.0),
        }
    }

    /// Sums those of D (N,) or of none, and of u (N,) or of none, in one pass over X; None where nobody waits for more
    /// than what is best until now. Rows of weight 0 are not multiplied.
    pub fn of(rows: &Few<'_>, weight: &[f64], u: &[f64]) -> Option<Moments> {
        let halt = current();
        let share = rows.count().div_ceil(count_parts(rows)).max(LEAST);
        let part = |part: usize| {
            if is_given_up(&halt) {
                return None;
            }
            let own = part * share..rows.count().min((part + 1) * share);
            Some(Arch::new().dispatch(Part { rows, weight, u, own }))
        };
        let parts: Vec<Option<Moments>> = each(rows.count().div_ceil(share), &part);
        let parts: Option<Vec<Moments>> = parts.into_iter().collect();
        let none = || Moments::zero(rows.columns(), !weight.is_empty());
        Some(parts?.into_iter().reduce(Moments::together).unwrap_or_else(none))
    }

    fn together(mut self, other: Moments) -> Moments {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.lower, &other.lower);
        for (own, other) in [(&mut self.up, &other.up), (&mut self.down, &other.down)] {
            add(&mut own.0, &other.0);
            own.1 += other.1;
        }
        self
    }
}

/// Parts of the rows: of sparse ones as few as are worth a triangle of their own, and two at least.
fn count_parts(rows: &Few<'_>) -> usize {
    if rows.is_dense() {
        PARTS
    } else {
        (rows.pairs() / (WORTH * (rows.columns() + 1).pow(2))).clamp(2, PARTS)
    }
}

/// Some of the rows.
struct Part<'a> {
    rows: &'a Few<'a>,
    weight: &'a [f64],
    u: &'a [f64],
    own: Range<usize>,
}

impl WithSimd for Part<'_> {
    type Output = Moments;

    /// Adds rows block by block; of dense ones eight columns side by side.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Moments {
        let Part { rows, weight, u, own } = self;
        let (mut sums, size) = (Moments::zero(rows.columns(), !weight.is_empty()), rows.columns() + 1);
        let multiplied = rows.is_dense() && !weight.is_empty();
        let mut plain = vec![Panel::new(BLOCK); size.div_ceil(WIDTH) * usize::from(multiplied)];
        let mut weighed = plain.clone();
        let (mut places, mut c) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        let mut halves = [[0.0; BLOCK]; 2];
        for first in own.clone().step_by(BLOCK) {
            let block = first..own.end.min(first + BLOCK);
            if !u.is_empty() {
                let [up, down] = &mut halves;
                for ((up, down), u) in up.iter_mut().zip(&mut *down).zip(&u[block.clone()]) {
                    (*up, *down) = (u.max(0.0), u.min(0.0));
                }
                rows.add_from(first, &up[..block.len()], &mut sums.up);
                rows.add_from(first, &down[..block.len()], &mut sums.down);
            }
            if weight.is_empty() {
                continue;
            }
            if !rows.is_dense() {
                rows.scatter_from(first, &weight[block], &mut sums.lower);
                continue;
            }
            places.clear();
            places.extend(block.filter(|&i| weight[i] != 0.0));
            c.clear();
            c.extend(places.iter().map(|&i| weight[i]));
            plain.iter_mut().enumerate().for_each(|(p, plain)| rows.take(p, &places, plain));
            add_products(simd, &plain, &mut weighed, &c, Lower { lower: &mut sums.lower, size });
        }
        sums
    }
}

/// Adds Σ c (x, 1)(x, 1)ᵀ of some dense rows, up to the diagonal.
#[inline(always)]
pub(super) fn add_products<S: Simd>(
    simd: S,
    plain: &[Panel],
    weighed: &mut [Panel],
    c: &[f64],
    Lower { lower, size }: Lower<'_>,
) {
    for (plain, weighed) in plain.iter().zip(&mut *weighed) {
        weighed.make(plain.len());
        for ((line, weighed), c) in plain.iter().zip(&mut **weighed).zip(c) {
            // A loop over numbers would be turned about: eight rows at once, whose lines are gathered and scattered.
            let (c, weighed) = (simd.splat_f64s(*c), S::as_mut_simd_f64s(weighed).0);
            weighed.iter_mut().zip(S::as_simd_f64s(line).0).for_each(|(to, x)| *to = simd.mul_f64s(*x, c));
        }
    }
    for part in 0..plain.len().div_ceil(CHUNK) {
        let chunk = chunk(part, plain.len(), CHUNK);
        let take = Lower { lower: &mut *lower, size };
        Multiply { left: weighed, columns: size, right: plain, chunk, take }.with_simd(simd);
    }
}

/// Takes products up to the diagonal.
pub struct Lower<'a> {
    /// (n, n) row by row.
    pub lower: &'a mut [f64],
    /// n.
    pub size: usize,
}

impl Take for Lower<'_> {
    #[inline(always)]
    fn take(&mut self, first: usize, chunk: &Range<usize>, sums: &Products) {
        let size = self.size;
        for (c, j) in (first..size.min(first + WIDTH)).enumerate() {
            let line = &mut self.lower[j * size + chunk.start * WIDTH..(j + 1) * size];
            for (line, sums) in line.chunks_mut(WIDTH).zip(&sums[..chunk.len()]) {
                line.iter_mut().zip(&sums[c]).for_each(|(to, sum)| *to += sum);
            }
        }
    }
}

//! Products of slices of a block of rows, added to the levels.
//!
//! Two slices s < t meet in one level only, where one product of their sums does what two of themselves would (Karatsuba
//! & Ofman, Soviet Physics Doklady 7, 1963):
//!
//! ```text
//! L_sᵀR_t + L_tᵀR_s  =  (L_s + L_t)ᵀ(R_s + R_t) − L_sᵀR_s − L_tᵀR_t
//! ```
//!
//! Of S slices that is S(S + 1)/2 products for S². Sums of two slices are below 2^22, and 512 of their products below 2^53.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::levels::Levels;
use super::scale::power;
use super::slices::{BITS, BLOCK, ROUND};
use crate::panels::{CHUNK, Multiply, Panel, Sums, Take, WIDTH, chunk};

const _: () =
    assert!(BLOCK << (2 * BITS) <= 1 << 53, "sums of products are whole numbers that a double holds");

/// Slices of d columns each, in panels; and the sums of two.
#[derive(Default)]
pub struct Panels {
    slices: Vec<Vec<Panel>>,
    used: usize,
    columns: usize,
    sums: Vec<Vec<Panel>>,
}

impl Panels {
    /// Holds slices (S, rows, d) in the place of those before.
    #[inline(always)]
    pub fn hold(&mut self, slices: &[Vec<f64>], d: usize) {
        (self.used, self.columns) = (slices.len(), d);
        make_room(&mut self.slices, self.used);
        for (panels, slice) in self.slices.iter_mut().zip(slices) {
            make_room(panels, d.div_ceil(WIDTH));
            for (panel, j) in panels.iter_mut().zip((0..d).step_by(WIDTH)) {
                panel.make(slice.len() / d);
                let width = WIDTH.min(d - j);
                for (line, row) in panel.iter_mut().zip(slice.chunks_exact(d)) {
                    if width == WIDTH {
                        line.copy_from_slice(&row[j..j + WIDTH]);
                    } else {
                        line[..width].copy_from_slice(&row[j..j + width]);
                    }
                }
            }
        }
    }

    /// Adds each two of the first `most` slices.
    #[inline(always)]
    fn add(&mut self, most: usize) {
        make_room(&mut self.sums, most * most.saturating_sub(1) / 2);
        for (s, t) in (0..most).flat_map(|t| (0..t).map(move |s| (s, t))) {
            let sum = &mut self.sums[pair(s, t)];
            make_room(sum, self.slices[s].len());
            for ((sum, a), b) in sum.iter_mut().zip(&self.slices[s]).zip(&self.slices[t]) {
                sum.make(a.len());
                for ((sum, a), b) in
                    sum.as_flattened_mut().iter_mut().zip(a.as_flattened()).zip(b.as_flattened())
                {
                    *sum = a + b;
                }
            }
        }
    }
}

/// The place of slices s < t among all two.
fn pair(s: usize, t: usize) -> usize {
    t * (t - 1) / 2 + s
}

fn make_room<T: Clone + Default>(all: &mut Vec<T>, count: usize) {
    all.resize(count.max(all.len()), T::default());
}

/// Adds the products of one block to the levels; `right` is None where both factors are the same. `pause` is called now and
/// then. Compiled once, whatever numbers the rows are of.
pub fn multiply(left: &mut Panels, right: Option<&mut Panels>, levels: &mut Levels, pause: &dyn Fn()) {
    Arch::new().dispatch(Products { left, right, levels, pause })
}

struct Products<'a> {
    left: &'a mut Panels,
    right: Option<&'a mut Panels>,
    levels: &'a mut Levels,
    pause: &'a dyn Fn(),
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Products { left, mut right, levels, pause } = self;
        let theirs = right.as_ref().map_or(left.used, |right| right.used);
        let (d, ours, both) = (left.columns, left.used, left.used.min(theirs));
        left.add(both);
        if let Some(right) = &mut right {
            right.add(both);
        }
        let (left, right) = (&*left, right.as_deref().unwrap_or(left));
        for s in 0..ours {
            for t in (0..theirs).filter(|t| s.max(*t) >= both || s <= *t) {
                let sum = s < t && t < both;
                let (a, b) = match sum {
                    true => (&left.sums[pair(s, t)], &right.sums[pair(s, t)]),
                    false => (&left.slices[s], &right.slices[t]),
                };
                for part in 0..b.len().div_ceil(CHUNK) {
                    pause();
                    let take = ToLevels { columns: d, of: (s, t), levels };
                    let chunk = chunk(part, b.len(), CHUNK);
                    Multiply { left: a, columns: d, right: b, chunk, take }.with_simd(simd);
                }
            }
        }
    }
}

/// Adds products of slices s and t.
struct ToLevels<'a> {
    columns: usize,
    of: (usize, usize),
    levels: &'a mut Levels,
}

impl Take for ToLevels<'_> {
    #[inline(always)]
    fn take(&mut self, first: usize, chunk: &Range<usize>, sums: &Sums) {
        for (c, j) in (first..self.columns.min(first + WIDTH)).enumerate() {
            let line = &mut self.levels.products(self.of, j)[chunk.start * WIDTH..];
            for (line, sums) in line.chunks_mut(WIDTH).zip(&sums[..chunk.len()]) {
                for (into, sum) in line.iter_mut().zip(&sums[c]) {
                    *into += as_whole(*sum);
                }
            }
        }
    }
}

/// A whole number of at most 2^53 in size: its upper part and its lower one are read off the digits of sums, which any
/// processor does for several at once.
#[inline(always)]
fn as_whole(x: f64) -> i64 {
    const PART: i32 = 26;
    let high = (x * power(-PART) + ROUND) - ROUND;
    let low = x - high * power(PART);
    let digits = |part: f64| (part + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i64;
    (digits(high) << PART) + digits(low)
}

#[cfg(test)]
mod tests {
    use super::as_whole;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whole_numbers_are_read_off_their_digits(x in -(1_i64 << 53)..=1 << 53, few in -100_i64..100) {
            prop_assert_eq!([as_whole(x as f64), as_whole(few as f64)], [x, few]);
        }
    }
}

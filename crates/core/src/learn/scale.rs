//! How large the values of each column are, which is what slices are cut to.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::slices::BLOCK;
use crate::parallel::each;
use crate::rows::{Index, Row, Rows, Value};

/// Values below this make a row odd; with weights those below 2^−400, and weights beyond 2^±100.
const LEAST: i32 = -484;
const LEAST_WEIGHTED: i32 = -400;
pub const WEIGHT: i32 = 100;
/// The same relative to the largest of all: what is scaled to it still has all its bits.
const RANGE: i32 = 600;

/// Beyond this a square is none.
const FARTHEST: f64 = 1e150;

/// 2^k for −1022 ≤ k ≤ 1023.
#[inline(always)]
pub const fn power(k: i32) -> f64 {
    f64::from_bits(((1023 + k) as u64) << 52)
}

/// The least E with x < 2^E, x ≥ 0 finite.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) as i32 - 1022).max(LEAST)
}

/// E of each column, and which values are too small beside it.
pub struct Scale {
    /// (d,) of the right factor.
    pub right: Vec<i32>,
    /// (d,) of the left factor, w x.
    pub left: Vec<i32>,
    pub least: f64,
    /// Whether any value is below `least`.
    pub tiny: bool,
}

impl Scale {
    /// Of all rows; None if a value is no number, or beyond 10^150.
    pub fn of<V: Value, I: Index>(rows: &Rows<V, I>, weight: Option<&[f64]>) -> Option<Scale> {
        let share = rows.count().div_ceil(16).max(BLOCK);
        let of_part = |part: usize| {
            let own = part * share..rows.count().min((part + 1) * share);
            Arch::new().dispatch(Measure { rows, own })
        };
        let parts: Vec<Sizes> = each(rows.count().div_ceil(share), &of_part);
        let mut all = Sizes::new(rows.columns());
        parts.iter().for_each(|part| all.widen(part));
        if all.most.iter().any(|most| *most > FARTHEST) || all.nothing.iter().any(|nothing| *nothing != 0.0) {
            return None;
        }
        let right: Vec<i32> = all.most.iter().map(|x| if *x == 0.0 { 0 } else { exponent(*x) }).collect();
        let heaviest = weight.map_or(1.0, |weight| weight.iter().fold(0.0, |a: f64, b| a.max(*b)));
        let heavy = if weight.is_some() { exponent(heaviest).clamp(-WEIGHT, WEIGHT + 1) } else { 0 };
        let widest = right.iter().copied().max().unwrap_or(0);
        let least = power(if weight.is_some() { LEAST_WEIGHTED.max(widest - RANGE).min(0) } else { LEAST });
        let left = right.iter().map(|e| e + heavy).collect();
        Some(Scale { right, left, least, tiny: all.least.iter().any(|x| *x < least) })
    }
}

/// (d,) The largest and the least sizes but zero; `nothing` is 0 where all are numbers.
struct Sizes {
    most: Vec<f64>,
    least: Vec<f64>,
    nothing: Vec<f64>,
}

impl Sizes {
    fn new(columns: usize) -> Sizes {
        Sizes { most: vec![0.0; columns], least: vec![f64::INFINITY; columns], nothing: vec![0.0; columns] }
    }

    fn widen(&mut self, other: &Sizes) {
        for j in 0..self.most.len() {
            self.most[j] = self.most[j].max(other.most[j]);
            self.least[j] = self.least[j].min(other.least[j]);
            self.nothing[j] += other.nothing[j];
        }
    }
}

/// The sizes of some of the rows.
struct Measure<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    own: Range<usize>,
}

impl<V: Value, I: Index> WithSimd for Measure<'_, '_, V, I> {
    type Output = Sizes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Sizes {
        let mut sizes = Sizes::new(self.rows.columns());
        for i in self.own {
            match self.rows.row(i) {
                Row::Dense(values) => {
                    let beside = sizes.least.iter_mut().zip(&mut sizes.nothing);
                    for ((x, most), (least, nothing)) in values.iter().zip(&mut sizes.most).zip(beside) {
                        let size = x.real().abs();
                        *most = if size > *most { size } else { *most };
                        *least = if size > 0.0 && size < *least { size } else { *least };
                        *nothing += size * 0.0;
                    }
                }
                Row::Sparse(places, values) => {
                    for (j, x) in places.iter().zip(values) {
                        let (j, size) = (j.place(), x.real().abs());
                        sizes.most[j] = if size > sizes.most[j] { size } else { sizes.most[j] };
                        sizes.least[j] =
                            if size > 0.0 && size < sizes.least[j] { size } else { sizes.least[j] };
                        sizes.nothing[j] += size * 0.0;
                    }
                }
            }
        }
        sizes
    }
}

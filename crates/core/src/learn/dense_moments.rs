//! Moments of dense rows: values cut into slices of 22 bits, whose sums and products are exact in double precision.
//!
//! ```text
//! x = a + b + c + r,     |a| ≤ 2^E,  |b| ≤ 2^(E−22),  |c| ≤ 2^(E−44):  whole multiples of 2^(E−21), 2^(E−43), 2^(E−65)
//! Σ x = Σ a + Σ b + Σ c + …        Σ x² = Σ aa + 2 Σ ab + Σ bb + 2 Σ ac + 2 Σ bc + Σ cc + …
//! ```
//!
//! with 2^E above the largest of 128 rows: each of the nine sums is a whole number below 2^53 of its unit. What is left
//! of few values, r, is added by itself. Rump, Ogita & Oishi, Accurate floating-point summation, SIAM Journal on
//! Scientific Computing 31, 2008, section 3.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::chain::Sums;
use super::labels::Stretch;
use super::moments::{Counted, DOMAIN};
use crate::rows::{Index, Rows, Value};

/// Rows that are added at once, so that a sum is loaded and stored once for all of them.
const GROUP: usize = 4;
/// Rows whose slices have one unit: their products sum to less than 2^53 of it.
const BATCH: usize = 32 * GROUP;
/// Columns that are summed at once: a batch of them fits the second level of cache.
const TILE: usize = 256;
/// Doubles of the widest vector.
const VECTOR: usize = 8;
/// Fewer rows are not worth slicing.
const FEW: usize = 4;
/// 1.5 · 2^52 units of the first slice, for numbers below 1; a slice has 22 bits less than the one before.
const FIRST: f64 = 1.5 * (1_u64 << 31) as f64;
const NEXT: f64 = 1.0 / (1_u64 << 22) as f64;
/// Below this, products of slices would underflow: what is left over is everything.
const SMALL: f64 = f64::from_bits((1023 - 400) << 52);
/// Sums of slices and of their products.
const SUMS: usize = 9;

/// Counts a stretch of rows; None if an entry is outside the domain.
pub struct CountDense<'a, 'r, V, I> {
    pub rows: &'a Rows<'r, V, I>,
    pub stretch: Stretch<'a>,
}

/// What a batch of rows needs at hand, of up to TILE columns, rounded up to whole vectors of zeros.
struct Bench {
    width: usize,
    /// (BATCH, width) the values.
    x: Vec<f64>,
    /// Largest magnitude of a column, then what cuts its three slices, and whether anything was left over.
    cut: [Vec<f64>; 3],
    over: Vec<f64>,
    /// Vector after vector of columns, its `SUMS` sums.
    sums: Vec<f64>,
}

impl<V: Value, I: Index> WithSimd for CountDense<'_, '_, V, I> {
    type Output = Option<Counted>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let columns = self.rows.columns();
        let mut sums = Sums::new(columns);
        let mut missing: Option<Vec<f64>> = None;
        let (mut buffer, mut bench) = (Vec::new(), Bench::new(columns.min(TILE)));
        for batch in self.stretch.chunks(BATCH) {
            for start in (0..columns).step_by(TILE) {
                let tile = start..columns.min(start + TILE);
                bench.begin(batch.len(), tile.len());
                for (k, &i) in batch.iter().enumerate() {
                    let values = &self.rows.row(i as usize).values()[tile.clone()];
                    let x = &mut bench.x[k * bench.width..][..tile.len()];
                    if DOMAIN.support.holds_all(values) {
                        x.copy_from_slice(V::reals(values, &mut buffer));
                    } else {
                        let missing = missing.get_or_insert_with(|| vec![0.0; columns]);
                        known(values, &mut missing[tile.clone()], x)?;
                    }
                }
                if batch.len() <= FEW {
                    bench.add_each(&mut sums, start);
                } else {
                    bench.cut(simd);
                    bench.add(simd);
                    bench.gather::<S>(&mut sums, tile);
                }
            }
        }
        Some((sums, missing))
    }
}

/// Values with zeros for what is missing, which is noted; None if one is outside the domain.
fn known<V: Value>(values: &[V], missing: &mut [f64], known: &mut [f64]) -> Option<()> {
    for ((x, missing), known) in values.iter().zip(missing).zip(known) {
        if !DOMAIN.holds(*x) {
            return None;
        }
        let x = x.real();
        *missing += if x.is_nan() { 1.0 } else { 0.0 };
        *known = if x.is_nan() { 0.0 } else { x };
    }
    Some(())
}

impl Bench {
    /// For so many columns at most.
    fn new(columns: usize) -> Self {
        let width = columns.next_multiple_of(VECTOR);
        let none = || vec![0.0; width];
        Bench {
            width,
            x: vec![0.0; BATCH * width],
            cut: [none(), none(), none()],
            over: none(),
            sums: vec![0.0; SUMS * width],
        }
    }

    /// Clears what the last rows left; so many are to come, and whole groups of them.
    fn begin(&mut self, rows: usize, columns: usize) {
        self.width = columns.next_multiple_of(VECTOR);
        self.x.clear();
        self.x.resize(rows.next_multiple_of(GROUP) * self.width, 0.0);
        let width = self.width;
        for part in self.cut.iter_mut().chain([&mut self.over]) {
            part.clear();
            part.resize(width, 0.0);
        }
        self.sums.clear();
        self.sums.resize(SUMS * width, 0.0);
    }

    /// Finds what cuts the slices of each column.
    #[inline(always)]
    fn cut<S: Simd>(&mut self, _: S) {
        let [first, second, third] = &mut self.cut;
        for x in self.x.chunks_exact(self.width) {
            for (most, x) in first.iter_mut().zip(x) {
                *most = if x.abs() > *most { x.abs() } else { *most };
            }
        }
        for ((first, second), third) in first.iter_mut().zip(second).zip(third) {
            // 2^E of the largest, E one more than its exponent; of zeros alone 0 will do, of tiny ones 1 leaves all over.
            let top = 2.0 * f64::from_bits(first.to_bits() & !((1 << 52) - 1));
            *first = if *first == 0.0 || *first >= SMALL { top * FIRST } else { 1.0 };
            *second = if *first == 1.0 { 1.0 } else { *first * NEXT };
            *third = if *first == 1.0 { 1.0 } else { *second * NEXT };
        }
    }

    /// Adds the slices of all rows, four at a time.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S) {
        let (first, second, third) = (&self.cut[0], &self.cut[1], &self.cut[2]);
        let first = S::as_simd_f64s(first).0;
        let (second, third) = (S::as_simd_f64s(second).0, S::as_simd_f64s(third).0);
        let over = S::as_mut_simd_f64s(&mut self.over).0;
        let sums = S::as_mut_simd_f64s(&mut self.sums).0;
        let n = first.len();
        for group in self.x.chunks_exact(GROUP * self.width) {
            let x = S::as_simd_f64s(group).0;
            for j in 0..n {
                let sums = &mut sums[j * SUMS..(j + 1) * SUMS];
                let mut held = [simd.splat_f64s(0.0); SUMS];
                held.copy_from_slice(sums);
                for k in 0..GROUP {
                    let cut = [first[j], second[j], third[j]];
                    (held, over[j]) = slices(simd, x[k * n + j], cut, held, over[j]);
                }
                sums.copy_from_slice(&held);
            }
        }
    }

    /// Adds every value by itself.
    fn add_each(&self, sums: &mut Sums, start: usize) {
        for (at, x) in self.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            sums.column(start + at % self.width).add(*x);
        }
    }

    /// Adds the sums of a batch, and what its slices left over.
    #[inline(always)]
    fn gather<S: Simd>(&self, sums: &mut Sums, tile: Range<usize>) {
        for (j, to) in tile.enumerate() {
            let mut held = [0.0; SUMS];
            for (k, held) in held.iter_mut().enumerate() {
                *held = self.sums[(j / S::F64_LANES * SUMS + k) * S::F64_LANES + j % S::F64_LANES];
            }
            let [a, b, c, aa, ab, ac, bb, bc, cc] = held;
            let mut column = sums.column(to);
            column.add_parts([a, b, c], [aa, 2.0 * ab, 2.0 * ac, bb, 2.0 * bc, cc]);
            if self.over[j] == 0.0 {
                continue;
            }
            for x in self.x[j..].iter().step_by(self.width) {
                let mut rest = *x;
                for cut in &self.cut {
                    rest -= (rest + cut[j]) - cut[j];
                }
                if rest != 0.0 {
                    column.add_rest(*x, rest);
                }
            }
        }
    }
}

/// Adds the slices of x and their products to the sums a, b, c, aa, ab, ac, bb, bc, cc, and notes whether any is left.
#[inline(always)]
fn slices<S: Simd>(
    simd: S,
    x: S::f64s,
    cut: [S::f64s; 3],
    sums: [S::f64s; SUMS],
    over: S::f64s,
) -> ([S::f64s; SUMS], S::f64s) {
    let a = simd.sub_f64s(simd.add_f64s(x, cut[0]), cut[0]);
    let rest = simd.sub_f64s(x, a);
    let b = simd.sub_f64s(simd.add_f64s(rest, cut[1]), cut[1]);
    let rest = simd.sub_f64s(rest, b);
    let c = simd.sub_f64s(simd.add_f64s(rest, cut[2]), cut[2]);
    let rest = simd.sub_f64s(rest, c);
    let [sa, sb, sc, aa, ab, ac, bb, bc, cc] = sums;
    let sums = [
        simd.add_f64s(sa, a),
        simd.add_f64s(sb, b),
        simd.add_f64s(sc, c),
        simd.mul_add_f64s(a, a, aa),
        simd.mul_add_f64s(a, b, ab),
        simd.mul_add_f64s(a, c, ac),
        simd.mul_add_f64s(b, b, bb),
        simd.mul_add_f64s(b, c, bc),
        simd.mul_add_f64s(c, c, cc),
    ];
    (sums, simd.max_f64s(over, simd.max_f64s(rest, simd.sub_f64s(simd.splat_f64s(0.0), rest))))
}

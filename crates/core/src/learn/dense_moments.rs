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

use pulp::{Simd, WithSimd};

use super::chain::{Column, PARTS, Sums};
use super::labels::Stretch;
use super::moments::{Counted, DOMAIN};
use crate::rows::{Index, Rows, Value};

/// Rows that are added at once, so that a sum is loaded and stored once for all of them.
const GROUP: usize = 4;
/// Rows whose slices have one unit: their products sum to less than 2^53 of it.
const BATCH: usize = 32 * GROUP;
/// Columns that are summed at once: a batch of them fits the second level of cache.
const TILE: usize = 256;
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

/// What a batch of rows needs at hand, of up to TILE columns.
struct Bench {
    /// (BATCH, width) the values.
    x: Vec<f64>,
    /// Largest magnitude of a column, then what cuts its three slices, and whether anything was left over.
    cut: [Vec<f64>; 3],
    over: Vec<f64>,
    sums: [Vec<f64>; SUMS],
}

impl<V: Value, I: Index> WithSimd for CountDense<'_, '_, V, I> {
    type Output = Option<Counted>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let columns = self.rows.columns();
        let mut sums = Sums { table: vec![0.0; columns * PARTS], aside: Vec::new() };
        let mut missing: Option<Vec<f64>> = None;
        let mut buffer = Vec::new();
        for batch in self.stretch.chunks(BATCH) {
            for start in (0..columns).step_by(TILE) {
                let tile = start..columns.min(start + TILE);
                let mut bench = Bench::new(batch.len(), tile.len());
                for (&i, x) in batch.iter().zip(bench.x.chunks_exact_mut(tile.len())) {
                    let values = &self.rows.row(i as usize).values()[tile.clone()];
                    if DOMAIN.support.holds_all(values) {
                        x.copy_from_slice(V::reals(values, &mut buffer));
                    } else {
                        let missing = missing.get_or_insert_with(|| vec![0.0; columns]);
                        known(values, &mut missing[tile.clone()], x)?;
                    }
                }
                let mut columns = Columns { sums: &mut sums, start };
                if batch.len() <= FEW {
                    columns.add_each(&bench);
                } else {
                    bench.cut(simd);
                    bench.add(simd);
                    columns.gather(&bench);
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
    /// For so many rows, rounded up to whole groups, which are zeros.
    fn new(rows: usize, width: usize) -> Self {
        let none = || vec![0.0; width];
        Bench {
            x: vec![0.0; rows.next_multiple_of(GROUP) * width],
            cut: [none(), none(), none()],
            over: none(),
            sums: std::array::from_fn(|_| none()),
        }
    }

    /// Finds what cuts the slices of each column.
    #[inline(always)]
    fn cut<S: Simd>(&mut self, _: S) {
        let [first, second, third] = &mut self.cut;
        for x in self.x.chunks_exact(first.len()) {
            first
                .iter_mut()
                .zip(x)
                .for_each(|(most, x)| *most = if x.abs() > *most { x.abs() } else { *most });
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
        let width = self.over.len();
        let [first, second, third] = &self.cut;
        let cut = [first, second, third].map(|cut| S::as_simd_f64s(cut));
        let n = cut[0].0.len();
        for group in self.x.chunks_exact(GROUP * width) {
            let x: [_; GROUP] = std::array::from_fn(|k| S::as_simd_f64s(&group[k * width..(k + 1) * width]));
            let (over, over_tail) = S::as_mut_simd_f64s(&mut self.over);
            let mut sums = self.sums.each_mut().map(|sum| S::as_mut_simd_f64s(sum));
            for (j, over) in over.iter_mut().enumerate().take(n) {
                let (mut held, mut rest) = (sums.each_ref().map(|sum| sum.0[j]), *over);
                for x in &x {
                    (held, rest) = slices(simd, x.0[j], [cut[0].0[j], cut[1].0[j], cut[2].0[j]], held, rest);
                }
                *over = rest;
                sums.iter_mut().zip(held).for_each(|(sum, held)| sum.0[j] = held);
            }
            let mut held = sums.each_ref().map(|sum| simd.partial_load_f64s(sum.1));
            let mut rest = simd.partial_load_f64s(over_tail);
            for x in &x {
                let cut = cut.map(|cut| simd.partial_load_f64s(cut.1));
                (held, rest) = slices(simd, simd.partial_load_f64s(x.1), cut, held, rest);
            }
            simd.partial_store_f64s(over_tail, rest);
            sums.iter_mut().zip(held).for_each(|(sum, held)| simd.partial_store_f64s(sum.1, held));
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
    let slice = |x, cut| simd.sub_f64s(simd.add_f64s(x, cut), cut);
    let a = slice(x, cut[0]);
    let rest = simd.sub_f64s(x, a);
    let b = slice(rest, cut[1]);
    let rest = simd.sub_f64s(rest, b);
    let c = slice(rest, cut[2]);
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
    (sums, simd.add_f64s(over, simd.abs_f64s(rest)))
}

/// The columns from `start` of a table.
struct Columns<'a> {
    sums: &'a mut Sums,
    start: usize,
}

impl Columns<'_> {
    fn column(&mut self, j: usize) -> Column<'_> {
        let j = self.start + j;
        let place = j * PARTS..(j + 1) * PARTS;
        Column { sums: &mut self.sums.table[place], j, aside: &mut self.sums.aside }
    }

    /// Adds every value by itself.
    fn add_each(&mut self, bench: &Bench) {
        let width = bench.over.len();
        for (at, x) in bench.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            self.column(at % width).add(*x);
        }
    }

    /// Adds the sums of a batch, and what its slices left over.
    fn gather(&mut self, bench: &Bench) {
        let width = bench.over.len();
        let cut: [&Vec<f64>; 3] = bench.cut.each_ref();
        for j in 0..width {
            let [a, b, c, aa, ab, ac, bb, bc, cc] = bench.sums.each_ref().map(|sum| sum[j]);
            let mut column = self.column(j);
            column.add_parts([a, b, c], [aa, 2.0 * ab, 2.0 * ac, bb, 2.0 * bc, cc]);
            if bench.over[j] == 0.0 {
                continue;
            }
            for x in bench.x[j..].iter().step_by(width) {
                let rest = cut.iter().fold(*x, |rest, cut| rest - ((rest + cut[j]) - cut[j]));
                if rest != 0.0 {
                    column.add_rest(*x, rest);
                }
            }
        }
    }
}

//! Moments of dense rows: four rows of one class at a time, several columns in a vector.

use pulp::{Simd, WithSimd};

use super::labels::{Labels, Stretch};
use super::moments::DOMAIN;
use crate::rows::{Index, Rows, Value};

/// Rows that are added at once, so that a sum is loaded and stored once for all of them.
const GROUP: usize = 4;
/// Rows after which what the sums carry is gathered again, so that it stays small beside them.
const BATCH: usize = 32 * GROUP;
/// Columns that are summed at once: their sums fit the second level of cache.
const TILE: usize = 2048;

/// Adds a stretch of rows to `table`, hi and lo of s, hi and lo of q, (d,) each; the weights of what is missing, or
/// None if an entry is outside the domain.
pub struct CountDense<'a, 'r, V, I> {
    pub rows: &'a Rows<'r, V, I>,
    pub labels: &'a Labels<'a>,
    pub stretch: Stretch<'a>,
    pub table: &'a mut [f64],
}

/// Hi and lo of s, hi and lo of q, of the same columns.
type Parts<'a> = [&'a mut [f64]; 4];

/// Up to four rows as doubles, with their weights; the others are zeros.
struct Group<'a> {
    x: [&'a [f64]; GROUP],
    w: [f64; GROUP],
}

impl<V: Value, I: Index> WithSimd for CountDense<'_, '_, V, I> {
    type Output = Option<Option<Vec<f64>>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let columns = self.rows.columns();
        let zeros = vec![0.0; columns.min(TILE)];
        let mut buffers = [const { Vec::new() }; GROUP];
        let mut missing: Option<Vec<f64>> = None;
        for batch in self.stretch.chunks(BATCH) {
            for start in (0..columns).step_by(TILE) {
                let tile = start..columns.min(start + TILE);
                let mut parts = tiles(self.table, columns, tile.clone());
                for rows in batch.chunks(GROUP) {
                    let mut group = Group { x: [&zeros[..tile.len()]; GROUP], w: [0.0; GROUP] };
                    for (k, (&i, buffer)) in rows.iter().zip(&mut buffers).enumerate() {
                        let values = &self.rows.row(i as usize).values()[tile.clone()];
                        group.w[k] = self.labels.weight(i);
                        group.x[k] = match DOMAIN.support.holds_all(values) {
                            true => V::reals(values, buffer),
                            false => {
                                let missing = missing.get_or_insert_with(|| vec![0.0; columns]);
                                known(values, group.w[k], &mut missing[tile.clone()], buffer)?
                            }
                        };
                    }
                    match (self.labels.weighted(), V::SQUARE_IS_EXACT) {
                        (true, _) => add::<S, true, false>(simd, &group, &mut parts),
                        (false, true) => add::<S, false, true>(simd, &group, &mut parts),
                        (false, false) => add::<S, false, false>(simd, &group, &mut parts),
                    }
                }
                gather(simd, &mut parts);
            }
        }
        Some(missing)
    }
}

/// The columns `tile` of each of the four parts.
#[inline(always)]
fn tiles(table: &mut [f64], columns: usize, tile: std::ops::Range<usize>) -> Parts<'_> {
    let (s, q) = table.split_at_mut(2 * columns);
    let ((s, s_lo), (q, q_lo)) = (s.split_at_mut(columns), q.split_at_mut(columns));
    [s, s_lo, q, q_lo].map(|part| &mut part[tile.clone()])
}

/// Values with zeros for what is missing, whose weight is noted; None if one is outside the domain.
fn known<'a, V: Value>(
    values: &[V],
    w: f64,
    missing: &mut [f64],
    buffer: &'a mut Vec<f64>,
) -> Option<&'a [f64]> {
    buffer.clear();
    for (x, missing) in values.iter().zip(missing) {
        if !DOMAIN.holds(*x) {
            return None;
        }
        let x = x.real();
        *missing += if x.is_nan() { w } else { 0.0 };
        buffer.push(if x.is_nan() { 0.0 } else { x });
    }
    Some(buffer)
}

/// a + b = hi + lo exactly.
#[inline(always)]
fn two_sum<S: Simd>(simd: S, a: S::f64s, b: S::f64s) -> (S::f64s, S::f64s) {
    let hi = simd.add_f64s(a, b);
    let rest = simd.sub_f64s(hi, a);
    (hi, simd.add_f64s(simd.sub_f64s(a, simd.sub_f64s(hi, rest)), simd.sub_f64s(b, rest)))
}

/// a · b = hi − rest exactly.
#[inline(always)]
fn two_product<S: Simd>(simd: S, a: S::f64s, b: S::f64s) -> (S::f64s, S::f64s) {
    let hi = simd.mul_f64s(a, b);
    (hi, simd.negate_mul_add_f64s(a, b, hi))
}

/// (hi, lo) + Σ x.
#[inline(always)]
fn carry<S: Simd>(simd: S, hi: S::f64s, lo: S::f64s, x: [S::f64s; GROUP]) -> (S::f64s, S::f64s) {
    let (left, left_rest) = two_sum(simd, x[0], x[1]);
    let (right, right_rest) = two_sum(simd, x[2], x[3]);
    let (sum, sum_rest) = two_sum(simd, left, right);
    let (hi, rest) = two_sum(simd, hi, sum);
    let rests = simd.add_f64s(simd.add_f64s(left_rest, right_rest), simd.add_f64s(sum_rest, rest));
    (hi, simd.add_f64s(lo, rests))
}

/// Adds w x and w x² of a vector of columns to their sums. `EXACT`: the square is a double.
#[inline(always)]
fn add_vector<S: Simd, const WEIGHTED: bool, const EXACT: bool>(
    simd: S,
    x: [S::f64s; GROUP],
    w: [S::f64s; GROUP],
    sums: [S::f64s; 4],
) -> [S::f64s; 4] {
    let [s, mut s_lo, q, mut q_lo] = sums;
    let (mut linear, mut square) = (x, x);
    for k in 0..GROUP {
        let (value, rest) = two_product(simd, x[k], x[k]);
        square[k] = value;
        if WEIGHTED {
            let (value, linear_rest) = two_product(simd, w[k], x[k]);
            (linear[k], s_lo) = (value, simd.sub_f64s(s_lo, linear_rest));
            let (value, square_rest) = two_product(simd, w[k], square[k]);
            let rest = simd.mul_add_f64s(w[k], rest, square_rest);
            (square[k], q_lo) = (value, simd.sub_f64s(q_lo, rest));
        } else if !EXACT {
            q_lo = simd.sub_f64s(q_lo, rest);
        }
    }
    let (s, s_lo) = carry(simd, s, s_lo, linear);
    let (q, q_lo) = carry(simd, q, q_lo, square);
    [s, s_lo, q, q_lo]
}

/// Adds four rows to the sums.
#[inline(always)]
fn add<S: Simd, const WEIGHTED: bool, const EXACT: bool>(simd: S, group: &Group<'_>, parts: &mut Parts<'_>) {
    let w = group.w.map(|w| simd.splat_f64s(w));
    let x = group.x.map(|x| S::as_simd_f64s(x));
    let [s, s_lo, q, q_lo] = parts.each_mut().map(|part| S::as_mut_simd_f64s(part));
    let n = s.0.len();
    let heads = x.map(|x| &x.0[..n]);
    let (s_head, s_lo_head, q_head, q_lo_head) =
        (&mut s.0[..n], &mut s_lo.0[..n], &mut q.0[..n], &mut q_lo.0[..n]);
    for j in 0..n {
        let sums = [s_head[j], s_lo_head[j], q_head[j], q_lo_head[j]];
        let sums = add_vector::<S, WEIGHTED, EXACT>(simd, heads.map(|x| x[j]), w, sums);
        [s_head[j], s_lo_head[j], q_head[j], q_lo_head[j]] = sums;
    }
    let mut tails = [s.1, s_lo.1, q.1, q_lo.1];
    let sums = tails.each_ref().map(|tail| simd.partial_load_f64s(tail));
    let sums = add_vector::<S, WEIGHTED, EXACT>(simd, x.map(|x| simd.partial_load_f64s(x.1)), w, sums);
    tails.iter_mut().zip(sums).for_each(|(tail, sum)| simd.partial_store_f64s(tail, sum));
}

/// Takes what the sums carry into them, as far as it goes.
#[inline(always)]
fn gather<S: Simd>(simd: S, parts: &mut Parts<'_>) {
    let [s, s_lo, q, q_lo] = parts;
    for (hi, lo) in [(s, s_lo), (q, q_lo)] {
        let (hi, hi_tail) = S::as_mut_simd_f64s(hi);
        let (lo, lo_tail) = S::as_mut_simd_f64s(lo);
        hi.iter_mut().zip(lo).for_each(|(hi, lo)| (*hi, *lo) = two_sum(simd, *hi, *lo));
        let (sum, rest) = two_sum(simd, simd.partial_load_f64s(hi_tail), simd.partial_load_f64s(lo_tail));
        simd.partial_store_f64s(hi_tail, sum);
        simd.partial_store_f64s(lo_tail, rest);
    }
}

//! Products of rows with weights.
//!
//! ```text
//! scores S = X·W (N, K)      combination V = Xᵀ·U (d, K)      gram G = Xᵀ·diag(h)·X (d, d), and its diagonal alone
//! ```
//!
//! Floors: what is stored over the bandwidth (≈ 31 GB/s a core); for sparse rows a random look-up, or a look-up and
//! an addition, a value (≈ 220 M/s a core for both together). Sums are taken over fixed stretches of rows, one after
//! the other, so that the bits do not depend on the number of threads.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::parallel::{each, fill};
use crate::rows::{Index, Row, Rows, Value};

/// Sums that run side by side in a dot product, so that none waits for the one before it.
const LANES: usize = 16;

impl<V: Value, I: Index> Row<'_, V, I> {
    /// x·w, w (d,).
    #[inline(always)]
    pub fn dot(&self, w: &[f64]) -> f64 {
        match *self {
            Row::Dense(values) => {
                let mut sums = [0.0; LANES];
                let ((x, last_x), (y, last_y)) = (values.as_chunks::<LANES>(), w.as_chunks::<LANES>());
                let rest = last_x.iter().zip(last_y).map(|(&x, &w)| x.real() * w).sum::<f64>();
                for (x, y) in x.iter().zip(y) {
                    for k in 0..LANES {
                        sums[k] += x[k].real() * y[k];
                    }
                }
                sums.iter().sum::<f64>() + rest
            }
            Row::Sparse(indices, values) => {
                let mut sums = [0.0; 4];
                let ((j, last_j), (x, last_x)) = (indices.as_chunks::<4>(), values.as_chunks::<4>());
                let rest = last_j.iter().zip(last_x).map(|(j, &x)| x.real() * w[j.place()]).sum::<f64>();
                for (j, x) in j.iter().zip(x) {
                    for k in 0..4 {
                        sums[k] += x[k].real() * w[j[k].place()];
                    }
                }
                (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
            }
        }
    }

    /// w ← w + step·x.
    #[inline(always)]
    pub fn add_to(&self, step: f64, w: &mut [f64]) {
        match *self {
            Row::Dense(values) => values.iter().zip(w).for_each(|(&x, w)| *w += step * x.real()),
            Row::Sparse(indices, values) => {
                indices.iter().zip(values).for_each(|(j, &x)| w[j.place()] += step * x.real());
            }
        }
    }

    /// ‖x‖², a place stored twice counting as two.
    #[inline(always)]
    pub fn squared_norm(&self) -> f64 {
        self.values().iter().map(|x| x.real() * x.real()).sum()
    }
}

/// Rows that a thread takes at once.
const STRETCH: usize = 512;
/// Sums of rows that are kept apart and added at the end, in order: fewer where a sum is so long that making room for it
/// costs more than the rows.
const PARTS: usize = 4;
const LONG: usize = 1 << 19;

/// S (N, K) = X·Wᵀ + b, W (K, d) row by row, b (K,).
pub fn scores<V: Value, I: Index>(rows: &Rows<V, I>, w: &[f64], b: &[f64]) -> Vec<f64> {
    let width = if rows.is_sparse() { lanes(b.len()) } else { b.len() };
    if b.len() > 1 {
        scores_within(rows, &transposed(w, b.len(), width), width, b, false).0
    } else {
        scores_turned(rows, w, b)
    }
}

/// The same for W (d, K) feature by feature, as it is read.
pub fn scores_turned<V: Value, I: Index>(rows: &Rows<V, I>, w: &[f64], b: &[f64]) -> Vec<f64> {
    scores_within(rows, w, b.len(), b, false).0
}

/// x·w + b of the rows from `first` on, as many as there are results; w (d,).
pub fn scores_from<V: Value, I: Index>(
    rows: &Rows<V, I>,
    first: usize,
    w: &[f64],
    b: f64,
    result: &mut [f64],
) {
    Arch::new().dispatch(Scores { rows, w, width: 1, b: &[b], counts: false, first, result });
}

/// The same of rows of counts; None where a value is none, that is not from 0 to 10^300.
pub fn scores_of_counts<V: Value, I: Index>(rows: &Rows<V, I>, w: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let (scores, counts) = scores_within(rows, w, b.len(), b, true);
    counts.then_some(scores)
}

/// The same for W (d, `width`), of which the first K columns count; and whether all values are counts, if asked.
fn scores_within<V: Value, I: Index>(
    rows: &Rows<V, I>,
    w: &[f64],
    width: usize,
    b: &[f64],
    counts: bool,
) -> (Vec<f64>, bool) {
    let classes = b.len();
    let mut result = vec![0.0; rows.count() * classes];
    let held = fill(&mut result, STRETCH * classes, &|part, result| {
        Arch::new().dispatch(Scores { rows, w, width, b, counts, first: part * STRETCH, result })
    });
    (result, !held.contains(&false))
}

/// So many sums are kept in registers side by side: as many as there are classes, or a few more.
fn lanes(classes: usize) -> usize {
    match classes {
        0..=2 => classes,
        3..=4 => 4,
        5..=32 => classes.next_multiple_of(8),
        _ => classes,
    }
}

/// (places,) x_i·w + b of the rows at the given places, w (d,).
pub fn scores_of<V: Value, I: Index>(rows: &Rows<V, I>, places: &[u32], w: &[f64], b: f64) -> Vec<f64> {
    let mut result = vec![0.0; places.len()];
    fill(&mut result, STRETCH, &|part, result| {
        let places = &places[part * STRETCH..];
        Arch::new().dispatch(ScoresOf { rows, places, w, b, result });
    });
    result
}

struct ScoresOf<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    places: &'a [u32],
    w: &'a [f64],
    b: f64,
    result: &'a mut [f64],
}

impl<V: Value, I: Index> WithSimd for ScoresOf<'_, '_, V, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (&i, score) in self.places.iter().zip(self.result) {
            *score = self.b + self.rows.row(i as usize).dot(self.w);
        }
    }
}

/// (columns, width) of a table of so many lines, at most `width`; the rest is 0.
fn transposed(table: &[f64], lines: usize, width: usize) -> Vec<f64> {
    let columns = table.len() / lines;
    let mut turned = vec![0.0; columns * width];
    fill(&mut turned, TURNED * width, &|part, turned| {
        for line in 0..lines {
            let values = &table[line * columns..][part * TURNED..];
            turned[line..].iter_mut().step_by(width).zip(values).for_each(|(to, &x)| *to = x);
        }
    });
    turned
}

/// Columns that are turned at once.
const TURNED: usize = 1 << 7;

/// `w` is (d, width), so that the weights of a feature lie side by side.
struct Scores<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    w: &'a [f64],
    width: usize,
    b: &'a [f64],
    counts: bool,
    first: usize,
    result: &'a mut [f64],
}

/// The largest number that is weighed as a count: larger ones overflow.
const LARGEST: f64 = 1e300;

impl<'r, V: Value, I: Index> Scores<'_, 'r, V, I> {
    /// Row i, and whether its values are counts, if that is asked: they are in the cache then.
    #[inline(always)]
    fn row(&self, i: usize) -> (Row<'r, V, I>, bool) {
        let row = self.rows.row(i);
        let is_count = |x: V| (0.0..=LARGEST).contains(&x.real());
        let held = !self.counts || row.values().iter().fold(true, |all, &x| all & is_count(x));
        (row, held)
    }

    /// The scores of sparse rows, summed in registers: the same sums in the same order.
    #[inline(always)]
    fn in_registers<const K: usize>(mut self) -> bool {
        let weights = self.w.as_chunks::<K>().0;
        let (classes, mut all) = (self.b.len(), true);
        for (i, scores) in std::mem::take(&mut self.result).chunks_exact_mut(classes).enumerate() {
            let mut sums = [0.0; K];
            sums[..classes].copy_from_slice(self.b);
            let (row, held) = self.row(self.first + i);
            all &= held;
            row.each(|j, x| {
                let (x, w) = (x.real(), &weights[j]);
                for k in 0..K {
                    sums[k] += x * w[k];
                }
            });
            scores.copy_from_slice(&sums[..classes]);
        }
        all
    }
}

impl<V: Value, I: Index> WithSimd for Scores<'_, '_, V, I> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> bool {
        match (self.rows.is_sparse(), self.width) {
            (true, 2) => return self.in_registers::<2>(),
            (true, 4) => return self.in_registers::<4>(),
            (true, 8) => return self.in_registers::<8>(),
            (true, 16) => return self.in_registers::<16>(),
            (true, 24) => return self.in_registers::<24>(),
            (true, 32) => return self.in_registers::<32>(),
            _ => {}
        }
        let (classes, mut all) = (self.b.len(), true);
        for (i, scores) in std::mem::take(&mut self.result).chunks_exact_mut(classes).enumerate() {
            let (row, held) = self.row(self.first + i);
            all &= held;
            if classes == 1 {
                scores[0] = self.b[0] + row.dot(self.w);
                continue;
            }
            scores.copy_from_slice(self.b);
            row.each(|j, x| {
                let (x, w) = (x.real(), &self.w[j * self.width..][..classes]);
                scores.iter_mut().zip(w).for_each(|(s, w)| *s += x * w);
            });
        }
        all
    }
}

/// Numbers of two sums that are added at once.
const PIECE: usize = 1 << 14;

/// The sum of what `add` makes of each of a few stretches of so many rows, in their order.
fn summed(count: usize, size: usize, add: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Vec<f64> {
    let share = count.div_ceil(if size < LONG { PARTS } else { PARTS / 2 }).max(1);
    let of_part = |part: usize| {
        let mut sum = vec![0.0; size];
        add(part * share..count.min((part + 1) * share), &mut sum);
        sum
    };
    let mut parts = each(count.div_ceil(share), &of_part).into_iter();
    let mut total = parts.next().unwrap_or_else(|| vec![0.0; size]);
    for part in parts {
        let plus = |k: usize, total: &mut [f64]| {
            total.iter_mut().zip(&part[k * PIECE..]).for_each(|(t, p)| *t += p);
        };
        fill(&mut total, PIECE, &plus);
    }
    total
}

/// V (K, d) = Uᵀ·X, U (N, K); rows of zeros in U are not read.
pub fn combination<V: Value, I: Index>(rows: &Rows<V, I>, u: &[f64], classes: usize) -> Vec<f64> {
    combined(rows, u, classes, false)
}

/// The diagonals (K, d) of Xᵀ·diag(h)·X for each h of H (N, K).
pub fn gram_diagonals<V: Value, I: Index>(rows: &Rows<V, I>, h: &[f64], classes: usize) -> Vec<f64> {
    combined(rows, h, classes, true)
}

fn combined<V: Value, I: Index>(rows: &Rows<V, I>, u: &[f64], classes: usize, squared: bool) -> Vec<f64> {
    let total = summed(rows.count(), classes * rows.columns(), |stretch, sum| {
        let u = &u[stretch.start * classes..stretch.end * classes];
        Arch::new().dispatch(Combine { rows, u, classes, squared, stretch, sum });
    });
    if classes > 1 { transposed(&total, rows.columns().max(1), rows.columns().max(1)) } else { total }
}

/// Adds to `sum` (d,) what the rows from `first` on make, each times its u.
pub fn combine_from<V: Value, I: Index>(rows: &Rows<V, I>, first: usize, u: &[f64], sum: &mut [f64]) {
    let stretch = first..first + u.len();
    Arch::new().dispatch(Combine { rows, u, classes: 1, squared: false, stretch, sum });
}

/// `u` is that of the stretch, `sum` (d, K), so that the sums of a feature lie side by side; of values or their squares.
struct Combine<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    u: &'a [f64],
    classes: usize,
    squared: bool,
    stretch: Range<usize>,
    sum: &'a mut [f64],
}

impl<V: Value, I: Index> WithSimd for Combine<'_, '_, V, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Combine { rows, u, classes, squared, stretch, sum } = self;
        for (k, i) in stretch.enumerate() {
            let (row, u) = (rows.row(i), &u[k * classes..][..classes]);
            match *u {
                [0.0] => {}
                [u] if squared => row.each(|j, x| sum[j] += x.real() * x.real() * u),
                [u] => row.add_to(u, sum),
                _ if squared => {
                    row.each(|j, x| add(x.real() * x.real(), u, &mut sum[j * classes..][..classes]))
                }
                _ => row.each(|j, x| add(x.real(), u, &mut sum[j * classes..][..classes])),
            }
        }
    }
}

/// sum ← sum + x·u, of which few are a loop too short for the compiler's own lanes.
#[inline(always)]
fn add(x: f64, u: &[f64], sum: &mut [f64]) {
    let ((u, last_u), (sum, last_sum)) = (u.as_chunks::<4>(), sum.as_chunks_mut::<4>());
    for (u, sum) in u.iter().zip(sum) {
        (0..4).for_each(|k| sum[k] += x * u[k]);
    }
    last_sum.iter_mut().zip(last_u).for_each(|(s, u)| *s += x * u);
}

/// Xᵀ·diag(h)·X·v (d,) for v (d,): a row is read once for both products, and not at all where its weight is 0.
pub fn gram_times<V: Value, I: Index>(rows: &Rows<V, I>, h: &[f64], v: &[f64]) -> Vec<f64> {
    summed(rows.count(), rows.columns(), |stretch, sum| {
        Arch::new().dispatch(GramTimes { rows, h, v, stretch, sum });
    })
}

struct GramTimes<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    h: &'a [f64],
    v: &'a [f64],
    stretch: Range<usize>,
    sum: &'a mut [f64],
}

impl<V: Value, I: Index> WithSimd for GramTimes<'_, '_, V, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for i in self.stretch {
            if self.h[i] != 0.0 {
                let row = self.rows.row(i);
                row.add_to(self.h[i] * row.dot(self.v), self.sum);
            }
        }
    }
}

/// The lower triangle of G (d, d) = Xᵀ·diag(h)·X; rows of weight 0 are not read.
pub fn gram<V: Value, I: Index>(rows: &Rows<V, I>, h: &[f64]) -> Vec<f64> {
    let columns = rows.columns();
    let share = rows.count().div_ceil(PARTS).max(1);
    let of_part = |part: usize| {
        let mut sum = vec![0.0; columns * columns];
        for (i, &h) in h.iter().enumerate().skip(part * share).take(share) {
            if h != 0.0 {
                add_outer(&rows.row(i), h, columns, &mut sum);
            }
        }
        sum
    };
    let parts: Vec<Vec<f64>> = each(rows.count().div_ceil(share), &of_part);
    let mut total = vec![0.0; columns * columns];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    total
}

#[inline(always)]
fn add_outer<V: Value, I: Index>(row: &Row<'_, V, I>, h: f64, columns: usize, sum: &mut [f64]) {
    match *row {
        Row::Dense(values) => {
            for (j, &x) in values.iter().enumerate() {
                let (step, line) = (h * x.real(), &mut sum[j * columns..][..columns]);
                values[..=j].iter().zip(line).for_each(|(&x, g)| *g += step * x.real());
            }
        }
        Row::Sparse(indices, values) if row.rises() => {
            for (p, (j, &x)) in indices.iter().zip(values).enumerate() {
                let (step, line) = (h * x.real(), &mut sum[j.place() * columns..][..columns]);
                for (k, &x) in indices[..=p].iter().zip(values) {
                    line[k.place()] += step * x.real();
                }
            }
        }
        Row::Sparse(..) => row.each(|j, x| {
            let (step, line) = (h * x.real(), &mut sum[j * columns..][..=j]);
            row.each(|k, x| {
                if let Some(g) = line.get_mut(k) {
                    *g += step * x.real();
                }
            });
        }),
    }
}

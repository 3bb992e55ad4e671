//! Sums and sums of squares, class by class, in double-double.
//!
//! ```text
//! s_cj = Σ_{i: y_i = c} w_i x_ij        q_cj = Σ_{i: y_i = c} w_i x_ij²
//! ```
//!
//! Products and sums carry their rounding errors along, so that both are right to about 1e-30 of Σ |w x| and Σ w x².
//! A variance q/n − (s/n)² keeps its digits although the mean be 10^9 times the spread. Ogita, Rump & Oishi, SIAM
//! Journal on Scientific Computing 26, 2005, algorithm 4.5.
//!
//! Floor: 15 vector additions a value, about 2 cycles with vectors of four; on two cores near the bandwidth of
//! memory.

use pulp::{Arch, Simd, WithSimd};

use super::dense_moments::CountDense;
use super::double_double::{normal, plus, two_product, two_sum};
use super::labels::{Labels, Stretch, gather_missing};
use super::support::{Domain, Outside, Support};
use crate::rows::{Index, Rows, Value};

/// Sums and sums of squares, class by class, each as (2, C, d): all hi, then all lo, hi being hi + lo as rounded.
pub struct Moments {
    /// Σ w x.
    pub s: Vec<f64>,
    /// Σ w x².
    pub q: Vec<f64>,
    /// (C, d) the weight of the rows where a feature is missing; None where none is.
    pub missing: Option<Vec<f64>>,
}

/// What entries may be.
pub const DOMAIN: Domain = Domain { support: Support::Squarable, missing: true };

/// Numbers a column has in a table: hi and lo of s, hi and lo of q.
const PARTS: usize = 4;

/// The moments, or the first entry that is infinite or beyond 10^150, whose square is none.
pub fn class_moments<V: Value, I: Index>(rows: &Rows<V, I>, labels: &Labels<'_>) -> Result<Moments, Outside> {
    let columns = rows.columns();
    let sparse = rows.is_sparse();
    // Dense rows fill four vectors of d; sparse rows find all four numbers of a column in one line of the cache.
    let place = |part: usize, j: usize| if sparse { j * PARTS + part } else { part * columns + j };
    let count = |stretch: Stretch<'_>, table: &mut [f64]| match sparse {
        true => Arch::new().dispatch(CountSparse { rows, labels, stretch, table }),
        false => Arch::new().dispatch(CountDense { rows, labels, stretch, table }),
    };
    let add = |table: &mut [f64], more: &[f64]| {
        for (hi, j) in [0, 2].into_iter().flat_map(|hi| (0..columns).map(move |j| (hi, j))) {
            let (hi, lo) = (place(hi, j), place(hi + 1, j));
            (table[hi], table[lo]) = plus((table[hi], table[lo]), (more[hi], more[lo]));
        }
    };
    let width = columns * PARTS;
    let mut tables = vec![0.0; labels.classes() * width];
    let parts = labels.tally(&mut tables, width, |i| rows.length(i as usize), count, add);
    let parts: Option<Vec<Vec<_>>> = parts.into_iter().map(|class| class.into_iter().collect()).collect();
    let Some(parts) = parts else {
        return Err(DOMAIN.first_outside(rows).expect("an entry outside was met"));
    };
    let size = labels.classes() * columns;
    let (mut s, mut q) = (vec![0.0; 2 * size], vec![0.0; 2 * size]);
    for (at, c, j) in (0..size).map(|at| (at, at / columns, at % columns)) {
        let part = |part: usize| tables[c * width + place(part, j)];
        (s[at], s[size + at]) = normal(part(0), part(1));
        (q[at], q[size + at]) = normal(part(2), part(3));
    }
    Ok(Moments { s, q, missing: gather_missing(parts, columns) })
}

/// Adds a stretch of sparse rows to `table`; the weights of what is missing, or None if an entry is outside.
struct CountSparse<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    labels: &'a Labels<'a>,
    stretch: Stretch<'a>,
    table: &'a mut [f64],
}

impl<V: Value, I: Index> WithSimd for CountSparse<'_, '_, V, I> {
    type Output = Option<Option<Vec<f64>>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut missing: Option<Vec<f64>> = None;
        let (table, _) = self.table.as_chunks_mut::<PARTS>();
        for &i in self.stretch {
            let (row, w) = (self.rows.row(i as usize), self.labels.weight(i));
            let mut inside = true;
            row.each(|j, x| {
                inside &= DOMAIN.holds(x);
                let x = x.real();
                match x.is_nan() {
                    true => missing.get_or_insert_with(|| vec![0.0; table.len()])[j] += w,
                    false => add(&mut table[j], x, w),
                }
            });
            if !inside {
                return None;
            }
        }
        Some(missing)
    }
}

/// Adds w x and w x².
#[inline(always)]
fn add(table: &mut [f64; PARTS], x: f64, w: f64) {
    let ((linear, linear_rest), (square, square_rest)) = (two_product(w, x), two_product(x, x));
    let (weighted, weighted_rest) = two_product(w, square);
    let carry = |hi: f64, lo: f64, value: f64, rest: f64| {
        let (sum, error) = two_sum(hi, value);
        two_sum(sum, lo + (error + rest))
    };
    let [s, s_lo, q, q_lo] = *table;
    let (s, s_lo) = carry(s, s_lo, linear, linear_rest);
    let (q, q_lo) = carry(q, q_lo, weighted, w.mul_add(square_rest, weighted_rest));
    *table = [s, s_lo, q, q_lo];
}

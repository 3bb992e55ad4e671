//! Sums and sums of squares, class by class, without rounding.
//!
//! ```text
//! s_cj = Σ_{i: y_i = c} w_i x_ij        q_cj = Σ_{i: y_i = c} w_i x_ij²
//! ```
//!
//! Both are known to the last bit: any order and any split of the rows ends in the same numbers, and what is taken away
//! again was never there. In x² a number below 2^−484 counts as the nearest multiple of 2^−537.
//!
//! Floor: dense rows without weights take about 25 vector operations a value (`dense_moments`), others four or six
//! additions to sums of some hundred bits.

use pulp::{Arch, Simd, WithSimd};

use super::chain::Sums;
use super::dense_moments::CountDense;
use super::exact::in_parts;
use super::labels::{Labels, Stretch, cuts, gather_missing};
use super::support::{Domain, Outside, Support};
use crate::parallel::each;
use crate::rows::{Index, Rows, Value};

/// Sums and sums of squares, class by class, each as (L, C, d) in parts, see `exact::in_parts`.
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

/// What is counted of a stretch, and the weights of what is missing there.
pub type Counted = (Sums, Option<Vec<f64>>);

/// The moments, or the first entry that is infinite or beyond 10^150, whose square is none.
pub fn class_moments<V: Value, I: Index>(rows: &Rows<V, I>, labels: &Labels<'_>) -> Result<Moments, Outside> {
    let columns = rows.columns();
    let count = |stretch: Stretch<'_>| match rows.is_sparse() || labels.weighted() {
        true => Arch::new().dispatch(CountEach { rows, labels, stretch }),
        false => Arch::new().dispatch(CountDense { rows, stretch }),
    };
    let class = |c: usize| {
        let stretch = labels.rows(c);
        let cuts = cuts(stretch.len(), Sums::width(columns), |k| rows.length(stretch[k] as usize));
        let parts: Vec<Option<Counted>> = each(cuts.len(), &|k| count(&stretch[cuts[k].clone()]));
        let parts: Option<Vec<Counted>> = parts.into_iter().collect();
        let (sums, missing): (Vec<Sums>, Vec<_>) = parts?.into_iter().unzip();
        Some((gathered(&sums, columns, false), gathered(&sums, columns, true), missing))
    };
    let found: Option<Vec<_>> = each(labels.classes(), &class).into_iter().collect();
    let Some(found) = found else {
        return Err(DOMAIN.first_outside(rows).expect("an entry outside was met"));
    };
    let (s, q) =
        (side_by_side(&found, columns, |class| &class.0), side_by_side(&found, columns, |class| &class.1));
    let missing = found.into_iter().map(|class| class.2).collect();
    Ok(Moments { s, q, missing: gather_missing(missing, columns) })
}

/// The sums of all stretches of a class, (L, d) in parts.
fn gathered(sums: &[Sums], columns: usize, squares: bool) -> Vec<f64> {
    let mut aside: Vec<(usize, f64)> = Vec::new();
    for each in sums {
        aside.extend(each.aside(squares));
    }
    aside.sort_unstable_by_key(|a| a.0);
    let mut aside = aside.into_iter().peekable();
    in_parts(columns, |j, into| {
        sums.iter().for_each(|each| each.add_to(j, squares, into));
        while let Some((_, x)) = aside.next_if(|a| a.0 == j) {
            into.add(x);
        }
    })
}

/// Parts (L, d) of each class as (L, C, d).
pub(super) fn side_by_side<T>(classes: &[T], columns: usize, of: impl Fn(&T) -> &Vec<f64>) -> Vec<f64> {
    let size = classes.len() * columns;
    let longest = classes.iter().map(|class| of(class).len()).max().unwrap_or(0);
    let mut all = vec![0.0; (longest / columns.max(1)).max(2) * size];
    for (c, class) in classes.iter().enumerate() {
        for (k, part) in of(class).chunks_exact(columns.max(1)).enumerate() {
            all[k * size + c * columns..][..columns].copy_from_slice(part);
        }
    }
    all
}

/// Counts a stretch of rows value by value; None if an entry is outside.
struct CountEach<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    labels: &'a Labels<'a>,
    stretch: Stretch<'a>,
}

impl<V: Value, I: Index> WithSimd for CountEach<'_, '_, V, I> {
    type Output = Option<Counted>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let columns = self.rows.columns();
        let mut sums = Sums::new(columns);
        let mut missing: Option<Vec<f64>> = None;
        for &i in self.stretch {
            let (row, w) = (self.rows.row(i as usize), self.labels.weight(i));
            let mut inside = true;
            row.each(|j, x| {
                inside &= DOMAIN.holds(x);
                let x = x.real();
                if x.is_nan() {
                    missing.get_or_insert_with(|| vec![0.0; columns])[j] += w;
                    return;
                }
                let mut column = sums.column(j);
                if w == 1.0 { column.add(x) } else { column.add_weighted(x, w) }
            });
            if !inside {
                return None;
            }
        }
        Some((sums, missing))
    }
}

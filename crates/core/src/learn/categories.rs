//! Histograms of categories, class by class.
//!
//! ```text
//! s_cjk = Σ_{i: y_i = c} w_i 1{x_ij = k}        k = 0 … K_j − 1
//! ```
//!
//! What a sparse row does not store is category 0; it is counted as what is left of the class. Floor: one pass over
//! what is stored and one addition a value into the table of one class.

use pulp::{Arch, Simd, WithSimd};

use super::labels::{Labels, Stretch, gather_missing, plus};
use super::support::{Outside, Support, first_outside};
use crate::rows::{Index, Row, Rows, Value};

/// Histograms, class by class.
pub struct Categories {
    /// (C, Σ K_j) the weight of each category of each feature.
    pub s: Vec<f64>,
    /// (C, d) the weight of the rows where a feature is missing; None where none is.
    pub missing: Option<Vec<f64>>,
}

/// Where the categories of each feature begin in a row of the table, and the end.
pub struct Offsets {
    starts: Vec<u64>,
    sizes: Vec<f64>,
}

/// 2^52: its sum with a whole number below it holds that number in its last bits.
const MAGIC: f64 = (1_u64 << 52) as f64;

impl Offsets {
    /// `offsets` (d + 1,) ascend from 0: feature j has `offsets[j + 1] − offsets[j]` categories, at least one.
    pub fn new(offsets: &[i64], columns: usize) -> Result<Self, String> {
        let ascending = offsets.windows(2).all(|ends| ends[0] < ends[1]);
        if offsets.len() != columns + 1 || offsets[0] != 0 || !ascending {
            return Err(format!(
                "{} offsets that ascend from 0 are expected for {columns} columns",
                columns + 1
            ));
        }
        let sizes = offsets.windows(2).map(|ends| (ends[1] - ends[0]) as f64).collect();
        Ok(Offsets { starts: offsets.iter().map(|&at| at as u64).collect(), sizes })
    }

    /// Σ K_j, the width of the table.
    pub fn total(&self) -> usize {
        self.starts[self.sizes.len()] as usize
    }

    /// Whether x is a category of feature j.
    #[inline(always)]
    fn holds<V: Value>(&self, j: usize, x: V) -> bool {
        Support::Whole.holds(x) & (x.real() < self.sizes[j])
    }
}

/// The histograms, or the first entry that is neither a category of its feature nor NaN.
pub fn class_categories<V: Value, I: Index>(
    rows: &Rows<V, I>,
    labels: &Labels<'_>,
    offsets: &Offsets,
) -> Result<Categories, Outside> {
    let (columns, total) = (rows.columns(), offsets.total());
    let mut s = vec![0.0; labels.classes() * total];
    let count = |stretch: Stretch<'_>, table: &mut [f64]| {
        Arch::new().dispatch(Count { rows, labels, stretch, offsets, table })
    };
    let parts = labels.tally(&mut s, total, |i| rows.length(i as usize), count, plus);
    let parts: Option<Vec<Vec<_>>> = parts.into_iter().map(|class| class.into_iter().collect()).collect();
    let Some(parts) = parts else {
        let inside = |j: usize, x: V| x.real().is_nan() || offsets.holds(j, x);
        return Err(first_outside(rows, inside).expect("an entry outside was met"));
    };
    let missing = gather_missing(parts, columns);
    if rows.is_sparse() {
        count_zeros(rows, labels, offsets, &mut s, missing.as_deref());
    }
    Ok(Categories { s, missing })
}

/// Adds a stretch of rows to `table`; the weights of what is missing, or None if an entry is outside the domain.
struct Count<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    labels: &'a Labels<'a>,
    stretch: Stretch<'a>,
    offsets: &'a Offsets,
    table: &'a mut [f64],
}

impl<V: Value, I: Index> WithSimd for Count<'_, '_, V, I> {
    type Output = Option<Option<Vec<f64>>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Count { rows, labels, stretch, offsets, table } = self;
        let mut missing: Option<Vec<f64>> = None;
        let mut places = vec![0; rows.columns()];
        for &i in stretch {
            let (row, w) = (rows.row(i as usize), labels.weight(i));
            if let Row::Dense(values) = row
                && find(values, offsets, &mut places)
            {
                places.iter().for_each(|&place| table[place as usize] += w);
                continue;
            }
            let mut inside = true;
            row.each(|j, x| {
                if offsets.holds(j, x) {
                    table[offsets.starts[j] as usize + x.real() as usize] += w;
                } else if x.real().is_nan() {
                    missing.get_or_insert_with(|| vec![0.0; offsets.sizes.len()])[j] += w;
                } else {
                    inside = false;
                }
            });
            if !inside {
                return None;
            }
        }
        Some(missing)
    }
}

/// The place in the table of each value; false if one is no category.
#[inline(always)]
fn find<V: Value>(values: &[V], offsets: &Offsets, places: &mut [u64]) -> bool {
    let mut inside = true;
    for (((x, start), &size), place) in values.iter().zip(&offsets.starts).zip(&offsets.sizes).zip(places) {
        let x = x.real();
        let shifted = x + MAGIC;
        inside &= (x >= 0.0) & (x < size) & (shifted - MAGIC == x);
        *place = start.wrapping_add(shifted.to_bits()).wrapping_sub(MAGIC.to_bits());
    }
    inside
}

/// Category 0 of each feature is also what sparse rows do not store.
fn count_zeros<V: Value, I: Index>(
    rows: &Rows<V, I>,
    labels: &Labels<'_>,
    offsets: &Offsets,
    s: &mut [f64],
    missing: Option<&[f64]>,
) {
    let columns = rows.columns();
    // Weights that are fractions leave a rest of rounding where every row stores a value: such places are counted.
    let mut stored = vec![0.0; if labels.weighted() { labels.classes() * columns } else { 0 }];
    if labels.weighted() {
        let count = |stretch: Stretch<'_>, table: &mut [f64]| {
            stretch.iter().for_each(|&i| rows.row(i as usize).each(|j, _| table[j] += 1.0));
        };
        labels.tally(&mut stored, columns, |i| rows.length(i as usize), count, plus);
    }
    for (c, total) in labels.totals().into_iter().enumerate() {
        let table = &mut s[c * offsets.total()..][..offsets.total()];
        let full = labels.rows(c).len() as f64;
        for (j, ends) in offsets.starts.windows(2).enumerate() {
            let place = c * columns + j;
            if stored.get(place).is_some_and(|&stored| stored >= full) {
                continue;
            }
            let seen: f64 = table[ends[0] as usize..ends[1] as usize].iter().sum();
            let gone = missing.map_or(0.0, |missing| missing[place]);
            table[ends[0] as usize] += (total - seen - gone).max(0.0);
        }
    }
}

//! Sparse rows read column by column, without a copy of the matrix as columns.
//!
//! Stretches of rows sort their values into ranges of columns, few enough that each has a line of the cache to write
//! to; then every range, small enough for the cache, is sorted by column. Both on all cores. Within a column values
//! keep the order of the rows.

use std::ops::Range;

use super::labels::cuts;
use crate::parallel::{Spare, each, fill};
use crate::rows::{Index, Rows, Value};

/// A range of columns holds about so many values.
const VALUES: usize = 1 << 13;
/// There are at most so many ranges, unless they would be wider than a `u16` counts.
const MOST_RANGES: usize = 512;

/// Columns in ranges of 2^`bits`.
#[derive(Clone, Copy)]
struct Ranges {
    bits: u32,
    count: usize,
}

/// Values of a stretch of rows, range by range: column within the range, and what is kept of the value.
struct Piece<P> {
    entries: Vec<(u16, P)>,
    ends: Vec<usize>,
}

impl Ranges {
    fn new(columns: usize, values: usize) -> Self {
        let wanted = (values / VALUES).clamp(1, MOST_RANGES);
        let bits = columns.div_ceil(wanted).next_power_of_two().trailing_zeros().min(u16::BITS);
        Ranges { bits, count: columns.div_ceil(1 << bits) }
    }

    #[inline(always)]
    fn of(self, j: usize) -> usize {
        j >> self.bits
    }

    #[inline(always)]
    fn within(self, j: usize) -> u16 {
        (j & ((1 << self.bits) - 1)) as u16
    }
}

/// What `column` makes of the values of each column that are not zero, (d,). Of a value x of row i `keep(i, x)` is
/// kept; `start` makes the memory that a thread reuses from column to column.
pub fn each_column<V: Value, I: Index, P: Copy + Default + Send + Sync, S: Send>(
    rows: &Rows<V, I>,
    keep: impl Fn(usize, f64) -> P + Sync,
    start: impl Fn() -> S + Sync + Send,
    column: impl Fn(&mut S, &mut [P]) -> f64 + Sync,
) -> Vec<f64> {
    let ranges = Ranges::new(rows.columns(), rows.values().len());
    let stretches = cuts(rows.count(), ranges.count, |i| rows.length(i));
    let pieces: Vec<Piece<P>> = each(stretches.len(), &|k| sort(rows, ranges, stretches[k].clone(), &keep));
    let mut out = vec![0.0; rows.columns()];
    let spare = Spare::new();
    let of_range = |range: usize, out: &mut [f64], (state, values): &mut (S, Vec<P>)| {
        let ends = gather(&pieces, range, out.len(), values);
        let mut start = 0;
        for (out, end) in out.iter_mut().zip(ends) {
            *out = column(state, &mut values[start..end]);
            start = end;
        }
    };
    fill(&mut out, 1 << ranges.bits, &|range, out| {
        spare.lend(|| (start(), Vec::new()), |own| of_range(range, out, own));
    });
    out
}

/// Sorts what a stretch of rows holds by range.
fn sort<V: Value, I: Index, P: Copy + Default>(
    rows: &Rows<V, I>,
    ranges: Ranges,
    stretch: Range<usize>,
    keep: impl Fn(usize, f64) -> P,
) -> Piece<P> {
    let mut next = vec![0; ranges.count + 1];
    for i in stretch.clone() {
        rows.row(i).each(|j, x| next[ranges.of(j) + 1] += usize::from(x.real() != 0.0));
    }
    (0..ranges.count).for_each(|range| next[range + 1] += next[range]);
    let mut entries = vec![Default::default(); next[ranges.count]];
    for i in stretch {
        rows.row(i).each(|j, x| {
            let x = x.real();
            if x != 0.0 {
                let next = &mut next[ranges.of(j)];
                entries[*next] = (ranges.within(j), keep(i, x));
                *next += 1;
            }
        });
    }
    next.pop();
    Piece { entries, ends: next }
}

/// Sorts what all pieces hold of a range by column to the front of `values`; where each of the `width` columns ends.
fn gather<P: Copy + Default>(
    pieces: &[Piece<P>],
    range: usize,
    width: usize,
    values: &mut Vec<P>,
) -> Vec<usize> {
    let parts = || {
        pieces.iter().flat_map(|piece| {
            let start = range.checked_sub(1).map_or(0, |before| piece.ends[before]);
            &piece.entries[start..piece.ends[range]]
        })
    };
    let mut next = vec![0; width + 1];
    parts().for_each(|&(j, _)| next[usize::from(j) + 1] += 1);
    (0..width).for_each(|j| next[j + 1] += next[j]);
    if values.len() < next[width] {
        values.resize(next[width], P::default());
    }
    for &(j, value) in parts() {
        let next = &mut next[usize::from(j)];
        values[*next] = value;
        *next += 1;
    }
    next.pop();
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_hold_what_the_rows_hold() {
        for (count, columns) in [(1, 1), (3, 5), (400, 700), (7, 70_000), (90_000, 3)] {
            let value = |i: usize, j: usize| ((i * 31 + j * 17) % 5) as f64;
            let dense: Vec<f64> = (0..count).flat_map(|i| (0..columns).map(move |j| value(i, j))).collect();
            let rows = Rows::<f64, i32>::dense(&dense, count, columns).unwrap();
            let digest = |parts: &mut [(u32, f64)]| {
                assert!(parts.is_sorted_by_key(|part| part.0));
                parts.iter().map(|&(i, x)| f64::from(i + 1) * x).sum()
            };
            let found = each_column(&rows, |i, x| (i as u32, x), || (), |(), parts| digest(parts));
            for (j, found) in found.into_iter().enumerate() {
                assert_eq!(found, (0..count).map(|i| (i + 1) as f64 * value(i, j)).sum::<f64>());
            }
        }
    }
}

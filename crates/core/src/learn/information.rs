//! Mutual information between each column and the class, every distinct value being a category.
//!
//! ```text
//! I_j = Σ_v Σ_c p(v, c) log [p(v, c) / (p(v) p(c))]      nats, from the counts of (value, class)
//! ```
//!
//! Cover & Thomas, Elements of Information Theory, 2006, section 2.3. What a sparse row does not store is zero, and
//! zero is a value like any other: it is counted as what is left of the class. Floor: two sorts of what is stored by
//! column, near the bandwidth of memory, and one logarithm for each pair of value and class that occurs.

use pulp::{Arch, Simd, WithSimd};

use super::columns::each_column;
use super::contingency::{Cell, Classes, Contingency};
use super::labels::Labels;
use super::support::{Domain, Outside, Support};
use crate::parallel::each_stretch;
use crate::rows::{Index, Rows, Value};

/// Values that are looked at together before counting.
const STRETCH: usize = 1 << 16;
/// Pairs of value and class have a number; the first of them a place each in a table, the others are sorted.
const PLACES: usize = 1 << 14;

/// A value that is stored, in a column.
#[derive(Clone, Copy, Default)]
struct Entry {
    value: f64,
    row: u32,
    class: u32,
}

/// (d,) the mutual information of each column and the class, 0 ≤ I ≤ H(y); or the first value that is not finite.
pub fn information<V: Value, I: Index>(rows: &Rows<V, I>, labels: &Labels<'_>) -> Result<Vec<f64>, Outside> {
    let domain = Domain { support: Support::Finite, missing: false };
    let largest = largest_whole(rows.values());
    // Infinities and NaN are no whole numbers.
    if largest.is_none()
        && let Some(outside) = domain.first_outside(rows)
    {
        return Err(outside);
    }
    let classes = Classes::new(labels);
    let size = classes.count();
    let pairs = |largest: &f64| (largest + 1.0) * size as f64;
    let table = || Contingency::new(&classes);
    Ok(match largest.filter(|largest| !labels.weighted() && pairs(largest) <= f64::from(u32::MAX)) {
        Some(largest) => {
            let keep = |i: usize, x: f64| (x as usize * size + labels.class(i)) as u32;
            let start = || (table(), vec![0; PLACES.min(pairs(&largest) as usize)], Vec::new());
            each_column(rows, keep, start, |(table, counts, met), pairs| {
                count(pairs, counts, met);
                let cell = |&(pair, rows): &(u32, u32)| {
                    let (value, class) = (pair / size as u32, pair % size as u32);
                    Cell { value: value.into(), class: class as usize, rows, weight: rows.into() }
                };
                table.information(met.iter().map(cell))
            })
        }
        None => {
            let keep = |i: usize, x: f64| Entry { value: x, row: i as u32, class: labels.class(i) as u32 };
            each_column(rows, keep, table, |table, entries| table.information(tally(entries, labels)))
        }
    })
}

/// The largest value if all are whole numbers ≥ 0.
fn largest_whole<V: Value>(values: &[V]) -> Option<f64> {
    let largest = each_stretch(values, STRETCH, &|part| Arch::new().dispatch(LargestWhole(part)));
    largest.into_iter().try_fold(0.0, |a, b| Some(f64::max(a, b?)))
}

struct LargestWhole<'a, V>(&'a [V]);

impl<V: Value> WithSimd for LargestWhole<'_, V> {
    type Output = Option<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<f64> {
        let larger = |top: f64, x: &V| if x.real() > top { x.real() } else { top };
        Support::Whole.holds_all(self.0).then(|| self.0.iter().fold(0.0, larger))
    }
}

/// Counts equal pairs, ascending, with the help of `counts`, which comes and is left as zeros.
fn count(pairs: &[u32], counts: &mut [u32], met: &mut Vec<(u32, u32)>) {
    met.clear();
    for &pair in pairs {
        match counts.get_mut(pair as usize) {
            Some(count) => {
                if *count == 0 {
                    met.push((pair, 0));
                }
                *count += 1;
            }
            None => met.push((pair, 1)),
        }
    }
    met.sort_unstable();
    for (pair, n) in met.iter_mut() {
        *n += counts.get_mut(*pair as usize).map_or(0, std::mem::take);
    }
    met.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}

/// Counts equal values of a class, ascending; weights are added in the order of the rows.
fn tally(entries: &mut [Entry], labels: &Labels<'_>) -> impl Iterator<Item = Cell> {
    entries.sort_unstable_by(|a, b| {
        a.value.total_cmp(&b.value).then(a.class.cmp(&b.class)).then(a.row.cmp(&b.row))
    });
    entries.chunk_by(|a, b| (a.value, a.class) == (b.value, b.class)).map(|run| Cell {
        value: run[0].value,
        class: run[0].class as usize,
        rows: run.len() as u32,
        weight: run.iter().map(|entry| labels.weight(entry.row)).sum(),
    })
}

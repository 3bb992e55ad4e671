//! Rows by class: the order in which they are counted.
//!
//! Rows are taken class by class, so that the table being filled is that of one class only: d numbers stay in the
//! cache where C·d would not. A class with many rows is cut into stretches, each with a table of its own; the
//! tables are added in order. Where the cuts are depends on the labels and on the lengths of the rows alone, so each
//! sum is always taken in the same order, whatever the number of threads.

use std::ops::Range;

use crate::parallel::{consume, fill};
use crate::rows::Index;

/// Labels of the rows, and how often each row counts.
pub struct Labels<'a> {
    /// Rows class by class, in each class ascending.
    order: Vec<u32>,
    /// Where in `order` each class begins, and the end.
    starts: Vec<usize>,
    y: &'a [i64],
    weight: Option<&'a [f64]>,
}

/// The rows of one class, or a stretch of them.
pub type Stretch<'l> = &'l [u32];

/// A table is worth having for so many additions per place: new pages and the sum of two tables cost about three.
const ADDITIONS_PER_PLACE: usize = 16;
/// A stretch holds at least so many additions.
const LEAST_ADDITIONS: usize = 1 << 15;
/// A class is cut into at most so many stretches.
const MOST_STRETCHES: usize = 64;

impl<'a> Labels<'a> {
    /// Of `count` rows: class `y[i]` of row i, 0 ≤ y < `classes`, and its weight (1 where there are none).
    pub fn new(
        y: &'a [i64],
        weight: Option<&'a [f64]>,
        classes: usize,
        count: usize,
    ) -> Result<Self, String> {
        if y.len() != count {
            return Err(format!("one label per row is expected: {} labels for {count} rows", y.len()));
        }
        if let Some(weight) = weight.filter(|weight| weight.len() != y.len()) {
            return Err(format!("one weight per label is expected: {} for {} labels", weight.len(), y.len()));
        }
        let mut starts = vec![0; classes + 1];
        for (i, &c) in y.iter().enumerate() {
            let class = usize::try_from(c).ok().filter(|&c| c < classes);
            starts[1 + class.ok_or_else(|| {
                format!("the label of row {i} is {c}, but the {classes} classes are numbered from 0")
            })?] += 1;
        }
        (0..classes).for_each(|c| starts[c + 1] += starts[c]);
        let mut next = starts.clone();
        let mut order = vec![0; y.len()];
        for (i, &c) in (0..).zip(y) {
            let next = &mut next[c.place()];
            order[*next] = i;
            *next += 1;
        }
        Ok(Labels { order, starts, y, weight })
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of class c, ascending.
    pub fn rows(&self, c: usize) -> Stretch<'_> {
        &self.order[self.starts[c]..self.starts[c + 1]]
    }

    /// The class of row i.
    #[inline(always)]
    pub fn class(&self, i: usize) -> usize {
        self.y[i].place()
    }

    /// How often row i counts.
    #[inline(always)]
    pub fn weight(&self, i: u32) -> f64 {
        self.weight.map_or(1.0, |weight| weight[i as usize])
    }

    /// How often each row counts; None where each counts once.
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.weight
    }

    /// Whether rows have weights.
    pub fn weighted(&self) -> bool {
        self.weight.is_some()
    }

    /// Σ w over the rows of each class.
    pub fn totals(&self) -> Vec<f64> {
        (0..self.classes()).map(|c| self.rows(c).iter().map(|&i| self.weight(i)).sum()).collect()
    }

    /// Fills a table of `width` numbers for each class; `tables` (C, width) comes as zeros.
    ///
    /// `count` adds the rows of a stretch to a table, `add` adds the second table to the first, `length` is how many
    /// additions a row takes. Returns what `count` returned, stretch by stretch, class by class.
    pub fn tally<R: Send>(
        &self,
        tables: &mut [f64],
        width: usize,
        length: impl Fn(u32) -> usize + Sync,
        count: impl Fn(Stretch<'_>, &mut [f64]) -> R + Sync,
        add: impl Fn(&mut [f64], &[f64]) + Sync,
    ) -> Vec<Vec<R>> {
        self.tally_by(tables, width, &length, &count, &add)
    }

    /// The same, compiled once for each type of result.
    fn tally_by<R: Send>(
        &self,
        tables: &mut [f64],
        width: usize,
        length: &(dyn Fn(u32) -> usize + Sync),
        count: &(dyn Fn(Stretch<'_>, &mut [f64]) -> R + Sync),
        add: &(dyn Fn(&mut [f64], &[f64]) + Sync),
    ) -> Vec<Vec<R>> {
        let class = |c: usize, table: &mut [f64]| {
            let rows = self.rows(c);
            let cuts = cuts(rows.len(), width, |k| length(rows[k]));
            let mut tables: Vec<Option<&mut [f64]>> = cuts.iter().map(|_| None).collect();
            tables[0] = Some(&mut *table);
            let one = |k: usize, own: Option<&mut [f64]>| match own {
                Some(table) => (count(&rows[cuts[k].clone()], table), None),
                None => {
                    let mut table = vec![0.0; width];
                    (count(&rows[cuts[k].clone()], &mut table), Some(table))
                }
            };
            let mut all = Vec::with_capacity(cuts.len());
            for (found, more) in consume(tables, &one) {
                more.iter().for_each(|more| add(table, more));
                all.push(found);
            }
            all
        };
        if width == 0 {
            return (0..self.classes()).map(|c| class(c, &mut [])).collect();
        }
        fill(tables, width, &class)
    }
}

/// Where `count` rows are cut, row k taking `length(k)` additions: into stretches of about the same length, few enough
/// that their tables of `width` numbers are cheap.
pub fn cuts(count: usize, width: usize, length: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let total: usize = (0..count).map(&length).sum();
    let least = width.saturating_mul(ADDITIONS_PER_PLACE).max(LEAST_ADDITIONS);
    let parts = (total / least).clamp(1, MOST_STRETCHES);
    let (mut cuts, mut start, mut sum) = (Vec::with_capacity(parts), 0, 0);
    for k in 0..count {
        sum += length(k);
        if cuts.len() + 1 < parts && sum * parts >= total * (cuts.len() + 1) {
            cuts.push(start..k + 1);
            start = k + 1;
        }
    }
    cuts.push(start..count);
    cuts
}

/// Adds `more` to `table`, place by place.
pub fn plus(table: &mut [f64], more: &[f64]) {
    table.iter_mut().zip(more).for_each(|(a, b)| *a += b);
}

/// Tables of what is missing, gathered from the stretches of each class: (C, d), or None where nothing is missing.
pub fn gather_missing(parts: Vec<Vec<Option<Vec<f64>>>>, columns: usize) -> Option<Vec<f64>> {
    if parts.iter().flatten().all(Option::is_none) {
        return None;
    }
    let mut all = vec![0.0; parts.len() * columns];
    for (table, parts) in all.chunks_exact_mut(columns).zip(parts) {
        parts.into_iter().flatten().for_each(|part| plus(table, &part));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_class_by_class() {
        let labels = Labels::new(&[2, 0, 2, 0, 0], None, 4, 5).unwrap();
        let rows: Vec<_> = (0..4).map(|c| labels.rows(c)).collect();
        assert_eq!(rows, [&[1, 3, 4][..], &[], &[0, 2], &[]]);
        assert_eq!(labels.totals(), [3.0, 0.0, 2.0, 0.0]);
    }

    #[test]
    fn labels_that_are_none_are_refused() {
        let refused = |y: &[i64], weight| Labels::new(y, weight, 2, y.len()).err().unwrap_or_default();
        assert_eq!(refused(&[0, 2], None), "the label of row 1 is 2, but the 2 classes are numbered from 0");
        assert_eq!(refused(&[-1], None), "the label of row 0 is -1, but the 2 classes are numbered from 0");
        assert_eq!(refused(&[0], Some(&[])), "one weight per label is expected: 0 for 1 labels");
        assert!(Labels::new(&[0], None, 1, 2).err().unwrap().ends_with("1 labels for 2 rows"));
    }

    #[test]
    fn cuts_cover_every_row_once() {
        for width in [0, 1, 100, 100_000] {
            let cuts = cuts(1000, width, |i| (i % 7) * 1000);
            assert_eq!(cuts.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..1000).collect::<Vec<_>>());
            assert!(cuts.len() <= MOST_STRETCHES && (width > 100 || cuts.len() > 1));
        }
        assert_eq!(cuts(0, 1, |_| 1).as_slice(), std::slice::from_ref(&(0..0)));
    }
}

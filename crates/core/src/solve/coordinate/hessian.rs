//! Xᵀ·diag(h)·X of some columns: the upper triangle, line by line.
//!
//! Floor: columns that are held whole take N·m²/2 multiplications and additions, as many a cycle as the processor does;
//! others, and these with those, one and a write, or a look-up, for each pair of values of a row. Every entry is summed by
//! one thread, so that the bits do not depend on their number.

use std::ops::Range;
use std::sync::Arc;

use pulp::Arch;

use crate::columns::Column;
use crate::halt::{Halt, current, is_given_up};
use crate::panels::{Multiply, Panel, Sums, Take, WIDTH, chunk};
use crate::parallel::{consume, each_of, fill};

/// Entries that are formed at once: they stay near the core.
const TILE: usize = 1 << 15;
/// Rows after which it is asked whether somebody still waits.
const ROWS: usize = 1 << 12;
/// Values of whole columns that are multiplied at once.
const ROOM: usize = 1 << 20;
/// Panels of columns whose lines a thread forms at once.
const PART: usize = 6;
/// So many products of whole columns cost what a value does in a sweep.
const WHOLE: usize = 64;

/// What the products cost, in values touched by a sweep over columns.
pub fn price(columns: &[Column<'_>], count: usize) -> usize {
    let (whole, sparse) = split_by_storage(columns);
    let held: usize = sparse.iter().map(|&p| columns[p].held()).sum();
    let pairs: usize =
        lengths(&select(columns, &sparse), count).iter().map(|&n| n as usize * (n as usize + 8)).sum();
    count * whole.len() * (whole.len() / (2 * WHOLE) + 2) + whole.len() * held + pairs / 2
}

/// (m, m), h (N,); None where it was interrupted.
pub fn products(columns: &[Column<'_>], h: &[f64]) -> Option<Vec<f64>> {
    let (halt, size) = (current(), columns.len());
    let (whole, sparse) = split_by_storage(columns);
    let of_whole = whole_products(&select(columns, &whole), h, &halt)?;
    if sparse.is_empty() {
        return Some(of_whole);
    }
    let of_sparse = sparse_products(&select(columns, &sparse), h, &halt)?;
    if whole.is_empty() {
        return Some(of_sparse);
    }
    let mut entries = vec![0.0; size * size];
    for (places, own) in [(&whole, &of_whole), (&sparse, &of_sparse)] {
        for (k, &p) in places.iter().enumerate() {
            places[k..]
                .iter()
                .zip(&own[k * places.len() + k..])
                .for_each(|(&q, &x)| entries[p * size + q] = x);
        }
    }
    let others = select(columns, &sparse);
    let between = |&p: &usize| {
        let mut hx = vec![0.0; h.len()];
        if !is_given_up(&halt) {
            columns[p].each(|i, x| hx[i] = h[i] * x);
        }
        others.iter().map(|other| other.dot(&hx)).collect()
    };
    let lines: Vec<Vec<f64>> = each_of(&whole, 1, &between);
    for (&p, line) in whole.iter().zip(lines) {
        sparse.iter().zip(line).for_each(|(&q, x)| entries[p.min(q) * size + p.max(q)] = x);
    }
    (!is_given_up(&halt)).then_some(entries)
}

/// The places of the columns that are held whole, and of the others.
fn split_by_storage(columns: &[Column<'_>]) -> (Vec<usize>, Vec<usize>) {
    (0..columns.len()).partition(|&p| matches!(columns[p], Column::Whole(_)))
}

fn select<'a>(columns: &[Column<'a>], places: &[usize]) -> Vec<Column<'a>> {
    places.iter().map(|&p| columns[p]).collect()
}

/// (m, m) of columns that are held whole.
fn whole_products(columns: &[Column<'_>], h: &[f64], halt: &Option<Arc<Halt>>) -> Option<Vec<f64>> {
    let (size, room) = (columns.len(), (ROOM / columns.len().max(1)).clamp(1 << 8, ROWS));
    let mut entries = vec![0.0; size * size];
    let mut left: Vec<Panel> = vec![Panel::default(); size.div_ceil(WIDTH)];
    let mut right = left.clone();
    for first in (0..h.len()).step_by(room) {
        if is_given_up(halt) {
            return None;
        }
        let h = &h[first..h.len().min(first + room)];
        let panels = left.iter_mut().zip(&mut right).zip(columns.chunks(WIDTH)).collect();
        consume(panels, &|_, ((plain, weighted), own)| {
            let (plain, weighted): (&mut Panel, &mut Panel) = (plain, weighted);
            gather(plain, own, first, h.len());
            weighted.clone_from(plain);
            weighted.iter_mut().zip(h).for_each(|(x, h)| x.iter_mut().for_each(|x| *x *= h));
        });
        fill(&mut entries, PART * WIDTH * size, &|part, lines| {
            let chunk = chunk(part, right.len(), PART);
            let take = Lines { lines, size, start: chunk.start };
            let (left, right) = (&left[..], &right[..]);
            Arch::new().dispatch(Multiply { left, columns: size, right, chunk, take });
        });
    }
    Some(entries)
}

/// Lines of the upper triangle, from that of the first column of panel `start` on.
struct Lines<'a> {
    lines: &'a mut [f64],
    size: usize,
    start: usize,
}

impl Take for Lines<'_> {
    #[inline(always)]
    fn take(&mut self, first: usize, chunk: &Range<usize>, sums: &Sums) {
        for (p, sums) in chunk.clone().zip(sums) {
            for (c, sums) in (first..self.size).zip(sums) {
                for (k, sum) in (p * WIDTH..=c).zip(sums) {
                    self.lines[(k - self.start * WIDTH) * self.size + c] += sum;
                }
            }
        }
    }
}

/// Some rows of at most `WIDTH` columns that are held whole.
fn gather(panel: &mut Panel, columns: &[Column<'_>], first: usize, rows: usize) {
    panel.make(rows);
    panel.fill([0.0; WIDTH]);
    for (lane, column) in columns.iter().enumerate() {
        if let Column::Whole(values) = column {
            panel.iter_mut().zip(&values[first..]).for_each(|(row, &x)| row[lane] = x);
        }
    }
}

/// How many values each row has in the columns.
fn lengths(columns: &[Column<'_>], count: usize) -> Vec<u32> {
    let mut lengths = vec![0; count];
    for column in columns {
        column.each(|i, _| lengths[i] += 1);
    }
    lengths
}

/// (m, m) of columns that hold places.
fn sparse_products(columns: &[Column<'_>], h: &[f64], halt: &Option<Arc<Halt>>) -> Option<Vec<f64>> {
    let size = columns.len();
    let lists = Lists::new(columns, h.len(), halt)?;
    let mut entries = vec![0.0; size * size];
    let lines = (TILE / size.max(1)).max(8);
    fill(&mut entries, size * lines, &|part, tile| lists.outer(h, part * lines, size, tile, halt));
    (!is_given_up(halt)).then_some(entries)
}

/// The columns row by row, their places ascending.
struct Lists {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Lists {
    fn new(columns: &[Column<'_>], count: usize, halt: &Option<Arc<Halt>>) -> Option<Lists> {
        let mut starts = Vec::with_capacity(count + 1);
        let mut total = 0;
        for n in lengths(columns, count) {
            starts.push(total);
            total += n as usize;
        }
        let mut next = starts.clone();
        starts.push(total);
        let mut entries = vec![(0, 0.0); total];
        for (p, column) in columns.iter().enumerate() {
            if is_given_up(halt) {
                return None;
            }
            column.each(|i, x| {
                entries[next[i]] = (p as u32, x);
                next[i] += 1;
            });
        }
        Some(Lists { starts, entries })
    }

    /// The upper triangle of Σ h x·xᵀ, its lines from `first` on that the tile has; part of it where it is given up.
    fn outer(&self, h: &[f64], first: usize, size: usize, tile: &mut [f64], halt: &Option<Arc<Halt>>) {
        let end = first + tile.len() / size;
        for (i, (ends, h)) in self.starts.windows(2).zip(h).enumerate() {
            if i % ROWS == 0 && is_given_up(halt) {
                return;
            }
            let row = &self.entries[ends[0]..ends[1]];
            let from = row.partition_point(|&(p, _)| (p as usize) < first);
            let row = &row[from..];
            for (at, &(p, x)) in row.iter().enumerate().take_while(|(_, (p, _))| (*p as usize) < end) {
                let line = &mut tile[(p as usize - first) * size..][..size];
                let step = h * x;
                row[at..].iter().for_each(|&(q, x)| line[q as usize] += step * x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sums_over_the_rows_however_the_columns_are_held() {
        for (count, size) in [(1, 1), (5, 9), (700, 61), (4_100, 130)] {
            let value = |i: usize, j: usize| ((i * 7 + j * 13 + i * j) % 11) as f64 - 5.0;
            let h: Vec<f64> = (0..count).map(|i| 0.25 * (1 + i % 4) as f64).collect();
            for every in [1, 2, usize::MAX] {
                let held: Vec<(Vec<u32>, Vec<f64>)> = (0..size)
                    .map(|j| {
                        let rows = (0..count).filter(|i| j % every != every - 1 || (i + j) % 6 == 0);
                        rows.map(|i| (i as u32, value(i, j))).unzip()
                    })
                    .collect();
                let is_whole = |j: usize| j % every != every - 1;
                let column = |j: usize| match is_whole(j) {
                    true => Column::Whole(&held[j].1),
                    false => Column::Sparse(&held[j].0, &held[j].1),
                };
                let columns: Vec<Column<'_>> = (0..size).map(column).collect();
                let found = products(&columns, &h).unwrap();
                for j in 0..size {
                    let mut hx = vec![0.0; count];
                    columns[j].each(|i, x| hx[i] = h[i] * x);
                    for k in j..size {
                        assert_eq!(
                            found[j * size + k],
                            columns[k].dot(&hx),
                            "{count} {size} {every} {j} {k}"
                        );
                    }
                }
            }
        }
    }
}

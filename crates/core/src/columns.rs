//! The columns of a matrix, for solvers that go feature by feature.
//!
//! Made once from rows, in two readings of them: one counts, one fills, each thread a range of columns. A column most of
//! which is zero holds places and values, any other a value for each row. Floor of making them: a random write of
//! 12 bytes a value (≈ 250 M values/s a core), the same that makes CSC of CSR anywhere.

mod fill;

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::parallel::{MOST_PARTS, consume, each, fill};
use crate::rows::{Index, Row, Rows, Value};
use fill::Fill;

/// A column is held whole where at least one in so many of its values is not zero.
const WHOLE: usize = 4;
/// Rows that are counted at once, at most in so many parts.
const PARTS: usize = 4;
/// Columns that a thread takes at once, at least.
const STRETCH: usize = 64;

/// d columns of N values each.
pub struct Columns {
    /// N.
    count: usize,
    values: Vec<f64>,
    places: Vec<u32>,
    shapes: Vec<Shape>,
}

/// Where a column lies.
#[derive(Clone, Copy, Default)]
struct Shape {
    value: usize,
    /// `None` where it is held whole.
    place: Option<usize>,
    length: usize,
}

/// One column.
#[derive(Clone, Copy)]
pub enum Column<'a> {
    /// A value for each row.
    Whole(&'a [f64]),
    /// Values for some rows, in ascending order, zero in all others.
    Sparse(&'a [u32], &'a [f64]),
}

impl Column<'_> {
    /// x·u, u (N,), in sums side by side so that none waits for the one before it.
    #[inline(always)]
    pub fn dot(&self, u: &[f64]) -> f64 {
        match *self {
            Column::Whole(values) => Row::<f64, i32>::Dense(values).dot(u),
            Column::Sparse(places, values) => {
                let (i, x) = (places.chunks_exact(4), values.chunks_exact(4));
                let rest = i.remainder().iter().zip(x.remainder());
                let rest = rest.map(|(&i, x)| x * u[i as usize]).sum::<f64>();
                let mut sums = [0.0; 4];
                for (i, x) in i.zip(x) {
                    for k in 0..4 {
                        sums[k] += x[k] * u[i[k] as usize];
                    }
                }
                (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
            }
        }
    }

    /// Calls `f` with the row of each value that is not zero, and the value.
    #[inline(always)]
    pub fn each(&self, mut f: impl FnMut(usize, f64)) {
        match *self {
            Column::Whole(values) => {
                values.iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(i, &x)| f(i, x));
            }
            Column::Sparse(places, values) => {
                places.iter().zip(values).for_each(|(&i, &x)| f(i as usize, x));
            }
        }
    }

    /// u ← u + step·x for the rows from `first` on that u has.
    #[inline(always)]
    pub fn add_to(&self, step: f64, first: usize, u: &mut [f64]) {
        match *self {
            Column::Whole(values) => values[first..].iter().zip(u).for_each(|(x, u)| *u += step * x),
            Column::Sparse(places, values) => {
                let at = |row: usize| places.partition_point(|&i| (i as usize) < row);
                let part = at(first)..at(first + u.len());
                let values = &values[part.clone()];
                places[part].iter().zip(values).for_each(|(&i, x)| u[i as usize - first] += step * x);
            }
        }
    }

    /// u ← u + step·h∘x, h and u (N,).
    #[inline(always)]
    pub fn add_weighted_to(&self, step: f64, h: &[f64], u: &mut [f64]) {
        match *self {
            Column::Whole(values) => {
                values.iter().zip(h).zip(u).for_each(|((x, h), u)| *u += step * x * h);
            }
            Column::Sparse(places, values) => {
                places.iter().zip(values).for_each(|(&i, x)| u[i as usize] += step * x * h[i as usize]);
            }
        }
    }

    /// How many values are held.
    pub fn held(&self) -> usize {
        match self {
            Column::Whole(values) | Column::Sparse(_, values) => values.len(),
        }
    }
}

impl Columns {
    /// The columns of fewer than 2^32 rows.
    pub fn new<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Columns {
        let (count, columns) = (rows.count(), rows.columns());
        let mut shapes = Vec::with_capacity(columns);
        let (mut value, mut place) = (0, 0);
        for n in counts(rows) {
            let whole = n * WHOLE >= count;
            shapes.push(Shape {
                value,
                place: (!whole).then_some(place),
                length: if whole { count } else { n },
            });
            value += if whole { count } else { n };
            place += if whole { 0 } else { n };
        }
        let mut made = Columns { count, values: vec![0.0; value], places: vec![0; place], shapes };
        made.fill(rows);
        made
    }

    /// N.
    pub fn count(&self) -> usize {
        self.count
    }

    /// d.
    pub fn columns(&self) -> usize {
        self.shapes.len()
    }

    /// Column j.
    #[inline(always)]
    pub fn column(&self, j: usize) -> Column<'_> {
        let Shape { value, place, length } = self.shapes[j];
        let values = &self.values[value..value + length];
        match place {
            None => Column::Whole(values),
            Some(place) => Column::Sparse(&self.places[place..place + length], values),
        }
    }

    /// v (d,) = Xᵀ·u. Every column is summed by itself, so that the bits do not depend on the number of threads.
    pub fn combination(&self, u: &[f64]) -> Vec<f64> {
        let (mut result, stretch) =
            (vec![0.0; self.columns()], STRETCH.max(self.columns().div_ceil(MOST_PARTS)));
        fill(&mut result, stretch, &|part, result| {
            Arch::new().dispatch(Combine { columns: self, u, first: part * stretch, result });
        });
        result
    }

    fn fill<V: Value, I: Index>(&mut self, rows: &Rows<'_, V, I>) {
        let ranges = self.ranges(rayon::current_num_threads());
        let (mut values, mut places, mut shapes) =
            (&mut self.values[..], &mut self.places[..], &mut self.shapes[..]);
        let (mut value, mut place) = (0, 0);
        let mut jobs = Vec::with_capacity(ranges.len());
        for range in ranges {
            let (mine, rest) = shapes.split_at_mut(range.len());
            shapes = rest;
            let next = shapes.first().map_or(value + values.len(), |next| next.value);
            let (x, rest) = values.split_at_mut(next - value);
            values = rest;
            let held = mine.iter().filter(|s| s.place.is_some()).map(|s| s.length).sum();
            let (i, rest) = places.split_at_mut(held);
            places = rest;
            jobs.push(Fill { rows, range, shapes: mine, values: x, places: i, value, place });
            (value, place) = (next, place + held);
        }
        consume(jobs, &|_, job| job.run());
    }

    /// As many ranges of columns, about equally many values in each.
    fn ranges(&self, parts: usize) -> Vec<Range<usize>> {
        let mut ends: Vec<usize> = (1..parts)
            .map(|part| self.shapes.partition_point(|shape| shape.value < self.values.len() / parts * part))
            .collect();
        ends.push(self.columns());
        let starts = std::iter::once(0).chain(ends.clone());
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }
}

/// How many values of each column are not zero, one stored twice counting as two.
fn counts<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Vec<usize> {
    let share = rows.count().div_ceil(PARTS).max(1);
    let parts: Vec<Vec<u32>> = each(rows.count().div_ceil(share), &|part| {
        let mut counts = vec![0; rows.columns()];
        for i in part * share..rows.count().min((part + 1) * share) {
            rows.row(i).each(|j, x| counts[j] += u32::from(x.real() != 0.0));
        }
        counts
    });
    let mut total = vec![0; rows.columns()];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(t, n)| *t += n as usize);
    }
    total
}

struct Combine<'a> {
    columns: &'a Columns,
    u: &'a [f64],
    first: usize,
    result: &'a mut [f64],
}

impl WithSimd for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (k, v) in self.result.iter_mut().enumerate() {
            *v = self.columns.column(self.first + k).dot(self.u);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_hold_what_the_rows_held_and_a_place_stored_twice_its_sum() {
        let (data, indices) = ([1.0, 2.0, 3.0, 0.5, 4.0, 5.0], [2, 0, 2, 2, 1, 0]);
        let mut indptr = vec![0, 1, 4, 4, 6];
        indptr.extend([6; 18]); // rows of nothing make all columns sparse
        let rows = Rows::<f64, i32>::sparse(&data, &indices, &indptr, 4).unwrap();
        let columns = Columns::new(&rows);
        let held = |j| {
            let mut held = vec![];
            columns.column(j).each(|i, x| held.push((i, x)));
            held
        };
        assert_eq!(held(0), [(1, 2.0), (3, 5.0)]);
        assert_eq!(held(1), [(3, 4.0)]);
        assert_eq!(held(2), [(0, 1.0), (1, 3.5)]);
        assert_eq!(held(3), []);
        assert_eq!(columns.combination(&[1.0; 22]), [7.0, 4.0, 4.5, 0.0]);
        let dense: Vec<f64> = (0..24).map(|k| f64::from(k % 3)).collect();
        let columns = Columns::new(&Rows::<f64, i32>::dense(&dense, 8, 3).unwrap());
        let u: Vec<f64> = (0..8).map(f64::from).collect();
        assert_eq!(columns.combination(&u), [0.0, 28.0, 56.0]);
    }
}

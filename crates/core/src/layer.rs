//! The first layer of a network over sparse rows: some rows of a CSR times the weights, and the way back.
//!
//! ```text
//! S (n, units) = X·W          G (d, units) = Xᵀ·Δ          over the rows of X at the given places
//! ```
//!
//! Floor: a stored value is a multiplication and an addition with a line of W or Δ, which lie in the caches; and what is
//! stored, over the bandwidth. Threads take rows on the way forward and features on the way back, so that every sum is
//! added up in the order of the rows whatever their number.

use std::ops::{Add, AddAssign, Mul};

use pulp::{Arch, Simd, WithSimd};

use crate::parallel::{TOGETHER, consume, each_stretch, fill};
use crate::rows::Index;

/// A number of a network: float32, or float64.
pub trait Real:
    Copy + Default + PartialEq + Send + Sync + Add<Output = Self> + AddAssign + Mul<Output = Self>
{
}
impl Real for f32 {}
impl Real for f64 {}

/// Rows that a thread takes at once.
const STRETCH: usize = 16;
/// Parts of the features, each a thread's at a time.
const PARTS: usize = 8;

/// Rows of a CSR, its indices ascending in every row, at some places.
pub struct Picked<'a, T> {
    /// The values.
    pub data: &'a [T],
    /// Their columns.
    pub indices: &'a [i32],
    /// Where each row begins, and the last ends.
    pub ends: &'a [i32],
    /// Which rows.
    pub places: &'a [i64],
}

impl<T: Real> Picked<'_, T> {
    /// How many rows these are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    #[inline(always)]
    fn row(&self, k: usize) -> (&[i32], &[T]) {
        let i = self.places[k].place();
        let (from, to) = (self.ends[i].place(), self.ends[i + 1].place());
        (&self.indices[from..to], &self.data[from..to])
    }

    /// S (n, units) of W (d, units), line by line, into zeros.
    pub fn forward(&self, w: &[T], units: usize, s: &mut [T]) {
        fill(s, STRETCH * units, &|part, s| {
            Arch::new().dispatch(Forward { rows: self, w, units, first: part * STRETCH, s });
        });
    }

    /// G (d, units) of Δ (n, units), line by line, into zeros.
    pub fn backward(&self, delta: &[T], units: usize, g: &mut [T]) {
        let lines = (g.len() / units.max(1)).div_ceil(PARTS).max(1);
        fill(g, lines * units, &|part, g| {
            Arch::new().dispatch(Backward { rows: self, delta, units, first: part * lines, g });
        });
    }
}

struct Forward<'a, 'r, T> {
    rows: &'a Picked<'r, T>,
    w: &'a [T],
    units: usize,
    first: usize,
    s: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Forward { rows, w, units, first, s } = self;
        let line = |j: i32| &w[j.place() * units..][..units];
        for (s, k) in s.chunks_exact_mut(units).zip(first..) {
            let (columns, values) = rows.row(k);
            let (fours, x) = (columns.chunks_exact(4), values.chunks_exact(4));
            for (&j, &x) in fours.remainder().iter().zip(x.remainder()) {
                s.iter_mut().zip(line(j)).for_each(|(s, &w)| *s += x * w);
            }
            for (j, x) in fours.zip(x) {
                let (a, b, c, d) = (line(j[0]), line(j[1]), line(j[2]), line(j[3]));
                for ((((s, &a), &b), &c), &d) in s.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *s += (x[0] * a + x[1] * b) + (x[2] * c + x[3] * d);
                }
            }
        }
    }
}

struct Backward<'a, 'r, T> {
    rows: &'a Picked<'r, T>,
    delta: &'a [T],
    units: usize,
    first: usize,
    g: &'a mut [T],
}

impl<T: Real> WithSimd for Backward<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Backward { rows, delta, units, first, g } = self;
        let last = first + g.len() / units;
        for (k, delta) in delta.chunks_exact(units).enumerate() {
            let (columns, values) = rows.row(k);
            let from = columns.partition_point(|j| j.place() < first);
            let inside = columns[from..].iter().zip(&values[from..]);
            for (&j, &x) in inside.take_while(|(j, _)| j.place() < last) {
                let line = &mut g[(j.place() - first) * units..][..units];
                line.iter_mut().zip(delta).for_each(|(g, &delta)| *g += x * delta);
            }
        }
    }
}

/// What a dense table of so many columns has besides zeros, as a CSR: (data, indices, ends). None where that is more
/// than `most` values.
pub fn sparse<T: Real>(table: &[T], columns: usize, most: usize) -> Option<(Vec<T>, Vec<i32>, Vec<i32>)> {
    let zero = T::default();
    let columns = columns.max(1);
    let share = TOGETHER.div_ceil(columns);
    let count = |row: &[T]| row.iter().filter(|x| **x != zero).count();
    let of_share = |rows: &[T]| rows.chunks_exact(columns).map(count).collect::<Vec<_>>();
    let counts: Vec<usize> = each_stretch(table, share * columns, &of_share).concat();
    let total: usize = counts.iter().sum();
    if total > most.min(i32::MAX as usize) {
        return None;
    }
    let mut ends = Vec::with_capacity(counts.len() + 1);
    ends.push(0);
    ends.extend(counts.iter().scan(0, |end, &n| {
        *end += n as i32;
        Some(*end)
    }));
    let (mut data, mut indices) = (vec![zero; total], vec![0; total]);
    let mut parts = Vec::with_capacity(counts.len().div_ceil(share));
    let (mut x, mut j) = (&mut data[..], &mut indices[..]);
    for counts in counts.chunks(share) {
        let n = counts.iter().sum();
        let (own, rest) = x.split_at_mut(n);
        let (own_j, rest_j) = j.split_at_mut(n);
        parts.push((own, own_j));
        (x, j) = (rest, rest_j);
    }
    consume(parts, &|k, (x, j)| {
        let rows = table[k * share * columns..].chunks_exact(columns);
        let stored = rows.flat_map(|row| row.iter().enumerate()).filter(|(_, x)| **x != zero);
        for ((x, j), (place, &value)) in x.iter_mut().zip(j).zip(stored) {
            (*x, *j) = (value, place as i32);
        }
    });
    Some((data, indices, ends))
}

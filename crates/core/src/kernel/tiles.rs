//! Kernels of a block of rows with all others, kept while there is room.

use pulp::{Arch, Simd, WithSimd};

use super::products::{Sink, block};
use super::stretches::Sums;
use super::{Points, Real};
use crate::parallel::{Spare, fill_both};

/// A row that is not kept.
const NONE: u32 = u32::MAX;

/// Rows, and the last values of their kernel, within so many bytes.
pub struct Tiles<R, const L: usize> {
    points: Points<R, L>,
    /// The rows that sums are wanted of, where these are not all.
    some: Option<Points<R, L>>,
    bytes: usize,
    kept: Kept<R>,
}

/// Values of the rows that were combined last: stretch of columns after stretch, in each row after row.
struct Kept<R> {
    values: Vec<R>,
    slots: usize,
    /// The row in each slot, and when it was wanted last.
    owner: Vec<u32>,
    wanted: Vec<u64>,
    /// The slot of each row.
    slot: Vec<u32>,
    clock: u64,
}

impl<R: Real, const L: usize> Tiles<R, L> {
    /// Nothing is kept yet.
    pub fn new(points: Points<R, L>, bytes: usize) -> Self {
        let mut tiles = Tiles { kept: Kept::new(0, 0, 0), points, some: None, bytes };
        tiles.restrict(None);
        tiles
    }

    /// N.
    pub fn count(&self) -> usize {
        self.points.count()
    }

    /// The rows of a stretch.
    fn width(&self) -> usize {
        self.points.stretch() * L
    }

    /// How far values of a row of a stretch are from those of the next: at a power of two, many rows would want the same
    /// few places of a cache.
    fn stride(&self) -> usize {
        self.width() + L
    }

    /// From now on sums are wanted of these rows only, or of all.
    pub fn restrict(&mut self, rows: Option<&[u32]>) {
        self.kept = Kept::new(0, 0, 0);
        self.some = rows.map(|rows| self.points.take(rows));
        let active = self.some.as_ref().unwrap_or(&self.points).count();
        self.kept = Kept::new(self.count(), active.div_ceil(self.width()) * self.stride(), self.bytes);
    }

    /// (q, q) K of the rows that were chosen, row by row.
    pub fn within(&self, rows: &[u32]) -> Vec<R> {
        self.points.take(rows).square()
    }

    /// Σ_j K(x_i, x_j) c_j over the rows j that were chosen, in their order, for each row i that sums are wanted of: what
    /// is kept changes no bit.
    pub fn combination(&mut self, rows: &[u32], coefficients: &[f64]) -> Vec<f64> {
        let (width, stride) = (self.width(), self.stride());
        let active = self.some.as_ref().unwrap_or(&self.points);
        if rows.is_empty() {
            return vec![0.0; active.count()];
        }
        if self.kept.slots == 0 {
            return active.combination(&self.points.choose(rows), coefficients);
        }
        let split = self.kept.places(rows);
        let (new, slots) = (&split.new, &split.slots);
        let z = self.points.choose(&split.rows);
        let mut out = vec![0.0; active.count()];
        let share = self.kept.slots * stride;
        let spare = Spare::new();
        let start = || (Sums::new(), vec![R::default(); split.passing * stride]);
        fill_both((&mut out, width), (&mut self.kept.values, share), &|stretch, out, kept| {
            spare.lend(start, |(products, passing)| {
                let mut values = Values { kept, passing, stride };
                if !new.is_empty() {
                    block(active, &z, stretch, products, &None, Keep { new, values: &mut values });
                }
                Arch::new().dispatch(Add { out, slots, coefficients, values });
            });
        });
        out
    }
}

/// Which rows are new, their slots, and the slots of all; those beyond the last are of values that are not kept.
struct Split {
    rows: Vec<u32>,
    new: Vec<u32>,
    slots: Vec<u32>,
    passing: usize,
}

impl<R: Real> Kept<R> {
    fn new(count: usize, width: usize, bytes: usize) -> Kept<R> {
        let slots = (bytes / (size_of::<R>() * width.max(1))).min(count);
        Kept {
            values: vec![R::default(); slots * width],
            slots,
            owner: vec![NONE; slots],
            wanted: vec![0; slots],
            slot: vec![NONE; count],
            clock: 0,
        }
    }

    /// A slot for each row that is new, as long as there are some that nobody wants now, the longest unwanted first.
    fn places(&mut self, rows: &[u32]) -> Split {
        self.clock += 1;
        let mut split = Split { rows: Vec::new(), new: Vec::new(), slots: Vec::new(), passing: 0 };
        for &row in rows {
            let slot = self.slot[row as usize];
            split.slots.push(slot);
            if slot == NONE {
                split.rows.push(row);
            } else {
                self.wanted[slot as usize] = self.clock;
            }
        }
        let mut free: Vec<u32> =
            (0..self.slots as u32).filter(|&s| self.wanted[s as usize] < self.clock).collect();
        free.sort_by_key(|&s| self.wanted[s as usize]);
        let mut free = free.into_iter();
        for (&row, slot) in rows.iter().zip(&mut split.slots).filter(|(_, slot)| **slot == NONE) {
            *slot = free.next().unwrap_or(NONE);
            if *slot == NONE {
                *slot = (self.slots + split.passing) as u32;
                split.passing += 1;
            } else {
                let before = std::mem::replace(&mut self.owner[*slot as usize], row);
                if before != NONE {
                    self.slot[before as usize] = NONE;
                }
                (self.slot[row as usize], self.wanted[*slot as usize]) = (*slot, self.clock);
            }
            split.new.push(*slot);
        }
        split
    }
}

/// Values of the rows of a stretch, slot after slot: those that are kept, and those that are not.
struct Values<'a, R> {
    kept: &'a mut [R],
    passing: &'a mut [R],
    stride: usize,
}

impl<R> Values<'_, R> {
    #[inline(always)]
    fn of(&mut self, slot: u32) -> &mut [R] {
        let (first, end) = (slot as usize * self.stride, self.kept.len());
        let own = if first < end { &mut self.kept[first..] } else { &mut self.passing[first - end..] };
        &mut own[..self.stride]
    }
}

/// Writes values into their slots.
struct Keep<'a, 'v, R> {
    new: &'a [u32],
    values: &'a mut Values<'v, R>,
}

impl<R: Real, const L: usize> Sink<R, L> for Keep<'_, '_, R> {
    #[inline(always)]
    fn take(&mut self, n: usize, j: usize, k: &mut [R; L]) {
        self.values.of(self.new[j])[n * L..][..L].copy_from_slice(k);
    }
}

/// Sums values up.
struct Add<'a, 'v, R> {
    out: &'a mut [f64],
    slots: &'a [u32],
    coefficients: &'a [f64],
    values: Values<'v, R>,
}

impl<R: Real> WithSimd for Add<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Add { out, slots, coefficients, mut values } = self;
        for (&slot, &weight) in slots.iter().zip(coefficients) {
            let row = &values.of(slot)[..out.len()];
            out.iter_mut().zip(row).for_each(|(out, k)| *out = weight.mul_add(k.double(), *out));
        }
    }
}

//! Products AᵀB of columns, eight of them side by side.
//!
//! Floor: two vectors of multiplications and additions a cycle, which a core does from a panel in its first level of cache.

use std::ops::{Deref, DerefMut, Range};

use pulp::{Simd, WithSimd};

/// Columns of a panel.
pub const WIDTH: usize = 8;
/// Panels of B, at most, that are multiplied with all of A before the next come: they stay in the second level of cache,
/// and the more they are the less often A comes from beyond it.
pub const CHUNK: usize = 16;
/// Rows of a panel that stay in the first, while those of all panels of a chunk pass by.
const ROWS: usize = 256;

/// Bytes of a line of the cache, and the numbers in it.
const LINE: usize = 64;
const LINE_NUMBERS: usize = LINE / size_of::<f64>();

/// Some columns, row after row; those beyond the last are 0. A row lies in one line of the cache: a vector that lies in
/// two takes twice as long to come and to go.
#[derive(Default)]
pub struct Panel {
    numbers: Vec<f64>,
    start: usize,
    rows: usize,
}

impl Panel {
    /// So many rows of zeros.
    pub fn new(rows: usize) -> Panel {
        let numbers = vec![0.0; rows * WIDTH + LINE_NUMBERS];
        let start = numbers.as_ptr().align_offset(LINE).min(LINE_NUMBERS);
        Panel { numbers, start, rows }
    }

    /// Makes it so many rows: those that there were, as far as there is room, then any.
    pub fn make(&mut self, rows: usize) {
        if rows * WIDTH + LINE_NUMBERS > self.numbers.len() {
            let mut wider = Panel::new(rows);
            wider[..self.rows].copy_from_slice(self);
            *self = wider;
        }
        self.rows = rows;
    }
}

impl Deref for Panel {
    type Target = [[f64; WIDTH]];

    #[inline(always)]
    fn deref(&self) -> &[[f64; WIDTH]] {
        self.numbers[self.start..][..self.rows * WIDTH].as_chunks().0
    }
}

impl DerefMut for Panel {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [[f64; WIDTH]] {
        self.numbers[self.start..][..self.rows * WIDTH].as_chunks_mut().0
    }
}

impl Clone for Panel {
    fn clone(&self) -> Panel {
        let mut copy = Panel::new(self.rows);
        copy.copy_from_slice(self);
        copy
    }

    fn clone_from(&mut self, from: &Panel) {
        self.make(from.rows);
        self.copy_from_slice(from);
    }
}

/// One of the chunks of so many panels each.
pub fn chunk(part: usize, panels: usize, each: usize) -> Range<usize> {
    part * each..panels.min((part + 1) * each)
}

/// Sums of a panel of A with each of a chunk of B's.
pub type Sums = [[[f64; WIDTH]; WIDTH]; CHUNK];

/// Takes products as they are made.
pub trait Take {
    /// Takes the products of columns `first`, … of A with the panels of a chunk of B.
    fn take(&mut self, first: usize, chunk: &Range<usize>, sums: &Sums);
}

/// Products of columns of A with a chunk of B's: column b of B with the columns of A from b on only.
pub struct Multiply<'a, F> {
    pub left: &'a [Panel],
    /// Of A.
    pub columns: usize,
    pub right: &'a [Panel],
    /// At most `CHUNK` panels of B.
    pub chunk: Range<usize>,
    /// Takes them; what takes is compiled for the same processor where it is `inline(always)`.
    pub take: F,
}

impl<F: Take> WithSimd for Multiply<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        for own in self.chunk.start..self.columns.div_ceil(WIDTH) {
            let some = self.chunk.start..self.chunk.end.min(own + 1);
            let mut held = [[[0.0; WIDTH]; WIDTH]; CHUNK];
            add_products(simd, &self.left[own], &self.right[some.clone()], &mut held);
            self.take.take(own * WIDTH, &some, &held);
        }
    }
}

/// Adds products of the columns of a panel with those of some others, down to the last row that it has.
#[inline(always)]
pub fn add_products<S: Simd>(simd: S, own: &[[f64; WIDTH]], right: &[Panel], held: &mut Sums) {
    // As many sums as registers hold, with what they are multiplied of: of 32 registers 24, so that a core takes 16
    // bytes a cycle from its second level of cache.
    match S::F64_LANES {
        8 => products::<S, 3, 1, 8>(simd, own, right, held),
        4 => products::<S, 1, 2, 4>(simd, own, right, held),
        2 => products::<S, 1, 4, 2>(simd, own, right, held),
        _ => products::<S, 1, 8, 1>(simd, own, right, held),
    }
}

/// The same, PANELS of B at once, each of VECTORS, with COLUMNS of A.
#[inline(always)]
fn products<S: Simd, const PANELS: usize, const VECTORS: usize, const COLUMNS: usize>(
    simd: S,
    own: &[[f64; WIDTH]],
    right: &[Panel],
    held: &mut Sums,
) {
    for row in (0..own.len()).step_by(ROWS) {
        let some = row..own.len().min(row + ROWS);
        let left = &own[some.clone()];
        let mut p = 0;
        while p + PANELS <= right.len() {
            let mut others: [&[[f64; WIDTH]]; PANELS] = [&[]; PANELS];
            for (k, other) in others.iter_mut().enumerate() {
                *other = &right[p + k][some.clone()];
            }
            for column in (0..WIDTH).step_by(COLUMNS) {
                let sums = tile::<S, PANELS, VECTORS, COLUMNS>(simd, left, column, others);
                add_to(&mut held[p..], column, &sums);
            }
            p += PANELS;
        }
        for p in p..right.len() {
            let other = [&right[p][some.clone()]];
            for column in (0..WIDTH).step_by(COLUMNS) {
                let sums = tile::<S, 1, VECTORS, COLUMNS>(simd, left, column, other);
                add_to(&mut held[p..], column, &sums);
            }
        }
    }
}

/// Adds sums of some rows and columns to those of the rows before.
#[inline(always)]
fn add_to<const COLUMNS: usize>(
    held: &mut [[[f64; WIDTH]; WIDTH]],
    column: usize,
    sums: &[[[f64; WIDTH]; COLUMNS]],
) {
    for (held, sums) in held.iter_mut().zip(sums) {
        for (held, sums) in held[column..].iter_mut().zip(sums) {
            for (held, sum) in held.iter_mut().zip(sums) {
                *held += sum;
            }
        }
    }
}

/// Products of COLUMNS of a panel, from `column` on, with those of others.
#[inline(always)]
fn tile<S: Simd, const PANELS: usize, const VECTORS: usize, const COLUMNS: usize>(
    simd: S,
    own: &[[f64; WIDTH]],
    column: usize,
    others: [&[[f64; WIDTH]]; PANELS],
) -> [[[f64; WIDTH]; COLUMNS]; PANELS] {
    // Loops only: what takes a closure may be left out of line. Sums stay in registers where nothing in the loop can
    // panic and nothing borrows them; else AVX-512 writes each of them to memory after every row.
    let column = column.min(WIDTH - COLUMNS);
    let mut beside: [&[[f64; WIDTH]]; PANELS] = [&[]; PANELS];
    for p in 0..PANELS {
        beside[p] = &others[p][..own.len()];
    }
    let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; COLUMNS]; PANELS];
    for r in 0..own.len() {
        let mut b = [[simd.splat_f64s(0.0); VECTORS]; PANELS];
        for p in 0..PANELS {
            let row = S::as_simd_f64s(&beside[p][r]).0;
            #[expect(clippy::manual_memcpy, reason = "a slice would borrow the vectors")]
            for v in 0..VECTORS {
                b[p][v] = row[v];
            }
        }
        let mut next = sums;
        for m in 0..COLUMNS {
            let a = simd.splat_f64s(own[r][column + m]);
            for p in 0..PANELS {
                for v in 0..VECTORS {
                    next[p][m][v] = simd.mul_add_f64s(a, b[p][v], next[p][m][v]);
                }
            }
        }
        sums = next;
    }
    let mut out = [[[0.0; WIDTH]; COLUMNS]; PANELS];
    for p in 0..PANELS {
        for m in 0..COLUMNS {
            let to = S::as_mut_simd_f64s(&mut out[p][m]).0;
            #[expect(clippy::manual_memcpy, reason = "a slice would borrow the sums")]
            for v in 0..VECTORS {
                to[v] = sums[p][m][v];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_lies_in_one_line_and_stays_however_a_panel_grows() {
        let mut panel = Panel::default();
        for (rows, kept) in [(3, 0), (2, 2), (40, 2), (1000, 40), (7, 7)] {
            panel.make(rows);
            assert_eq!((panel.len(), panel.as_ptr().align_offset(LINE)), (rows, 0));
            assert!(panel[..kept].iter().enumerate().all(|(i, row)| *row == [i as f64; WIDTH]));
            panel.iter_mut().enumerate().for_each(|(i, row)| *row = [i as f64; WIDTH]);
            let mut copy = Panel::new(1);
            copy.clone_from(&panel);
            assert!(copy[..] == panel[..] && panel.clone()[..] == panel[..]);
        }
    }
}

//! Products of matrices of slices: AᵀB of columns, eight side by side.

use pulp::{Simd, WithSimd};

use super::levels::Levels;

/// Columns of a panel.
const WIDTH: usize = 8;
/// Columns of A that are multiplied with panels of B at once.
const GROUP: usize = 4;
/// Panels of B that are multiplied with all of A before the next come: they stay in the second level of cache.
const CHUNK: usize = 6;
/// Rows of a panel that stay in the first, while those of all panels of a chunk pass by.
const ROWS: usize = 256;

/// S slices of d columns each, side by side, in panels: row after row, `WIDTH` columns of it.
pub struct Panels {
    panels: Vec<Vec<[f64; WIDTH]>>,
    /// The slice and the column that each of them is.
    of: Vec<(usize, usize)>,
}

impl Panels {
    /// Of slices (S, rows, d).
    #[inline(always)]
    pub fn new(slices: &[Vec<f64>], d: usize) -> Panels {
        let of: Vec<(usize, usize)> = (0..slices.len() * d).map(|c| (c / d, c % d)).collect();
        let mut panels = Vec::with_capacity(of.len().div_ceil(WIDTH));
        for own in of.chunks(WIDTH) {
            let ((s, j), rows) = (own[0], slices[0].len() / d);
            let mut panel = vec![[0.0; WIDTH]; rows];
            if own.len() == WIDTH && j + WIDTH <= d {
                for (line, row) in panel.iter_mut().zip(slices[s].chunks_exact(d)) {
                    line.copy_from_slice(&row[j..j + WIDTH]);
                }
            } else {
                for (c, (s, j)) in own.iter().enumerate() {
                    for (line, row) in panel.iter_mut().zip(slices[*s].chunks_exact(d)) {
                        line[c] = row[*j];
                    }
                }
            }
            panels.push(panel);
        }
        Panels { panels, of }
    }
}

/// Adds the products of one block to the levels; `right` is None where both factors are the same.
pub struct Multiply<'a> {
    pub left: &'a Panels,
    pub right: Option<&'a Panels>,
    pub levels: &'a mut Levels,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        // As many sums as registers hold, with what they are multiplied of.
        match S::F64_LANES {
            8 => self.all::<S, 3, 1>(simd),
            4 => self.all::<S, 1, 2>(simd),
            2 => self.all::<S, 1, 4>(simd),
            _ => self.all::<S, 1, 8>(simd),
        }
    }
}

impl Multiply<'_> {
    /// PANELS of B at once, each of VECTORS.
    #[inline(always)]
    fn all<S: Simd, const PANELS: usize, const VECTORS: usize>(&mut self, simd: S) {
        let right = self.right.unwrap_or(self.left);
        let rows = self.left.panels.first().map_or(0, Vec::len);
        for start in (0..right.panels.len()).step_by(CHUNK) {
            for first in (0..self.left.of.len()).step_by(GROUP) {
                let own = &self.left.panels[first / WIDTH];
                let last = if self.right.is_none() { first / WIDTH + 1 } else { right.panels.len() };
                let end = last.min(start + CHUNK);
                if end <= start {
                    continue;
                }
                let mut held = [[[0.0; WIDTH]; GROUP]; CHUNK];
                for row in (0..rows).step_by(ROWS) {
                    let some = row..rows.min(row + ROWS);
                    let mut p = start;
                    while p + PANELS <= end {
                        let mut others: [&[[f64; WIDTH]]; PANELS] = [&[]; PANELS];
                        for (k, other) in others.iter_mut().enumerate() {
                            *other = &right.panels[p + k][some.clone()];
                        }
                        let sums =
                            tile::<S, PANELS, VECTORS>(simd, &own[some.clone()], first % WIDTH, others);
                        add_to(&mut held[p - start..], &sums);
                        p += PANELS;
                    }
                    for p in p..end {
                        let other = [&right.panels[p][some.clone()]];
                        let sums = tile::<S, 1, VECTORS>(simd, &own[some.clone()], first % WIDTH, other);
                        add_to(&mut held[p - start..], &sums);
                    }
                }
                for (p, held) in (start..end).zip(&held) {
                    self.take(first, p, held);
                }
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, first: usize, p: usize, sums: &[[f64; WIDTH]; GROUP]) {
        let right = self.right.unwrap_or(self.left);
        let others = &right.of[(p * WIDTH).min(right.of.len())..];
        for (c, sums) in (first..self.left.of.len()).zip(sums) {
            let (s, j) = self.left.of[c];
            for (c_other, (&(t, k), sum)) in (p * WIDTH..).zip(others.iter().zip(sums)) {
                let sum = *sum as i64;
                match self.right.is_some() {
                    true if k <= j => self.levels.line(s + t, j)[k] += sum,
                    true => {}
                    // Below the diagonal of all slices: the product of slices t and s of (k, j) is that of s and t.
                    false if c_other > c => {}
                    false if s == t || j > k => self.levels.line(s + t, j)[k] += sum,
                    false => self.levels.line(s + t, k)[j] += if j == k { 2 * sum } else { sum },
                }
            }
        }
    }
}

/// Adds sums of some rows to those of the rows before: whole numbers below 2^53, all of them.
#[inline(always)]
fn add_to(held: &mut [[[f64; WIDTH]; GROUP]], sums: &[[[f64; WIDTH]; GROUP]]) {
    for (held, sums) in held.iter_mut().flatten().flatten().zip(sums.iter().flatten().flatten()) {
        *held += sums;
    }
}

/// Products of GROUP columns of a panel with those of others.
#[inline(always)]
fn tile<S: Simd, const PANELS: usize, const VECTORS: usize>(
    simd: S,
    own: &[[f64; WIDTH]],
    offset: usize,
    others: [&[[f64; WIDTH]]; PANELS],
) -> [[[f64; WIDTH]; GROUP]; PANELS] {
    let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; GROUP]; PANELS];
    // Loops only: what takes a closure may be left out of line, and what takes a reference to the sums keeps them in
    // memory.
    for (r, row) in own.iter().enumerate() {
        let mut a = [simd.splat_f64s(0.0); GROUP];
        for m in 0..GROUP {
            a[m] = simd.splat_f64s(row[offset + m]);
        }
        for p in 0..PANELS {
            let b = S::as_simd_f64s(&others[p][r]).0;
            for v in 0..VECTORS {
                for m in 0..GROUP {
                    sums[p][m][v] = simd.mul_add_f64s(a[m], b[v], sums[p][m][v]);
                }
            }
        }
    }
    let mut out = [[[0.0; WIDTH]; GROUP]; PANELS];
    for p in 0..PANELS {
        for m in 0..GROUP {
            let to = S::as_mut_simd_f64s(&mut out[p][m]).0;
            to[..VECTORS].copy_from_slice(&sums[p][m][..VECTORS]);
        }
    }
    out
}

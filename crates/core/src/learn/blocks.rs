//! Products of slices of a block of rows, added to the levels.

use pulp::{Simd, WithSimd};

use super::levels::Levels;
use crate::panels::{Multiply, Panel, WIDTH, chunks};

/// S slices of d columns each, side by side, in panels.
pub struct Panels {
    panels: Vec<Panel>,
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

/// Adds the products of one block to the levels; `right` is None where both factors are the same. `pause` is called now and
/// then.
#[inline(always)]
pub fn multiply<S: Simd>(
    simd: S,
    left: &Panels,
    right: Option<&Panels>,
    levels: &mut Levels,
    pause: impl Fn(),
) {
    let (columns, lower, right) = (left.of.len(), right.is_none(), right.unwrap_or(left));
    for chunk in chunks(right.panels.len()) {
        pause();
        let take = |first: usize, p: usize, sums: &[[f64; WIDTH]; WIDTH]| {
            let others = &right.of[p * WIDTH..];
            for (c, sums) in (first..columns).zip(sums) {
                let (s, j) = left.of[c];
                for (c_other, (&(t, k), sum)) in (p * WIDTH..).zip(others.iter().zip(sums)) {
                    let sum = *sum as i64;
                    match lower {
                        false if k <= j => levels.line(s + t, j)[k] += sum,
                        false => {}
                        // Below the diagonal of all slices: the product of slices t and s of (k, j) is that of s and t.
                        true if c_other > c => {}
                        true if s == t || j > k => levels.line(s + t, j)[k] += sum,
                        true => levels.line(s + t, k)[j] += if j == k { 2 * sum } else { sum },
                    }
                }
            }
        };
        Multiply { left: &left.panels, columns, right: &right.panels, chunk, lower, take }.with_simd(simd);
    }
}

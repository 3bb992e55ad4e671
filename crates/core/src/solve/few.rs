//! Rows of few columns, held for many passes: eight columns side by side, a 1 after the last, as doubles.
//!
//! Floor of a product with weights: one multiplication and addition of a vector for eight values, at the rate at which
//! they come from the cache or from memory. Of rows that are sparse, or too many to hold twice, it is done as they stand.

use pulp::{Arch, Simd, WithSimd};

use crate::panels::{Panel, WIDTH};
use crate::parallel::fill;
use crate::products::{combine_from, scores_from};
use crate::rows::{Index, Row, Rows, Value};
use crate::vectors::{add_row, load, store};

/// Numbers that are held at most.
const ROOM: usize = 1 << 24;
/// Rows whose scores are summed side by side.
const SIDE: usize = 8;
/// Rows that a thread takes at once.
const STRETCH: usize = 1 << 11;

/// Σ of numbers times the rows, and Σ of the numbers.
pub type Sums = (Vec<f64>, f64);

/// Rows of whatever numbers. Solvers ask for many of them at once, and are compiled once for all kinds.
trait Stored: Sync {
    fn count(&self) -> usize;

    fn columns(&self) -> usize;

    fn is_sparse(&self) -> bool;

    /// Pairs of values of a row, of all rows.
    fn pairs(&self) -> usize;

    /// Takes the columns of panel p of some dense rows.
    fn take(&self, p: usize, places: &[usize], lines: &mut [[f64; WIDTH]]);

    /// x·w + b of the rows from `first` on.
    fn scores_from(&self, first: usize, w: &[f64], b: f64, result: &mut [f64]);

    /// Adds Σ u x of the rows from `first` on.
    fn combine_from(&self, first: usize, u: &[f64], sum: &mut [f64]);

    /// Adds Σ c (x, 1)(x, 1)ᵀ of the rows from `first` on.
    fn scatter_from(&self, first: usize, c: &[f64], lower: &mut [f64]);
}

impl<V: Value, I: Index> Stored for Rows<'_, V, I> {
    fn count(&self) -> usize {
        self.count()
    }

    fn columns(&self) -> usize {
        self.columns()
    }

    fn is_sparse(&self) -> bool {
        self.is_sparse()
    }

    fn pairs(&self) -> usize {
        (0..self.count()).map(|i| self.length(i).pow(2)).sum()
    }

    fn take(&self, p: usize, places: &[usize], lines: &mut [[f64; WIDTH]]) {
        for (line, &i) in lines.iter_mut().zip(places) {
            take_line(self.row(i).values(), p, line);
        }
    }

    fn scores_from(&self, first: usize, w: &[f64], b: f64, result: &mut [f64]) {
        scores_from(self, first, w, b, result)
    }

    fn combine_from(&self, first: usize, u: &[f64], sum: &mut [f64]) {
        combine_from(self, first, u, sum)
    }

    fn scatter_from(&self, first: usize, c: &[f64], lower: &mut [f64]) {
        for (i, &c) in (first..).zip(c).filter(|(_, c)| **c != 0.0) {
            scatter(&self.row(i), c, self.columns() + 1, lower);
        }
    }
}

/// Rows, held where that is worth it.
pub struct Few<'a> {
    rows: &'a dyn Stored,
    panels: Option<Vec<Panel>>,
}

impl<'a> Few<'a> {
    /// Held, if there is room and that is worth it.
    pub fn new<V: Value, I: Index>(rows: &'a Rows<'_, V, I>) -> Few<'a> {
        let width = (rows.columns() + 1).div_ceil(WIDTH);
        let fits = !rows.is_sparse() && rows.count().saturating_mul(width * WIDTH) <= ROOM;
        Few { rows, panels: fits.then(|| (0..width).map(|p| hold(rows, p)).collect()) }
    }

    /// Not held.
    pub fn as_they_stand<V: Value, I: Index>(rows: &'a Rows<'_, V, I>) -> Few<'a> {
        Few { rows, panels: None }
    }

    /// Whether all values are stored.
    pub fn is_dense(&self) -> bool {
        !self.rows.is_sparse()
    }

    /// Pairs of values of a row, of all rows.
    pub fn pairs(&self) -> usize {
        self.rows.pairs()
    }

    /// N.
    pub fn count(&self) -> usize {
        self.rows.count()
    }

    /// d.
    pub fn columns(&self) -> usize {
        self.rows.columns()
    }

    /// The columns of panel p of some rows.
    #[inline(always)]
    pub fn take(&self, p: usize, places: &[usize], panel: &mut Panel) {
        panel.make(places.len());
        match &self.panels {
            Some(panels) => {
                let from = &panels[p][..];
                panel.iter_mut().zip(places).for_each(|(line, &i)| *line = from[i]);
            }
            None => self.rows.take(p, places, panel),
        }
    }

    /// x·w + b of the rows from `first` on, as many as there are results.
    pub fn scores_from(&self, first: usize, w: &[f64], b: f64, result: &mut [f64]) {
        match &self.panels {
            Some(panels) => Arch::new().dispatch(Scores { panels, first, w: &lines(w, b), result }),
            None => self.rows.scores_from(first, w, b, result),
        }
    }

    /// x·w + b of all rows.
    pub fn scores(&self, w: &[f64], b: f64) -> Vec<f64> {
        let mut result = vec![0.0; self.count()];
        fill(&mut result, STRETCH, &|part, result| self.scores_from(part * STRETCH, w, b, result));
        result
    }

    /// Adds Σ u x and Σ u of the rows from `first` on.
    pub fn add_from(&self, first: usize, u: &[f64], sums: &mut Sums) {
        match &self.panels {
            Some(panels) => Arch::new().dispatch(Adding { panels, first, u, sums }),
            None => {
                self.rows.combine_from(first, u, &mut sums.0);
                sums.1 += u.iter().sum::<f64>();
            }
        }
    }

    /// Adds Σ c (x, 1)(x, 1)ᵀ of sparse rows from `first` on, up to the diagonal.
    pub fn scatter_from(&self, first: usize, c: &[f64], lower: &mut [f64]) {
        self.rows.scatter_from(first, c, lower)
    }
}

/// One panel of dense rows.
fn hold<V: Value, I: Index>(rows: &Rows<'_, V, I>, p: usize) -> Panel {
    let mut panel = Panel::new(rows.count());
    fill(&mut panel, STRETCH, &|part, panel| {
        let places: Vec<usize> = (part * STRETCH..).take(panel.len()).collect();
        rows.take(p, &places, panel);
    });
    panel
}

/// Some columns of a row, or the last of them, 1 and zeros.
#[inline(always)]
fn take_line<V: Value>(values: &[V], p: usize, line: &mut [f64; WIDTH]) {
    let values = &values[p * WIDTH..];
    match values.first_chunk::<WIDTH>() {
        Some(values) => (0..WIDTH).for_each(|k| line[k] = values[k].real()),
        None => {
            *line = [0.0; WIDTH];
            line.iter_mut().zip(values).for_each(|(to, x)| *to = x.real());
            line[values.len()] = 1.0;
        }
    }
}

/// Adds the products of the values of a row, and of its 1. A place that it stores twice counts with both.
#[inline(always)]
fn scatter<V: Value, I: Index>(row: &Row<'_, V, I>, weight: f64, size: usize, lower: &mut [f64]) {
    let (last, all) = ((size - 1) * size, row.values().len());
    let (rises, mut before) = (row.rises(), 0);
    row.each(|j, x| {
        let step = weight * x.real();
        lower[last + j] += step;
        let line = &mut lower[j * size..][..=j];
        before += 1;
        row.first(if rises { before } else { all }).each(|k, x| {
            if let Some(to) = line.get_mut(k) {
                *to += step * x.real();
            }
        });
    });
    lower[last + size - 1] += weight;
}

/// w and b as the panels have their columns.
fn lines(w: &[f64], b: f64) -> Vec<[f64; WIDTH]> {
    let mut lines = vec![[0.0; WIDTH]; (w.len() + 1).div_ceil(WIDTH)];
    let flat = lines.as_flattened_mut();
    flat[..w.len()].copy_from_slice(w);
    flat[w.len()] = b;
    lines
}

struct Scores<'a> {
    panels: &'a [Panel],
    first: usize,
    w: &'a [[f64; WIDTH]],
    result: &'a mut [f64],
}

impl WithSimd for Scores<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => self.each::<S, 1>(simd),
            4 => self.each::<S, 2>(simd),
            2 => self.each::<S, 4>(simd),
            _ => self.each::<S, 8>(simd),
        }
    }
}

impl Scores<'_> {
    #[inline(always)]
    fn each<S: Simd, const V: usize>(self, simd: S) {
        for (results, first) in self.result.chunks_mut(SIDE).zip((self.first..).step_by(SIDE)) {
            let mut sums = [[simd.splat_f64s(0.0); V]; SIDE];
            for (panel, w) in self.panels.iter().zip(self.w) {
                let w = load::<S, f64, WIDTH, V>(simd, w);
                for (row, sums) in panel[first..first + results.len()].iter().zip(&mut sums) {
                    let row = S::as_simd_f64s(row).0;
                    for v in 0..V {
                        sums[v] = simd.mul_add_f64s(row[v], w[v], sums[v]);
                    }
                }
            }
            let mut held = [[0.0; WIDTH]; SIDE];
            for (sums, held) in sums.into_iter().zip(&mut held) {
                store::<S, f64, WIDTH, V>(sums, held);
            }
            for (result, [a, b, c, d, e, f, g, h]) in results.iter_mut().zip(held) {
                *result = ((a + e) + (b + f)) + ((c + g) + (d + h));
            }
        }
    }
}

struct Adding<'a> {
    panels: &'a [Panel],
    first: usize,
    u: &'a [f64],
    sums: &'a mut Sums,
}

impl WithSimd for Adding<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => self.each::<S, 1>(simd),
            4 => self.each::<S, 2>(simd),
            2 => self.each::<S, 4>(simd),
            _ => self.each::<S, 8>(simd),
        }
    }
}

impl Adding<'_> {
    #[inline(always)]
    fn each<S: Simd, const V: usize>(self, simd: S) {
        let Adding { panels, first, u, sums } = self;
        let columns = sums.0.len();
        for (p, panel) in panels.iter().enumerate() {
            let (twos, last) = panel[first..first + u.len()].as_chunks::<2>();
            let (pairs, alone) = u.as_chunks::<2>();
            // Two sums, so that none waits for the one before it.
            let mut odd = [simd.splat_f64s(0.0); V];
            let mut even = odd;
            for (rows, u) in twos.iter().zip(pairs) {
                even = add_row::<S, f64, WIDTH, V>(simd, &rows[0], u[0], even);
                odd = add_row::<S, f64, WIDTH, V>(simd, &rows[1], u[1], odd);
            }
            for (row, u) in last.iter().zip(alone) {
                even = add_row::<S, f64, WIDTH, V>(simd, row, *u, even);
            }
            let mut held = [[0.0; WIDTH]; 2];
            store::<S, f64, WIDTH, V>(even, &mut held[0]);
            store::<S, f64, WIDTH, V>(odd, &mut held[1]);
            for (k, (even, odd)) in held[0].iter().zip(&held[1]).enumerate() {
                let sum = even + odd;
                match p * WIDTH + k {
                    j if j < columns => sums.0[j] += sum,
                    j if j == columns => sums.1 += sum,
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_rows_however_they_are_held() {
        let number = |k: usize| ((k as f64 * 0.7391).sin() * 1e4).fract();
        for (count, d) in [(0, 3), (1, 1), (13, 7), (50, 8), (50, 15), (5000, 20)] {
            let x: Vec<f32> = (0..count * d).map(|k| number(k) as f32).collect();
            let w: Vec<f64> = (0..d).map(number).collect();
            let u: Vec<f64> = (0..count).map(|i| number(i + 9)).collect();
            let rows = Rows::<f32, i32>::dense(&x, count, d).unwrap();
            let (held, alone) = (Few::new(&rows), Few::as_they_stand(&rows));
            assert!(held.panels.is_some());
            for (a, b) in held.scores(&w, 0.3).iter().zip(alone.scores(&w, 0.3)) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
            let (mut a, mut b) = ((vec![0.5; d], 0.5), (vec![0.5; d], 0.5));
            for first in [0, count / 3] {
                held.add_from(first, &u[first..], &mut a);
                alone.add_from(first, &u[first..], &mut b);
            }
            assert!((a.1 - b.1).abs() < 1e-9);
            assert!(a.0.iter().zip(&b.0).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}

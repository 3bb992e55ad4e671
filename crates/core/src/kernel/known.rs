//! Rows whose Gram matrix is known.

use pulp::{Arch, Simd, WithSimd};

use super::Real;
use crate::solve::smo::Source;

/// Neighbours are copied together where so many are, on average.
const LONG: usize = 8;

/// (n, n) what a Gram matrix (N, N) has of n of its rows.
pub fn block(gram: &[f64], rows: &[u32]) -> Vec<f64> {
    let (n, count) = (rows.len(), gram.len().isqrt());
    let mut values = vec![0.0; n * n];
    Arch::new().dispatch(Block { gram, count, rows, values: &mut values });
    values
}

struct Block<'a> {
    gram: &'a [f64],
    count: usize,
    rows: &'a [u32],
    values: &'a mut [f64],
}

impl WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Block { gram, count, rows, values } = self;
        let runs: Vec<&[u32]> = rows.chunk_by(|&a, &b| a + 1 == b).collect();
        let long = runs.len() * LONG <= rows.len();
        for (out, &i) in values.chunks_exact_mut(rows.len().max(1)).zip(rows) {
            let row = &gram[i as usize * count..][..count];
            if !long {
                for j in 0..rows.len() {
                    out[j] = row[rows[j] as usize];
                }
                continue;
            }
            let mut rest = out;
            for run in &runs {
                let (own, after) = rest.split_at_mut(run.len());
                own.copy_from_slice(&row[run[0] as usize..][..run.len()]);
                rest = after;
            }
        }
    }
}

/// sums += Σ weight_i K_i over the rows i of K (n, n) whose weight is not 0.
pub fn combine(k: &[f64], weight: &[f64], sums: &mut [f64]) {
    Arch::new().dispatch(Combine { k, weight, sums });
}

struct Combine<'a> {
    k: &'a [f64],
    weight: &'a [f64],
    sums: &'a mut [f64],
}

impl WithSimd for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Combine { k, weight, sums } = self;
        let n = sums.len();
        let held: Vec<usize> = (0..n).filter(|&i| weight[i] != 0.0).collect();
        let (fours, rest) = held.as_chunks::<4>();
        for &[a, b, c, d] in fours {
            let rows = (&k[a * n..][..n], &k[b * n..][..n], &k[c * n..][..n], &k[d * n..][..n]);
            add_four(sums, rows, [weight[a], weight[b], weight[c], weight[d]]);
        }
        for &i in rest {
            add_one(sums, &k[i * n..][..n], weight[i]);
        }
    }
}

/// sums += Σ of four rows, each times its factor.
#[inline(always)]
pub(crate) fn add_four(sums: &mut [f64], rows: (&[f64], &[f64], &[f64], &[f64]), by: [f64; 4]) {
    let n = sums.len();
    let (sums, p, q, r, s) = (&mut sums[..n], &rows.0[..n], &rows.1[..n], &rows.2[..n], &rows.3[..n]);
    for j in 0..n {
        sums[j] = by[3].mul_add(s[j], by[2].mul_add(r[j], by[1].mul_add(q[j], by[0].mul_add(p[j], sums[j]))));
    }
}

/// sums += a row times a factor.
#[inline(always)]
pub(crate) fn add_one(sums: &mut [f64], row: &[f64], by: f64) {
    let n = sums.len();
    let (sums, row) = (&mut sums[..n], &row[..n]);
    for j in 0..n {
        sums[j] = by.mul_add(row[j], sums[j]);
    }
}

/// Rows by their Gram matrix K (n, n): in the precision of the steps, and summed in doubles.
pub struct Known<'a, R> {
    k: &'a [f64],
    n: usize,
    values: Vec<R>,
    active: Vec<u32>,
}

impl<'a, R: Real> Known<'a, R> {
    /// All of K.
    pub fn new(k: &'a [f64]) -> Self {
        let values = k.iter().map(|&k| R::of(k)).collect();
        Known { k, n: k.len().isqrt(), values, active: Vec::new() }
    }
}

impl<R: Real> Source<R> for Known<'_, R> {
    fn diagonal(&mut self) -> Option<Vec<R>> {
        Some(self.values.iter().step_by(self.n + 1).copied().collect())
    }

    fn fill(&mut self, row: u32, out: &mut [R]) -> bool {
        let values = &self.values[row as usize * self.n..][..self.n];
        if self.active.is_empty() {
            out.copy_from_slice(values);
        } else {
            out.iter_mut().zip(&self.active).for_each(|(out, &j)| *out = values[j as usize]);
        }
        true
    }

    fn restrict(&mut self, rows: &[u32]) {
        let whole = rows.len() == self.n && rows.iter().enumerate().all(|(k, &i)| k == i as usize);
        self.active = if whole { Vec::new() } else { rows.to_vec() };
    }

    fn scores(&mut self, coefficients: &[f64]) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; self.n];
        combine(self.k, coefficients, &mut sums);
        Some(sums)
    }
}

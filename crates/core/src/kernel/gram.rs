//! The kernel of rows as solvers ask for it.

use super::{Kernel, Points};
use crate::rows::{Index, Rows, Value};
use crate::solve::smo::Source;

/// Rows in floats, eight or sixteen to a vector or two.
pub type Floats = Points<f32, 16>;
/// Rows in doubles.
pub type Doubles = Points<f64, 8>;

/// Rows and their kernel: floats for the steps, doubles for what is proven.
pub struct OfRows<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    all: Floats,
    /// The rows that are asked for, where these are not all.
    some: Option<Floats>,
}

impl<'a, 'r, V: Value, I: Index> OfRows<'a, 'r, V, I> {
    /// All rows.
    pub fn new(rows: &'a Rows<'r, V, I>, kernel: Kernel) -> Self {
        OfRows { rows, all: Points::new(rows, kernel, true), some: None }
    }
}

impl<V: Value, I: Index> Source for OfRows<'_, '_, V, I> {
    fn diagonal(&mut self) -> Option<Vec<f32>> {
        Some((0..self.all.count()).map(|i| self.all.diagonal(i)).collect())
    }

    fn fill(&mut self, row: u32, out: &mut [f32]) -> bool {
        let z = self.all.choose(&[row]);
        self.some.as_ref().unwrap_or(&self.all).row(&z, out);
        true
    }

    fn restrict(&mut self, rows: &[u32]) {
        let whole = rows.len() == self.all.count() && rows.iter().enumerate().all(|(k, &i)| k == i as usize);
        self.some = (!whole).then(|| self.all.take(rows));
    }

    fn scores(&mut self, coefficients: &[f64]) -> Option<Vec<f64>> {
        Some(within(self.rows, self.all.kernel, coefficients))
    }
}

/// (N,) Σ_j K(x_i, x_j) c_j in doubles.
pub fn within<V: Value, I: Index>(rows: &Rows<'_, V, I>, kernel: Kernel, coefficients: &[f64]) -> Vec<f64> {
    let points = Doubles::new(rows, kernel, false);
    let support: Vec<u32> =
        (0..coefficients.len() as u32).filter(|&j| coefficients[j as usize] != 0.0).collect();
    let weights: Vec<f64> = support.iter().map(|&j| coefficients[j as usize]).collect();
    points.combination(&points.choose(&support), &weights)
}

//! The kernel of rows as solvers ask for it.

use super::{Kernel, Points, Real};
use crate::rows::{Index, Rows, Value};
use crate::solve::smo::Source;

/// Rows in floats, a panel four vectors wide.
pub type Floats = Points<f32, 32>;
/// Rows in doubles.
pub type Doubles = Points<f64, 16>;

/// Rows and their kernel: floats for the steps, doubles for what is proven.
pub struct OfRows<'a, 'r, V, I, R, const L: usize> {
    rows: &'a Rows<'r, V, I>,
    all: Points<R, L>,
    /// The rows that are asked for, where these are not all.
    some: Option<Points<R, L>>,
}

impl<'a, 'r, V: Value, I: Index, R: Real, const L: usize> OfRows<'a, 'r, V, I, R, L> {
    /// All rows.
    pub fn new(rows: &'a Rows<'r, V, I>, kernel: Kernel) -> Self {
        OfRows { rows, all: Points::new(rows, kernel, true), some: None }
    }
}

impl<V: Value, I: Index, R: Real, const L: usize> Source<R> for OfRows<'_, '_, V, I, R, L> {
    fn diagonal(&mut self) -> Option<Vec<R>> {
        Some((0..self.all.count()).map(|i| self.all.diagonal(i)).collect())
    }

    fn fill(&mut self, row: u32, out: &mut [R]) -> bool {
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

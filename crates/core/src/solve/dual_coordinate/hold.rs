//! The constant feature that holds Σ c_i a_i at 0, as an intercept asks.

use std::mem::replace;

/// σ², the square of the constant feature that holds Σ c_i a_i at 0.
///
/// The larger it is, the less a pass leaves of the sum, and the more of it is made up by the examples visited first, which
/// later passes have to undo. So it is small at first, and grows where half of the sum or more is left by a pass and is
/// most of the gap.
#[derive(Clone, Copy)]
pub struct Hold {
    pub square: f64,
    most: f64,
    /// |Σ c_i a_i| after the pass before.
    left: f64,
}

/// At first it is this share of the mean squared norm of rows, and at most all of it.
const LOOSE: f64 = 0.1;
/// However small the features, a residual of every example moves the intercept by so much.
const LEAST: f64 = 4.0;
/// By so much it grows.
const TIGHTER: f64 = 4.0;

impl Hold {
    /// Makes one for rows of these squared norms; σ² is 0 without an intercept.
    pub fn new(norms: impl Iterator<Item = f64>, c: &[f64], intercept: bool, strength: f64) -> Hold {
        let total = c.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mean = norms.zip(c).map(|(n, c)| n * c).sum::<f64>() / total;
        let at = |share: f64| if intercept { (share * mean).max(LEAST * strength / total) } else { 0.0 };
        Hold { square: at(LOOSE), most: at(1.0), left: f64::INFINITY }
    }

    /// Tells by how much a residual widens the gap.
    pub fn off(&self, residual: f64, b: f64) -> f64 {
        if self.square > 0.0 { residual.abs() * (1.0 + b.abs()) } else { 0.0 }
    }

    /// Lets σ² grow after a pass that left this residual, which adds `off` to a gap that is `seen` otherwise, and tells by
    /// how much.
    pub fn grow(&mut self, residual: f64, off: f64, seen: f64) -> f64 {
        let before = replace(&mut self.left, residual.abs());
        if off <= seen || self.left <= 0.5 * before {
            return 0.0;
        }
        let square = (TIGHTER * self.square).min(self.most);
        square - replace(&mut self.square, square)
    }
}

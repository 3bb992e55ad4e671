//! Losses with a second derivative, all they have at a score from one exponential.

use crate::loss::{Huber, Logistic, Loss, Squared, SquaredEpsilonInsensitive, SquaredHinge};

/// A convex loss whose slope is continuous.
pub trait Smooth: Loss {
    /// The largest curvature.
    fn bound(self) -> f64;

    /// (ℓ, ∂ℓ/∂s, ∂²ℓ/∂s²) at (y, s).
    #[inline(always)]
    fn all(self, y: f64, s: f64) -> (f64, f64, f64) {
        (self.value(y, s), self.slope(y, s), self.curvature(y, s))
    }
}

impl Smooth for Logistic {
    fn bound(self) -> f64 {
        0.25
    }

    #[inline(always)]
    fn all(self, y: f64, s: f64) -> (f64, f64, f64) {
        let m = y * s;
        let e = (-m.abs()).exp();
        let share = 1.0 / (1.0 + e);
        let wrong = if m >= 0.0 { e * share } else { share };
        ((-m).max(0.0) + e.ln_1p(), -y * wrong, e * share * share)
    }
}

impl Smooth for Squared {
    fn bound(self) -> f64 {
        2.0
    }
}

impl Smooth for SquaredHinge {
    fn bound(self) -> f64 {
        2.0
    }
}

impl Smooth for SquaredEpsilonInsensitive {
    fn bound(self) -> f64 {
        2.0
    }
}

impl Smooth for Huber {
    fn bound(self) -> f64 {
        1.0
    }
}

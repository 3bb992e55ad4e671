//! Losses of a residual y − s that forgive what lies in a tube of width ε about y.

use super::{DualLoss, Loss};

/// max(0, |y − s| − ε) (Vapnik 1995).
#[derive(Clone, Copy)]
pub struct EpsilonInsensitive {
    /// ε ≥ 0.
    pub epsilon: f64,
}

/// max(0, |y − s| − ε)².
#[derive(Clone, Copy)]
pub struct SquaredEpsilonInsensitive {
    /// ε ≥ 0.
    pub epsilon: f64,
}

/// z moved towards 0 by `by`, as far as 0.
#[inline(always)]
fn shrunk(z: f64, by: f64) -> f64 {
    if z > by {
        z - by
    } else if z < -by {
        z + by
    } else {
        0.0
    }
}

impl Loss for EpsilonInsensitive {
    fn value(self, y: f64, s: f64) -> f64 {
        ((y - s).abs() - self.epsilon).max(0.0)
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        if (y - s).abs() > self.epsilon { (s - y).signum() } else { 0.0 }
    }

    fn curvature(self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        if u.abs() <= 1.0 { u * y + self.epsilon * u.abs() } else { f64::INFINITY }
    }

    fn corners(self, y: f64) -> Option<[(f64, f64); 2]> {
        Some([(y - self.epsilon, 1.0), (y + self.epsilon, 1.0)])
    }
}

impl DualLoss for EpsilonInsensitive {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        let r = y - s;
        let a = if q > 0.0 {
            shrunk(q * from + r, self.epsilon) / q
        } else {
            shrunk(r, self.epsilon) * f64::INFINITY
        };
        if a.is_nan() { 0.0 } else { a.clamp(-1.0, 1.0) } // nothing moves the score, and it is in the tube
    }

    fn feasible(self, _: f64, a: f64) -> f64 {
        a.clamp(-1.0, 1.0)
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        (0.0 < a.abs() && a.abs() < 1.0).then(|| (y - self.epsilon * a.signum(), 0.0))
    }

    fn clearance(self, y: f64, s: f64, a: f64) -> f64 {
        if a == 0.0 { self.epsilon - (y - s).abs() } else { (y - s) * a.signum() - self.epsilon }
    }
}

impl Loss for SquaredEpsilonInsensitive {
    fn value(self, y: f64, s: f64) -> f64 {
        let over = shrunk(y - s, self.epsilon);
        over * over
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        -2.0 * shrunk(y - s, self.epsilon)
    }

    fn curvature(self, y: f64, s: f64) -> f64 {
        if (y - s).abs() > self.epsilon { 2.0 } else { 0.0 }
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        u * (y + 0.25 * u) + self.epsilon * u.abs()
    }
}

impl DualLoss for SquaredEpsilonInsensitive {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        shrunk(q * from + y - s, self.epsilon) / (q + 0.5)
    }

    fn feasible(self, _: f64, a: f64) -> f64 {
        a
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        (a != 0.0).then(|| (y - self.epsilon * a.signum() - 0.5 * a, 0.5))
    }

    fn clearance(self, y: f64, s: f64, _: f64) -> f64 {
        self.epsilon - (y - s).abs()
    }
}

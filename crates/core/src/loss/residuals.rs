//! Losses of a residual y − s, y any number.

use super::{DualLoss, Loss};

/// (y − s)² (Legendre 1805, Gauss 1809).
#[derive(Clone, Copy)]
pub struct Squared;

impl Loss for Squared {
    fn value(self, y: f64, s: f64) -> f64 {
        (y - s) * (y - s)
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        2.0 * (s - y)
    }

    fn curvature(self, _: f64, _: f64) -> f64 {
        2.0
    }

    fn has_kinks(self) -> bool {
        false
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        u * (y + 0.25 * u)
    }
}

impl DualLoss for Squared {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        from + (y - s - 0.5 * from) / (q + 0.5)
    }

    fn feasible(self, _: f64, a: f64) -> f64 {
        a
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        Some((y - 0.5 * a, 0.5))
    }

    fn clearance(self, _: f64, _: f64, _: f64) -> f64 {
        0.0
    }
}

/// |y − s| (Laplace 1793).
#[derive(Clone, Copy)]
pub struct Absolute;

impl Loss for Absolute {
    fn value(self, y: f64, s: f64) -> f64 {
        (y - s).abs()
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        if s == y { 0.0 } else { (s - y).signum() }
    }

    fn curvature(self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        if u.abs() <= 1.0 { u * y } else { f64::INFINITY }
    }

    fn corners(self, y: f64) -> Option<[(f64, f64); 2]> {
        Some([(y, 2.0), (y, 0.0)])
    }
}

impl DualLoss for Absolute {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        let a = if q > 0.0 { from + (y - s) / q } else { (y - s) * f64::INFINITY };
        if a.is_nan() { from } else { a.clamp(-1.0, 1.0) }
    }

    fn feasible(self, _: f64, a: f64) -> f64 {
        a.clamp(-1.0, 1.0)
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        (a.abs() < 1.0).then_some((y, 0.0))
    }

    fn clearance(self, y: f64, s: f64, a: f64) -> f64 {
        (y - s) * a
    }
}

/// ½r² for |r| ≤ δ, δ(|r| − ½δ) beyond, r = y − s (Huber 1964).
#[derive(Clone, Copy)]
pub struct Huber {
    /// δ > 0, the residual from which on an example is an outlier.
    pub delta: f64,
}

impl Loss for Huber {
    fn value(self, y: f64, s: f64) -> f64 {
        let r = (y - s).abs();
        if r <= self.delta { 0.5 * r * r } else { self.delta * (r - 0.5 * self.delta) }
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        (s - y).clamp(-self.delta, self.delta)
    }

    fn curvature(self, y: f64, s: f64) -> f64 {
        f64::from(u8::from((y - s).abs() < self.delta))
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        if u.abs() <= self.delta { u * (y + 0.5 * u) } else { f64::INFINITY }
    }
}

impl DualLoss for Huber {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        (from + (y - s - from) / (q + 1.0)).clamp(-self.delta, self.delta)
    }

    fn feasible(self, _: f64, a: f64) -> f64 {
        a.clamp(-self.delta, self.delta)
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        (a.abs() < self.delta).then_some((y - a, 1.0))
    }

    fn clearance(self, y: f64, s: f64, a: f64) -> f64 {
        (y - s) * a.signum() - self.delta
    }
}

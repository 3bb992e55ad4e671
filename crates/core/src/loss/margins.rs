//! Losses of a margin y·s, y ∈ {−1, +1}.

use super::{DualLoss, Loss};

/// 1{y·s < 0}, a score of 0 counting as +1: what everyone wants to minimise and nobody can (NP-hard).
#[derive(Clone, Copy)]
pub struct ZeroOne;

impl Loss for ZeroOne {
    fn value(self, y: f64, s: f64) -> f64 {
        f64::from(u8::from((s >= 0.0) != (y > 0.0)))
    }

    fn slope(self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn curvature(self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn conjugate(self, _: f64, _: f64) -> f64 {
        f64::INFINITY
    }
}

/// max(0, m − y·s): the hinge for margin m = 1 (Cortes & Vapnik 1995), Rosenblatt's perceptron (1958) for m = 0.
#[derive(Clone, Copy)]
pub struct Hinge {
    /// m, the functional margin beyond which nothing is lost.
    pub margin: f64,
}

impl Loss for Hinge {
    fn value(self, y: f64, s: f64) -> f64 {
        (self.margin - y * s).max(0.0)
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        if y * s < self.margin { -y } else { 0.0 }
    }

    fn curvature(self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        let b = -u * y;
        if (0.0..=1.0).contains(&b) { -self.margin * b } else { f64::INFINITY }
    }

    fn corners(self, y: f64) -> Option<[(f64, f64); 2]> {
        Some([(y * self.margin, 1.0), (y * self.margin, 0.0)])
    }
}

impl DualLoss for Hinge {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        let slack = self.margin - y * s;
        let b = if q > 0.0 { y * from + slack / q } else { slack * f64::INFINITY };
        y * if b.is_nan() { y * from } else { b.clamp(0.0, 1.0) }
    }

    fn feasible(self, y: f64, a: f64) -> f64 {
        y * (y * a).clamp(0.0, 1.0)
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        let b = y * a;
        (0.0 < b && b < 1.0).then_some((y * self.margin, 0.0))
    }

    fn clearance(self, y: f64, s: f64, a: f64) -> f64 {
        let slack = self.margin - y * s;
        if a == 0.0 { -slack } else { slack }
    }
}

/// max(0, 1 − y·s)².
#[derive(Clone, Copy)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    fn value(self, y: f64, s: f64) -> f64 {
        let slack = (1.0 - y * s).max(0.0);
        slack * slack
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        -2.0 * y * (1.0 - y * s).max(0.0)
    }

    fn curvature(self, y: f64, s: f64) -> f64 {
        if y * s < 1.0 { 2.0 } else { 0.0 }
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        let b = -u * y;
        if b >= 0.0 { b * (0.25 * b - 1.0) } else { f64::INFINITY }
    }
}

impl DualLoss for SquaredHinge {
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        let b = y * from;
        y * (b + (1.0 - y * s - 0.5 * b) / (q + 0.5)).max(0.0)
    }

    fn feasible(self, y: f64, a: f64) -> f64 {
        y * (y * a).max(0.0)
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        (y * a > 0.0).then_some((y - 0.5 * a, 0.5))
    }

    fn clearance(self, y: f64, s: f64, _: f64) -> f64 {
        y * s - 1.0
    }
}

/// ln(1 + e^(−y·s)): cross-entropy of the logistic posterior (Cox 1958).
#[derive(Clone, Copy)]
pub struct Logistic;

/// Log-odds beyond which θ is 0 or 1 in every digit.
const FARTHEST: f64 = 745.0;
/// A step of Halley's method so short is the last: the cube of it is what is left, and θ is a parabola that far.
const NEAR: f64 = 1e-5;
/// More steps than halves of [−745, 745] and, between any two of these, a step of Halley's take to come so near.
const MOST_STEPS: usize = 64;

/// θ(t) = 1 / (1 + e^(−t)), which never overflows.
pub fn sigmoid(t: f64) -> f64 {
    let e = (-t.abs()).exp();
    share(t, e)
}

/// The same, e^(−|t|) being known.
#[inline(always)]
fn share(t: f64, e: f64) -> f64 {
    if t >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// ln(1 + e^t), which never overflows.
pub fn log1p_exp(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}

impl Loss for Logistic {
    fn value(self, y: f64, s: f64) -> f64 {
        log1p_exp(-y * s)
    }

    fn slope(self, y: f64, s: f64) -> f64 {
        -y * sigmoid(-y * s)
    }

    fn curvature(self, _: f64, s: f64) -> f64 {
        let e = (-s.abs()).exp();
        e / ((1.0 + e) * (1.0 + e))
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        let b = -u * y;
        if !(0.0..=1.0).contains(&b) {
            return f64::INFINITY;
        }
        let x_log_x = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
        x_log_x(b) + x_log_x(1.0 - b)
    }

    fn has_kinks(self) -> bool {
        false
    }

    #[inline(always)]
    fn bend(self, y: f64, s: f64) -> (f64, f64) {
        let (_, slope, curvature) = of_exponential(y, s);
        (slope, curvature)
    }

    #[inline(always)]
    fn look(self, y: f64, s: f64) -> (f64, f64, f64) {
        let (e, slope, curvature) = of_exponential(y, s);
        ((-y * s).max(0.0) + e.ln_1p(), slope, curvature)
    }
}

/// e^(−|s|), of which one is enough for y = ±1, and the logistic loss's slope and curvature.
#[inline(always)]
fn of_exponential(y: f64, s: f64) -> (f64, f64, f64) {
    let (t, e) = (-y * s, (-s.abs()).exp());
    (e, -y * share(t, e), e / ((1.0 + e) * (1.0 + e)))
}

impl DualLoss for Logistic {
    /// Halley's method on the log-odds t of b = θ(t), where t + y·s + q·(θ(t) − b₀) = 0 has one root, and halves of the
    /// interval that holds it where steps do not fall.
    #[inline(always)]
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
        let (start, m) = (y * from, y * s);
        // g(t) = t + m + q·(θ(t) − b₀) rises with slope between 1 and 1 + q/4, so the root lies between these.
        let mut low = (-m - q * (1.0 - start)).clamp(-FARTHEST, FARTHEST);
        let mut high = (-m + q * start).clamp(-FARTHEST, FARTHEST);
        let inside = start > 1e-300 && start < 1.0 - 1e-16;
        let own = if inside { (start / (1.0 - start)).ln() } else { -m };
        let mut t = own.max(low).min(high);
        let mut b = if inside && t == own { start } else { sigmoid(t) };
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let g = t + m + q * (b - start);
            if g > 0.0 {
                high = t
            } else {
                low = t
            }
            let (bend, twist) = (b * (1.0 - b), 1.0 - 2.0 * b);
            let slope = 1.0 + q * bend;
            let step = g * slope / (slope * slope - 0.5 * g * q * bend * twist);
            if step.abs() <= NEAR {
                return y * (b - step * bend * (1.0 - 0.5 * step * twist));
            }
            let next = t - step;
            let falls = step.abs() <= 0.5 * last;
            let next = if falls && next > low && next < high { next } else { 0.5 * (low + high) };
            last = (next - t).abs();
            t = next;
            b = sigmoid(t);
        }
        y * b
    }

    fn feasible(self, y: f64, a: f64) -> f64 {
        y * (y * a).clamp(0.0, 1.0)
    }

    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
        let b = y * a;
        (0.0 < b && b < 1.0).then(|| (-y * (b / (1.0 - b)).ln(), 1.0 / (b * (1.0 - b))))
    }

    fn clearance(self, _: f64, _: f64, _: f64) -> f64 {
        0.0
    }
}

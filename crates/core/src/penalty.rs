//! Penalties: what weights cost, whatever the data say.

/// argmin_w ½(w − v)² + amount·|w|.
#[inline(always)]
pub fn softened(v: f64, amount: f64) -> f64 {
    v.signum() * (v.abs() - amount).max(0.0)
}

/// Ω(w) = λ₁‖w‖₁ + ½λ₂‖w‖²; every penalty of the catalogue is one of these.
#[derive(Clone, Copy)]
pub struct Penalty {
    /// λ₁.
    pub l1: f64,
    /// λ₂.
    pub l2: f64,
}

impl Penalty {
    /// Ω(w).
    pub fn value(self, w: &[f64]) -> f64 {
        let (l1, l2) = w.iter().fold((0.0, 0.0), |(l1, l2), w| (l1 + w.abs(), l2 + w * w));
        self.l1 * l1 + 0.5 * self.l2 * l2
    }

    /// argmin_w ½(w − v)² + t·Ω(w), of one weight.
    pub fn prox(self, v: f64, t: f64) -> f64 {
        softened(v, t * self.l1) / (1.0 + t * self.l2)
    }

    /// Ω*(v), no |v_j| beyond λ₁ where λ₂ = 0.
    pub fn conjugate(self, v: &[f64]) -> f64 {
        if self.l2 == 0.0 {
            return 0.0;
        }
        v.iter().map(|v| (v.abs() - self.l1).max(0.0)).map(|over| over * over).sum::<f64>() / (2.0 * self.l2)
    }
}

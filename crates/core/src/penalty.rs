//! Penalties: what weights cost, whatever the data say.

/// argmin_w ½(w − v)² + amount·|w|.
#[inline(always)]
pub fn softened(v: f64, amount: f64) -> f64 {
    v.signum() * (v.abs() - amount).max(0.0)
}

/// What a weight costs a unit, on either side of 0; ∞ where it may not be.
#[derive(Clone, Copy)]
pub struct Kink {
    /// From 0 up.
    pub above: f64,
    /// From 0 down.
    pub below: f64,
}

impl Kink {
    /// The cost of w.
    #[inline(always)]
    pub fn value(self, w: f64) -> f64 {
        if w >= 0.0 { self.above * w } else { -self.below * w }
    }

    /// The cost of many, one multiplication for all where both sides cost the same.
    pub fn total(self, w: impl Iterator<Item = f64>) -> f64 {
        if self.above == self.below {
            return self.above * w.map(f64::abs).sum::<f64>();
        }
        w.map(|w| self.value(w)).sum()
    }

    /// How much the cost rises from w to w + d, to the last digits of d; a w + d of nothing but rounding is 0.
    #[inline(always)]
    pub fn rise(self, w: f64, d: f64) -> f64 {
        let next = if (w + d).abs() <= 1e-14 * d.abs() { 0.0 } else { w + d };
        if w >= 0.0 && next >= 0.0 {
            self.above * (next - w)
        } else if w <= 0.0 && next <= 0.0 {
            self.below * (w - next)
        } else {
            self.value(next) - self.value(w)
        }
    }
}

/// Ω(w) = λ₁‖w‖₁ + ½λ₂‖w‖², or ∞ where a weight is below 0 and may not be; every penalty of the catalogue is one of these.
#[derive(Clone, Copy)]
pub struct Penalty {
    /// λ₁.
    pub l1: f64,
    /// λ₂.
    pub l2: f64,
    /// Whether weights below 0 are forbidden.
    pub nonnegative: bool,
}

impl Penalty {
    /// The part of Ω that has a corner at 0.
    pub fn kink(self) -> Kink {
        Kink { above: self.l1, below: if self.nonnegative { f64::INFINITY } else { self.l1 } }
    }

    /// How far a slope v_j = −∂ℓ/∂w_j is on the side where it pulls w_j from 0.
    #[inline(always)]
    pub fn pull(self, v: f64) -> f64 {
        if self.nonnegative { v } else { v.abs() }
    }

    /// Ω(w).
    pub fn value(self, w: &[f64]) -> f64 {
        self.kink().total(w.iter().copied()) + 0.5 * self.l2 * w.iter().map(|w| w * w).sum::<f64>()
    }

    /// argmin_w ½(w − v)² + t·Ω(w), of one weight.
    pub fn prox(self, v: f64, t: f64) -> f64 {
        let v = if self.nonnegative { v.max(0.0) } else { v };
        softened(v, t * self.l1) / (1.0 + t * self.l2)
    }

    /// Ω*(v), no |v_j| beyond λ₁ where λ₂ = 0.
    pub fn conjugate(self, v: &[f64]) -> f64 {
        if self.l2 == 0.0 {
            return 0.0;
        }
        v.iter().map(|&v| (self.pull(v) - self.l1).max(0.0)).map(|over| over * over).sum::<f64>()
            / (2.0 * self.l2)
    }
}

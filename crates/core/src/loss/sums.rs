//! Weighted sums of a loss over all examples, which is all that Newton's method and its line search ask of it.
//!
//! Stretches of a fixed length are summed one after the other, so that the bits do not depend on the number of threads.
//! Floor: one exponential an example for the logistic loss (≈ 5 ns a core), and 32 bytes an example over the bandwidth.

use super::Loss;
use crate::parallel::{each, fill_both};

/// Targets, weights and scores of the examples.
#[derive(Clone, Copy)]
pub struct Scored<'a> {
    /// (N,) y.
    pub y: &'a [f64],
    /// (N,) c.
    pub c: &'a [f64],
    /// (N,) s.
    pub s: &'a [f64],
}

/// Examples that are summed at once.
const STRETCH: usize = 1 << 12;

impl Scored<'_> {
    /// (Σ c ℓ'(y, s + t·d)·d, Σ c ℓ''(y, s + t·d)·d²): how the loss changes along the direction d, ones if None.
    pub fn along<L: Loss>(&self, loss: L, d: Option<&[f64]>, t: f64) -> (f64, f64) {
        let Scored { y, c, s } = *self;
        self.stretches(|i| {
            let d = d.map_or(1.0, |d| d[i]);
            let at = s[i] + t * d;
            let (slope, curvature) = loss.bend(y[i], at);
            (c[i] * slope * d, c[i] * curvature * d * d)
        })
    }

    /// Σ c ℓ(y, s), with a = −∂ℓ/∂s and h = c ∂²ℓ/∂s² written down.
    pub fn look<L: Loss>(&self, loss: L, a: &mut [f64], h: &mut [f64]) -> f64 {
        let Scored { y, c, s } = *self;
        let parts: Vec<f64> = fill_both((a, STRETCH), (h, STRETCH), &|k, a, h| {
            let mut sum = 0.0;
            for (i, (a, h)) in (k * STRETCH..).zip(a.iter_mut().zip(h)) {
                let (value, slope, curvature) = loss.look(y[i], s[i]);
                (*a, *h) = (-slope, c[i] * curvature);
                sum += c[i] * value;
            }
            sum
        });
        parts.iter().sum()
    }

    /// Σ c ℓ*(y, −s) of those with a weight: the conjugate, s standing for a.
    pub fn conjugate<L: Loss>(&self, loss: L) -> f64 {
        let Scored { y, c, s } = *self;
        self.stretches(|i| if c[i] == 0.0 { (0.0, 0.0) } else { (c[i] * loss.conjugate(y[i], -s[i]), 0.0) }).0
    }

    fn stretches(&self, of: impl Fn(usize) -> (f64, f64) + Sync) -> (f64, f64) {
        let count = self.y.len();
        let add = |sum: (f64, f64), more: (f64, f64)| (sum.0 + more.0, sum.1 + more.1);
        let one = |k: usize| (k * STRETCH..count.min((k + 1) * STRETCH)).map(&of).fold((0.0, 0.0), add);
        each(count.div_ceil(STRETCH), &one).into_iter().fold((0.0, 0.0), add)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Huber, Logistic};
    use super::*;

    #[test]
    fn sums_are_sums_on_any_number_of_threads() {
        let numbers = |k: usize| (0..10_000).map(|i| ((i * k) % 101) as f64 / 50.0 - 1.0).collect::<Vec<_>>();
        let (any, c, s, d) = (numbers(3), numbers(7), numbers(11), numbers(13));
        let y: Vec<f64> = any.iter().map(|y| 1_f64.copysign(*y)).collect();
        let (scored, residuals) = (Scored { y: &y, c: &c, s: &s }, Scored { y: &any, c: &c, s: &s });
        let (mut a, mut h) = (vec![0.0; 10_000], vec![0.0; 10_000]);
        let value = scored.look(Logistic, &mut a, &mut h);
        let along = residuals.along(Huber { delta: 0.5 }, Some(&d), 0.3);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                assert_eq!(scored.look(Logistic, &mut a, &mut h).to_bits(), value.to_bits());
                assert_eq!(residuals.along(Huber { delta: 0.5 }, Some(&d), 0.3), along);
            });
        }
        let every = |f: &dyn Fn(usize) -> f64| (0..10_000).map(f).sum::<f64>();
        assert!((value - every(&|i| c[i] * Logistic.value(y[i], s[i]))).abs() < 1e-9);
        let slope = |t: f64| every(&|i| c[i] * Huber { delta: 0.5 }.value(any[i], s[i] + t * d[i]));
        assert!((along.0 - (slope(0.3 + 1e-6) - slope(0.3 - 1e-6)) / 2e-6).abs() < 1e-4 * along.0.abs());
        assert_eq!(a[7], -Logistic.slope(y[7], s[7]));
        assert_eq!(h[7], c[7] * Logistic.curvature(y[7], s[7]));
        let shifted = scored.along(Logistic, None, 0.5).0;
        assert!((shifted - every(&|i| c[i] * Logistic.slope(y[i], s[i] + 0.5))).abs() < 1e-9);
    }
}

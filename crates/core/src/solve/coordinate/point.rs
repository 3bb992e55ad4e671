//! Where the solver stands: the scores, and what follows from them.

use crate::parallel::{each, fill, fill_both};

use super::Examples;
use super::smooth::Smooth;
use crate::columns::Columns;

/// Examples that a thread takes at once.
const STRETCH: usize = 2048;

/// Scores and what the loss is like there.
pub struct Point {
    /// b.
    pub b: f64,
    /// s (N,).
    pub s: Vec<f64>,
    /// Σ c_i ℓ(y_i, s_i).
    pub loss: f64,
    /// a (N,) = −∂ℓ/∂s, balanced where there is an intercept.
    pub a: Vec<f64>,
    /// c_i ∂²ℓ/∂s_i².
    pub curvature: Vec<f64>,
}

/// Sums over examples: of ℓ, ∂ℓ/∂s, |∂ℓ/∂s| and ∂²ℓ/∂s², weighted.
#[derive(Clone, Copy, Default)]
struct Sums {
    loss: f64,
    first: f64,
    size: f64,
    second: f64,
}

impl<L: Smooth> Examples<'_, L> {
    /// Sums of f over stretches of the examples, one after the other.
    #[expect(clippy::redundant_closure, reason = "what calls f by reference may be left out of line")]
    fn sum(&self, f: impl Fn(usize) -> f64 + Sync) -> f64 {
        let count = self.y.len();
        let of_stretch =
            |part: usize| (part * STRETCH..count.min((part + 1) * STRETCH)).map(|i| f(i)).sum::<f64>();
        each(count.div_ceil(STRETCH), &of_stretch).iter().sum()
    }

    fn sums(&self, s: &[f64], shift: f64) -> Sums {
        let of_stretch = |part: usize| {
            let here = part * STRETCH..s.len().min((part + 1) * STRETCH);
            let (s, y, c) = (&s[here.clone()], &self.y[here.clone()], &self.weight[here]);
            s.iter().zip(y).zip(c).fold(Sums::default(), |sums, ((&s, &y), &c)| {
                let (value, slope, curvature) = self.loss.all(y, s + shift);
                Sums {
                    loss: sums.loss + c * value,
                    first: sums.first + c * slope,
                    size: sums.size + c * slope.abs(),
                    second: sums.second + c * curvature,
                }
            })
        };
        let parts: Vec<Sums> = each(s.len().div_ceil(STRETCH), &of_stretch);
        parts.iter().fold(Sums::default(), |a, b| Sums {
            loss: a.loss + b.loss,
            first: a.first + b.first,
            size: a.size + b.size,
            second: a.second + b.second,
        })
    }

    /// The shift of all scores that minimises the loss: Newton's method within a bracket.
    fn best_shift(&self, s: &[f64]) -> f64 {
        let (mut low, mut high, mut shift) = (f64::NEG_INFINITY, f64::INFINITY, 0.0_f64);
        for _ in 0..100 {
            let Sums { first, size, second, .. } = self.sums(s, shift);
            if first.abs() <= 1e-12 * size || size <= 1e-14 * self.total {
                break;
            }
            *(if first < 0.0 { &mut low } else { &mut high }) = shift;
            let newton = shift - first / second;
            let next = match (newton > low && newton < high && second > 1e-12 * self.total, low + high) {
                (true, _) => newton,
                (false, sum) if sum.is_finite() => 0.5 * sum,
                _ => shift - first.signum() * shift.abs().max(1.0),
            };
            if next == shift || !next.is_finite() {
                break;
            }
            shift = next;
        }
        shift
    }

    /// What the loss is like at scores s, b made the best first where it is free.
    pub fn look(&self, b: f64, mut s: Vec<f64>) -> Point {
        let mut b = b;
        if self.intercept {
            let shift = self.best_shift(&s);
            b += shift;
            fill(&mut s, STRETCH, &|_, s| s.iter_mut().for_each(|s| *s += shift));
        }
        let (mut a, mut curvature) = (vec![0.0; s.len()], vec![0.0; s.len()]);
        let sums = fill_both((&mut a, STRETCH), (&mut curvature, STRETCH), &|part, a, h| {
            let mut sums = [0.0; 3];
            for (k, (a, h)) in a.iter_mut().zip(h).enumerate() {
                let i = part * STRETCH + k;
                let (value, slope, curvature) = self.loss.all(self.y[i], s[i]);
                let c = self.weight[i];
                (*a, *h) = (-slope, c * curvature);
                sums[0] += c * value;
                sums[if slope < 0.0 { 1 } else { 2 }] += c * slope.abs();
            }
            sums
        });
        let [loss, up, down] = sums.iter().fold([0.0; 3], |t, s| [t[0] + s[0], t[1] + s[1], t[2] + s[2]]);
        if self.intercept && up != down {
            let least = up.min(down);
            let (up, down) = (least / up, least / down); // of 0/0 nothing is there to be scaled
            let factor = |a: f64| if a > 0.0 { up } else { down };
            fill(&mut a, STRETCH, &|_, a| a.iter_mut().for_each(|a| *a *= factor(*a)));
            a.iter_mut().filter(|a| a.is_nan()).for_each(|a| *a = 0.0);
        }
        Point { b, s, loss, a, curvature }
    }

    /// Σ c_i [ℓ*(y_i, −factor·a_i) + factor·a_i·offset_i].
    pub fn conjugate(&self, a: &[f64], factor: f64) -> f64 {
        self.sum(|i| match self.weight[i] {
            0.0 => 0.0,
            c => {
                let a = factor * a[i];
                c * (self.loss.conjugate(self.y[i], -a) + a * self.offset.map_or(0.0, |o| o[i]))
            }
        })
    }

    /// How much the loss rises from s to s + t·step.
    pub fn rise(&self, s: &[f64], step: &[f64], t: f64) -> f64 {
        self.sum(|i| match step[i] {
            0.0 => 0.0,
            step => {
                let value = |s| self.loss.value(self.y[i], s);
                self.weight[i] * (value(s[i] + t * step) - value(s[i]))
            }
        })
    }
}

/// (N,) Σ_k step_k x_k + shift over the columns of a set, added up in their order in every stretch of rows.
pub fn combined(columns: &Columns, set: &[usize], step: &[f64], shift: f64) -> Vec<f64> {
    let mut result = vec![shift; columns.count()];
    let stretch = columns.count().div_ceil(4).max(STRETCH);
    fill(&mut result, stretch, &|part, result| {
        for (&j, &d) in set.iter().zip(step).filter(|(_, d)| **d != 0.0) {
            columns.column(j).add_to(d, part * stretch, result);
        }
    });
    result
}

//! The quadratic model on a working set, climbed down column by column.
//!
//! ```text
//! min over δ (m,), β of   Σ_k g_k δ_k + ½ Σ_i h_i (x_i·δ + β)² + Σ_k ½λ₂(w_k + δ_k)² + λ₁|w_k + δ_k|
//! ```
//!
//! β is minimised out: Σ_i h_i (x_i·δ + β) = 0, so that a step of δ_k moves it by −m_k/Σh and costs no pass over N.

use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::gram::Gram;
use crate::columns::Columns;
use crate::halt::{Halt, current, is_given_up};
use crate::parallel::{MOST_PARTS, each_of};
use crate::penalty::Kink;
use crate::solve::Order;

/// Columns of a sweep after which it is asked whether somebody still waits.
const COLUMNS: usize = 16;

/// The model.
pub struct Quadratic<'a> {
    pub columns: &'a Columns,
    /// The working set, ascending.
    pub set: &'a [usize],
    /// h (N,) > 0.
    pub curvature: &'a [f64],
    /// g, of the loss alone, at the working set.
    pub gradient: Vec<f64>,
    /// w at the working set.
    pub w: Vec<f64>,
    pub kink: Kink,
    pub l2: f64,
    pub intercept: bool,
}

/// Σ h x, and the model's curvature along a column with and without λ₂.
pub struct Diagonal {
    /// m (m,), 0 without an intercept.
    pub mean: Vec<f64>,
    /// q (m,).
    pub q: Vec<f64>,
    /// Σ h, infinite without an intercept.
    pub total: f64,
}

/// The w that is best where the slope is `gradient` and the curvature `q`, and how far the slope is from the
/// subgradients of the penalty.
#[inline(always)]
pub fn best(w: f64, gradient: f64, q: f64, kink: Kink) -> (f64, f64) {
    let (down, up) = (gradient + kink.above, gradient - kink.below);
    let violation = if w > 0.0 {
        down.abs()
    } else if w < 0.0 {
        up.abs()
    } else {
        up.max(-down).max(0.0)
    };
    if down <= q * w {
        (w - down / q, violation)
    } else if up >= q * w {
        (w - up / q, violation)
    } else {
        (0.0, violation)
    }
}

impl Quadratic<'_> {
    /// δ (m,) and β, to where no slope is farther than `target` from the subgradients of the penalty, or after so many
    /// sweeps over columns; the Hessian, if that was formed.
    pub fn minimise(
        &self,
        u: &[f64],
        target: f64,
        sweeps: usize,
        order: &mut Order,
    ) -> (Vec<f64>, f64, Option<Gram>) {
        let (diagonal, halt) = (self.diagonal(), current());
        let mut sweep = Sweep {
            model: self,
            diagonal: &diagonal,
            step: vec![0.0; self.set.len()],
            active: (0..self.set.len() as u32).collect(),
            z: u.to_vec(),
            shift: 0.0,
            halt: &halt,
        };
        let (mut spent, mut price, mut gram) = (0, None, None);
        for done in 1..=sweeps {
            order.shuffle(&mut sweep.active);
            spent += sweep.cost();
            let violation = Arch::new().dispatch(&mut sweep);
            if violation <= target || sweep.active.is_empty() || is_given_up(&halt) {
                break;
            }
            if done > 1 && spent >= *price.get_or_insert_with(|| Gram::price(self, &sweep.active)) {
                gram = Gram::new(self, &diagonal, &mut sweep.active);
                break;
            }
        }
        let Sweep { mut step, active, .. } = sweep;
        if let Some(gram) = &gram {
            let small = gram.small(self.kink, self.l2, |p| {
                (self.gradient[active[p] as usize], self.w[active[p] as usize])
            });
            let found = gram.minimise(&small, active.iter().map(|&k| step[k as usize]).collect(), target);
            active.iter().zip(found).for_each(|(&k, d)| step[k as usize] = d);
        }
        let shift = step.iter().zip(&diagonal.mean).map(|(d, m)| d * m).sum::<f64>() / diagonal.total;
        (step, -shift, gram)
    }

    fn diagonal(&self) -> Diagonal {
        let total = if self.intercept { self.curvature.iter().sum() } else { f64::INFINITY };
        let sums: Vec<(f64, f64)> = each_of(self.set, self.set.len().div_ceil(MOST_PARTS), &|&j| {
            let (column, h) = (self.columns.column(j), self.curvature);
            let (mut first, mut second) = (0.0, 0.0);
            column.each(|i, x| {
                first += h[i] * x;
                second += h[i] * x * x;
            });
            let first = if self.intercept { first } else { 0.0 };
            // a constant column has none but what is lost to rounding
            (first, (second - first * first / total).max(1e-10 * second) + self.l2)
        });
        let (mean, q) = sums.into_iter().unzip();
        Diagonal { mean, q, total }
    }
}

/// Passes over the columns that may still move.
struct Sweep<'a, 'm> {
    model: &'a Quadratic<'m>,
    diagonal: &'a Diagonal,
    step: Vec<f64>,
    active: Vec<u32>,
    /// The model's slope at each score, but for β.
    z: Vec<f64>,
    shift: f64,
    halt: &'a Option<Arc<Halt>>,
}

impl Sweep<'_, '_> {
    fn cost(&self) -> usize {
        let set = self.model.set;
        self.active.iter().map(|&k| 2 * self.model.columns.column(set[k as usize]).held() + 8).sum()
    }
}

impl WithSimd for &mut Sweep<'_, '_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Sweep { model, diagonal, step, active, z, shift, halt } = self;
        let mut worst = 0.0_f64;
        let mut kept = 0;
        for p in 0..active.len() {
            if p % COLUMNS == 0 && is_given_up(halt) {
                active.copy_within(p.., kept);
                kept += active.len() - p;
                break;
            }
            let k = active[p] as usize;
            let column = model.columns.column(model.set[k]);
            let (mean, q) = (diagonal.mean[k], diagonal.q[k]);
            let w = model.w[k] + step[k];
            let gradient = column.dot(z) + *shift * mean + model.l2 * w;
            let (next, violation) = best(w, gradient, q, model.kink);
            worst = worst.max(violation);
            if w != 0.0 || violation > 0.0 {
                active[kept] = k as u32;
                kept += 1;
            }
            let change = next - w;
            if change != 0.0 {
                step[k] += change;
                *shift -= change * mean / diagonal.total;
                column.add_weighted_to(change, model.curvature, z);
            }
        }
        active.truncate(kept);
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Penalty;

    #[test]
    fn a_step_along_a_coordinate_is_the_prox_of_a_gradient_step() {
        for (w, gradient, q, l1) in
            [(0.4_f64, -2.0, 1.5, 0.3), (-0.4, 0.1, 0.7, 0.9), (0.0, 3.0, 2.0, 0.0), (1.0, 0.2, 4.0, 0.1)]
        {
            for nonnegative in [false, true] {
                let (penalty, w) =
                    (Penalty { l1, l2: 0.0, nonnegative }, if nonnegative { w.abs() } else { w });
                let wanted = penalty.prox(w - gradient / q, 1.0 / q);
                assert!((best(w, gradient, q, penalty.kink()).0 - wanted).abs() < 1e-15);
            }
        }
    }
}

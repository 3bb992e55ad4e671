//! How far from the optimum some coefficients are.

use crate::rows::Index;

/// The problem, but for the kernel.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// t (m,).
    pub t: &'a [f64],
    /// (m,) ≤ 0.
    pub lo: &'a [f64],
    /// (m,) ≥ 0.
    pub hi: &'a [f64],
    /// (m,) numbers below the length of `sums`.
    pub group: &'a [i64],
    /// (G,) Σ β of each group.
    pub sums: &'a [f64],
    /// (m,) the row of each variable.
    pub row: &'a [i64],
}

/// What the gradient says about β.
pub struct Measure {
    /// P; infinite where an infinite bound asks for what the scores do not keep to.
    pub primal: f64,
    /// P + D.
    pub gap: f64,
    /// How far the largest −G that may rise is above the smallest that may fall, in the worst group.
    pub violation: f64,
}

/// From β and G = Kβ − t: P = ½βᵀKβ + Σ max(hi r, lo r) + Σ sums·b for r = −G − b, and P + D = Σ [max(hi r, lo r) − βr],
/// to which what lies at the bound it wants to be at adds nothing, however old its G is.
pub fn measure(machine: &Machine<'_>, beta: &[f64], gradient: &[f64]) -> Measure {
    let groups = machine.sums.len();
    let (mut top, mut bottom) = (vec![f64::NEG_INFINITY; groups], vec![f64::INFINITY; groups]);
    let (mut total, mut free) = (vec![0.0; groups], vec![0_usize; groups]);
    for (i, (&b, &g)) in beta.iter().zip(gradient).enumerate() {
        let (group, rises, falls) = (machine.group[i].place(), b < machine.hi[i], b > machine.lo[i]);
        if rises {
            top[group] = f64::max(top[group], -g);
        }
        if falls {
            bottom[group] = f64::min(bottom[group], -g);
        }
        if rises && falls {
            total[group] -= g;
            free[group] += 1;
        }
    }
    let apart = top.iter().zip(&bottom).map(|(top, bottom)| top - bottom);
    let violation = apart.filter(|apart| apart.is_finite()).fold(0.0, f64::max);
    let b: Vec<f64> = (0..groups)
        .map(|g| match (free[g], top[g].is_finite(), bottom[g].is_finite()) {
            (1.., _, _) => total[g] / free[g] as f64,
            (0, true, true) => 0.5 * (top[g] + bottom[g]),
            (0, true, false) => top[g],
            (0, false, true) => bottom[g],
            _ => 0.0,
        })
        .collect();
    let (mut squared, mut loss, mut gap) = (0.0, 0.0, 0.0);
    let mut left = machine.sums.to_vec();
    for (i, (&beta, &g)) in beta.iter().zip(gradient).enumerate() {
        let group = machine.group[i].place();
        let r = -g - b[group];
        let own = if r > 0.0 {
            machine.hi[i] * r
        } else if r < 0.0 {
            machine.lo[i] * r
        } else {
            0.0
        };
        squared += beta * (g + machine.t[i]);
        loss += own;
        gap += own - beta * r;
        left[group] -= beta;
    }
    let offset: f64 = machine.sums.iter().zip(&b).map(|(s, b)| s * b).sum();
    let apart: f64 = left.iter().zip(&b).map(|(left, b)| left * b).sum();
    Measure { primal: 0.5 * squared + loss + offset, gap: gap + apart, violation }
}

impl Measure {
    /// Whether the relative gap or the violation is at most `tol`.
    pub fn enough(&self, tol: f64) -> bool {
        self.violation <= tol || (self.primal.is_finite() && self.gap <= tol * self.primal.abs())
    }
}

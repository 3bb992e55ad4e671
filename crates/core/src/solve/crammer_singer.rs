//! Dual coordinate ascent for the multi-class machine of Crammer & Singer, a block of K variables at a time.
//!
//! ```text
//! min over W (K, d), b (K,) of   Σ c_i [max_k (1{k ≠ y_i} + s_ik) − s_iy] + ½λ‖W‖²,      s_i = W x_i + b
//! max over a_i = e_y − p_i of    Σ c_i Σ_{k≠y} p_ik − ½λ‖W‖²,     p_i in the simplex,     W = Σ c_i a_i x_iᵀ / λ
//! ```
//!
//! A step maximises the dual over all p_i of one example: the projection of p_i + (Δ_i + s_i)/q on the simplex, with
//! q = c (‖x_i‖² + σ²)/λ. Crammer & Singer, JMLR 2 (2001); Keerthi, Sundararajan, Chang, Hsieh & Lin, KDD 2008. The
//! intercepts, which ask for Σ c_i a_i = 0, are found by the method of multipliers as in `dual_coordinate`.

use crate::rows::{Index, Rows, Value};

/// Examples, what they weigh, and λ.
pub struct Plan<'a, 'r, V, I> {
    /// X (N, d).
    pub rows: &'a Rows<'r, V, I>,
    /// y (N,) below K.
    pub y: &'a [i64],
    /// c (N,) ≥ 0.
    pub weight: &'a [f64],
    /// λ.
    pub strength: f64,
    /// σ², 0 without intercepts.
    pub constant: f64,
    /// K.
    pub classes: usize,
}

/// W (K, d) row by row, b (K,), a (N, K) row by row, and Σ c_i a_i (K,).
pub struct State<'a> {
    /// W.
    pub w: &'a mut [f64],
    /// b.
    pub b: &'a mut [f64],
    /// a.
    pub a: &'a mut [f64],
    /// Σ c_i a_i.
    pub residual: &'a mut [f64],
}

/// Visits the examples in `order`, once each; Σ c ℓ and Σ c (ℓ + ℓ* + a·s) as they were met on the way.
pub fn pass<V: Value, I: Index>(
    plan: &Plan<'_, '_, V, I>,
    state: &mut State<'_>,
    order: &[u32],
) -> (f64, f64) {
    let (k, d, pull) = (plan.classes, plan.rows.columns(), plan.constant / plan.strength);
    let (mut loss, mut gap) = (0.0, 0.0);
    let (mut s, mut p, mut sorted) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
    for &i in order {
        let i = i as usize;
        let (row, c, y) = (plan.rows.row(i), plan.weight[i], plan.y[i].place());
        let a = &mut state.a[i * k..(i + 1) * k];
        for (class, s) in s.iter_mut().enumerate() {
            *s = row.dot(&state.w[class * d..(class + 1) * d])
                + state.b[class]
                + f64::from(u8::from(class != y));
        }
        let most = s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lost = most - s[y];
        loss += c * lost;
        // ℓ + ℓ* + a·s is how far the mean of Δ + s under p is below its largest.
        let mean: f64 = (0..k).map(|class| (f64::from(u8::from(class == y)) - a[class]) * s[class]).sum();
        gap += c * (most - mean).max(0.0);
        let q = c * (row.squared_norm() + plan.constant) / plan.strength;
        if q <= 0.0 {
            continue;
        }
        for class in 0..k {
            p[class] = f64::from(u8::from(class == y)) - a[class] + s[class] / q;
        }
        project(&mut p, &mut sorted);
        for class in 0..k {
            let next = f64::from(u8::from(class == y)) - p[class];
            let step = c * (next - a[class]);
            if step != 0.0 {
                a[class] = next;
                row.add_to(step / plan.strength, &mut state.w[class * d..(class + 1) * d]);
                state.residual[class] += step;
                state.b[class] += pull * step;
            }
        }
    }
    state.b.iter_mut().zip(state.residual.iter()).for_each(|(b, r)| *b += pull * r);
    (loss, gap)
}

/// The nearest point of the simplex (Held, Wolfe & Crowder, Mathematical Programming 6, 1974).
fn project(p: &mut [f64], sorted: &mut [f64]) {
    sorted.copy_from_slice(p);
    sorted.sort_unstable_by(|one, other| other.total_cmp(one));
    let (mut sum, mut level) = (0.0, 0.0);
    for (count, &value) in sorted.iter().enumerate() {
        sum += value;
        let next = (sum - 1.0) / (count + 1) as f64;
        if value <= next {
            break;
        }
        level = next;
    }
    p.iter_mut().for_each(|p| *p = (*p - level).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_projected_lies_in_the_simplex_and_a_point_of_it_stays() {
        let mut sorted = [0.0; 3];
        let mut p = [0.2, 0.5, 0.3];
        project(&mut p, &mut sorted);
        assert!(p.iter().zip([0.2, 0.5, 0.3]).all(|(p, q)| (p - q).abs() < 1e-15));
        let mut p = [3.0, 2.5, -1.0];
        project(&mut p, &mut sorted);
        assert_eq!(p, [0.75, 0.25, 0.0]);
    }
}

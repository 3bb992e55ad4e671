//! The second of two coefficients: the one that promises the largest decrease (Fan, Chen & Lin 2005, WSS 2).

use pulp::Simd;

use super::extremes::{CHUNK, first};
use super::pairs::{FLAT, State};
use crate::kernel::Real;

/// Of those that may fall, the one that promises most: (−G_i + G_j)² / (K_ii + K_jj − 2 K_ij).
#[inline(always)]
pub(super) fn second<R: Real, S: Simd>(
    simd: S,
    state: &State,
    ki: &[R],
    i: usize,
    top: f64,
    from: usize,
    to: usize,
) -> usize {
    let own = state.about[i];
    let rows = ki[from..to].chunks(CHUNK).zip(state.about[from..to].chunks(CHUNK));
    let may = state.gradient[from..to].chunks(CHUNK).zip(state.fall[from..to].chunks(CHUNK));
    let (mut best, mut at) = (0.0, usize::MAX);
    let mut gains = [0.0_f32; CHUNK];
    for (n, ((k, diagonal), (g, fall))) in rows.zip(may).enumerate() {
        gains[g.len()..].fill(0.0);
        let all = gains.iter_mut().zip(k).zip(diagonal).zip(g).zip(fall);
        for ((((gain, k), diagonal), g), fall) in all {
            // The gain at −G_i = top against a coefficient of gradient g.
            let above = (top - (fall - g)) as f32;
            let curvature = own + diagonal - 2.0 * k.float();
            let curvature = if curvature > FLAT as f32 { curvature } else { FLAT as f32 };
            *gain = if above > 0.0 { above * (above / curvature) } else { 0.0 };
        }
        let mut largest = simd.splat_f32s(0.0);
        for &gain in S::as_simd_f32s(&gains).0 {
            largest = simd.max_f32s(gain, largest);
        }
        let largest = simd.reduce_max_f32s(largest);
        if largest > best {
            (best, at) = (largest, n * CHUNK + first(&gains, largest));
        }
    }
    from + at.min(to - from - 1)
}

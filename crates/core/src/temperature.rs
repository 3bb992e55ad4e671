//! Temperature scaling: the one factor of scores whose softmax suits targets best.
//!
//! ```text
//! min over A > 0 of   −Σ_i w_i Σ_c t_ic log softmax(A·s_i)_c
//! ```
//!
//! Guo, Pleiss, Sun & Weinberger, ICML 2017. Halley's method within a bracket: the objective is convex in A, and its
//! slope, curvature and change of curvature are moments of the scores under softmax, from the same exponentials.
//! Floor: N·C exponentials a round, of two classes N, and five to eight rounds.

use pulp::{Arch, Simd, WithSimd};

use crate::halt;
use crate::kernel::Real;

/// Rounds at most.
const ROUNDS: usize = 100;
/// A share of the scores that is rounding.
const ROUNDING: f64 = 1e-13;
/// A step of this share of A is the last one: its cube is beyond what doubles hold.
const LAST: f64 = 1e-7;
/// Scores part the classes where A is beyond this, of scores that are at most 1 apart.
const ENDLESS: f64 = 1e12;
/// Numbers whose exponentials are taken side by side.
const LANES: usize = 8;

/// A, of scores (N, C) and targets (N, C), row by row, and weights (N,).
pub fn temperature(scores: &[f64], classes: usize, targets: &[f64], weight: &[f64]) -> f64 {
    let size = scores.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
    let mut s = scores.to_vec();
    for row in s.chunks_exact_mut(classes.max(1)) {
        let top = row.iter().fold(f64::NEG_INFINITY, |most, s| most.max(*s));
        row.iter_mut().for_each(|s| *s -= top);
    }
    let spread = s.iter().fold(0.0, |most: f64, s| most.max(-s));
    if s.iter().any(|s| !s.is_finite()) || spread <= ROUNDING * size {
        return 1.0; // classes that differ by rounding alone do not part anything
    }
    s.iter_mut().for_each(|s| *s /= spread); // scores near the ends of the range of doubles have cubes, too
    let rows = s.chunks_exact(classes).zip(targets.chunks_exact(classes));
    let wanted: Vec<f64> = rows.map(|(s, t)| s.iter().zip(t).map(|(s, t)| s * t).sum()).collect();
    let lower = (classes == 2).then(|| s.as_chunks::<2>().0.iter().map(|[a, b]| a + b).collect());
    let scaled = Scaled { s, classes, lower, wanted, weight };
    (scaled.minimum().max(1.0 / ENDLESS) / spread).clamp(f64::MIN_POSITIVE, f64::MAX)
}

struct Scaled<'a> {
    /// (N, C) scores less the largest of the row, at least −1.
    s: Vec<f64>,
    classes: usize,
    /// (N,) the lower score of two.
    lower: Option<Vec<f64>>,
    /// (N,) Σ_c t_c s_c.
    wanted: Vec<f64>,
    weight: &'a [f64],
}

/// The first three derivatives of the objective.
#[derive(Clone, Copy, Default)]
struct Slopes([f64; 3]);

impl Scaled<'_> {
    fn minimum(&self) -> f64 {
        let (mut a, mut low, mut high) = (1.0, 0.0, f64::INFINITY);
        let halt = halt::current();
        for _ in 0..ROUNDS {
            halt::check(&halt);
            let Slopes([slope, curvature, third]) = self.slopes(a);
            (low, high) = if slope < 0.0 { (a, high) } else { (low, a) };
            let newton = slope / curvature;
            let bend = 1.0 - 0.5 * newton * third / curvature;
            let step = if bend > 0.5 { newton / bend } else { newton };
            if step.abs() <= LAST * a {
                return a - step;
            }
            let mut following = a - step;
            if !(curvature > 0.0 && low < following && following < high) {
                following = if high.is_finite() { 0.5 * (low + high) } else { 4.0 * a };
            }
            if (following - a).abs() <= 1e-12 * a || following > ENDLESS {
                break;
            }
            a = following;
        }
        a
    }

    fn slopes(&self, a: f64) -> Slopes {
        match &self.lower {
            Some(lower) => Arch::new().dispatch(OfTwo(self, lower, a)),
            None => Arch::new().dispatch(OfMany(self, a)),
        }
    }
}

struct OfTwo<'a>(&'a Scaled<'a>, &'a [f64], f64);

impl WithSimd for OfTwo<'_> {
    type Output = Slopes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Slopes {
        let OfTwo(Scaled { wanted, weight, .. }, lower, a) = self;
        let mut sums = [[0.0; LANES]; 3];
        let all = lower.chunks(LANES).zip(wanted.chunks(LANES)).zip(weight.chunks(LANES));
        for ((lower, of), weights) in all {
            let (mut s, mut wanted, mut weight) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            s[..lower.len()].copy_from_slice(lower);
            wanted[..of.len()].copy_from_slice(of);
            weight[..weights.len()].copy_from_slice(weights);
            let mut e = s.map(|s| a * s);
            f64::exponentials(&mut e);
            for l in 0..LANES {
                let (p, s, w) = (e[l] / (1.0 + e[l]), s[l], weight[l]);
                let spread = w * (p * (1.0 - p) * (s * s));
                sums[0][l] += w * (p * s - wanted[l]);
                sums[1][l] += spread;
                sums[2][l] += spread * (1.0 - 2.0 * p) * s;
            }
        }
        Slopes(sums.map(|sums| sums.iter().sum()))
    }
}

struct OfMany<'a>(&'a Scaled<'a>, f64);

impl WithSimd for OfMany<'_> {
    type Output = Slopes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Slopes {
        let OfMany(Scaled { s, classes, wanted, weight, .. }, a) = self;
        let mut found = Slopes::default();
        let mut shares = vec![[0.0; LANES]; classes.div_ceil(LANES)];
        for ((s, wanted), weight) in s.chunks_exact(*classes).zip(wanted).zip(*weight) {
            for (share, s) in shares.iter_mut().zip(s.chunks(LANES)) {
                share.iter_mut().zip(s).for_each(|(share, s)| *share = a * s);
                f64::exponentials(share);
            }
            let shares = &shares.as_flattened()[..*classes];
            let total: f64 = shares.iter().sum();
            let each = || shares.iter().map(|e| e / total).zip(s);
            let mean: f64 = each().map(|(p, s)| p * s).sum();
            let [second, third] = each().fold([0.0; 2], |[second, third], (p, s)| {
                let away = s - mean;
                [second + p * away * away, third + p * away * away * away]
            });
            let Slopes(sums) = &mut found;
            sums.iter_mut().zip([mean - wanted, second, third]).for_each(|(sum, x)| *sum += weight * x);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_classes_is_of_many_and_the_slope_is_none() {
        let margins: Vec<f64> = (0..37).map(|i| 3.0 * (f64::from(i) * 1.7).sin()).collect();
        let positive = |i: usize| (margins[i] + (i as f64 * 2.3).cos()) > 0.0;
        let weight: Vec<f64> = (0..37).map(|i| 1.0 + f64::from(i % 3)).collect();
        let two: Vec<f64> = margins.iter().flat_map(|m| [0.0, *m]).collect();
        let t: Vec<[f64; 2]> = (0..37).map(|i| if positive(i) { [0.05, 0.95] } else { [0.9, 0.1] }).collect();
        let a = temperature(&two, 2, t.as_flattened(), &weight);
        let slope: f64 =
            (0..37).map(|i| weight[i] * margins[i] * (1.0 / (1.0 + (-a * margins[i]).exp()) - t[i][1])).sum();
        assert!(slope.abs() < 1e-11, "{slope}");
        let third: Vec<f64> = margins.iter().flat_map(|m| [0.0, *m, -1e3]).collect();
        let of_three: Vec<f64> = t.iter().flat_map(|[a, b]| [*a, *b, 0.0]).collect();
        let many = temperature(&third, 3, &of_three, &weight);
        assert!((many / a - 1.0).abs() < 1e-10, "{many} {a}");
    }

    #[test]
    fn scores_that_do_not_differ_stay_as_they_are() {
        assert_eq!(temperature(&[1.0, 1.0, 2.0, 2.0], 2, &[1.0, 0.0, 0.0, 1.0], &[1.0, 1.0]), 1.0);
        assert_eq!(temperature(&[f64::NAN, 1.0], 2, &[1.0, 0.0], &[1.0]), 1.0);
    }
}

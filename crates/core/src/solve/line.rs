//! How far a step of Newton's method goes: whole where that brings the slope along it near 0, else as a search says.

/// A whole step is taken where it leaves so much of the slope along it.
const WHOLE: f64 = 0.02;
/// A search goes on to this.
const SEARCHED: f64 = 0.01;
/// Lengths that a search tries at most.
const TRIALS: usize = 50;

/// Finds the t > 0 that minimises a convex function along a line on which it falls at first, by Newton's method within a
/// bracket, to a slope that is small against the first one; at first tries the whole step. `along` tells the first and
/// second derivative.
pub(super) fn search(along: &dyn Fn(f64) -> (f64, f64), first: f64) -> f64 {
    let (mut low, mut high, mut t, mut left) = (0.0, f64::INFINITY, 1.0, WHOLE);
    for _ in 0..TRIALS {
        let (slope, bend) = along(t);
        if slope.abs() <= left * first.abs() {
            break;
        }
        left = SEARCHED;
        if slope < 0.0 {
            low = t
        } else {
            high = t
        }
        t = if bend > 0.0 { t - slope / bend } else { f64::INFINITY };
        if !(low < t && t < high) {
            t = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * f64::max(low, 1.0) };
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_where_the_slope_is_near_0() {
        // |t − a|^p has its slope and curvature from near nothing to beyond what one step can know.
        for a in [1e-6, 0.3, 1.0, 40.0, 1e6] {
            for p in [1.5, 2.0, 4.0] {
                let along = |t: f64| {
                    let x: f64 = t - a;
                    (p * x.signum() * x.abs().powf(p - 1.0), p * (p - 1.0) * x.abs().powf(p - 2.0))
                };
                let (t, first) = (search(&along, along(0.0).0), along(0.0).0);
                let left = if t == 1.0 { WHOLE } else { SEARCHED };
                assert!(along(t).0.abs() <= left * first.abs(), "{a} {p} {t}");
            }
        }
    }
}

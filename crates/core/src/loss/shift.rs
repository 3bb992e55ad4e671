//! The intercept that goes with given scores, which no penalty holds.

use super::Loss;

/// Shifts that are tried at most, what their slope may be to be 0, and what curvature may be, in units of all weights.
const SHIFTS: usize = 100;
const ROUNDING: f64 = 1e-14;
const FLAT: f64 = 1e-12;
/// An end that is further, in units of the place, is none.
const FAR: f64 = 1e12;
/// The ends of what is flat are known to this share of it.
const SHARE: f64 = 0.1;

/// Finds the shift t of all scores that minimises a smooth loss, to the last digits, so that Σ c a = 0; of those that
/// all do, one amid them, so that a step of the weights that follows does not end at once. `along` is asked for the first
/// and second derivative in t of the loss, `size` is Σ c. Newton's method within a bracket; floor: a pass over N for each t.
pub fn best_shift(along: &dyn Fn(f64) -> (f64, f64), size: f64) -> f64 {
    let (mut low, mut high, mut shift) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
    for _ in 0..SHIFTS {
        let (first, second) = along(shift);
        if first.is_nan() {
            break;
        }
        if first.abs() <= ROUNDING * size {
            if second == 0.0 {
                shift = middle(&|t| along(t).0.abs() <= ROUNDING * size, shift, [low, high]);
            }
            break;
        }
        if first < 0.0 {
            low = shift
        } else {
            high = shift
        }
        let mut next = if second > FLAT * size { shift - first / second } else { f64::NAN };
        if !(low < next && next < high) {
            let wide = f64::max(1.0, shift.abs());
            let beyond = shift + if first < 0.0 { wide } else { -wide };
            next = if (low + high).is_finite() { 0.5 * (low + high) } else { beyond };
        }
        if next == shift {
            break;
        }
        shift = next;
    }
    shift
}

/// Finds the shift t of all scores s that minimises Σ c ℓ(y, s + t) for a loss that is straight between corners; None for
/// another. Of those that all do it is the middle, so that the answer is one, and its negative for classes that change
/// places. Floor: a sort of all corners.
pub fn best_corner<L: Loss>(loss: L, y: &[f64], c: &[f64], s: &[f64]) -> Option<f64> {
    let (mut corners, mut slope, mut size) = (Vec::with_capacity(s.len()), 0.0, 0.0);
    for ((&y, &c), &s) in y.iter().zip(c).zip(s).filter(|((_, c), _)| **c > 0.0) {
        corners.extend(loss.corners(y)?.into_iter().map(|(at, rise)| (at - s, c * rise)));
        slope += c * loss.slope(y, f64::NEG_INFINITY);
        size += c;
    }
    lowest(corners, slope, size)
}

/// Finds where a sum of convex lines is least: its corners, each with what the slope rises there, and the slope before all.
/// Compiled once, whatever the loss and the rows.
#[inline(never)]
fn lowest(mut corners: Vec<(f64, f64)>, mut slope: f64, size: f64) -> Option<f64> {
    corners.retain(|&(_, rise)| rise > 0.0);
    corners.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut began = None; // what is flat, at this corner
    for (at, rise) in corners {
        if let Some(from) = began {
            return Some(0.5 * (from + at));
        }
        slope += rise;
        if slope.abs() <= FLAT * size {
            began = Some(at);
        } else if slope > 0.0 {
            return Some(at);
        }
    }
    began
}

/// Finds the middle of what is flat around a place, given what lies beyond its ends where that is known; the place itself where
/// an end is not met.
fn middle(is_flat: &dyn Fn(f64) -> bool, place: f64, beyond: [f64; 2]) -> f64 {
    let mut ends = [place; 2];
    for (k, mut outside) in beyond.into_iter().enumerate() {
        let mut step: f64 = if k == 0 { -1.0 } else { 1.0 };
        while outside.is_infinite() {
            if step.abs() > FAR * place.abs().max(1.0) {
                return place;
            }
            let at = place + step;
            if is_flat(at) {
                (ends[k], step) = (at, 2.0 * step);
            } else {
                outside = at;
            }
        }
        for _ in 0..SHIFTS {
            if (outside - ends[k]).abs() <= SHARE * (ends[1] - ends[0]) {
                break;
            }
            let at = 0.5 * (outside + ends[k]);
            if is_flat(at) { ends[k] = at } else { outside = at }
        }
    }
    0.5 * (ends[0] + ends[1])
}

#[cfg(test)]
mod tests {
    use super::super::sums::Scored;
    use super::super::{
        Absolute, EpsilonInsensitive, Hinge, Logistic, SquaredEpsilonInsensitive, SquaredHinge,
    };
    use super::*;
    use proptest::prelude::*;

    fn of<L: Loss>(loss: L, y: &[f64], s: &[f64]) -> f64 {
        let c = vec![1.0; y.len()];
        let scored = Scored { y, c: &c, s };
        best_shift(&|t| scored.along(loss, None, t), y.len() as f64)
    }

    #[test]
    fn of_a_flat_stretch_the_middle_is_taken() {
        for size in [1e-6, 1.0, 1e6] {
            // Of −1 at 0 and 1 at 2 + 2·size no shift from −1 − 2·size to −1 costs anything.
            let t = of(SquaredHinge, &[-1.0, 1.0], &[0.0, 2.0 + 2.0 * size]);
            assert!((t + 1.0 + size).abs() < 0.2 * size, "{size} {t}");
            let tube = SquaredEpsilonInsensitive { epsilon: size };
            let t = of(tube, &[0.0, 0.5 * size], &[0.0, 0.0]);
            assert!((t - 0.25 * size).abs() < 0.2 * size, "{size} {t}");
        }
        // Of one class alone every shift beyond its margin is as good.
        assert!(of(SquaredHinge, &[1.0, 1.0], &[0.0, 3.0]) >= 1.0);
    }

    #[test]
    fn of_straight_stretches_the_middle_is_taken() {
        let hinge = Hinge { margin: 1.0 };
        let best = |y: &[f64], s: &[f64]| best_corner(hinge, y, &vec![0.3; y.len()], s).unwrap();
        assert_eq!(best(&[1.0, -1.0, 1.0, -1.0], &[0.25, 0.25, -0.25, -0.25]), 0.0); // from −0.75 to 0.75 all cost the same
        assert_eq!(best(&[1.0, -1.0, -1.0], &[0.5, 0.5, 0.5]), -1.5);
        assert_eq!(best(&[1.0, 1.0], &[0.0, 3.0]), 1.0);
        assert_eq!(best(&[-1.0, -1.0], &[0.0, 3.0]), -4.0);
        let tube = EpsilonInsensitive { epsilon: 2.0 };
        assert_eq!(best_corner(tube, &[0.0, 1.0], &[1.0; 2], &[0.0; 2]), Some(0.5));
        assert_eq!(best_corner(Absolute, &[0.0, 1.0, 9.0], &[1.0; 3], &[0.0; 3]), Some(1.0));
        assert_eq!(best_corner(Absolute, &[0.0, 1.0], &[1.0, 0.0], &[0.0; 2]), Some(0.0));
        assert_eq!(best_corner(SquaredHinge, &[1.0], &[1.0], &[0.0]), None);
    }

    fn corners_are_best<L: Loss>(loss: L, y: &[f64], s: &[f64], by: f64) -> Result<(), TestCaseError> {
        let c: Vec<f64> = (0..y.len()).map(|i| 1.0 + (i % 3) as f64).collect();
        let cost = |t: f64| -> f64 { (0..y.len()).map(|i| c[i] * loss.value(y[i], s[i] + t)).sum() };
        let t = best_corner(loss, y, &c, s).unwrap();
        prop_assert!(cost(t) <= cost(t + by) * (1.0 + 1e-12) + 1e-9);
        let turned = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| -x).collect() };
        let mirrored = best_corner(loss, &turned(y), &c, &turned(s)).unwrap();
        prop_assert!((t + mirrored).abs() <= 1e-9, "{t} {mirrored}");
        Ok(())
    }

    proptest! {
        #[test]
        fn no_other_corner_costs_less_and_classes_may_change_places(
            s in prop::collection::vec(-4..4_i32, 2..40),
            targets in prop::collection::vec(any::<bool>(), 40),
            by in -10.0..10.0_f64,
        ) {
            let s: Vec<f64> = s.into_iter().map(|s| f64::from(s) / 4.0).collect();
            let y: Vec<f64> = targets[..s.len()].iter().map(|&up| if up { 1.0 } else { -1.0 }).collect();
            corners_are_best(Absolute, &y, &s, by)?;
            corners_are_best(EpsilonInsensitive { epsilon: 0.5 }, &y, &s, by)?;
            corners_are_best(Hinge { margin: 1.0 }, &y, &s, by)?;
        }

        #[test]
        fn no_other_shift_costs_less(
            s in prop::collection::vec(-1e3..1e3_f64, 2..40),
            flips in prop::collection::vec(any::<bool>(), 40),
            by in -10.0..10.0_f64,
        ) {
            let y: Vec<f64> = s.iter().zip(&flips).map(|(s, flip)| if *flip { -s.signum() } else { s.signum() }).collect();
            prop_assume!(y.contains(&1.0) && y.contains(&-1.0));
            let cost = |loss: &dyn Fn(f64, f64) -> f64, t: f64| -> f64 {
                y.iter().zip(&s).map(|(y, s)| loss(*y, s + t)).sum()
            };
            let t = of(Logistic, &y, &s);
            let logistic = |y, s| Logistic.value(y, s);
            prop_assert!(cost(&logistic, t) <= cost(&logistic, t + by) * (1.0 + 1e-12) + 1e-12);
            let t = of(SquaredHinge, &y, &s);
            let hinge = |y, s| SquaredHinge.value(y, s);
            prop_assert!(cost(&hinge, t) <= cost(&hinge, t + by) * (1.0 + 1e-12) + 1e-12);
        }
    }
}

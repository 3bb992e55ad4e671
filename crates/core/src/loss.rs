//! Losses: scalar functions of a target and a score.
//!
//! ```text
//! value ℓ(y, s)     slope ∂ℓ/∂s     curvature ∂²ℓ/∂s²     conjugate ℓ*(y, u) = sup_s u·s − ℓ(y, s)
//! ```
//!
//! At a kink the slope is that of the flat side, as `conventions.py` says. A loss never sees X.

mod chosen;
mod margins;
mod residuals;
pub mod shift;
pub mod sums;
mod tubes;

pub use chosen::{Chosen, Margin, Regression};
pub use margins::{Hinge, Logistic, SquaredHinge, ZeroOne, log1p_exp, sigmoid};
pub use residuals::{Absolute, Huber, Squared};
pub use tubes::{EpsilonInsensitive, SquaredEpsilonInsensitive};

/// A loss. For margins y is −1 or +1, for regression any number.
pub trait Loss: Copy + Send + Sync {
    /// ℓ(y, s) ≥ 0.
    fn value(self, y: f64, s: f64) -> f64;

    /// ∂ℓ/∂s.
    fn slope(self, y: f64, s: f64) -> f64;

    /// ∂²ℓ/∂s², 0 at kinks.
    fn curvature(self, y: f64, s: f64) -> f64;

    /// ℓ*(y, u), +∞ outside its domain; of a loss that is not convex +∞ everywhere.
    fn conjugate(self, y: f64, u: f64) -> f64;

    /// Whether its slope has kinks, between which a step in one direction may see no curvature.
    fn has_kinks(self) -> bool {
        true
    }

    /// Of a loss that is straight between corners, the scores of these and by how much its slope rises there.
    fn corners(self, _: f64) -> Option<[(f64, f64); 2]> {
        None
    }

    /// Slope and curvature, for who wants both.
    #[inline(always)]
    fn bend(self, y: f64, s: f64) -> (f64, f64) {
        (self.slope(y, s), self.curvature(y, s))
    }

    /// Value, slope and curvature, for who wants all.
    #[inline(always)]
    fn look(self, y: f64, s: f64) -> (f64, f64, f64) {
        let (slope, curvature) = self.bend(y, s);
        (self.value(y, s), slope, curvature)
    }
}

/// A convex loss whose dual can be climbed one coordinate at a time.
pub trait DualLoss: Loss {
    /// The a that maximises  −ℓ*(y, −a) − s·(a − from) − ½q·(a − from)²,  which is the a = −∂ℓ(y, s + q·(a − from)).
    ///
    /// `q` ≥ 0; `from` is in the domain, and so is the answer.
    fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64;

    /// The a nearest to `a` for which ℓ*(y, −a) is finite.
    fn feasible(self, y: f64, a: f64) -> f64;

    /// For a inside the domain of ℓ*(y, −a) the score s at which a = −∂ℓ(y, s), and 1/ℓ″(y, s), by which s falls as a
    /// rises; None at the edge, which many scores have in common.
    fn answered(self, y: f64, a: f64) -> Option<(f64, f64)>;

    /// How far s is from where `a`, which is at the edge of the domain, would begin to move; 0 where there is no edge.
    fn clearance(self, y: f64, s: f64, a: f64) -> f64;

    /// Calls a task that is compiled for each loss: with this one, or with the one that was chosen where it is `Chosen`.
    fn narrow<T: OfLoss>(self, task: T) -> T::Output {
        task.call(self)
    }
}

/// A task that is compiled for each loss, as it spends its time there.
pub trait OfLoss {
    /// Its result.
    type Output;

    /// Does it with a loss that is known.
    fn call<L: DualLoss>(self, loss: L) -> Self::Output;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score that an a answers to keeps it where it is, and falls as fast as it says.
    fn answers(loss: impl DualLoss, y: f64) {
        let mut inside = 0;
        for a in (-20..=20).map(|k| loss.feasible(y, f64::from(k) / 10.0 + 0.05)) {
            let Some((s, rate)) = loss.answered(y, a) else { continue };
            inside += 1;
            assert!((loss.climb(y, s, 0.7, a) - a).abs() < 1e-9, "{a}: {s}");
            let (above, below) = (loss.answered(y, a + 1e-6), loss.answered(y, a - 1e-6));
            if let (Some((above, _)), Some((below, _))) = (above, below) {
                assert!((rate + (above - below) / 2e-6).abs() < 1e-4 * (1.0 + rate), "{a}: {rate}");
            }
        }
        assert!(inside > 5, "{inside}");
    }

    /// Where a climb ends, a and the score there answer to each other: ℓ(y, s) + ℓ*(y, −a) + a·s is 0 and nowhere less.
    fn climbs_to_the_top(loss: impl DualLoss, y: f64) {
        let hundredths = |k: i32| f64::from(k) / 100.0;
        for from in [-300, -99, -1, 0, 1, 40, 99, 300].map(|k| loss.feasible(y, hundredths(k))) {
            for start in [-90_000, -375, -50, 0, 1, 120, 2_000, 90_000].map(hundredths) {
                for q in [0.0, 1e-6, 0.7, 15.0, 1e3, 1e6, 1e9] {
                    let a = loss.climb(y, start, q, from);
                    let s = start + q * (a - from);
                    let (value, conjugate) = (loss.value(y, s), loss.conjugate(y, -a));
                    let size =
                        1.0 + value.abs() + conjugate.abs() + (a * s).abs() + q * a.abs().max(from.abs());
                    let apart = value + conjugate + a * s;
                    assert!(apart.abs() <= 1e-12 * size, "{y} {start} {q} {from}: {a}, {apart}");
                }
            }
        }
    }

    /// All that solvers ask of a loss, at (y, s).
    struct Asked(f64, f64);

    impl OfLoss for Asked {
        type Output = [u64; 7];

        fn call<L: DualLoss>(self, loss: L) -> [u64; 7] {
            let Asked(y, s) = self;
            let a = loss.feasible(y, s);
            let numbers = [
                loss.value(y, s),
                loss.slope(y, s),
                loss.curvature(y, s),
                loss.conjugate(y, -a),
                loss.climb(y, s, 0.7, a),
                loss.clearance(y, s, a),
                loss.answered(y, a).map_or(f64::NAN, |(score, rate)| score + rate),
            ];
            numbers.map(f64::to_bits)
        }
    }

    fn is_what_was_chosen<L: DualLoss>(loss: L, chosen: Chosen) {
        for y in [-1.0, 1.0] {
            for s in (-20..=20).map(|k| f64::from(k) / 8.0) {
                let asked = Asked(y, s).call(loss);
                assert_eq!(Asked(y, s).call(chosen), asked);
                assert_eq!(chosen.narrow(Asked(y, s)), asked);
                let all = (loss.value(y, s), loss.slope(y, s), loss.curvature(y, s));
                assert_eq!((loss.look(y, s), loss.bend(y, s)), (all, (all.1, all.2)));
            }
        }
    }

    #[test]
    fn a_loss_that_was_chosen_is_that_loss_to_the_last_bit() {
        for margin in [0.0, 1.0] {
            is_what_was_chosen(Hinge { margin }, Margin::from(Hinge { margin }).into());
        }
        is_what_was_chosen(SquaredHinge, Margin::from(SquaredHinge).into());
        is_what_was_chosen(Logistic, Margin::from(Logistic).into());
        is_what_was_chosen(Squared, Regression::from(Squared).into());
        is_what_was_chosen(Absolute, Regression::from(Absolute).into());
        is_what_was_chosen(Huber { delta: 0.8 }, Regression::from(Huber { delta: 0.8 }).into());
        let tube = EpsilonInsensitive { epsilon: 0.3 };
        is_what_was_chosen(tube, Regression::from(tube).into());
        let tube = SquaredEpsilonInsensitive { epsilon: 0.3 };
        is_what_was_chosen(tube, Regression::from(tube).into());
    }

    fn is_lawful(loss: impl DualLoss, y: f64) {
        answers(loss, y);
        climbs_to_the_top(loss, y);
    }

    #[test]
    fn an_answer_and_its_score_belong_together() {
        for y in [-1.0, 1.0] {
            is_lawful(Hinge { margin: 1.0 }, y);
            is_lawful(SquaredHinge, y);
            is_lawful(Logistic, y);
        }
        for y in [-0.3, 2.0] {
            is_lawful(Squared, y);
            is_lawful(Absolute, y);
            is_lawful(Huber { delta: 0.8 }, y);
            is_lawful(EpsilonInsensitive { epsilon: 0.3 }, y);
            is_lawful(SquaredEpsilonInsensitive { epsilon: 0.3 }, y);
        }
    }
}

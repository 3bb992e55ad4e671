//! What the counts leave open: mean and variance of the log-odds of one item over all parameters they allow.
//!
//! Of class c, word j was counted s_cj times; the parameters behind the counts are random, with the posterior
//!
//! ```text
//! words that are drawn      θ_c ~ Dirichlet(a_c1, …, a_cK)      a_cj = s_cj + α,   A_c = Σ_j a_cj
//! words there or not        φ_cj ~ Beta(a_cj, b_cj)             b_cj = n_c − s_cj + α
//! classes, if learnt        π ~ Dirichlet(n_c + 0 or 1)
//! ```
//!
//! A Dirichlet variate is a row of gamma variates over their sum, and the log of a gamma variate of shape a has the
//! mean ψ(a) and the variance ψ′(a). For an item x, these are the first two moments, exactly:
//!
//! ```text
//! E  log p(x | c) = Σ_j x_j  ψ(a_cj)  − (Σ_j x_j)  ψ(A_c)        drawn
//! V  log p(x | c) = Σ_j x_j² ψ′(a_cj) − (Σ_j x_j)² ψ′(A_c)
//! E  log p(x | c) = Σ_present ψ(a_cj) + Σ_absent ψ(b_cj) − Σ_j ψ(a_cj + b_cj)        there or not; V with ψ′
//! ```
//!
//! Classes are independent, so the log-odds of two add their variances. Gelman et al., Bayesian Data Analysis, 3.4.
//!
//! No table of counts is needed: φ = (s + added) / total gives back s from the weights that score.

mod gamma;

use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

pub use gamma::{Moments, log_gamma_moments};

/// The prior of the classes.
#[derive(Clone, Debug)]
pub enum Prior {
    /// π ~ Dirichlet of these weights, one a class: as doubtful as they are small.
    Learnt(Vec<f64>),
    /// log π that is given: beyond doubt.
    Given(Vec<f64>),
}

/// What is needed beside the weights of a score to tell how far it is to be believed.
#[derive(Clone, Debug)]
pub struct Belief {
    /// α, the pseudo-counts of every outcome in the posterior.
    pub alpha: f64,
    /// What the estimate behind the weights added to each count before it took shares.
    pub added: f64,
    /// Per class, what those sums were divided by.
    pub total: Vec<f64>,
    /// Whether words that are absent weigh, too: W is then logit φ, else log φ.
    pub absent: bool,
    /// The classes.
    pub prior: Prior,
}

/// Whole counts below this are looked up.
const LOOKED_UP: usize = 8192;
/// Not looked at yet.
const UNKNOWN: u16 = u16::MAX;
/// Not to be looked up.
const OTHER: u16 = u16::MAX - 1;

/// `Belief` at work on a dictionary of K words with their weights (K, C).
pub struct Doubt {
    belief: Belief,
    /// Of counts 0, 1, … plus α; made when it is first needed.
    table: OnceLock<Vec<Moments>>,
    /// Per class, of A_c, or of a + b, which is the same for each word of the class.
    whole: Vec<Moments>,
    /// Per class, an item without any words; only where absent words weigh.
    empty: OnceLock<Vec<Moments>>,
    /// Per word and class, its count if that is looked up, written down where it is first needed. Whoever writes,
    /// writes the same.
    counts: OnceLock<Vec<AtomicU16>>,
}

impl Doubt {
    /// For a dictionary of `words` words; None if the numbers cannot be those of a model with `classes` classes.
    pub fn new(belief: Belief, words: usize, classes: usize) -> Option<Doubt> {
        let count = |n: &f64| n.is_finite() && *n >= 0.0;
        let (known, priors) = match &belief.prior {
            Prior::Learnt(n) => (n.iter().all(count), n.len()),
            Prior::Given(log) => (!log.iter().any(|p| p.is_nan()), log.len()),
        };
        let sound = belief.total.iter().all(count) && count(&belief.alpha) && belief.added.is_finite();
        if !(known && sound && belief.alpha > 0.0 && belief.total.len() == classes && priors == classes) {
            return None;
        }
        let outcomes = if belief.absent { 2.0 } else { words as f64 };
        let seen = |total: &f64| (total - outcomes * belief.added).max(0.0);
        let whole =
            belief.total.iter().map(|t| log_gamma_moments(seen(t) + outcomes * belief.alpha)).collect();
        Some(Doubt { belief, whole, table: OnceLock::new(), empty: OnceLock::new(), counts: OnceLock::new() })
    }

    fn table(&self) -> &[Moments] {
        let of = |s: usize| log_gamma_moments(s as f64 + self.belief.alpha);
        self.table.get_or_init(|| (0..LOOKED_UP).map(of).collect())
    }

    /// How often an outcome was counted, from its share φ = (s + added) / total.
    #[inline]
    fn seen(&self, share: f64, class: usize) -> f64 {
        let seen = (share * self.belief.total[class] - self.belief.added).max(0.0);
        // Whole but for the rounding of the logarithm that φ went through.
        let nearest = seen.round();
        if (seen - nearest).abs() <= 1e-9 { nearest } else { seen }
    }

    /// Moments of an outcome with this share.
    #[inline]
    fn outcome(&self, share: f64, class: usize) -> Moments {
        let seen = self.seen(share, class);
        if seen < LOOKED_UP as f64 && seen.fract() == 0.0 {
            return self.table()[seen as usize];
        }
        log_gamma_moments(seen + self.belief.alpha)
    }

    /// Moments of a word that is drawn, from its weight log φ and what is written down of its count.
    #[inline]
    fn word(&self, table: &[Moments], count: &AtomicU16, weight: f64, class: usize) -> Moments {
        let known = count.load(Relaxed);
        if let Some(&moments) = table.get(known as usize) {
            return moments;
        }
        let share = weight.exp();
        if known == UNKNOWN {
            let seen = self.seen(share, class);
            let rare = seen < LOOKED_UP as f64 && seen.fract() == 0.0;
            count.store(if rare { seen as u16 } else { OTHER }, Relaxed);
        }
        self.outcome(share, class)
    }

    /// Moments of a word that is there, and of one that is not, from its weight.
    #[inline]
    fn coin(&self, weight: f64, class: usize) -> (Moments, Moments) {
        (self.outcome(1.0 / (1.0 + (-weight).exp()), class), self.outcome(1.0 / (1.0 + weight.exp()), class))
    }

    /// Mean and variance of log p(x | class) for an item with `found` (word, how often), each word once.
    fn likelihood(&self, found: &[(u32, f64)], weights: &[f64], class: usize) -> Moments {
        let sum = if self.belief.absent {
            self.there_or_not(found, weights, class)
        } else {
            self.drawn(found, weights, class)
        };
        Moments { mean: sum.mean, variance: sum.variance.max(0.0) }
    }

    fn drawn(&self, found: &[(u32, f64)], weights: &[f64], class: usize) -> Moments {
        let counts = self.counts.get_or_init(|| weights.iter().map(|_| AtomicU16::new(UNKNOWN)).collect());
        let (classes, whole, table) = (self.belief.total.len(), self.whole[class], self.table());
        let (mut sum, mut length) = (Moments::default(), 0.0);
        for &(word, x) in found {
            let place = word as usize * classes + class;
            let word = self.word(table, &counts[place], weights[place], class);
            sum.mean += x * word.mean;
            sum.variance += x * x * word.variance;
            length += x;
        }
        let variance = sum.variance - length * length * whole.variance;
        Moments { mean: sum.mean - length * whole.mean, variance }
    }

    fn there_or_not(&self, found: &[(u32, f64)], weights: &[f64], class: usize) -> Moments {
        let classes = self.belief.total.len();
        let mut sum = self.empty(weights)[class];
        for &(word, _) in found {
            let (there, not) = self.coin(weights[word as usize * classes + class], class);
            sum.mean += there.mean - not.mean;
            sum.variance += there.variance - not.variance;
        }
        sum
    }

    /// Per class, an item in which every word is absent; found out once.
    fn empty(&self, weights: &[f64]) -> &[Moments] {
        let classes = self.belief.total.len();
        self.empty.get_or_init(|| {
            let of = |class: usize| {
                let mut sum = Moments::default();
                for row in weights.chunks_exact(classes) {
                    let absent = self.coin(row[class], class).1;
                    sum.mean += absent.mean - self.whole[class].mean;
                    sum.variance += absent.variance - self.whole[class].variance;
                }
                sum
            };
            (0..classes).into_par_iter().map(of).collect()
        })
    }

    /// Mean and variance of the log-odds of class `label` against class `against`, in nats.
    ///
    /// A learnt class of which nothing was seen leaves everything open: mean 0, variance infinite.
    pub fn log_odds(
        &self,
        found: &[(u32, f64)],
        weights: &[f64],
        (label, against): (usize, usize),
    ) -> Moments {
        if label == against {
            return Moments::default();
        }
        let (l, r) = (self.likelihood(found, weights, label), self.likelihood(found, weights, against));
        let (p, q) = match &self.belief.prior {
            Prior::Learnt(n) => (log_gamma_moments(n[label]), log_gamma_moments(n[against])),
            Prior::Given(log) => {
                let given = |class: usize| Moments { mean: log[class], variance: 0.0 };
                (given(label), given(against))
            }
        };
        let mean = l.mean - r.mean + (p.mean - q.mean);
        let variance = l.variance + r.variance + p.variance + q.variance;
        if mean.is_finite() && variance.is_finite() {
            Moments { mean, variance }
        } else {
            Moments { mean: 0.0, variance: f64::INFINITY }
        }
    }
}

/// The class of the largest score and that of the next; of equal ones the first. Where there is but one, it twice.
pub fn first_two(scores: &[f64]) -> (usize, usize) {
    let (mut label, mut against) = (0, usize::MAX);
    for (class, &score) in scores.iter().enumerate().skip(1) {
        if score > scores[label] {
            (label, against) = (class, label);
        } else if against == usize::MAX || score > scores[against] {
            against = class;
        }
    }
    (label, if against == usize::MAX { label } else { against })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn belief() -> Belief {
        let prior = Prior::Learnt(vec![2.0, 3.0]);
        Belief { alpha: 0.5, added: 1.0, total: vec![6.0, 9.0], absent: false, prior }
    }

    #[test]
    fn counts_come_back_from_the_weights_by_table_or_not() {
        let doubt = Doubt::new(belief(), 2, 2).unwrap();
        for s in [0.0, 1.0, 3.0, 4.25, 8191.0, 8192.0, 65_535.0, 1e6] {
            let direct = log_gamma_moments(s + 0.5);
            let (weight, count) = (((s + 1.0) / 6.0).ln(), AtomicU16::new(UNKNOWN));
            for _ in 0..2 {
                let found = doubt.word(doubt.table(), &count, weight, 0);
                assert!((found.mean - direct.mean).abs() < 1e-12);
                assert!((found.variance - direct.variance).abs() < 1e-12);
                assert_eq!(found, doubt.outcome(weight.exp(), 0));
            }
        }
    }

    #[test]
    fn numbers_of_no_model_are_refused() {
        let refused = |change: fn(&mut Belief)| {
            let mut wrong = belief();
            change(&mut wrong);
            Doubt::new(wrong, 2, 2).is_none()
        };
        assert!(!refused(|_| ()));
        assert!(refused(|b| b.total[0] = f64::NAN));
        assert!(refused(|b| b.total[0] = -1.0));
        assert!(refused(|b| b.total.truncate(1)));
        assert!(refused(|b| b.alpha = 0.0));
        assert!(refused(|b| b.added = f64::INFINITY));
        assert!(refused(|b| b.prior = Prior::Given(vec![1.0])));
    }

    #[test]
    fn the_first_two_are_those_of_a_stable_sort() {
        let values = [f64::NEG_INFINITY, 0.0, 1.0];
        for case in 0..3_usize.pow(4) {
            let scores: Vec<f64> = (0..4).map(|i| values[case / 3_usize.pow(i) % 3]).collect();
            let mut order = [0, 1, 2, 3];
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            assert_eq!(first_two(&scores), (order[0], order[1]), "{scores:?}");
        }
        assert_eq!(first_two(&[1.0]), (0, 0));
    }
}

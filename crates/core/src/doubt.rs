//! The doubt about the log-odds of one item: their variance by what the counts leave open, for words that come together.
//!
//! Of class c, word j was counted s_cj times; the parameters behind the counts are random, with the posterior
//!
//! ```text
//! words that are drawn      θ_c ~ Dirichlet(a_c1, …, a_cK)      a_cj = s_cj + α,   A_c = Σ_j a_cj
//! words there or not        φ_cj ~ Beta(a_cj, b_cj)             b_cj = n_c − s_cj + α
//! classes, if learnt        π ~ Dirichlet(n_c + 0 or 1)
//! ```
//!
//! of which the score takes the mean: log E θ = log a − log A. A Dirichlet variate is a row of gamma variates over their
//! sum; one of shape a has mean a and variance a, and the log-normal variable of the same two moments has a log of
//! variance v(a) = log(1 + 1/a). That is near 1/a, the variance of the log itself, where a is large; where a is small the
//! log has a long tail towards −∞, of words that are all but impossible, which says nothing against the score.
//!
//! ```text
//! V log p(x | c) = Σ_j x_j² v(a_cj) − (Σ_j x_j)² v(A_c)                              drawn
//! V log p(x | c) = Σ_present v(a_cj) + Σ_absent v(b_cj) − Σ_j v(a_cj + b_cj)         there or not
//! ```
//!
//! Classes are independent, so the log-odds of two add their variances. Words are not: those of an item come together,
//! and what is wrong about one is wrong about the next. With a correlation ρ between any two of the words that are
//! there, of spread σ_j² = v(a_1j) + v(a_2j) each,
//!
//! ```text
//! V = Σ_j x_j² σ_j² + ρ ((Σ_j x_j σ_j)² − Σ_j x_j² σ_j²),      ρ = 0.05
//! ```
//!
//! Each v of class c is taken u_c² times, where u_c, `widening`, tells how little the examples of the class are worth:
//! see `deciban.text.widening`. Kish, Survey Sampling, 1965, section 5.4 (the effect of clusters).
//!
//! No table of counts is needed: φ = (s + added) / total gives back s from the weights that score. Of a score that
//! calibration multiplied by a slope A these are A log φ, and the variance is A² V.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::parallel::each;

/// The correlation of what is wrong about two words of one item. Of 0.02, 0.05 and 0.1, chosen on SMS, SpamAssassin,
/// TREC 2007 and reviews: the least by which at most 2.5 in 100 verdicts that an interval of 95 % bears out were wrong,
/// wherever as many as a twentieth of all were borne out. Three pairs of newsgroups were left out of the choice.
const DEPENDENCE: f64 = 0.05;

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
    /// Per class, how many times as wide an interval is as independent examples would make it.
    pub widening: Vec<f64>,
    /// What calibration multiplied the score by, and so each of its weights.
    pub slope: f64,
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
    /// The variances of counts 0, 1, … plus α; made when they are first needed.
    table: OnceLock<Vec<f64>>,
    /// Per class, of A_c, or of a + b, which is the same for each word of the class.
    whole: Vec<f64>,
    /// Per class, an item without any words; only where absent words weigh.
    empty: OnceLock<Vec<f64>>,
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
        let sound = belief.total.iter().chain(&belief.widening).all(count)
            && count(&belief.alpha)
            && belief.added.is_finite();
        let shaped = [belief.total.len(), belief.widening.len(), priors] == [classes; 3];
        let scaled = belief.slope.is_finite() && belief.slope > 0.0;
        if !(known && sound && shaped && scaled && belief.alpha > 0.0) {
            return None;
        }
        let outcomes = if belief.absent { 2.0 } else { words as f64 };
        let seen = |total: &f64| (total - outcomes * belief.added).max(0.0);
        let whole = belief
            .total
            .iter()
            .zip(&belief.widening)
            .map(|(t, times)| log_variance(seen(t) + outcomes * belief.alpha) * times.powi(2))
            .collect();
        Some(Doubt { belief, whole, table: OnceLock::new(), empty: OnceLock::new(), counts: OnceLock::new() })
    }

    fn table(&self) -> &[f64] {
        let of = |s: usize| log_variance(s as f64 + self.belief.alpha);
        self.table.get_or_init(|| (0..LOOKED_UP).map(of).collect())
    }

    /// The variance of a share of class `class`, by that which independent examples leave.
    #[inline]
    fn widened(&self, alone: f64, class: usize) -> f64 {
        alone * self.belief.widening[class].powi(2)
    }

    /// How often an outcome was counted, from its share φ = (s + added) / total.
    #[inline]
    fn seen(&self, share: f64, class: usize) -> f64 {
        let seen = (share * self.belief.total[class] - self.belief.added).max(0.0);
        // Whole but for the rounding of the logarithm that φ went through.
        let nearest = seen.round();
        if (seen - nearest).abs() <= 1e-9 { nearest } else { seen }
    }

    /// The variance of an outcome with this share.
    #[inline]
    fn outcome(&self, share: f64, class: usize) -> f64 {
        let seen = self.seen(share, class);
        let rare = seen < LOOKED_UP as f64 && seen.fract() == 0.0;
        let alone = if rare { self.table()[seen as usize] } else { log_variance(seen + self.belief.alpha) };
        self.widened(alone, class)
    }

    /// The variance of a word that is drawn, from its weight log φ and what is written down of its count.
    #[inline]
    fn word(&self, table: &[f64], count: &AtomicU16, weight: f64, class: usize) -> f64 {
        let known = count.load(Relaxed);
        if let Some(&alone) = table.get(known as usize) {
            return self.widened(alone, class);
        }
        let share = (weight / self.belief.slope).exp();
        if known == UNKNOWN {
            let seen = self.seen(share, class);
            let rare = seen < LOOKED_UP as f64 && seen.fract() == 0.0;
            count.store(if rare { seen as u16 } else { OTHER }, Relaxed);
        }
        self.outcome(share, class)
    }

    /// The variance of a word that is there, and of one that is not, from its weight.
    #[inline]
    fn coin(&self, weight: f64, class: usize) -> (f64, f64) {
        let weight = weight / self.belief.slope;
        (self.outcome(1.0 / (1.0 + (-weight).exp()), class), self.outcome(1.0 / (1.0 + weight.exp()), class))
    }

    /// The variance of the log-odds that words drawn are for `label` against `against`.
    fn drawn(&self, found: &[(u32, f64)], weights: &[f64], (label, against): (usize, usize)) -> f64 {
        let counts = self.counts.get_or_init(|| weights.iter().map(|_| AtomicU16::new(UNKNOWN)).collect());
        let (classes, table) = (self.belief.total.len(), self.table());
        let (mut sum, mut length) = (Words::default(), 0.0);
        for &(word, x) in found {
            let of = |class: usize| {
                let place = word as usize * classes + class;
                self.word(table, &counts[place], weights[place], class)
            };
            sum.add(x, of(label) + of(against));
            length += x;
        }
        let alone = sum.squares - length * length * (self.whole[label] + self.whole[against]);
        alone.max(0.0) + sum.together()
    }

    /// The same of words that are there or not. Those that are not stand each for itself.
    fn there_or_not(&self, found: &[(u32, f64)], weights: &[f64], (label, against): (usize, usize)) -> f64 {
        let (classes, empty) = (self.belief.total.len(), self.empty(weights));
        let (mut sum, mut gone) = (Words::default(), 0.0);
        for &(word, _) in found {
            let of = |class: usize| self.coin(weights[word as usize * classes + class], class);
            let (one, other) = (of(label), of(against));
            sum.add(1.0, one.0 + other.0);
            gone += one.1 + other.1;
        }
        (empty[label] + empty[against] + sum.squares - gone).max(0.0) + sum.together()
    }

    /// Per class, an item in which every word is absent; found out once.
    fn empty(&self, weights: &[f64]) -> &[f64] {
        let classes = self.belief.total.len();
        self.empty.get_or_init(|| {
            let of = |class: usize| {
                let absent = |row: &[f64]| self.coin(row[class], class).1 - self.whole[class];
                weights.chunks_exact(classes).map(absent).sum()
            };
            each(classes, &of)
        })
    }

    /// The variance of the log-odds of class `label` against class `against`, in nats squared.
    ///
    /// A learnt class of which nothing was seen leaves everything open: infinite.
    pub fn variance(&self, found: &[(u32, f64)], weights: &[f64], (label, against): (usize, usize)) -> f64 {
        if label == against {
            return 0.0;
        }
        let words = if self.belief.absent {
            self.there_or_not(found, weights, (label, against))
        } else {
            self.drawn(found, weights, (label, against))
        };
        let of = |class: usize| match &self.belief.prior {
            Prior::Learnt(n) => self.widened(log_variance(n[class]), class),
            Prior::Given(_) => 0.0,
        };
        let variance = (words + of(label) + of(against)) * self.belief.slope.powi(2);
        if variance.is_finite() { variance } else { f64::INFINITY }
    }
}

/// log(1 + 1/a): the variance of the log of the log-normal variable with the mean and variance of a gamma variate of
/// shape a.
fn log_variance(a: f64) -> f64 {
    (1.0 / a).ln_1p()
}

/// Sums over the words that are there: of the variances, and of the spreads.
#[derive(Default)]
struct Words {
    squares: f64,
    spread: f64,
}

impl Words {
    fn add(&mut self, x: f64, variance: f64) {
        self.squares += x * x * variance;
        self.spread += x * variance.sqrt();
    }

    /// What comes to the sum of the variances, as what is wrong about one word is wrong about others.
    fn together(&self) -> f64 {
        DEPENDENCE * (self.spread * self.spread - self.squares).max(0.0)
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
        Belief {
            alpha: 0.5,
            added: 1.0,
            total: vec![6.0, 9.0],
            absent: false,
            prior,
            widening: vec![2.0, 3.0],
            slope: 1.0,
        }
    }

    #[test]
    fn counts_come_back_from_the_weights_by_table_or_not() {
        let doubt = Doubt::new(belief(), 2, 2).unwrap();
        for s in [0.0_f64, 1.0, 3.0, 4.25, 8191.0, 8192.0, 65_535.0, 1e6] {
            let direct = 4.0 * (1.0 / (s + 0.5)).ln_1p();
            let (weight, count) = (((s + 1.0) / 6.0).ln(), AtomicU16::new(UNKNOWN));
            for _ in 0..2 {
                let found = doubt.word(doubt.table(), &count, weight, 0);
                assert!((found - direct).abs() < 1e-12);
                assert_eq!(found, doubt.outcome(weight.exp(), 0));
            }
        }
    }

    #[test]
    fn the_variance_is_that_of_words_that_come_together() {
        let doubt = Doubt::new(belief(), 2, 2).unwrap();
        let weights: Vec<f64> =
            [2.0_f64, 4.0, 4.0, 5.0].iter().zip([6.0, 9.0, 6.0, 9.0]).map(|(a, t)| (a / t).ln()).collect();
        let (v, u) = (|a: f64| 4.0 * (1.0 / a).ln_1p(), |a: f64| 9.0 * (1.0 / a).ln_1p());
        let (first, second) = (v(1.5) + u(3.5), v(3.5) + u(4.5)); // of counts 1 and 3, 3 and 4, and alpha = 1/2
        let whole = v(5.0) + u(8.0); // of 6 and 9 less 2 for the words, and twice alpha
        let together = 2.0 * DEPENDENCE * (first * second).sqrt();
        let classes = v(2.0) + u(3.0);
        let expected = (first + second - 4.0 * whole).max(0.0) + together + classes;
        let found = doubt.variance(&[(0, 1.0), (1, 1.0)], &weights, (0, 1));
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_score_that_is_multiplied_has_a_variance_multiplied_by_the_square() {
        let weights: Vec<f64> =
            [2.0_f64, 4.0, 4.0, 5.0].iter().zip([6.0, 9.0, 6.0, 9.0]).map(|(a, t)| (a / t).ln()).collect();
        let found = [(0, 1.0), (1, 1.0)];
        for absent in [false, true] {
            let raw = Doubt::new(Belief { absent, ..belief() }, 2, 2).unwrap();
            let scaled = Doubt::new(Belief { absent, slope: 0.25, ..belief() }, 2, 2).unwrap();
            let quarter: Vec<f64> = weights.iter().map(|w| 0.25 * w).collect();
            let (whole, part) =
                (raw.variance(&found, &weights, (0, 1)), scaled.variance(&found, &quarter, (0, 1)));
            assert!((part - whole / 16.0).abs() < 1e-12 * whole, "{part} {whole}");
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
        assert!(refused(|b| b.widening.truncate(1)));
        assert!(refused(|b| b.widening[0] = f64::NAN));
        assert!(refused(|b| b.added = f64::INFINITY));
        assert!(refused(|b| b.slope = 0.0));
        assert!(refused(|b| b.slope = f64::NAN));
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

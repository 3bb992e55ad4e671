//! Sums that are never rounded: a number of 2,200 bits, in words of 32.
//!
//! What was added is known to the last bit, so that any order and any split of the terms ends in the same number, and
//! what is subtracted again was never there. Neal, Fast exact summation using small and large superaccumulators,
//! arXiv:1505.05571, section 2; Kulisch, Computer Arithmetic and Validity, 2013, chapter 8.

use super::double_double::two_product;

/// Words: bits from 2^−1074 to 2^1024, and room for carries.
const WORDS: usize = 70;
/// So many additions do not overflow a word.
const MOST: u32 = 1 << 29;
/// The exponent of the lowest bit.
const LOWEST: i32 = -1074;

/// A sum of doubles: Σ words[k] · 2^(32 k − 1074).
#[derive(Clone)]
pub struct Exact {
    words: [i64; WORDS],
    /// Words outside are zero.
    low: usize,
    high: usize,
    pending: u32,
    /// Something was added that is no number.
    lost: bool,
}

impl Default for Exact {
    fn default() -> Self {
        Exact { words: [0; WORDS], low: WORDS, high: 0, pending: 0, lost: false }
    }
}

impl Exact {
    /// + x.
    #[inline]
    pub fn add(&mut self, x: f64) {
        if x == 0.0 {
            return;
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        let fraction = (bits & ((1 << 52) - 1)) as i128;
        if exponent == 0x7ff {
            self.lost = true;
            return;
        }
        let (mantissa, place) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let (k, wide) = (place >> 5, (if x < 0.0 { -mantissa } else { mantissa }) << (place & 31));
        self.words[k] += (wide & 0xffff_ffff) as i64;
        self.words[k + 1] += (wide >> 32 & 0xffff_ffff) as i64;
        self.words[k + 2] += (wide >> 64) as i64;
        self.low = self.low.min(k);
        self.high = self.high.max(k + 2);
        self.pending += 1;
        if self.pending == MOST {
            self.carry();
        }
    }

    /// + x · 2^exponent, which is a whole multiple of 2^−1074.
    pub fn add_whole(&mut self, x: i64, exponent: i32) {
        let high = (x >> 30) << 30;
        self.add(scaled(high as f64, exponent));
        self.add(scaled((x - high) as f64, exponent));
    }

    /// + another sum.
    pub fn add_all(&mut self, other: &Exact) {
        self.carry();
        if other.low <= other.high {
            for (own, other) in self.words[other.low..=other.high].iter_mut().zip(&other.words[other.low..]) {
                *own += other;
            }
        }
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
        (self.pending, self.lost) = (1 + other.pending, self.lost | other.lost);
        if self.pending >= MOST {
            self.carry();
        }
    }

    /// + a · b.
    #[inline(always)]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let (hi, lo) = two_product(a, b);
        self.add(hi);
        self.add(lo);
    }

    /// + the product of all factors.
    pub fn add_products(&mut self, factors: &[f64]) {
        match *factors {
            [] => self.add(1.0),
            [a] => self.add(a),
            [a, b] => self.add_product(a, b),
            [a, b, ref rest @ ..] => {
                let (hi, lo) = two_product(a, b);
                for part in [hi, lo].into_iter().filter(|part| *part != 0.0) {
                    let mut factors = [0.0; 8];
                    factors[0] = part;
                    factors[1..=rest.len()].copy_from_slice(rest);
                    self.add_products(&factors[..=rest.len()]);
                }
            }
        }
    }

    /// Brings every word but the highest to 32 bits from 0.
    fn carry(&mut self) {
        self.pending = 0;
        let mut k = self.low;
        while k <= self.high.min(WORDS - 2) {
            let over = self.words[k] >> 32;
            self.words[k] -= over << 32;
            self.words[k + 1] += over;
            if k == self.high && self.words[k + 1] != 0 {
                // The highest word keeps its sign; a further one only where it is needed.
                if over == -1 {
                    self.words[k] += over << 32;
                    self.words[k + 1] -= over;
                    return;
                }
                self.high += 1;
            }
            k += 1;
        }
    }

    fn negate(&mut self) {
        if self.low <= self.high {
            self.words[self.low..=self.high].iter_mut().for_each(|word| *word = -*word);
        }
    }

    /// The double nearest to the sum, ties to even, of which all words but its sign are carried.
    fn nearest(&mut self) -> f64 {
        self.carry();
        while self.high > self.low && self.words[self.high] == 0 {
            self.high -= 1;
        }
        if self.low > self.high || self.words[self.high] == 0 {
            return 0.0;
        }
        if self.words[self.high] < 0 {
            self.negate();
            return -self.nearest();
        }
        let base = self.high.saturating_sub(2);
        let mut top = 0_u128;
        for k in (base..=self.high).rev() {
            top = (top << 32) + self.words[k] as u128;
        }
        let below = self.words[self.low.min(base)..base].iter().any(|word| *word != 0);
        scaled((top | u128::from(below)) as f64, 32 * base as i32 + LOWEST)
    }

    /// The sum as doubles, each the nearest to what those before leave, as many as it takes; the sum is 0 afterwards.
    pub fn drain(&mut self, mut each: impl FnMut(usize, f64)) {
        if self.lost {
            each(0, f64::NAN);
            *self = Exact::default();
            return;
        }
        let mut sign = 1.0;
        for k in 0.. {
            let part = self.nearest();
            if part == 0.0 {
                break;
            }
            each(k, sign * part);
            if part.is_infinite() {
                break;
            }
            // `nearest` turns a negative sum round.
            if part < 0.0 {
                sign = -sign;
            }
            self.add(-part.abs());
        }
        if self.low <= self.high {
            self.words[self.low..=self.high].fill(0);
        }
        (self.low, self.high, self.pending) = (WORDS, 0, 0);
    }

    /// The double nearest to the sum, which is 0 afterwards.
    pub fn round(&mut self) -> f64 {
        let mut found = 0.0;
        self.drain(|k, part| found = if k == 0 { part } else { found });
        found
    }
}

/// x · 2^exponent, of which each half is the exponent of a normal double.
fn scaled(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x * power_of_two(half) * power_of_two(exponent - half)
}

/// 2^k from its bits: `powi` multiplies in a loop.
fn power_of_two(k: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&k));
    f64::from_bits(((1023 + k) as u64) << 52)
}

/// Sums as parts, (L, size): at each place doubles that add up to the sum, each the nearest to what those before leave.
///
/// There is one way to write a sum so, and L is 2 or as many as the longest takes. `sum(place, into)` makes the sums.
pub fn in_parts(size: usize, mut sum: impl FnMut(usize, &mut Exact)) -> Vec<f64> {
    let mut parts = vec![0.0; 2 * size];
    let mut exact = Exact::default();
    for place in 0..size {
        sum(place, &mut exact);
        exact.drain(|k, part| {
            if k * size >= parts.len() {
                parts.resize((k + 1) * size, 0.0);
            }
            parts[k * size + place] = part;
        });
    }
    parts
}

/// Σ of sums in parts (L, size), in parts again; those after the first `plus` are subtracted.
pub fn total(terms: &[&[f64]], plus: usize, size: usize) -> Vec<f64> {
    in_parts(size, |place, into| {
        for (k, term) in terms.iter().enumerate() {
            for part in term[place..].iter().step_by(size) {
                into.add(if k < plus { *part } else { -part });
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(terms: &[f64]) -> Vec<f64> {
        let mut exact = Exact::default();
        terms.iter().for_each(|x| exact.add(*x));
        let mut found = Vec::new();
        exact.drain(|_, part| found.push(part));
        assert_eq!(exact.round(), 0.0);
        found
    }

    #[test]
    fn nothing_is_lost_between_the_smallest_and_the_largest() {
        let tiny = f64::from_bits(1);
        assert_eq!(parts(&[f64::MAX, tiny, 1.0]), [f64::MAX, 1.0, tiny]);
        assert_eq!(parts(&[f64::MAX, -tiny, -f64::MAX]), [-tiny]);
        assert_eq!(parts(&[f64::MAX, f64::MAX, -f64::MAX, -f64::MAX]), []);
        assert_eq!(parts(&[f64::MAX, f64::MAX])[0], f64::INFINITY);
        assert!(parts(&[1.0, f64::NAN])[0].is_nan());
        assert_eq!(parts(&[-1.0, -1.0, 3.5]), [1.5]);
        assert_eq!(parts(&[1.0, f64::EPSILON / 2.0]), [1.0, f64::EPSILON / 2.0]); // a tie goes to the even one
        assert_eq!(parts(&[-1e300, 1e-300, 1e300]), [1e-300]);
    }

    #[test]
    fn products_of_many_factors_are_exact() {
        let mut exact = Exact::default();
        let x = 1.0 + f64::EPSILON;
        exact.add_products(&[x, x, x, x]);
        exact.add_products(&[-1.0, x, x, x, x]);
        assert_eq!(exact.round(), 0.0);
    }

    proptest! {
        #[test]
        fn any_order_ends_in_the_same_parts(
            mut terms in prop::collection::vec(prop_oneof![prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL, -1e3..1e3], 1..40),
            cut in 0..40_usize,
        ) {
            let whole = parts(&terms);
            for pair in whole.windows(2) {
                let last = pair[0].abs().next_up() - pair[0].abs(); // what is left may round to just half of it
                prop_assert!(pair[0].is_infinite() || pair[1].abs() <= 0.5 * last);
            }
            terms.reverse();
            prop_assert_eq!(&parts(&terms), &whole);
            let (left, right) = terms.split_at(cut.min(terms.len()));
            if !whole.iter().chain(&parts(left)).chain(&parts(right)).any(|part| part.is_infinite()) {
                let both: Vec<f64> = parts(left).into_iter().chain(parts(right)).collect();
                prop_assert_eq!(&parts(&both), &whole);
                let back: Vec<f64> = whole.iter().copied().chain(parts(right).iter().map(|x| -x)).collect();
                prop_assert_eq!(parts(&back), parts(left));
            }
        }
    }
}

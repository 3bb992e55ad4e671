//! The passages of a text, heard together so that one of them is enough: who pads a text with words of the other class
//! does not silence it.
//!
//! ```text
//! z = s log mean_p exp(s z_p),      z_p = Σ_{j in p} W_j / √|p|,      s = ±1: for which class one is enough
//! ```
//!
//! A text is spam if one passage of it is: Jorgensen, Zhou & Inge, A multiple instance learning strategy for combating
//! good word attacks on spam filters, Journal of Machine Learning Research 9, 2008.

use super::adaptive::per_word;

/// How many passages there are at most: in which a word is, is told by a bit for each.
const MOST: usize = u16::BITS as usize;

/// What each passage says: the sum of the weights of its words, and how many these are.
#[derive(Default)]
pub struct Passages {
    sums: [f64; MOST],
    words: [usize; MOST],
}

/// What passages say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// z.
    pub said: f64,
    /// How far z is from what each of them says times its share.
    pub apart: f64,
    /// What a word of each passage counts: the share of the passage, and 1/√|p|.
    per_word: [f64; MOST],
}

impl Passages {
    /// One more word, of this weight, in the passages of these bits.
    pub fn add(&mut self, bits: u16, weight: f64) {
        for number in numbers(bits) {
            self.sums[number] += weight;
            self.words[number] += 1;
        }
    }

    /// What they say together, where one is enough for the side of this sign; 0 where there is no word.
    pub fn heard(&self, side: f64) -> Heard {
        let there = || (0..MOST).filter(|&number| self.words[number] > 0);
        let each = |number: usize| self.sums[number] * per_word(self.words[number]);
        let side = side.signum();
        let top = there().map(|number| side * each(number)).fold(f64::NEG_INFINITY, f64::max);
        let part = |number: usize| (side * each(number) - top).exp();
        let sum: f64 = there().map(part).sum();
        if sum == 0.0 {
            return Heard::default();
        }
        let mut found =
            Heard { said: side * (top + (sum / there().count() as f64).ln()), ..Heard::default() };
        found.apart = found.said;
        for number in there() {
            let share = part(number) / sum;
            found.apart -= share * each(number);
            found.per_word[number] = share * per_word(self.words[number]);
        }
        found
    }
}

impl Heard {
    /// What a word in the passages of these bits counts.
    pub fn counts(&self, bits: u16) -> f64 {
        numbers(bits).map(|number| self.per_word[number]).sum()
    }
}

/// The numbers of the bits that are set.
fn numbers(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [(u16, f64); 5] = [(0b1, 1.0), (0b1, 2.0), (0b100, -40.0), (0b101, 1.0), (0b100, 0.0)];

    #[test]
    fn one_loud_passage_is_enough_for_one_side() {
        assert_eq!(Passages::default().heard(1.0), Heard::default());
        let mut passages = Passages::default();
        WORDS.iter().for_each(|&(bits, weight)| passages.add(bits, weight));
        let (one, other) = (4.0 / 3.0_f64.sqrt(), -39.0 / 3.0_f64.sqrt());
        let (up, down) = (passages.heard(0.3), passages.heard(-0.3));
        assert!((up.said - (one - 2.0_f64.ln())).abs() < 1e-6);
        assert!((down.said - (other + 2.0_f64.ln())).abs() < 1e-6);
    }

    #[test]
    fn what_words_count_sums_to_what_is_said() {
        let mut passages = Passages::default();
        WORDS.iter().for_each(|&(bits, weight)| passages.add(bits, 0.1 * weight));
        for side in [1.0, -1.0] {
            let heard = passages.heard(side);
            let sum: f64 = WORDS.iter().map(|&(bits, weight)| heard.counts(bits) * 0.1 * weight).sum();
            assert!((sum + heard.apart - heard.said).abs() < 1e-12, "{sum} {heard:?}");
        }
    }

    #[test]
    fn one_passage_says_what_it_says() {
        let mut passages = Passages::default();
        (0..5).for_each(|k| passages.add(1, f64::from(k)));
        let heard = passages.heard(1.0);
        assert!((heard.said - 10.0 / 5.0_f64.sqrt()).abs() < 1e-12 && heard.apart.abs() < 1e-12);
        assert_eq!(heard.counts(1), per_word(5));
        assert_eq!(numbers(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
    }
}

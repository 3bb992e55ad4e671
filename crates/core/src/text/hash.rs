//! The frozen keyed hash of words. It is part of the file format: it never changes.
//!
//! Cyclic polynomials over a random table (Cohen 1997; pairwise independence: Lemire & Kaser 2010):
//!
//! ```text
//! h ← rotate(h, 5) ⊕ T[byte]          then one avalanche when the word ends
//! ```
//!
//! Two words of at most 64 bytes collide with chance 2^-64 over the key that fills T, so whoever does not know the
//! key cannot prepare words that collide. A step is a rotation and an exclusive or, two cycles, while T[byte] is
//! looked up ahead of time; a multiplication per byte, as in FNV, takes twice that. Upper case shares T with lower case.

use super::ascii::Steps;
use crate::ablation::{Step, without};
use crate::view::Field;

/// A key of the hash: the same key gives the same hashes on every machine, for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    starts: [u64; Field::ALL.len()],
    table: Box<[u64; 256]>,
    steps: Vec<Steps>,
}

/// What the counter of SplitMix64 grows by: 2^64 over the golden ratio.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64 (Steele, Lea & Flood 2014): a well-mixed function of a counter.
pub const fn split_mix(x: u64) -> u64 {
    let z = x.wrapping_add(GOLDEN);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// One step: a byte, by its entry of the table, joins the running hash.
#[inline(always)]
pub fn step(state: u64, entry: u64) -> u64 {
    state.rotate_left(5) ^ entry
}

/// The hash of a word whose bytes have all joined. Never 0, which tables keep for "empty".
#[inline(always)]
pub fn finish(state: u64) -> u64 {
    let h = (state ^ (state >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (h ^ (h >> 29)) | 1
}

/// The hash of an n-gram from the hash of its first n − 1 words and that of its last word.
#[inline(always)]
pub fn join(head: u64, last: u64) -> u64 {
    finish(head.wrapping_mul(GOLDEN).rotate_left(23) ^ last)
}

impl Key {
    /// The key that belongs to a seed.
    pub fn new(seed: u64) -> Key {
        let base = split_mix(seed);
        let lower = |b: u8| if without(Step::Case) { b } else { b.to_ascii_lowercase() };
        let entry = |b: u8| split_mix(base.wrapping_add(u64::from(lower(b))));
        let table = Box::new(std::array::from_fn(|b| u8::try_from(b).map_or(0, entry)));
        let mut key =
            Key { starts: [split_mix(base ^ 0xDEC1_BA00); Field::ALL.len()], table, steps: Vec::new() };
        for field in Field::ALL {
            key.starts[field as usize] = key.extend(key.starts[field as usize], field.prefix().as_bytes());
        }
        key.steps = Field::ALL.map(|field| Steps::new(field, key.start(field), &key.table)).into();
        key
    }

    /// The state in which a word of `field` begins: its prefix has already joined.
    #[inline(always)]
    pub fn start(&self, field: Field) -> u64 {
        self.starts[field as usize]
    }

    /// What each ASCII byte does to a word of `field`.
    #[inline(always)]
    pub fn steps(&self, field: Field) -> &Steps {
        &self.steps[field as usize]
    }

    /// The state after more bytes.
    #[inline]
    pub fn extend(&self, state: u64, bytes: &[u8]) -> u64 {
        bytes.iter().fold(state, |h, &b| step(h, self.table[b as usize]))
    }

    /// The hash of one word of `field`.
    pub fn word(&self, field: Field, word: &str) -> u64 {
        finish(self.extend(self.start(field), word.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_frozen() {
        let key = Key::new(0);
        let seen = ["", "a", "free", "무료"].map(|word| key.word(Field::Body, word));
        assert_eq!(seen, FROZEN, "the hash is part of the file format");
        assert_eq!(key.word(Field::Subject, "free"), key.word(Field::Body, "subject:free"));
    }

    const FROZEN: [u64; 4] =
        [15119612726225357597, 12755818022669274581, 11549476774826303519, 16644969689334518989];

    #[test]
    fn short_words_do_not_collide() {
        for seed in 0..3 {
            let key = Key::new(seed);
            let letters = b"abcdefghijklmnopqrstuvwxyz0123456789";
            let mut seen = Vec::new();
            for i in 0..letters.len().pow(4) {
                let word: Vec<u8> =
                    (0..4).map(|k| letters[i / letters.len().pow(k) % letters.len()]).collect();
                seen.push(key.word(Field::Body, std::str::from_utf8(&word).unwrap()));
            }
            seen.sort_unstable();
            assert!(seen.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}

//! A text as passages: stretches of about as many words each.
//!
//! A word that comes again is in several of them: which, is told by a bit for each.

use crate::ablation::{Step, without};

/// How many words a passage has, about.
const WORDS: usize = 64;
/// How many passages there are at most: in a longer text each is longer.
const MOST: usize = u16::BITS as usize;

/// The passage that the word at `place`, one of `count`, is in: its bit.
#[cfg(test)]
fn passage(place: usize, count: usize) -> u16 {
    1 << (place * count.div_ceil(WORDS).clamp(1, MOST) / count.max(1)).min(MOST - 1)
}

/// Words in order of occurrence, each with the number of its expert and its hash, and the passage of each that is content,
/// which is what expert 0 hears; no bit of the others.
pub fn placed(words: impl Iterator<Item = (u8, u64)> + Clone) -> impl Iterator<Item = (u8, u64, u16)> {
    let bits = passages(words.clone().map(|(expert, _)| expert));
    words.zip(bits).map(|((expert, hash), bits)| (expert, hash, bits))
}

/// The passage of each word in order of occurrence, by the number of its expert; no bit of words that are not content.
pub fn passages(experts: impl Iterator<Item = u8> + Clone) -> impl Iterator<Item = u16> {
    let count = experts.clone().filter(|&expert| expert == 0).count();
    // The passage of a word is its place times `step` over `count`: `part` is the remainder, and at most one passage ends at a word.
    let step = if without(Step::Passages) { 0 } else { count.div_ceil(WORDS).clamp(1, MOST) };
    let (mut bit, mut part) = (1, 0);
    experts.map(move |expert| {
        if expert != 0 {
            return 0;
        }
        if part >= count {
            (bit, part) = (bit << 1, part - count);
        }
        part += step;
        bit
    })
}

/// Sorts words by expert and hash, each once, in all the passages that it is in.
pub fn gather(words: &mut Vec<(u8, u64, u16)>) {
    // As numbers of 128 bits they are sorted without branches, in half the time.
    let packed = |&(expert, hash, bits): &(u8, u64, u16)| {
        u128::from(expert) << 80 | u128::from(hash) << 16 | u128::from(bits)
    };
    let mut sorted: Vec<u128> = words.iter().map(packed).collect();
    sorted.sort_unstable();
    words.clear();
    for word in sorted {
        let (expert, hash, bits) = unpacked(word);
        match words.last_mut() {
            Some(last) if (last.0, last.1) == (expert, hash) => last.2 |= bits,
            _ => words.push((expert, hash, bits)),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "each is what was packed")]
fn unpacked(word: u128) -> (u8, u64, u16) {
    ((word >> 80) as u8, (word >> 16) as u64, word as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_of_about_equal_length_and_in_order() {
        for count in [1, 63, 64, 65, 129, 1000, 1024, 1025, 50_000] {
            let found: Vec<u16> = (0..count).map(|place| passage(place, count)).collect();
            assert!(found.is_sorted() && found[0] == 1);
            assert_eq!(found, passages((0..count).map(|_| 0)).collect::<Vec<_>>());
            let last = found[count - 1].trailing_zeros() as usize + 1;
            assert_eq!(last, count.div_ceil(WORDS).min(MOST));
            let lengths = found.chunk_by(|a, b| a == b).map(<[u16]>::len);
            let (least, most) = (lengths.clone().min().unwrap(), lengths.max().unwrap());
            assert!(most - least <= 1, "{count}: {least} to {most}");
        }
    }

    #[test]
    fn words_that_come_again_are_in_several_passages_and_headers_in_none() {
        let words = (0..130).map(|i| (u8::from(i % 2 == 1), if i < 2 { 7 } else { 100 + i }));
        let again = [(0, 7), (1, 7)];
        let mut found: Vec<_> = placed(words.chain(again)).collect();
        gather(&mut found);
        assert_eq!(found[0], (0, 7, 0b11));
        assert!(found.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)) && found.len() == 130);
        assert!(found.iter().all(|&(expert, _, bits)| (expert == 0) == (bits != 0)));
    }
}

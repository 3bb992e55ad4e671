//! A text as passages: stretches of about as many words each.
//!
//! A word that comes again is in several of them: which, is told by a bit for each.

use crate::ablation::{Step, without};

/// How many words a passage has, about.
const WORDS: usize = 64;
/// How many passages there are at most: in a longer text each is longer.
const MOST: usize = u16::BITS as usize;

/// The passage that the word at `place`, one of `count`, is in: its bit.
pub fn passage(place: usize, count: usize) -> u16 {
    if without(Step::Passages) {
        return 1;
    }
    1 << (place * count.div_ceil(WORDS).clamp(1, MOST) / count.max(1)).min(MOST - 1)
}

/// Words in order of occurrence, each with the number of its expert and its hash, and the passage of each that is content,
/// which is what expert 0 hears; no bit of the others.
pub fn placed(words: impl Iterator<Item = (u8, u64)> + Clone) -> impl Iterator<Item = (u8, u64, u16)> {
    let count = words.clone().filter(|&(expert, _)| expert == 0).count();
    let mut before = 0;
    words.map(move |(expert, hash)| {
        if expert != 0 {
            return (expert, hash, 0);
        }
        before += 1;
        (expert, hash, passage(before - 1, count))
    })
}

/// Sorts words by expert and hash, each once, in all the passages that it is in.
pub fn gather(words: &mut Vec<(u8, u64, u16)>) {
    words.sort_unstable();
    words.dedup_by(|next, first| {
        let same = (next.0, next.1) == (first.0, first.1);
        first.2 |= if same { next.2 } else { 0 };
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_of_about_equal_length_and_in_order() {
        for count in [1, 63, 64, 65, 129, 1000, 1024, 1025, 50_000] {
            let found: Vec<u16> = (0..count).map(|place| passage(place, count)).collect();
            assert!(found.is_sorted() && found[0] == 1);
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

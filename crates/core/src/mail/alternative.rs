//! Whether the HTML of a `multipart/alternative` says what its plain text says.

use crate::view::{Field, View};

/// What the comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The plain text has no words to compare with.
    NoWords,
    /// At least half of the page's words stand in the plain text.
    Same,
    /// Fewer do.
    Differs,
}

/// Compares the words of `plain` with those of the page.
pub(super) fn compare(plain: &str, page: &View) -> Verdict {
    let count = words(plain).count();
    if count == 0 {
        return Verdict::NoWords;
    }
    // A table of bits, sixteen to a word: a stranger is taken for known once in sixteen times at most.
    let size = (count * 16).next_power_of_two();
    let mut seen = vec![0u64; size.div_ceil(64)];
    let place = |word: &[u8]| {
        let bit = hash(word) as usize & (size - 1);
        (bit / 64, 1u64 << (bit % 64))
    };
    for word in words(plain) {
        let (slot, bit) = place(word);
        seen[slot] |= bit;
    }
    let (mut all, mut known) = (0, 0);
    for span in page.spans.iter().filter(|span| span.field == Field::Body) {
        for word in words(&page.text[span.start..span.end]) {
            let (slot, bit) = place(word);
            all += 1;
            known += usize::from(seen[slot] & bit != 0);
        }
    }
    if known * 2 >= all { Verdict::Same } else { Verdict::Differs }
}

/// Runs of letters and digits; everything above ASCII counts as letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = &[u8]> {
    let between = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    text.as_bytes().split(between).filter(|word| !word.is_empty())
}

/// FNV-1a over the lower-case letters, its high half folded down.
fn hash(word: &[u8]) -> u64 {
    let step =
        |hash: u64, byte: &u8| (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
    let hash = word.iter().fold(0xcbf2_9ce4_8422_2325, step);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::{Verdict, compare};
    use crate::view::{Field, View};

    fn verdict(plain: &str, html: &str) -> Verdict {
        let mut page = View::default();
        page.push(Field::Body, html);
        compare(plain, &page)
    }

    #[test]
    fn half_of_the_words_make_it_the_same() {
        assert_eq!(verdict("Good morning, dear Ann", "GOOD MORNING"), Verdict::Same);
        assert_eq!(verdict("one two", "one three"), Verdict::Same);
        assert_eq!(verdict("your client shows no pages", "buy cheap watches now"), Verdict::Differs);
        assert_eq!(verdict(" -- ", "buy"), Verdict::NoWords);
        assert_eq!(verdict("words", ""), Verdict::Same);
    }
}

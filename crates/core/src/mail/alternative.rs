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

/// The words of plain texts that pages are compared with, each read once however many pages there are.
#[derive(Default)]
pub(super) struct PlainTexts {
    /// From the outermost multipart to the innermost; one that begins later belongs to a multipart within.
    known: Vec<PlainText>,
}

/// The words of a plain text that grows at its end.
struct PlainText {
    start: usize,
    end: usize,
    hashes: Vec<u64>,
    /// A table of bits, sixteen to a word: a stranger is taken for known once in sixteen times at most.
    seen: Vec<u64>,
    bits: usize,
}

impl PlainTexts {
    /// Compares the words of `text[start..end]` with those of the page. Between calls `text` only grows, and of texts
    /// with the same start the end does.
    pub(super) fn compare(&mut self, text: &str, (start, end): (usize, usize), page: &View) -> Verdict {
        while self.known.pop_if(|known| known.start > start).is_some() {}
        if self.known.last().is_none_or(|known| known.start != start || known.end > end) {
            self.known.push(PlainText { start, end: start, hashes: Vec::new(), seen: Vec::new(), bits: 0 });
        }
        match self.known.last_mut() {
            Some(known) => {
                known.read(text, end);
                known.compare(page)
            }
            None => Verdict::NoWords,
        }
    }
}

impl PlainText {
    /// Takes the words up to `end`; where it ended before, a word ended.
    fn read(&mut self, text: &str, end: usize) {
        let fresh = self.hashes.len();
        self.hashes.extend(words(&text[self.end..end]).map(hash));
        self.end = end;
        let bits = (self.hashes.len() * 16).next_power_of_two();
        let grown = bits != self.bits;
        if grown {
            (self.bits, self.seen) = (bits, vec![0; bits.div_ceil(64)]);
        }
        for i in if grown { 0 } else { fresh }..self.hashes.len() {
            let (slot, bit) = self.place(self.hashes[i]);
            self.seen[slot] |= bit;
        }
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        #[expect(clippy::cast_possible_truncation, reason = "of the hash only low bits are wanted")]
        let bit = hash as usize & (self.bits - 1);
        (bit / 64, 1 << (bit % 64))
    }

    fn compare(&self, page: &View) -> Verdict {
        if self.hashes.is_empty() {
            return Verdict::NoWords;
        }
        let (mut all, mut known) = (0, 0);
        for span in page.spans.iter().filter(|span| span.field == Field::Body) {
            for word in words(&page.text[span.start..span.end]) {
                let (slot, bit) = self.place(hash(word));
                all += 1;
                known += usize::from(self.seen[slot] & bit != 0);
            }
        }
        if known * 2 >= all { Verdict::Same } else { Verdict::Differs }
    }
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
    use super::{PlainTexts, Verdict};
    use crate::view::{Field, View};

    fn page(html: &str) -> View {
        let mut page = View::default();
        page.push(Field::Body, html);
        page
    }

    fn verdict(plain: &str, html: &str) -> Verdict {
        PlainTexts::default().compare(plain, (0, plain.len()), &page(html))
    }

    /// Hashes that a plain text has, and so how often its words were read.
    fn read(texts: &PlainTexts) -> usize {
        texts.known.iter().map(|known| known.hashes.len()).sum()
    }

    #[test]
    fn a_plain_text_is_read_once_whatever_the_number_of_pages() {
        let (mut texts, plain) = (PlainTexts::default(), "word ".repeat(1000));
        let mut tables = 0;
        for _ in 0..250 {
            let before = texts.known.first().map(|known| known.seen.as_ptr());
            texts.compare(&plain, (0, plain.len()), &page("word of another"));
            tables += usize::from(texts.known.first().map(|known| known.seen.as_ptr()) != before);
            assert_eq!((read(&texts), texts.known.len()), (1000, 1));
        }
        assert_eq!(tables, 1);
    }

    #[test]
    fn a_text_that_grows_and_texts_within_are_what_they_are_alone() {
        let text = "one two\nthree four\nfive six\nseven eight\n";
        let ranges = [(0, 8), (8, 19), (0, 19), (0, 28), (19, 28), (19, 40), (0, 40), (28, 40)];
        let mut texts = PlainTexts::default();
        for range in ranges {
            for html in ["one three", "four five six", "seven eight nine ten eleven", "none of these"] {
                assert_eq!(texts.compare(text, range, &page(html)), verdict(&text[range.0..range.1], html));
            }
        }
        assert!(texts.known.len() <= 2);
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

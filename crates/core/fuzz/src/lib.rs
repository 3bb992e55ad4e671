//! What the targets share: cutting the fuzzer's bytes into parameters, readers, and what every view must be.

use deciban_core::mail::Limits;
use deciban_core::text::count::Rules;
use deciban_core::text::hash::Key;
use deciban_core::text::reader::{Kind, Reader};
use deciban_core::text::token::{MOST_WORDS, Tokenizer};
use deciban_core::view::View;

/// The fuzzer's bytes, taken from the front; zeros when they have run out.
pub struct Cut<'a>(pub &'a [u8]);

impl<'a> Cut<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.number(1) as u8
    }

    /// The next `bytes` bytes as a number.
    pub fn number(&mut self, bytes: usize) -> u64 {
        self.take(bytes).iter().fold(0, |number, &b| number << 8 | u64::from(b))
    }

    /// The next `n` bytes, or those there are.
    pub fn take(&mut self, n: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        front
    }

    /// The rest, cut at most `most` times where the byte 0xFE stands, which is in no UTF-8.
    pub fn items(&mut self, most: usize) -> Vec<&'a [u8]> {
        std::mem::take(&mut self.0).splitn(most, |&b| b == 0xFE).collect()
    }

    /// A reader of `kind`, of n-grams as the next byte says.
    pub fn reader(&mut self, kind: Kind) -> Reader {
        let choice = usize::from(self.byte());
        let longest = 1 + choice % MOST_WORDS;
        let shortest = 1 + choice / MOST_WORDS % longest;
        reader(kind, shortest, longest)
    }

    /// Rules as the next byte says.
    pub fn rules(&mut self) -> Rules {
        let choice = self.byte();
        let hashed_bits = (choice & 2 != 0).then_some(1 + u32::from(choice >> 2) % 30);
        Rules { binary: choice & 1 != 0, hashed_bits, most_words: 2 + usize::from(choice >> 4) * 4 }
    }
}

/// A reader of n-grams from `shortest` to `longest` words.
pub fn reader(kind: Kind, shortest: usize, longest: usize) -> Reader {
    Reader { kind, tokenizer: Tokenizer::of_words(Key::new(1), shortest, longest), limits: Limits::default() }
}

/// Spans stand in order, do not overlap, are not empty and lie on character boundaries.
pub fn check_view(view: &View) {
    let mut end = 0;
    for span in &view.spans {
        assert!(span.start >= end && span.end > span.start, "{span:?} behind {end}");
        assert!(view.text.get(span.start..span.end).is_some(), "{span:?} cuts a character");
        end = span.end;
    }
}

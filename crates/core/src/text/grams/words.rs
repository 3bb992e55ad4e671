//! The words of a block of items, each looked up once in a table of the block's own.

use crate::narrow::narrow;
use crate::text::names::Names;
use crate::text::parts::PART;
use crate::text::reader::Reader;
use crate::text::slots::{AHEAD, Slots};
use crate::text::token::{Token, Unit};
use crate::view::View;

/// Words as they stand, and a dictionary of them in order of occurrence.
#[derive(Default)]
pub struct Words {
    /// The number of each word in the dictionary, item by item; of each item those that stand alone come last.
    pub words: Vec<u32>,
    /// Of how many words, this one the first, the longest n-gram from here is; 0 of what stands alone.
    pub left: Vec<u8>,
    /// Where the words of each item end.
    pub ends: Vec<u32>,
    /// Hashes of the dictionary.
    pub hashes: Vec<u64>,
    /// Its names.
    pub names: Names,
}

/// The sizes of n-grams, in words: of characters the reader makes n-grams itself, each a word here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Shortest.
    pub shortest: u8,
    /// Longest.
    pub longest: u8,
}

impl Sizes {
    /// Of the n-grams that are made of a reader's words.
    pub fn of(reader: &Reader) -> Sizes {
        let tokenizer = &reader.tokenizer;
        let size = |size: usize| u8::try_from(size).unwrap_or(u8::MAX);
        match tokenizer.unit {
            Unit::Words => Sizes { shortest: size(tokenizer.shortest), longest: size(tokenizer.longest) },
            Unit::Characters { .. } => Sizes { shortest: 1, longest: 1 },
        }
    }
}

/// So many bytes of text bring one new word, roughly; only the first size of the table depends on it.
const BYTES_PER_WORD: usize = 64;

impl Words {
    /// The words of some items.
    pub fn read(reader: &Reader, items: &[&[u8]]) -> Words {
        let bytes: usize = items.iter().map(|item| item.len()).sum();
        let mut slots = Slots::with_capacity((bytes / BYTES_PER_WORD).min(1 << 18));
        let (mut view, mut tokens, mut runs) = (View::default(), Vec::new(), Vec::new());
        let (mut found, mut alone) = (Words::default(), Vec::new());
        for item in items {
            let text = reader.words(item, &mut view, &mut tokens, &mut runs);
            let numbers = found.words.len();
            for some in tokens.chunks(AHEAD) {
                slots.warm(some.iter().map(|token| token.hash));
                for token in some {
                    let (slot, new) = slots.entry(token.hash);
                    let number = slot.id;
                    if new {
                        found.learn(reader, text, token);
                    }
                    found.words.push(number);
                }
            }
            found.arrange(reader, &tokens, &runs, numbers, &mut alone);
            found.ends.push(narrow(found.words.len()));
        }
        found
    }

    #[cold]
    fn learn(&mut self, reader: &Reader, text: &str, token: &Token) {
        self.hashes.push(token.hash);
        self.names.push(&reader.tokenizer.name(text, *token));
    }

    /// Puts the words of an item, whose numbers begin at `first`, side by side as n-grams are made of them: those that
    /// stand alone to the end, and of those only what is asked for.
    fn arrange(
        &mut self,
        reader: &Reader,
        tokens: &[Token],
        runs: &[usize],
        first: usize,
        alone: &mut Vec<u32>,
    ) {
        let longest = Sizes::of(reader).longest;
        let (mut at, mut from) = (first, 0);
        alone.clear();
        for &to in runs {
            let (mut run, mut end) = (at, 0);
            for (k, token) in tokens[from..to].iter().enumerate() {
                let number = self.words[first + from + k];
                if token.size == 1 {
                    end = token.end;
                    self.words[at] = number;
                    self.left.push(longest);
                    at += 1;
                    continue;
                }
                if token.size & PART != 0 && token.start >= end {
                    self.close(run, longest); // a run without spaces keeps words apart
                    run = at;
                }
                if reader.tokenizer.admits(token.size) {
                    alone.push(number);
                }
            }
            self.close(run, longest);
            from = to;
        }
        self.words.truncate(at);
        self.words.extend_from_slice(alone);
        self.left.resize(self.words.len(), 0);
    }

    /// Ends n-grams with the last word; `run` is the first that is a neighbour of it.
    fn close(&mut self, run: usize, longest: u8) {
        for (left, short) in self.left[run..].iter_mut().rev().zip(1..longest) {
            *left = short;
        }
    }
}

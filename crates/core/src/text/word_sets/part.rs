//! Some items that one thread reads: their words, numbered in the order in which it meets them.

use crate::intake::{Digest, digest_of_canonical};
use crate::narrow::narrow;
use crate::text::names::Names;
use crate::text::packed::pack;
use crate::text::passages::passages;
use crate::text::reader::Reader;
use crate::text::slots::{AHEAD, Slots};
use crate::text::token::Token;
use crate::view::View;

/// Some items with a dictionary of their own: each word of a set is its number there, and the passages it is in.
#[derive(Default)]
pub(super) struct Part {
    /// The hashes of its words.
    pub hashes: Vec<u64>,
    /// The names of words that were new when the items came; empty of others.
    pub names: Names,
    /// The sets, one after the other.
    pub words: Vec<(u32, u16)>,
    /// Of each item its digest, when it came, and where its set ends.
    pub heads: Vec<(Digest, i64, usize)>,
}

/// So many bytes bring one new word, roughly; only the first size of a table depends on it.
const BYTES_PER_WORD: usize = 64;

impl Part {
    /// Reads items, with names of the words that are not yet `known`.
    pub fn read(reader: &Reader, known: &Slots, items: &[&[u8]]) -> Part {
        let bytes: usize = items.iter().map(|item| item.len()).sum();
        let mut slots = Slots::with_capacity((bytes / BYTES_PER_WORD).min(1 << 16));
        let (mut view, mut tokens) = (View::default(), Vec::new());
        let mut part = Part::default();
        for item in items {
            let canonical = reader.canonical(item);
            let arrival = reader.arrival_of(&canonical).unwrap_or(0);
            let text = reader.tokens_of_canonical(&canonical, &mut view, &mut tokens);
            part.add(reader, known, &mut slots, text, &tokens);
            part.heads.push((digest_of_canonical(&canonical), arrival, part.words.len()));
        }
        part
    }

    /// Adds the distinct words among the tokens of an item.
    fn add(&mut self, reader: &Reader, known: &Slots, slots: &mut Slots, text: &str, tokens: &[Token]) {
        let first = self.words.len();
        let mut places = passages(tokens.iter().map(|token| token.field.expert()));
        for some in tokens.chunks(AHEAD) {
            slots.warm(some.iter().map(|token| token.hash));
            for token in some {
                let bits = places.next().unwrap_or(0);
                let (slot, new) = slots.entry(token.hash);
                let (id, seen) = (slot.id, slot.seen as usize);
                if !new && seen >= first {
                    self.words[seen].1 |= bits;
                    continue;
                }
                slot.seen = narrow(self.words.len());
                self.words.push((id, bits));
                if new {
                    self.learn(reader, known, text, token);
                }
            }
        }
    }

    #[cold]
    fn learn(&mut self, reader: &Reader, known: &Slots, text: &str, token: &Token) {
        self.hashes.push(token.hash);
        match known.get(token.hash) {
            Some(_) => self.names.push(""),
            None => self.names.push(&reader.tokenizer.name(text, *token)),
        }
    }

    /// The sets of the items that are `taken`, by the numbers of their words among all, and where each begins.
    pub fn packed(&self, ids: &[u32], taken: impl Fn(usize) -> bool) -> (Vec<u8>, Vec<u32>) {
        let (mut bytes, mut starts, mut set) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (item, &(_, _, end)) in self.heads.iter().enumerate() {
            let words = &self.words[std::mem::replace(&mut start, end)..end];
            if !taken(item) {
                continue;
            }
            set.clear();
            set.extend(words.iter().map(|&(word, bits)| (ids[word as usize], bits)));
            set.sort_unstable();
            starts.push(narrow(bytes.len()));
            pack(&set, &mut bytes);
        }
        (bytes, starts)
    }
}

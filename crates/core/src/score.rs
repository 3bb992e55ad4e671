//! The served artefact: an item's bytes become scores and reasons.
//!
//! ```text
//! score_c(item) = bias_c + Σ_j x_j · W_jc        x_j: how often word j occurs, or whether it does
//! ```
//!
//! Floor: one pass over the bytes (≈ 1 GB/s a core) and one look-up per word in a table of the dictionary.

mod csr;
mod encoded;
pub mod experts;

use std::collections::HashMap;

use crate::doubt::{Doubt, first_two};
use crate::parallel::{Spare, each_of, each_stretch, fill};
use crate::text::count::Rules;
use crate::text::reader::Reader;
use crate::text::slots::{AHEAD, Slots};
use crate::text::token::Token;
use crate::view::View;

pub use csr::{Found, Rows};
pub use encoded::Places;

/// Turns scores into log posteriors in place: b ← b − [B + log Σ e^{b−B}], B = max b (Bayes' rule in logs).
pub fn log_posterior(b: &mut [f64]) {
    let Some(winner) = (0..b.len()).max_by(|&i, &j| b[i].total_cmp(&b[j])) else {
        return;
    };
    // Without the largest term, so that log p keeps its digits where p is near 1.
    let top = b[winner];
    let others: f64 = b.iter().enumerate().filter(|&(c, _)| c != winner).map(|(_, &s)| (s - top).exp()).sum();
    b.iter_mut().for_each(|s| *s = (*s - top) - others.ln_1p());
}

/// A dictionary: which features there are, by hash.
pub struct Dictionary {
    /// How items are read.
    pub reader: Reader,
    /// How occurrences become features.
    pub rules: Rules,
    slots: Slots,
}

/// One item as it is judged.
pub struct Judged {
    /// By class.
    pub scores: Vec<f64>,
    /// The class of the largest score, and that of the next.
    pub first_two: (usize, usize),
    /// The variance of the log-odds of the one against the other, over all parameters that the counts allow.
    pub variance: f64,
}

/// One reason: a word of the dictionary that occurs in the item.
pub struct Reason {
    /// Which feature.
    pub feature: u32,
    /// The word's name.
    pub name: String,
    /// How often it occurs.
    pub count: u32,
    /// Where, in characters of the readable text.
    pub places: Vec<(usize, usize)>,
}

/// Working memory of one thread.
#[derive(Default)]
struct Scratch {
    view: View,
    tokens: Vec<Token>,
    found: Vec<u32>,
    /// By feature, the last item it was seen in; items are numbered as they are begun, from 1.
    seen: Vec<u32>,
    begun: u32,
}

/// Features at most: their numbers are indices of a CSR.
pub const MOST_FEATURES: usize = i32::MAX as usize;

/// A reason keeps at most this many places.
const MOST_PLACES: usize = 100;

/// Larger dictionaries are no sparser than tables must be.
const DENSE: usize = 1 << 17;

/// Items that a thread takes at once.
const STRETCH: usize = 16;

impl Dictionary {
    /// A dictionary of the features with these hashes, in this order, at most [`MOST_FEATURES`]. Without any, and with rules that hash, every
    /// bucket is a feature, in its own order; such a dictionary makes rows, but needs no memory for its features.
    pub fn new(reader: Reader, rules: Rules, hashes: impl ExactSizeIterator<Item = u64>) -> Dictionary {
        // Sparse, so that most look-ups end at the first place; but not where the cache would hold less of it then.
        let room = if hashes.len() < DENSE { hashes.len() * 2 } else { hashes.len() };
        Dictionary { reader, rules, slots: Slots::of(hashes, room) }
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How many bits of the hash number the feature, where every bucket is one.
    fn buckets(&self) -> Option<u32> {
        self.rules.hashed_bits.filter(|_| self.slots.is_empty())
    }

    /// The feature that a token's hash stands for, if it is one.
    fn feature(&self, hash: u64) -> Option<u32> {
        match self.buckets() {
            Some(bits) => Some(bucket(hash, bits)),
            None => self.slots.get(self.rules.feature(hash)),
        }
    }

    /// The item's features in order of occurrence, where every bucket is one.
    fn find_buckets(&self, item: &[u8], bits: u32, scratch: &mut Scratch) {
        let Scratch { view, tokens, found, .. } = scratch;
        self.reader.tokens(item, view, tokens);
        found.clear();
        found.extend(tokens.iter().map(|token| bucket(token.hash, bits)));
    }

    /// The item's features in order of occurrence; once each if binary.
    fn find(&self, item: &[u8], scratch: &mut Scratch) {
        let Scratch { view, tokens, found, seen, begun } = scratch;
        self.reader.tokens(item, view, tokens);
        // Whether a word is known, and new in this item, cannot be foretold: every word is written down and only the
        // place of the next one depends on it.
        found.resize(tokens.len(), 0);
        seen.resize(self.len().max(1), 0);
        *begun = begun.checked_add(1).unwrap_or_else(|| {
            seen.fill(0);
            1
        });
        let mut n = 0;
        for tokens in tokens.chunks(AHEAD) {
            let features = tokens.iter().map(|token| self.rules.feature(token.hash));
            self.slots.warm(features.clone());
            for feature in features {
                let (id, known) = self.slots.find(feature);
                let last = &mut seen[id as usize];
                let fresh = !self.rules.binary | (*last != *begun);
                *last = std::hint::select_unpredictable(known, *begun, *last);
                found[n] = id;
                n += usize::from(known & fresh);
            }
        }
        found.truncate(n);
    }

    /// Scores of many items: N rows of C, from `weights` (a row of C per feature) and `bias` (C).
    pub fn scores(&self, items: &[&[u8]], weights: &[f64], bias: &[f64]) -> Vec<f64> {
        let classes = bias.len();
        let mut out = vec![0.0; items.len() * classes];
        let spare = Spare::new();
        fill(&mut out, classes * STRETCH, &|k, out| {
            spare.lend(Scratch::default, |scratch| {
                for (row, item) in out.chunks_exact_mut(classes).zip(&items[k * STRETCH..]) {
                    self.find(item, scratch);
                    row.copy_from_slice(bias);
                    add(row, &scratch.found, weights);
                }
            });
        });
        out
    }

    /// Scores of many items, and how far they are to be believed.
    pub fn judge(&self, items: &[&[u8]], weights: &[f64], bias: &[f64], doubt: &Doubt) -> Vec<Judged> {
        let judge = |(scratch, found): &mut (Scratch, Vec<(u32, f64)>), item: &&[u8]| {
            self.find(item, scratch);
            let mut scores = bias.to_vec();
            add(&mut scores, &scratch.found, weights);
            if !self.rules.binary {
                scratch.found.sort_unstable();
            }
            found.clear();
            found.extend(scratch.found.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)));
            let first_two = first_two(&scores);
            let variance = doubt.variance(found, weights, first_two);
            Judged { scores, first_two, variance }
        };
        let spare = Spare::new();
        each_of(items, STRETCH, &|item| spare.lend(Default::default, |own| judge(own, item)))
    }

    /// Items as rows of feature values.
    pub fn rows(&self, items: &[&[u8]]) -> Rows {
        let spare = Spare::new();
        let of_stretch = |items: &[&[u8]], scratch: &mut Scratch| {
            let mut rows = Found::default();
            for item in items {
                match self.buckets() {
                    Some(bits) => self.find_buckets(item, bits, scratch),
                    None => self.find(item, scratch),
                }
                rows.push(&mut scratch.found);
            }
            rows
        };
        let stretches = each_stretch(items, STRETCH * 16, &|items| {
            spare.lend(Scratch::default, |scratch| of_stretch(items, scratch))
        });
        Rows::new(stretches, self.rules.binary)
    }

    /// The item's readable text and every feature found in it, with its places, by first occurrence.
    pub fn reasons(&self, item: &[u8]) -> (String, Vec<Reason>) {
        let mut view = View::default();
        self.reader.view(item, &mut view);
        let mut reasons: Vec<Reason> = Vec::new();
        let mut known: HashMap<(u32, String), usize> = HashMap::new();
        let mut tokens = Vec::new();
        self.reader.tokens_of(&view, &mut tokens);
        for token in tokens {
            let Some(feature) = self.feature(token.hash) else { continue };
            let name = self.reader.tokenizer.name(&view.text, token);
            let at = *known.entry((feature, name.clone())).or_insert_with(|| {
                reasons.push(Reason { feature, name, count: 0, places: Vec::new() });
                reasons.len() - 1
            });
            let reason = &mut reasons[at];
            reason.count += 1;
            if reason.places.len() < MOST_PLACES {
                reason.places.push((token.start as usize, token.end as usize));
            }
        }
        in_characters(&view.text, &mut reasons);
        (view.text, reasons)
    }
}

/// The bucket of a hash: its first `bits`, of which there are at most 30.
#[expect(clippy::cast_possible_truncation, reason = "the first 30 bits at most")]
fn bucket(hash: u64, bits: u32) -> u32 {
    (hash >> (64 - bits)) as u32
}

/// Adds to the scores of an item (C) the weights (K, C) of the features found in it.
#[inline]
fn add(scores: &mut [f64], found: &[u32], weights: &[f64]) {
    let classes = scores.len();
    for &feature in found {
        let at = feature as usize * classes;
        for (score, w) in scores.iter_mut().zip(&weights[at..at + classes]) {
            *score += w;
        }
    }
}

/// Turns places from bytes into characters, in one pass over the text.
fn in_characters(text: &str, reasons: &mut [Reason]) {
    if text.is_ascii() {
        return;
    }
    let mut at = vec![0; text.len() + 1];
    let mut characters = 0;
    for (byte, _) in text.char_indices() {
        at[byte] = characters;
        characters += 1;
    }
    at[text.len()] = characters;
    for place in reasons.iter_mut().flat_map(|reason| &mut reason.places) {
        *place = (at[place.0], at[place.1]);
    }
}

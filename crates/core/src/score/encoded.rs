//! Items that have been tokenised, as rows and scores: what [`Dictionary`] makes of their bytes.

use super::{Dictionary, Found, STRETCH, add};
use crate::parallel::{Spare, TOGETHER, each_stretch, fill};
use crate::text::segment::Segment;

const NOWHERE: u32 = u32::MAX;

/// The words of a segment by their places in a dictionary.
pub struct Places(Vec<u32>);

/// Working memory of one thread.
#[derive(Default)]
struct Scratch {
    found: Vec<u32>,
    seen: Vec<u32>,
}

impl Dictionary {
    /// Which feature each word of a segment is; where every bucket is one, its number.
    pub fn places(&self, segment: &Segment) -> Places {
        self.placed(segment, |hash| self.feature(hash))
    }

    /// Which feature each word of a segment is, of those that have weights.
    pub fn weighed_places(&self, segment: &Segment) -> Places {
        self.placed(segment, |hash| self.slots.get(self.rules.feature(hash)))
    }

    fn placed(&self, segment: &Segment, feature: impl Fn(u64) -> Option<u32> + Sync) -> Places {
        let mut places = vec![NOWHERE; segment.hashes.len()];
        fill(&mut places, TOGETHER, &|part, places| {
            let words = segment.hashes[part * TOGETHER..].iter().zip(&segment.sizes[part * TOGETHER..]);
            for (place, (&hash, &size)) in places.iter_mut().zip(words) {
                if self.reader.tokenizer.admits(size) {
                    *place = feature(hash).unwrap_or(NOWHERE);
                }
            }
        });
        Places(places)
    }

    /// The features of the item with this number, which no other item has, in order of occurrence; once each if binary.
    fn find_encoded(&self, tokens: &[u32], places: &Places, number: u32, scratch: &mut Scratch) {
        let Scratch { found, seen } = scratch;
        found.clear();
        let known = tokens.iter().map(|&token| places.0[token as usize]).filter(|&place| place != NOWHERE);
        if !self.rules.binary || self.buckets().is_some() {
            found.extend(known);
            return;
        }
        seen.resize(self.len(), NOWHERE);
        found.extend(known.filter(|&place| std::mem::replace(&mut seen[place as usize], number) != number));
    }

    /// Some items of a segment as rows of features, in stretches of which [`super::Rows`] are one matrix.
    pub fn rows_of(&self, segment: &Segment, places: &Places, items: &[u32]) -> Vec<Found> {
        let spare = Spare::new();
        let of_stretch = |items: &[u32], scratch: &mut Scratch| {
            let mut rows = Found::default();
            for &item in items {
                self.find_encoded(segment.item(item as usize), places, item, scratch);
                rows.push(&mut scratch.found);
            }
            rows
        };
        each_stretch(items, STRETCH * 16, &|items| {
            spare.lend(Scratch::default, |scratch| of_stretch(items, scratch))
        })
    }

    /// Scores of some items of a segment: N rows of C, from `weights` (a row of C per feature) and `bias` (C).
    pub fn scores_of(
        &self,
        segment: &Segment,
        places: &Places,
        items: &[u32],
        weights: &[f64],
        bias: &[f64],
    ) -> Vec<f64> {
        let classes = bias.len();
        let mut out = vec![0.0; items.len() * classes];
        let spare = Spare::new();
        fill(&mut out, classes * STRETCH, &|k, out| {
            spare.lend(Scratch::default, |scratch| {
                for (row, &item) in out.chunks_exact_mut(classes).zip(&items[k * STRETCH..]) {
                    self.find_encoded(segment.item(item as usize), places, item, scratch);
                    row.copy_from_slice(bias);
                    add(row, &scratch.found, weights);
                }
            });
        });
        out
    }
}

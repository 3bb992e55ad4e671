//! From files or rows to counts: exact duplicates are recognised by digest and counted once.

use sha2::{Digest as _, Sha256};
use std::hash::{BuildHasher, RandomState};

use rayon::slice::ParallelSliceMut;

use crate::mail;
use crate::narrow::narrow;
use crate::parallel::each_of;
use crate::text::count::Counter;
use crate::text::reader::Kind;

/// The first half of an item's SHA-256.
pub type Digest = [u8; 16];

/// The digest by which an item is known: of mail that of its canonical bytes, from which it is read, too.
pub fn digest(kind: Kind, item: &[u8]) -> Digest {
    match kind {
        Kind::Text => digest_of_canonical(item),
        Kind::Mail => digest_of_canonical(&mail::canonical(item)),
    }
}

/// The same of an item whose canonical bytes are at hand.
pub fn digest_of_canonical(bytes: &[u8]) -> Digest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&Sha256::digest(bytes)[..16]);
    digest
}

/// Counts items, each only once.
pub struct Intake {
    counter: Counter,
    known: Known,
    duplicates: u64,
    conflicts: u64,
}

/// What an intake has seen, by digest: ascending, with each item's class.
#[derive(Default)]
pub struct Seen {
    /// Digest, class and generation of every item counted.
    pub items: Vec<(Digest, (u32, u32))>,
    /// Items that were there already, under the same class.
    pub duplicates: u64,
    /// Items that were there already, under another class: not counted.
    pub conflicts: u64,
}

impl Intake {
    /// Nothing seen yet.
    pub fn new(counter: Counter) -> Intake {
        Intake { counter, known: Known::default(), duplicates: 0, conflicts: 0 }
    }

    /// Makes room for more classes.
    pub fn grow(&mut self, classes: usize) {
        self.counter.grow(classes);
    }

    /// How many distinct words there are so far.
    pub fn distinct(&self) -> usize {
        self.counter.distinct()
    }

    /// Counts those items that were not seen before.
    pub fn take(&mut self, items: &[&[u8]], classes: &[usize]) {
        let kind = self.counter.reader().kind;
        let digests: Vec<Digest> = each_of(items, 16, &|item| digest(kind, item));
        let mut fresh = Vec::with_capacity(items.len());
        let mut fresh_classes = Vec::with_capacity(items.len());
        let generation = self.counter.generation();
        for ((&item, &class), digest) in items.iter().zip(classes).zip(digests) {
            match self.known.note(digest, (narrow(class), generation)) {
                Some((before, _)) if before as usize == class => self.duplicates += 1,
                Some(_) => self.conflicts += 1,
                None => {
                    fresh.push(item);
                    fresh_classes.push(class);
                }
            }
        }
        self.counter.add(&fresh, &fresh_classes);
    }

    /// The counter and what was seen.
    pub fn finish(self) -> (Counter, Seen) {
        let mut items = self.known.items;
        items.par_sort_unstable();
        (self.counter, Seen { items, duplicates: self.duplicates, conflicts: self.conflicts })
    }
}

/// The items so far, as they came, and where each is found: 24 bytes an item and 5 to 11 of places, so that there is room
/// for millions. A map of them would take 29 to 57, and as much again when it grows and when it is sorted.
#[derive(Default)]
struct Known {
    items: Vec<(Digest, (u32, u32))>,
    /// Open addressing with linear probing, at most 3/4 full: the number of an item, counted from 1, or 0.
    places: Vec<u32>,
    /// Whoever sends items does not know which of them meet.
    keys: RandomState,
}

impl Known {
    /// Class and generation of an item that is known; else None, and it is known from now on.
    fn note(&mut self, digest: Digest, of: (u32, u32)) -> Option<(u32, u32)> {
        if (self.items.len() + 1) * 4 > self.places.len() * 3 {
            self.grow();
        }
        let place = self.place(&digest);
        if let Some(known) = self.places[place].checked_sub(1) {
            return Some(self.items[known as usize].1);
        }
        self.items.push((digest, of));
        self.places[place] = narrow(self.items.len());
        None
    }

    /// Where the number of an item stands, or would.
    #[expect(clippy::cast_possible_truncation, reason = "any bits do, as many as number the places")]
    fn place(&self, digest: &Digest) -> usize {
        let mask = self.places.len() - 1;
        let mut place = self.keys.hash_one(digest) as usize & mask;
        while self.places[place].checked_sub(1).is_some_and(|known| self.items[known as usize].0 != *digest) {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.places = vec![0; (2 * self.places.len()).max(16)];
        for i in 0..self.items.len() {
            let place = self.place(&self.items[i].0);
            self.places[place] = narrow(i + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn an_item_is_known_by_what_it_was_noted_as_first() {
        let (mut known, mut map) = (Known::default(), HashMap::new());
        for i in 0..20_000_u32 {
            let digest = digest_of_canonical(&(i * i % 7919).to_le_bytes());
            let of = (i % 3, i / 1000);
            assert_eq!(known.note(digest, of), map.get(&digest).copied());
            map.entry(digest).or_insert(of);
        }
        let mut items = known.items;
        items.sort_unstable();
        let mut wanted: Vec<_> = map.into_iter().collect();
        wanted.sort_unstable();
        assert_eq!(items, wanted);
    }
}

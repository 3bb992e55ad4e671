//! From files or rows to counts: exact duplicates are recognised by digest and counted once.

use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

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
    known: HashMap<Digest, (u32, u32)>,
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
        Intake { counter, known: HashMap::new(), duplicates: 0, conflicts: 0 }
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
            match self.known.entry(digest) {
                Entry::Occupied(known) if known.get().0 as usize == class => self.duplicates += 1,
                Entry::Occupied(_) => self.conflicts += 1,
                Entry::Vacant(slot) => {
                    slot.insert((narrow(class), generation));
                    fresh.push(item);
                    fresh_classes.push(class);
                }
            }
        }
        self.counter.add(&fresh, &fresh_classes);
    }

    /// The counter and what was seen.
    pub fn finish(self) -> (Counter, Seen) {
        let mut items: Vec<(Digest, (u32, u32))> = self.known.into_iter().collect();
        items.par_sort_unstable();
        (self.counter, Seen { items, duplicates: self.duplicates, conflicts: self.conflicts })
    }
}

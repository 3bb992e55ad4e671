//! From files or rows to counts: exact duplicates are recognised by digest and counted once.

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

use crate::mail;
use crate::text::count::Counter;
use crate::text::reader::Kind;

/// The first half of an item's SHA-256.
pub type Digest = [u8; 16];

/// The digest by which an item is known: of mail without other filters' remarks and without line ends at its end,
/// so that the same message has one digest in an mbox, in a Maildir and on standard input.
pub fn digest(kind: Kind, item: &[u8]) -> Digest {
    let hash = match kind {
        Kind::Text => Sha256::digest(item),
        Kind::Mail => Sha256::digest(mail::strip(item).trim_ascii_end()),
    };
    let mut digest = [0; 16];
    digest.copy_from_slice(&hash[..16]);
    digest
}

/// Counts items, each only once.
pub struct Intake {
    counter: Counter,
    known: HashMap<Digest, usize>,
    duplicates: u64,
    conflicts: u64,
}

/// What an intake has seen, by digest: ascending, with each item's class.
pub struct Seen {
    /// Digest and class of every item counted.
    pub items: Vec<(Digest, usize)>,
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

    /// Counts those items that were not seen before.
    pub fn take(&mut self, items: &[&[u8]], classes: &[usize]) {
        let kind = self.counter.reader().kind;
        let digests: Vec<Digest> = items.par_iter().with_min_len(16).map(|item| digest(kind, item)).collect();
        let mut fresh = Vec::with_capacity(items.len());
        let mut fresh_classes = Vec::with_capacity(items.len());
        for ((&item, &class), digest) in items.iter().zip(classes).zip(digests) {
            match self.known.entry(digest) {
                std::collections::hash_map::Entry::Occupied(known) if *known.get() == class => {
                    self.duplicates += 1
                }
                std::collections::hash_map::Entry::Occupied(_) => self.conflicts += 1,
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(class);
                    fresh.push(item);
                    fresh_classes.push(class);
                }
            }
        }
        self.counter.add(&fresh, &fresh_classes);
    }

    /// The counter and what was seen.
    pub fn finish(self) -> (Counter, Seen) {
        let mut items: Vec<(Digest, usize)> = self.known.into_iter().collect();
        items.par_sort_unstable();
        (self.counter, Seen { items, duplicates: self.duplicates, conflicts: self.conflicts })
    }
}

//! Labelled items as sets of words, read and tokenised once: what a model that learns online learns from.
//!
//! An item takes some 2.6 bytes a word while others are read (see [`super::packed`]): a message of TREC 2007 has 200.
//! Floor: what tokenising takes, and 6 bytes a word of memory at the end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rayon::slice::ParallelSliceMut;

use super::count::{Found, Lost};
use super::names::Names;
use super::packed::unpack;
use super::reader::Reader;
use super::segment::stretches;
use super::slots::{AHEAD, Slots};
use super::wordbook::Wordbook;
use crate::intake::Digest;
use crate::narrow::narrow;
use crate::parallel::{consume, each, each_of};

mod part;

use part::Part;

/// Items as sets of words, while they are being read: each content once, under the label with which it came first.
pub struct WordSets {
    reader: Reader,
    classes: usize,
    /// With more distinct words than this, the rarest are dropped.
    most_words: usize,
    slots: Slots,
    hashes: Vec<u64>,
    names: Names,
    /// How often each word was counted, by class, since it was last dropped.
    counts: Vec<Vec<u32>>,
    /// How many words have been counted since.
    present: usize,
    lost: Lost,
    known: HashMap<Digest, u32>,
    items: Vec<Item>,
    sets: Vec<Vec<u8>>,
    duplicates: u64,
    conflicts: u64,
}

/// What is known of an item beside its words, which are `count`, from `start` on in one of the packed stretches.
#[derive(Clone, Copy)]
struct Item {
    digest: Digest,
    class: u32,
    arrival: i64,
    stretch: u32,
    start: u32,
    count: u32,
}

/// All items in the order of their digests.
pub struct Gathered {
    /// The words of all items, counted by class.
    pub found: Found,
    /// Where the words of each item end.
    pub ends: Vec<i64>,
    /// Their places in the book, ascending in each item.
    pub words: Vec<i32>,
    /// In which passages of the content each word is, a bit for each.
    pub passages: Vec<u16>,
    /// The class of each item.
    pub classes: Vec<i64>,
    /// When each came, in seconds since 1970, or 0.
    pub arrivals: Vec<i64>,
    /// What each is known by.
    pub digests: Vec<Digest>,
    /// Items that were there already, under the same class.
    pub duplicates: u64,
    /// Items that were there already, under another class.
    pub conflicts: u64,
}

impl WordSets {
    /// No items yet, of so many classes.
    pub fn new(reader: Reader, classes: usize, most_words: usize) -> WordSets {
        WordSets {
            reader,
            classes,
            most_words,
            slots: Slots::with_capacity(1 << 14),
            hashes: Vec::new(),
            names: Names::default(),
            counts: vec![Vec::new(); classes],
            present: 0,
            lost: Lost::default(),
            known: HashMap::new(),
            items: Vec::new(),
            sets: Vec::new(),
            duplicates: 0,
            conflicts: 0,
        }
    }

    /// More items, each of the class of this number, on so many threads. Where there are too many words after them, the
    /// rarest are dropped: the same ones for any number of threads.
    pub fn add(&mut self, items: &[&[u8]], classes: &[u32], threads: usize) {
        let read = |_, items| Part::read(&self.reader, &self.slots, items);
        let parts: Vec<Part> = consume(stretches(items, threads * PARTS), &read);
        let mut before = 0;
        let mut places = Vec::with_capacity(parts.len());
        let mut heads = Vec::with_capacity(parts.len());
        for part in &parts {
            let ids = self.number(part);
            heads.push(self.take(part, &ids, &classes[before..]));
            before += part.heads.len();
            places.push(ids);
        }
        let packed: Vec<(Vec<u8>, Vec<u32>)> =
            each(parts.len(), &|k| parts[k].packed(&places[k], |item| heads[k][item].is_some()));
        for (taken, (bytes, starts)) in heads.into_iter().zip(packed) {
            let (stretch, before) = self.keep(&bytes);
            let own = taken.into_iter().flatten().zip(starts);
            self.items.extend(own.map(|(item, start)| Item { stretch, start: before + start, ..item }));
        }
        self.bound();
    }

    /// Keeps packed sets; says in which stretch, and where they begin there.
    fn keep(&mut self, bytes: &[u8]) -> (u32, u32) {
        if self.sets.last().is_none_or(|last| last.capacity() - last.len() < bytes.len()) {
            self.sets.push(Vec::with_capacity(bytes.len().max(STRETCH)));
        }
        let stretch = narrow(self.sets.len() - 1);
        let last = &mut self.sets[stretch as usize];
        let before = narrow(last.len());
        last.extend_from_slice(bytes);
        (stretch, before)
    }

    /// The numbers of the words of a part among all, of which some are new.
    fn number(&mut self, part: &Part) -> Vec<u32> {
        let mut ids = Vec::with_capacity(part.hashes.len());
        for (first, some) in part.hashes.chunks(AHEAD).enumerate() {
            self.slots.warm(some.iter().copied());
            for (k, &hash) in some.iter().enumerate() {
                let (slot, new) = self.slots.entry(hash);
                ids.push(slot.id);
                if new {
                    self.hashes.push(hash);
                    self.names.push(part.names.get(first * AHEAD + k));
                }
            }
        }
        self.counts.iter_mut().for_each(|counts| counts.resize(self.hashes.len(), 0));
        ids
    }

    /// Counts those items of a part that were not there before; None for the others.
    fn take(&mut self, part: &Part, ids: &[u32], classes: &[u32]) -> Vec<Option<Item>> {
        let mut start = 0;
        let mut taken = Vec::with_capacity(part.heads.len());
        for (&(digest, arrival, end), &class) in part.heads.iter().zip(classes) {
            let words = &part.words[std::mem::replace(&mut start, end)..end];
            match self.known.entry(digest) {
                Entry::Occupied(known) => {
                    let repeats = *known.get() == class;
                    *(if repeats { &mut self.duplicates } else { &mut self.conflicts }) += 1;
                    taken.push(None);
                    continue;
                }
                Entry::Vacant(slot) => slot.insert(class),
            };
            for &(word, _) in words {
                let id = ids[word as usize] as usize;
                self.present += usize::from(self.counts.iter().all(|counts| counts[id] == 0));
                self.counts[class as usize][id] += 1;
            }
            taken.push(Some(Item {
                digest,
                class,
                arrival,
                stretch: 0,
                start: 0,
                count: narrow(words.len()),
            }));
        }
        taken
    }

    /// Drops the rarest words while there are too many.
    fn bound(&mut self) {
        if self.present <= self.most_words {
            return;
        }
        let total = |id: usize| self.counts.iter().map(|counts| f64::from(counts[id])).sum::<f64>();
        let mut totals: Vec<f64> = (0..self.hashes.len()).map(total).filter(|&total| total > 0.0).collect();
        let floor = self.lost.drop_rare(&mut totals, self.most_words);
        let dropped: Vec<usize> = (0..self.hashes.len()).filter(|&id| total(id) <= floor).collect();
        for counts in &mut self.counts {
            dropped.iter().for_each(|&id| counts[id] = 0);
        }
        self.present = totals.iter().filter(|&&total| total > floor).count();
    }

    /// All items in the order of their digests.
    pub fn finish(mut self) -> Gathered {
        let (found, ranks) = self.book();
        self.items.par_sort_unstable_by_key(|item| item.digest);
        if self.lost.times > 0 {
            self.recount(&ranks);
        }
        let ends: Vec<i64> = self
            .items
            .iter()
            .scan(0, |end, item| {
                *end += i64::from(item.count);
                Some(*end)
            })
            .collect();
        let count = self.items.iter().map(|item| item.count as usize).sum();
        let (mut words, mut passages) = (vec![0; count], vec![0; count]);
        let (mut jobs, mut words_left, mut passages_left) = (Vec::new(), &mut words[..], &mut passages[..]);
        for items in self.items.chunks(GROUP) {
            let count = items.iter().map(|item| item.count as usize).sum();
            let (own_words, own_passages);
            (own_words, words_left) = words_left.split_at_mut(count);
            (own_passages, passages_left) = passages_left.split_at_mut(count);
            jobs.push((items, own_words, own_passages));
        }
        consume(jobs, &|_, (items, words, passages)| {
            let mut set: Vec<(u32, u16)> = Vec::new();
            let mut at = 0;
            for item in items {
                self.set(item, &ranks, &mut set);
                for &(word, bits) in &set {
                    (words[at], passages[at]) = (word.cast_signed(), bits);
                    at += 1;
                }
            }
        });
        Gathered {
            found,
            ends,
            words,
            passages,
            classes: self.items.iter().map(|item| i64::from(item.class)).collect(),
            arrivals: self.items.iter().map(|item| item.arrival).collect(),
            digests: self.items.iter().map(|item| item.digest).collect(),
            duplicates: self.duplicates,
            conflicts: self.conflicts,
        }
    }

    /// The words that were not dropped, by ascending hash, and which of them each word is.
    fn book(&mut self) -> (Found, Vec<u32>) {
        let mut order: Vec<(u64, u32)> = (0..self.hashes.len())
            .filter(|&id| self.counts.iter().any(|counts| counts[id] > 0))
            .map(|id| (self.hashes[id], narrow(id)))
            .collect();
        order.par_sort_unstable();
        let mut ranks = vec![NOWHERE; self.hashes.len()];
        let mut names = Names::default();
        let mut counts = Vec::with_capacity(order.len() * self.classes);
        for (rank, &(_, id)) in order.iter().enumerate() {
            ranks[id as usize] = narrow(rank);
            names.push(self.names.get(id as usize));
            counts.extend(self.counts.iter().map(|counts| f64::from(counts[id as usize])));
        }
        let mut items = vec![0.0; self.classes];
        self.items.iter().for_each(|item| items[item.class as usize] += 1.0);
        let hashes: Vec<u64> = order.iter().map(|&(hash, _)| hash).collect();
        (self.slots, self.names, self.counts) = (Slots::with_capacity(0), Names::default(), Vec::new());
        let born = vec![0; hashes.len()];
        let book = Wordbook { classes: self.classes, hashes, counts, names, items };
        (Found { book, lost: self.lost, born }, ranks)
    }

    /// Counts the words of each item that were not dropped.
    fn recount(&mut self, ranks: &[u32]) {
        let count = |item: &Item| {
            let mut set = Vec::new();
            self.set(item, ranks, &mut set);
            narrow(set.len())
        };
        let counts: Vec<u32> = each_of(&self.items, GROUP, &count);
        self.items.iter_mut().zip(counts).for_each(|(item, count)| item.count = count);
    }

    /// The words of an item that were not dropped, by ascending rank.
    fn set(&self, item: &Item, ranks: &[u32], set: &mut Vec<(u32, u16)>) {
        set.clear();
        let bytes = &self.sets[item.stretch as usize][item.start as usize..];
        set.extend(unpack(bytes).filter_map(|(id, bits)| {
            let rank = ranks[id as usize];
            (rank != NOWHERE).then_some((rank, bits))
        }));
        set.sort_unstable();
    }
}

/// Bytes of packed sets that are kept together: what is so large the system gets back as soon as it is free.
const STRETCH: usize = 33 << 20;
/// Parts per thread: some items take longer than others of the same size.
const PARTS: usize = 2;
/// Items that are put in order at once.
const GROUP: usize = 256;
/// The rank of a word that was dropped.
const NOWHERE: u32 = u32::MAX;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::Limits;
    use crate::text::hash::Key;
    use crate::text::reader::Kind;
    use crate::text::token::Tokenizer;

    fn reader() -> Reader {
        let tokenizer = Tokenizer::of_words(Key::new(3), 1, 1);
        Reader { kind: Kind::Mail, tokenizer, limits: Limits::default() }
    }

    fn gathered(most_words: usize, threads: usize) -> Gathered {
        let messages: Vec<String> = (0..200)
            .map(|i| {
                format!(
                    "Subject: s{} free\nFrom: a <x@y.example>\n\nDear w{} w{} now\n",
                    i % 90,
                    i % 7,
                    i % 31
                )
            })
            .collect();
        let items: Vec<&[u8]> = messages.iter().map(String::as_bytes).collect();
        let classes: Vec<u32> = (0..200).map(|i| i % 2).collect();
        let mut sets = WordSets::new(reader(), 2, most_words);
        for (items, classes) in items.chunks(50).zip(classes.chunks(50)) {
            sets.add(items, classes, threads);
        }
        sets.add(&items[..3], &[0, 0, 0], threads);
        sets.finish()
    }

    #[test]
    fn each_item_is_its_words_in_their_order_and_counts_once() {
        let all = gathered(1 << 20, 2);
        assert_eq!((all.duplicates, all.conflicts, all.digests.len()), (2, 1, 200));
        assert!(all.digests.is_sorted() && all.found.book.hashes.is_sorted());
        let mut counts = vec![0.0; all.found.book.counts.len()];
        let mut start = 0;
        for (&end, &class) in all.ends.iter().zip(&all.classes) {
            let words = &all.words[start..usize::try_from(end).unwrap()];
            assert!(words.is_sorted_by(|a, b| a < b));
            words.iter().for_each(|&word| {
                counts[usize::try_from(word).unwrap() * 2 + usize::try_from(class).unwrap()] += 1.0;
            });
            start += words.len();
        }
        assert_eq!(counts, all.found.book.counts);
    }

    #[test]
    fn threads_and_what_is_dropped_do_not_depend_on_each_other() {
        for most_words in [60, 1 << 20] {
            let (one, three) = (gathered(most_words, 1), gathered(most_words, 3));
            assert_eq!(one.found, three.found);
            assert_eq!((one.found.lost.times > 0, one.ends), (most_words == 60, three.ends));
            assert_eq!((one.words, one.passages), (three.words, three.passages));
        }
    }
}

//! Counting labelled items on all cores.
//!
//! Every worker owns a table and takes the next stretch of items until none is left; the tables are added at the
//! end. Sums of whole numbers do not depend on who counted what, so the result has the same bytes for any number
//! of threads. Where items have weights, sums of fractions would depend on it: then one worker counts, in order.
//!
//! Floor: a byte-wise hash runs at 1.0–1.3 GB/s a core, with counting into tables beyond the cache at ≈ 0.45.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::reader::Reader;
use super::table::{Count, Sorted, Table};
use super::token::Token;
use super::wordbook::Wordbook;
use crate::narrow::narrow;
use crate::view::View;

/// How occurrences become counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// A word counts once per item, however often it occurs there.
    pub binary: bool,
    /// Features are 2^bits buckets of the hash instead of words by name.
    pub hashed_bits: Option<u32>,
    /// With more distinct words than this, the rarest are dropped.
    pub most_words: usize,
}

impl Rules {
    /// The feature that a token's hash stands for.
    #[inline(always)]
    pub fn feature(&self, hash: u64) -> u64 {
        match self.hashed_bits {
            // Kept in the top bits, where tables look; the 1 keeps bucket 0 apart from "empty".
            Some(bits) => hash >> (64 - bits) << (64 - bits) | 1,
            None => hash,
        }
    }
}

/// Counts of labelled items, while they are being read.
pub struct Counter {
    reader: Reader,
    rules: Rules,
    threads: usize,
    tables: Tables,
    items: Vec<f64>,
    /// Items begun so far; numbers items over all calls so that "seen in this item" is never confused.
    begun: u32,
    lost: Lost,
    /// What was left when words were dropped, until there is more to count.
    left: Option<Sorted>,
    /// Counts the words themselves, over all classes, where features are buckets whose words are to be known again.
    words: Option<Box<Counter>>,
}

/// What was counted, and what was dropped to keep it bounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The counts of the words that were kept.
    pub book: Wordbook,
    /// What was dropped.
    pub lost: Lost,
    /// By word of the book, the generation in which it was met: in items of earlier ones it was not counted.
    pub born: Vec<u32>,
}

/// Words that were dropped because there were too many distinct ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lost {
    /// How many words.
    pub words: usize,
    /// How often they had been counted, all together.
    pub occurrences: f64,
    /// How often words were dropped: the generation of the items that come next.
    pub times: u32,
}

enum Tables {
    Whole(Vec<Table<u32>>),
    Weighted(Table<f64>),
}

/// So many bytes of text bring one new word, roughly, or one new n-gram of several; only the first size of a table depends
/// on it.
const BYTES_PER_WORD: usize = 256;
const BYTES_PER_GRAM: usize = 32;
/// The largest first size of a table, in words.
const MOST_EXPECTED: usize = 1 << 20;

/// Items that a worker takes at once.
const STRETCH: usize = 16;

impl Counter {
    /// Nothing counted yet. With `weighted`, each item comes with a weight.
    pub fn new(reader: Reader, rules: Rules, classes: usize, threads: usize, weighted: bool) -> Counter {
        let tables = match weighted {
            true => Tables::Weighted(Table::new(classes)),
            false => Tables::Whole((0..threads.max(1)).map(|_| Table::new(classes)).collect()),
        };
        Counter {
            reader,
            rules,
            threads: threads.max(1),
            tables,
            items: vec![0.0; classes],
            begun: 0,
            lost: Lost::default(),
            left: None,
            words: None,
        }
    }

    /// The same counter, which also counts words by name if features are buckets: by the same rules and bound, over
    /// all classes. Its words add and subtract like any wordbook, so buckets keep their names exactly.
    pub fn keeping_words(mut self) -> Counter {
        if self.rules.hashed_bits.is_some() {
            let rules = Rules { hashed_bits: None, ..self.rules };
            let weighted = matches!(self.tables, Tables::Weighted(_));
            self.words = Some(Box::new(Counter::new(self.reader.clone(), rules, 1, self.threads, weighted)));
        }
        self
    }

    /// How items are read.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Workers at most.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Makes room for more classes.
    pub fn grow(&mut self, classes: usize) {
        self.items.resize(classes.max(self.items.len()), 0.0);
        self.resume();
        match &mut self.tables {
            Tables::Whole(tables) => tables.iter_mut().for_each(|table| table.grow(classes)),
            Tables::Weighted(table) => table.grow(classes),
        }
    }

    /// How many distinct words there are so far.
    pub fn distinct(&self) -> usize {
        if let Some(left) = &self.left {
            return left.hashes.len();
        }
        let hashes: Vec<&[u64]> = match &self.tables {
            Tables::Whole(tables) => tables.iter().map(Table::hashes).collect(),
            Tables::Weighted(table) => vec![table.hashes()],
        };
        if let [all] = hashes[..] {
            return all.len();
        }
        let mut all = hashes.concat();
        all.par_sort_unstable();
        all.dedup();
        all.len()
    }

    /// Counts items of the given classes, each below the number of classes.
    pub fn add(&mut self, items: &[&[u8]], classes: &[usize]) {
        for &class in classes {
            self.items[class] += 1.0;
        }
        let before = self.begin(items.len());
        let bytes_each = if self.reader.tokenizer.longest > 1 { BYTES_PER_GRAM } else { BYTES_PER_WORD };
        match &mut self.tables {
            Tables::Weighted(table) => {
                let work = Work::new(&self.reader, self.rules, items, classes, before);
                work.count(table, &AtomicUsize::new(0), |_| 1.0);
            }
            Tables::Whole(tables) => {
                let work = Work::new(&self.reader, self.rules, items, classes, before);
                let next = AtomicUsize::new(0);
                let bytes: usize = items.iter().map(|item| item.len()).sum();
                let words = (bytes / bytes_each).min(MOST_EXPECTED);
                tables.iter_mut().for_each(|table| table.expect(words));
                rayon::scope(|scope| {
                    for table in tables.iter_mut() {
                        scope.spawn(|_| work.count(table, &next, |_| 1));
                    }
                });
            }
        }
        self.bound();
        if let Some(words) = &mut self.words {
            words.add(items, &vec![0; items.len()]);
        }
    }

    /// Counts items with weights; only for a counter made `weighted`.
    pub fn add_weighted(&mut self, items: &[&[u8]], classes: &[usize], weights: &[f64]) {
        let before = self.begin(items.len());
        let Tables::Weighted(table) = &mut self.tables else { return };
        for (&class, &weight) in classes.iter().zip(weights) {
            self.items[class] += weight;
        }
        let work = Work::new(&self.reader, self.rules, items, classes, before);
        work.count(table, &AtomicUsize::new(0), |i| weights[i]);
        self.bound();
        if let Some(words) = &mut self.words {
            words.add_weighted(items, &vec![0; items.len()], weights);
        }
    }

    /// How many items were numbered before these: numbers begin anew, with no word seen in any item, where they would not
    /// fit into 32 bits.
    fn begin(&mut self, items: usize) -> u32 {
        self.resume();
        let items = narrow(items);
        if self.begun.checked_add(items).is_none() {
            match &mut self.tables {
                Tables::Whole(tables) => tables.iter_mut().for_each(Table::forget_items),
                Tables::Weighted(table) => table.forget_items(),
            }
            self.begun = 0;
        }
        self.begun += items;
        self.begun - items
    }

    /// Goes on from what was left when words were dropped.
    fn resume(&mut self) {
        let Some(left) = self.left.take() else { return };
        match &mut self.tables {
            Tables::Whole(tables) => tables[0] = Table::after(left).of_generation(self.lost.times),
            Tables::Weighted(table) => *table = Table::after(left).of_generation(self.lost.times),
        }
    }

    /// Drops the rarest words while there are too many. Called where the input says, never where threads happen to
    /// stand, so that the same input always drops the same words.
    fn bound(&mut self) {
        let (most, lost) = (self.rules.most_words, &mut self.lost);
        self.left = match &mut self.tables {
            Tables::Whole(tables) => drop_rare(tables, most, lost),
            Tables::Weighted(table) => drop_rare(std::slice::from_mut(table), most, lost),
        };
    }

    /// The generation of the items that come next: how often words have been dropped.
    pub fn generation(&self) -> u32 {
        self.lost.times
    }

    /// The words of the buckets so far, if they are kept. They have no items.
    pub fn take_words(&mut self) -> Option<Found> {
        let mut found = self.words.take()?.finish();
        found.book.items = vec![0.0];
        Some(found)
    }

    /// The counts, and what was dropped to keep them bounded.
    pub fn finish(self) -> Found {
        let classes = self.items.len();
        let Sorted { hashes, counts, names, born, .. } = match (self.left, self.tables) {
            (Some(left), _) => left,
            (None, Tables::Whole(tables)) => Table::merge(&tables),
            (None, Tables::Weighted(table)) => Table::merge(&[table]),
        };
        Found { book: Wordbook { classes, hashes, counts, names, items: self.items }, lost: self.lost, born }
    }
}

/// Drops words seen at most `floor` times, with the smallest floor that leaves at most half of `most`; what is left is
/// returned, and the tables are empty. Where there are not too many, all stay where they are.
fn drop_rare<T: Count>(tables: &mut [Table<T>], most: usize, lost: &mut Lost) -> Option<Sorted> {
    if tables.iter().map(Table::len).sum::<usize>() <= most {
        return None;
    }
    let floor = |totals: &mut [f64]| {
        if totals.len() > most { lost.drop_rare(totals, most) } else { f64::NEG_INFINITY }
    };
    let left = Table::merge_above(tables, floor);
    for table in tables {
        *table = Table::new(table.classes()).of_generation(lost.times);
    }
    Some(left)
}

impl Lost {
    /// Notes that words are dropped, of which each was seen so often: more than `most`. Those are dropped that were seen
    /// at most as often as is returned.
    pub fn drop_rare(&mut self, totals: &mut [f64], most: usize) -> f64 {
        let rank = totals.len() - most / 2 - 1;
        let floor = *totals.select_nth_unstable_by(rank, f64::total_cmp).1;
        for total in totals.iter().filter(|&&total| total <= floor) {
            self.words += 1;
            self.occurrences += total;
        }
        self.times += 1;
        floor
    }
}

/// Items to be counted by several workers.
struct Work<'a> {
    reader: &'a Reader,
    rules: Rules,
    items: &'a [&'a [u8]],
    classes: &'a [usize],
    /// Items class by class, in their own order within each.
    order: Vec<usize>,
    before: u32,
}

impl<'a> Work<'a> {
    fn new(
        reader: &'a Reader,
        rules: Rules,
        items: &'a [&'a [u8]],
        classes: &'a [usize],
        before: u32,
    ) -> Work<'a> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&i| classes[i]);
        Work { reader, rules, items, classes, order, before }
    }

    fn count<T: Count>(&self, table: &mut Table<T>, next: &AtomicUsize, weight: impl Fn(usize) -> T) {
        let mut scratch = Scratch::default();
        loop {
            let start = next.fetch_add(STRETCH, Relaxed);
            if start >= self.items.len() {
                break;
            }
            for &i in &self.order[start..self.items.len().min(start + STRETCH)] {
                let weight = weight(i);
                // What weighs nothing was not there.
                if weight.into() != 0.0 {
                    self.count_one(table, i, weight, &mut scratch);
                }
            }
        }
    }

    #[inline]
    fn count_one<T: Count>(&self, table: &mut Table<T>, i: usize, weight: T, scratch: &mut Scratch) {
        let tokenizer = &self.reader.tokenizer;
        let once = self.rules.binary.then_some(self.before + narrow(i) + 1);
        let named = self.rules.hashed_bits.is_none();
        let Scratch { view, tokens, words } = scratch;
        let text = self.reader.tokens(self.items[i], view, tokens);
        let features = tokens.iter().map(|token| self.rules.feature(token.hash));
        let name = |k: usize, names: &mut String| tokenizer.push_name(text, tokens[k], words, names);
        table.add(features, self.classes[i], weight, once, named.then_some(name));
    }
}

/// Working memory of one worker.
#[derive(Default)]
struct Scratch {
    view: View,
    tokens: Vec<Token>,
    /// Of the name of an n-gram.
    words: Vec<Token>,
}

#[cfg(test)]
mod tests;

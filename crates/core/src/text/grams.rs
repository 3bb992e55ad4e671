//! Words and n-grams as the columns of a matrix, in the order of their names, and items as its rows: each item is read
//! once, and no n-gram is looked up or named before it is known to be a column.
//!
//! ```text
//! read   items in blocks become numbers of words, looked up in a small table for each block
//! rank   the words of all blocks are sorted by name: the order of n-grams is that of the ranks of their words
//! grow   n-grams of a block are sorted by counting (`tree`)
//! join   the sorted n-grams of all blocks are one list
//! rows   numbers of the n-grams of each item, which are sorted, become columns and counts
//! ```
//!
//! Blocks do not show: columns are in the order of names, and counts are whole numbers.
//!
//! Floor: the pass over the bytes, 1.15 GB/s a core, and for each word of the text some ten touches of arrays that the
//! cache holds, 1 to 3 ns each.

mod join;
mod tree;
mod words;

use rayon::slice::ParallelSliceMut;

use super::hash::join as hash_of;
use super::names::Names;
use super::reader::Reader;
use super::slots::Slots;
use super::token::MOST_WORDS;
use crate::narrow::narrow;
use crate::parallel::{consume, each, fill};
use crate::score::{Found, Rows};
use join::{Joined, MOST_TREES, join};
use tree::Tree;
use words::{Sizes, Words};

/// The n-grams of items, and the items as rows of them.
pub struct Grams {
    sizes: Sizes,
    /// The distinct words by rank: hashes and names.
    hashes: Vec<u64>,
    names: Names,
    all: Joined,
    trees: Vec<Tree>,
    /// By n-gram its column, once columns are chosen.
    columns: Vec<u32>,
    /// Whether columns ascend with n-grams.
    ascending: bool,
}

/// The column of an n-gram that has none.
const NONE: u32 = u32::MAX;
/// Bytes of items that become one block, at least and at most: its words and their windows stay within the cache, but the
/// blocks are not too many to join.
const BLOCK: usize = if cfg!(test) { 40 } else { 2 << 20 };
/// N-grams that are named at once, about.
const NAMED: usize = if cfg!(test) { 10 } else { 1 << 16 };
const LARGEST_BLOCK: usize = 512 << 20;

impl Grams {
    /// Of items, on the threads of the pool; rows are kept if they are asked for. None where there is too much text.
    pub fn new(reader: &Reader, items: &[&[u8]], rows: bool) -> Option<Grams> {
        let sizes = Sizes::of(reader);
        let blocks = blocks(items)?;
        let read: Vec<Words> = consume(blocks, &|_, items| Words::read(reader, items));
        let (hashes, names, ranks) = rank(&read);
        let ranked = read.into_iter().zip(ranks).collect();
        let mut trees: Vec<Tree> =
            consume(ranked, &|_, (words, ranks)| Tree::new(words, &ranks, sizes, rows));
        let all = join(&mut trees, hashes.len(), sizes.longest);
        Some(Grams { sizes, hashes, names, all, trees, columns: Vec::new(), ascending: true })
    }

    /// Whether an n-gram may become a column: it does not only begin others.
    fn occurs(&self, i: usize) -> bool {
        self.all.counts[i] > 0
    }

    fn of_candidates<T: Copy>(&self, values: &[T]) -> Vec<T> {
        (0..values.len()).filter(|&i| self.occurs(i)).map(|i| values[i]).collect()
    }

    /// How often each n-gram occurs, in the order of their names.
    pub fn counts(&self) -> Vec<u32> {
        self.of_candidates(&self.all.counts)
    }

    /// In how many items each is.
    pub fn texts(&self) -> Vec<u32> {
        self.of_candidates(&self.all.texts)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.counts.iter().filter(|&&count| count > 0).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The hash of each.
    pub fn hashes(&self) -> Vec<u64> {
        let mut found = Vec::with_capacity(self.all.words.len());
        let mut path = Path::default();
        for i in 0..self.all.words.len() {
            let hash = path.hash(self, i);
            if self.occurs(i) {
                found.push(hash);
            }
        }
        found
    }

    /// Makes columns of these n-grams, places in `counts`, ascending; of all, if none are given. Returns their hashes and
    /// names.
    pub fn keep(&mut self, kept: Option<&[usize]>) -> (Vec<u64>, Names) {
        self.columns = vec![NONE; self.all.words.len()];
        let (mut place, mut column, mut rest) = (0, 0, kept.map(|kept| kept.iter().peekable()));
        for i in 0..self.columns.len() {
            if !self.occurs(i) {
                continue;
            }
            if rest.as_mut().is_none_or(|rest| rest.next_if(|&&next| next == place).is_some()) {
                self.columns[i] = column;
                column += 1;
            }
            place += 1;
        }
        let (hashes, names) = self.named();
        // A character may stand for several words, which are one: then the order of names is not that of ranks.
        self.ascending = self.sizes.longest == 1 || !self.names.parts().0.bytes().any(|byte| byte <= b' ');
        if self.ascending {
            return (hashes, names);
        }
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| names.get(a).cmp(names.get(b)));
        let (mut sorted, mut numbers) = (Names::default(), vec![0; order.len()]);
        order.iter().zip(0..).for_each(|(&column, number)| {
            sorted.push(names.get(column));
            numbers[column] = number;
        });
        let old = self.columns.iter_mut().filter(|column| **column != NONE);
        old.for_each(|column| *column = numbers[*column as usize]);
        (order.iter().map(|&column| hashes[column]).collect(), sorted)
    }

    /// The hashes and names of the columns, in the order of n-grams.
    fn named(&self) -> (Vec<u64>, Names) {
        let mut cuts: Vec<usize> = (0..self.columns.len()).step_by(NAMED).collect();
        cuts.push(self.columns.len());
        for cut in &mut cuts[1..] {
            *cut += self.all.levels[*cut..].iter().take_while(|&&level| level > 1).count();
        }
        let prefixed = self.names.parts().0.contains(':');
        let parts: Vec<(Vec<u64>, Names)> =
            each(cuts.len() - 1, &|k| self.named_within(cuts[k]..cuts[k + 1], prefixed));
        let (hashes, names): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        (hashes.concat(), Names::joined(&names))
    }

    fn named_within(&self, range: std::ops::Range<usize>, prefixed: bool) -> (Vec<u64>, Names) {
        let (mut hashes, mut names, mut path) = (Vec::new(), Names::default(), Path::default());
        for i in range {
            let hash = path.hash(self, i);
            let name = path.name(self, i, prefixed);
            if self.columns[i] != NONE {
                hashes.push(hash);
                names.push(name);
            }
        }
        (hashes, names)
    }

    /// The rows of the items: how often each column occurs, or that it does. They are given once.
    pub fn rows(&mut self, binary: bool) -> Rows {
        let (columns, ascending) = (&self.columns, self.ascending);
        let trees = std::mem::take(&mut self.trees);
        Rows::new(consume(trees, &|_, tree: Tree| tree.into_columns(columns, ascending)), binary)
    }
}

/// What the n-grams begin with that an n-gram begins with, itself last.
#[derive(Default)]
struct Path {
    hashes: [u64; MOST_WORDS],
    name: String,
    ends: [usize; MOST_WORDS],
}

impl Path {
    /// The hash of the n-gram that comes next.
    #[inline]
    fn hash(&mut self, grams: &Grams, i: usize) -> u64 {
        let (own, last) = (grams.hashes[grams.all.words[i] as usize], usize::from(grams.all.levels[i]) - 1);
        let hash = if last == 0 { own } else { hash_of(self.hashes[last - 1], own) };
        self.hashes[last] = hash;
        hash
    }

    /// Its name; `prefixed` says whether there are words of fields.
    #[inline]
    fn name(&mut self, grams: &Grams, i: usize, prefixed: bool) -> &str {
        let (own, last) =
            (grams.names.get(grams.all.words[i] as usize), usize::from(grams.all.levels[i]) - 1);
        self.name.truncate(if last == 0 { 0 } else { self.ends[last - 1] });
        if last > 0 {
            self.name.push(' ');
        }
        // No word holds a colon: what ends with one is the prefix of its field.
        let bare = if prefixed && last > 0 { own.rfind(':').map_or(0, |at| at + 1) } else { 0 };
        self.name.push_str(&own[bare..]);
        self.ends[last] = self.name.len();
        &self.name
    }
}

impl Tree {
    /// The rows of the columns that these n-grams are, which have numbers in the tree of all.
    fn into_columns(self, columns: &[u32], ascending: bool) -> Found {
        let Tree { words, found: mut features, starts: mut ends, .. } = self;
        let columns: Vec<u32> = words.into_iter().map(|number| columns[number as usize]).collect();
        let (mut at, mut from) = (0, 0);
        let mut sizes = Vec::with_capacity(ends.len() - 1);
        ends.remove(0);
        for end in &mut ends {
            let start = at;
            let (mut size, mut last) = (0, NONE);
            for i in from..*end {
                let column = columns[features[i] as usize];
                features[at] = column;
                at += usize::from(column != NONE);
                size += usize::from((column != last) & (column != NONE));
                last = std::hint::select_unpredictable(column == NONE, last, column);
            }
            if !ascending {
                let found = &mut features[start..at];
                found.sort_unstable();
                size = found.chunk_by(|a, b| a == b).count();
            }
            from = std::mem::replace(end, at);
            sizes.push(size);
        }
        features.truncate(at);
        Found::new(features, ends, sizes)
    }
}

/// The items in stretches of about the same size; none where they would be too long, or too many.
fn blocks<'a, 'b>(items: &'b [&'a [u8]]) -> Option<Vec<&'b [&'a [u8]]>> {
    let bytes: usize = items.iter().map(|item| item.len() + 1).sum();
    let share = (bytes / (MOST_TREES - 1)).max(BLOCK);
    let (mut found, mut start, mut size) = (Vec::new(), 0, 0);
    for (i, item) in items.iter().enumerate() {
        size += item.len() + 1;
        if size >= share || i + 1 == items.len() {
            found.push(&items[start..=i]);
            (start, size) = (i + 1, 0);
        }
    }
    let fits = |block: &&[&[u8]]| block.iter().map(|item| item.len()).sum::<usize>() <= LARGEST_BLOCK;
    (found.len() <= MOST_TREES && found.iter().all(fits)).then_some(found)
}

/// The distinct words of all blocks by name, hashes and names; and block by block the rank of each of its words.
fn rank(blocks: &[Words]) -> (Vec<u64>, Names, Vec<Vec<u32>>) {
    let mut known = Slots::with_capacity(blocks.iter().map(|block| block.hashes.len()).max().unwrap_or(0));
    let mut words: Vec<(u64, &str, u64)> = Vec::new();
    let mut ranks: Vec<Vec<u32>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let number = |(i, &hash): (usize, &u64)| {
            let (slot, new) = known.entry(hash);
            if new {
                let name = block.names.get(i);
                words.push((beginning(name), name, hash));
            }
            slot.id
        };
        ranks.push(block.hashes.iter().enumerate().map(number).collect());
    }
    let mut order: Vec<u32> = (0..narrow(words.len())).collect();
    order.par_sort_unstable_by_key(|&word| words[word as usize]);
    let mut rank = vec![0; words.len()];
    let (mut hashes, mut names) = (Vec::with_capacity(words.len()), Names::default());
    for (place, &word) in (0..).zip(&order) {
        let (_, name, hash) = words[word as usize];
        rank[word as usize] = place;
        names.push(name);
        hashes.push(hash);
    }
    fill(&mut ranks, 1, &|_, ranks| {
        ranks.iter_mut().flatten().for_each(|word| *word = rank[*word as usize]);
    });
    (hashes, names, ranks)
}

/// The first 8 bytes of a name, the first one highest: names that differ there are told apart at once.
fn beginning(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let some = name.len().min(8);
    bytes[..some].copy_from_slice(&name.as_bytes()[..some]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests;

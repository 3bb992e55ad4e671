//! Words with their counts per class, while they are being counted.

use rayon::slice::ParallelSliceMut;

use super::names::Names;
use super::slots::{AHEAD, Slots};
use crate::narrow::narrow;
use crate::parallel::{each_stretch, fill};

/// A number that counts: `u32` where every item counts once, `f64` where items have weights.
pub trait Count: Copy + Default + Send + Sync + std::ops::AddAssign + Into<f64> {}
impl Count for u32 {}
impl Count for f64 {}

/// As often may words be counted until a count in 32 bits might be full. Tests see what becomes of it then.
const MOST: usize = if cfg!(test) { 50 } else { u32::MAX as usize };

/// Words with their counts per class.
pub struct Table<T> {
    slots: Slots,
    hashes: Vec<u64>,
    /// A column per class: items are counted class by class, so only one column is warm at a time.
    /// A column is only as long as it needed to be; beyond its end every count is zero.
    counts: Vec<Vec<T>>,
    /// What was counted before the last time that a count might have become too large for `T`, likewise.
    carried: Vec<Vec<f64>>,
    /// As often as this may a word be counted before that.
    room: usize,
    names: Names,
    /// The generation in which each word was met first, and the one that is counted now.
    born: Vec<u32>,
    generation: u32,
}

/// Words by ascending hash, with their counts, a row of all classes each.
pub struct Sorted {
    classes: usize,
    /// Hash of each word.
    pub hashes: Vec<u64>,
    /// Counts, word by word.
    pub counts: Vec<f64>,
    /// Name of each word; none where they are not kept.
    pub names: Names,
    /// The generation in which each was met first.
    pub born: Vec<u32>,
}

/// Where one of several tables counts a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    hash: u64,
    table: u32,
    word: u32,
}

/// Words that are brought together at once.
const BLOCK: usize = 1024;

impl<T: Count> Table<T> {
    /// An empty table for so many classes.
    pub fn new(classes: usize) -> Table<T> {
        Table {
            slots: Slots::with_capacity(1 << 14),
            hashes: Vec::new(),
            counts: vec![Vec::new(); classes],
            carried: Vec::new(),
            room: MOST,
            names: Names::default(),
            born: Vec::new(),
            generation: 0,
        }
    }

    /// The table whose words are of this generation from now on.
    pub fn of_generation(self, generation: u32) -> Table<T> {
        Table { generation, ..self }
    }

    /// For how many classes it counts.
    pub fn classes(&self) -> usize {
        self.counts.len()
    }

    /// Makes room for more classes.
    pub fn grow(&mut self, classes: usize) {
        self.counts.resize_with(classes.max(self.counts.len()), Vec::new);
    }

    /// Makes an empty table ready for about so many words, so that it need not grow step by step.
    pub fn expect(&mut self, words: usize) {
        if self.is_empty() {
            self.slots = Slots::with_capacity(words);
        }
    }

    /// The hashes of its words.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// How many words it holds.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Counts the features of one item of `class`, `name` appending the name of the i-th if they have names. With `once`
    /// given, the number of this item, each feature counts only the first time.
    #[inline]
    pub fn add(
        &mut self,
        features: impl Iterator<Item = u64> + Clone,
        class: usize,
        weight: T,
        once: Option<u32>,
        mut name: Option<impl FnMut(usize, &mut String)>,
    ) {
        let mut ahead = features.clone();
        let more = features.clone().count();
        if more > self.room {
            self.carry();
        }
        self.room = self.room.saturating_sub(more);
        let room = self.hashes.len() + more;
        let mut column = std::mem::take(&mut self.counts[class]);
        if column.len() < room {
            column.resize(room, T::default());
        }
        for (i, feature) in features.enumerate() {
            if i % AHEAD == 0 {
                self.slots.warm(ahead.by_ref().take(AHEAD));
            }
            let (slot, new) = self.slots.entry(feature);
            let id = slot.id as usize;
            // Whether a word has been seen in this item cannot be foretold: no branch on it.
            let fresh = once.is_none() | (Some(slot.seen) != once);
            slot.seen = once.unwrap_or(slot.seen);
            if new {
                self.hashes.push(feature);
                self.born.push(self.generation);
                if let Some(name) = &mut name {
                    self.names.push_with(|names| name(i, names));
                }
            }
            column[id] += std::hint::select_unpredictable(fresh, weight, T::default());
        }
        self.counts[class] = column;
    }

    /// From now on no word was seen in any item.
    pub fn forget_items(&mut self) {
        self.slots.forget_items();
    }

    /// Puts the counts where they find room, and counts from 0.
    #[cold]
    fn carry(&mut self) {
        self.carried.resize_with(self.counts.len(), Vec::new);
        for (carried, counts) in self.carried.iter_mut().zip(&mut self.counts) {
            carried.resize(counts.len().max(carried.len()), 0.0);
            carried.iter_mut().zip(counts.drain(..)).for_each(|(all, count)| *all += count.into());
        }
        self.room = MOST;
    }

    /// How often word i was seen in a class.
    #[inline]
    fn count(&self, class: usize, i: usize) -> f64 {
        at(&self.counts[class], i) + self.carried.get(class).map_or(0.0, |column| at(column, i))
    }

    /// Adds up what several tables counted. Floor: a sort of 16 bytes a word of each, and one write of the counts.
    pub fn merge(tables: &[Table<T>]) -> Sorted {
        merge_kept(tables, &each_word(&places(tables)).collect::<Vec<_>>())
    }

    /// The same of the words that were seen more often, over all classes, than `floor` says of how often each was seen.
    pub fn merge_above(tables: &[Table<T>], floor: impl FnOnce(&mut [f64]) -> f64) -> Sorted {
        let (all, seen) = (places(tables), tables.iter().map(Table::totals).collect::<Vec<_>>());
        let total = |word: &[Place]| -> f64 {
            word.iter().map(|place| seen[place.table as usize][place.word as usize]).sum()
        };
        let totals: Vec<f64> = each_word(&all).map(total).collect();
        let floor = floor(&mut totals.clone());
        let kept = each_word(&all).zip(totals).filter(|&(_, total)| total > floor).map(|(word, _)| word);
        merge_kept(tables, &kept.collect::<Vec<_>>())
    }

    /// A table that goes on from what was counted.
    pub fn after(sorted: Sorted) -> Table<T> {
        let mut table = Table::new(sorted.classes);
        table.slots = Slots::of(sorted.hashes.iter().copied(), sorted.hashes.len());
        table.carried = vec![Vec::with_capacity(sorted.hashes.len()); sorted.classes];
        for rows in sorted.counts.chunks(sorted.classes * BLOCK) {
            for (class, column) in table.carried.iter_mut().enumerate() {
                column.extend(rows.iter().skip(class).step_by(sorted.classes));
            }
        }
        (table.hashes, table.names, table.born) = (sorted.hashes, sorted.names, sorted.born);
        table
    }

    /// How often each word was seen, over all classes.
    fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.len()];
        for class in 0..self.counts.len() {
            totals.iter_mut().enumerate().for_each(|(i, total)| *total += self.count(class, i));
        }
        totals
    }
}

/// Where each word stands in each table, by ascending hash.
fn places<T: Count>(tables: &[Table<T>]) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::with_capacity(tables.iter().map(Table::len).sum());
    for (t, table) in tables.iter().enumerate() {
        let place = |(i, &hash)| Place { hash, table: narrow(t), word: narrow(i) };
        all.extend(table.hashes.iter().enumerate().map(place));
    }
    all.par_sort_unstable();
    all
}

/// The places of each word.
fn each_word(all: &[Place]) -> impl Iterator<Item = &[Place]> {
    all.chunk_by(|a, b| a.hash == b.hash)
}

/// Adds up what the tables counted of these words.
fn merge_kept<T: Count>(tables: &[Table<T>], words: &[&[Place]]) -> Sorted {
    let classes = tables.iter().map(|table| table.counts.len()).max().unwrap_or(1);
    // Class by class within a block: reads from one column do not wait for each other.
    let mut counts = vec![0.0; words.len() * classes];
    fill(&mut counts, classes * BLOCK, &|k, rows| {
        let words = &words[k * BLOCK..];
        for class in 0..classes {
            for (row, word) in rows.chunks_exact_mut(classes).zip(words) {
                let count = |place: &Place| tables[place.table as usize].count(class, place.word as usize);
                row[class] = word.iter().map(count).sum();
            }
        }
    });
    let named = |words: &[&[Place]]| {
        let mut names = Names::default();
        words
            .iter()
            .for_each(|word| names.push(tables[word[0].table as usize].names.get(word[0].word as usize)));
        names
    };
    let names: Vec<Names> = match tables.iter().all(|table| table.names.is_empty()) {
        true => Vec::new(),
        false => each_stretch(words, BLOCK, &named),
    };
    let born = |word: &&[Place]| {
        word.iter()
            .map(|place| tables[place.table as usize].born[place.word as usize])
            .min()
            .unwrap_or_default()
    };
    Sorted {
        classes,
        hashes: words.iter().map(|word| word[0].hash).collect(),
        counts,
        names: Names::joined(&names),
        born: words.iter().map(born).collect(),
    }
}

/// The count at `i`; zero beyond the column's end.
#[inline]
fn at<T: Count>(column: &[T], i: usize) -> f64 {
    column.get(i).copied().unwrap_or_default().into()
}

//! Hash tables keyed by word hashes: the hashes are already mixed, so the top bits choose the slot.

use rayon::prelude::*;

/// One slot: 16 bytes, four to a cache line.
#[derive(Clone, Copy, Default)]
pub struct Slot {
    hash: u64,
    /// Which word this is.
    pub id: u32,
    /// The last item in which it was seen, counted from 1.
    pub seen: u32,
}

/// Open addressing with linear probing, at most 5/8 full; hash 0 is "empty".
#[derive(Clone)]
pub struct Slots {
    slots: Vec<Slot>,
    shift: u32,
    used: usize,
}

impl Slots {
    /// A table with room for `n` words before it grows.
    pub fn with_capacity(n: usize) -> Slots {
        let bits = (n * 8 / 5 + 1).next_power_of_two().trailing_zeros().max(4);
        Slots { slots: vec![Slot::default(); 1 << bits], shift: 64 - bits, used: 0 }
    }

    /// How many words it holds.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The slot where `hash` stands or would stand.
    #[inline(always)]
    fn position(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut i = (hash >> self.shift) as usize & mask;
        while self.slots[i].hash != hash && self.slots[i].hash != 0 {
            i = (i + 1) & mask;
        }
        i
    }

    /// The number of the word with this hash.
    #[inline(always)]
    pub fn get(&self, hash: u64) -> Option<u32> {
        let slot = &self.slots[self.position(hash)];
        (slot.hash != 0).then_some(slot.id)
    }

    /// The slot of the word, and whether it is new; a new word gets the next number.
    #[inline(always)]
    pub fn entry(&mut self, hash: u64) -> (&mut Slot, bool) {
        let mut i = self.position(hash);
        let new = self.slots[i].hash == 0;
        if new {
            if (self.used + 1) * 8 > self.slots.len() * 5 {
                self.grow();
                i = self.position(hash);
            }
            self.slots[i] = Slot { hash, id: self.used as u32, seen: 0 };
            self.used += 1;
        }
        (&mut self.slots[i], new)
    }

    #[cold]
    fn grow(&mut self) {
        let bits = 64 - self.shift + 1;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); 1 << bits]);
        self.shift -= 1;
        for slot in old.into_iter().filter(|slot| slot.hash != 0) {
            let i = self.position(slot.hash);
            self.slots[i] = slot;
        }
    }
}

/// A number that counts: `u32` where every item counts once, `f64` where items have weights.
pub trait Count: Copy + Default + Send + Sync + std::ops::AddAssign + Into<f64> {}
impl Count for u32 {}
impl Count for f64 {}

/// Words with their counts per class.
pub struct Table<T> {
    slots: Slots,
    hashes: Vec<u64>,
    /// A column per class: items are counted class by class, so only one column is warm at a time.
    counts: Vec<Vec<T>>,
    names: Names,
}

/// Many short strings in one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    /// From the texts one after the other and where each ends; none if the ends do not fit the text.
    pub fn from_parts(text: String, ends: Vec<usize>) -> Option<Names> {
        let in_order = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let fit = ends.last().copied().unwrap_or(0) == text.len()
            && ends.iter().all(|&end| text.is_char_boundary(end));
        (in_order && fit).then_some(Names { text, ends })
    }

    /// Appends a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// The i-th name; empty where names are not kept.
    pub fn get(&self, i: usize) -> &str {
        match self.ends.get(i) {
            Some(&end) => &self.text[if i == 0 { 0 } else { self.ends[i - 1] }..end],
            None => "",
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names one after the other, and where each ends.
    pub fn parts(&self) -> (&str, &[usize]) {
        (&self.text, &self.ends)
    }
}

impl<T: Count> Table<T> {
    /// An empty table for so many classes.
    pub fn new(classes: usize) -> Table<T> {
        Table {
            slots: Slots::with_capacity(1 << 12),
            hashes: Vec::new(),
            counts: vec![Vec::new(); classes],
            names: Names::default(),
        }
    }

    /// Makes room for more classes.
    pub fn grow(&mut self, classes: usize) {
        let words = self.hashes.len();
        self.counts.resize_with(classes.max(self.counts.len()), || vec![T::default(); words]);
    }

    /// How many words it holds.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Counts the features of one item of `class`, `name(i)` naming the i-th. With `once` given, the number of this
    /// item, each feature counts only the first time.
    #[inline]
    pub fn add(
        &mut self,
        features: impl Iterator<Item = u64>,
        class: usize,
        weight: T,
        once: Option<u32>,
        name: impl Fn(usize) -> Option<String>,
    ) {
        for (i, feature) in features.enumerate() {
            let (slot, new) = self.slots.entry(feature);
            let id = slot.id as usize;
            if let Some(item) = once {
                if slot.seen == item {
                    continue;
                }
                slot.seen = item;
            }
            if new {
                self.insert(feature, name(i));
            }
            self.counts[class][id] += weight;
        }
    }

    #[cold]
    fn insert(&mut self, hash: u64, name: Option<String>) {
        self.hashes.push(hash);
        self.counts.iter_mut().for_each(|column| column.push(T::default()));
        if let Some(name) = name {
            self.names.push(&name);
        }
    }

    /// Adds another table's counts to this one's.
    pub fn absorb(&mut self, other: &Table<T>) {
        let ids: Vec<usize> = (0..other.len())
            .map(|i| {
                let (slot, new) = self.slots.entry(other.hashes[i]);
                let id = slot.id as usize;
                if new {
                    self.hashes.push(other.hashes[i]);
                    if i < other.names.len() {
                        self.names.push(other.names.get(i));
                    }
                }
                id
            })
            .collect();
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine.resize(self.hashes.len(), T::default());
            for (&id, &count) in ids.iter().zip(theirs) {
                mine[id] += count;
            }
        }
    }

    /// The words by ascending hash, as parts: hashes, counts (a row per word), names.
    pub fn into_sorted(self) -> (Vec<u64>, Vec<f64>, Names) {
        let mut order: Vec<(u64, u32)> =
            self.hashes.iter().enumerate().map(|(i, &h)| (h, i as u32)).collect();
        order.par_sort_unstable();
        let classes = self.counts.len();
        let mut counts = vec![0.0; order.len() * classes];
        counts.par_chunks_mut(classes * 1024).zip(order.par_chunks(1024)).for_each(|(rows, order)| {
            for (row, &(_, i)) in rows.chunks_exact_mut(classes).zip(order) {
                for (out, column) in row.iter_mut().zip(&self.counts) {
                    *out = column[i as usize].into();
                }
            }
        });
        let mut names = Names::default();
        if !self.names.is_empty() {
            names.text.reserve(self.names.text.len());
            order.iter().for_each(|&(_, i)| names.push(self.names.get(i as usize)));
        }
        (order.iter().map(|&(hash, _)| hash).collect(), counts, names)
    }

    /// Keeps only the words seen more than `floor` times over all classes.
    pub fn retain_above(self, floor: f64) -> Table<T> {
        let mut kept = Table::new(self.counts.len());
        let rows: Vec<usize> =
            self.totals().enumerate().filter(|&(_, n)| n > floor).map(|(i, _)| i).collect();
        for &i in &rows {
            kept.slots.entry(self.hashes[i]);
            kept.hashes.push(self.hashes[i]);
            if !self.names.is_empty() {
                kept.names.push(self.names.get(i));
            }
        }
        kept.counts = self.counts.iter().map(|column| rows.iter().map(|&i| column[i]).collect()).collect();
        kept
    }

    /// How often each word was seen, over all classes.
    pub fn totals(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).map(|i| self.counts.iter().map(|column| column[i].into()).sum())
    }
}

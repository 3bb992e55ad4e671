//! Hash tables keyed by word hashes: the hashes are already mixed, so the top bits choose the slot.

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
    classes: usize,
    slots: Slots,
    hashes: Vec<u64>,
    counts: Vec<T>,
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
            classes,
            slots: Slots::with_capacity(1 << 12),
            hashes: Vec::new(),
            counts: Vec::new(),
            names: Names::default(),
        }
    }

    /// How many words it holds.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Counts one occurrence of a word in an item of `class`. With `once` given, only the first in that item counts.
    #[inline(always)]
    pub fn add(
        &mut self,
        hash: u64,
        class: usize,
        weight: T,
        once: Option<u32>,
        name: impl FnOnce() -> Option<String>,
    ) {
        let (slot, new) = self.slots.entry(hash);
        let id = slot.id as usize;
        if let Some(item) = once {
            if slot.seen == item {
                return;
            }
            slot.seen = item;
        }
        if new {
            self.hashes.push(hash);
            self.counts.resize(self.counts.len() + self.classes, T::default());
            if let Some(name) = name() {
                self.names.push(&name);
            }
        }
        self.counts[id * self.classes + class] += weight;
    }

    /// Adds another table's counts to this one's.
    pub fn absorb(&mut self, other: &Table<T>) {
        for (i, &hash) in other.hashes.iter().enumerate() {
            let (slot, new) = self.slots.entry(hash);
            let id = slot.id as usize;
            if new {
                self.hashes.push(hash);
                self.counts.resize(self.counts.len() + self.classes, T::default());
                if i < other.names.len() {
                    self.names.push(other.names.get(i));
                }
            }
            let mine = &mut self.counts[id * self.classes..(id + 1) * self.classes];
            for (mine, &theirs) in mine.iter_mut().zip(&other.counts[i * self.classes..]) {
                *mine += theirs;
            }
        }
    }

    /// The words by ascending hash, as parts: hashes, counts per class, names.
    pub fn into_sorted(self) -> (Vec<u64>, Vec<f64>, Names) {
        let mut order: Vec<(u64, u32)> =
            self.hashes.iter().enumerate().map(|(i, &h)| (h, i as u32)).collect();
        rayon::slice::ParallelSliceMut::par_sort_unstable(order.as_mut_slice());
        let mut counts = Vec::with_capacity(self.counts.len());
        let mut names = Names::default();
        for &(_, i) in &order {
            let i = i as usize;
            counts.extend(self.counts[i * self.classes..(i + 1) * self.classes].iter().map(|&c| c.into()));
            if !self.names.is_empty() {
                names.push(self.names.get(i));
            }
        }
        (order.iter().map(|&(hash, _)| hash).collect(), counts, names)
    }

    /// Keeps only the words seen more than `floor` times over all classes.
    pub fn retain_above(self, floor: f64) -> Table<T> {
        let mut kept = Table::new(self.classes);
        for (i, &hash) in self.hashes.iter().enumerate() {
            let counts = &self.counts[i * self.classes..(i + 1) * self.classes];
            if counts.iter().map(|&c| c.into()).sum::<f64>() > floor {
                kept.slots.entry(hash);
                kept.hashes.push(hash);
                kept.counts.extend_from_slice(counts);
                if !self.names.is_empty() {
                    kept.names.push(self.names.get(i));
                }
            }
        }
        kept
    }

    /// How often each word was seen, over all classes.
    pub fn totals(&self) -> impl Iterator<Item = f64> + '_ {
        self.counts.chunks_exact(self.classes).map(|row| row.iter().map(|&c| c.into()).sum())
    }
}

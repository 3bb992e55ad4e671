//! Hash tables keyed by word hashes: the hashes are already mixed, so the top bits choose the slot.

use crate::narrow::narrow;

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

    /// A table of these words, each of which gets its place among them as its number, with room for so many.
    ///
    /// There must be room for all of them: in the order of their hashes they would fill the beginning of a smaller table,
    /// and each be searched through all that came before it.
    pub fn of(hashes: impl Iterator<Item = u64>, room: usize) -> Slots {
        let mut slots = Slots::with_capacity(room);
        hashes.for_each(|hash| {
            slots.entry(hash);
        });
        slots
    }

    /// How many words it holds.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The slot where the search for `hash` begins.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the top bits, of which there are as many as number the slots"
    )]
    fn first(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize & (self.slots.len() - 1)
    }

    /// The slot where `hash` stands or would stand.
    #[inline(always)]
    fn position(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut i = self.first(hash);
        while self.slots[i].hash != hash && self.slots[i].hash != 0 {
            i = (i + 1) & mask;
        }
        i
    }

    /// Looks at where these hashes stand and does nothing: afterwards those places are in the cache.
    ///
    /// The loads do not depend on each other, so they wait for memory together. In the loop that follows, a branch
    /// that was foretold wrongly is found out at once instead of after a cache miss.
    #[inline]
    pub fn warm(&self, hashes: impl Iterator<Item = u64>) {
        let seen = hashes.fold(0, |seen, hash| seen ^ self.slots[self.first(hash)].hash);
        std::hint::black_box(seen);
    }

    /// The number of the word with this hash.
    #[inline(always)]
    pub fn get(&self, hash: u64) -> Option<u32> {
        let slot = &self.slots[self.position(hash)];
        (slot.hash != 0).then_some(slot.id)
    }

    /// The number of the word with this hash and true; or any number and false.
    #[inline(always)]
    pub fn find(&self, hash: u64) -> (u32, bool) {
        let slot = &self.slots[self.position(hash)];
        (slot.id, slot.hash == hash)
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
            self.slots[i] = Slot { hash, id: narrow(self.used), seen: 0 };
            self.used += 1;
        }
        (&mut self.slots[i], new)
    }

    /// From now on no word was seen in any item.
    pub fn forget_items(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.seen = 0);
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

/// Look-ups that are warmed up together.
pub const AHEAD: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hash::split_mix;

    #[test]
    fn words_in_the_order_of_their_hashes_stand_near_where_their_search_begins() {
        let mut hashes: Vec<u64> = (0..300_000).map(|i| split_mix(i) | 1).collect();
        hashes.sort_unstable();
        let slots = Slots::of(hashes.iter().copied(), hashes.len());
        assert_eq!(slots.slots.len(), Slots::with_capacity(hashes.len()).slots.len());
        for (i, &hash) in hashes.iter().enumerate() {
            assert_eq!(slots.get(hash), Some(narrow(i)));
            let far = slots.position(hash).wrapping_sub(slots.first(hash)) & (slots.slots.len() - 1);
            assert!(far < 200);
        }
    }
}

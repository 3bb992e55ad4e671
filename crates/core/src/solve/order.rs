//! Seeded random orders.

use std::ops::Range;

use crate::text::hash::{GOLDEN, split_mix};

/// A generator of orders: the same seed gives the same orders on every machine. SplitMix64.
pub struct Order(u64);

impl Order {
    /// From a seed.
    pub fn new(seed: u64) -> Order {
        Order(seed)
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let bits = split_mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        bits
    }

    /// A number below `end` (> 0), each as likely as the others but for one part in 2^32.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u32
    }

    /// Puts places, or runs of them, into random order (Fisher & Yates 1938).
    pub fn shuffle<T>(&mut self, places: &mut [T]) {
        for i in (1..places.len()).rev() {
            places.swap(i, self.below(i as u32 + 1) as usize);
        }
    }

    /// Cuts `count` places into runs of so many neighbours, in random order. Where they begin is random, too.
    pub fn runs(&mut self, count: usize, length: u32) -> Vec<Range<usize>> {
        let (first, length) = (self.below(length) as usize, length as usize);
        let begins = (0..count.div_ceil(length) + 2).map(|k| (first + k * length).saturating_sub(length));
        let mut runs: Vec<_> =
            begins.clone().zip(begins.skip(1)).map(|(from, to)| from..to.min(count)).collect();
        runs.retain(|run| !run.is_empty());
        self.shuffle(&mut runs);
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn a_shuffle_keeps_all_and_every_place_is_as_likely() {
        let mut order = Order::new(7);
        let mut seen = [[0; 5]; 5];
        for _ in 0..20_000 {
            let mut places = [0_u32, 1, 2, 3, 4];
            order.shuffle(&mut places);
            places.iter().enumerate().for_each(|(i, &p)| seen[i][p as usize] += 1);
        }
        assert!(seen.iter().flatten().all(|&n: &i32| (n - 4000).abs() < 300), "{seen:?}");
    }

    #[test]
    fn runs_hold_every_place_once_and_any_comes_first() {
        let mut order = Order::new(3);
        for (count, length) in (0..30).flat_map(|count| [1, 2, 4, 50].map(|length| (count, length))) {
            let mut first = vec![false; count];
            for _ in 0..2_000.min(2_000 * count) {
                let runs = order.runs(count, length);
                assert!(runs.iter().all(|run| !run.is_empty() && run.len() <= length as usize), "{runs:?}");
                let places: Vec<usize> = runs.into_iter().flatten().collect();
                first[places[0]] = true;
                let mut sorted = places.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..count), "{places:?}");
            }
            assert!(first.into_iter().all(|first| first), "{count} {length}");
        }
    }
}

//! Rows of a sparse matrix, written once into their place, on all cores.

use crate::parallel::consume;

const NONE: u32 = u32::MAX;

/// Rows of features that were found in items, ascending, each as often as it was found.
#[derive(Default)]
pub struct Found {
    /// Row by row.
    pub features: Vec<u32>,
    /// Where each row ends.
    pub ends: Vec<usize>,
    /// How many different features it has.
    pub sizes: Vec<usize>,
    /// Working memory.
    other: Vec<u32>,
}

/// Shorter rows are sorted by comparing.
const SHORT: usize = if cfg!(test) { 4 } else { 64 };
const DIGITS: usize = 1 << 8;

/// Sorts by counting, 8 bits at a time from the last: what stands in a text comes in no order that a comparison foretells.
fn sort(numbers: &mut Vec<u32>, other: &mut Vec<u32>) {
    let most = numbers.iter().copied().max().unwrap_or(0);
    if numbers.len() < SHORT {
        return numbers.sort_unstable();
    }
    other.resize(numbers.len(), 0);
    let mut shift = 0;
    while most >> shift > 0 {
        let digit = |number: u32| (number >> shift) as usize % DIGITS;
        let mut next = [0u32; DIGITS];
        numbers.iter().for_each(|&number| next[digit(number)] += 1);
        let mut sum = 0;
        next.iter_mut().for_each(|count| sum += std::mem::replace(count, sum));
        for &number in numbers.iter() {
            let place = &mut next[digit(number)];
            other[*place as usize] = number;
            *place += 1;
        }
        std::mem::swap(numbers, other);
        shift += 8;
        if shift == u32::BITS {
            break;
        }
    }
}

impl Found {
    /// Appends the row of features that were found in an item, which are sorted for it.
    pub fn push(&mut self, found: &mut Vec<u32>) {
        sort(found, &mut self.other);
        let others = found.windows(2).filter(|pair| pair[0] != pair[1]).count();
        self.sizes.push(others + usize::from(!found.is_empty()));
        self.features.extend_from_slice(found);
        self.ends.push(self.features.len());
    }

    /// Rows that are there already.
    pub fn new(features: Vec<u32>, ends: Vec<usize>, sizes: Vec<usize>) -> Found {
        Found { features, ends, sizes, other: Vec::new() }
    }

    /// Writes all rows: features, and how often each was found, or that it was.
    fn write(&self, binary: bool, features: &mut [i32], values: &mut [f64]) {
        let (mut start, mut at) = (0, usize::MAX);
        for &end in &self.ends {
            let mut last = NONE;
            for &feature in &self.features[start..end] {
                at = at.wrapping_add(usize::from(feature != last));
                last = feature;
                features[at] = feature.cast_signed();
                values[at] = if binary { 1.0 } else { values[at] + 1.0 };
            }
            start = end;
        }
    }
}

/// Rows that are known, and to be written where there is room for them.
pub struct Rows {
    stretches: Vec<Found>,
    binary: bool,
    /// Where each row ends.
    pub ends: Vec<isize>,
}

impl Rows {
    /// All rows, one stretch after the other; if `binary` what occurs is 1.
    pub fn new(stretches: Vec<Found>, binary: bool) -> Rows {
        let mut ends = Vec::with_capacity(stretches.iter().map(|found| found.sizes.len()).sum());
        let mut end = 0usize;
        for &size in stretches.iter().flat_map(|found| &found.sizes) {
            end += size;
            ends.push(end.cast_signed());
        }
        Rows { stretches, binary, ends }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |end| end.cast_unsigned())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the features of each row, ascending, and their values, into as many zeros; gives where each row ends.
    pub fn write(self, features: &mut [i32], values: &mut [f64]) -> Vec<isize> {
        let mut parts = Vec::with_capacity(self.stretches.len());
        let mut rest = (features, values);
        for found in self.stretches {
            let size = found.sizes.iter().sum();
            let (some_features, others) = rest.0.split_at_mut(size);
            let (some_values, other_values) = rest.1.split_at_mut(size);
            rest = (others, other_values);
            parts.push((found, some_features, some_values));
        }
        let binary = self.binary;
        consume(parts, &|_, (found, features, values)| found.write(binary, features, values));
        self.ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        let mut other = Vec::new();
        let rows: [&[u32]; 5] =
            [&[], &[3], &[5, 4, 4], &[9, 300, 70_000, 1 << 31, 3, u32::MAX, 300, 0], &[7; 9]];
        for row in rows {
            let (mut found, mut told) = (row.to_vec(), row.to_vec());
            sort(&mut found, &mut other);
            told.sort_unstable();
            assert_eq!(found, told);
        }
    }

    #[test]
    fn rows_are_written_one_after_the_other() {
        let (mut first, mut second) = (Found::default(), Found::default());
        first.push(&mut vec![4, 1, 4]);
        first.push(&mut vec![]);
        second.push(&mut vec![2, 2, 2, 2, 0]);
        for (binary, counts) in [(false, [1.0, 2.0, 1.0, 4.0]), (true, [1.0; 4])] {
            let again =
                |found: &Found| Found::new(found.features.clone(), found.ends.clone(), found.sizes.clone());
            let rows = Rows::new(vec![again(&first), again(&second)], binary);
            let (mut features, mut values) = (vec![0; rows.len()], vec![0.0; rows.len()]);
            assert_eq!(rows.write(&mut features, &mut values), [2, 2, 4]);
            assert_eq!((features, values), (vec![1, 4, 0, 2], counts.to_vec()));
        }
    }
}

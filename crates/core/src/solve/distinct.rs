//! Examples that differ, in an order of their values.
//!
//! Equal rows of equal targets are one example. Those that are left stand in the order of digests that hang neither on
//! the order of columns nor on that of rows:
//!
//! ```text
//! own_i = Σ_j h(x_ij) + h(t_i)
//! ```
//!
//! over the values other than 0, modulo 2^64; where these do not tell all examples apart, as of zeros and ones,
//!
//! ```text
//! column_j = Σ_i h(x_ij, own_i)      rank_i = Σ_j h(x_ij, column_j)
//! ```
//!
//! besides: two rounds of colour refinement (Weisfeiler & Leman 1968) of the graph whose edges are the values. h is the
//! finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
//!
//! Floor: a pass over the values, of one digest each (≈ 0.7 G/s a core), and a look-up and a place in a sort a row; where
//! rows share their values, three more of two digests for each value.

use std::collections::HashMap;

use rayon::slice::ParallelSliceMut;

use crate::halt::{check, current};
use crate::parallel::{each_stretch, fill};
use crate::rows::{Index, Row, Rows, Value};

/// Rows whose digests a thread takes at once.
const STRETCH: usize = 1 << 9;
/// What SplitMix64 steps by.
const DRAW: u64 = 0x9E37_79B9_7F4A_7C15;
/// Stored values for which sums of columns of their own are worth the room, a thread.
const SHARE: usize = 4;

/// What tells examples apart beside their rows.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// (N,) the targets: examples that are equal have the same.
    pub y: &'a [f64],
    /// (N,) numbers that say of examples in which order they come, where values do not.
    pub ranked: &'a [f64],
    /// (N,) what the scores have besides, or None for nothing.
    pub offset: Option<&'a [f64]>,
}

/// The examples that differ.
pub struct Distinct {
    /// (N,) which of these each example is.
    pub of: Vec<u32>,
    /// (M,) the first example that is each of these, in their order.
    pub kept: Vec<u32>,
}

/// Finds the examples that differ, and sorts them by rank, target and place.
pub fn distinct<V: Value, I: Index>(rows: &Rows<'_, V, I>, told: Told<'_>) -> Distinct {
    let mut own = each_row(rows, |_, row| {
        row.values().iter().fold(0_u64, |sum, x| sum.wrapping_add(mix(bits(x.real()))))
    });
    let (group, first) = groups(rows, told, &keys(rows, told, &own));
    own.iter_mut().zip(told.ranked).for_each(|(own, &t)| *own = own.wrapping_add(mix(bits(t))));
    let mut order = sorted(told, &first, &own);
    if order.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        order = sorted(told, &first, &refined(rows, &first, &own));
    }
    let mut place = vec![0; first.len()];
    (0_u32..).zip(&order).for_each(|(at, &(.., k))| place[k as usize] = at);
    Distinct {
        of: group.into_iter().map(|k| place[k as usize]).collect(),
        kept: order.into_iter().map(|(_, _, i, _)| i).collect(),
    }
}

/// (N,) digests of examples, in which equal ones agree and others but by chance do not. The columns of values are looked
/// at only where another row has the same values.
fn keys<V: Value, I: Index>(rows: &Rows<'_, V, I>, told: Told<'_>, values: &[u64]) -> Vec<u64> {
    let key = |i: usize| mix(mix(values[i].wrapping_add(bits(told.y[i]))).wrapping_add(bits(told.offset(i))));
    let keys: Vec<u64> = (0..values.len()).map(key).collect();
    let shared = shared(&keys);
    each_row(rows, |i, row| {
        let mut key = keys[i];
        if shared[i] {
            row.each(|j, x| key = key.wrapping_add(mix(bits(x.real())).wrapping_mul(mix(j as u64) | 1)));
        }
        mix(key)
    })
}

/// (N,) whether another number is the same; now and then, whether one is like it.
fn shared(keys: &[u64]) -> Vec<bool> {
    let bits = usize::BITS - (8 * keys.len()).leading_zeros();
    let mut slots = vec![0_u8; 1 << bits];
    let slot = |key: u64| (key >> (u64::BITS - bits)) as usize;
    keys.iter().for_each(|&key| slots[slot(key)] = slots[slot(key)].saturating_add(1));
    keys.iter().map(|&key| slots[slot(key)] > 1).collect()
}

/// Examples by their ranks, then targets, then places; with each, which of `first` it is.
fn sorted(told: Told<'_>, first: &[u32], rank: &[u64]) -> Vec<(u64, f64, u32, u32)> {
    let of = |(k, &i): (u32, &u32)| (rank[i as usize], told.y[i as usize] + 0.0, i, k);
    let mut order: Vec<_> = (0_u32..).zip(first).map(of).collect();
    order.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    order
}

/// (N,) ranks that tell apart what digests of the values alone do not.
fn refined<V: Value, I: Index>(rows: &Rows<'_, V, I>, first: &[u32], own: &[u64]) -> Vec<u64> {
    let columns = of_columns(rows, first, own);
    each_row(rows, |_, row| {
        let mut rank = 0_u64;
        row.each(|j, x| rank = rank.wrapping_add(edge(x.real(), columns[j])));
        rank
    })
}

/// (N,) a digest of the values of each row, the same however it is stored: Σ_j h(x_j)·r_j modulo 2^64, where the odd
/// r_j are drawn by the seed (Carter & Wegman 1979), mixed once more. Without h the many trailing zeros of a 1.0 would
/// leave twelve bits of it.
pub fn digests<V: Value, I: Index>(rows: &Rows<'_, V, I>, seed: u64) -> Vec<u64> {
    let start = mix(seed.wrapping_add(DRAW));
    let factors: Vec<u64> =
        (1..=rows.columns() as u64).map(|j| mix(start.wrapping_add(j.wrapping_mul(DRAW))) | 1).collect();
    each_row(rows, |_, row| {
        let mut sum = 0_u64;
        row.each(|j, x| sum = sum.wrapping_add(mix(bits(x.real())).wrapping_mul(factors[j])));
        mix(sum)
    })
}

impl Told<'_> {
    fn offset(&self, i: usize) -> f64 {
        self.offset.map_or(0.0, |offset| offset[i])
    }
}

/// Bits of a number; those of −0 are those of 0.
#[inline(always)]
fn bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}

/// 64 bits each of which hangs on all bits of `h`; 0 of 0.
#[inline(always)]
fn mix(mut h: u64) -> u64 {
    h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ (h >> 31)
}

/// The digest of a value with that of its row or column; 0 of the value 0, which sparse rows leave out.
#[inline(always)]
fn edge(x: f64, of: u64) -> u64 {
    if x == 0.0 { 0 } else { mix(mix(bits(x)).wrapping_add(of)) }
}

/// What `of` makes of the place of each row and the row.
fn each_row<V: Value, I: Index, T: Send + Default + Clone>(
    rows: &Rows<'_, V, I>,
    of: impl Fn(usize, Row<'_, V, I>) -> T + Sync,
) -> Vec<T> {
    let halt = current();
    let mut found = vec![T::default(); rows.count()];
    fill(&mut found, STRETCH, &|part, found| {
        check(&halt);
        for (i, found) in (part * STRETCH..).zip(found) {
            *found = of(i, rows.row(i));
        }
    });
    found
}

/// The group of each example, equal ones in one, and the first of each group.
fn groups<V: Value, I: Index>(rows: &Rows<'_, V, I>, told: Told<'_>, keys: &[u64]) -> (Vec<u32>, Vec<u32>) {
    let equal = |i: usize, k: usize| {
        told.y[i] == told.y[k] && told.offset(i) == told.offset(k) && same(&rows.row(i), &rows.row(k))
    };
    let bits = usize::BITS - (2 * keys.len()).leading_zeros();
    let mut slots = vec![u32::MAX; 1 << bits];
    let (mut group, mut first) = (Vec::with_capacity(keys.len()), Vec::new());
    for (i, &key) in keys.iter().enumerate() {
        let mut slot = key as usize & (slots.len() - 1);
        let own = loop {
            let Some(&k) = first.get(slots[slot] as usize) else {
                slots[slot] = first.len() as u32;
                first.push(i as u32);
                break slots[slot];
            };
            if keys[k as usize] == key && equal(i, k as usize) {
                break slots[slot];
            }
            slot = (slot + 1) & (slots.len() - 1);
        };
        group.push(own);
    }
    (group, first)
}

/// Whether two rows have the same values.
fn same<V: Value, I: Index>(one: &Row<'_, V, I>, other: &Row<'_, V, I>) -> bool {
    let (a, b) = (one.values(), other.values());
    let numbers = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.real() == b.real());
    match (one, other) {
        (Row::Sparse(i, _), Row::Sparse(j, _)) => {
            (numbers && i.iter().zip(*j).all(|(i, j)| i.place() == j.place())) || values(one) == values(other)
        }
        _ => numbers,
    }
}

/// The values of a row other than 0, by their columns: in another order, or beside a 0, they are the same.
fn values<V: Value, I: Index>(row: &Row<'_, V, I>) -> HashMap<usize, f64> {
    let mut sums = HashMap::new();
    row.each(|j, x| *sums.entry(j).or_insert(0.0) += x.real());
    sums.retain(|_, x| *x != 0.0);
    sums
}

/// (d,) the digests of columns, over the rows `first`, of which each has a digest of its own.
fn of_columns<V: Value, I: Index>(rows: &Rows<'_, V, I>, first: &[u32], own: &[u64]) -> Vec<u64> {
    let halt = current();
    let most = rows.values().len() / (SHARE * rows.columns().max(1));
    let parts = rayon::current_num_threads().min(most).max(1);
    let add = |part: &[u32]| {
        let mut sums = vec![0_u64; rows.columns()];
        for stretch in part.chunks(STRETCH) {
            check(&halt);
            for &i in stretch {
                let own = own[i as usize];
                rows.row(i as usize).each(|j, x| sums[j] = sums[j].wrapping_add(edge(x.real(), own)));
            }
        }
        sums
    };
    let sums: Vec<Vec<u64>> = each_stretch(first, first.len().div_ceil(parts), &add);
    let plus = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(b));
        a
    };
    sums.into_iter().reduce(plus).unwrap_or_else(|| vec![0; rows.columns()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_zeros_and_ones_have_digests_of_their_own() {
        let columns = 16;
        let x: Vec<f64> =
            (0..1 << columns).flat_map(|i| (0..columns).map(move |j| f64::from(i >> j & 1))).collect();
        let rows = Rows::<_, i32>::dense(&x, 1 << columns, columns).unwrap();
        let mut found = digests(&rows, 3);
        assert_ne!(found, digests(&rows, 4));
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 1 << columns);
    }

    fn of(x: &[f64], columns: usize, y: &[f64]) -> Distinct {
        let rows = Rows::<_, i32>::dense(x, y.len(), columns).unwrap();
        distinct(&rows, Told { y, ranked: y, offset: None })
    }

    #[test]
    fn equal_rows_of_one_target_are_one_example() {
        let x = [1.0, 0.0, 1.0, -0.0, 1.0, 0.0, 2.0, 0.0];
        let found = of(&x, 2, &[1.0, 1.0, -1.0, 1.0]);
        assert_eq!(found.kept.len(), 3);
        assert_eq!(found.of[0], found.of[1]);
        assert_eq!(found.kept[found.of[1] as usize], 0);
        assert!(found.of[2] != found.of[0] && found.of[3] != found.of[0]);
        assert!(of(&[], 3, &[]).kept.is_empty());
    }

    #[test]
    fn sparse_rows_are_equal_however_they_are_written() {
        let (data, y) = ([1.0, 2.0, 2.0, 1.0, 0.0, 1.0, 2.0, 5.0], [1.0; 3]);
        let rows = Rows::sparse(&data, &[0, 2, 2, 0, 1, 0, 2, 1], &[0_i32, 2, 5, 8], 3).unwrap();
        let found = distinct(&rows, Told { y: &y, ranked: &y, offset: None });
        assert_eq!(found.kept.len(), 2);
        assert!(found.of[0] == found.of[1] && found.of[2] != found.of[0]);
        let offset = Some(&[0.0, 1.0, 0.0][..]);
        assert_eq!(distinct(&rows, Told { y: &y, ranked: &y, offset }).kept.len(), 3);
    }

    #[test]
    fn keys_that_agree_by_chance_keep_examples_apart() {
        let (x, y) = ([1.0, 2.0, 1.0, 3.0], [1.0; 4]);
        let rows = Rows::<_, i32>::dense(&x, 4, 1).unwrap();
        let (group, first) = groups(&rows, Told { y: &y, ranked: &y, offset: None }, &[7; 4]);
        assert_eq!((group, first), (vec![0, 1, 0, 2], vec![0, 1, 3]));
    }
}

//! Products of sparse rows with sparse rows: a stretch of rows x feature by feature, times rows z one after the other.
//!
//! ```text
//! Σ_k x_k z_k  =  Σ over the rare k of z that occur in the stretch, over the x that have them     one at a time
//!               + Σ over the frequent k of z, over all x of a panel                             L side by side
//! ```
//!
//! A frequent feature is one that at least every `RARE`-th row has: L products at once then cost less than those that
//! are not with 0. The order of the sum is that of the features of z, the rare ones first: it depends on the two rows
//! only, and is the same for x·z and z·x.
//!
//! Floor of a product x·z, for reviews of IMDB (139 words each) and raw mails (290): a load, a product and a store for
//! each rare feature that both have (1.2 and 1.9), a look at a word of bits for each of z (70 and 134), shared by the rows
//! of the stretch, and a vector operation for each frequent one of z (69 and 156), shared by the L rows of a panel. At a
//! cycle an operation these are 4 and 9 cycles in floats; a panel of all features takes 15 and 41 ns, this 7.5 and 17.

use std::ops::Range;
use std::sync::Arc;

use pulp::Simd;

use super::Real;
use super::panel::GROUP;
use super::products::Sink;
use super::stored::{Part, Stored};
use crate::halt::{self, Halt};
use crate::vectors::{add_row, load, store};

/// Rows of a stretch: many, as each z looks at every one of its rare features once a stretch.
pub(super) const ROWS: usize = 512;
/// From so many frequent features a row on, a z is multiplied with two panels at once: with one alone it would wait for
/// each sum before it adds to it again. Shorter rows do not wait, and one panel stays nearer.
const LONG: usize = 32;
/// A feature that fewer than one in so many rows have is rare.
pub(super) const RARE: usize = 16;
/// Of so few features all are taken to be frequent: their panels stay in a cache near by. And so many are at most: the
/// panels of a stretch, which are written anew for each set of z, then take 4 MB.
pub(super) const FEW: usize = 512;
pub(super) const FREQUENT: usize = 2048;
/// Rows z whose sums with a stretch are made at once: the panels are read once for all of them.
pub(super) const BATCH: usize = 64;

/// Which of 64 rare features occur, and how many occur before these.
#[derive(Clone, Copy, Default)]
struct Word {
    bits: u64,
    before: u32,
}

/// The rows of some panels, and their rare features one by one.
pub(super) struct Stretch<R> {
    rows: Range<usize>,
    frequent: usize,
    words: Vec<Word>,
    /// Where the rows of each rare feature that occurs begin, and one more.
    begins: Vec<u32>,
    /// Row within the stretch, and value.
    met: Vec<(u32, R)>,
}

/// Where sums are made.
pub(super) struct Sums<R, const L: usize> {
    /// The frequent features of a stretch, panel after panel.
    panels: Vec<[R; L]>,
    /// `BATCH` times the rows of a stretch.
    all: Vec<R>,
    /// Features that occur.
    found: Vec<(u32, R)>,
    /// Sums that are done: of one panel with a row, of two, and of one with several rows.
    pub(super) one: [[R; L]; 1],
    two: [[R; L]; 2],
    pub(super) group: [[R; L]; GROUP],
}

impl<R: Real, const L: usize> Sums<R, L> {
    pub fn new() -> Self {
        let none = [R::default(); L];
        let (one, two, group) = ([none], [none; 2], [none; GROUP]);
        Sums { panels: Vec::new(), all: Vec::new(), found: Vec::new(), one, two, group }
    }
}

impl Word {
    #[inline(always)]
    fn has(self, k: u32) -> bool {
        self.bits >> (k % 64) & 1 == 1
    }

    #[inline(always)]
    fn rank(self, k: u32) -> usize {
        let below = self.bits & ((1 << (k % 64)) - 1);
        self.before as usize + below.count_ones() as usize
    }
}

impl<R: Real> Stretch<R> {
    /// The rows of a range, of so many features, the first of which are frequent.
    pub fn new(rows: &Stored<R>, range: Range<usize>, frequent: usize, features: usize) -> Self {
        let mut words = vec![Word::default(); (features - frequent).div_ceil(64)];
        for k in range.clone().flat_map(|i| rows.rare(i).0).map(|&k| k - frequent as u32) {
            words[k as usize / 64].bits |= 1 << (k % 64);
        }
        let mut before = 0;
        for word in &mut words {
            word.before = before;
            before += word.bits.count_ones();
        }
        let mut begins = vec![0; before as usize + 2];
        let rank = |k: u32| words[(k as usize - frequent) / 64].rank(k - frequent as u32);
        let rare = |i: usize| rows.rare(i).0.iter().map(|&k| rank(k));
        range.clone().flat_map(rare).for_each(|r| begins[r + 2] += 1);
        (1..begins.len()).for_each(|r| begins[r] += begins[r - 1]);
        let mut met = vec![(0, R::default()); begins.last().map_or(0, |&all| all as usize)];
        for (l, i) in range.clone().enumerate() {
            for (r, &x) in rare(i).zip(rows.rare(i).1) {
                met[begins[r + 1] as usize] = (l as u32, x);
                begins[r + 1] += 1;
            }
        }
        begins.pop();
        Stretch { rows: range, frequent, words, begins, met }
    }

    /// The rare part of the products of one z with all rows.
    #[inline(always)]
    fn meet(&self, (places, values): Part<'_, R>, found: &mut Vec<(u32, R)>, sums: &mut [R]) {
        found.resize(found.len().max(places.len()), (0, R::default()));
        let mut n = 0;
        for (&k, &z) in places.iter().zip(values) {
            let k = k - self.frequent as u32;
            found[n] = (k, z);
            n += usize::from(self.words[k as usize / 64].has(k));
        }
        for &(k, z) in &found[..n] {
            let r = self.words[k as usize / 64].rank(k);
            for &(row, x) in &self.met[self.begins[r] as usize..self.begins[r + 1] as usize] {
                let sum = &mut sums[row as usize];
                *sum = x.times(z, *sum);
            }
        }
    }

    /// Writes the frequent features of all rows side by side.
    fn spread<const L: usize>(&self, x: &Stored<R>, panels: &mut Vec<[R; L]>) {
        panels.clear();
        panels.resize(self.rows.len().div_ceil(L) * self.frequent, [R::default(); L]);
        for (l, i) in self.rows.clone().enumerate() {
            let panel = &mut panels[l / L * self.frequent..][..self.frequent];
            let (places, values) = x.frequent(i);
            places.iter().zip(values).for_each(|(&k, &x)| panel[k as usize][l % L] = x);
        }
    }

    /// Tells `sink` the products of all z with the rows x of each panel.
    #[inline(always)]
    pub fn products<S: Simd, const L: usize>(
        &self,
        simd: S,
        (x, z): (&Stored<R>, &Stored<R>),
        sums: &mut Sums<R, L>,
        halt: &Option<Arc<Halt>>,
        mut sink: impl Sink<R, L>,
    ) {
        let (count, rare) = (self.rows.len().div_ceil(L), !self.words.is_empty());
        let long = z.frequent_values() >= LONG * z.count();
        let Sums { panels, all, found, one, two, .. } = sums;
        let nothing = [R::default(); L];
        self.spread(x, panels);
        all.resize(if rare { BATCH * count * L } else { 0 }, R::default());
        for first in (0..z.count()).step_by(BATCH) {
            halt::check(halt);
            let batch = first..z.count().min(first + BATCH);
            for (j, own) in batch.clone().zip(all.chunks_exact_mut(count * L)) {
                own.fill(R::default());
                self.meet(z.rare(j), found, own);
            }
            let begun = all.as_chunks::<L>().0;
            let begun = |b: usize, p: usize| if rare { &begun[b * count + p] } else { &nothing };
            let panel = |p: usize| &panels[p * self.frequent..][..self.frequent];
            let mut p = 0;
            while p < count {
                let pair = long && p + 1 < count;
                for (b, j) in batch.clone().enumerate() {
                    if pair {
                        let begun = [begun(b, p), begun(b, p + 1)];
                        add(simd, [panel(p), panel(p + 1)], z.frequent(j), begun, two);
                        sink.take(p, j, &mut two[0]);
                        sink.take(p + 1, j, &mut two[1]);
                    } else {
                        add(simd, [panel(p)], z.frequent(j), [begun(b, p)], one);
                        sink.take(p, j, &mut one[0]);
                    }
                }
                p += if pair { 2 } else { 1 };
            }
        }
    }
}

/// Writes the sums that were begun, to which the frequent part of one z with the rows of P panels is added.
#[inline(always)]
fn add<S: Simd, R: Real, const L: usize, const P: usize>(
    simd: S,
    panels: [&[[R; L]]; P],
    z: Part<'_, R>,
    begun: [&[R; L]; P],
    sums: &mut [[R; L]; P],
) {
    match L / R::count::<S>() {
        2 => in_vectors::<S, R, L, P, 2>(simd, panels, z, begun, sums),
        4 => in_vectors::<S, R, L, P, 4>(simd, panels, z, begun, sums),
        8 => in_vectors::<S, R, L, P, 8>(simd, panels, z, begun, sums),
        _ => one_by_one(panels, z, begun, sums),
    }
}

/// The same where V vectors hold L numbers.
#[inline(always)]
fn in_vectors<S: Simd, R: Real, const L: usize, const P: usize, const V: usize>(
    simd: S,
    panels: [&[[R; L]]; P],
    z: Part<'_, R>,
    begun: [&[R; L]; P],
    sums: &mut [[R; L]; P],
) {
    let (places, values) = (z.0, &z.1[..z.0.len()]);
    let mut vectors = [[R::splat(simd, R::default()); V]; P];
    for p in 0..P {
        vectors[p] = load::<S, R, L, V>(simd, begun[p]);
    }
    for i in 0..places.len() {
        for p in 0..P {
            vectors[p] = add_row::<S, R, L, V>(simd, &panels[p][places[i] as usize], values[i], vectors[p]);
        }
    }
    for p in 0..P {
        store::<S, R, L, V>(vectors[p], &mut sums[p]);
    }
}

/// The same where there are no vectors.
#[inline(always)]
fn one_by_one<R: Real, const L: usize, const P: usize>(
    panels: [&[[R; L]]; P],
    (places, values): Part<'_, R>,
    begun: [&[R; L]; P],
    sums: &mut [[R; L]; P],
) {
    *sums = begun.map(|begun| *begun);
    for (&k, &z) in places.iter().zip(values) {
        for p in 0..P {
            for l in 0..L {
                sums[p][l] = panels[p][k as usize][l].times(z, sums[p][l]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, WithSimd};

    struct Sum<'a, R, const L: usize>([&'a [[R; L]]; 2], Part<'a, R>, [&'a [R; L]; 2]);

    impl<R: Real, const L: usize> WithSimd for Sum<'_, R, L> {
        type Output = [[R; L]; 2];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [[R; L]; 2] {
            let mut sums = [[R::of(7.0); L]; 2];
            add(simd, self.0, self.1, self.2, &mut sums);
            sums
        }
    }

    fn same_of_every_width<R: Real + std::fmt::Debug, const L: usize>() {
        let number = |i: usize| R::of((i * 7919 % 1009) as f64 / 504.0 - 1.0);
        let panel = |p: usize| {
            (0..50).map(|k| std::array::from_fn(|l| number(p + k * L + l))).collect::<Vec<[R; L]>>()
        };
        let (panels, begun) = ([panel(0), panel(5)], [[number(3); L], [R::default(); L]]);
        for places in [vec![], vec![49], vec![40, 3, 2, 0], (0..50).rev().collect::<Vec<u32>>()] {
            let values: Vec<R> = places.iter().map(|&k| number(k as usize + 11)).collect();
            let mut wanted = begun;
            for (panel, sums) in panels.iter().zip(&mut wanted) {
                for (&k, &z) in places.iter().zip(&values) {
                    sums.iter_mut().zip(panel[k as usize]).for_each(|(sum, x)| *sum = x.times(z, *sum));
                }
            }
            let sum = || Sum([&panels[0], &panels[1]], (&places, &values), [&begun[0], &begun[1]]);
            assert_eq!(Arch::new().dispatch(sum()), wanted);
            assert_eq!(sum().with_simd(Scalar::new()), wanted);
            assert_eq!(sum().with_simd(Scalar128b), wanted);
            assert_eq!(sum().with_simd(Scalar256b), wanted);
            assert_eq!(sum().with_simd(Scalar512b), wanted);
        }
    }

    #[test]
    fn sums_are_the_same_to_the_last_bit_whatever_a_register_holds() {
        same_of_every_width::<f32, 32>();
        same_of_every_width::<f64, 16>();
    }
}

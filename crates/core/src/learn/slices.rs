//! Rows cut into slices: whole numbers of 22 bits, whose products no order of summing rounds.
//!
//! ```text
//! x_ij = 2^(E_j − 21) (a + b 2^−22 + c 2^−44 + …),      a, b, c … whole, |·| ≤ 2^21
//! ```
//!
//! Products of two slices are whole numbers up to 2^42, of sums of two up to 2^44, and 512 of these sum to at most 2^53.
//! Ozaki, Ogita, Oishi & Rump, Numerical Algorithms 59, 2012. What a few values have left beyond the slices, and rows
//! with numbers so small that products would leave the range, go to `odd`.

use super::chain::squarable;
use super::double_double::{two_product, two_sum};
use super::odd::{Leftover, Odd};
use super::scale::{Scale, WEIGHT, power};
use crate::rows::{Index, Row, Rows, Value};

/// Rows that are cut at once.
pub const BLOCK: usize = 1 << 9;
/// Bits of a slice, but for its sign.
pub const BITS: i32 = 22;
/// Slices at most.
pub const MOST: usize = 8;
/// Rows that store less than this part of the columns are not made dense.
const SPARSE: usize = 4;
/// The size of a whole slice.
const TOP: i32 = BITS - 1;
/// One more slice costs as much as what this share of the values has left, times the slices there are.
const SHARE: f64 = 0.007;
const NEXT: f64 = power(BITS);
/// 1.5 · 2^52: what is added to it and taken away again is a whole number.
pub const ROUND: f64 = 1.5 * (1_u64 << 52) as f64;
/// Rows, cut.
pub struct Block {
    /// S slices of the right factor, of the left one where weights make it another: one number an entry.
    pub right: Vec<Vec<f64>>,
    /// None where both are the same.
    pub left: Option<Vec<Vec<f64>>>,
    /// Of sparse rows: the column of each entry, ascending in a row.
    pub places: Vec<u32>,
    /// Where rows end, after a 0.
    pub ends: Vec<usize>,
}

/// Memory of the blocks before, for the next: new memory is as dear as what is done in it.
#[derive(Default)]
pub struct Spare(Vec<Vec<f64>>);

impl Spare {
    fn take(&mut self) -> Vec<f64> {
        self.0.pop().unwrap_or_default()
    }

    fn take_cleared(&mut self) -> Vec<f64> {
        let mut taken = self.take();
        taken.clear();
        taken
    }

    /// Takes back what a block had.
    pub fn keep(&mut self, block: Block) {
        self.0.extend(block.right);
        self.0.extend(block.left.into_iter().flatten());
    }
}

/// Values as they are cut: what is left of each, scaled, and how far they are cut.
struct Rest {
    high: Vec<f64>,
    low: Vec<f64>,
    slices: Vec<Vec<f64>>,
    more: u64,
}

impl Rest {
    #[inline(always)]
    fn new(high: Vec<f64>, low: Vec<f64>) -> Rest {
        Rest { high, low, slices: Vec::new(), more: 0 }
    }

    /// Cuts until nothing is left, or so little that it is worth no further slice.
    #[inline(always)]
    fn cut(&mut self, spare: &mut Spare) {
        loop {
            let mut slice = spare.take();
            slice.resize(self.high.len(), 0.0);
            self.more =
                if self.low.is_empty() { self.cut_once(&mut slice) } else { self.cut_both(&mut slice) };
            self.slices.push(slice);
            let few = (self.slices.len() * self.high.len()) as f64 * SHARE;
            if self.more == 0 || (self.more as f64) < few || self.slices.len() == MOST {
                return;
            }
        }
    }

    #[inline(always)]
    fn cut_once(&mut self, slice: &mut [f64]) -> u64 {
        let mut more = 0;
        for (x, a) in self.high.iter_mut().zip(slice) {
            *a = (*x + ROUND) - ROUND;
            let rest = *x - *a;
            more += u64::from(rest != 0.0);
            *x = rest * NEXT;
        }
        more
    }

    #[inline(always)]
    fn cut_both(&mut self, slice: &mut [f64]) -> u64 {
        let mut more = 0;
        for ((x, low), a) in self.high.iter_mut().zip(&mut self.low).zip(slice) {
            *a = (*x + ROUND) - ROUND;
            let (rest, less) = two_sum(*x - *a, *low);
            more += u64::from(rest != 0.0);
            (*x, *low) = (rest * NEXT, less * NEXT);
        }
        more
    }

    /// What entry e has left, in its own unit.
    fn of(&self, e: usize, exponent: i32) -> [f64; 2] {
        let back = |x: f64| x * power(exponent - TOP) * power(-BITS * self.slices.len() as i32);
        [back(self.high[e]), self.low.get(e).map_or(0.0, |low| back(*low))]
    }

    fn is_left(&self, e: usize) -> bool {
        self.high[e] != 0.0
    }
}

/// What is cut: rows, their weights, and the scale of all of them.
pub struct Cut<'a, 'r, V, I> {
    pub rows: &'a Rows<'r, V, I>,
    pub weight: Option<&'a [f64]>,
    pub scale: &'a Scale,
}

impl<V: Value, I: Index> Cut<'_, '_, V, I> {
    /// Some of the rows cut; `odd` takes what is left over.
    #[inline(always)]
    pub fn block(
        &self,
        stretch: impl ExactSizeIterator<Item = usize> + Clone,
        odd: &mut Odd,
        spare: &mut Spare,
    ) -> Block {
        let d = self.rows.columns();
        let sparse = self.scatters();
        let up: Vec<f64> = self.scale.right.iter().map(|e| power(TOP - e)).collect();
        let down: Vec<f64> = self.scale.right.iter().map(|e| power(e - TOP)).collect();
        let up_left: Vec<f64> = self.scale.left.iter().map(|e| power(TOP - e)).collect();
        let (mut right, mut high, mut low) =
            (spare.take_cleared(), spare.take_cleared(), spare.take_cleared());
        right.reserve(if sparse { 0 } else { stretch.len() * d });
        let (mut places, mut ends, mut row) = (Vec::new(), vec![0], Vec::new());
        for i in stretch.clone() {
            let w = self.weight.map(|weight| weight[i]);
            if self.is_odd(i, w) {
                if w != Some(0.0) {
                    self.note(i, w.unwrap_or(1.0), None, odd);
                }
                right.resize(right.len() + if sparse { 0 } else { d }, 0.0);
                high.resize(if w.is_some() { right.len() } else { 0 }, 0.0);
                low.resize(high.len(), 0.0);
                ends.push(right.len());
                continue;
            }
            let start = right.len();
            if sparse {
                row.clear();
                self.rows.row(i).each(|j, x| row.push((j as u32, x.real())));
                row.sort_unstable_by_key(|entry| entry.0);
                places.extend(row.iter().map(|entry| entry.0));
                right.extend(row.iter().map(|(j, x)| x * up[*j as usize]));
            } else if let Row::Dense(values) = self.rows.row(i) {
                right.resize(start + d, 0.0);
                for ((into, x), up) in right[start..].iter_mut().zip(values).zip(&up) {
                    *into = x.real() * up;
                }
            } else {
                right.resize(start + d, 0.0);
                self.rows.row(i).each(|j, x| right[start + j] = x.real() * up[j]);
            }
            if let Some(w) = w {
                high.resize(right.len(), 0.0);
                low.resize(right.len(), 0.0);
                let into = high[start..].iter_mut().zip(&mut low[start..]);
                for (e, (x, (high, low))) in right[start..].iter().zip(into).enumerate() {
                    let j = if sparse { places[start + e] as usize } else { e };
                    let (value, rest) = two_product(w, x * down[j]);
                    (*high, *low) = (value * up_left[j], rest * up_left[j]);
                }
            }
            ends.push(right.len());
        }
        let mut right = Rest::new(right, Vec::new());
        right.cut(spare);
        let mut left = match self.weight {
            Some(_) => Some(Rest::new(high, low)),
            None => {
                spare.0.extend([high, low]);
                None
            }
        };
        if let Some(left) = &mut left {
            left.cut(spare);
        }
        if right.more > 0 || left.as_ref().is_some_and(|left| left.more > 0) {
            self.leave(stretch, &right, left.as_ref(), &places, &ends, odd);
        }
        spare.0.push(right.high);
        let left = left.map(|left| {
            spare.0.extend([left.high, left.low]);
            left.slices
        });
        Block { right: right.slices, left, places, ends }
    }

    /// Whether rows store so little that they are multiplied as they are.
    pub fn scatters(&self) -> bool {
        self.rows.is_sparse() && self.rows.values().len() * SPARSE < self.rows.count() * self.rows.columns()
    }

    #[inline(always)]
    fn is_odd(&self, i: usize, w: Option<f64>) -> bool {
        let mut odd = w.is_some_and(|w| !(power(-WEIGHT)..=power(WEIGHT)).contains(&w));
        if self.scale.tiny {
            self.rows.row(i).each(|_, x| odd |= x.real() != 0.0 && x.real().abs() < self.scale.least);
        }
        odd
    }

    /// Notes a row of weight w; without rests, all of it.
    fn note(&self, i: usize, w: f64, rests: Option<Vec<Leftover>>, odd: &mut Odd) {
        let row = self.rows.row(i);
        if let Row::Dense(values) = row {
            return odd.push_dense(values.iter().map(|x| squarable(x.real())), w, rests);
        }
        let mut entries = Vec::new();
        row.each(|j, x| entries.push((j as u32, squarable(x.real()))));
        entries.retain(|entry| entry.1 != 0.0);
        entries.sort_unstable_by_key(|entry| entry.0);
        odd.push_sparse(&entries, w, rests);
    }

    /// Notes the rows that the slices do not hold.
    fn leave(
        &self,
        stretch: impl Iterator<Item = usize>,
        right: &Rest,
        left: Option<&Rest>,
        places: &[u32],
        ends: &[usize],
        odd: &mut Odd,
    ) {
        let d = self.rows.columns();
        for (i, ends) in stretch.zip(ends.windows(2)) {
            let mut rests = Vec::new();
            for e in ends[0]..ends[1] {
                if !right.is_left(e) && !left.is_some_and(|left| left.is_left(e)) {
                    continue;
                }
                let place = if places.is_empty() { (e % d) as u32 } else { places[e] };
                let own = right.of(e, self.scale.right[place as usize])[0];
                let both = left.map_or([own, 0.0], |left| left.of(e, self.scale.left[place as usize]));
                rests.push(Leftover { place, right: own, left: both });
            }
            if !rests.is_empty() {
                self.note(i, self.weight.map_or(1.0, |weight| weight[i]), Some(rests), odd);
            }
        }
    }
}

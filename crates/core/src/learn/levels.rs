//! Sums of products of slices: a whole number for each power of two, in 64 bits.
//!
//! Σ w x_j x_k = 2^(F_j + E_k − 42) Σ_l 2^(−22 l) H_l, where H_l gathers the products of slices s and t with s + t = l.
//! Where products of sums, (a_s + a_t)(b_s + b_t), come in the place of a_s b_t + a_t b_s, those of a_s b_s are taken from
//! level s + t, once for all blocks.

use super::exact::Exact;
use super::slices::{BITS, MOST};

/// Blocks whose sums fit: each adds less than 2^56.
const BLOCKS: u32 = 60;

/// H, for j ≥ k: line after line of the lower triangle.
pub struct Levels {
    /// The first takes what the others carry.
    tables: Vec<Vec<i64>>,
    /// By s: the products of slice s with itself that are in no level yet; of blocks of so many slices.
    squares: Vec<Vec<i64>>,
    slices: usize,
    size: usize,
    blocks: u32,
}

/// The place of (j, k), k ≤ j.
#[inline(always)]
fn place(j: usize, k: usize) -> usize {
    j * (j + 1) / 2 + k
}

impl Levels {
    /// Zeros, of d columns.
    pub fn new(d: usize) -> Levels {
        let size = d * (d + 1) / 2;
        Levels { tables: vec![vec![0; size]], squares: Vec::new(), slices: 0, size, blocks: 0 }
    }

    /// Makes room for the products of so many slices of one block.
    pub fn begin(&mut self, left: usize, right: usize) {
        debug_assert!(left <= MOST && right <= MOST);
        while self.tables.len() < left + right {
            self.tables.push(vec![0; self.size]);
        }
        if self.slices != left.min(right) {
            self.settle();
            self.slices = left.min(right);
        }
        self.blocks += 1;
        if self.blocks == BLOCKS {
            self.carry();
        }
    }

    /// Line j of where the products of slices s and t belong, or for s < t those of their sums.
    #[inline(always)]
    pub fn products(&mut self, (s, t): (usize, usize), j: usize) -> &mut [i64] {
        if s != t || s >= self.slices {
            return self.line(s + t, j);
        }
        while self.squares.len() <= s {
            self.squares.push(vec![0; self.size]);
        }
        &mut self.squares[s][place(j, 0)..place(j, j) + 1]
    }

    /// Brings the squares to their levels.
    fn settle(&mut self) {
        for (s, square) in self.squares.drain(..).enumerate() {
            for t in 0..self.slices {
                let sign = if s == t { 1 } else { -1 };
                self.tables[s + t + 1].iter_mut().zip(&square).for_each(|(level, x)| *level += sign * x);
            }
        }
    }

    /// Line j of level l.
    #[inline(always)]
    pub fn line(&mut self, l: usize, j: usize) -> &mut [i64] {
        &mut self.tables[l + 1][place(j, 0)..place(j, j) + 1]
    }

    fn carry(&mut self) {
        self.settle();
        self.blocks = 1;
        for l in (1..self.tables.len()).rev() {
            let (before, own) = self.tables.split_at_mut(l);
            for (above, own) in before[l - 1].iter_mut().zip(&mut own[0]) {
                *above += *own >> BITS;
                *own &= (1 << BITS) - 1;
            }
        }
    }

    /// Adds the sums of other rows.
    pub fn add(&mut self, mut other: Levels) {
        self.carry();
        other.carry();
        while self.tables.len() < other.tables.len() {
            self.tables.push(vec![0; self.size]);
        }
        for (own, other) in self.tables.iter_mut().zip(other.tables) {
            own.iter_mut().zip(other).for_each(|(a, b)| *a += b);
        }
        self.blocks += 1;
    }

    /// + the sum of (j, k), k ≤ j, whose products are whole multiples of 2^exponent in level 0.
    pub fn add_to(&self, j: usize, k: usize, exponent: i32, into: &mut Exact) {
        for (l, table) in self.tables.iter().enumerate() {
            into.add_whole(table[place(j, k)], exponent + BITS - BITS * l as i32);
        }
    }
}

//! The path of an interior point: what each line of the losses knows, and how it moves.
//!
//! ```text
//! min over w, b of   Σ_i max over u_i in [lo_i, hi_i] of (u_i (t_i − (Aw)_i − b) − ½ k_i u_i²) + ½λ‖w‖²
//! ```
//!
//! with multipliers z, q ≥ 0 of hi and lo, A the rows of X and, where there is λ₁, one more row e_j for each weight, which
//! knows no b. Mehrotra, SIAM J. Optim. 2, 1992; the systems of equations are the caller's. Sums are taken over parts of
//! the lines that hang on their number alone, and added in order. Floor of a step: six touches of each value of X, and
//! some 25 divisions a line, two at a time; five walks along all lines, each of what is known of them once.

mod beside;
mod paces;

use self::beside::{Alone, Beside, Lines};
use self::paces::{Aiming, Leaving, Looking, Turning};
use super::few::{Few, Sums};
use crate::halt::{check, current};
use crate::parallel::fill;

/// Lines that are moved at once: what is known of them stays in the cache.
const BLOCK: usize = 256;
/// A step is short of which no more is taken, and one line in so many may hold the others back; what is left of what a
/// line has where they do not wait for it. A path has 0.64 times as many steps, on average of 52 hinges of 13 tables, and
/// 0.26 to 0.6 times where columns are discrete or a class is rare.
const SHORT: f64 = 0.7;
const FEW: usize = 200;
const LEFT: f64 = 0.3;
/// Parts of the lines at most; each has a sum of weights of its own.
const PARTS: usize = 16;

/// What is found on the way along all lines.
#[derive(Default)]
pub struct Look {
    /// Σ of the losses.
    pub losses: f64,
    /// z·(hi − u) + q·(u − lo).
    pub product: f64,
    /// Σ of the losses less u·(t − Aw − b) − ½k·u², which is no more than that where the multipliers are exact.
    pub apart: f64,
    /// Aᵀu, and Σ u over the rows of X; of u, or of its step.
    pub sums: Sums,
    /// The same of the step of u where w and b stay, and products of complements become 0.
    pub rest: Sums,
}

impl Look {
    fn new(columns: usize) -> Look {
        let zero = || (vec![0.0; columns], 0.0);
        Look { sums: zero(), rest: zero(), ..Look::default() }
    }
}

/// What is known of a line, side by side for a few of them.
#[derive(Clone)]
struct Block {
    t: [f64; BLOCK],
    lo: [f64; BLOCK],
    hi: [f64; BLOCK],
    curve: [f64; BLOCK],
    /// hi − u.
    above: [f64; BLOCK],
    /// u − lo.
    below: [f64; BLOCK],
    z: [f64; BLOCK],
    q: [f64; BLOCK],
    /// t − Aw − b − k·u − z + q, which is to become 0.
    apart: [f64; BLOCK],
    /// What a line weighs in the system of equations.
    weight: [f64; BLOCK],
    /// The step of u where w and b stay.
    rest: [f64; BLOCK],
    /// The steps of u, z and q.
    du: [f64; BLOCK],
    dz: [f64; BLOCK],
    dq: [f64; BLOCK],
    /// What z and q would become where u stays.
    to_z: [f64; BLOCK],
    to_q: [f64; BLOCK],
    /// The largest share of a multiplier, or of a distance, that the step takes away.
    taken: [f64; BLOCK],
}

/// All lines: first those of the rows of X, then, with λ₁, those of the weights.
pub struct Barrier {
    blocks: Vec<Block>,
    count: usize,
    /// The largest share of a multiplier, or of a distance, that the step takes away.
    taken: f64,
    /// How much of the step is to be taken before the next look.
    length: f64,
    /// The share of each multiplier and distance that is left at least.
    left: f64,
}

impl Barrier {
    /// Lines of t, lo, hi and k at u = `middle`, z and q a distance `away` from t and −t.
    pub fn new([t, lo, hi, curve, middle]: [&[f64]; 5], away: f64) -> Barrier {
        let block = |first: usize| {
            let of = |x: &[f64]| {
                let mut own = [0.0; BLOCK];
                let x = &x[first..x.len().min(first + BLOCK)];
                own[..x.len()].copy_from_slice(x);
                own
            };
            let (t, lo, hi, curve, middle) = (of(t), of(lo), of(hi), of(curve), of(middle));
            let mut block = Block { t, lo, hi, curve, ..Block::ZERO };
            for k in 0..BLOCK {
                block.above[k] = hi[k] - middle[k];
                block.below[k] = hi[k] - lo[k] - block.above[k];
                block.z[k] = t[k].max(0.0) + away;
                block.q[k] = (-t[k]).max(0.0) + away;
            }
            block
        };
        Barrier {
            blocks: (0..t.len()).step_by(BLOCK).map(block).collect(),
            count: t.len(),
            taken: 0.0,
            length: 0.0,
            left: 0.0,
        }
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Looks how far w and b are from the optimum, after the step before; aims at 0.
    pub fn look(&mut self, rows: &Few<'_>, w: &[f64], b: f64) -> Look {
        let (length, left) = (std::mem::take(&mut self.length), self.left);
        self.walk(&Beside { rows }, &Looking { w, b, length, left })
    }

    /// What each line weighs in the system of equations.
    pub fn weights(&self) -> Vec<f64> {
        let each = self.blocks.iter().flat_map(|block| block.weight);
        each.take(self.count).collect()
    }

    /// Aims at z·(hi − u) = μ = q·(u − lo) with what the step before was short of at second order. Returns the sums of the
    /// steps of u where w and b stay.
    pub fn aim(&mut self, rows: &Few<'_>, mu: f64) -> Sums {
        self.walk(&Beside { rows }, &Aiming { mu }).sums
    }

    /// The step of u that goes with steps of w and b; its sums, if they are asked for, or zeros.
    pub fn turn(&mut self, rows: &Few<'_>, w: &[f64], b: f64, summed: bool) -> Sums {
        let found = self.walk(&Beside { rows }, &Turning { w, b, summed });
        self.taken = found.product;
        found.sums
    }

    /// z·(hi − u) + q·(u − lo) after as much of the step as can be taken.
    pub fn reach(&mut self) -> f64 {
        let length = self.longest(1.0);
        self.walk(&Alone, &Leaving { length }).product
    }

    /// Takes the step, a `share` at most of what would make a multiplier or a distance 0; how far, 1 at most.
    ///
    /// Where `freely`, and a few lines alone hold all others back, it goes as far as the others can, and these, and who
    /// comes near them, keep some of what they have: the equations that they leave open are closed by the next steps.
    pub fn advance(&mut self, share: f64, freely: bool) -> f64 {
        let few = if freely { self.count / FEW } else { 0 };
        (self.length, self.left) = (self.longest(share), 1.0 - share);
        if few > 0 && self.length < SHORT {
            let each = self.blocks.iter().flat_map(|block| block.taken);
            let mut taken: Vec<f64> = each.take(self.count).collect();
            let most = *taken.select_nth_unstable_by(self.count - few, f64::total_cmp).1;
            (self.length, self.left) = ((share / most.max(1e-300)).min(1.0), LEFT);
        }
        self.length
    }

    /// u, where what tends to a bound is there: of each pair of complements the smaller one, in units of its range, is 0
    /// at the optimum.
    pub fn clean(&self, away: f64) -> Vec<f64> {
        debug_assert!(self.length == 0.0, "a look takes the step first");
        let clean = |i: usize| {
            let (block, k) = (&self.blocks[i / BLOCK], i % BLOCK);
            let wide = (block.hi[k] - block.lo[k]) / away;
            match () {
                () if block.above[k] < block.z[k] * wide => block.hi[k],
                () if block.below[k] < block.q[k] * wide => block.lo[k],
                () => block.u(k),
            }
        };
        (0..self.count).map(clean).collect()
    }

    /// u as it is, within all bounds.
    pub fn inside(&self) -> Vec<f64> {
        (0..self.count).map(|i| self.blocks[i / BLOCK].u(i % BLOCK)).collect()
    }

    fn longest(&self, share: f64) -> f64 {
        (share / self.taken.max(1e-300)).min(1.0)
    }

    /// Moves all lines beside what they are lines of.
    fn walk(&mut self, beside: &dyn Lines, pace: &dyn Pace) -> Look {
        let (halt, size, count) = (current(), self.blocks.len().div_ceil(PARTS).max(2), self.count);
        let part = |part: usize, blocks: &mut [Block]| {
            check(&halt);
            let mut found = Look::new(beside.columns());
            for (first, block) in (part * size * BLOCK..).step_by(BLOCK).zip(blocks) {
                pace.step(block, BLOCK.min(count - first), first, beside, &mut found);
            }
            found
        };
        let parts: Vec<Look> = fill(&mut self.blocks, size, &part);
        let none = || Look::new(beside.columns());
        parts.into_iter().reduce(|all, part| pace.together(all, part)).unwrap_or_else(none)
    }
}

impl Block {
    const ZERO: Block = {
        let zero = [0.0; BLOCK];
        Block {
            t: zero,
            lo: zero,
            hi: zero,
            curve: zero,
            above: zero,
            below: zero,
            z: zero,
            q: zero,
            apart: zero,
            weight: zero,
            rest: zero,
            du: zero,
            dz: zero,
            dq: zero,
            to_z: zero,
            to_q: zero,
            taken: zero,
        }
    };

    #[inline(always)]
    fn u(&self, k: usize) -> f64 {
        let (above, below) = (self.above[k], self.below[k]);
        if above < below { self.hi[k] - above } else { self.lo[k] + below }
    }

    /// max over u of u·r − ½k·u²; bounded on the side of 0 alone, where there is a curve.
    #[inline(always)]
    fn loss(&self, k: usize, r: f64) -> f64 {
        let bound = if r > 0.0 { self.hi[k] } else { self.lo[k] };
        match self.curve[k] {
            curve if curve > 0.0 => {
                if bound == 0.0 {
                    0.0
                } else {
                    0.5 * r * r / curve
                }
            }
            _ => bound * r,
        }
    }
}

/// What is done to the lines of a block, the first n of its places.
trait Pace: Sync {
    fn step(&self, block: &mut Block, n: usize, first: usize, beside: &dyn Lines, found: &mut Look);

    /// What is found of two parts.
    fn together(&self, all: Look, part: Look) -> Look {
        add_sums(all, part)
    }
}

fn add_sums(mut all: Look, part: Look) -> Look {
    all.losses += part.losses;
    all.product += part.product;
    all.apart += part.apart;
    for (all, part) in [(&mut all.sums, part.sums), (&mut all.rest, part.rest)] {
        all.0.iter_mut().zip(part.0).for_each(|(all, part)| *all += part);
        all.1 += part.1;
    }
    all
}

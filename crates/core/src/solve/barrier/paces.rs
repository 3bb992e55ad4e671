//! What is done to lines on a walk along them.

use super::beside::{Lines, sum};
use super::{BLOCK, Block, Look, Pace, add_sums};

type Numbers = [f64; BLOCK];

/// The largest of numbers and 0, eight at a time.
#[inline(always)]
fn largest(x: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let (eights, rest) = x.as_chunks::<8>();
    let mut most = [0.0; 8];
    eights.iter().for_each(|x| (0..8).for_each(|k| most[k] = larger(most[k], x[k])));
    most.iter().chain(rest).copied().fold(0.0, larger)
}

/// Takes the step before, looks, and aims at 0.
pub(super) struct Looking<'a> {
    pub(super) w: &'a [f64],
    pub(super) b: f64,
    pub(super) length: f64,
    pub(super) left: f64,
}

impl Pace for Looking<'_> {
    fn step(&self, block: &mut Block, n: usize, first: usize, beside: &dyn Lines, found: &mut Look) {
        if self.length > 0.0 {
            advance(block, n, self.length, self.left);
        }
        let (mut s, mut u): (Numbers, Numbers) = ([0.0; BLOCK], [0.0; BLOCK]);
        let (mut product, mut apart): (Numbers, Numbers) = ([0.0; BLOCK], [0.0; BLOCK]);
        beside.scores(first, self.w, self.b, &mut s[..n]);
        for k in 0..n {
            let r = block.t[k] - s[k];
            u[k] = block.u(k);
            block.apart[k] = r - block.curve[k] * u[k] - block.z[k] + block.q[k];
            s[k] = block.loss(k, r);
            apart[k] = s[k] - u[k] * (r - 0.5 * block.curve[k] * u[k]);
            product[k] = block.z[k] * block.above[k] + block.q[k] * block.below[k];
        }
        found.losses += sum(&s[..n]);
        found.product += sum(&product[..n]);
        found.apart += sum(&apart[..n]);
        beside.add(first, &u[..n], &mut found.sums);
        for k in 0..n {
            let bent = block.z[k] / block.above[k] + block.q[k] / block.below[k] + block.curve[k];
            block.weight[k] = 1.0 / bent;
            (block.to_z[k], block.to_q[k]) = (-block.z[k], -block.q[k]);
            block.rest[k] = block.weight[k] * (block.apart[k] - block.to_z[k] + block.to_q[k]);
        }
        beside.add(first, &block.rest[..n], &mut found.rest);
    }
}

/// Takes so much of the step, but for what is to be left of each multiplier and distance.
fn advance(block: &mut Block, n: usize, length: f64, left: f64) {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    for k in 0..n {
        let (z, q, above, below) = (block.z[k], block.q[k], block.above[k], block.below[k]);
        block.z[k] = larger(z + length * block.dz[k], left * z);
        block.q[k] = larger(q + length * block.dq[k], left * q);
        let range = above + below;
        let (up, down) = (above - length * block.du[k], below + length * block.du[k]);
        let (near_hi, near_lo) = (up < left * above, down < left * below);
        block.above[k] = if near_hi {
            left * above
        } else if near_lo {
            range - left * below
        } else {
            up
        };
        block.below[k] = if near_hi {
            range - left * above
        } else if near_lo {
            left * below
        } else {
            down
        };
    }
}

pub(super) struct Aiming {
    pub(super) mu: f64,
}

impl Pace for Aiming {
    fn step(&self, block: &mut Block, n: usize, first: usize, beside: &dyn Lines, found: &mut Look) {
        for k in 0..n {
            let (up, down) = (self.mu + block.dz[k] * block.du[k], self.mu - block.dq[k] * block.du[k]);
            block.to_z[k] = up / block.above[k] - block.z[k];
            block.to_q[k] = down / block.below[k] - block.q[k];
            block.rest[k] = block.weight[k] * (block.apart[k] - block.to_z[k] + block.to_q[k]);
        }
        beside.add(first, &block.rest[..n], &mut found.sums);
    }
}

/// Finds the steps of u, z and q, and the largest share of a multiplier, or of a distance, that they take away.
pub(super) struct Turning<'a> {
    pub(super) w: &'a [f64],
    pub(super) b: f64,
    pub(super) summed: bool,
}

impl Pace for Turning<'_> {
    fn step(&self, block: &mut Block, n: usize, first: usize, beside: &dyn Lines, found: &mut Look) {
        beside.scores(first, self.w, self.b, &mut block.du[..n]);
        for k in 0..n {
            block.du[k] = block.rest[k] - block.weight[k] * block.du[k];
        }
        if self.summed {
            beside.add(first, &block.du[..n], &mut found.sums);
        }
        let mut taken = [0.0; BLOCK];
        for (k, taken) in taken[..n].iter_mut().enumerate() {
            let (z, q, above, below, du) =
                (block.z[k], block.q[k], block.above[k], block.below[k], block.du[k]);
            let (dz, dq) = (block.to_z[k] + z / above * du, block.to_q[k] - q / below * du);
            (block.dz[k], block.dq[k]) = (dz, dq);
            let larger = |a: f64, b: f64| if b > a { b } else { a };
            *taken = larger(larger(-dz / z, -dq / q), larger(du / above, -du / below));
        }
        found.product = found.product.max(largest(&taken[..n]));
        block.taken = taken;
    }

    fn together(&self, all: Look, part: Look) -> Look {
        let product = all.product.max(part.product);
        Look { product, ..add_sums(all, part) }
    }
}

/// The product of complements that a step leaves.
pub(super) struct Leaving {
    pub(super) length: f64,
}

impl Pace for Leaving {
    fn step(&self, block: &mut Block, n: usize, _: usize, _: &dyn Lines, found: &mut Look) {
        let mut left = [0.0; BLOCK];
        for (k, left) in left[..n].iter_mut().enumerate() {
            let (above, below) =
                (block.above[k] - self.length * block.du[k], block.below[k] + self.length * block.du[k]);
            *left = (block.z[k] + self.length * block.dz[k]) * above
                + (block.q[k] + self.length * block.dq[k]) * below;
        }
        found.product += sum(&left[..n]);
    }
}

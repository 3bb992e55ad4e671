//! The Hessian of a softmax, of the products of each two classes.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::super::moments::{Lower, add_products};
use super::{BLOCK, Softmax};
use crate::panels::{Panel, WIDTH};

impl Softmax<'_> {
    /// −H_kl for k > l, (d + 1, d + 1) each, up to the diagonal.
    fn blocks(&self, p: &[f64]) -> Option<Vec<Vec<f64>>> {
        let of_part = |own| Arch::new().dispatch(Blocks { of: self, p, own });
        let zero = || vec![vec![0.0; (self.rows.columns() + 1).pow(2)]; self.pairs()];
        let together = |mut all: Vec<Vec<f64>>, part: Vec<Vec<f64>>| {
            for (all, part) in all.iter_mut().zip(&part) {
                all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
            }
            all
        };
        Some(self.parts(&of_part)?.into_iter().reduce(together).unwrap_or_else(zero))
    }

    fn pairs(&self) -> usize {
        self.classes * (self.classes - 1) / 2
    }

    /// H class after class, up to the diagonal; intercepts, which may all move together, are kept from it.
    pub(super) fn hessian(&self, p: &[f64]) -> Option<(Vec<f64>, usize)> {
        let (classes, d) = (self.classes, self.rows.columns());
        let (each, width) = (d + 1, d + usize::from(self.intercept));
        let size = classes * width;
        let mut matrix = vec![0.0; size * size];
        let mut own = vec![vec![0.0; each * each]; classes];
        let mut k = 1;
        let mut l = 0;
        for block in self.blocks(p)? {
            for c in [k, l] {
                own[c].iter_mut().zip(&block).for_each(|(own, x)| *own += x);
            }
            for i in 0..width {
                for j in 0..=i {
                    let x = -block[i * each + j];
                    matrix[(k * width + i) * size + l * width + j] = x;
                    matrix[(k * width + j) * size + l * width + i] = x;
                }
            }
            (k, l) = if l + 1 < k { (k, l + 1) } else { (k + 1, 0) };
        }
        for (k, own) in own.iter().enumerate() {
            for i in 0..width {
                let line = &mut matrix[(k * width + i) * size + k * width..][..=i];
                line.copy_from_slice(&own[i * each..][..=i]);
                line[i] += if i < d { self.strength } else { 0.0 };
            }
        }
        if self.intercept {
            let apart = own.iter().map(|own| own[each * each - 1]).sum::<f64>() / classes as f64;
            for k in 0..classes {
                for l in 0..=k {
                    matrix[(k * width + d) * size + l * width + d] += apart;
                }
            }
        }
        Some((matrix, size))
    }
}

/// Products of some rows.
struct Blocks<'a> {
    of: &'a Softmax<'a>,
    p: &'a [f64],
    own: Range<usize>,
}

impl WithSimd for Blocks<'_> {
    type Output = Vec<Vec<f64>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<Vec<f64>> {
        let Blocks { of, p, own } = self;
        let (size, classes) = (of.rows.columns() + 1, of.classes);
        let mut lower = vec![vec![0.0; size * size]; of.pairs()];
        let mut plain = vec![Panel::new(BLOCK); size.div_ceil(WIDTH)];
        let mut weighed = plain.clone();
        let mut places = Vec::with_capacity(BLOCK);
        for first in own.clone().step_by(BLOCK) {
            places.clear();
            places.extend(first..own.end.min(first + BLOCK));
            for (p, plain) in plain.iter_mut().enumerate() {
                of.rows.take(p, &places, plain);
            }
            let p = &p[first * classes..][..classes * BLOCK];
            let mut pair = 0;
            for k in 1..classes {
                for l in 0..k {
                    let mut weight = [0.0; BLOCK];
                    let both = p[k * BLOCK..].iter().zip(&p[l * BLOCK..]).zip(&of.weight[first..]);
                    weight.iter_mut().zip(both).for_each(|(to, ((a, b), c))| *to = c * a * b);
                    let lower = Lower { lower: &mut lower[pair], size };
                    add_products(simd, &plain, &mut weighed, &weight, lower);
                    pair += 1;
                }
            }
        }
        lower
    }
}

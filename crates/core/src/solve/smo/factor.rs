//! UᵀU of a matrix that is positive semidefinite but for rounding, with pivots, and the ways downhill that it shows.
//!
//! ```text
//! PᵀHP = UᵀU up to what no pivot above `FLAT` reaches;      min over δ of ½ δᵀHδ + slopeᵀδ
//! ```
//!
//! Hammarling, Higham & Lucas, LAPACK-style codes for pivoted Cholesky, 2007: the largest pivot that is left comes next;
//! rows of some pivots are made from what these have in common, and what is left is updated once for all of them.
//! Floor: n³/3 multiplications, two vectors of which a core makes at once where what it reads is in its caches.

use pulp::{Arch, Simd, WithSimd};

use crate::halt;
use crate::kernel::{add_four, add_one};

/// A pivot below this share of the largest is rounding.
const FLAT: f64 = 1e-13;
/// Slopes below this share of what they are made of are rounding.
const LEVEL: f64 = 1e-12;
/// Pivots between two updates of what is left.
const BLOCK: usize = 48;
/// Numbers that are summed side by side.
const LANES: usize = 8;

/// H (n, n) with a diagonal of ones or zeros, by the lengths that it was divided by, and its factor.
pub(super) struct Factor {
    n: usize,
    h: Vec<f64>,
    length: Vec<f64>,
    u: Vec<f64>,
    /// The places in H, pivot after pivot.
    order: Vec<usize>,
    rank: usize,
}

impl Factor {
    /// Of H (n, n), row by row.
    pub fn new(mut h: Vec<f64>, n: usize) -> Factor {
        let mut length: Vec<f64> = (0..n).map(|i| h[i * n + i].abs().sqrt()).collect();
        length.iter_mut().filter(|length| **length == 0.0).for_each(|length| *length = 1.0);
        let shrunk: Vec<f64> = length.iter().map(|length| 1.0 / length).collect();
        for (row, own) in h.chunks_exact_mut(n).zip(&shrunk) {
            row.iter_mut().zip(&shrunk).for_each(|(h, other)| *h = *h * other * own);
        }
        let mut factor = Factor { n, u: h.clone(), h, length, order: (0..n).collect(), rank: 0 };
        Arch::new().dispatch(Pivots(&mut factor));
        factor
    }

    /// δ at the minimum, over the directions that have curvature.
    pub fn nearest(&self, slope: &[f64]) -> Vec<f64> {
        let slope = self.scaled(slope);
        let mut step = vec![0.0; self.n];
        self.newton(&slope, &mut step);
        if self.rank > 0 {
            let left = self.slopes(&slope, &step);
            self.newton(&left, &mut step);
        }
        step.iter_mut().zip(&self.length).for_each(|(step, length)| *step /= length);
        step
    }

    /// A way that costs no curvature, so far that it meets a bound, where D falls along it for ever; `step` as `nearest`
    /// has it.
    pub fn flat(&self, slope: &[f64], step: &[f64]) -> Option<Vec<f64>> {
        let (kept, rest) = self.order.split_at(self.rank);
        let slope = self.scaled(slope);
        let step: Vec<f64> = step.iter().zip(&self.length).map(|(step, length)| step * length).collect();
        let left = self.slopes(&slope, &step);
        let mut worst = *rest.first()?;
        for &i in rest {
            if left[i].abs() > left[worst].abs() {
                worst = i;
            }
        }
        let row = &self.h[worst * self.n..][..self.n];
        let made_of: f64 = kept.iter().map(|&i| row[i].abs() * step[i].abs()).sum();
        if left[worst].abs() <= LEVEL * (made_of + slope.iter().fold(0.0, |most: f64, s| most.max(s.abs()))) {
            return None;
        }
        let mut way = vec![0.0; self.n];
        self.newton(row, &mut way);
        way[worst] = 1.0;
        way.iter_mut().zip(&self.length).for_each(|(way, length)| *way *= -left[worst].signum() / length);
        let far = 1e300 / way.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        way.iter_mut().for_each(|x| *x *= far);
        Some(way)
    }

    fn scaled(&self, slope: &[f64]) -> Vec<f64> {
        slope.iter().zip(&self.length).map(|(slope, length)| slope / length).collect()
    }

    /// slope + Hδ.
    fn slopes(&self, slope: &[f64], step: &[f64]) -> Vec<f64> {
        let mut left = slope.to_vec();
        Arch::new().dispatch(Times { h: &self.h, x: step, sums: &mut left });
        left
    }

    /// δ −= H⁺slope over the pivots that there are.
    fn newton(&self, slope: &[f64], step: &mut [f64]) {
        let kept = &self.order[..self.rank];
        let mut x: Vec<f64> = kept.iter().map(|&i| slope[i]).collect();
        Arch::new().dispatch(Solve { u: &self.u, n: self.n, x: &mut x });
        kept.iter().zip(&x).for_each(|(&i, x)| step[i] -= x);
    }
}

struct Pivots<'a>(&'a mut Factor);

impl WithSimd for Pivots<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Factor { n, u, order, rank, .. } = self.0;
        let (n, halt) = (*n, halt::current());
        let mut gone = vec![0.0; n];
        for first in (0..n).step_by(BLOCK) {
            halt::check(&halt);
            let end = n.min(first + BLOCK);
            gone[first..].fill(0.0);
            for j in first..end {
                let (mut pivot, mut largest) = (j, f64::NEG_INFINITY);
                for i in j..n {
                    let left = u[i * n + i] - gone[i];
                    if left > largest {
                        (pivot, largest) = (i, left);
                    }
                }
                if largest <= FLAT || largest.is_nan() {
                    return;
                }
                exchange(u, n, j, pivot);
                order.swap(j, pivot);
                gone.swap(j, pivot);
                let (above, own) = u.split_at_mut(j * n);
                let row = &mut own[..n];
                combine(&above[first * n..], n, j, j + 1, row);
                let top = largest.sqrt();
                row[j] = top;
                let (row, gone, share) = (&mut row[j + 1..n], &mut gone[j + 1..n], 1.0 / top);
                for i in 0..row.len() {
                    row[i] *= share;
                    gone[i] = row[i].mul_add(row[i], gone[i]);
                }
                *rank = j + 1;
            }
            let (above, below) = u.split_at_mut(end * n);
            for (i, row) in below.chunks_exact_mut(n).enumerate() {
                combine(&above[first * n..], n, end + i, end + i, row);
            }
        }
    }
}

/// Exchanges two places, j ≤ p, in what is stored on and above the diagonal.
#[inline(always)]
fn exchange(u: &mut [f64], n: usize, j: usize, p: usize) {
    if j == p {
        return;
    }
    (0..j).for_each(|i| u.swap(i * n + j, i * n + p));
    (j + 1..p).for_each(|i| u.swap(j * n + i, i * n + p));
    u.swap(j * n + j, p * n + p);
    let (above, own) = u.split_at_mut(p * n);
    above[j * n + p + 1..][..n - p - 1].swap_with_slice(&mut own[p + 1..n]);
}

/// From the place `from` on: row −= Σ over the rows above, n long each, of their value at `column` times these.
#[inline(always)]
fn combine(above: &[f64], n: usize, column: usize, from: usize, row: &mut [f64]) {
    let row = &mut row[from..n];
    let len = row.len();
    let mut fours = above.chunks_exact(4 * n);
    for rows in &mut fours {
        let (p, q, r, s) = (&rows[..n], &rows[n..2 * n], &rows[2 * n..3 * n], &rows[3 * n..4 * n]);
        let by = [-p[column], -q[column], -r[column], -s[column]];
        add_four(row, (&p[from..][..len], &q[from..][..len], &r[from..][..len], &s[from..][..len]), by);
    }
    for other in fours.remainder().chunks_exact(n) {
        add_one(row, &other[from..][..len], -other[column]);
    }
}

/// UᵀUx = x, for the first rows of U (n, n).
struct Solve<'a> {
    u: &'a [f64],
    n: usize,
    x: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Solve { u, n, x } = self;
        let rank = x.len();
        let x = &mut x[..rank];
        for k in 0..rank {
            let row = &u[k * n..][..rank];
            let y = x[k] / row[k];
            x[k] = y;
            add_one(&mut x[k + 1..], &row[k + 1..], -y);
        }
        for k in (0..rank).rev() {
            let row = &u[k * n..][..rank];
            x[k] = (x[k] - inner(&row[k + 1..], &x[k + 1..])) / row[k];
        }
    }
}

/// sums += Hx.
struct Times<'a> {
    h: &'a [f64],
    x: &'a [f64],
    sums: &'a mut [f64],
}

impl WithSimd for Times<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rows = self.h.chunks_exact(self.x.len().max(1));
        rows.zip(self.sums).for_each(|(row, sum)| *sum += inner(row, self.x));
    }
}

/// Σ a·b, in an order that no width of vectors changes.
#[inline(always)]
pub(super) fn inner(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0_f64; LANES];
    let blocks = a.len().min(b.len());
    for n in 0..blocks {
        for l in 0..LANES {
            sums[l] = a[n][l].mul_add(b[n][l], sums[l]);
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BBᵀ of B (n, r) with numbers as if by chance: cubes modulo a prime.
    fn of_rank(n: usize, r: usize) -> Vec<f64> {
        let cube = |x: u64| x * x % 1_000_003 * x % 1_000_003;
        let b = |i: usize, k: usize| cube((i * 1009 + k * 71 + 1) as u64) as f64 / 1e6 - 0.5;
        (0..n * n).map(|at| (0..r).map(|k| b(at / n, k) * b(at % n, k)).sum()).collect()
    }

    #[test]
    fn the_minimum_has_no_slope_at_any_size() {
        for n in [1, 2, 5, 47, 48, 49, 97, 150] {
            let (h, slope) = (of_rank(n, n + 3), (0..n).map(|i| (i as f64).cos()).collect::<Vec<_>>());
            let factor = Factor::new(h.clone(), n);
            assert_eq!(factor.rank, n);
            let step = factor.nearest(&slope);
            for (row, slope) in h.chunks_exact(n).zip(&slope) {
                assert!((inner(row, &step) + slope).abs() < 1e-8, "{n}");
            }
            assert!(factor.flat(&slope, &step).is_none());
        }
    }

    #[test]
    fn a_way_without_curvature_is_found_where_the_rank_is_short() {
        for (n, r) in [(2, 1), (60, 20), (130, 70)] {
            let (h, slope) = (of_rank(n, r), (0..n).map(|i| (i as f64).cos()).collect::<Vec<_>>());
            let factor = Factor::new(h.clone(), n);
            assert_eq!(factor.rank, r);
            let way = factor.flat(&slope, &factor.nearest(&slope)).expect("a slope that no curvature holds");
            let way: Vec<f64> = way.iter().map(|x| x / 1e300).collect();
            assert!(h.chunks_exact(n).all(|row| inner(row, &way).abs() < 1e-8));
            assert!(inner(&slope, &way) < 0.0);
        }
    }
}

//! Σ w x xᵀ of rows, without rounding.
//!
//! Floor: of S slices N·d²·S(S + 1)/4 multiplications; S is 1 for whole numbers below 2^21, 2 for single precision, 3 for
//! most doubles.

use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::blocks::{Panels, multiply};
use super::exact::{Exact, in_parts};
use super::labels::Labels;
use super::levels::Levels;
use super::moments::side_by_side;
use super::odd::Odd;
use super::scale::Scale;
use super::slices::{BITS, BLOCK, Block, Cut, Spare};
use super::support::{Domain, Outside, Support};
use crate::halt::{self, Halt};
use crate::parallel::{each, each_stretch};
use crate::rows::{Index, Rows, Value};

/// Sums of one thread, in numbers, at most.
const ROOM: usize = 1 << 24;

/// Rows that are worth a thread: its sums are added to those of the others, which takes as long as some dozen rows.
const SHARE: usize = BLOCK / 2;

/// What entries may be.
const DOMAIN: Domain = Domain { support: Support::Squarable, missing: false };

/// Σ w x xᵀ class by class, (L, C, d·d) in parts, or of all rows, (L, 1, d·d); or the first entry that is no number, or
/// beyond 10^150.
pub fn class_products<V: Value, I: Index>(
    rows: &Rows<V, I>,
    labels: &Labels<'_>,
    pooled: bool,
) -> Result<Vec<f64>, Outside> {
    let weight = labels.weights();
    let Some(scale) = Scale::of(rows, weight) else {
        return Err(DOMAIN.first_outside(rows).expect("an entry outside was met"));
    };
    let sums = Sums { cut: Cut { rows, weight, scale: &scale }, halt: halt::current() };
    let d = rows.columns();
    if pooled {
        return Ok(sums.parts((0..rows.count()).collect::<Vec<_>>().as_slice(), rayon::current_num_threads()));
    }
    let threads = rayon::current_num_threads().div_ceil(labels.classes().max(1));
    let class = |c: usize| {
        let own: Vec<usize> = labels.rows(c).iter().map(|i| *i as usize).collect();
        sums.parts(&own, threads)
    };
    let found: Vec<Vec<f64>> = each(labels.classes(), &class);
    Ok(side_by_side(&found, d * d, |parts| parts))
}

/// Products of some of the rows.
struct Sums<'a, 'r, V, I> {
    cut: Cut<'a, 'r, V, I>,
    halt: Option<Arc<Halt>>,
}

impl<V: Value, I: Index> Sums<'_, '_, V, I> {
    /// (L, d·d) in parts.
    fn parts(&self, own: &[usize], threads: usize) -> Vec<f64> {
        let d = self.cut.rows.columns();
        let threads = threads.min(own.len().div_ceil(SHARE)).min(ROOM / (d * d + 1)).max(1);
        let share = own.len().div_ceil(threads).max(1);
        let of_stretch = |own: &[usize]| Arch::new().dispatch(Stretch { sums: self, own });
        let found: Vec<(Levels, Odd)> = each_stretch(own, share, &of_stretch);
        let (mut levels, mut odd) = (Levels::new(d), Odd::default());
        for (more, left) in found {
            levels.add(more);
            odd.append(left);
        }
        let line = |j: usize| {
            halt::check(&self.halt);
            Arch::new().dispatch(Line { scale: self.cut.scale, levels: &levels, odd: &odd, j })
        };
        let lines: Vec<Vec<f64>> = each(d, &line);
        symmetric(&lines)
    }
}

/// Sums of a stretch of rows.
struct Stretch<'a, 'r, V, I> {
    sums: &'a Sums<'a, 'r, V, I>,
    own: &'a [usize],
}

impl<V: Value, I: Index> WithSimd for Stretch<'_, '_, V, I> {
    type Output = (Levels, Odd);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Sums { cut, halt } = self.sums;
        let rows = cut.rows;
        let (mut levels, mut odd, mut spare) =
            (Levels::new(rows.columns()), Odd::default(), Spare::default());
        let (mut left, mut right) = (Panels::default(), Panels::default());
        for own in self.own.chunks(BLOCK) {
            halt::check(halt);
            let block = cut.block(own.iter().copied(), &mut odd, &mut spare);
            levels.begin(block.left.as_ref().unwrap_or(&block.right).len(), block.right.len());
            if cut.scatters() {
                scatter(&block, &mut levels);
            } else {
                let pause = || halt::check(halt);
                right.hold(&block.right, rows.columns());
                if let Some(slices) = &block.left {
                    left.hold(slices, rows.columns());
                    multiply(&mut left, Some(&mut right), &mut levels, &pause);
                } else {
                    multiply(&mut right, None, &mut levels, &pause);
                }
            }
            spare.keep(block);
        }
        (levels, odd)
    }
}

/// Adds the products of sparse rows, place by place.
#[inline(always)]
fn scatter(block: &Block, levels: &mut Levels) {
    let whole = |slices: &[Vec<f64>]| -> Vec<Vec<i64>> {
        slices.iter().map(|slice| slice.iter().map(|x| *x as i64).collect()).collect()
    };
    let right = whole(&block.right);
    let left = block.left.as_ref().map(|left| whole(left));
    for ends in block.ends.windows(2) {
        for e in ends[0]..ends[1] {
            for (s, left) in left.as_ref().unwrap_or(&right).iter().enumerate().filter(|left| left.1[e] != 0)
            {
                for (t, right) in right.iter().enumerate() {
                    let line = levels.line(s + t, block.places[e] as usize);
                    for (k, b) in block.places[ends[0]..=e].iter().zip(&right[ends[0]..=e]) {
                        line[*k as usize] += left[e] * b;
                    }
                }
            }
        }
    }
}

/// Line j of the lower triangle, (L, d) in parts.
struct Line<'a> {
    scale: &'a Scale,
    levels: &'a Levels,
    odd: &'a Odd,
    j: usize,
}

impl WithSimd for Line<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Line { scale, levels, odd, j } = self;
        let mut line = vec![Exact::default(); if odd.is_empty() { 0 } else { j + 1 }];
        odd.add_line(j, &mut line);
        in_parts(scale.right.len(), |k, into| {
            if k > j {
                return;
            }
            levels.add_to(j, k, scale.left[j] + scale.right[k] - 2 * (BITS - 1), into);
            if let Some(more) = line.get_mut(k) {
                more.drain(|_, part| into.add(part));
            }
        })
    }
}

/// (L, d·d) of d lines, each (L′, d), of which the part up to the diagonal is known.
fn symmetric(lines: &[Vec<f64>]) -> Vec<f64> {
    let d = lines.len();
    let longest = lines.iter().map(|line| line.len() / d).max().unwrap_or(2);
    let mut out = vec![0.0; longest * d * d];
    for (j, line) in lines.iter().enumerate() {
        for (part, line) in line.chunks_exact(d).enumerate() {
            for (k, x) in line.iter().enumerate().take(j + 1) {
                out[(part * d + j) * d + k] = *x;
                out[(part * d + k) * d + j] = *x;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::{CHUNK, WIDTH};
    use proptest::prelude::*;

    const D: usize = 7;

    /// Values of few and of many digits, 0, and numbers far from all others of their column; all products are normal.
    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            4 => (-(1_i64 << 20)..1 << 20).prop_map(|k| k as f64 / 1024.0),
            4 => -1.0..1.0,
            2 => Just(0.0),
            1 => (-1.0..1.0, -140..140).prop_map(|(x, power)| x * 10_f64.powi(power)),
        ]
    }

    /// (L, D·D) in parts, product by product.
    fn slow(x: &[f64], d: usize, weight: Option<&[f64]>) -> Vec<f64> {
        in_parts(d * d, |entry, into| {
            for (i, row) in x.chunks(d).enumerate() {
                into.add_products(&[weight.map_or(1.0, |w| w[i]), row[entry / d], row[entry % d]]);
            }
        })
    }

    /// Asserts that sums of dense rows are those of every product.
    fn check(x: &[f64], d: usize, weight: Option<&[f64]>, threads: usize) {
        let y = vec![0; x.len() / d];
        let labels = Labels::new(&y, weight, 1, y.len()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let rows = Rows::<f64, i32>::dense(x, y.len(), d).unwrap();
        let mut found = pool.install(|| class_products(&rows, &labels, true)).ok().unwrap();
        let mut wanted = slow(x, d, weight);
        let parts = found.len().max(wanted.len());
        found.resize(parts, 0.0);
        wanted.resize(parts, 0.0);
        assert!(found == wanted, "{d} columns, {threads} threads, weights {}", weight.is_some());
    }

    #[test]
    fn sums_of_many_columns_are_those_of_every_product_however_many_slices_a_block_has() {
        // Blocks of whole numbers, of single precision, of doubles, and of all of them.
        let kinds: [fn(f64) -> f64; 3] = [|x| (x * 1000.0).round(), |x| f64::from(x as f32), |x| x];
        for d in [CHUNK * WIDTH + 9, 3 * WIDTH] {
            let value = |e: usize| {
                let (i, x) = (e / d, (e as f64 * 0.7391).sin() / (1.0 + (e % 5) as f64));
                if i < 3 * BLOCK { kinds[i / BLOCK](x) } else { kinds[i % 3](x) }
            };
            let x: Vec<f64> = (0..(3 * BLOCK + 40) * d).map(value).collect();
            let few = &x[..if d > 100 { 40 } else { 3 * BLOCK + 40 } * d];
            let w: Vec<f64> = (0..few.len() / d).map(|i| [1.0, 0.5, 0.1][i / 7 % 3]).collect();
            for threads in [1, 2] {
                check(few, d, None, threads);
                check(few, d, Some(&w), threads);
            }
        }
    }

    /// Rows as CSR, without their zeros.
    fn as_csr(x: &[f64]) -> (Vec<f64>, Vec<i32>, Vec<i32>) {
        let (mut data, mut indices, mut indptr) = (Vec::new(), Vec::new(), vec![0]);
        for row in x.chunks(D) {
            for (j, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                data.push(*value);
                indices.push(j as i32);
            }
            indptr.push(data.len() as i32);
        }
        (data, indices, indptr)
    }

    proptest! {
        #[test]
        fn sums_are_those_of_every_product_whatever_slices_leave(
            x in prop::collection::vec(prop::collection::vec(value(), D), 1..60),
            w in prop::collection::vec(prop_oneof![Just(1.0), 0.0..3.0], 60),
            times in prop_oneof![Just(1_usize), Just(40)],
            weighted: bool,
            threads in 1..4_usize,
        ) {
            let x: Vec<f64> = x.concat().repeat(times);
            let w: Vec<f64> = w.iter().copied().cycle().take(x.len() / D).collect();
            let weight = weighted.then_some(w.as_slice());
            let wanted = slow(&x, D, weight);
            let y = vec![0; x.len() / D];
            let labels = Labels::new(&y, weight, 1, y.len()).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let dense = Rows::<f64, i32>::dense(&x, y.len(), D).unwrap();
            let (data, indices, indptr) = as_csr(&x);
            let sparse = Rows::sparse(&data, &indices, &indptr, D).unwrap();
            for rows in [&dense, &sparse] {
                let found = pool.install(|| class_products(rows, &labels, true)).ok().unwrap();
                let parts = found.len().max(wanted.len());
                let padded = |mut sums: Vec<f64>| { sums.resize(parts, 0.0); sums };
                prop_assert_eq!(padded(found), padded(wanted.clone()));
            }
        }
    }
}

//! Scores of rows under independent features: Σ_j log p(x_ij | c), for every row and class.
//!
//! A feature that is missing, NaN, is left out, which is its exact marginal. Dense rows are scored four at a time, so
//! that the parameters of a class are loaded once for all four. Sparse rows start from the score of a row of zeros
//! and move from there by what each stored value changes.

use pulp::{Arch, Simd, WithSimd};

use crate::parallel::fill;
use crate::rows::{Index, Rows, Value};

/// Rows that are scored at once.
pub const GROUP: usize = 4;
/// Columns that are summed side by side: fixed, so that the order of a sum is the same on every processor.
pub const LANES: usize = 4;
/// Rows that a thread takes at once.
const STRETCH: usize = 64;
/// A larger value counts as this one, so that its distance from any other is finite.
const MOST: f64 = 1e300;
/// Standard deviations beyond which a value counts as being so far away: their square is finite.
pub const FARTHEST: f64 = 1e140;
/// Where zero lies more standard deviations from the centre, moving from there would cost too many digits.
const FAR: f64 = 1e3;

/// A location and a scale, 1/σ, per class and feature, (C, d); and the constant of the logarithm of the density.
pub struct Parameters<'a> {
    /// The centres.
    pub location: &'a [f64],
    /// One over the spreads; 0 is a feature without evidence.
    pub scale: &'a [f64],
    /// What the logarithm of the density is at the centre.
    pub constant: &'a [f64],
    /// C.
    pub classes: usize,
    /// d.
    pub columns: usize,
}

/// The shape of the density: its logarithm, less the constant.
pub trait Density: Sync {
    /// The parameters.
    fn parameters(&self) -> &Parameters<'_>;

    /// The term of a value at so many standard deviations from the centre, |z| ≤ `FARTHEST`.
    fn term(&self, c: usize, j: usize, z: f64) -> f64;

    /// The sum of the terms of four rows in class c. `MISSING`: a value may be NaN, and adds nothing.
    fn sum<const MISSING: bool>(&self, c: usize, x: [&[f64]; GROUP]) -> [f64; GROUP];

    /// Moves a row from zero to x in feature j.
    fn shift(&self, j: usize, x: f64, row: &mut Running);

    /// Completes the scores of a row.
    fn finish(&self, row: &mut Running);
}

/// Scores of a row while its values come in, one a class; some of them as the logarithm of product · 2^exponent.
pub struct Running {
    /// Σ of terms.
    pub scores: Vec<f64>,
    /// Mantissas, where factors are gathered before their logarithm is taken.
    pub products: Vec<f64>,
    /// Powers of two taken out of the products.
    pub exponents: Vec<f64>,
    /// Factors since a power of two was taken out.
    pub pending: usize,
}

impl Parameters<'_> {
    /// Distance of x from the centre in standard deviations, within ±`FARTHEST`.
    #[inline(always)]
    pub fn distance(&self, c: usize, j: usize, x: f64) -> f64 {
        let at = c * self.columns + j;
        ((x.clamp(-MOST, MOST) - self.location[at]) * self.scale[at]).clamp(-FARTHEST, FARTHEST)
    }

    /// Centres and scales of class c.
    #[inline(always)]
    pub fn of_class(&self, c: usize) -> (&[f64], &[f64]) {
        let row = c * self.columns..(c + 1) * self.columns;
        (&self.location[row.clone()], &self.scale[row])
    }

    /// `table` (C, d) as (d, C).
    pub fn by_feature(&self, table: &[f64]) -> Vec<f64> {
        let (columns, classes) = (self.columns, self.classes);
        (0..columns).flat_map(|j| (0..classes).map(move |c| table[c * columns + j])).collect()
    }
}

/// (N, C) the scores of all rows.
pub fn scores<V: Value, I: Index, D: Density>(rows: &Rows<V, I>, density: &D) -> Vec<f64> {
    let classes = density.parameters().classes;
    let mut out = vec![0.0; rows.count() * classes];
    if classes == 0 {
        return out;
    }
    let sparse = rows.is_sparse().then(|| Sparse::new(density));
    let bias: Vec<f64> = match &sparse {
        Some(sparse) => sparse.bias.clone(),
        None => {
            density.parameters().constant.chunks(rows.columns().max(1)).map(|row| row.iter().sum()).collect()
        }
    };
    let bias = if bias.is_empty() { vec![0.0; classes] } else { bias };
    fill(&mut out, STRETCH * classes, &|k, out| {
        let start = k * STRETCH;
        match &sparse {
            Some(sparse) => Arch::new().dispatch(ScoreSparse { rows, sparse, start, out }),
            None => Arch::new().dispatch(ScoreDense { rows, density, bias: &bias, start, out }),
        }
    });
    out
}

/// Scores of the dense rows from `start`, as many as `out` has room for.
struct ScoreDense<'a, 'r, V, I, D> {
    rows: &'a Rows<'r, V, I>,
    density: &'a D,
    bias: &'a [f64],
    start: usize,
    out: &'a mut [f64],
}

impl<V: Value, I: Index, D: Density> WithSimd for ScoreDense<'_, '_, V, I, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let ScoreDense { rows, density, bias, start, out } = self;
        let classes = bias.len();
        let zeros = vec![0.0; rows.columns()];
        let mut buffers = [const { Vec::new() }; GROUP];
        let mut missing = [const { Vec::new() }; GROUP];
        for (k, out) in out.chunks_mut(GROUP * classes).enumerate() {
            let mut x = [&zeros[..]; GROUP];
            let present = out.len() / classes;
            for ((r, buffer), missing) in buffers.iter_mut().enumerate().zip(&mut missing).take(present) {
                x[r] = bounded(rows.row(start + k * GROUP + r).values(), buffer, missing);
            }
            let whole = missing[..present].iter().all(Vec::is_empty);
            for c in 0..classes {
                let sums = if whole { density.sum::<false>(c, x) } else { density.sum::<true>(c, x) };
                let constants = &density.parameters().constant[c * rows.columns()..];
                for r in 0..present {
                    let gone: f64 = missing[r].iter().map(|&j: &usize| constants[j]).sum();
                    out[r * classes + c] = sums[r] + (bias[c] - gone);
                }
            }
        }
    }
}

/// Values as doubles within ±`MOST`, and the columns where they are missing.
#[inline(always)]
fn bounded<'a, V: Value>(values: &'a [V], buffer: &'a mut Vec<f64>, missing: &mut Vec<usize>) -> &'a [f64] {
    missing.clear();
    if values.iter().fold(true, |all, x| all & (x.real().abs() <= MOST)) {
        return V::reals(values, buffer);
    }
    buffer.clear();
    buffer.extend(values.iter().map(|x| x.real().clamp(-MOST, MOST)));
    missing.extend(buffer.iter().enumerate().filter(|(_, x)| x.is_nan()).map(|(j, _)| j));
    buffer
}

/// What is known before a sparse row comes.
struct Sparse<'a, D> {
    density: &'a D,
    /// (C,) the scores of a row of zeros, features far from zero left out.
    bias: Vec<f64>,
    /// (d, C) the terms and constants of zero.
    zero: Vec<f64>,
    /// Features whose centre is far from zero.
    far: Vec<usize>,
    /// (d,) the place in `far`, or none.
    place: Vec<u32>,
}

/// No place in `far`.
const NEAR: u32 = u32::MAX;

impl<'a, D: Density> Sparse<'a, D> {
    fn new(density: &'a D) -> Self {
        let parameters = density.parameters();
        let (classes, columns) = (parameters.classes, parameters.columns);
        let mut sparse = Sparse {
            density,
            bias: vec![0.0; classes],
            zero: Vec::new(),
            far: Vec::new(),
            place: Vec::new(),
        };
        for j in 0..columns {
            let far = (0..classes).any(|c| parameters.distance(c, j, 0.0).abs() > FAR);
            sparse.place.push(if far { sparse.far.len() as u32 } else { NEAR });
            for c in 0..classes {
                let zero = sparse.density_of(c, j, 0.0);
                sparse.zero.push(zero);
                sparse.bias[c] += if far { 0.0 } else { zero };
            }
            if far {
                sparse.far.push(j);
            }
        }
        sparse
    }

    /// log p(x | c) of feature j.
    fn density_of(&self, c: usize, j: usize, x: f64) -> f64 {
        let parameters = self.density.parameters();
        self.density.term(c, j, parameters.distance(c, j, x))
            + parameters.constant[c * parameters.columns + j]
    }
}

/// Scores of the sparse rows from `start`, as many as `out` has room for.
struct ScoreSparse<'a, 'r, V, I, D> {
    rows: &'a Rows<'r, V, I>,
    sparse: &'a Sparse<'a, D>,
    start: usize,
    out: &'a mut [f64],
}

impl<V: Value, I: Index, D: Density> WithSimd for ScoreSparse<'_, '_, V, I, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Sparse { density, bias, zero, far, place } = self.sparse;
        let classes = bias.len();
        let mut running = Running {
            scores: Vec::new(),
            products: vec![1.0; classes],
            exponents: vec![0.0; classes],
            pending: 0,
        };
        let mut values = vec![0.0; far.len()];
        for (i, out) in (self.start..).zip(self.out.chunks_exact_mut(classes)) {
            running.scores.clear();
            running.scores.extend(bias);
            self.rows.row(i).each(|j, x| {
                let x = x.real().clamp(-MOST, MOST); // NaN stays NaN
                if place[j] != NEAR {
                    values[place[j] as usize] = x;
                } else if x.is_nan() {
                    let zero = &zero[j * classes..][..classes];
                    running.scores.iter_mut().zip(zero).for_each(|(score, zero)| *score -= zero);
                } else {
                    density.shift(j, x, &mut running);
                }
            });
            density.finish(&mut running);
            out.copy_from_slice(&running.scores);
            for (&j, x) in far.iter().zip(&mut values) {
                if !x.is_nan() {
                    let term = |c: usize| self.sparse.density_of(c, j, *x);
                    out.iter_mut().enumerate().for_each(|(c, score)| *score += term(c));
                }
                *x = 0.0;
            }
        }
    }
}

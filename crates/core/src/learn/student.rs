//! Scores under Student densities.
//!
//! ```text
//! log p(x | c) = Σ_j constant_cj − ½ (ν_cj + 1) log(1 + z_cj²/ν_cj),      z_cj = (x_j − location_cj) · scale_cj
//! ```
//!
//! Where all features of a class have the same ν, the factors 1 + z²/ν are multiplied and one logarithm is taken of
//! all of them; powers of two are taken out before the product can overflow.

use std::array::from_fn;

use super::densities::{Density, GROUP, LANES, Parameters, Running, scores};
use crate::rows::{Index, Rows, Value};

/// Factors that are multiplied before powers of two are taken out.
const FACTORS: usize = 8;
/// The largest ratio of factors that is multiplied, one over the smallest: `FACTORS` of them, and a mantissa, are
/// normal numbers.
const MOST_FACTOR: f64 = 1e30;
/// With more degrees of freedom 1 + z²/ν would lose too much of z².
const MOST_FREEDOM: f64 = 1e6;

struct Student<'a> {
    parameters: Parameters<'a>,
    freedom: &'a [f64],
    /// (C,) one over ν of the class, where it is the same for all features and small enough; otherwise 0.
    common: Vec<f64>,
    sparse: Option<ByFeature>,
}

/// (d, C) tables for sparse rows.
struct ByFeature {
    location: Vec<f64>,
    scale: Vec<f64>,
    freedom: Vec<f64>,
    /// z²/ν at x = 0.
    zero: Vec<f64>,
}

/// (N, C) the scores of all rows; `freedom` (C, d) holds ν > 0.
pub fn student_scores<V: Value, I: Index>(
    rows: &Rows<V, I>,
    parameters: Parameters<'_>,
    freedom: &[f64],
) -> Vec<f64> {
    let columns = parameters.columns;
    let common = |c: usize| {
        let row = &freedom[c * columns..][..columns];
        let first = row.first().copied().filter(|nu| row.iter().all(|other| other == nu));
        first.filter(|nu| (1.0 / MOST_FACTOR..MOST_FREEDOM).contains(nu)).map_or(0.0, f64::recip)
    };
    let common = (0..parameters.classes).map(common).collect();
    let sparse = rows.is_sparse().then(|| ByFeature::new(&parameters, freedom));
    scores(rows, &Student { parameters, freedom, common, sparse })
}

impl ByFeature {
    fn new(parameters: &Parameters<'_>, freedom: &[f64]) -> Self {
        let at =
            |c: usize, j: usize| excess(parameters.distance(c, j, 0.0), freedom[c * parameters.columns + j]);
        let classes = parameters.classes;
        let zero = (0..parameters.columns).flat_map(|j| (0..classes).map(move |c| (c, j)));
        ByFeature {
            location: parameters.by_feature(parameters.location),
            scale: parameters.by_feature(parameters.scale),
            freedom: parameters.by_feature(freedom),
            zero: zero.map(|(c, j)| at(c, j)).collect(),
        }
    }
}

impl Density for Student<'_> {
    fn parameters(&self) -> &Parameters<'_> {
        &self.parameters
    }

    #[inline(always)]
    fn term(&self, c: usize, j: usize, z: f64) -> f64 {
        let nu = self.freedom[c * self.parameters.columns + j];
        -0.5 * (nu + 1.0) * excess(z, nu).ln_1p()
    }

    #[inline(always)]
    fn sum<const MISSING: bool>(&self, c: usize, x: [&[f64]; GROUP]) -> [f64; GROUP] {
        if self.common[c] > 0.0 {
            let (location, scale) = self.parameters.of_class(c);
            if let Some(logs) = log_product::<MISSING>(location, scale, self.common[c], x) {
                let nu = self.freedom[c * self.parameters.columns];
                return logs.map(|log| -0.5 * (nu + 1.0) * log);
            }
        }
        x.map(|x| {
            let known = x.iter().enumerate().filter(|(_, x)| !MISSING || !x.is_nan());
            known.map(|(j, &x)| self.term(c, j, self.parameters.distance(c, j, x))).sum()
        })
    }

    #[inline(always)]
    fn shift(&self, j: usize, x: f64, row: &mut Running) {
        let Some(tables) = &self.sparse else { return };
        let classes = row.scores.len();
        let at = j * classes..(j + 1) * classes;
        let (location, scale) = (&tables.location[at.clone()], &tables.scale[at.clone()]);
        let (freedom, zero) = (&tables.freedom[at.clone()], &tables.zero[at]);
        for c in 0..classes {
            let z = (x - location[c]) * scale[c];
            let ratio = (z * z).mul_add(self.common[c], 1.0) / (1.0 + zero[c]);
            if self.common[c] > 0.0 && (1.0 / MOST_FACTOR..MOST_FACTOR).contains(&ratio) {
                row.products[c] *= ratio;
            } else {
                let z = self.parameters.distance(c, j, x);
                let moved = excess(z, freedom[c]).ln_1p() - zero[c].ln_1p();
                row.scores[c] -= 0.5 * (freedom[c] + 1.0) * moved;
            }
        }
        row.pending += 1;
        if row.pending == FACTORS {
            take_powers(row);
        }
    }

    #[inline(always)]
    fn finish(&self, row: &mut Running) {
        for c in (0..row.scores.len()).filter(|&c| self.common[c] > 0.0) {
            let log = row.exponents[c].mul_add(std::f64::consts::LN_2, row.products[c].ln());
            row.scores[c] -= 0.5 * (self.freedom[c * self.parameters.columns] + 1.0) * log;
            (row.products[c], row.exponents[c]) = (1.0, 0.0);
        }
        row.pending = 0;
    }
}

/// z²/ν; no evidence, z = 0, whatever ν.
#[inline(always)]
fn excess(z: f64, nu: f64) -> f64 {
    if z == 0.0 { 0.0 } else { z * z / nu }
}

/// x = m · 2^e with 1 ≤ m < 2, for x > 0 neither infinite nor subnormal.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    (f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52), f64::from(exponent))
}

/// Takes powers of two out of the products.
#[inline(always)]
fn take_powers(row: &mut Running) {
    for (product, sum) in row.products.iter_mut().zip(&mut row.exponents) {
        let (mantissa, exponent) = split(*product);
        (*product, *sum) = (mantissa, *sum + exponent);
    }
    row.pending = 0;
}

/// Σ log(1 + z²/ν) of four rows; None where a product of factors overflows.
#[inline(always)]
fn log_product<const MISSING: bool>(
    location: &[f64],
    scale: &[f64],
    inverse: f64,
    x: [&[f64]; GROUP],
) -> Option<[f64; GROUP]> {
    let mut products = [[1.0; LANES]; GROUP];
    let mut exponents = [[0.0; LANES]; GROUP];
    let mut finite = true;
    for start in (0..location.len()).step_by(FACTORS * LANES) {
        let tile = start..location.len().min(start + FACTORS * LANES);
        let (locations, location_tail) = location[tile.clone()].as_chunks::<LANES>();
        let (scales, scale_tail) = scale[tile.clone()].as_chunks::<LANES>();
        let x = x.map(|x| x[tile.clone()].as_chunks::<LANES>());
        let heads = x.map(|x| &x.0[..locations.len()]);
        for (k, (location, scale)) in locations.iter().zip(scales).enumerate() {
            for (product, x) in products.iter_mut().zip(heads) {
                *product =
                    from_fn(|l| product[l] * factor::<MISSING>(x[k][l], location[l], scale[l], inverse));
            }
        }
        for (product, x) in products.iter_mut().zip(x) {
            for (l, (location, scale)) in location_tail.iter().zip(scale_tail).enumerate() {
                product[l] *= factor::<MISSING>(x.1[l], *location, *scale, inverse);
            }
        }
        for (product, sum) in products.iter_mut().zip(&mut exponents) {
            finite &= product.iter().fold(true, |finite, product| finite & (*product <= f64::MAX));
            let parts: [(f64, f64); LANES] = from_fn(|l| split(product[l]));
            (*product, *sum) = (from_fn(|l| parts[l].0), from_fn(|l| sum[l] + parts[l].1));
        }
    }
    let log = |r: usize| {
        let ([a, b, c, d], [e, f, g, h]) = (products[r], exponents[r]);
        (((e + g) + (f + h)) * std::f64::consts::LN_2) + ((a * c) * (b * d)).ln()
    };
    finite.then(|| from_fn(log))
}

/// 1 + z²/ν.
#[inline(always)]
fn factor<const MISSING: bool>(x: f64, location: f64, scale: f64, inverse: f64) -> f64 {
    let z = (x - location) * scale;
    let factor = (z * z).mul_add(inverse, 1.0);
    if MISSING && x.is_nan() { 1.0 } else { factor }
}

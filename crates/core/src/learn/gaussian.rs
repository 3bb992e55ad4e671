//! Scores under normal densities.
//!
//! ```text
//! log p(x | c) = Σ_j constant_cj − ½ z_cj²,      z_cj = (x_j − location_cj) · scale_cj
//! ```
//!
//! In the centred form, whose digits do not cancel. Moving a feature from 0 to x changes it by
//! −½ (x·scale) ((x − 2 location)·scale). Floor: 5 vector operations a value and class.

use std::array::from_fn;

use super::densities::{Density, FARTHEST, GROUP, LANES, Parameters, Running, scores};
use crate::rows::{Index, Rows, Value};

struct Normal<'a> {
    parameters: Parameters<'a>,
    /// (d, C) location and scale, for sparse rows.
    by_feature: (Vec<f64>, Vec<f64>),
}

/// (N, C) the scores of all rows.
pub fn gaussian_scores<V: Value, I: Index>(rows: &Rows<V, I>, parameters: Parameters<'_>) -> Vec<f64> {
    let by_feature = match rows.is_sparse() {
        true => (parameters.by_feature(parameters.location), parameters.by_feature(parameters.scale)),
        false => Default::default(),
    };
    scores(rows, &Normal { parameters, by_feature })
}

impl Density for Normal<'_> {
    fn parameters(&self) -> &Parameters<'_> {
        &self.parameters
    }

    #[inline(always)]
    fn term(&self, _: usize, _: usize, z: f64) -> f64 {
        -0.5 * z * z
    }

    #[inline(always)]
    fn sum<const MISSING: bool>(&self, c: usize, x: [&[f64]; GROUP]) -> [f64; GROUP] {
        let (location, scale) = self.parameters.of_class(c);
        let (locations, location_tail) = location.as_chunks::<LANES>();
        let (scales, scale_tail) = scale.as_chunks::<LANES>();
        let x = x.map(|x| x.as_chunks::<LANES>());
        let mut sums = [[0.0; LANES]; GROUP];
        let heads = x.map(|x| &x.0[..locations.len()]);
        for (k, (location, scale)) in locations.iter().zip(scales).enumerate() {
            for (sum, x) in sums.iter_mut().zip(heads) {
                *sum = from_fn(|l| add::<MISSING>(sum[l], x[k][l], location[l], scale[l]));
            }
        }
        for (sum, x) in sums.iter_mut().zip(x) {
            for (l, (location, scale)) in location_tail.iter().zip(scale_tail).enumerate() {
                sum[l] = add::<MISSING>(sum[l], x.1[l], *location, *scale);
            }
        }
        sums.map(|[a, b, c, d]| -0.5 * ((a + c) + (b + d)))
    }

    #[inline(always)]
    fn shift(&self, j: usize, x: f64, row: &mut Running) {
        let classes = row.scores.len();
        let location = &self.by_feature.0[j * classes..][..classes];
        let scale = &self.by_feature.1[j * classes..][..classes];
        for ((score, location), scale) in row.scores.iter_mut().zip(location).zip(scale) {
            let (moved, other) = (x * scale, (x - 2.0 * location) * scale);
            // At most some thousand deviations lie between the two, or x is so far away that they are the same.
            let square = if moved.abs() < FARTHEST { moved * other } else { FARTHEST * FARTHEST };
            *score -= 0.5 * square;
        }
    }

    fn finish(&self, _: &mut Running) {}
}

/// sum + z².
#[inline(always)]
fn add<const MISSING: bool>(sum: f64, x: f64, location: f64, scale: f64) -> f64 {
    let z = ((x - location) * scale).abs();
    let z = if z < FARTHEST { z } else { FARTHEST };
    let z = if MISSING && x.is_nan() { 0.0 } else { z };
    z.mul_add(z, sum)
}

//! Sums of products and of higher powers of dense rows, without rounding: term by term, for few rows or few columns.

use rayon::prelude::*;

use super::chain::squarable;
use super::exact::{Exact, in_parts};
use super::labels::Labels;

/// Rows one after the other, d numbers each.
#[derive(Clone, Copy)]
pub struct Dense<'a> {
    /// (N, d) the numbers.
    pub values: &'a [f64],
    /// d.
    pub columns: usize,
}

impl Dense<'_> {
    fn at(&self, i: usize, j: usize) -> f64 {
        squarable(self.values[i * self.columns + j])
    }
}

/// Σ w x xᵀ, (L, d, d) in parts; w are ones where there are none.
pub fn products(rows: Dense<'_>, weight: Option<&[f64]>) -> Vec<f64> {
    let (d, count) = (rows.columns, rows.values.len() / rows.columns.max(1));
    let term = |into: &mut Exact, i: usize, j: usize, k: usize| {
        let (a, b) = (rows.at(i, j), rows.at(i, k));
        match weight {
            None => into.add_product(a, b),
            Some(weight) => into.add_products(&[weight[i], a, b]),
        }
    };
    let row = |j: usize| {
        in_parts(d, |k, into| {
            if k <= j {
                (0..count).for_each(|i| term(into, i, j, k))
            }
        })
    };
    let found: Vec<Vec<f64>> = (0..d).into_par_iter().map(row).collect();
    let longest = found.iter().map(|row| row.len() / d).max().unwrap_or(2);
    let mut out = vec![0.0; longest * d * d];
    for (j, row) in found.iter().enumerate() {
        for (part, row) in row.chunks_exact(d).enumerate() {
            for (k, x) in row.iter().enumerate().take(j + 1) {
                out[(part * d + j) * d + k] = *x;
                out[(part * d + k) * d + j] = *x;
            }
        }
    }
    out
}

/// Σ w x³ and Σ w x⁴ of every feature and class, each (L, C, d) in parts.
pub fn third_and_fourth(rows: Dense<'_>, labels: &Labels<'_>) -> [Vec<f64>; 2] {
    let d = rows.columns;
    [3, 4].map(|power| {
        in_parts(labels.classes() * d, |at, into| {
            for &i in labels.rows(at / d) {
                let x = rows.at(i as usize, at % d);
                into.add_products(&[labels.weight(i), x, x, x, x][..=power]);
            }
        })
    })
}

/// Σ w ‖x‖² x (L, C, d) and Σ w ‖x‖⁴ (L, C) in parts, ‖x‖² of each row to 159 bits.
pub fn norms(rows: Dense<'_>, labels: &Labels<'_>) -> [Vec<f64>; 2] {
    let (d, mut exact) = (rows.columns, Exact::default());
    let square = |i: usize| {
        (0..d).for_each(|j| exact.add_product(rows.at(i, j), rows.at(i, j)));
        let mut parts = [0.0; 3];
        exact.drain(|k, part| {
            if k < 3 {
                parts[k] = part;
            }
        });
        parts
    };
    let squares: Vec<[f64; 3]> = (0..rows.values.len() / d.max(1)).map(square).collect();
    let third = in_parts(labels.classes() * d, |at, into| {
        for &i in labels.rows(at / d) {
            let x = rows.at(i as usize, at % d);
            squares[i as usize].iter().for_each(|s| into.add_products(&[labels.weight(i), *s, x]));
        }
    });
    let fourth = in_parts(labels.classes(), |c, into| {
        for &i in labels.rows(c) {
            let s = squares[i as usize];
            s.iter().for_each(|a| s.iter().for_each(|b| into.add_products(&[labels.weight(i), *a, *b])));
        }
    });
    [third, fourth]
}

//! Sums of higher powers of dense rows, without rounding, term by term.

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

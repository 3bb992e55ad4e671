//! Sums of higher powers of dense rows, without rounding, term by term.
//!
//! Floor: N·d terms of two or six additions to exact sums, some 2 ns each, on every core. Columns are summed some at a time,
//! whose sums stay near the core.

use super::chain::squarable;
use super::exact::{Exact, in_parts};
use super::labels::Labels;
use crate::halt;
use crate::parallel::{each, each_of, each_stretch};

/// Columns that are summed at once.
const COLUMNS: usize = 32;
/// Rows after which it is asked whether somebody still waits.
const ROWS: usize = 1 << 12;

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

    /// (L, C, d) in parts: of every feature and class what `add` adds of each row i, of weight w, to the sum for x_ij.
    fn sums(&self, labels: &Labels<'_>, add: impl Fn(&mut Exact, usize, f64, f64) + Sync) -> Vec<f64> {
        let (d, halt) = (self.columns, halt::current());
        let of_some = |(c, first): (usize, usize)| {
            let columns = first..d.min(first + COLUMNS);
            let mut sums = vec![Exact::default(); columns.len()];
            for rows in labels.rows(c).chunks(ROWS) {
                halt::check(&halt);
                for i in rows {
                    let (i, w) = (*i as usize, labels.weight(*i));
                    for (sum, j) in sums.iter_mut().zip(columns.clone()) {
                        add(sum, i, w, self.at(i, j));
                    }
                }
            }
            sums
        };
        let parts: Vec<(usize, usize)> = (0..labels.classes())
            .flat_map(|c| (0..d).step_by(COLUMNS).map(move |first| (c, first)))
            .collect();
        let sums: Vec<Exact> = each_of(&parts, 1, &|part| of_some(*part)).concat();
        in_parts(sums.len(), |place, into| into.add_all(&sums[place]))
    }
}

/// Σ w x³ and Σ w x⁴ of every feature and class, each (L, C, d) in parts.
pub fn third_and_fourth(rows: Dense<'_>, labels: &Labels<'_>) -> [Vec<f64>; 2] {
    [3, 4].map(|power| rows.sums(labels, |sum, _, w, x| sum.add_products(&[w, x, x, x, x][..=power])))
}

/// Σ w ‖x‖² x (L, C, d) and Σ w ‖x‖⁴ (L, C) in parts, ‖x‖² of each row to 159 bits.
pub fn norms(rows: Dense<'_>, labels: &Labels<'_>) -> [Vec<f64>; 2] {
    let d = rows.columns;
    let square = |exact: &mut Exact, i: usize| {
        (0..d).for_each(|j| exact.add_product(rows.at(i, j), rows.at(i, j)));
        let mut parts = [0.0; 3];
        exact.drain(|k, part| {
            if k < 3 {
                parts[k] = part;
            }
        });
        parts
    };
    let count = rows.values.len() / d.max(1);
    let squares: Vec<[f64; 3]> = each(count.div_ceil(ROWS / 8), &|part| {
        let (mut exact, first) = (Exact::default(), part * (ROWS / 8));
        (first..count.min(first + ROWS / 8)).map(|i| square(&mut exact, i)).collect::<Vec<_>>()
    })
    .concat();
    let third = rows.sums(labels, |sum, i, w, x| {
        squares[i].iter().for_each(|s| sum.add_products(&[w, *s, x]));
    });
    let fourth_of = |own: &[u32]| {
        let mut sum = Exact::default();
        for i in own {
            let (s, w) = (squares[*i as usize], labels.weight(*i));
            s.iter().for_each(|a| s.iter().for_each(|b| sum.add_products(&[w, *a, *b])));
        }
        sum
    };
    let fourth = in_parts(labels.classes(), |c, into| {
        let found: Vec<Exact> = each_stretch(labels.rows(c), ROWS, &fourth_of);
        found.iter().for_each(|sum| into.add_all(sum));
    });
    [third, fourth]
}

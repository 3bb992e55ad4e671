//! The largest whole number of each column: how many categories there are.

use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

use super::labels::cuts;
use super::support::{Domain, Outside, Support};
use crate::parallel::each;
use crate::rows::{Index, Row, Rows, Value};

/// (d,) the largest value of each column, −∞ where there is none; or the first entry that is not a whole number ≥ 0.
/// Where `missing`, NaN is allowed and passed over.
pub fn largest<V: Value, I: Index>(rows: &Rows<V, I>, missing: bool) -> Result<Vec<f64>, Outside> {
    let domain = Domain { support: Support::Whole, missing };
    let stretches = cuts(rows.count(), rows.columns(), |i| rows.length(i));
    let of_stretch = |k: usize| Arch::new().dispatch(Tops { rows, domain, stretch: stretches[k].clone() });
    let tops: Option<Vec<Vec<f64>>> = each(stretches.len(), &of_stretch).into_iter().collect();
    let Some(tops) = tops else {
        return Err(domain.first_outside(rows).expect("an entry outside was met"));
    };
    let mut all = vec![f64::NEG_INFINITY; rows.columns()];
    tops.iter().for_each(|tops| all.iter_mut().zip(tops).for_each(|(all, &x)| *all = all.max(x)));
    if rows.is_sparse() {
        let stored = stored_without(rows, &all);
        let zeros = all.iter_mut().zip(stored).filter(|(_, stored)| *stored < rows.count());
        zeros.for_each(|(top, _)| *top = top.max(0.0));
    }
    Ok(all)
}

/// The largest values of a stretch of rows, or None if an entry is outside the domain.
struct Tops<'a, 'r, V, I> {
    rows: &'a Rows<'r, V, I>,
    domain: Domain,
    stretch: Range<usize>,
}

impl<V: Value, I: Index> WithSimd for Tops<'_, '_, V, I> {
    type Output = Option<Vec<f64>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Tops { rows, domain, stretch } = self;
        let mut tops = vec![f64::NEG_INFINITY; rows.columns()];
        for i in stretch {
            let row = rows.row(i);
            if !domain.support.holds_all(row.values()) && row.values().iter().any(|&x| !domain.holds(x)) {
                return None;
            }
            // NaN is not larger than anything.
            let larger = |top: &mut f64, x: V| *top = if x.real() > *top { x.real() } else { *top };
            match row {
                Row::Dense(values) => tops.iter_mut().zip(values).for_each(|(top, &x)| larger(top, x)),
                Row::Sparse(..) => row.each(|j, x| larger(&mut tops[j], x)),
            }
        }
        Some(tops)
    }
}

/// How many values each column stores in which no number was met; 0 for the others.
fn stored_without<V: Value, I: Index>(rows: &Rows<V, I>, tops: &[f64]) -> Vec<usize> {
    let mut stored = vec![0; tops.len()];
    if tops.contains(&f64::NEG_INFINITY) {
        (0..rows.count()).for_each(|i| rows.row(i).each(|j, _| stored[j] += usize::from(tops[j] < 0.0)));
    }
    stored
}

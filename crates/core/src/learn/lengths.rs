//! Squared lengths of what lies between rows and means, by the measure of each class.
//!
//! ```text
//! q_c(x) = ‖(x − mean_c) L_c‖²,      L_c (d, r)
//! ```
//!
//! Floor: two vectors of multiplications and additions a cycle, of d·r numbers a row and class; of half as many where L is
//! triangular in some order of its features. A register holds a feature of several rows, so that a sum has the order of
//! the features whatever other rows there are.

use pulp::{Arch, Simd, WithSimd};

use crate::panels::{CHUNK, Panel, Sums, WIDTH, add_products};
use crate::parallel::each;

/// Rows that a thread takes at once.
const STRETCH: usize = CHUNK * WIDTH;

/// What rows are measured by.
pub struct Measures<'a> {
    /// (C, d) means.
    pub mean: &'a [f64],
    /// (C, d, r) factors.
    pub factors: &'a [f64],
    /// (d,) how far from a mean a feature counts.
    pub farthest: &'a [f64],
    /// C.
    pub classes: usize,
    /// r.
    pub rank: usize,
}

/// One of them, as it is multiplied. The features that most columns of L use come first.
struct Measure {
    order: Vec<usize>,
    mean: Vec<f64>,
    farthest: Vec<f64>,
    /// Columns of L, each down to the last feature that one of them uses.
    panels: Vec<Panel>,
}

/// (C, n) squared lengths of rows (n, d).
pub fn squared_lengths(rows: &[f64], measures: &Measures<'_>) -> Vec<f64> {
    let (d, classes) = (measures.farthest.len(), measures.classes);
    let n = rows.len().checked_div(d).unwrap_or(0);
    let by_class: Vec<Measure> = each(classes, &|c| Measure::new(measures, c));
    let parts = each(n.div_ceil(STRETCH), &|part| {
        let rows = &rows[part * STRETCH * d..n.min((part + 1) * STRETCH) * d];
        let mut q = vec![[0.0; STRETCH]; classes];
        Arch::new().dispatch(Apply { rows, measures: &by_class, q: &mut q });
        q
    });
    let mut all = vec![0.0; classes * n];
    for (part, q) in parts.iter().enumerate() {
        let some = part * STRETCH..n.min((part + 1) * STRETCH);
        for (all, q) in all.chunks_exact_mut(n).zip(q) {
            all[some.clone()].copy_from_slice(&q[..some.len()]);
        }
    }
    all
}

impl Measure {
    fn new(of: &Measures<'_>, class: usize) -> Measure {
        let (d, rank) = (of.farthest.len(), of.rank);
        let factor = &of.factors[class * d * rank..][..d * rank];
        let row = |j: usize| &factor[j * rank..][..rank];
        let mut order: Vec<usize> = (0..d).collect();
        order.sort_by_cached_key(|&j| row(j).iter().filter(|&&x| x == 0.0).count());
        let panel = |first: usize| {
            let columns = first..rank.min(first + WIDTH);
            let used = order.iter().rposition(|&j| row(j)[columns.clone()].iter().any(|&x| x != 0.0));
            let mut panel = Panel::new(used.map_or(0, |last| last + 1));
            for (to, &j) in panel.iter_mut().zip(&order) {
                to[..columns.len()].copy_from_slice(&row(j)[columns.clone()]);
            }
            panel
        };
        let panels = (0..rank).step_by(WIDTH).map(panel).collect();
        let mean = &of.mean[class * d..][..d];
        let in_order = |values: &[f64]| order.iter().map(|&j| values[j]).collect();
        Measure { mean: in_order(mean), farthest: in_order(of.farthest), panels, order }
    }

    /// What lies between rows and the mean, as far as it counts.
    #[inline(always)]
    fn away(&self, rows: &[[f64; WIDTH]], away: &mut [[f64; WIDTH]]) {
        for (((to, &j), &mean), &far) in away.iter_mut().zip(&self.order).zip(&self.mean).zip(&self.farthest)
        {
            for (to, x) in to.iter_mut().zip(rows[j]) {
                let from = x - mean;
                let low = if from < -far { -far } else { from };
                *to = if low > far { far } else { low };
            }
        }
    }
}

/// Squared lengths of at most `STRETCH` rows, by class.
struct Apply<'a> {
    rows: &'a [f64],
    measures: &'a [Measure],
    q: &'a mut [[f64; STRETCH]],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let d = self.measures.first().map_or(0, |measure| measure.order.len());
        let across: Vec<Panel> = self.rows.chunks(WIDTH * d).map(|rows| turned(rows, d)).collect();
        let mut away = across.clone();
        for (measure, q) in self.measures.iter().zip(self.q) {
            for (rows, away) in across.iter().zip(&mut away) {
                measure.away(rows, away);
            }
            for panel in &measure.panels {
                let mut held: Sums = [[[0.0; WIDTH]; WIDTH]; CHUNK];
                add_products(simd, panel, &away, &mut held);
                for (q, held) in q.as_chunks_mut::<WIDTH>().0.iter_mut().zip(&held[..away.len()]) {
                    // A loop over numbers would be turned about: eight panels at once, whose columns are gathered.
                    for column in held {
                        let q = S::as_mut_simd_f64s(q).0.iter_mut();
                        q.zip(S::as_simd_f64s(column).0)
                            .for_each(|(q, z)| *q = simd.add_f64s(*q, simd.mul_f64s(*z, *z)));
                    }
                }
            }
        }
    }
}

/// Some rows, at most `WIDTH`, feature by feature; those beyond the last are 0.
fn turned(rows: &[f64], d: usize) -> Panel {
    let mut panel = Panel::new(d);
    for (k, row) in rows.chunks_exact(d).enumerate() {
        panel.iter_mut().zip(row).for_each(|(to, &x)| to[k] = x);
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, with the same order of the sums.
    fn plainly(rows: &[f64], of: &Measures<'_>) -> Vec<f64> {
        let (d, r) = (of.farthest.len(), of.rank);
        let length = |x: &[f64], c: usize| {
            let away: Vec<f64> =
                (0..d).map(|j| (x[j] - of.mean[c * d + j]).clamp(-of.farthest[j], of.farthest[j])).collect();
            let along = |k: usize| (0..d).map(|j| away[j] * of.factors[(c * d + j) * r + k]).sum::<f64>();
            (0..r).map(|k| along(k).powi(2)).sum::<f64>()
        };
        (0..of.classes).flat_map(|c| rows.chunks_exact(d).map(move |x| length(x, c))).collect()
    }

    #[test]
    fn lengths_are_those_of_the_definition_and_rows_do_not_change_each_other() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 23) as f64 - 1.0
        };
        for (n, d, rank, classes) in
            [(1, 1, 1, 1), (9, 5, 3, 2), (130, 17, 17, 3), (300, 300, 9, 2), (7, 4, 0, 2)]
        {
            for triangular in [false, true] {
                let rows: Vec<f64> = (0..n * d).map(|_| 3.0 * next()).collect();
                let mean: Vec<f64> = (0..classes * d).map(|_| next()).collect();
                let mut factors: Vec<f64> = (0..classes * d * rank).map(|_| next()).collect();
                for (at, x) in factors.iter_mut().enumerate().filter(|_| triangular) {
                    let (j, k) = ((at / rank) % d * 7 % d.max(1), at % rank);
                    *x = if j > k { 0.0 } else { *x };
                }
                let farthest = vec![2.5; d];
                let of = Measures { mean: &mean, factors: &factors, farthest: &farthest, classes, rank };
                let found = squared_lengths(&rows, &of);
                for (found, exact) in found.iter().zip(plainly(&rows, &of)) {
                    assert!((found - exact).abs() <= 1e-12 * (1.0 + exact), "{found} {exact}");
                }
                for i in 0..n {
                    let one = squared_lengths(&rows[i * d..(i + 1) * d], &of);
                    let same: Vec<f64> = (0..classes).map(|c| found[c * n + i]).collect();
                    assert_eq!(one, same);
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_makes_none_and_what_is_far_counts_as_far_as_it_may() {
        let of = Measures { mean: &[0.0], factors: &[2.0], farthest: &[1e100], classes: 1, rank: 1 };
        let found = squared_lengths(&[f64::NAN, f64::INFINITY, -1e300, 3.0], &of);
        assert!(found[0].is_nan());
        assert_eq!(found[1..], [4e200, 4e200, 36.0]);
    }
}

//! Moments about the mean, from sums of powers that are known to the last bit.
//!
//! ```text
//! Σ w (x − m)²            = (n q − s²) / n
//! Σ w (x − m)(y − m′)     = Q − n m m′ − m r′ − m′ r − r r′ / n,      m = s/n as rounded, r = s − n m
//! ```
//!
//! Every sum on the right is exact until it is rounded once, so that nothing is lost where the mean is 10^15 times the
//! spread. Sums come in parts, (L, …), see `exact::in_parts`.

use super::exact::{Exact, in_parts};
use crate::parallel::{MOST_PARTS, fill};

/// A sum in parts: (L, size).
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    values: &'a [f64],
    size: usize,
}

impl<'a> Parts<'a> {
    /// Of `size` sums, L parts each.
    pub fn new(values: &'a [f64], size: usize) -> Self {
        Parts { values, size }
    }

    fn at(self, place: usize) -> impl Iterator<Item = f64> + Clone + 'a {
        self.values[place.min(self.values.len())..].iter().step_by(self.size).copied().filter(|x| *x != 0.0)
    }

    fn first(self, place: usize) -> f64 {
        self.values[place]
    }
}

/// 2^k that brings x² near 1; 1 for what has no size.
fn unit(square: f64) -> f64 {
    if !(square > 0.0 && square < f64::INFINITY) {
        return 1.0;
    }
    2_f64.powi(-(((square.to_bits() >> 52) as i32 - 1023) / 2).clamp(-500, 500))
}

/// (size,) what `of` makes of each of so many, with a sum that it leaves as zero.
fn exactly(size: usize, of: &(dyn Fn(&mut Exact, usize) -> f64 + Sync)) -> Vec<f64> {
    let (mut out, stretch) = (vec![0.0; size], size.div_ceil(MOST_PARTS));
    fill(&mut out, stretch, &|part, out| {
        let mut exact = Exact::default();
        (part * stretch..).zip(out).for_each(|(at, out)| *out = of(&mut exact, at));
    });
    out
}

/// (size,) Σ w (x − m)² of n, s and q; below 0 where no data have such sums, 0 where n is.
pub fn squares(n: Parts<'_>, s: Parts<'_>, q: Parts<'_>) -> Vec<f64> {
    exactly(n.size, &|exact, at| {
        let (weight, unit) = (n.first(at), unit(q.first(at)));
        if weight <= 0.0 {
            return 0.0;
        }
        for n in n.at(at) {
            q.at(at).for_each(|q| exact.add_product(n, q * unit * unit));
        }
        for a in s.at(at) {
            s.at(at).for_each(|b| exact.add_product(-a * unit, b * unit));
        }
        exact.round() / weight / unit / unit
    })
}

/// Means of groups, as rounded, and what that leaves: s − n m, in two parts.
struct Means {
    mean: Vec<f64>,
    rest: Vec<f64>,
}

impl Means {
    fn of(n: Parts<'_>, s: Parts<'_>, unit: &[f64]) -> Means {
        let d = unit.len();
        let mean: Vec<f64> = (0..s.size)
            .map(|at| if n.first(at / d) > 0.0 { s.first(at) / n.first(at / d) * unit[at % d] } else { 0.0 })
            .collect();
        let rest = in_parts(s.size, |at, into| {
            if n.first(at / d) > 0.0 {
                s.at(at).for_each(|s| into.add(s * unit[at % d]));
                n.at(at / d).for_each(|n| into.add_product(-n, mean[at]));
            }
        });
        Means { mean, rest }
    }
}

/// (G, d, d) Σ w (x_j − m_j)(x_k − m_k), of n (C,), s (C, d) and Q (G, d, d): class by class, or G = 1 for all classes
/// together, about the mean of each.
pub fn products(n: Parts<'_>, s: Parts<'_>, q: Parts<'_>, d: usize) -> Vec<f64> {
    let (classes, groups) = (n.size, q.size / (d * d).max(1));
    let mut out = vec![0.0; groups * d * d];
    let unit: Vec<f64> =
        (0..d).map(|j| unit((0..groups).map(|g| q.first((g * d + j) * d + j)).fold(0.0, f64::max))).collect();
    let means = Means::of(n, s, &unit);
    let one = |exact: &mut Exact, g: usize, j: usize, k: usize| {
        q.at((g * d + j) * d + k).for_each(|q| exact.add(q * unit[j] * unit[k]));
        let of_group = if groups == 1 { 0..classes } else { g..g + 1 };
        for c in of_group.filter(|c| n.first(*c) > 0.0) {
            let (a, b) = (c * d + j, c * d + k);
            n.at(c).for_each(|n| exact.add_products(&[-n, means.mean[a], means.mean[b]]));
            for part in means.rest.chunks_exact(s.size).take(2) {
                exact.add_product(-means.mean[a], part[b]);
                exact.add_product(-means.mean[b], part[a]);
            }
            exact.add(-means.rest[a] * means.rest[b] / n.first(c));
        }
        exact.round() / unit[j] / unit[k]
    };
    fill(&mut out, d, &|row, out| {
        let (mut exact, g, j) = (Exact::default(), row / d, row % d);
        (0..=j).for_each(|k| out[k] = one(&mut exact, g, j, k));
    });
    for g in 0..groups {
        for j in 0..d {
            (0..j).for_each(|k| out[(g * d + k) * d + j] = out[(g * d + j) * d + k]);
        }
    }
    out
}

/// (C, d) Σ w (x − m)⁴ from the sums of the powers, m as rounded.
pub fn fourths(n: Parts<'_>, powers: [Parts<'_>; 4]) -> Vec<f64> {
    let d = powers[0].size / n.size.max(1);
    exactly(powers[0].size, &|exact, at| {
        if n.first(at / d) <= 0.0 {
            return 0.0;
        }
        let m = powers[0].first(at) / n.first(at / d);
        powers[3].at(at).for_each(|q| exact.add(q));
        powers[2].at(at).for_each(|q| exact.add_products(&[-4.0, m, q]));
        powers[1].at(at).for_each(|q| exact.add_products(&[6.0, m, m, q]));
        powers[0].at(at).for_each(|s| exact.add_products(&[-4.0, m, m, m, s]));
        n.at(at / d).for_each(|n| exact.add_products(&[n, m, m, m, m]));
        exact.round()
    })
}

/// (C,) Σ w ‖x − m‖⁴ from n, Σ w x, Σ w x xᵀ (C, d, d), Σ w ‖x‖² x and Σ w ‖x‖⁴, m as rounded.
pub fn fourth_norms(
    n: Parts<'_>,
    s: Parts<'_>,
    q: Parts<'_>,
    third: Parts<'_>,
    fourth: Parts<'_>,
) -> Vec<f64> {
    let d = s.size / n.size.max(1);
    let of = |exact: &mut Exact, c: usize| {
        if n.first(c) <= 0.0 {
            return 0.0;
        }
        let m: Vec<f64> = (0..d).map(|j| s.first(c * d + j) / n.first(c)).collect();
        let mut square = Vec::new(); // ‖m‖²
        m.iter().for_each(|m| exact.add_product(*m, *m));
        exact.drain(|_, part| square.push(part));
        fourth.at(c).for_each(|q| exact.add(q));
        for (j, m_j) in m.iter().enumerate() {
            third.at(c * d + j).for_each(|t| exact.add_products(&[-4.0, *m_j, t]));
            for part in &square {
                q.at((c * d + j) * d + j).for_each(|q| exact.add_products(&[2.0, *part, q]));
                s.at(c * d + j).for_each(|s| exact.add_products(&[-4.0, *part, *m_j, s]));
            }
            for (k, m_k) in m.iter().enumerate() {
                q.at((c * d + j) * d + k).for_each(|q| exact.add_products(&[4.0, *m_j, *m_k, q]));
            }
        }
        for a in &square {
            for b in &square {
                n.at(c).for_each(|n| exact.add_products(&[n, *a, *b]));
            }
        }
        exact.round()
    };
    exactly(n.size, &of)
}

//! The minimum over the coefficients that are free: one system of equations.

use super::factor::Factor;
use super::finish::{Exact, WORK};
use crate::narrow::narrow;
use crate::rows::Index;

/// Free coefficients at most, of which a system is solved.
const FREE: usize = 2000;
/// A bound that is so little farther than the first is met with it.
const BESIDE: f64 = 1.0 + 1e-12;

impl Exact<'_> {
    /// Goes to the minimum over the coefficients that are free, some of which end at a bound on the way.
    pub(super) fn settle(&mut self) {
        while self.work <= WORK {
            let free: Vec<usize> = (0..self.beta.len()).filter(|&i| self.rises(i) && self.falls(i)).collect();
            if !(2..=FREE).contains(&free.len()) || !self.step(&free) {
                return;
            }
        }
    }

    /// Makes one step of the free coefficients; whether it met a bound.
    fn step(&mut self, free: &[usize]) -> bool {
        let group = |i: usize| self.machine.group[i].place();
        // The last of the smallest of each group keeps its sum.
        let mut least = vec![usize::MAX; self.members.len()];
        for &i in free {
            let known = &mut least[group(i)];
            if *known == usize::MAX || self.size[i] <= self.size[*known] {
                *known = i;
            }
        }
        let pairs: Vec<(usize, usize)> =
            free.iter().map(|&i| (i, least[group(i)])).filter(|(i, pivot)| i != pivot).collect();
        if pairs.is_empty() {
            return false;
        }
        let (size, count) = (pairs.len() as f64, self.n as f64);
        self.work += size * size * size / 3.0 + count * count;
        let slope: Vec<f64> = pairs.iter().map(|&(i, j)| self.gradient[i] - self.gradient[j]).collect();
        let factor = Factor::new(self.reduced(&pairs), pairs.len());
        let step = factor.nearest(&slope);
        if self.along(&pairs, &step, free) {
            return true;
        }
        factor.flat(&slope, &step).is_some_and(|way| self.along(&pairs, &way, free))
    }

    /// K of the directions in which one coefficient rises and another falls.
    fn reduced(&self, pairs: &[(usize, usize)]) -> Vec<f64> {
        let row = |i: usize| narrow(self.machine.row[i].place());
        let rows: Vec<(u32, u32)> = pairs.iter().map(|&(i, p)| (row(i), row(p))).collect();
        let (size, share) = (rows.len(), 1.0 / self.unit);
        let mut h = vec![0.0; size * size];
        for (out, &(i, p)) in h.chunks_exact_mut(size).zip(&rows) {
            let (own, pivot) =
                (&self.k[i as usize * self.n..][..self.n], &self.k[p as usize * self.n..][..self.n]);
            for (out, &(j, q)) in out.iter_mut().zip(&rows) {
                let [j, q] = [j, q].map(|at| at as usize);
                *out = share * (own[j] - own[q] - pivot[j] + pivot[q]);
            }
        }
        h
    }

    /// Goes the step, or to the first bound on the way; whether there was one.
    fn along(&mut self, pairs: &[(usize, usize)], step: &[f64], free: &[usize]) -> bool {
        let mut whole = vec![0.0; self.beta.len()];
        for (&(i, j), step) in pairs.iter().zip(step) {
            whole[i] += step;
            whole[j] -= step;
        }
        if !free.iter().all(|&i| whole[i].is_finite()) {
            return false;
        }
        let wanted = |i: usize| if whole[i] > 0.0 { self.hi[i] } else { self.lo[i] };
        let room = |i: usize| {
            if whole[i] == 0.0 { f64::INFINITY } else { (wanted(i) - self.beta[i]) / whole[i] }
        };
        let far = free.iter().map(|&i| room(i)).fold(f64::INFINITY, f64::min);
        let beside = (far * BESIDE).min(1.0);
        let moved: Vec<f64> = free
            .iter()
            .map(|&i| {
                let beta = self.beta[i] + far.min(1.0) * whole[i];
                if room(i) <= beside { wanted(i) } else { beta.clamp(self.lo[i], self.hi[i]) }
            })
            .collect();
        free.iter().zip(moved).for_each(|(&i, beta)| self.beta[i] = beta);
        self.measure();
        far <= 1.0
    }
}

//! The steps: which two, and how far.

use pulp::{Arch, Simd, WithSimd};

use super::super::Ending;
use super::extremes::{CHUNK, Extremes, Look, exact};
use super::second::second;
use crate::kernel::Real;

/// Rows of K, as the steps read them.
pub trait Gram {
    /// In what precision.
    type Value: Real;

    /// Makes row i ready; it stays where it is until two other rows were asked for. None where it cannot be had.
    fn fetch(&mut self, i: usize) -> Option<usize>;

    /// What `fetch` made ready: K(i, j) for all j.
    fn row(&self, place: usize) -> &[Self::Value];
}

/// All of K, row by row.
pub struct Table<'a, R>(pub &'a [R], pub usize);

impl<R: Real> Gram for Table<'_, R> {
    type Value = R;

    #[inline(always)]
    fn fetch(&mut self, i: usize) -> Option<usize> {
        Some(i)
    }

    #[inline(always)]
    fn row(&self, place: usize) -> &[R] {
        &self.0[place * self.1..][..self.1]
    }
}

/// Coefficients that may move, group after group.
#[derive(Default)]
pub struct State {
    /// β.
    pub beta: Vec<f64>,
    /// G = Kβ − t.
    pub gradient: Vec<f64>,
    /// Bounds.
    pub lo: Vec<f64>,
    /// Bounds.
    pub hi: Vec<f64>,
    /// K(i, i).
    pub diagonal: Vec<f64>,
    /// The same in floats, to choose by.
    pub about: Vec<f32>,
    /// Where groups end, after a 0.
    pub ends: Vec<usize>,
    /// 0 where β may rise, else −∞.
    pub rise: Vec<f64>,
    /// 0 where β may fall, else ∞.
    pub fall: Vec<f64>,
}

impl State {
    /// Which may rise and fall, from β and its bounds.
    pub fn settle(&mut self) {
        self.about = self.diagonal.iter().map(|&d| d as f32).collect();
        let all = self.beta.iter().zip(&self.lo).zip(&self.hi);
        self.rise = all.clone().map(|((b, _), hi)| if b < hi { 0.0 } else { f64::NEG_INFINITY }).collect();
        self.fall = all.map(|((b, lo), _)| if b > lo { 0.0 } else { f64::INFINITY }).collect();
    }

    /// How far the largest −G that may rise is above the smallest that may fall, in the worst group.
    pub fn violation(&self) -> f64 {
        self.ends.windows(2).map(|ends| self.extremes(ends[0], ends[1]).apart()).fold(0.0, f64::max)
    }

    pub(super) fn extremes(&self, from: usize, to: usize) -> Extremes {
        let (g, rise, fall) = (&self.gradient[from..to], &self.rise[from..to], &self.fall[from..to]);
        Look { first: from, g, rise, fall }.now()
    }

    #[inline(always)]
    fn place(&mut self, i: usize, beta: f64) {
        self.beta[i] = beta;
        self.rise[i] = if beta < self.hi[i] { 0.0 } else { f64::NEG_INFINITY };
        self.fall[i] = if beta > self.lo[i] { 0.0 } else { f64::INFINITY };
    }
}

/// The least curvature: a direction with none goes as far as its bounds allow.
pub(super) const FLAT: f64 = 1e-12;

/// How the steps ended: converged where `eps` was reached, and what is missing, or stopped for want of a row.
#[derive(Clone, Copy)]
pub struct Done {
    /// Steps that were taken.
    pub steps: usize,
    /// How it ended.
    pub ending: Ending,
    /// What `State::violation` says.
    pub violation: f64,
}

/// Steps until the violation is at most `eps`, at most so many.
pub fn steps<G: Gram>(state: &mut State, gram: &mut G, eps: f64, limit: usize) -> Done {
    Arch::new().dispatch(Steps { state, gram, eps, limit })
}

struct Steps<'a, G> {
    state: &'a mut State,
    gram: &'a mut G,
    eps: f64,
    limit: usize,
}

impl<G: Gram> WithSimd for Steps<'_, G> {
    type Output = Done;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Done {
        let Steps { state, gram, eps, limit } = self;
        let ends = state.ends.clone();
        let groups = || ends.windows(2).map(|ends| (ends[0], ends[1]));
        let mut known: Vec<Extremes> = groups().map(|(from, to)| state.extremes(from, to)).collect();
        let mut taken = 0;
        loop {
            let mut worst = 0;
            for (g, extremes) in known.iter().enumerate() {
                if extremes.apart() > known[worst].apart() {
                    worst = g;
                }
            }
            let violation = known.get(worst).map_or(0.0, Extremes::apart);
            let done = |ending| Done { steps: taken, ending, violation };
            if violation.is_nan() || violation == f64::INFINITY {
                return done(Ending::Overflow);
            }
            if violation <= eps {
                return done(Ending::Converged);
            }
            if taken == limit {
                return done(Ending::Exhausted);
            }
            let (i, top) = (known[worst].at, known[worst].top);
            let Some(first) = gram.fetch(i) else { return done(Ending::Stopped) };
            let j = second(simd, state, gram.row(first), i, top, ends[worst], ends[worst + 1]);
            let Some(second) = gram.fetch(j) else { return done(Ending::Stopped) };
            let (ki, kj) = (gram.row(first), gram.row(second));
            let Some(step) = step(state, i, j, ki[j].double()) else { return done(Ending::Overflow) };
            taken += 1;
            for ((from, to), known) in groups().zip(&mut known) {
                *known = follow(simd, state, ki, kj, step, from, to);
            }
        }
    }
}

/// Moves β_i up and β_j down to the minimum along the line, or to the first bound; the way, or None if it is no number.
#[inline(always)]
fn step(state: &mut State, i: usize, j: usize, k: f64) -> Option<(f64, f64)> {
    let curvature = state.diagonal[i] + state.diagonal[j] - 2.0 * k;
    let (bi, bj) = (state.beta[i], state.beta[j]);
    let wanted = (state.gradient[j] - state.gradient[i]) / curvature.max(FLAT);
    let (up, down) = (state.hi[i] - bi, bj - state.lo[j]);
    let delta = wanted.min(up).min(down);
    if !(delta > 0.0 && delta < 1e100) {
        return None;
    }
    let (ni, nj) = (
        if delta == up { state.hi[i] } else { bi + delta },
        if delta == down { state.lo[j] } else { bj - delta },
    );
    state.place(i, ni);
    state.place(j, nj);
    Some((ni - bi, nj - bj))
}

/// G ← G + K_i Δβ_i + K_j Δβ_j in a group, and the extremes of what it is now.
#[inline(always)]
fn follow<R: Real, S: Simd>(
    simd: S,
    state: &mut State,
    ki: &[R],
    kj: &[R],
    step: (f64, f64),
    from: usize,
    to: usize,
) -> Extremes {
    let (g, rise, fall) = (&mut state.gradient[from..to], &state.rise[from..to], &state.fall[from..to]);
    let (ki, kj) = (&ki[from..to], &kj[from..to]);
    let mut found = Extremes::none(from);
    let rows = ki.chunks(CHUNK).zip(kj.chunks(CHUNK));
    let may = rise.chunks(CHUNK).zip(fall.chunks(CHUNK));
    for (n, ((g, (ki, kj)), (rise, fall))) in g.chunks_mut(CHUNK).zip(rows).zip(may).enumerate() {
        for ((g, ki), kj) in g.iter_mut().zip(ki).zip(kj) {
            *g = step.0.mul_add(ki.double(), step.1.mul_add(kj.double(), *g));
        }
        found.tell(simd, from + n * CHUNK, g, rise, fall);
    }
    found.at = exact(found, from, g, rise);
    found
}

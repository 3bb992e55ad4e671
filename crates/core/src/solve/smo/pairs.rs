//! The steps: which two, and how far.

use pulp::{Arch, Simd, WithSimd};

use super::super::Ending;
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

    #[inline(always)]
    pub(super) fn extremes(&self, from: usize, to: usize) -> Extremes {
        let mut all = Lanes::new();
        let (g, rise, fall) = (&self.gradient[from..to], &self.rise[from..to], &self.fall[from..to]);
        for (k, ((&g, &rise), &fall)) in g.iter().zip(rise).zip(fall).enumerate() {
            all.tell(k % WIDE, (from + k) as f64, rise - g, fall - g);
        }
        all.extremes()
    }

    #[inline(always)]
    fn place(&mut self, i: usize, beta: f64) {
        self.beta[i] = beta;
        self.rise[i] = if beta < self.hi[i] { 0.0 } else { f64::NEG_INFINITY };
        self.fall[i] = if beta > self.lo[i] { 0.0 } else { f64::INFINITY };
    }
}

/// Numbers side by side.
pub(super) const WIDE: usize = 8;
/// The least curvature: a direction with none goes as far as its bounds allow.
pub(super) const FLAT: f64 = 1e-12;

/// The largest −G that may rise, where, and the smallest that may fall.
#[derive(Clone, Copy)]
pub(super) struct Extremes {
    pub top: f64,
    pub at: usize,
    pub bottom: f64,
}

impl Extremes {
    pub fn apart(&self) -> f64 {
        if self.top == f64::NEG_INFINITY || self.bottom == f64::INFINITY {
            0.0
        } else {
            self.top - self.bottom
        }
    }
}

struct Lanes {
    top: [f64; WIDE],
    at: [f64; WIDE],
    bottom: [f64; WIDE],
}

impl Lanes {
    #[inline(always)]
    fn new() -> Lanes {
        Lanes { top: [f64::NEG_INFINITY; WIDE], at: [f64::INFINITY; WIDE], bottom: [f64::INFINITY; WIDE] }
    }

    #[inline(always)]
    fn tell(&mut self, lane: usize, place: f64, up: f64, down: f64) {
        let higher = up > self.top[lane];
        self.top[lane] = if higher { up } else { self.top[lane] };
        self.at[lane] = if higher { place } else { self.at[lane] };
        self.bottom[lane] = if down < self.bottom[lane] { down } else { self.bottom[lane] };
    }

    #[inline(always)]
    fn extremes(&self) -> Extremes {
        let (mut top, mut at, mut bottom) = (self.top[0], self.at[0], self.bottom[0]);
        for l in 1..WIDE {
            if self.top[l] > top || (self.top[l] == top && self.at[l] < at) {
                (top, at) = (self.top[l], self.at[l]);
            }
            bottom = bottom.min(self.bottom[l]);
        }
        Extremes { top, at: if at.is_finite() { at as usize } else { 0 }, bottom }
    }
}

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
    fn with_simd<S: Simd>(self, _: S) -> Done {
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
            let j = second(state, gram.row(first), i, top, ends[worst], ends[worst + 1]);
            let Some(second) = gram.fetch(j) else { return done(Ending::Stopped) };
            let (ki, kj) = (gram.row(first), gram.row(second));
            let Some(step) = step(state, i, j, ki[j].double()) else { return done(Ending::Overflow) };
            taken += 1;
            for ((from, to), known) in groups().zip(&mut known) {
                *known = follow(state, ki, kj, step, from, to);
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
fn follow<R: Real>(
    state: &mut State,
    ki: &[R],
    kj: &[R],
    step: (f64, f64),
    from: usize,
    to: usize,
) -> Extremes {
    let (g, rise, fall) = (&mut state.gradient[from..to], &state.rise[from..to], &state.fall[from..to]);
    let (ki, kj) = (&ki[from..to], &kj[from..to]);
    let mut lanes = Lanes::new();
    let (blocks, rest) = g.as_chunks_mut::<WIDE>();
    let whole = blocks.len() * WIDE;
    let rows = ki.as_chunks::<WIDE>().0.iter().zip(kj.as_chunks::<WIDE>().0);
    let may = rise.as_chunks::<WIDE>().0.iter().zip(fall.as_chunks::<WIDE>().0);
    let mut place = from as f64;
    for ((g, (ki, kj)), (rise, fall)) in blocks.iter_mut().zip(rows).zip(may) {
        for l in 0..WIDE {
            g[l] = step.0.mul_add(ki[l].double(), step.1.mul_add(kj[l].double(), g[l]));
            lanes.tell(l, place + l as f64, rise[l] - g[l], fall[l] - g[l]);
        }
        place += WIDE as f64;
    }
    for (l, g) in rest.iter_mut().enumerate() {
        let p = whole + l;
        *g = step.0.mul_add(ki[p].double(), step.1.mul_add(kj[p].double(), *g));
        lanes.tell(l, place + l as f64, rise[p] - *g, fall[p] - *g);
    }
    lanes.extremes()
}

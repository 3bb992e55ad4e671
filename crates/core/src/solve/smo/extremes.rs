//! What is largest and smallest along many coefficients, some hundreds at a time, which stay in the nearest cache.

use pulp::{Arch, Simd, WithSimd};

/// Coefficients that are looked at at once.
pub(super) const CHUNK: usize = 256;

/// The largest −G that may rise, where, and the smallest that may fall.
#[derive(Clone, Copy)]
pub(super) struct Extremes {
    pub top: f64,
    pub at: usize,
    pub bottom: f64,
}

impl Extremes {
    pub fn none(at: usize) -> Extremes {
        Extremes { top: f64::NEG_INFINITY, at, bottom: f64::INFINITY }
    }

    pub fn apart(&self) -> f64 {
        if self.top == f64::NEG_INFINITY || self.bottom == f64::INFINITY {
            0.0
        } else {
            self.top - self.bottom
        }
    }

    /// Looks at the coefficients from `first` on, at most `CHUNK`; `at` becomes the first of where the largest is.
    #[inline(always)]
    pub fn tell<S: Simd>(&mut self, simd: S, first: usize, g: &[f64], rise: &[f64], fall: &[f64]) {
        let (mut up, mut down) = ([f64::NEG_INFINITY; CHUNK], [f64::INFINITY; CHUNK]);
        up.iter_mut().zip(rise).zip(g).for_each(|((up, rise), g)| *up = rise - g);
        down.iter_mut().zip(fall).zip(g).for_each(|((down, fall), g)| *down = fall - g);
        let (mut top, mut bottom) = (simd.splat_f64s(f64::NEG_INFINITY), simd.splat_f64s(f64::INFINITY));
        for (&up, &down) in S::as_simd_f64s(&up).0.iter().zip(S::as_simd_f64s(&down).0) {
            top = simd.max_f64s(up, top);
            bottom = simd.min_f64s(down, bottom);
        }
        let (top, bottom) = (simd.reduce_max_f64s(top), simd.reduce_min_f64s(bottom));
        if top > self.top {
            (self.top, self.at) = (top, first);
        }
        self.bottom = if bottom < self.bottom { bottom } else { self.bottom };
    }
}

/// The place, from 0, of the first that is `wanted`; 0 if none is.
#[inline(always)]
pub(super) fn first<const N: usize, T: Copy + PartialEq>(all: &[T; N], wanted: T) -> usize {
    let (blocks, _) = all.as_chunks::<16>();
    let has = |block: &&[T; 16]| block.iter().fold(false, |has, &x| has | (x == wanted));
    let b = blocks.iter().position(|block| has(&block)).unwrap_or(0);
    b * 16 + blocks[b].iter().position(|&x| x == wanted).unwrap_or(0)
}

/// The extremes of all coefficients of a group, with `first` where it begins.
pub(super) struct Look<'a> {
    pub first: usize,
    pub g: &'a [f64],
    pub rise: &'a [f64],
    pub fall: &'a [f64],
}

impl Look<'_> {
    pub fn now(self) -> Extremes {
        Arch::new().dispatch(self)
    }
}

impl WithSimd for Look<'_> {
    type Output = Extremes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Extremes {
        let Look { first, g, rise, fall } = self;
        let mut found = Extremes::none(first);
        let chunks = g.chunks(CHUNK).zip(rise.chunks(CHUNK)).zip(fall.chunks(CHUNK));
        for (n, ((g, rise), fall)) in chunks.enumerate() {
            found.tell(simd, first + n * CHUNK, g, rise, fall);
        }
        found.at = exact(found, first, g, rise);
        found
    }
}

/// The place of the largest, in the chunk that begins at `found.at`.
#[inline(always)]
pub(super) fn exact(found: Extremes, begin: usize, g: &[f64], rise: &[f64]) -> usize {
    let (mut up, from) = ([f64::NEG_INFINITY; CHUNK], found.at - begin);
    if found.top > f64::NEG_INFINITY {
        up.iter_mut().zip(&rise[from..]).zip(&g[from..]).for_each(|((up, rise), g)| *up = rise - g);
        return found.at + first(&up, found.top);
    }
    begin
}

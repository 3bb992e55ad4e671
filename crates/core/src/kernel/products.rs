//! Kernels of all rows with some: as a table, or summed up on the way.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::sync::Arc;

use super::panel::{GROUP, Others, dense, sparse};
use super::points::{Bench, Chosen, Points};
use super::{Kernel, Real};
use crate::halt::{self, Halt};

/// Panels that a thread takes at once.
pub(super) const STRETCH: usize = 8;

/// Up to so many products are not worth a second thread.
const SMALL: usize = 1 << 18;

/// Told K(x_l, z_j) for the L rows of a panel: (j, values).
pub(super) trait Sink<R, const L: usize> {
    fn take(&mut self, j: usize, k: &[R; L]);
}

/// All of `z` with the rows of panel `p`.
struct Block<'a, R, const L: usize, S> {
    points: &'a Points<R, L>,
    z: &'a Chosen<R>,
    p: usize,
    bench: &'a mut Bench<R, L>,
    sink: S,
}

impl<R: Real, const L: usize, K: Sink<R, L>> WithSimd for Block<'_, R, L, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Block { points, z, p, bench, mut sink } = self;
        let (kernel, norms) = (points.kernel, points.panel_norms(p));
        let panel = points.panel(p, bench);
        match &z.others {
            Others::Dense(groups) if z.count() == 1 => {
                let [k] = dense::<R, L, 1>(panel, groups);
                tell(&kernel, norms, z.norms[0], 0, k, &mut sink);
            }
            Others::Dense(groups) => {
                for (g, group) in groups.chunks_exact(panel.len().max(1)).enumerate() {
                    let sums = dense::<R, L, GROUP>(panel, group);
                    for (k, j) in sums.into_iter().zip(g * GROUP..z.count()) {
                        tell(&kernel, norms, z.norms[j], j, k, &mut sink);
                    }
                }
            }
            Others::Sparse { ends, places, values } => {
                for j in 0..z.count() {
                    let stored = ends[j]..ends[j + 1];
                    let k = sparse(panel, &places[stored.clone()], &values[stored]);
                    tell(&kernel, norms, z.norms[j], j, k, &mut sink);
                }
            }
        }
    }
}

/// From products to values, and on to the sink.
#[inline(always)]
fn tell<R: Real, const L: usize, K: Sink<R, L>>(
    kernel: &Kernel,
    norms: &[R; L],
    norm: R,
    j: usize,
    mut k: [R; L],
    sink: &mut K,
) {
    kernel.finish(&mut k, norms, norm);
    sink.take(j, &k);
}

/// Tells `sink` of all of `z` with the rows of panel `p`.
pub(super) fn block<R: Real, const L: usize>(
    points: &Points<R, L>,
    z: &Chosen<R>,
    p: usize,
    bench: &mut Bench<R, L>,
    sink: impl Sink<R, L>,
) {
    Arch::new().dispatch(Block { points, z, p, bench, sink });
}

/// Row j of a table begins at j·stride.
struct Table<'a, R> {
    out: &'a mut [R],
    stride: usize,
    first: usize,
}

impl<R: Real, const L: usize> Sink<R, L> for Table<'_, R> {
    #[inline(always)]
    fn take(&mut self, j: usize, k: &[R; L]) {
        let row = &mut self.out[j * self.stride..][..self.stride];
        let row = &mut row[self.first..];
        let here = row.len().min(L);
        row[..here].copy_from_slice(&k[..here]);
    }
}

/// Σ_j K(x_l, z_j) c_j for each column of c (m, C).
struct Sums<'a, R, const L: usize> {
    coefficients: &'a [f64],
    columns: usize,
    /// (L, C)
    sums: &'a mut [f64],
    kind: std::marker::PhantomData<R>,
}

impl<R: Real, const L: usize> Sink<R, L> for Sums<'_, R, L> {
    #[inline(always)]
    fn take(&mut self, j: usize, k: &[R; L]) {
        let c = &self.coefficients[j * self.columns..][..self.columns];
        for (c, &weight) in c.iter().enumerate() {
            if weight != 0.0 {
                let sums = &mut self.sums.as_chunks_mut::<L>().0[c];
                for l in 0..L {
                    sums[l] = weight.mul_add(k[l].double(), sums[l]);
                }
            }
        }
    }
}

/// `out` (m, stride): row j holds K(x_i, z_j) for i from `first` panels on, as many as fit.
pub(super) fn table<R: Real, const L: usize>(
    points: &Points<R, L>,
    z: &Chosen<R>,
    panels: std::ops::Range<usize>,
    bench: &mut Bench<R, L>,
    out: &mut [R],
) {
    let stride = out.len() / z.count().max(1);
    for (n, p) in panels.enumerate() {
        let sink = Table { out, stride, first: n * L };
        Arch::new().dispatch(Block { points, z, p, bench, sink });
    }
}

/// A stretch of one row of the table; rows that are sparse look z up in `w`.
struct Single<'a, R, const L: usize> {
    points: &'a Points<R, L>,
    z: &'a Chosen<R>,
    w: &'a [R],
    first: usize,
    out: &'a mut [R],
}

impl<R: Real, const L: usize> WithSimd for Single<'_, R, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Single { points, z, w, first, out } = self;
        match &z.others {
            Others::Dense(groups) => {
                for (n, out) in out.chunks_mut(L).enumerate() {
                    let p = first / L + n;
                    let [mut k] = dense::<R, L, 1>(points.kept_panel(p), groups);
                    points.kernel.finish(&mut k, points.panel_norms(p), z.norms[0]);
                    out.copy_from_slice(&k[..out.len()]);
                }
            }
            Others::Sparse { .. } => {
                for (n, out) in out.chunks_mut(L).enumerate() {
                    let mut k = [R::default(); L];
                    for (l, k) in k.iter_mut().enumerate().take(out.len()) {
                        *k = points.product(first + n * L + l, w);
                    }
                    points.kernel.finish(&mut k, points.panel_norms(first / L + n), z.norms[0]);
                    out.copy_from_slice(&k[..out.len()]);
                }
            }
        }
    }
}

impl<R: Real, const L: usize> Points<R, L> {
    /// (m, N) K(z_j, x_i), row by row.
    pub fn rows(&self, z: &Chosen<R>) -> Vec<R> {
        let mut out = vec![R::default(); z.count() * self.count()];
        if self.count() > 0 {
            table(self, z, 0..self.panels(), &mut self.bench(), &mut out);
        }
        out
    }

    /// (N,) K(x_i, z) for a single row that was chosen.
    pub fn row(&self, z: &Chosen<R>, out: &mut [R]) {
        if self.count() * self.cost() < SMALL {
            return self.row_alone(z, out);
        }
        let w = self.spread(z);
        out.par_chunks_mut(STRETCH * L).enumerate().for_each(|(part, out)| {
            Arch::new().dispatch(Single { points: self, z, w: &w, first: part * STRETCH * L, out });
        });
    }

    /// The same on this thread.
    pub fn row_alone(&self, z: &Chosen<R>, out: &mut [R]) {
        Arch::new().dispatch(Single { points: self, z, w: &self.spread(z), first: 0, out });
    }

    /// (N, C) Σ_j K(x_i, z_j) c_jk for coefficients c (m, C), in double precision; z in order, on all threads.
    pub fn combination(&self, z: &Chosen<R>, coefficients: &[f64]) -> Vec<f64> {
        let columns = coefficients.len().checked_div(z.count()).unwrap_or(1);
        let mut out = vec![0.0; self.count() * columns];
        let share = (STRETCH * L * columns).max(1);
        let halt = halt::current();
        out.par_chunks_mut(share).enumerate().for_each_init(
            || (self.bench(), vec![0.0; L * columns]),
            |(bench, sums), (part, out)| {
                self.combine(z, coefficients, part * STRETCH, bench, sums, out, &halt)
            },
        );
        out
    }

    /// The same on this thread.
    pub fn combination_alone(&self, z: &Chosen<R>, coefficients: &[f64]) -> Vec<f64> {
        let columns = coefficients.len().checked_div(z.count()).unwrap_or(1);
        let mut out = vec![0.0; self.count() * columns];
        if columns > 0 {
            let mut sums = vec![0.0; L * columns];
            let halt = halt::current();
            self.combine(z, coefficients, 0, &mut self.bench(), &mut sums, &mut out, &halt);
        }
        out
    }

    /// The sums of the rows from some panel on, panel by panel.
    #[allow(clippy::too_many_arguments)] // what a panel is combined of, and where to
    fn combine(
        &self,
        z: &Chosen<R>,
        coefficients: &[f64],
        first: usize,
        bench: &mut Bench<R, L>,
        sums: &mut [f64],
        out: &mut [f64],
        halt: &Option<Arc<Halt>>,
    ) {
        let columns = sums.len() / L;
        for (n, out) in out.chunks_mut(L * columns).enumerate() {
            halt::check(halt);
            sums.fill(0.0);
            let sink = Sums { coefficients, columns, sums: &mut *sums, kind: std::marker::PhantomData };
            Arch::new().dispatch(Block { points: self, z, p: first + n, bench: &mut *bench, sink });
            for (l, out) in out.chunks_exact_mut(columns).enumerate() {
                out.iter_mut().enumerate().for_each(|(c, out)| *out = sums[c * L + l]);
            }
        }
    }
}

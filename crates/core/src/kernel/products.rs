//! Kernels of all rows with some: as a table, or summed up on the way.

use pulp::{Arch, Simd, WithSimd};
use std::sync::Arc;

use super::Real;
use super::panel::{GROUP, Others, dense};
use super::points::{Chosen, Points};
use super::stretches::Sums;
use crate::halt::{self, Halt};
use crate::parallel::{Spare, fill};

/// Up to so many products are not worth a second thread.
const SMALL: usize = 1 << 18;
/// So many rows alone fill too little of a panel.
const FEW: usize = 4;

/// Told K(x_l, z_j), or x_l·z_j, for the L rows of a panel, the n-th of its stretch: (n, j, values). It may change the
/// values where they are: a copy of them would be taken apart into single numbers.
pub(super) trait Sink<R, const L: usize> {
    fn take(&mut self, n: usize, j: usize, k: &mut [R; L]);
}

/// All of `z` with the rows of a stretch of panels.
struct Block<'a, R, const L: usize, S> {
    points: &'a Points<R, L>,
    z: &'a Chosen<R>,
    stretch: usize,
    sums: &'a mut Sums<R, L>,
    halt: &'a Option<Arc<Halt>>,
    sink: S,
}

impl<R: Real, const L: usize, K: Sink<R, L>> WithSimd for Block<'_, R, L, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Block { points, z, stretch, sums, halt, sink } = self;
        let mut values = Values { points, norms: &z.norms, first: stretch * points.stretch(), sink };
        let groups = match &z.others {
            Others::Dense(groups) => groups,
            Others::Sparse(z) => {
                let (x, stretches) =
                    points.stretches().expect("rows that are multiplied with sparse ones are");
                return stretches[stretch].products(simd, (x, z), sums, halt, values);
            }
        };
        for n in 0..points.stretch().min(points.panels() - values.first) {
            halt::check(halt);
            let panel = points.kept_panel(values.first + n);
            if z.count() == 1 {
                dense(simd, panel, groups, &mut sums.one);
                values.take(n, 0, &mut sums.one[0]);
                continue;
            }
            for (g, group) in groups.chunks_exact(panel.len().max(1)).enumerate() {
                dense(simd, panel, group, &mut sums.group);
                for (k, j) in sums.group.iter_mut().zip(g * GROUP..z.count()) {
                    values.take(n, j, k);
                }
            }
        }
    }
}

/// From products to values, and on to the sink.
struct Values<'a, R, const L: usize, S> {
    points: &'a Points<R, L>,
    /// ‖z‖².
    norms: &'a [R],
    /// The first panel of the stretch.
    first: usize,
    sink: S,
}

impl<R: Real, const L: usize, K: Sink<R, L>> Sink<R, L> for Values<'_, R, L, K> {
    #[inline(always)]
    fn take(&mut self, n: usize, j: usize, k: &mut [R; L]) {
        self.points.kernel.finish(k, self.points.panel_norms(self.first + n), self.norms[j]);
        self.sink.take(n, j, k);
    }
}

/// Tells `sink` of all of `z` with the rows of a stretch.
pub(super) fn block<R: Real, const L: usize>(
    points: &Points<R, L>,
    z: &Chosen<R>,
    stretch: usize,
    sums: &mut Sums<R, L>,
    halt: &Option<Arc<Halt>>,
    sink: impl Sink<R, L>,
) {
    Arch::new().dispatch(Block { points, z, stretch, sums, halt, sink });
}

/// Row j of a table begins at j·stride.
struct Table<'a, R> {
    out: &'a mut [R],
    stride: usize,
    first: usize,
}

impl<R: Real, const L: usize> Sink<R, L> for Table<'_, R> {
    #[inline(always)]
    fn take(&mut self, n: usize, j: usize, k: &mut [R; L]) {
        let row = &mut self.out[j * self.stride..][..self.stride];
        let row = &mut row[self.first + n * L..];
        let here = row.len().min(L);
        row[..here].copy_from_slice(&k[..here]);
    }
}

/// `out` (m, N): row j holds K(x_i, z_j) for i in some stretches.
pub(super) fn table<R: Real, const L: usize>(
    points: &Points<R, L>,
    z: &Chosen<R>,
    stretches: std::ops::Range<usize>,
    sums: &mut Sums<R, L>,
    out: &mut [R],
) {
    for stretch in stretches {
        let first = stretch * points.stretch() * L;
        block(points, z, stretch, sums, &None, Table { out: &mut *out, stride: points.count(), first });
    }
}

/// Coefficients c (m, C) of rows z, and where their sums go to.
struct Weights<'a> {
    values: &'a [f64],
    /// C.
    columns: usize,
    /// The first column of the sums of each z; empty where that is 0 for all.
    first: Vec<usize>,
    /// How many sums there are.
    width: usize,
}

impl<'a> Weights<'a> {
    fn new(values: &'a [f64], count: usize) -> Self {
        let columns = values.len().checked_div(count).unwrap_or(1);
        Weights { values, columns, first: Vec::new(), width: columns }
    }

    /// Sums of their own for each group of z, which end there.
    fn grouped(values: &'a [f64], ends: &[usize]) -> Self {
        let columns = values.len().checked_div(ends.last().copied().unwrap_or(0)).unwrap_or(0);
        let mut first = Vec::new();
        ends.iter().enumerate().for_each(|(g, &end)| first.resize(end, g * columns));
        Weights { values, columns, first, width: ends.len() * columns }
    }
}

/// Σ_j K(x_l, z_j) c_j for each column of c.
struct Combination<'a, R, const L: usize> {
    weights: &'a Weights<'a>,
    /// (panels, width, L)
    sums: &'a mut [f64],
    kind: std::marker::PhantomData<R>,
}

impl<R: Real, const L: usize> Sink<R, L> for Combination<'_, R, L> {
    #[inline(always)]
    fn take(&mut self, n: usize, j: usize, k: &mut [R; L]) {
        let &Weights { values, columns, ref first, width } = self.weights;
        let from = n * width + first.get(j).copied().unwrap_or(0);
        let own = &mut self.sums.as_chunks_mut::<L>().0[from..][..columns];
        for (sums, &weight) in own.iter_mut().zip(&values[j * columns..][..columns]) {
            if weight != 0.0 {
                for l in 0..L {
                    sums[l] = weight.mul_add(k[l].double(), sums[l]);
                }
            }
        }
    }
}

/// The sums of one row, whose kernel is k.
struct Weigh<'a, R> {
    weights: &'a Weights<'a>,
    k: &'a [R],
    sums: &'a mut [f64],
}

impl<R: Real> WithSimd for Weigh<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let &Weights { values, columns, ref first, .. } = self.weights;
        for (j, (k, own)) in self.k.iter().zip(values.chunks_exact(columns.max(1))).enumerate() {
            let sums = &mut self.sums[first.get(j).copied().unwrap_or(0)..][..columns];
            let k = k.double();
            for (sum, &weight) in sums.iter_mut().zip(own) {
                let with = weight.mul_add(k, *sum);
                *sum = if weight == 0.0 { *sum } else { with };
            }
        }
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
    fn with_simd<S: Simd>(self, simd: S) {
        let Single { points, z, w, first, out } = self;
        match &z.others {
            Others::Dense(groups) => {
                for (n, out) in out.chunks_mut(L).enumerate() {
                    let p = first / L + n;
                    let mut k = [[R::default(); L]];
                    dense(simd, points.kept_panel(p), groups, &mut k);
                    points.kernel.finish(&mut k[0], points.panel_norms(p), z.norms[0]);
                    out.copy_from_slice(&k[0][..out.len()]);
                }
            }
            Others::Sparse(_) => {
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
        table(self, z, 0..self.panels().div_ceil(self.stretch()), &mut Sums::new(), &mut out);
        out
    }

    /// (N,) K(x_i, z) for a single row that was chosen.
    pub fn row(&self, z: &Chosen<R>, out: &mut [R]) {
        if self.count() * self.cost() < SMALL {
            return self.row_alone(z, out);
        }
        let w = self.spread(z);
        let share = self.stretch() * L;
        fill(out, share, &|part, out| {
            Arch::new().dispatch(Single { points: self, z, w: &w, first: part * share, out });
        });
    }

    /// The same on this thread.
    pub fn row_alone(&self, z: &Chosen<R>, out: &mut [R]) {
        halt::check(&halt::current());
        Arch::new().dispatch(Single { points: self, z, w: &self.spread(z), first: 0, out });
    }

    /// (N, C) Σ_j K(x_i, z_j) c_jk for coefficients c (m, C), in double precision; z in order, on all threads.
    pub fn combination(&self, z: &Chosen<R>, coefficients: &[f64]) -> Vec<f64> {
        self.combine_all(z, &Weights::new(coefficients, z.count()))
    }

    /// The same sums as `combinations` of few rows x with all rows of this, both dense, to the last bit; None where x are
    /// many, or sparse. A row then goes along the panels of this, which need not be read anew as single rows.
    pub fn combinations_of_few(
        &self,
        x: &Points<R, L>,
        coefficients: &[f64],
        ends: &[usize],
    ) -> Option<Vec<f64>> {
        if x.count() > FEW || !self.is_dense() {
            return None;
        }
        let weights = if ends.is_empty() {
            Weights::new(coefficients, self.count())
        } else {
            Weights::grouped(coefficients, ends)
        };
        let (mut k, mut out) = (vec![R::default(); self.count()], vec![0.0; x.count() * weights.width]);
        for (i, sums) in (0..).zip(out.chunks_exact_mut(weights.width.max(1))) {
            self.row_alone(&x.choose(&[i]), &mut k);
            Arch::new().dispatch(Weigh { weights: &weights, k: &k, sums });
        }
        Some(out)
    }

    /// (N, G, C) the same sums of each of G groups of z, given where they end.
    pub fn combinations(&self, z: &Chosen<R>, coefficients: &[f64], ends: &[usize]) -> Vec<f64> {
        self.combine_all(z, &Weights::grouped(coefficients, ends))
    }

    fn combine_all(&self, z: &Chosen<R>, weights: &Weights<'_>) -> Vec<f64> {
        let mut out = vec![0.0; self.count() * weights.width];
        let (share, room) = self.shares(weights);
        let halt = halt::current();
        let spare = Spare::new();
        fill(&mut out, share, &|stretch, out| {
            let start = || (Sums::new(), vec![0.0; room]);
            spare.lend(start, |(products, sums)| {
                self.combine(z, weights, stretch, products, sums, out, &halt)
            });
        });
        out
    }

    /// The same on this thread.
    pub fn combination_alone(&self, z: &Chosen<R>, coefficients: &[f64]) -> Vec<f64> {
        let weights = Weights::new(coefficients, z.count());
        let mut out = vec![0.0; self.count() * weights.width];
        let (share, room) = self.shares(&weights);
        let (halt, mut products, mut sums) = (halt::current(), Sums::new(), vec![0.0; room]);
        for (stretch, out) in out.chunks_mut(share).enumerate() {
            self.combine(z, &weights, stretch, &mut products, &mut sums, out, &halt);
        }
        out
    }

    /// How many sums a stretch has, and how many of whole panels there may be at once.
    fn shares(&self, weights: &Weights<'_>) -> (usize, usize) {
        let share = |panels: usize| (panels * L * weights.width).max(1);
        (share(self.stretch()), share(self.stretch().min(self.panels())))
    }

    /// The sums of the rows of a stretch.
    #[allow(clippy::too_many_arguments)] // what a stretch is combined of, and where to
    fn combine(
        &self,
        z: &Chosen<R>,
        weights: &Weights<'_>,
        stretch: usize,
        products: &mut Sums<R, L>,
        sums: &mut [f64],
        out: &mut [f64],
        halt: &Option<Arc<Halt>>,
    ) {
        let width = weights.width;
        sums.fill(0.0);
        let sink = Combination { weights, sums: &mut *sums, kind: std::marker::PhantomData };
        block(self, z, stretch, products, halt, sink);
        for (out, sums) in out.chunks_mut(L * width).zip(sums.chunks_exact(L * width)) {
            for (l, out) in out.chunks_exact_mut(width).enumerate() {
                out.iter_mut().enumerate().for_each(|(c, out)| *out = sums[c * L + l]);
            }
        }
    }
}

//! Rows made ready for kernels: in one precision, features that never occur left out, the frequent ones side by side.

use std::sync::OnceLock;

use pulp::{Arch, Simd, WithSimd};

use super::names::{Names, by_frequency, means};
use super::panel::{GROUP, Others};
use super::stored::Stored;
use super::stretches::{ROWS, Stretch};
use super::{Kernel, Real};
use crate::parallel::fill_both;
use crate::rows::{Index, Rows, Value};

/// Rows with fewer values than this share of all places are kept as what is stored.
const SPARSE: f64 = 0.4;

/// Panels of dense rows that a thread takes at once.
const STRETCH: usize = 8;

enum Kept<R, const L: usize> {
    /// Panel after panel, `width` features each; rows that fill the last one up are zeros.
    Dense(Vec<[R; L]>),
    /// What is stored, and the same by feature, once it was asked for.
    Sparse(Stored<R>, OnceLock<Vec<Stretch<R>>>),
}

impl<R, const L: usize> Kept<R, L> {
    fn sparse(rows: Stored<R>) -> Self {
        Kept::Sparse(rows, OnceLock::new())
    }
}

/// N rows ready for a kernel, in precision R, L to a panel.
pub struct Points<R, const L: usize> {
    /// The kernel.
    pub kernel: Kernel,
    count: usize,
    names: Names,
    kept: Kept<R, L>,
    /// ‖x‖², up to a whole panel.
    norms: Vec<R>,
}

/// ‖x‖² of the rows of a panel, feature after feature.
struct Norms<'a, R, const L: usize> {
    panel: &'a [[R; L]],
    norms: &'a mut [R; L],
}

impl<R: Real, const L: usize> WithSimd for Norms<'_, R, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for x in self.panel {
            self.norms.iter_mut().zip(x).for_each(|(norm, &x)| *norm = x.times(x, *norm));
        }
    }
}

/// Rows z that a panel is multiplied with.
pub struct Chosen<R> {
    pub(super) others: Others<R>,
    /// ‖z‖².
    pub(super) norms: Vec<R>,
}

impl<R> Chosen<R> {
    /// How many.
    pub fn count(&self) -> usize {
        self.norms.len()
    }
}

impl<R: Real, const L: usize> Points<R, L> {
    /// All rows; `centred` takes the mean from dense rows where the kernel does not see it, which keeps digits.
    pub fn new<V: Value, I: Index>(rows: &Rows<'_, V, I>, kernel: Kernel, centred: bool) -> Self {
        let stored = rows.values().iter().filter(|x| x.real() != 0.0).count();
        let dense = !rows.is_sparse() && stored as f64 >= SPARSE * rows.values().len() as f64;
        let centre = if dense && centred && kernel.of_distance() { means(rows) } else { Vec::new() };
        let as_they_are = || Names { places: None, width: rows.columns(), frequent: 0, centre };
        let names = if dense { as_they_are() } else { by_frequency(rows) };
        let mut points =
            Points { kernel, count: rows.count(), names, kept: Kept::Dense(Vec::new()), norms: vec![] };
        points.norms = vec![R::default(); rows.count().div_ceil(L) * L];
        if dense {
            points.keep_panels(rows);
        } else {
            points.keep_stored(rows);
        }
        points
    }

    fn keep_panels<V: Value, I: Index>(&mut self, rows: &Rows<'_, V, I>) {
        let (width, count) = (self.names.width, self.count);
        let mut panels = vec![[R::default(); L]; count.div_ceil(L) * width];
        let names = &self.names;
        fill_both((&mut panels, width), (&mut self.norms, L), &|p, panel, norms| {
            let here = L.min(count - (p * L).min(count));
            (0..here).for_each(|l| names.each(rows, p * L + l, |k, x| panel[k][l] = x));
            if let Some(norms) = norms.as_chunks_mut::<L>().0.first_mut() {
                Arch::new().dispatch(Norms { panel, norms });
            }
        });
        self.kept = Kept::Dense(panels);
    }

    fn keep_stored<V: Value, I: Index>(&mut self, rows: &Rows<'_, V, I>) {
        let (mut stored, mut row) = (Stored::new(), Vec::new());
        for i in 0..self.count {
            row.clear();
            self.names.each(rows, i, |k, x: R| {
                if x != R::default() {
                    row.push((k as u32, x));
                }
            });
            self.norms[i] = stored.push(&mut row, self.names.frequent);
        }
        self.kept = Kept::sparse(stored);
    }

    /// N.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether all values are kept, be they 0 or not.
    pub(super) fn is_dense(&self) -> bool {
        matches!(self.kept, Kept::Dense(_))
    }

    /// How many products a value of the kernel costs, about.
    pub fn cost(&self) -> usize {
        match &self.kept {
            Kept::Dense(_) => self.names.width,
            Kept::Sparse(rows, _) => rows.len() / self.count.max(1) + 1,
        }
    }

    /// K(x_i, x_i).
    pub fn diagonal(&self, i: usize) -> R {
        self.kernel.diagonal(self.norms[i])
    }

    /// How many panels there are.
    pub fn panels(&self) -> usize {
        self.count.div_ceil(L)
    }

    /// How many panels a thread takes at once.
    pub(super) fn stretch(&self) -> usize {
        match &self.kept {
            Kept::Dense(_) => STRETCH,
            Kept::Sparse(..) => ROWS / L,
        }
    }

    /// z as numbers for all features, where rows are sparse.
    pub(super) fn spread(&self, z: &Chosen<R>) -> Vec<R> {
        let mut w = Vec::new();
        if let Others::Sparse(rows) = &z.others {
            w.resize(self.names.width, R::default());
            let (places, values) = rows.row(0);
            places.iter().zip(values).for_each(|(&k, &x)| w[k as usize] = x);
        }
        w
    }

    /// x_i·w of a sparse row.
    #[inline(always)]
    pub(super) fn product(&self, i: usize, w: &[R]) -> R {
        let Kept::Sparse(rows, _) = &self.kept else { return R::default() };
        let (places, values) = rows.row(i);
        places.iter().zip(values).fold(R::default(), |sum, (&k, x)| x.times(w[k as usize], sum))
    }

    /// Sparse rows, and the same by feature, some panels at a time; nothing of dense rows.
    pub(super) fn stretches(&self) -> Option<(&Stored<R>, &[Stretch<R>])> {
        let Kept::Sparse(rows, stretches) = &self.kept else { return None };
        let made = stretches.get_or_init(|| {
            let Names { frequent, width, .. } = self.names;
            let starts = (0..self.count).step_by(ROWS);
            let ranges = starts.map(|first| first..self.count.min(first + ROWS));
            ranges.map(|range| Stretch::new(rows, range, frequent, width)).collect()
        });
        Some((rows, made))
    }

    /// Panel p of dense rows.
    #[inline(always)]
    pub(super) fn kept_panel(&self, p: usize) -> &[[R; L]] {
        let Kept::Dense(panels) = &self.kept else { return &[] };
        &panels[p * self.names.width..][..self.names.width]
    }

    /// ‖x‖² of the rows of a panel.
    #[inline(always)]
    pub(super) fn panel_norms(&self, p: usize) -> &[R; L] {
        &self.norms.as_chunks::<L>().0[p]
    }

    /// The rows at these places, to multiply panels with.
    pub fn choose(&self, which: &[u32]) -> Chosen<R> {
        let norms = which.iter().map(|&i| self.norms[i as usize]).collect();
        let others = match &self.kept {
            Kept::Dense(panels) => {
                let width = self.names.width;
                let mut groups = vec![[R::default(); GROUP]; which.len().div_ceil(GROUP) * width];
                for (j, &i) in which.iter().enumerate() {
                    let (from, l) = (&panels[i as usize / L * width..][..width], i as usize % L);
                    let to = &mut groups[j / GROUP * width..][..width];
                    to.iter_mut().zip(from).for_each(|(z, x)| z[j % GROUP] = x[l]);
                }
                Others::Dense(groups)
            }
            Kept::Sparse(rows, _) => Others::Sparse(rows.take(which)),
        };
        Chosen { others, norms }
    }

    /// Other rows of the same features, named as these are.
    pub fn like<V: Value, I: Index>(&self, rows: &Rows<'_, V, I>) -> Points<R, L> {
        let names = self.names.clone();
        let norms = vec![R::default(); rows.count().div_ceil(L) * L];
        let kept = Kept::Dense(Vec::new());
        let mut points = Points { kernel: self.kernel, count: rows.count(), names, kept, norms };
        if matches!(self.kept, Kept::Dense(_)) {
            points.keep_panels(rows);
        } else {
            points.keep_stored(rows);
        }
        // Features that occur nowhere else are in no product, but in the norm.
        if points.names.places.is_some() {
            for i in 0..rows.count() {
                let row = rows.row(i);
                let mut rest = R::default();
                row.each(|k, x| {
                    if points.names.place(k).is_none() {
                        let x = R::near(x);
                        rest = x.times(x, rest);
                    }
                });
                points.norms[i] = rest.times(R::of(1.0), points.norms[i]);
            }
        }
        points
    }

    /// Only the rows at these places.
    pub fn take(&self, which: &[u32]) -> Points<R, L> {
        let names = self.names.clone();
        let mut norms: Vec<R> = which.iter().map(|&i| self.norms[i as usize]).collect();
        norms.resize(which.len().div_ceil(L) * L, R::default());
        let kept = match &self.kept {
            Kept::Dense(panels) => {
                let width = self.names.width;
                let mut new = vec![[R::default(); L]; which.len().div_ceil(L) * width];
                for (j, &i) in which.iter().enumerate() {
                    let from = &panels[i as usize / L * width..][..width];
                    let to = &mut new[j / L * width..][..width];
                    to.iter_mut().zip(from).for_each(|(to, x)| to[j % L] = x[i as usize % L]);
                }
                Kept::Dense(new)
            }
            Kept::Sparse(rows, _) => Kept::sparse(rows.take(which)),
        };
        Points { kernel: self.kernel, count: which.len(), names, kept, norms }
    }
}

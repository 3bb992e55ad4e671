//! Rows made ready for kernels: in one precision, features that never occur left out, the frequent ones side by side.

use rayon::prelude::*;

use super::names::{NOWHERE, Names, by_frequency, means};
use super::panel::{GROUP, Others};
use super::{Kernel, Real};
use crate::rows::{Index, Rows, Value};

/// Rows with fewer values than this share of all places are kept as what is stored.
const SPARSE: f64 = 0.4;

enum Kept<R, const L: usize> {
    /// Panel after panel, `width` features each; rows that fill the last one up are zeros.
    Dense(Vec<[R; L]>),
    /// What is stored: row i from `ends[i]` to before `ends[i + 1]`.
    Sparse { ends: Vec<usize>, places: Vec<u32>, values: Vec<R> },
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

/// Where one panel is put together.
pub struct Bench<R, const L: usize> {
    panel: Vec<[R; L]>,
    written: Option<usize>,
}

impl<R: Real, const L: usize> Points<R, L> {
    /// All rows; `centred` takes the mean from dense rows where the kernel does not see it, which keeps digits.
    pub fn new<V: Value, I: Index>(rows: &Rows<'_, V, I>, kernel: Kernel, centred: bool) -> Self {
        let stored = rows.values().iter().filter(|x| x.real() != 0.0).count();
        let dense = !rows.is_sparse() && stored as f64 >= SPARSE * rows.values().len() as f64;
        let names = Names {
            places: rows.is_sparse().then(|| by_frequency(rows)),
            width: rows.columns(),
            centre: if dense && centred && kernel.of_distance() { means(rows) } else { Vec::new() },
        };
        let mut points =
            Points { kernel, count: rows.count(), names, kept: Kept::Dense(Vec::new()), norms: vec![] };
        if let Some(places) = &points.names.places {
            points.names.width = places.iter().filter(|&&p| p != NOWHERE).count();
        }
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
        let both = panels.par_chunks_mut(width.max(1)).zip(self.norms.par_chunks_mut(L)).enumerate();
        both.for_each(|(p, (panel, norms))| {
            for (l, norm) in norms.iter_mut().enumerate().take(count - (p * L).min(count)) {
                names.each(rows, p * L + l, |k, x| panel[k][l] = x);
                *norm = panel.iter().fold(R::default(), |sum, x| x[l].times(x[l], sum));
            }
        });
        self.kept = Kept::Dense(panels);
    }

    fn keep_stored<V: Value, I: Index>(&mut self, rows: &Rows<'_, V, I>) {
        let (mut ends, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.count {
            let start = values.len();
            self.names.each(rows, i, |k, x: R| {
                if x != R::default() {
                    places.push(k as u32);
                    values.push(x);
                }
            });
            ends.push(values.len());
            self.norms[i] = values[start..].iter().fold(R::default(), |sum, &x| x.times(x, sum));
        }
        self.kept = Kept::Sparse { ends, places, values };
    }

    /// N.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many products a value of the kernel costs, about.
    pub fn cost(&self) -> usize {
        match &self.kept {
            Kept::Dense(_) => self.names.width,
            Kept::Sparse { values, .. } => values.len() / self.count.max(1) + 1,
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

    /// A place to put panels together.
    pub fn bench(&self) -> Bench<R, L> {
        let width = if matches!(self.kept, Kept::Dense(_)) { 0 } else { self.names.width };
        Bench { panel: vec![[R::default(); L]; width], written: None }
    }

    /// z as numbers for all features, where rows are sparse.
    pub(super) fn spread(&self, z: &Chosen<R>) -> Vec<R> {
        let mut w = Vec::new();
        if let Others::Sparse { places, values, .. } = &z.others {
            w.resize(self.names.width, R::default());
            places.iter().zip(values).for_each(|(&k, &x)| w[k as usize] = x);
        }
        w
    }

    /// x_i·w of a sparse row.
    #[inline(always)]
    pub(super) fn product(&self, i: usize, w: &[R]) -> R {
        let Kept::Sparse { ends, places, values } = &self.kept else { return R::default() };
        let stored = places[ends[i]..ends[i + 1]].iter().zip(&values[ends[i]..ends[i + 1]]);
        stored.fold(R::default(), |sum, (&k, x)| x.times(w[k as usize], sum))
    }

    /// Panel p of dense rows.
    #[inline(always)]
    pub(super) fn kept_panel(&self, p: usize) -> &[[R; L]] {
        let Kept::Dense(panels) = &self.kept else { return &[] };
        &panels[p * self.names.width..][..self.names.width]
    }

    /// ‖x‖² of the rows of a panel.
    pub(super) fn panel_norms(&self, p: usize) -> &[R; L] {
        &self.norms.as_chunks::<L>().0[p]
    }

    /// Panel p.
    #[inline(always)]
    pub(super) fn panel<'s>(&'s self, p: usize, bench: &'s mut Bench<R, L>) -> &'s [[R; L]] {
        match &self.kept {
            Kept::Dense(panels) => &panels[p * self.names.width..][..self.names.width],
            Kept::Sparse { ends, places, values } => {
                let rows = |p: usize| (p * L..self.count.min((p + 1) * L)).enumerate();
                for (l, i) in bench.written.into_iter().flat_map(rows) {
                    places[ends[i]..ends[i + 1]]
                        .iter()
                        .for_each(|&k| bench.panel[k as usize][l] = R::default());
                }
                for (l, i) in rows(p) {
                    let stored = places[ends[i]..ends[i + 1]].iter().zip(&values[ends[i]..ends[i + 1]]);
                    stored.for_each(|(&k, &x)| bench.panel[k as usize][l] = x);
                }
                bench.written = Some(p);
                &bench.panel
            }
        }
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
            Kept::Sparse { ends, places, values } => {
                let (mut new, mut taken, mut numbers) = (vec![0], Vec::new(), Vec::new());
                for &i in which {
                    let from = ends[i as usize]..ends[i as usize + 1];
                    taken.extend_from_slice(&places[from.clone()]);
                    numbers.extend_from_slice(&values[from]);
                    new.push(taken.len());
                }
                Others::Sparse { ends: new, places: taken, values: numbers }
            }
        };
        Chosen { others, norms }
    }

    /// Other rows of the same features, named as these are.
    pub fn like<V: Value, I: Index>(&self, rows: &Rows<'_, V, I>) -> Points<R, L> {
        let names = Names {
            places: self.names.places.clone(),
            width: self.names.width,
            centre: self.names.centre.clone(),
        };
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
        let names = Names {
            places: self.names.places.clone(),
            width: self.names.width,
            centre: self.names.centre.clone(),
        };
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
            Kept::Sparse { .. } => match self.choose(which).others {
                Others::Sparse { ends, places, values } => Kept::Sparse { ends, places, values },
                Others::Dense(_) => unreachable!("rows that are sparse are chosen as such"),
            },
        };
        Points { kernel: self.kernel, count: which.len(), names, kept, norms }
    }
}

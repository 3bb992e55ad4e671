//! Rows that several problems are about: what they have in common is made ready and computed once.

use super::square::STRIPE;
use super::{Doubles, Kernel, Points, Real};
use crate::rows::{Index, Rows, Value};
use crate::solve::smo::Source;

/// From so many products a value on, looking a value up is quicker than computing it again.
const DEAR: usize = 64;

/// What is known of the kernel before anybody asks.
enum Known<R> {
    Nothing,
    /// All values, row by row.
    All(Vec<R>),
    /// The values within each class.
    Classes(Classes<R>),
}

struct Classes<R> {
    /// The class of each row.
    of: Vec<u32>,
    /// Which one it is of its class.
    place: Vec<u32>,
    /// How many rows each class has.
    sizes: Vec<usize>,
    tables: Vec<Vec<R>>,
}

/// Rows, their kernel, and what of it is known.
pub struct Shared<R, const L: usize> {
    points: Points<R, L>,
    doubles: Doubles,
    known: Known<R>,
}

impl<R: Real, const L: usize> Shared<R, L> {
    /// Rows of which nothing is known yet.
    pub fn new<V: Value, I: Index>(rows: &Rows<'_, V, I>, kernel: Kernel) -> Self {
        let points = Points::new(rows, kernel, true);
        Shared { points, doubles: Doubles::new(rows, kernel, false), known: Known::Nothing }
    }

    /// N.
    pub fn count(&self) -> usize {
        self.points.count()
    }

    /// Computes all values, if they fit into so many bytes; whether they did.
    pub fn learn_all(&mut self, bytes: usize) -> bool {
        let fits = fits::<R>(self.count() * self.count(), bytes);
        if fits {
            self.known = Known::All(self.points.square());
        }
        fits
    }

    /// Computes the values within each class, for problems that are about two classes each: where values are dear, and
    /// these fit into so many bytes.
    pub fn learn_classes(&mut self, of: Vec<u32>, bytes: usize) {
        let count = of.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut members, mut place) = (vec![Vec::new(); count], Vec::with_capacity(of.len()));
        for (i, &c) in of.iter().enumerate() {
            place.push(members[c as usize].len() as u32);
            members[c as usize].push(i as u32);
        }
        let values = members.iter().map(|own| own.len() * own.len()).sum();
        if self.points.cost() >= DEAR && fits::<R>(values, bytes) {
            let sizes = members.iter().map(Vec::len).collect();
            let tables = members.iter().map(|own| self.points.take(own).square()).collect();
            self.known = Known::Classes(Classes { of, place, sizes, tables });
        }
    }

    /// (n, n) K of the rows at these places, in doubles.
    pub fn square(&self, rows: &[u32]) -> Vec<f64> {
        self.doubles.take(rows).square()
    }

    /// How the rows at these places see each other, for a problem that may keep so many bytes.
    pub fn part(&self, rows: Vec<u32>, bytes: usize) -> Part<'_, R, L> {
        let n = rows.len();
        let values = match &self.known {
            Known::All(table) => Values::Known {
                table: table.into(),
                width: self.count(),
                place: rows.clone(),
                active: vec![],
            },
            Known::Classes(classes) if fits::<R>(n * n, bytes) => {
                let table = classes.between(&self.points, &rows);
                Values::Known {
                    table: table.into(),
                    width: n,
                    place: (0..n as u32).collect(),
                    active: vec![],
                }
            }
            _ => Values::Asked(self.points.take(&[])),
        };
        Part { shared: self, rows, values, doubles: None }
    }
}

fn fits<R>(values: usize, bytes: usize) -> bool {
    values.saturating_mul(size_of::<R>()) <= bytes
}

impl<R: Real> Classes<R> {
    /// K of rows of some classes with each other: within a class it is known, between two it is computed, once.
    fn between<const L: usize>(&self, points: &Points<R, L>, rows: &[u32]) -> Vec<R> {
        let n = rows.len();
        let mut all = vec![R::default(); n * n];
        let runs: Vec<&[u32]> = rows.chunk_by(|&a, &b| self.of[a as usize] == self.of[b as usize]).collect();
        let mut top = 0;
        for (k, own) in runs.iter().enumerate() {
            let c = self.of[own[0] as usize] as usize;
            for (i, &a) in own.iter().enumerate() {
                let row = &self.tables[c][self.place[a as usize] as usize * self.sizes[c]..][..self.sizes[c]];
                let out = &mut all[(top + i) * n + top..][..own.len()];
                out.iter_mut().zip(*own).for_each(|(out, &b)| *out = row[self.place[b as usize] as usize]);
            }
            let mut left = top + own.len();
            for other in &runs[k + 1..] {
                let panels = points.take(other);
                for (s, some) in own.chunks(STRIPE).enumerate() {
                    let tile = panels.rows(&points.choose(some));
                    put(&mut all, n, &tile, other.len(), top + s * STRIPE, left);
                }
                left += other.len();
            }
            top += own.len();
        }
        all
    }
}

/// A tile, and its transpose on the other side of the diagonal.
fn put<R: Real>(all: &mut [R], n: usize, tile: &[R], width: usize, top: usize, left: usize) {
    for (i, row) in tile.chunks_exact(width).enumerate() {
        all[(top + i) * n + left..][..width].copy_from_slice(row);
    }
    let height = tile.len() / width.max(1);
    for j in 0..width {
        let out = &mut all[(left + j) * n + top..][..height];
        out.iter_mut().enumerate().for_each(|(i, out)| *out = tile[i * width + j]);
    }
}

enum Values<'a, R: Clone, const L: usize> {
    /// Computed when they are asked for, with the panels of the rows that are active.
    Asked(Points<R, L>),
    /// Looked up: row i of the problem is row place[i] of the table.
    Known { table: std::borrow::Cow<'a, [R]>, width: usize, place: Vec<u32>, active: Vec<u32> },
}

/// Some of the rows, as one problem asks for their kernel; all on one thread.
pub struct Part<'a, R: Clone, const L: usize> {
    shared: &'a Shared<R, L>,
    rows: Vec<u32>,
    values: Values<'a, R, L>,
    doubles: Option<Doubles>,
}

impl<R: Real, const L: usize> Source<R> for Part<'_, R, L> {
    fn diagonal(&mut self) -> Option<Vec<R>> {
        Some(self.rows.iter().map(|&i| self.shared.points.diagonal(i as usize)).collect())
    }

    fn fill(&mut self, row: u32, out: &mut [R]) -> bool {
        match &self.values {
            Values::Asked(active) => {
                active.row_alone(&self.shared.points.choose(&[self.rows[row as usize]]), out);
            }
            Values::Known { table, width, place, active } => {
                let values = &table[place[row as usize] as usize * width..][..*width];
                out.iter_mut().zip(active).for_each(|(out, &j)| *out = values[j as usize]);
            }
        }
        true
    }

    fn restrict(&mut self, rows: &[u32]) {
        match &mut self.values {
            Values::Asked(active) => {
                let places: Vec<u32> = rows.iter().map(|&i| self.rows[i as usize]).collect();
                *active = self.shared.points.take(&places);
            }
            Values::Known { place, active, .. } => {
                *active = rows.iter().map(|&i| place[i as usize]).collect();
            }
        }
    }

    fn scores(&mut self, coefficients: &[f64]) -> Option<Vec<f64>> {
        let doubles = self.doubles.get_or_insert_with(|| self.shared.doubles.take(&self.rows));
        let support: Vec<u32> =
            (0..coefficients.len() as u32).filter(|&j| coefficients[j as usize] != 0.0).collect();
        let weights: Vec<f64> = support.iter().map(|&j| coefficients[j as usize]).collect();
        Some(doubles.combination_alone(&doubles.choose(&support), &weights))
    }
}

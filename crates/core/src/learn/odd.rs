//! Rows that slices do not hold, or not all of: their products are added one by one.
//!
//! Floor: a look at each line of such a row, and some additions to exact sums for each product of what is left over.

use std::ops::Range;

use super::double_double::two_product;
use super::exact::Exact;

/// What the slices leave of x, and of w x, in a column.
pub struct Leftover {
    pub place: u32,
    pub right: f64,
    pub left: [f64; 2],
}

/// Where the values of a row end, and what is left of them; its weight, and whether no slices hold anything of it.
struct Row {
    end: usize,
    rests: usize,
    w: f64,
    whole: bool,
}

/// Such rows.
#[derive(Default)]
pub struct Odd {
    values: Vec<f64>,
    /// The columns of the values, ascending in a row; none where rows hold all columns.
    places: Vec<u32>,
    rests: Vec<Leftover>,
    rows: Vec<Row>,
}

/// One of the rows.
struct Seen<'a> {
    values: &'a [f64],
    places: Option<&'a [u32]>,
    rests: &'a [Leftover],
    w: f64,
}

impl Odd {
    /// Takes one more row that holds all columns, of weight w; without rests all of it is to be added.
    pub fn push_dense(&mut self, values: impl Iterator<Item = f64>, w: f64, rests: Option<Vec<Leftover>>) {
        self.values.extend(values);
        self.finish(w, rests);
    }

    /// Takes one more row of values at places, ascending.
    pub fn push_sparse(&mut self, entries: &[(u32, f64)], w: f64, rests: Option<Vec<Leftover>>) {
        self.values.extend(entries.iter().map(|entry| entry.1));
        self.places.extend(entries.iter().map(|entry| entry.0));
        self.finish(w, rests);
    }

    fn finish(&mut self, w: f64, rests: Option<Vec<Leftover>>) {
        let whole = rests.is_none();
        self.rests.extend(rests.unwrap_or_default());
        self.rows.push(Row { end: self.values.len(), rests: self.rests.len(), w, whole });
    }

    /// Takes the rows of another.
    pub fn append(&mut self, other: Odd) {
        let (end, rests) = (self.values.len(), self.rests.len());
        self.values.extend(other.values);
        self.places.extend(other.places);
        self.rests.extend(other.rests);
        let moved = |row: Row| Row { end: end + row.end, rests: rests + row.rests, ..row };
        self.rows.extend(other.rows.into_iter().map(moved));
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds what is missing of Σ w x_j x_k, for each k ≤ j.
    #[inline(always)]
    pub fn add_line(&self, j: usize, line: &mut [Exact]) {
        let (mut start, mut first) = (0, 0);
        for row in &self.rows {
            let (own, rests) = (start..row.end, first..row.rests);
            (start, first) = (row.end, row.rests);
            let Some(at) = self.find(own.clone(), j) else { continue };
            let own = own.start..at + 1;
            let places = (!self.places.is_empty()).then(|| &self.places[own.clone()]);
            let seen = Seen { values: &self.values[own], places, rests: &self.rests[rests], w: row.w };
            match row.whole {
                true => seen.add_whole(line),
                false => seen.add_rests(j as u32, line),
            }
        }
    }

    /// Finds where column j of a row is held.
    #[inline(always)]
    fn find(&self, own: Range<usize>, j: usize) -> Option<usize> {
        if self.places.is_empty() {
            return (own.start + j < own.end).then_some(own.start + j);
        }
        self.places[own.clone()].binary_search(&(j as u32)).ok().map(|at| own.start + at)
    }
}

impl Seen<'_> {
    /// Hands on the values, with their columns.
    #[inline(always)]
    fn each(&self, mut take: impl FnMut(usize, f64)) {
        match self.places {
            None => self.values.iter().enumerate().for_each(|(k, x)| take(k, *x)),
            Some(places) => places.iter().zip(self.values).for_each(|(k, x)| take(*k as usize, *x)),
        }
    }

    /// Adds all products of the last value.
    #[inline(always)]
    fn add_whole(&self, line: &mut [Exact]) {
        let (w, own) = (self.w, self.values[self.values.len() - 1]);
        self.each(|k, x| match w == 1.0 {
            true => line[k].add_product(own, x),
            false => line[k].add_products(&[w, own, x]),
        });
    }

    /// Adds what the slices leave of the products of the last value: r_j x_k + (w x_j − r_j) r′_k.
    #[inline(always)]
    fn add_rests(&self, j: u32, line: &mut [Exact]) {
        let end = self.rests.partition_point(|rest| rest.place <= j);
        let rests = &self.rests[..end];
        let left = rests.last().filter(|rest| rest.place == j).map_or([0.0; 2], |rest| rest.left);
        for part in left.into_iter().filter(|part| *part != 0.0) {
            self.each(|k, x| line[k].add_product(part, x));
        }
        if rests.is_empty() {
            return;
        }
        let (high, low) = two_product(self.w, self.values[self.values.len() - 1]);
        for rest in rests.iter().filter(|rest| rest.right != 0.0) {
            for held in [high, low, -left[0], -left[1]].into_iter().filter(|held| *held != 0.0) {
                line[rest.place as usize].add_product(held, rest.right);
            }
        }
    }
}

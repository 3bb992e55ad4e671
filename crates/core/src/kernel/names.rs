//! Features named anew: those that occur often side by side, those that never occur left out.

use super::Real;
use super::stretches::{FEW, FREQUENT, RARE};
use crate::rows::{Index, Rows, Value};

/// A feature that occurs in no row that was made ready.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How features were named anew, and what was taken from them.
#[derive(Clone)]
pub(super) struct Names {
    /// The place of each feature of X, or none for all as they are.
    pub places: Option<Vec<u32>>,
    /// How many places there are.
    pub width: usize,
    /// How many of them, from the first, are of features that occur often.
    pub frequent: usize,
    /// The mean that was taken from each feature, where it was.
    pub centre: Vec<f64>,
}

impl Names {
    #[inline(always)]
    pub fn place(&self, k: usize) -> Option<usize> {
        match &self.places {
            None => Some(k),
            Some(places) => Some(places[k]).filter(|&p| p != NOWHERE).map(|p| p as usize),
        }
    }

    /// The places and values of row i, of features that have one.
    #[inline(always)]
    pub fn each<R: Real, V: Value, I: Index>(
        &self,
        rows: &Rows<'_, V, I>,
        i: usize,
        mut f: impl FnMut(usize, R),
    ) {
        if self.centre.is_empty() {
            rows.row(i).each(|k, x| {
                if let Some(k) = self.place(k) {
                    f(k, R::near(x));
                }
            });
        } else {
            rows.row(i).each(|k, x| f(k, R::of(x.real() - self.centre[k])));
        }
    }
}

/// Features in the order of how often they occur, and how many of them are taken to be frequent.
pub(super) fn by_frequency<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Names {
    let mut times = vec![0_usize; rows.columns()];
    (0..rows.count()).for_each(|i| rows.row(i).each(|k, x| times[k] += usize::from(x.real() != 0.0)));
    let mut order: Vec<u32> = (0..rows.columns() as u32).filter(|&k| times[k as usize] > 0).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(times[k as usize]));
    let often = order.partition_point(|&k| times[k as usize] * RARE >= rows.count());
    let mut places = vec![NOWHERE; rows.columns()];
    order.iter().enumerate().for_each(|(p, &k)| places[k as usize] = p as u32);
    let (width, centre) = (order.len(), Vec::new());
    let frequent = if width <= FEW { width } else { often.min(FREQUENT) };
    Names { places: Some(places), width, frequent, centre }
}

/// The mean of each feature.
pub(super) fn means<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Vec<f64> {
    let mut sums = vec![0.0; rows.columns()];
    (0..rows.count()).for_each(|i| rows.row(i).each(|k, x| sums[k] += x.real()));
    sums.iter_mut().for_each(|s| *s /= rows.count().max(1) as f64);
    sums
}

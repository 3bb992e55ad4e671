//! Rows turned into columns.

use std::ops::Range;

use super::Shape;
use crate::rows::{Index, Row, Rows, Value};

/// Dense rows that are turned at once.
const BLOCK: usize = 16;
/// A range of columns, and where it goes.
pub struct Fill<'a, 'r, V, I> {
    pub rows: &'a Rows<'r, V, I>,
    pub range: Range<usize>,
    pub shapes: &'a mut [Shape],
    pub values: &'a mut [f64],
    pub places: &'a mut [u32],
    /// Where in all values and places this range begins.
    pub value: usize,
    pub place: usize,
}

impl<V: Value, I: Index> Fill<'_, '_, V, I> {
    /// Puts them all there.
    pub fn run(mut self) {
        self.shapes.iter_mut().filter(|shape| shape.place.is_some()).for_each(|shape| shape.length = 0);
        let (count, range) = (self.rows.count(), self.range.clone());
        for start in (0..count).step_by(BLOCK) {
            let block = start..count.min(start + BLOCK);
            if self.rows.is_sparse() {
                for i in block {
                    self.rows.row(i).each(|j, x| self.put(i, j, x.real()));
                }
                continue;
            }
            for j in range.clone() {
                if self.shapes[j - range.start].place.is_none() {
                    self.copy(block.clone(), j);
                    continue;
                }
                for i in block.clone() {
                    if let Row::Dense(values) = self.rows.row(i) {
                        self.put(i, j, values[j].real());
                    }
                }
            }
        }
    }

    /// Puts the values of dense rows in a column that is held whole; −0 becomes 0, as everywhere.
    fn copy(&mut self, block: Range<usize>, j: usize) {
        let first = self.shapes[j - self.range.start].value - self.value;
        let own = &mut self.values[first..][block.clone()];
        for (x, i) in own.iter_mut().zip(block) {
            if let Row::Dense(values) = self.rows.row(i) {
                *x = values[j].real() + 0.0;
            }
        }
    }

    /// Puts a value behind those of its column; one in the same place is added to.
    #[inline(always)]
    fn put(&mut self, i: usize, j: usize, x: f64) {
        if x == 0.0 || !self.range.contains(&j) {
            return;
        }
        let shape = &mut self.shapes[j - self.range.start];
        let value = shape.value - self.value;
        let Some(place) = shape.place else {
            self.values[value + i] += x;
            return;
        };
        let places = &mut self.places[place - self.place..];
        if shape.length > 0 && places[shape.length - 1] == i as u32 {
            self.values[value + shape.length - 1] += x;
            return;
        }
        places[shape.length] = i as u32;
        self.values[value + shape.length] = x;
        shape.length += 1;
    }
}

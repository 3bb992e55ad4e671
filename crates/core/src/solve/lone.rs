//! Columns that one row alone has, as one of that row.
//!
//! A penalty ½λ‖w‖² does not change when columns are rotated, nor do the products x_i·x_j of rows, on which alone the
//! optimum hangs. The columns that row i alone has say of it what a single one says,
//!
//! ```text
//! x_i' = ‖x_iL‖,     w_j = w_i'·x_ij / ‖x_iL‖   for j in L, the columns of row i alone,
//! ```
//!
//! and of no other row anything. Of the words and pairs of words of texts, two in three are in one text alone.
//!
//! Floor: two passes over the indices, one over the values, and as many written: ≈ 5 ns a value.

use crate::halt::{check, current};
use crate::rows::{Index, Row, Rows, Value};

/// Lone columns are gathered where they hold at least one value of so many.
const WORTH: usize = 16;
/// Rows between two looks at whether to go on.
const STRETCH: usize = 1 << 12;

/// The rows whose lone columns are one a row: those that several rows have, in their order, then those of one row.
pub struct Gathered<V, I> {
    /// The values stored.
    pub values: Vec<V>,
    /// Their columns.
    pub indices: Vec<I>,
    /// Where rows begin and end.
    pub indptr: Vec<I>,
    /// d', how many columns there are.
    pub columns: usize,
    /// (d' − one for each row that has lone ones) which column each was.
    pub kept: Vec<I>,
    /// (L,) the columns that were lone.
    pub lone: Vec<I>,
    /// (L,) the column that stands for each of these.
    pub place: Vec<I>,
    /// (L,) x_ij / ‖x_iL‖.
    pub share: Vec<f64>,
}

/// Gathers the lone columns of each row; None where rows are dense, or few values are of such columns.
pub fn gather<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Option<Gathered<V, I>> {
    let d = rows.columns();
    if !rows.is_sparse() || d * WORTH < rows.values().len() {
        return None;
    }
    let often = how_often(rows);
    let lone = often.iter().filter(|&&n| n == 1).count();
    if lone == 0 || lone * WORTH < rows.values().len() {
        return None;
    }
    let kept: Vec<I> = (0..d).filter(|&j| often[j] > 1).map(I::of).collect();
    let mut numbers = vec![I::of(0); d];
    kept.iter().enumerate().for_each(|(k, j)| numbers[j.place()] = I::of(k));
    let room = rows.values().len() - lone + rows.count();
    let mut found = Gathered {
        values: Vec::with_capacity(room),
        indices: Vec::with_capacity(room),
        indptr: vec![I::of(0)],
        columns: kept.len(),
        kept,
        lone: Vec::with_capacity(lone),
        place: Vec::with_capacity(lone),
        share: Vec::with_capacity(lone),
    };
    let halt = current();
    for i in 0..rows.count() {
        if i % STRETCH == 0 {
            check(&halt);
        }
        found.add(&rows.row(i), &often, &numbers)?;
    }
    Some(found)
}

impl<V: Value, I: Index> Gathered<V, I> {
    /// Adds a row; None where no value holds the length of its lone part.
    fn add(&mut self, row: &Row<'_, V, I>, often: &[u8], numbers: &[I]) -> Option<()> {
        let (begin, mut largest) = (self.lone.len(), 0.0_f64);
        row.each(|j, x| {
            if often[j] > 1 {
                self.values.push(x);
                self.indices.push(numbers[j]);
            } else {
                self.lone.push(I::of(j));
                self.share.push(x.real());
                largest = largest.max(x.real().abs());
            }
        });
        if begin < self.lone.len() {
            let own = &mut self.share[begin..];
            let scale = if largest > 0.0 { largest } else { 1.0 };
            let length = scale * own.iter().map(|x| (x / scale).powi(2)).sum::<f64>().sqrt();
            let value = V::nearest(length)?;
            let divisor = if value.real() > 0.0 { value.real() } else { 1.0 };
            own.iter_mut().for_each(|x| *x /= divisor);
            self.place.resize(self.lone.len(), I::of(self.columns));
            self.values.push(value);
            self.indices.push(I::of(self.columns));
            self.columns += 1;
        }
        self.indptr.push(I::of(self.indices.len()));
        Some(())
    }
}

/// How many values each column stores: 0, 1, or 2 for more.
fn how_often<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Vec<u8> {
    let mut often = vec![0_u8; rows.columns()];
    let halt = current();
    for i in 0..rows.count() {
        if i % STRETCH == 0 {
            check(&halt);
        }
        rows.row(i).each(|j, _| often[j] = (often[j] + 1).min(2));
    }
    often
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_of_rows_stay_and_weights_come_back() {
        // Columns 1 and 4 are of row 0 alone, 5 of row 2, which tells it twice, and 3 of none.
        let (data, indices) = ([3.0_f64, 1.0, -4.0, 2.0, 5.0, 2.0, 6.0, 1.0], [1, 0, 4, 2, 0, 2, 5, 5]);
        let rows = Rows::sparse(&data, &indices, &[0, 3, 5, 8], 6).unwrap();
        let found = gather(&rows).unwrap();
        assert_eq!(found.kept, [0, 2, 5]);
        assert_eq!((found.lone, found.place, found.share), (vec![1, 4], vec![3, 3], vec![0.6, -0.8]));
        assert_eq!(found.values, [1.0, 5.0, 2.0, 5.0, 2.0, 6.0, 1.0]);
        assert_eq!(found.indices, [0, 3, 1, 0, 1, 2, 2]);
        assert_eq!((found.indptr, found.columns), (vec![0, 2, 4, 7], 4));
    }

    #[test]
    fn nothing_is_gathered_where_it_brings_nothing() {
        assert!(gather(&Rows::<f64, i32>::dense(&[1.0, 2.0], 2, 1).unwrap()).is_none());
        assert!(gather(&Rows::sparse(&[1.0_f64, 2.0], &[0, 0], &[0, 1, 2], 1).unwrap()).is_none());
        let (data, indices) = ([1.0_f32; 40], [0; 40]);
        let indptr: Vec<i32> = (0..=40).collect();
        assert!(gather(&Rows::sparse(&data, &indices, &indptr, 9).unwrap()).is_none());
    }

    #[test]
    fn lengths_neither_vanish_nor_pass_the_largest_value() {
        let small = Rows::sparse(&[3e-200_f64, 4e-200], &[0, 1], &[0, 2], 2).unwrap();
        assert!((gather(&small).unwrap().values[0] / 5e-200 - 1.0).abs() < 1e-15);
        assert!(gather(&Rows::sparse(&[3e38_f32, 3e38], &[0, 1], &[0, 2], 2).unwrap()).is_none());
        let zero = gather(&Rows::sparse(&[0.0_f64, 0.0], &[0, 1], &[0, 2], 2).unwrap()).unwrap();
        assert_eq!((zero.values, zero.share), (vec![0.0], vec![0.0, 0.0]));
    }
}

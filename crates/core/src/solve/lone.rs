//! Columns that one row alone has, as one of that row.
//!
//! A penalty ½λ‖w‖² does not change when columns are rotated, nor do the products x_i·x_j of rows, on which alone the
//! optimum hangs. The columns that row i alone has say of it what a single one says,
//!
//! ```text
//! x_i' = ‖x_iL‖,     w_j = w_i'·x_ij / ‖x_iL‖   for j in L, the columns of row i alone,
//! ```
//!
//! and of no other row anything. Of the words and pairs of words of texts, two in three are in one text alone. A float32
//! holds a length to 6·10⁻⁸ only, which is seen where errors are dear; then a second column has √(‖x_iL‖² − x_i'²), and
//! products of rows stay what they were.
//!
//! Floor: two passes over the indices, one over the values, and as many written: ≈ 5 ns a value; 16 are measured, as each
//! index is looked up in a table beyond the nearer caches. Two or three passes of dual ascent win that back.

use crate::halt::{check, current};
use crate::rows::{Index, Row, Rows, Value};

/// Lone columns are gathered where they hold at least one value of so many.
const WORTH: usize = 16;
/// So much of the square of a length may be missing before there is a second column.
const EXACT: f64 = 2e-15;
/// So much below a length, a number is rounded to below it in single precision, too.
const BELOW: f64 = 1.0 - 1.2e-7;
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
    /// Which column each of the first was.
    pub kept: Vec<I>,
    /// (L,) the columns that were lone.
    pub lone: Vec<I>,
    /// (L,) whose they are: the how-many-th row that has some.
    pub owner: Vec<I>,
    /// (L,) x_ij / ‖x_iL‖.
    pub share: Vec<f64>,
    /// (M,) whose each of the last columns is, one or two of each such row.
    pub seen_by: Vec<I>,
    /// (M,) x_i' / ‖x_iL‖.
    pub length: Vec<f64>,
}

/// Gathers the lone columns of each row; None where rows are dense, or few values are of such columns.
pub fn gather<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Option<Gathered<V, I>> {
    let d = rows.columns();
    if !rows.is_sparse() || d * WORTH < rows.values().len() {
        return None;
    }
    let often = count_each(rows);
    let lone = often.iter().filter(|&&n| n == 1).count();
    if lone == 0 || lone * WORTH < rows.values().len() {
        return None;
    }
    let kept: Vec<I> = (0..d).filter(|&j| often[j] > 1).map(I::of).collect();
    let mut numbers = vec![I::of(usize::MAX); d];
    kept.iter().enumerate().for_each(|(k, j)| numbers[j.place()] = I::of(k));
    let room = rows.values().len() - lone + rows.count();
    let mut found = Gathered {
        values: Vec::with_capacity(room),
        indices: Vec::with_capacity(room),
        indptr: vec![I::of(0)],
        kept,
        lone: Vec::with_capacity(lone),
        owner: Vec::with_capacity(lone),
        share: Vec::with_capacity(lone),
        seen_by: vec![],
        length: vec![],
    };
    let mut owners = 0;
    let halt = current();
    for i in 0..rows.count() {
        if i % STRETCH == 0 {
            check(&halt);
        }
        let begin = found.lone.len();
        found.add(&rows.row(i), &numbers);
        if begin < found.lone.len() {
            found.add_lone(begin, owners)?;
            owners += 1;
        }
        found.indptr.push(I::of(found.indices.len()));
    }
    Some(found)
}

impl<V: Value, I: Index> Gathered<V, I> {
    /// Adds what several rows have of a row, and notes what it has alone.
    fn add(&mut self, row: &Row<'_, V, I>, numbers: &[I]) {
        row.each(|j, x| {
            let number = numbers[j];
            if number.place() < self.kept.len() {
                self.values.push(x);
                self.indices.push(number);
            } else {
                self.lone.push(I::of(j));
                self.share.push(x.real());
            }
        });
    }

    /// Adds the lone part of a row, in units of its largest value, whose squares neither vanish nor are infinite; None
    /// where no values hold its length.
    fn add_lone(&mut self, begin: usize, owner: usize) -> Option<()> {
        let own = &mut self.share[begin..];
        let largest = own.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let square = own.iter().map(|x| (x / unit).powi(2)).sum::<f64>();
        let whole = if square > 0.0 { unit * square.sqrt() } else { 1.0 };
        own.iter_mut().for_each(|x| *x /= whole);
        self.owner.resize(self.lone.len(), I::of(owner));
        let (value, rest) = lengths::<V>(square, unit)?;
        for value in [Some(value), rest].into_iter().flatten() {
            self.values.push(value);
            self.indices.push(I::of(self.kept.len() + self.seen_by.len()));
            self.seen_by.push(I::of(owner));
            self.length.push(value.real() / whole);
        }
        Some(())
    }
}

/// One value, or two, whose squares sum to `square` times that of `unit`; None where none do.
fn lengths<V: Value>(square: f64, unit: f64) -> Option<(V, Option<V>)> {
    let whole = square.sqrt();
    let left = |value: V| square - (value.real() / unit).powi(2);
    let nearest = V::nearest(unit * whole)?;
    if left(nearest).abs() <= EXACT * square {
        return Some((nearest, None));
    }
    let most = if left(nearest) > 0.0 { nearest } else { V::nearest(unit * whole * BELOW)? };
    let rest = left(most);
    (rest >= 0.0).then_some((most, Some(V::nearest(unit * rest.sqrt())?)))
}

/// Counts the values that each column stores: 0, 1, or 2 for more.
fn count_each<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> Vec<u8> {
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
        assert_eq!((found.lone, found.owner, found.share), (vec![1, 4], vec![0, 0], vec![0.6, -0.8]));
        assert_eq!((found.seen_by, found.length), (vec![0], vec![1.0]));
        assert_eq!(found.values, [1.0, 5.0, 2.0, 5.0, 2.0, 6.0, 1.0]);
        assert_eq!(found.indices, [0, 3, 1, 0, 1, 2, 2]);
        assert_eq!(found.indptr, [0, 2, 4, 7]);
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
    fn what_a_length_in_single_precision_lacks_is_in_a_second_column() {
        for n in [2_u16, 3, 5, 7, 10, 1000] {
            for x in [1.0_f32, 0.1, 1e-20, 1e15] {
                let (data, indices) = (vec![x; n.into()], (0..n.into()).collect::<Vec<i32>>());
                let found =
                    gather(&Rows::sparse(&data, &indices, &[0, n.into()], n.into()).unwrap()).unwrap();
                assert_eq!(found.values.len(), 2);
                let square: f64 = found.values.iter().map(|x| x.real().powi(2)).sum();
                assert!((square / (x.real().powi(2) * f64::from(n)) - 1.0).abs() < 1e-13);
                let length: f64 = found.length.iter().map(|x| x.powi(2)).sum();
                assert!((length - 1.0).abs() < 1e-13);
            }
        }
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

//! Counts of words weighed by how rare they are, in place: one pass over the rows on all cores.
//!
//! ```text
//! x_ij ← t(x_ij) · idf_j / ‖t(x_i) · idf‖        t(x) = x, or 1 + ln x
//! ```

use crate::parallel::consume;
use crate::rows::Index;

/// A number that is weighed.
pub trait Real: Copy + Into<f64> + Send + Sync {
    /// The nearest one.
    fn of(value: f64) -> Self;
}

impl Real for f64 {
    fn of(value: f64) -> f64 {
        value
    }
}

impl Real for f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the nearest one is meant")]
    fn of(value: f64) -> f32 {
        value as f32
    }
}

/// What a row is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// Nothing.
    None,
    /// The sum of its magnitudes.
    L1,
    /// Its length.
    L2,
}

/// How counts are weighed.
#[derive(Clone, Copy)]
pub struct Weighing<'a, V> {
    /// By column.
    pub idf: Option<&'a [V]>,
    /// Whether a count n is 1 + ln n.
    pub sublinear: bool,
    /// What each row is divided by.
    pub norm: Norm,
}

/// Values that one thread weighs at a time, about.
const STRETCH: usize = 1 << 16;

/// Weighs rows, which begin at `starts`, the last of which is where all end. Says whether those ascend within `values`
/// and every column has a weight.
pub fn weigh<V: Real, I: Index>(starts: &[I], columns: &[I], values: &mut [V], how: Weighing<'_, V>) -> bool {
    let place = |i: usize| starts[i].place();
    let Some(last) = starts.len().checked_sub(1) else { return false };
    if !starts.windows(2).all(|pair| pair[0].place() <= pair[1].place())
        || place(last) > values.len().min(columns.len())
    {
        return false;
    }
    let (mut stretches, mut from) = (Vec::new(), 0);
    let mut rest = &mut values[place(0)..place(last)];
    for row in 1..=last {
        if row == last || place(row) - place(from) >= STRETCH {
            let (mine, others) = std::mem::take(&mut rest).split_at_mut(place(row) - place(from));
            stretches.push((&starts[from..=row], mine));
            (rest, from) = (others, row);
        }
    }
    let weighed = consume(stretches, &|_, (starts, values)| {
        let columns = &columns[starts[0].place()..];
        starts.windows(2).all(|row| {
            let [start, end] = [row[0], row[1]].map(|at| at.place() - starts[0].place());
            weigh_row(&columns[start..end], &mut values[start..end], how)
        })
    });
    !weighed.contains(&false)
}

fn weigh_row<V: Real, I: Index>(columns: &[I], values: &mut [V], how: Weighing<'_, V>) -> bool {
    let mut size = 0.0;
    for (value, column) in values.iter_mut().zip(columns) {
        let mut weighed: f64 = (*value).into();
        if how.sublinear {
            weighed = 1.0 + weighed.ln();
        }
        if let Some(idf) = how.idf {
            let Some(&weight) = idf.get(column.place()) else { return false };
            weighed *= weight.into();
        }
        *value = V::of(weighed);
        size += if how.norm == Norm::L2 { weighed * weighed } else { weighed.abs() };
    }
    if how.norm == Norm::L2 {
        size = size.sqrt();
    }
    if how.norm != Norm::None && size > 0.0 {
        values.iter_mut().for_each(|value| *value = V::of((*value).into() / size));
    }
    true
}

/// In how many rows each of so many columns is not 0, where every column is stored once a row; none where a column is
/// beyond them.
pub fn present<V: Real, I: Index>(columns: &[I], values: &[V], count: usize) -> Option<Vec<f64>> {
    let mut found = vec![0u32; count];
    for (column, &value) in columns.iter().zip(values) {
        *found.get_mut(column.place())? += u32::from(value.into() != 0.0);
    }
    Some(found.into_iter().map(f64::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_weighed() {
        let (starts, columns) = ([0, 2, 2, 3], [0, 2, 1]);
        let mut values = [3.0, 4.0, -2.0];
        let how = Weighing { idf: None, sublinear: false, norm: Norm::L2 };
        assert!(weigh(&starts, &columns, &mut values, how));
        assert_eq!(values, [0.6, 0.8, -1.0]);
        let idf = [2.0f32, 1.0, 0.5];
        let mut values = [1.0f32, 1.0, 5.0];
        let how = Weighing { idf: Some(&idf), sublinear: true, norm: Norm::L1 };
        assert!(weigh(&starts, &columns, &mut values, how));
        assert_eq!(values, [0.8, 0.2, 1.0]);
        assert!(!weigh(&starts, &[0, 3, 1], &mut values, how));
        assert!(!weigh(&[0, 9], &columns, &mut values, how));
        assert!(!weigh(&[2, 1, 3], &columns, &mut values, how));
        assert_eq!(present(&[0, 2, 2], &[1.0, 0.0, 1.0], 3), Some(vec![1.0, 0.0, 1.0]));
        assert_eq!(present(&[3], &[1.0], 3), None);
    }
}

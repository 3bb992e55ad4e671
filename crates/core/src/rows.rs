//! The one view of a matrix: dense rows one after the other, or compressed sparse rows (CSR).
//!
//! A view is checked once, when it is made; every row of it can then be read without further questions. NaN stands
//! for a value that is missing. A place that CSR stores twice holds the sum of both, so that statistics linear in x
//! may add them one by one.

use std::hint::black_box;

use crate::parallel::each_stretch;

/// A number that a matrix holds.
pub trait Value: Copy + Send + Sync + 'static {
    /// Only whole numbers: neither fractions nor NaN nor infinities.
    const WHOLE: bool;
    /// Its square is exact in double precision.
    const SQUARE_IS_EXACT: bool;

    /// The same as a double.
    fn real(self) -> f64;

    /// Whether it is below zero (NaN is not).
    fn negative(self) -> bool;

    /// The value nearest to a number; None where none is near.
    fn nearest(number: f64) -> Option<Self>;

    /// The values as doubles: in place where they are, otherwise through `buffer`.
    fn reals<'a>(values: &'a [Self], buffer: &'a mut Vec<f64>) -> &'a [f64] {
        buffer.clear();
        buffer.extend(values.iter().map(|x| x.real()));
        buffer
    }
}

macro_rules! value {
    ($type:ty, $whole:expr, $square:expr, $negative:expr $(, $reals:item)?) => {
        impl Value for $type {
            const WHOLE: bool = $whole;
            const SQUARE_IS_EXACT: bool = $square;

            #[inline(always)]
            fn real(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn negative(self) -> bool {
                $negative(self)
            }

            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // what is lost is looked at
            fn nearest(number: f64) -> Option<$type> {
                let near = number as $type;
                ((near as f64 - number).abs() <= number.abs() * f64::from(f32::EPSILON)).then_some(near)
            }

            $($reals)?
        }
    };
}

value!(f32, false, true, |x: f32| x < 0.0);
value!(i64, true, false, |x: i64| x < 0);
value!(i32, true, false, |x: i32| x < 0);
value!(u8, true, true, |_| false);
value!(
    f64,
    false,
    false,
    |x: f64| x < 0.0,
    fn reals<'a>(values: &'a [f64], _: &'a mut Vec<f64>) -> &'a [f64] {
        values
    }
);

/// A number of a column.
pub trait Index: Copy + Into<i64> + Send + Sync + 'static {
    /// As a place in a slice; a negative one is beyond every slice.
    fn place(self) -> usize;

    /// The number of a place; the largest where that is beyond it.
    fn of(place: usize) -> Self;

    /// Whether all are places in a slice of `length`: one loop without a way out, which becomes vectors.
    fn all_within(part: &[Self], length: usize) -> bool;
}

macro_rules! index {
    ($type:ty) => {
        impl Index for $type {
            #[inline(always)]
            fn place(self) -> usize {
                usize::try_from(i64::from(self).cast_unsigned()).unwrap_or(usize::MAX)
            }

            #[inline(always)]
            fn of(place: usize) -> $type {
                <$type>::try_from(place).unwrap_or(<$type>::MAX)
            }

            fn all_within(part: &[Self], length: usize) -> bool {
                // Of j and last − j one is negative where j is no place. An `or` becomes vectors, a maximum does not.
                let last = <$type>::try_from(length).map_or(<$type>::MAX, |length| length.wrapping_sub(1));
                part.is_empty()
                    || (length > 0 && part.iter().fold(0, |signs, &j| signs | j | last.wrapping_sub(j)) >= 0)
            }
        }
    };
}

index!(i32);
index!(i64);

/// N rows of d values each.
pub struct Rows<'a, V, I> {
    values: &'a [V],
    stored: Stored<'a, I>,
    count: usize,
    columns: usize,
}

enum Stored<'a, I> {
    All,
    Some { indices: &'a [I], indptr: &'a [I] },
}

/// One row.
pub enum Row<'a, V, I> {
    /// A value for each column.
    Dense(&'a [V]),
    /// Values for some columns, zero in all others.
    Sparse(&'a [I], &'a [V]),
}

impl<'a, V: Value, I: Index> Row<'a, V, I> {
    /// The values that are stored.
    #[inline(always)]
    pub fn values(&self) -> &'a [V] {
        match *self {
            Row::Dense(values) | Row::Sparse(_, values) => values,
        }
    }

    /// Whether each value that is stored stands in a later column than the one before.
    #[inline(always)]
    pub fn rises(&self) -> bool {
        match *self {
            Row::Dense(_) => true,
            Row::Sparse(indices, _) => {
                let next = indices.get(1..).unwrap_or_default();
                indices.iter().zip(next).fold(true, |rises, (a, b)| rises & (a.place() < b.place()))
            }
        }
    }

    /// The same row of the first `n` values that are stored alone.
    #[inline(always)]
    pub fn first(&self, n: usize) -> Row<'a, V, I> {
        match *self {
            Row::Dense(values) => Row::Dense(&values[..n]),
            Row::Sparse(indices, values) => Row::Sparse(&indices[..n], &values[..n]),
        }
    }

    /// Calls `f` with the column of each value that is stored, and the value.
    #[inline(always)]
    pub fn each(&self, mut f: impl FnMut(usize, V)) {
        match *self {
            Row::Dense(values) => values.iter().enumerate().for_each(|(j, &x)| f(j, x)),
            Row::Sparse(indices, values) => indices.iter().zip(values).for_each(|(j, &x)| f(j.place(), x)),
        }
    }
}

/// Rows that are visited in another order than that in which they stand are looked at so many visits before.
const AHEAD: usize = 4;
/// Bytes of a line of the cache.
const LINE: usize = 64;
/// Lines of a row that are looked at; those after them the processor foresees.
const LINES: usize = 8;

/// Refuses what cannot be numbered in 32 bits, as those do who hold many such numbers.
fn bound(count: usize, columns: usize) -> Result<(), String> {
    for (n, what) in [(count, "rows"), (columns, "columns")] {
        if u32::try_from(n).is_err() {
            return Err(format!("{n} {what} are too many: at most 2^32 − 1 are taken at once"));
        }
    }
    Ok(())
}

/// Reads something of each of the first lines.
#[inline(always)]
fn warm<T: Copy>(numbers: &[T]) {
    numbers.iter().step_by(LINE / size_of::<T>()).take(LINES).for_each(|&x| {
        black_box(x);
    });
}

/// Indices, or values, that are looked at at once.
const STRETCH: usize = 1 << 16;
/// Values whose sizes are compared side by side.
const SIDE_BY_SIDE: usize = 8;
/// What `sizes` says of nothing.
const NO_SIZES: (f64, f64) = (f64::INFINITY, 0.0);

impl<'a, V: Value, I: Index> Rows<'a, V, I> {
    /// Looks at the row that is visited some visits after the `k`-th of `places`, and does nothing: when its turn comes
    /// it is in the cache, and visits wait for memory together.
    #[inline(always)]
    pub fn warm_ahead(&self, places: &[u32], k: usize) {
        let Some(&next) = places.get(k + AHEAD) else { return };
        match self.row(next as usize) {
            Row::Dense(values) => warm(values),
            Row::Sparse(indices, values) => {
                warm(indices);
                warm(values);
            }
        }
    }

    /// Dense rows, one after the other in `values`.
    pub fn dense(values: &'a [V], count: usize, columns: usize) -> Result<Self, String> {
        bound(count, columns)?;
        if count.checked_mul(columns) != Some(values.len()) {
            let there = values.len();
            return Err(format!(
                "{count} rows of {columns} values are expected, but there are {there} values"
            ));
        }
        Ok(Rows { values, stored: Stored::All, count, columns })
    }

    /// Sparse rows: row i holds `data[k]` in column `indices[k]` for k from `indptr[i]` to before `indptr[i + 1]`.
    pub fn sparse(data: &'a [V], indices: &'a [I], indptr: &'a [I], columns: usize) -> Result<Self, String> {
        let (Some(first), Some(last)) = (indptr.first(), indptr.last()) else {
            return Err("indptr is empty: one more entry than there are rows is expected".to_string());
        };
        bound(indptr.len() - 1, columns)?;
        if let Some(i) = indptr.windows(2).position(|ends| ends[0].place() > ends[1].place()) {
            return Err(format!("indptr falls at row {i}: each row must end where the next begins"));
        }
        let end = last.place();
        if first.place() != 0 || end > data.len() || end > indices.len() {
            let (stored, placed) = (data.len(), indices.len());
            let [first, last]: [i64; 2] = [(*first).into(), (*last).into()];
            return Err(format!(
                "indptr must run from 0 to at most the number stored: it runs from {first} to {last} for {stored} values \
                 and {placed} indices"
            ));
        }
        let indices = &indices[..end];
        let within = each_stretch(indices, STRETCH, &|part| I::all_within(part, columns));
        if within.contains(&false) {
            let wrong: i64 = indices.iter().find(|j| j.place() >= columns).map_or(0, |&j| j.into());
            return Err(format!("column {wrong} is outside the {columns} columns, numbered from 0"));
        }
        let stored = Stored::Some { indices, indptr };
        Ok(Rows { values: &data[..end], stored, count: indptr.len() - 1, columns })
    }

    /// N, how many rows there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// d, how many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All values that are stored, row by row.
    pub fn values(&self) -> &'a [V] {
        self.values
    }

    /// The least size |x| of a value that is not zero, and the largest; ∞ and 0 where all are zero. One pass.
    pub fn sizes(&self) -> (f64, f64) {
        let wider = |(least, most): (f64, f64), (a, b): (f64, f64)| {
            (if a < least { a } else { least }, if b > most { b } else { most })
        };
        // Side by side, as each waits for the one before it.
        let of_part = |part: &[V]| {
            let mut found = [NO_SIZES; SIDE_BY_SIDE];
            for few in part.chunks(SIDE_BY_SIDE) {
                for (found, x) in found.iter_mut().zip(few) {
                    let size = x.real().abs();
                    *found = wider(*found, (if size > 0.0 { size } else { f64::INFINITY }, size));
                }
            }
            found.into_iter().fold(NO_SIZES, wider)
        };
        each_stretch(self.values, STRETCH, &of_part).into_iter().fold(NO_SIZES, wider)
    }

    /// Whether values that are not stored are zero.
    pub fn is_sparse(&self) -> bool {
        matches!(self.stored, Stored::Some { .. })
    }

    /// How many values row i stores.
    #[inline(always)]
    pub fn length(&self, i: usize) -> usize {
        match self.stored {
            Stored::All => self.columns,
            Stored::Some { indptr, .. } => indptr[i + 1].place() - indptr[i].place(),
        }
    }

    /// Row i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'a, V, I> {
        match self.stored {
            Stored::All => Row::Dense(&self.values[i * self.columns..][..self.columns]),
            Stored::Some { indices, indptr } => {
                let place = indptr[i].place()..indptr[i + 1].place();
                Row::Sparse(&indices[place.clone()], &self.values[place])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Csr<'a> = Rows<'a, f64, i32>;

    #[test]
    fn a_row_is_what_was_put_in() {
        let (data, indices, indptr) = ([1.0, 2.0, 3.0], [1, 0, 1], [0, 1, 1, 3]);
        let rows = Csr::sparse(&data, &indices, &indptr, 2).unwrap();
        let dense: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 2.0, 3.0];
        let full = Csr::dense(&dense, 3, 2).unwrap();
        for i in 0..3 {
            let mut row = [0.0; 2];
            rows.row(i).each(|j, x| row[j] += x);
            assert_eq!(full.row(i).values(), row);
        }
        assert_eq!((rows.count(), rows.columns(), rows.values().len(), rows.length(2)), (3, 2, 3, 2));
    }

    #[test]
    fn sizes_are_of_what_is_not_zero() {
        assert_eq!(Csr::dense(&[0.0, -3.0, 0.5, -0.0], 2, 2).unwrap().sizes(), (0.5, 3.0));
        assert_eq!(Csr::dense(&[], 0, 2).unwrap().sizes(), (f64::INFINITY, 0.0));
    }

    #[test]
    fn a_column_that_is_none_is_found_wherever_it_is() {
        for (length, wrong) in (1..70).flat_map(|n| [-1, 5, i32::MAX, i32::MIN].map(|wrong| (n, wrong))) {
            let mut indices = vec![4; length];
            assert!(i32::all_within(&indices, 5) && !i32::all_within(&indices, 0));
            for at in 0..length {
                let right = std::mem::replace(&mut indices[at], wrong);
                let wide: Vec<i64> = indices.iter().map(|&j| j.into()).collect();
                assert!(!i32::all_within(&indices, 5) && !i64::all_within(&wide, 5));
                indices[at] = right;
            }
        }
        assert!(
            i32::all_within(&[], 0)
                && i64::all_within(&[], 0)
                && i64::all_within(&[i64::MAX - 1], usize::MAX)
        );
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let refused = |data: &[f64], indices: &[i32], indptr: &[i32]| {
            Csr::sparse(data, indices, indptr, 2).err().unwrap_or_default()
        };
        assert_eq!(refused(&[], &[], &[]), "indptr is empty: one more entry than there are rows is expected");
        assert!(refused(&[1.0], &[2], &[0, 1]).starts_with("column 2 is outside the 2 columns"));
        assert!(refused(&[1.0], &[-1], &[0, 1]).starts_with("column -1 is outside"));
        assert!(refused(&[1.0], &[0], &[0, 1, 0]).starts_with("indptr falls at row 1"));
        assert!(refused(&[1.0], &[0], &[0, 2]).contains("runs from 0 to 2 for 1 values and 1 indices"));
        assert!(refused(&[1.0], &[], &[0, 1]).contains("and 0 indices"));
        assert!(refused(&[1.0], &[0], &[1, 1]).contains("runs from 1 to 1"));
        assert!(refused(&[1.0], &[0], &[-1, 1]).starts_with("indptr falls at row 0"));
        assert!(refused(&[1.0], &[0], &[0, -1]).contains("to -1"));
        assert!(Csr::dense(&[1.0], 1, 2).err().unwrap().starts_with("1 rows of 2 values are expected"));
        for many in [1 << 32, 1 << 53, usize::MAX] {
            let [rows, columns] = [(many, 0), (0, many)].map(|(n, d)| Csr::dense(&[], n, d).err().unwrap());
            assert_eq!(rows, format!("{many} rows are too many: at most 2^32 − 1 are taken at once"));
            assert_eq!(columns, format!("{many} columns are too many: at most 2^32 − 1 are taken at once"));
            assert_eq!(Csr::sparse(&[], &[], &[0], many).err().unwrap(), columns);
        }
    }
}

//! Which values a distribution can have seen, and the first value that it cannot.

use crate::parallel::{MOST_PARTS, each};
use crate::rows::{Index, Row, Rows, Value};

/// The values that an entry may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Finite numbers.
    Finite,
    /// Finite numbers whose square is finite too: |x| ≤ 10^150.
    Squarable,
    /// Finite numbers ≥ 0.
    NonNegative,
    /// 0 and 1.
    Binary,
    /// 0, 1, 2, … without end.
    Whole,
}

/// What an entry may be: a value of the support or, where `missing`, NaN.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// The values there are.
    pub support: Support,
    /// Whether a value may be missing.
    pub missing: bool,
}

/// The first entry outside the domain: lowest row, in it the lowest column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// What stands there.
    pub value: f64,
}

/// The largest number of `Support::Squarable`.
const MOST_SQUARABLE: f64 = 1e150;

impl Support {
    /// Whether x is in the support; NaN never is.
    #[inline(always)]
    pub fn holds<V: Value>(self, x: V) -> bool {
        let real = x.real();
        match self {
            Support::Finite => V::WHOLE || real.abs() < f64::INFINITY,
            Support::Squarable => V::WHOLE || real.abs() <= MOST_SQUARABLE,
            Support::NonNegative if V::WHOLE => !x.negative(),
            Support::NonNegative => (0.0..f64::INFINITY).contains(&real),
            Support::Binary => (real == 0.0) | (real == 1.0),
            Support::Whole if V::WHOLE => !x.negative(),
            Support::Whole => (0.0..f64::INFINITY).contains(&real) & (real.trunc() == real),
        }
    }

    /// Whether all of `values` are in the support.
    #[inline(always)]
    pub fn holds_all<V: Value>(self, values: &[V]) -> bool {
        // One loop for each support, without a way out in between: such loops become vectors.
        macro_rules! all {
            ($support:expr) => {
                values.iter().fold(true, |all, &x| all & $support.holds(x))
            };
        }
        match self {
            Support::Finite => all!(Support::Finite),
            Support::Squarable => all!(Support::Squarable),
            Support::NonNegative => all!(Support::NonNegative),
            Support::Binary => all!(Support::Binary),
            Support::Whole => all!(Support::Whole),
        }
    }
}

impl Domain {
    /// Whether x may stand in an entry.
    #[inline(always)]
    pub fn holds<V: Value>(self, x: V) -> bool {
        self.support.holds(x) | (self.missing & x.real().is_nan())
    }

    /// The first entry outside, if there is one.
    pub fn first_outside<V: Value, I: Index>(self, rows: &Rows<V, I>) -> Option<Outside> {
        first_outside(rows, |_, x| self.holds(x))
    }
}

/// The first entry (column, value) that `inside` does not hold for.
pub fn first_outside<V: Value, I: Index>(
    rows: &Rows<V, I>,
    inside: impl Fn(usize, V) -> bool + Sync,
) -> Option<Outside> {
    let outside = |row: usize| {
        let (column, value) = first_of_row(&rows.row(row), &inside)?;
        Some(Outside { row, column, value })
    };
    let share = rows.count().div_ceil(MOST_PARTS).max(1);
    let first = |part: usize| (part * share..rows.count().min((part + 1) * share)).find_map(outside);
    each(rows.count().div_ceil(share), &first).into_iter().flatten().next()
}

fn first_of_row<V: Value, I: Index>(
    row: &Row<V, I>,
    inside: impl Fn(usize, V) -> bool,
) -> Option<(usize, f64)> {
    let mut first: Option<(usize, f64)> = None;
    row.each(|j, x| {
        if !inside(j, x) && first.is_none_or(|(column, _)| j < column) {
            first = Some((j, x.real()));
        }
    });
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_hold_what_they_say() {
        let numbers =
            [f64::NEG_INFINITY, -1e200, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 1e200, f64::INFINITY, f64::NAN];
        let held = |support: Support| numbers.map(|x| u8::from(support.holds(x)));
        assert_eq!(held(Support::Finite), [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(held(Support::Squarable), [0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
        assert_eq!(held(Support::NonNegative), [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(held(Support::Binary), [0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(held(Support::Whole), [0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0]);
        assert_eq!([-1, 0, 1, 2].map(|x: i64| Support::Whole.holds(x)), [false, true, true, true]);
        assert_eq!([-1, 0, 1, 2].map(|x: i32| Support::Binary.holds(x)), [false, true, true, false]);
        assert!(Support::Finite.holds(i64::MIN) && Support::NonNegative.holds(255_u8));
    }

    #[test]
    fn the_lowest_column_of_the_lowest_row_is_named() {
        let (data, indices, indptr) = ([1.0, -3.0, -2.0, -1.0], [0, 4, 2, 0], [0, 1, 3, 4]);
        let rows = Rows::<f64, i32>::sparse(&data, &indices, &indptr, 5).unwrap();
        let domain = Domain { support: Support::NonNegative, missing: true };
        assert_eq!(domain.first_outside(&rows), Some(Outside { row: 1, column: 2, value: -2.0 }));
    }
}

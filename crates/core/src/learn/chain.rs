//! Sums of values and of squares in three doubles each: exact, as what these cannot hold is set aside.

use super::double_double::{two_product, two_sum};
use super::exact::Exact;

/// Doubles of a column in a table: three of Σ w x, three of Σ w x².
pub const PARTS: usize = 6;
/// Numbers below this are taken to `FINEST` in squares, which are then multiples of 2^−1074, and exact.
const SMALL: f64 = f64::from_bits((1023 - 484) << 52);
/// 1.5 · 2^52 · 2^−537: what is added to it and taken away again is a multiple of 2^−537.
const FINEST: f64 = 1.5 * f64::from_bits((1023 - 485) << 52);

/// What did not fit: column, whether of squares, and the value.
pub type Aside = Vec<(usize, bool, f64)>;

/// Adds x from the given part on; what is left over.
#[inline(always)]
fn push(sum: &mut [f64], from: usize, x: f64) -> f64 {
    let mut rest = x;
    for part in &mut sum[from..3] {
        (*part, rest) = two_sum(*part, rest);
    }
    rest
}

/// x as it enters squares.
#[inline(always)]
pub fn squarable(x: f64) -> f64 {
    if x.abs() < SMALL { (x + FINEST) - FINEST } else { x }
}

/// The six sums of one column, and where its leftovers go.
pub struct Column<'a> {
    pub sums: &'a mut [f64],
    pub j: usize,
    pub aside: &'a mut Aside,
}

impl Column<'_> {
    #[inline(always)]
    fn value(&mut self, from: usize, x: f64) {
        let rest = push(&mut self.sums[..3], from, x);
        if rest != 0.0 {
            self.aside.push((self.j, false, rest));
        }
    }

    #[inline(always)]
    fn square(&mut self, from: usize, x: f64) {
        let rest = push(&mut self.sums[3..], from, x);
        if rest != 0.0 {
            self.aside.push((self.j, true, rest));
        }
    }

    /// + x to the sum of values, + the others to that of squares.
    pub fn add_parts(&mut self, values: [f64; 3], squares: [f64; 6]) {
        values.into_iter().filter(|x| *x != 0.0).for_each(|x| self.value(0, x));
        squares.into_iter().filter(|x| *x != 0.0).for_each(|x| self.square(0, x));
    }

    /// + x and + x².
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        self.value(0, x);
        let x = squarable(x);
        let (square, rest) = two_product(x, x);
        self.square(0, square);
        self.square(1, rest);
    }

    /// + w x and + w x².
    #[inline(always)]
    pub fn add_weighted(&mut self, x: f64, w: f64) {
        let (value, rest) = two_product(w, x);
        self.value(0, value);
        self.value(1, rest);
        let x = squarable(x);
        let (square, rest) = two_product(x, x);
        let ((high, high_rest), (low, low_rest)) = (two_product(w, square), two_product(w, rest));
        self.square(0, high);
        self.square(1, high_rest);
        self.square(1, low);
        self.square(2, low_rest);
    }

    /// + r and + x² − (x − r)², of which x − r has been added already.
    pub fn add_rest(&mut self, x: f64, r: f64) {
        if r == x {
            return self.add(x);
        }
        self.value(0, r);
        for other in [x, x - r] {
            let (product, rest) = two_product(r, other);
            self.square(0, product);
            self.square(0, rest);
        }
    }
}

/// What a stretch of rows came to.
pub struct Sums {
    /// Six numbers a column.
    pub table: Vec<f64>,
    pub aside: Aside,
}

impl Sums {
    /// Adds the sum of values of column j, or that of squares, but for what was set aside.
    pub fn add_to(&self, j: usize, squares: bool, into: &mut Exact) {
        let from = j * PARTS + 3 * usize::from(squares);
        self.table[from..from + 3].iter().for_each(|part| into.add(*part));
    }
}

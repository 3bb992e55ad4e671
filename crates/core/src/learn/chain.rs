//! Sums of values and of squares in three doubles each: exact, as what these cannot hold is set aside.

use super::double_double::{two_product, two_sum};
use super::exact::Exact;

/// Doubles of a column in a table: three of Σ w x, three of Σ w x².
const PARTS: usize = 6;
/// So many columns have sums that hold everything, of 1,200 bytes.
const NARROW: usize = 2048;
/// Numbers below this are taken to `FINEST` in squares, which are then multiples of 2^−1074, and exact.
const SMALL: f64 = f64::from_bits((1023 - 484) << 52);
/// 1.5 · 2^52 · 2^−537: what is added to it and taken away again is a multiple of 2^−537.
const FINEST: f64 = 1.5 * f64::from_bits((1023 - 485) << 52);

/// What did not fit: column, whether of squares, and the value.
type Aside = Vec<(usize, bool, f64)>;

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

/// The sums of one column, of values and of squares, and where leftovers of chains go.
pub struct Column<'a> {
    /// Two sums that hold everything, or none.
    wide: &'a mut [Exact],
    /// Two chains of three doubles, where there are none.
    chains: &'a mut [f64],
    j: usize,
    aside: &'a mut Aside,
}

impl Column<'_> {
    #[inline(always)]
    fn push(&mut self, squares: bool, from: usize, x: f64) {
        if let Some(sum) = self.wide.get_mut(usize::from(squares)) {
            return sum.add(x);
        }
        let chain = if squares { &mut self.chains[3..] } else { &mut self.chains[..3] };
        let rest = push(chain, from, x);
        if rest != 0.0 {
            self.aside.push((self.j, squares, rest));
        }
    }

    /// + x to the sum of values, + the others to that of squares.
    #[inline(always)]
    pub fn add_parts(&mut self, values: [f64; 3], squares: [f64; 6]) {
        for x in values {
            self.push(false, 0, x);
        }
        for x in squares {
            self.push(true, 0, x);
        }
    }

    /// + x and + x².
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        self.push(false, 0, x);
        let x = squarable(x);
        let (square, rest) = two_product(x, x);
        self.push(true, 0, square);
        self.push(true, 1, rest);
    }

    /// + w x and + w x².
    #[inline(always)]
    pub fn add_weighted(&mut self, x: f64, w: f64) {
        let (value, rest) = two_product(w, x);
        self.push(false, 0, value);
        self.push(false, 1, rest);
        let x = squarable(x);
        let (square, rest) = two_product(x, x);
        let ((high, high_rest), (low, low_rest)) = (two_product(w, square), two_product(w, rest));
        self.push(true, 0, high);
        self.push(true, 1, high_rest);
        self.push(true, 1, low);
        self.push(true, 2, low_rest);
    }

    /// + r and + x² − (x − r)², of which x − r has been added already.
    #[inline(always)]
    pub fn add_rest(&mut self, x: f64, r: f64) {
        if r == x {
            return self.add(x);
        }
        self.push(false, 0, r);
        for other in [x, x - r] {
            let (product, rest) = two_product(r, other);
            self.push(true, 0, product);
            self.push(true, 0, rest);
        }
    }
}

/// What a stretch of rows came to.
pub struct Sums {
    /// Of few columns two sums each, which hold everything.
    wide: Vec<[Exact; 2]>,
    /// Of many six numbers each, and what these could not hold.
    chains: Vec<f64>,
    aside: Aside,
}

impl Sums {
    /// Zeros.
    pub fn new(columns: usize) -> Sums {
        let narrow = columns <= NARROW;
        let wide = if narrow { vec![<[Exact; 2]>::default(); columns] } else { Vec::new() };
        Sums { wide, chains: vec![0.0; if narrow { 0 } else { columns * PARTS }], aside: Vec::new() }
    }

    /// Counts the numbers that the sums of so many columns are.
    pub fn width(columns: usize) -> usize {
        columns * if columns <= NARROW { size_of::<[Exact; 2]>() / size_of::<f64>() } else { PARTS }
    }

    /// The sums of column j.
    #[inline(always)]
    pub fn column(&mut self, j: usize) -> Column<'_> {
        let wide = self.wide.get_mut(j).map_or(&mut [][..], |pair| &mut pair[..]);
        let chains = if wide.is_empty() { &mut self.chains[j * PARTS..(j + 1) * PARTS] } else { &mut [][..] };
        Column { wide, chains, j, aside: &mut self.aside }
    }

    /// Adds the sum of values of column j, or that of squares, but for what was set aside.
    pub fn add_to(&self, j: usize, squares: bool, into: &mut Exact) {
        match self.wide.get(j) {
            Some(pair) => into.add_all(&pair[usize::from(squares)]),
            None => {
                let from = j * PARTS + 3 * usize::from(squares);
                self.chains[from..from + 3].iter().for_each(|part| into.add(*part));
            }
        }
    }

    /// What was set aside of values, or of squares: column and value.
    pub fn aside(&self, squares: bool) -> impl Iterator<Item = (usize, f64)> {
        self.aside.iter().filter(move |a| a.1 == squares).map(|a| (a.0, a.2))
    }
}

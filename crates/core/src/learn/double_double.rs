//! Numbers as unevaluated sums hi + lo of two doubles: about 32 digits.
//!
//! Dekker, Numerische Mathematik 18, 1971; Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B.

/// a + b = hi + lo exactly.
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let hi = a + b;
    let rest = hi - a;
    (hi, (a - (hi - rest)) + (b - rest))
}

/// a · b = hi + lo exactly, unless lo underflows.
#[inline(always)]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let hi = a * b;
    (hi, a.mul_add(b, -hi))
}

/// The same number with hi the double nearest to it; an infinite or undefined one has lo = 0.
#[inline(always)]
pub fn normal(hi: f64, lo: f64) -> (f64, f64) {
    let (sum, rest) = two_sum(hi, lo);
    (sum, if sum.is_finite() { rest } else { 0.0 })
}

/// a + b.
#[inline(always)]
pub fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let (hi, high_rest) = two_sum(a.0, b.0);
    let (lo, low_rest) = two_sum(a.1, b.1);
    let (hi, lo) = two_sum(hi, high_rest + lo);
    two_sum(hi, low_rest + lo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(two_sum(1e16, 0.75), (1e16, 0.75));
        assert_eq!(two_product(1.0 + f64::EPSILON, 1.0 - f64::EPSILON), (1.0, -f64::EPSILON * f64::EPSILON));
        assert_eq!(plus((1e32, 1.0), (-1e32, 1e-17)), (1.0, 1e-17));
        assert_eq!(normal(1.0, 1e16), (1e16, 1.0));
        assert_eq!(normal(f64::INFINITY, f64::NAN).1, 0.0);
    }
}

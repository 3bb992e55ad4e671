//! Sums and products of two doubles as hi + lo, exactly.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(two_sum(1e16, 0.75), (1e16, 0.75));
        assert_eq!(two_product(1.0 + f64::EPSILON, 1.0 - f64::EPSILON), (1.0, -f64::EPSILON * f64::EPSILON));
    }
}

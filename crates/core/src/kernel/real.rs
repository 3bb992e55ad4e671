//! The two precisions that kernels are computed in.

use crate::rows::Value;
use crate::vectors::Float;

/// A number of a kernel: float for tiles that a solver works with, double for what is proven.
pub trait Real: Float + PartialOrd {
    /// The nearest to a double.
    fn of(x: f64) -> Self;

    /// As a double.
    fn double(self) -> f64;

    /// The nearest float.
    fn float(self) -> f32;

    /// self · a + b, rounded once.
    fn times(self, a: Self, b: Self) -> Self;

    /// e^self for each, to the last digits; 0 below the smallest normal number.
    fn exponentials<const L: usize>(of: &mut [Self; L]);

    /// The nearest to a value of X.
    #[inline(always)]
    fn near<V: Value>(x: V) -> Self {
        Self::of(x.real())
    }
}

impl Real for f32 {
    #[inline(always)]
    fn of(x: f64) -> f32 {
        x as f32
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn float(self) -> f32 {
        self
    }

    #[inline(always)]
    fn times(self, a: f32, b: f32) -> f32 {
        self.mul_add(a, b)
    }

    #[inline(always)]
    fn exponentials<const L: usize>(of: &mut [f32; L]) {
        for x in of {
            *x = exponential_float(*x);
        }
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }

    #[inline(always)]
    fn float(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    fn times(self, a: f64, b: f64) -> f64 {
        self.mul_add(a, b)
    }

    #[inline(always)]
    fn exponentials<const L: usize>(of: &mut [f64; L]) {
        for x in of {
            *x = exponential(*x);
        }
    }
}

/// e^x = 2^k e^r for |r| ≤ ½ ln 2, the series to r^7; branchless. k is read from the last bits of a number near 1.5·2^23.
#[inline(always)]
fn exponential_float(x: f32) -> f32 {
    const MAGIC: f32 = 12_582_912.0;
    let within = x.clamp(-87.0, 88.0);
    let shifted = within.mul_add(std::f32::consts::LOG2_E, MAGIC);
    let k = shifted - MAGIC;
    let r = k.mul_add(-0.693_359_4, within);
    let r = k.mul_add(2.121_944_4e-4, r);
    let mut p = 1.0 / 5040.0_f32;
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = p.mul_add(r, c);
    }
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3F80_0000));
    if x < -87.0 { 0.0 } else { p * power }
}

/// The same for doubles, the series to r^13.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let within = x.clamp(-708.0, 709.0);
    let shifted = within.mul_add(std::f64::consts::LOG2_E, MAGIC);
    let k = shifted - MAGIC;
    let r = k.mul_add(-0.693_147_180_369_123_8, within);
    let r = k.mul_add(-1.908_214_929_270_587_7e-10, r);
    let mut p: f64 = 1.0 / 6_227_020_800.0;
    for c in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        p = p.mul_add(r, c);
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(0x3FF0_0000_0000_0000));
    if x < -708.0 { 0.0 } else { p * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_standard_library() {
        for k in -70_800..70_900 {
            let x = f64::from(k) / 100.0;
            let mut found = [x];
            f64::exponentials(&mut found);
            assert!((found[0] / x.exp() - 1.0).abs() < 4e-16, "e^{x} = {}", found[0]);
        }
        for k in -8700..8800 {
            let x = k as f32 / 100.0;
            let mut found = [x];
            f32::exponentials(&mut found);
            assert!((f64::from(found[0]) / f64::from(x).exp() - 1.0).abs() < 3e-7, "e^{x} = {}", found[0]);
        }
    }

    #[test]
    fn what_is_too_small_is_nothing_and_zero_gives_one() {
        let mut found = [-1e9_f32, -88.0, 0.0];
        f32::exponentials(&mut found);
        assert_eq!(found, [0.0, 0.0, 1.0]);
        let mut found = [-1e300, -709.0, 0.0];
        f64::exponentials(&mut found);
        assert_eq!(found, [0.0, 0.0, 1.0]);
    }
}

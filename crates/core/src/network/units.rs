//! What hidden units make of their signals, forward and back.

use super::Real;
use crate::kernel;

/// σ of the hidden units.
#[derive(Clone, Copy, PartialEq)]
pub enum Activation {
    /// 1 / (1 + e^−s),  σ' = h (1 − h)
    Logistic,
    /// tanh s,  σ' = 1 − h²
    Tanh,
    /// max(0, s),  σ' = 1 where h > 0, else 0
    Relu,
    /// s,  σ' = 1
    Identity,
}

impl Activation {
    /// h = σ(s + b) of lines of signals, in place.
    #[inline(always)]
    pub(super) fn forward<T: Real>(self, s: &mut [T], b: &[T]) {
        for line in s.chunks_exact_mut(b.len()) {
            for k in 0..b.len() {
                line[k] = line[k] + b[k];
            }
        }
        match self {
            Activation::Logistic => logistic(s),
            Activation::Tanh => tanh(s),
            Activation::Relu => {
                for s in s {
                    *s = if *s < T::default() { T::default() } else { *s }; // NaN stays
                }
            }
            Activation::Identity => {}
        }
    }

    /// Δ ⊙ σ'(s), by h = σ(s), in place.
    #[inline(always)]
    pub(super) fn backward<T: Real>(self, delta: &mut [T], h: &[T]) {
        let (zero, one) = (T::default(), <T as kernel::Real>::of(1.0));
        let (delta, n) = (&mut delta[..h.len()], h.len());
        match self {
            Activation::Logistic => {
                for k in 0..n {
                    delta[k] = delta[k] * (h[k] - h[k] * h[k]);
                }
            }
            Activation::Tanh => {
                for k in 0..n {
                    delta[k] = delta[k] * (one - h[k] * h[k]);
                }
            }
            Activation::Relu => {
                for k in 0..n {
                    delta[k] = if h[k] > zero { delta[k] } else { zero };
                }
            }
            Activation::Identity => {}
        }
    }
}

/// e^x for each x.
#[inline(always)]
pub(super) fn exponentials<T: Real>(of: &mut [T]) {
    let (whole, rest) = of.as_chunks_mut::<16>();
    for x in whole {
        T::exponentials(x);
    }
    for x in rest.as_chunks_mut::<1>().0 {
        T::exponentials(x);
    }
}

/// 1 / (1 + e^−s) for each s.
#[inline(always)]
pub(super) fn logistic<T: Real>(s: &mut [T]) {
    for s in &mut *s {
        *s = T::default() - *s;
    }
    exponentials(s);
    let one = <T as kernel::Real>::of(1.0);
    for s in s {
        *s = one / (one + *s);
    }
}

/// tanh s for each s: (1 − e^−2|s|) / (1 + e^−2|s|) with the sign of s, and the series where that cancels.
#[inline(always)]
fn tanh<T: Real>(s: &mut [T]) {
    let (whole, rest) = s.as_chunks_mut::<16>();
    for s in whole {
        tanh_each(s);
    }
    for s in rest.as_chunks_mut::<1>().0 {
        tanh_each(s);
    }
}

/// Coefficients of tanh s / s in s², from the highest; below ⅛ the next one is less than the last digit.
const SERIES: [f64; 8] = [
    -929_569.0 / 638_512_875.0,
    21_844.0 / 6_081_075.0,
    -1382.0 / 155_925.0,
    62.0 / 2835.0,
    -17.0 / 315.0,
    2.0 / 15.0,
    -1.0 / 3.0,
    1.0,
];

#[inline(always)]
fn tanh_each<T: Real, const L: usize>(s: &mut [T; L]) {
    let (zero, one) = (T::default(), <T as kernel::Real>::of(1.0));
    let (two, small) = (one + one, <T as kernel::Real>::of(0.125));
    let mut e = *s;
    for e in &mut e {
        *e = zero - two * if *e < zero { zero - *e } else { *e };
    }
    T::exponentials(&mut e);
    for k in 0..L {
        let (square, far) = (s[k] * s[k], (one - e[k]) / (one + e[k]));
        let mut series = zero;
        for c in SERIES {
            series = series.times(square, <T as kernel::Real>::of(c));
        }
        let near = s[k] < small && zero - s[k] < small;
        let far = if s[k] < zero { zero - far } else { far };
        s[k] = if near { series * s[k] } else { far };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_those_of_the_standard_library() {
        for k in -4000..=4000 {
            let x = f64::from(k) / 200.0 + 1e-3;
            let (mut found, mut single) = ([x, -x, x * 1e-9], [<f32 as kernel::Real>::of(x)]);
            tanh(&mut found);
            tanh(&mut single);
            for (found, x) in found.iter().zip([x, -x, x * 1e-9]) {
                assert!((found / x.tanh() - 1.0).abs() < 2e-15, "tanh {x} = {found}");
            }
            assert!(
                (f64::from(single[0]) / f64::from(<f32 as kernel::Real>::of(x)).tanh() - 1.0).abs() < 2e-6,
                "tanh {x}"
            );
            let mut found = [x];
            logistic(&mut found);
            assert!((found[0] * (1.0 + (-x).exp()) - 1.0).abs() < 1e-15, "logistic {x} = {}", found[0]);
        }
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for activation in [Activation::Logistic, Activation::Tanh, Activation::Relu, Activation::Identity] {
            let mut s = [f64::NAN, 1.0];
            activation.forward(&mut s, &[0.0, 0.0]);
            assert!(s[0].is_nan() && s[1].is_finite());
        }
    }
}

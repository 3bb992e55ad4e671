//! One step down a gradient, in place, with what is remembered of the steps before.
//!
//! ```text
//! momentum   v ← μ v − η (g + λ w)          w ← w + v;   Nesterov: w ← w + μ v − η (g + λ w)
//! adam       m ← β₁ m + (1 − β₁)(g + λ w)   q ← β₂ q + (1 − β₂)(g + λ w)²   w ← w − η m / (c √q + ε)
//! ```
//!
//! Polyak, USSR Comput. Math. Math. Phys. 4 (1964); Nesterov, Soviet Math. Dokl. 27 (1983); Kingma & Ba, ICLR 2015,
//! with the corrections of both means in η and c. Floor: what is read and written, 5 numbers a weight for momentum and
//! 7 for Adam, over the bandwidth; a square root and a division a weight where all of it lies in the cache. Every
//! weight is on its own, so threads change no bit.

use pulp::{Arch, Simd, WithSimd};

/// Weights that a thread takes at once.
const STRETCH: usize = 1 << 16;
/// Fewer than these are not worth waking a thread.
pub const FEW: usize = 1 << 18;

/// A number of a network: float32, or float64.
pub trait Number: Copy + Send + Sync {
    /// The nearest to a double.
    fn of(x: f64) -> Self;
    /// One weight of Adam's step: (w, m, q).
    fn adam(w: Self, g: Self, m: Self, q: Self, by: &Adam<Self>) -> (Self, Self, Self);
    /// One weight of a step with momentum: (w, v).
    fn momentum(w: Self, g: Self, v: Self, by: &Momentum<Self>) -> (Self, Self);
}

/// η, c, β₁, 1 − β₁, β₂, 1 − β₂, ε and λ.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // the formula's own letters
pub struct Adam<T> {
    pub eta: T,
    pub scale: T,
    pub beta1: T,
    pub rest1: T,
    pub beta2: T,
    pub rest2: T,
    pub epsilon: T,
    pub decay: T,
}

/// η, μ and λ; Nesterov's way or Polyak's.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // the formula's own letters
pub struct Momentum<T> {
    pub eta: T,
    pub mu: T,
    pub decay: T,
    pub nesterov: bool,
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            #[inline(always)]
            fn of(x: f64) -> $type {
                x as $type
            }

            #[inline(always)]
            fn adam(w: $type, g: $type, m: $type, q: $type, by: &Adam<$type>) -> ($type, $type, $type) {
                let g = g + by.decay * w;
                let m = by.beta1 * m + by.rest1 * g;
                let q = by.beta2 * q + by.rest2 * (g * g);
                (w - by.eta * m / (by.scale * q.sqrt() + by.epsilon), m, q)
            }

            #[inline(always)]
            fn momentum(w: $type, g: $type, v: $type, by: &Momentum<$type>) -> ($type, $type) {
                let g = g + by.decay * w;
                let v = by.mu * v - by.eta * g;
                (if by.nesterov { w + (by.mu * v - by.eta * g) } else { w + v }, v)
            }
        }
    };
}

number!(f32);
number!(f64);

/// Adam's step of weights `w` with the gradient `g` and the means `m` and `q`, all as long as each other.
pub fn adam<T: Number>(w: &mut [T], g: &[T], m: &mut [T], q: &mut [T], by: &Adam<T>) {
    if w.len() < FEW {
        return Arch::new().dispatch(AdamPart { w, g, m, q, by });
    }
    let parts = w.chunks_mut(STRETCH).zip(g.chunks(STRETCH));
    let means = m.chunks_mut(STRETCH).zip(q.chunks_mut(STRETCH));
    let parts = parts.zip(means).map(|((w, g), (m, q))| AdamPart { w, g, m, q, by }).collect();
    consume(parts, &|_, part: AdamPart<'_, T>| Arch::new().dispatch(part));
}

/// A step of weights `w` with the gradient `g` and the speed `v`, all as long as each other.
pub fn momentum<T: Number>(w: &mut [T], g: &[T], v: &mut [T], by: &Momentum<T>) {
    if w.len() < FEW {
        return Arch::new().dispatch(MomentumPart { w, g, v, by });
    }
    let parts = w.chunks_mut(STRETCH).zip(g.chunks(STRETCH)).zip(v.chunks_mut(STRETCH));
    let parts = parts.map(|((w, g), v)| MomentumPart { w, g, v, by }).collect();
    consume(parts, &|_, part: MomentumPart<'_, T>| Arch::new().dispatch(part));
}

struct AdamPart<'a, T> {
    w: &'a mut [T],
    g: &'a [T],
    m: &'a mut [T],
    q: &'a mut [T],
    by: &'a Adam<T>,
}

impl<T: Number> WithSimd for AdamPart<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (((w, &g), m), q) in self.w.iter_mut().zip(self.g).zip(self.m).zip(self.q) {
            (*w, *m, *q) = T::adam(*w, g, *m, *q, self.by);
        }
    }
}

struct MomentumPart<'a, T> {
    w: &'a mut [T],
    g: &'a [T],
    v: &'a mut [T],
    by: &'a Momentum<T>,
}

impl<T: Number> WithSimd for MomentumPart<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((w, &g), v) in self.w.iter_mut().zip(self.g).zip(self.v) {
            (*w, *v) = T::momentum(*w, g, *v, self.by);
        }
    }
}
use crate::parallel::consume;

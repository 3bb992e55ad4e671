//! How far the last layer is from the targets, and the Δ that goes back from there.

use super::units::{Activation, exponentials, logistic};
use super::{Error, Output, Real, Wrong};
use crate::kernel;
use crate::loss::log1p_exp;

/// What a part of a batch puts out: signals, which become h, weights, and Δ, which is made.
pub(super) struct Outputs<'a, T> {
    /// (n, K)
    pub(super) h: &'a mut [T],
    /// (n)
    pub(super) weight: &'a [T],
    /// (n, K)
    pub(super) delta: &'a mut [T],
    /// K
    pub(super) units: usize,
}

/// What is to be put out.
pub(super) enum Wanted<'a, T> {
    /// (n): by softmax, of cross-entropy, the right class the largest.
    Classes(&'a [usize]),
    /// (n, K)
    Numbers(&'a [T]),
}

impl<T: Real> Outputs<'_, T> {
    /// Σ weight · 𝓔_n, and of what is wrong. The signals have their biases; Δ is of weight / count · 𝓔_n.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        y: Wanted<'_, T>,
        output: Output,
        error: Error,
        wrong: Wrong,
        count: T,
    ) -> (f64, f64) {
        match y {
            Wanted::Classes(classes) => self.of_classes(classes, count),
            Wanted::Numbers(y) => {
                let loss = self.of_numbers(y, output, error, count);
                (loss, self.wrong(y, wrong))
            }
        }
    }

    /// −Σ weight · ln h of the right class; Δ = h, less 1 for that class.
    #[inline(always)]
    fn of_classes(&mut self, classes: &[usize], count: T) -> (f64, f64) {
        let (mut loss, mut wrong, units) = (0.0, 0.0, self.units);
        for i in 0..classes.len() {
            let (s, weight) = (&mut self.h[i * units..][..units], self.weight[i]);
            lower(s);
            loss -= (s[classes[i]] * weight).double();
        }
        exponentials(self.h);
        for i in 0..classes.len() {
            let (h, delta) = (&self.h[i * units..][..units], &mut self.delta[i * units..][..units]);
            let (sum, share) = (total(h), self.weight[i] / count);
            loss += sum.double().ln() * self.weight[i].double();
            wrong += if largest(h) == classes[i] { 0.0 } else { self.weight[i].double() };
            let scale = share / sum;
            for k in 0..units {
                delta[k] = h[k] * scale;
            }
            delta[classes[i]] = delta[classes[i]] - share;
        }
        (loss, wrong)
    }

    #[inline(always)]
    fn of_numbers(&mut self, y: &[T], output: Output, error: Error, count: T) -> f64 {
        let mut loss = match error {
            Error::CrossEntropy => self.of_signals(y, output),
            Error::Squared => 0.0,
        };
        match output {
            Output::Linear => {}
            Output::Logistic => logistic(self.h),
            Output::Softmax => self.softmax(error, &mut loss),
        }
        let (units, h, delta) = (self.units, &self.h[..y.len()], &mut self.delta[..y.len()]);
        for k in 0..y.len() {
            delta[k] = h[k] - y[k];
        }
        if error == Error::Squared {
            for i in 0..self.weight.len() {
                let e = &self.delta[i * units..][..units];
                loss += 0.5 * (product(e, e) * self.weight[i]).double();
            }
            self.back(output);
        }
        for i in 0..self.weight.len() {
            let (delta, share) = (&mut self.delta[i * units..][..units], self.weight[i] / count);
            for k in 0..units {
                delta[k] = delta[k] * share;
            }
        }
        loss
    }

    /// What of the cross-entropy is known of the signals: Σ ln(1 + e^s) − y s, or −Σ y (s − max s), which s becomes.
    #[inline(always)]
    fn of_signals(&mut self, y: &[T], output: Output) -> f64 {
        let (mut loss, units) = (0.0, self.units);
        for i in 0..self.weight.len() {
            let (s, y) = (&mut self.h[i * units..][..units], &y[i * units..][..units]);
            let mut each = 0.0;
            if output == Output::Logistic {
                for k in 0..units {
                    each += log1p_exp(s[k].double()) - y[k].double() * s[k].double();
                }
            } else {
                lower(s);
                for k in 0..units {
                    each -= y[k].double() * s[k].double();
                }
            }
            loss += each * self.weight[i].double();
        }
        loss
    }

    /// h = e^s / Σ e^s; ln Σ e^s into the cross-entropy.
    #[inline(always)]
    fn softmax(&mut self, error: Error, loss: &mut f64) {
        if error == Error::Squared {
            for line in self.h.chunks_exact_mut(self.units) {
                lower(line);
            }
        }
        exponentials(self.h);
        for i in 0..self.weight.len() {
            let h = &mut self.h[i * self.units..][..self.units];
            let sum = total(h);
            let share = <T as kernel::Real>::of(1.0) / sum;
            for h in h {
                *h = *h * share;
            }
            if error == Error::CrossEntropy {
                *loss += sum.double().ln() * self.weight[i].double();
            }
        }
    }

    /// Δ of the signals by e of the outputs.
    #[inline(always)]
    fn back(&mut self, output: Output) {
        match output {
            Output::Linear => {}
            Output::Logistic => Activation::Logistic.backward(self.delta, self.h),
            Output::Softmax => {
                for i in 0..self.weight.len() {
                    let h = &self.h[i * self.units..][..self.units];
                    let e = &mut self.delta[i * self.units..][..self.units];
                    let mean = product(e, h);
                    for k in 0..h.len() {
                        e[k] = h[k] * (e[k] - mean);
                    }
                }
            }
        }
    }

    /// Σ weight · what is wrong.
    #[inline(always)]
    fn wrong(&self, y: &[T], kind: Wrong) -> f64 {
        let (mut sum, half, units) = (0.0, <T as kernel::Real>::of(0.5), self.units as f64);
        for i in 0..self.weight.len() {
            let (h, y) = (&self.h[i * self.units..][..self.units], &y[i * self.units..][..self.units]);
            let mut wrong = 0.0;
            match kind {
                Wrong::Class => wrong = f64::from(largest(h) != largest(y)) * units,
                Wrong::Label => {
                    for k in 0..h.len() {
                        wrong += f64::from((h[k] > half) != (y[k] > half));
                    }
                }
                Wrong::Squared => {
                    for k in 0..h.len() {
                        wrong += (h[k].double() - y[k].double()).powi(2);
                    }
                }
            }
            sum += wrong / units * self.weight[i].double();
        }
        sum
    }
}

/// a·b
#[inline(always)]
fn product<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sum = T::default();
    for k in 0..b.len() {
        sum = a[k].times(b[k], sum);
    }
    sum
}

/// Σ x, of every eighth together.
#[inline(always)]
fn total<T: Real>(x: &[T]) -> T {
    let (whole, rest) = x.as_chunks::<8>();
    let mut sums = [T::default(); 8];
    for x in whole {
        for k in 0..8 {
            sums[k] = sums[k] + x[k];
        }
    }
    let mut sum = T::default();
    for x in sums {
        sum = sum + x;
    }
    for &x in rest {
        sum = sum + x;
    }
    sum
}

/// The place of the largest, the first of equal ones.
#[inline(always)]
fn largest<T: Real>(line: &[T]) -> usize {
    let (mut best, mut top) = (0, line[0]);
    for k in 0..line.len() {
        if line[k] > top {
            (best, top) = (k, line[k]);
        }
    }
    best
}

/// s − max s.
#[inline(always)]
fn lower<T: Real>(s: &mut [T]) {
    let top = s[largest(s)];
    for s in s {
        *s = *s - top;
    }
}

//! Kernels: K(x, z) of all pairs out of two sets of rows, a panel of rows at a time.
//!
//! ```text
//! linear x·z        polynomial (a x·z + b)^q        RBF exp(−γ‖x − z‖²)        tanh(a x·z + b)
//! multiquadric √(‖x − z‖² + c²)        wave (θ/‖x − z‖) sin(‖x − z‖/θ)
//! ```
//!
//! ‖x − z‖² = ‖x‖² + ‖z‖² − 2 x·z, the norms summed in the same order as the products, so that equal rows are at
//! distance 0. Every value is computed on its own: no number of threads changes a bit.

mod gram;
mod known;
mod names;
mod panel;
mod points;
mod products;
mod real;
mod shared;
mod square;
mod stored;
mod stretches;
mod tiles;

pub use gram::{Doubles, Floats, OfRows, within};
pub use known::{Known, block, combine};
pub(crate) use known::{add_four, add_one};
pub use points::{Chosen, Points};
pub use real::Real;
pub use shared::{Part, Shared};
pub use tiles::Tiles;

/// A kernel that is a function of x·z, ‖x‖² and ‖z‖².
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// x·z
    Linear,
    /// (scale x·z + shift)^degree
    Polynomial {
        /// a
        scale: f64,
        /// b
        shift: f64,
        /// q
        degree: i32,
    },
    /// exp(−γ‖x − z‖²)
    Gaussian {
        /// γ
        gamma: f64,
    },
    /// tanh(scale x·z + shift)
    Tanh {
        /// β
        scale: f64,
        /// γ
        shift: f64,
    },
    /// √(‖x − z‖² + shift²)
    Multiquadric {
        /// c
        shift: f64,
    },
    /// (θ/‖x − z‖) sin(‖x − z‖/θ), 1 at distance 0
    Wave {
        /// θ
        theta: f64,
    },
}

/// The whole number that x is.
fn whole(x: f64) -> Option<i32> {
    let whole = x as i32;
    (f64::from(whole) == x).then_some(whole)
}

impl Kernel {
    /// By the names of its parameters in order; None for a kernel that is not known.
    pub fn by_name(name: &str, parameters: &[f64]) -> Option<Kernel> {
        Some(match (name, parameters) {
            ("linear", []) => Kernel::Linear,
            ("polynomial", &[scale, shift, degree]) => {
                Kernel::Polynomial { scale, shift, degree: whole(degree)? }
            }
            ("rbf", &[gamma]) => Kernel::Gaussian { gamma },
            ("tanh", &[scale, shift]) => Kernel::Tanh { scale, shift },
            ("multiquadric", &[shift]) => Kernel::Multiquadric { shift },
            ("wave", &[theta]) => Kernel::Wave { theta },
            _ => return None,
        })
    }

    /// Whether it is a function of x − z, so that moving all rows changes nothing.
    pub fn of_distance(&self) -> bool {
        matches!(self, Kernel::Gaussian { .. } | Kernel::Multiquadric { .. } | Kernel::Wave { .. })
    }

    /// From x_l·z, ‖x_l‖² and ‖z‖² to K(x_l, z), for each l.
    #[inline(always)]
    fn finish<R: Real, const L: usize>(&self, products: &mut [R; L], norms: &[R; L], norm: R) {
        match *self {
            Kernel::Linear => {}
            Kernel::Gaussian { gamma } => {
                let (minus, twice, zero) = (R::of(-gamma), R::of(-2.0), R::of(0.0));
                for l in 0..L {
                    let d = products[l].times(twice, norms[l].times(R::of(1.0), norm));
                    products[l] = minus.times(if d > zero { d } else { zero }, zero);
                }
                R::exponentials(products);
            }
            // What is usual without a call for each number, to the same last bit.
            Kernel::Polynomial { scale, shift, degree: 2 } => {
                each(products, |k| (scale * k + shift) * (scale * k + shift));
            }
            Kernel::Polynomial { scale, shift, degree: 3 } => each(products, |k| {
                let x = scale * k + shift;
                x * (x * x)
            }),
            Kernel::Polynomial { scale, shift, degree } => {
                each(products, |k| (scale * k + shift).powi(degree));
            }
            Kernel::Tanh { scale, shift } => each(products, |k| (scale * k + shift).tanh()),
            Kernel::Multiquadric { shift } => {
                distances(products, norms, norm);
                each(products, |d| (d + shift * shift).sqrt());
            }
            Kernel::Wave { theta } => {
                distances(products, norms, norm);
                each(products, |d| {
                    let x = d.sqrt() / theta;
                    if x == 0.0 { 1.0 } else { x.sin() / x }
                });
            }
        }
    }

    /// Whether floats hold its values well enough to minimise with: none is larger than 1.
    pub fn of_size_one(&self) -> bool {
        matches!(self, Kernel::Gaussian { .. } | Kernel::Wave { .. } | Kernel::Tanh { .. })
    }

    /// K(x, x) for ‖x‖².
    pub fn diagonal<R: Real>(&self, norm: R) -> R {
        if let Kernel::Gaussian { .. } = self {
            return R::of(1.0); // e^0 to the last bit, without a call for each row
        }
        let mut k = [norm];
        self.finish(&mut k, &[norm], norm);
        k[0]
    }
}

#[inline(always)]
fn each<R: Real>(values: &mut [R], of: impl Fn(f64) -> f64) {
    values.iter_mut().for_each(|k| *k = R::of(of(k.double())));
}

#[inline(always)]
fn distances<R: Real>(products: &mut [R], norms: &[R], norm: R) {
    products.iter_mut().zip(norms).for_each(|(k, n)| {
        *k = R::of((n.double() + norm.double() - 2.0 * k.double()).max(0.0));
    });
}

//! A loss that is chosen while the program runs: a solver that takes it is compiled once for all of them, and only its
//! passes over the examples for each (`narrow`).

use super::{
    Absolute, DualLoss, EpsilonInsensitive, Hinge, Huber, Logistic, Loss, OfLoss, Squared,
    SquaredEpsilonInsensitive, SquaredHinge,
};

/// Any loss with a dual.
#[derive(Clone, Copy)]
pub enum Chosen {
    /// One of a margin y·s.
    Margin(Margin),
    /// One of a residual y − s.
    Regression(Regression),
}

/// Any loss of a margin y·s with a dual.
#[derive(Clone, Copy)]
pub enum Margin {
    /// max(0, m − y·s).
    Hinge(Hinge),
    /// max(0, 1 − y·s)².
    SquaredHinge(SquaredHinge),
    /// log(1 + e^(−y·s)).
    Logistic(Logistic),
}

/// Any loss of a residual y − s.
#[derive(Clone, Copy)]
pub enum Regression {
    /// (y − s)².
    Squared(Squared),
    /// |y − s|.
    Absolute(Absolute),
    /// Quadratic near 0, linear beyond.
    Huber(Huber),
    /// max(0, |y − s| − ε).
    EpsilonInsensitive(EpsilonInsensitive),
    /// Its square.
    SquaredEpsilonInsensitive(SquaredEpsilonInsensitive),
}

/// Implements a loss by the one that was chosen.
macro_rules! loss {
    ($type:ident: $($known:ident),*) => {
        impl Loss for $type {
            #[inline]
            fn value(self, y: f64, s: f64) -> f64 {
                match self { $($type::$known(loss) => loss.value(y, s)),* }
            }

            #[inline]
            fn slope(self, y: f64, s: f64) -> f64 {
                match self { $($type::$known(loss) => loss.slope(y, s)),* }
            }

            fn curvature(self, y: f64, s: f64) -> f64 {
                match self { $($type::$known(loss) => loss.curvature(y, s)),* }
            }

            fn has_kinks(self) -> bool {
                match self { $($type::$known(loss) => loss.has_kinks()),* }
            }

            fn corners(self, y: f64) -> Option<[(f64, f64); 2]> {
                match self { $($type::$known(loss) => loss.corners(y)),* }
            }

            #[inline]
            fn conjugate(self, y: f64, u: f64) -> f64 {
                match self { $($type::$known(loss) => loss.conjugate(y, u)),* }
            }
        }

        impl DualLoss for $type {
            #[inline]
            fn climb(self, y: f64, s: f64, q: f64, from: f64) -> f64 {
                match self { $($type::$known(loss) => loss.climb(y, s, q, from)),* }
            }

            fn feasible(self, y: f64, a: f64) -> f64 {
                match self { $($type::$known(loss) => loss.feasible(y, a)),* }
            }

            fn answered(self, y: f64, a: f64) -> Option<(f64, f64)> {
                match self { $($type::$known(loss) => loss.answered(y, a)),* }
            }

            #[inline]
            fn clearance(self, y: f64, s: f64, a: f64) -> f64 {
                match self { $($type::$known(loss) => loss.clearance(y, s, a)),* }
            }

            fn narrow<T: OfLoss>(self, task: T) -> T::Output {
                match self { $($type::$known(loss) => loss.narrow(task)),* }
            }
        }

        $(impl From<$known> for $type {
            fn from(loss: $known) -> $type {
                $type::$known(loss)
            }
        })*
    };
}

loss!(Chosen: Margin, Regression);
loss!(Margin: Hinge, SquaredHinge, Logistic);
loss!(Regression: Squared, Absolute, Huber, EpsilonInsensitive, SquaredEpsilonInsensitive);

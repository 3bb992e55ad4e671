//! The log of a share: its centre and its variance.

/// A log of a share, or a sum of such: its centre and its variance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// The log of the mean.
    pub mean: f64,
    /// The variance about it.
    pub variance: f64,
}

impl Moments {
    /// About the same centre, so many times as wide.
    #[inline]
    pub(super) fn widened(self, times: f64) -> Moments {
        Moments { mean: self.mean, variance: self.variance * times * times }
    }
}

/// log a and log(1 + 1/a): of the log-normal variable with the mean and the variance of a gamma variate of shape a.
pub fn log_gamma_moments(a: f64) -> Moments {
    Moments { mean: a.ln(), variance: (1.0 / a).ln_1p() }
}

//! The log of a gamma variate: its mean and variance are the digamma and the trigamma function.

/// Mean ψ(a) and variance ψ′(a) of the log of a gamma variate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// ψ(a), the digamma function.
    pub mean: f64,
    /// ψ′(a), the trigamma function.
    pub variance: f64,
}

/// From here on the asymptotic series is exact to the last digits.
const SERIES_FROM: f64 = 8.0;

/// ψ(a) and ψ′(a) for a ≥ 0, to 1e-13: ψ(a) = ψ(a + 1) − 1/a up to 8, then Stirling's series. −∞ and ∞ at 0.
///
/// Abramowitz & Stegun 6.3.5, 6.3.18, 6.4.6, 6.4.12.
pub fn log_gamma_moments(a: f64) -> Moments {
    let (mut x, mut mean, mut variance) = (a, 0.0, 0.0);
    while x < SERIES_FROM {
        let inverse = 1.0 / x;
        mean -= inverse;
        variance += inverse * inverse;
        x += 1.0;
    }
    let (r, r2) = (1.0 / x, 1.0 / (x * x));
    let tail = r2 * (1.0 / 240.0 - r2 * (1.0 / 132.0 - r2 * (691.0 / 32760.0 - r2 / 12.0)));
    mean += x.ln() - 0.5 * r - r2 * (1.0 / 12.0 - r2 * (1.0 / 120.0 - r2 * (1.0 / 252.0 - tail)));
    let tail = r2 * (1.0 / 30.0 - r2 * (5.0 / 66.0 - r2 * (691.0 / 2730.0 - r2 * 7.0 / 6.0)));
    variance += r + r2 * (0.5 + r * (1.0 / 6.0 - r2 * (1.0 / 30.0 - r2 * (1.0 / 42.0 - tail))));
    Moments { mean, variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (a, ψ(a), ψ′(a)) by scipy.special.
    const KNOWN: [(f64, f64, f64); 12] = [
        (0.001, -1000.5755719318103, 1000001.6425331959),
        (0.02, -50.54478931045618, 2501.5981181918683),
        (0.5, -1.9635100260214235, 4.93480220054468),
        (1.0, -0.5772156649015329, 1.6449340668482266),
        (1.4616321449683622, -9.241265521729427e-17, 0.9676722454476214),
        (2.5, 0.7031566406452432, 0.4903577561002349),
        (7.999, 2.015508332090348, 0.1331547166131586),
        (8.0, 2.0156414779556098, 0.13313701469403144),
        (8.5, 2.08009081757942, 0.12483811891892604),
        (100.5, 4.605174352581845, 0.009999916669583104),
        (12345.678, 9.421020820741761, 8.100328723111207e-05),
        (1e9, 20.723265836446412, 1.0000000005000001e-09),
    ];

    #[test]
    fn the_moments_are_those_of_scipy() {
        for (a, mean, variance) in KNOWN {
            let found = log_gamma_moments(a);
            assert!((found.mean - mean).abs() <= 1e-13 * mean.abs().max(1.0), "ψ({a}) = {}", found.mean);
            assert!((found.variance / variance - 1.0).abs() <= 1e-12, "ψ′({a}) = {}", found.variance);
        }
    }

    #[test]
    fn at_the_ends_they_are_infinite_or_nothing() {
        assert_eq!(log_gamma_moments(0.0), Moments { mean: f64::NEG_INFINITY, variance: f64::INFINITY });
        assert_eq!(log_gamma_moments(f64::INFINITY), Moments { mean: f64::INFINITY, variance: 0.0 });
    }
}

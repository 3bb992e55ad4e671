//! Products of a panel of rows with other rows.
//!
//! A panel holds L rows, feature by feature: panel[k·L + l] is x_l[k], so that L products go on side by side.

use pulp::Simd;

use super::Real;
use super::stored::Stored;
use crate::vectors::{add_row, store};

/// Rows of Z that are multiplied with a panel at once: with L four vectors wide, all sums stay in registers.
pub const GROUP: usize = 3;

/// Rows z, as the products read them.
pub enum Others<R> {
    /// In groups of `GROUP`, feature by feature: values[g·d + k][r] is z[k] for z number g·GROUP + r.
    Dense(Vec<[R; GROUP]>),
    /// What is stored.
    Sparse(Stored<R>),
}

/// Writes Σ_k x_l[k] z_r[k] for the L rows of the panel and M rows z, feature after feature.
#[inline(always)]
pub fn dense<S: Simd, R: Real, const L: usize, const M: usize>(
    simd: S,
    panel: &[[R; L]],
    z: &[[R; GROUP]],
    sums: &mut [[R; L]; M],
) {
    match L / R::count::<S>() {
        2 => in_vectors::<S, R, L, M, 2>(simd, panel, z, sums),
        4 => in_vectors::<S, R, L, M, 4>(simd, panel, z, sums),
        8 => in_vectors::<S, R, L, M, 8>(simd, panel, z, sums),
        _ => one_by_one(panel, z, sums),
    }
}

/// The same where V vectors hold L numbers.
#[inline(always)]
fn in_vectors<S: Simd, R: Real, const L: usize, const M: usize, const V: usize>(
    simd: S,
    panel: &[[R; L]],
    z: &[[R; GROUP]],
    out: &mut [[R; L]; M],
) {
    let z = &z[..panel.len()];
    let mut sums = [[R::splat(simd, R::default()); V]; M];
    for k in 0..panel.len() {
        for r in 0..M {
            sums[r] = add_row::<S, R, L, V>(simd, &panel[k], z[k][r], sums[r]);
        }
    }
    for r in 0..M {
        store::<S, R, L, V>(sums[r], &mut out[r]);
    }
}

/// The same where there are no vectors.
#[inline(always)]
fn one_by_one<R: Real, const L: usize, const M: usize>(
    panel: &[[R; L]],
    z: &[[R; GROUP]],
    out: &mut [[R; L]; M],
) {
    let mut sums = [[R::default(); L]; M];
    for (x, z) in panel.iter().zip(z) {
        for r in 0..M {
            for l in 0..L {
                sums[r][l] = x[l].times(z[r], sums[r][l]);
            }
        }
    }
    *out = sums;
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, WithSimd};

    fn numbers<R: Real, const L: usize>(count: usize, seed: usize) -> Vec<[R; L]> {
        let number = |i: usize| R::of(((i * 7919 + seed * 104_729) % 1009) as f64 / 504.0 - 1.0);
        (0..count).map(|k| std::array::from_fn(|l| number(k * L + l))).collect()
    }

    struct Product<'a, R, const L: usize>(&'a [[R; L]], &'a [[R; GROUP]]);

    impl<R: Real, const L: usize> WithSimd for Product<'_, R, L> {
        type Output = [[R; L]; GROUP];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [[R; L]; GROUP] {
            let mut sums = [[R::of(7.0); L]; GROUP];
            dense(simd, self.0, self.1, &mut sums);
            sums
        }
    }

    fn same_of_every_width<R: Real + std::fmt::Debug, const L: usize>() {
        for features in [0, 1, 2, 17, 100] {
            let (panel, z) = (numbers::<R, L>(features, 1), numbers::<R, GROUP>(features, 2));
            let mut wanted = [[R::default(); L]; GROUP];
            for (x, z) in panel.iter().zip(&z) {
                for (sums, &z) in wanted.iter_mut().zip(z) {
                    sums.iter_mut().zip(x).for_each(|(sum, x)| *sum = x.times(z, *sum));
                }
            }
            let product = || Product(&panel, &z);
            assert_eq!(Arch::new().dispatch(product()), wanted);
            assert_eq!(product().with_simd(Scalar::new()), wanted);
            assert_eq!(product().with_simd(Scalar128b), wanted);
            assert_eq!(product().with_simd(Scalar256b), wanted);
            assert_eq!(product().with_simd(Scalar512b), wanted);
        }
    }

    #[test]
    fn products_are_the_same_to_the_last_bit_whatever_a_register_holds() {
        same_of_every_width::<f32, 32>();
        same_of_every_width::<f64, 16>();
    }
}

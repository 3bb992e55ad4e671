//! Products of a panel of rows with other rows.
//!
//! A panel holds L rows, feature by feature: panel[k·L + l] is x_l[k], so that L products go on side by side.

use super::Real;
use super::stored::Stored;

/// Rows of Z that are multiplied with a panel at once: with L four vectors wide, all sums stay in registers.
pub const GROUP: usize = 3;

/// Rows z, as the products read them.
pub enum Others<R> {
    /// In groups of `GROUP`, feature by feature: values[g·d + k][r] is z[k] for z number g·GROUP + r.
    Dense(Vec<[R; GROUP]>),
    /// What is stored.
    Sparse(Stored<R>),
}

/// Σ_k x_l[k] z_r[k] for the L rows of the panel and M rows z, feature after feature.
#[inline(always)]
pub fn dense<R: Real, const L: usize, const M: usize>(panel: &[[R; L]], z: &[[R; GROUP]]) -> [[R; L]; M] {
    let mut sums = [[R::default(); L]; M];
    for (x, z) in panel.iter().zip(z) {
        for r in 0..M {
            for l in 0..L {
                sums[r][l] = x[l].times(z[r], sums[r][l]);
            }
        }
    }
    sums
}

//! Products of a panel of rows with other rows.
//!
//! A panel holds L rows, feature by feature: panel[k·L + l] is x_l[k], so that L products go on side by side.

use super::Real;

/// Rows of Z that are multiplied with a panel at once: with L four vectors wide, all sums stay in registers.
pub const GROUP: usize = 3;

/// Rows z, as the products read them.
pub enum Others<R> {
    /// In groups of `GROUP`, feature by feature: values[g·d + k][r] is z[k] for z number g·GROUP + r.
    Dense(Vec<[R; GROUP]>),
    /// What is stored: row j from `ends[j]` to before `ends[j + 1]`.
    Sparse {
        /// Where rows end, after a 0.
        ends: Vec<usize>,
        /// Features.
        places: Vec<u32>,
        /// Values.
        values: Vec<R>,
    },
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

/// The same for one z of which only some features are stored.
#[inline(always)]
pub fn sparse<R: Real, const L: usize>(panel: &[[R; L]], places: &[u32], values: &[R]) -> [R; L] {
    let mut sums = [R::default(); L];
    for (&k, &z) in places.iter().zip(values) {
        let x = &panel[k as usize];
        for l in 0..L {
            sums[l] = x[l].times(z, sums[l]);
        }
    }
    sums
}

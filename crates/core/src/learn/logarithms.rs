//! Tables of logarithms: from what was counted to what a word weighs.
//!
//! ```text
//! W_jc = log(v_j + a_c + s_cj) − l_c        or of v_j + a_c − s_cj
//! ```
//!
//! The table is turned over on the way, feature by feature, as scores read it. Floor: 16 bytes a place over the
//! bandwidth, new pages for W, and about 5 cycles a logarithm and core.

use pulp::{Arch, Simd, WithSimd};

use crate::parallel::fill;

/// The logarithms of a table s (C, d).
pub struct Logarithms<'a> {
    /// (C, d) what was counted.
    pub s: &'a [f64],
    /// Whether s is taken away instead of added.
    pub less: bool,
    /// (d,) v, or None for zeros.
    pub v: Option<&'a [f64]>,
    /// (C,) a.
    pub a: &'a [f64],
    /// (C,) l.
    pub l: &'a [f64],
}

/// Columns that are turned over at once: C of them stay in the first cache.
const COLUMNS: usize = 64;

impl Logarithms<'_> {
    /// Fills `table` (d, C); false if a number is not positive and normal, and then the table means nothing.
    pub fn fill(&self, table: &mut [f64]) -> bool {
        let classes = self.a.len();
        let columns = table.len().checked_div(classes).unwrap_or(0);
        assert_eq!((self.s.len(), self.l.len()), (classes * columns, classes), "s is (C, d), l (C,)");
        assert!(self.v.is_none_or(|v| v.len() == columns), "v is (d,)");
        let block = |k: usize, table: &mut [f64]| {
            Arch::new().dispatch(Block { all: self, start: k * COLUMNS, columns, table })
        };
        !fill(table, COLUMNS * classes, &block).contains(&false)
    }
}

struct Block<'a, 's> {
    all: &'a Logarithms<'s>,
    start: usize,
    columns: usize,
    table: &'a mut [f64],
}

impl WithSimd for Block<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let Block { all, start, columns, table } = self;
        let classes = all.a.len();
        let here = start..start + table.len() / classes;
        let (mut logs, mut inside) = ([0.0; COLUMNS], true);
        let logs = &mut logs[..here.len()];
        for c in 0..classes {
            let s = &all.s[c * columns..][here.clone()];
            let sign = if all.less { -1.0 } else { 1.0 };
            match all.v {
                None => logs.iter_mut().zip(s).for_each(|(x, s)| *x = all.a[c] + sign * s),
                Some(v) => {
                    let both = logs.iter_mut().zip(s).zip(&v[here.clone()]);
                    both.for_each(|((x, s), v)| *x = (v + sign * s) + all.a[c]);
                }
            }
            inside &= logs.iter().fold(true, |all, x| all & (*x >= f64::MIN_POSITIVE) & (*x <= f64::MAX));
            logs.iter_mut().for_each(|x| *x = ln(*x) - all.l[c]);
            table[c..].iter_mut().step_by(classes).zip(&*logs).for_each(|(w, x)| *w = *x);
        }
        inside
    }
}

const HALF_ROOT: u64 = 0x3FE6_A09E_667F_3BCD; // the bits of √½
const ONE: u64 = 0x3FF0_0000_0000_0000;
const MANTISSA: u64 = (1 << 52) - 1;
const MAGIC: u64 = 0x4330_0000_0000_0000; // the bits of 2^52: with k in the last ones, those of 2^52 + k
const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10); // its first 32 bits, and the rest

/// The logarithm of a positive normal number, within one unit in the last place, without branches.
///
/// x = 2^k (1 + f) with √½ ≤ 1 + f < √2, and log(1 + f) = 2 artanh(s) for s = f / (2 + f), whose series in s² is cut
/// after the seventh term with the error spread evenly (Tang, ACM Transactions on Mathematical Software 16, 1990, and
/// the coefficients of FDLIBM's `e_log`).
#[inline(always)]
fn ln(x: f64) -> f64 {
    let bits = x.to_bits().wrapping_add(ONE - HALF_ROOT);
    let k = f64::from_bits(MAGIC | (bits >> 52)) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((bits & MANTISSA) + HALF_ROOT) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (0.399_999_999_994_094_2 + w * (0.222_221_984_321_497_84 + w * 0.153_138_376_992_093_73));
    let odd = z
        * (0.666_666_666_666_673_5
            + w * (0.285_714_287_436_623_9 + w * (0.181_835_721_616_180_5 + w * 0.147_981_986_051_165_86)));
    let half = 0.5 * f * f;
    k * LN_2.0 - ((half - (s * (half + (even + odd)) + k * LN_2.1)) - f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_logarithm_is_within_two_units_of_the_library_s(x in f64::MIN_POSITIVE..f64::MAX, near in 0.5..2.0_f64) {
            for x in [x, near, x.sqrt().sqrt()] {
                let (ours, theirs) = (ln(x), x.ln());
                prop_assert!((ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs.abs(), "log({x}) = {theirs}, not {ours}");
            }
        }

        #[test]
        fn the_table_is_that_of_the_definition(
            s in proptest::collection::vec(0.0..9.0_f64, 3 * 150),
            v in proptest::collection::vec(9.0..20.0_f64, 150),
            less in any::<bool>(),
            with in any::<bool>(),
        ) {
            let (a, l) = ([10.0, 11.0, 12.0], [0.5, 1.0, 1.5]);
            let mut table = vec![0.0; 450];
            let all = Logarithms { s: &s, less, v: with.then_some(&v), a: &a, l: &l };
            prop_assert!(all.fill(&mut table));
            for j in 0..150 {
                for c in 0..3 {
                    let s = if less { -s[c * 150 + j] } else { s[c * 150 + j] };
                    let expected = (if with { v[j] } else { 0.0 } + a[c] + s).ln() - l[c];
                    prop_assert!((table[j * 3 + c] - expected).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn what_has_no_logarithm_is_told() {
        let fine = |s: &[f64]| {
            Logarithms { s, less: false, v: None, a: &[0.0], l: &[0.0] }.fill(&mut vec![0.0; s.len()])
        };
        assert!(fine(&[]) && fine(&[1.0, 2.0, f64::MAX]));
        assert!(
            !fine(&[1.0, 0.0])
                && !fine(&[-1.0])
                && !fine(&[f64::NAN])
                && !fine(&[f64::INFINITY])
                && !fine(&[1e-310])
        );
        let nothing: [f64; 0] = [];
        assert!(Logarithms { s: &nothing, less: false, v: None, a: &nothing, l: &nothing }.fill(&mut []));
    }
}

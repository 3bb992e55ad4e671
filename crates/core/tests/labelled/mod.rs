//! Labelled matrices for laws of learning.

use deciban_core::learn::labels::Labels;
use deciban_core::learn::support::{Domain, Support};
use deciban_core::rows::{Rows, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

/// A dense matrix with labels and weights.
#[derive(Clone, Debug)]
pub struct Data {
    pub values: Vec<f64>,
    pub columns: usize,
    pub y: Vec<i64>,
    pub weight: Option<Vec<f64>>,
}

/// Classes of all data here; some have no rows.
pub const C: usize = 4;
/// No data has so many columns.
pub const COLUMNS: usize = 70;
pub const ANY: Domain = Domain { support: Support::Finite, missing: true };

/// The same matrix as (values, indices, indptr); NaN is stored, zeros are not.
pub struct Csr<V>(pub Vec<V>, pub Vec<i64>, pub Vec<i64>);

impl Data {
    pub fn count(&self) -> usize {
        self.y.len()
    }

    pub fn labels(&self) -> Labels<'_> {
        Labels::new(&self.y, self.weight.as_deref(), C, self.count()).unwrap()
    }

    pub fn dense(&self) -> Rows<'_, f64, i32> {
        Rows::dense(&self.values, self.count(), self.columns).unwrap()
    }

    pub fn csr<V: Value>(&self, cast: impl Fn(f64) -> V) -> Csr<V> {
        let mut csr = Csr(vec![], vec![], vec![0]);
        for row in self.values.chunks(self.columns) {
            for (j, &x) in (0..).zip(row).filter(|(_, x)| **x != 0.0) {
                csr.0.push(cast(x));
                csr.1.push(j);
            }
            csr.2.push(csr.0.len() as i64);
        }
        csr
    }

    /// (class, column, x, w) of every entry.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64, f64)> {
        let weight = |i: usize| self.weight.as_ref().map_or(1.0, |weight| weight[i]);
        let place = move |at: usize| (at / self.columns, at % self.columns);
        let entry = move |(at, &x)| (self.y[place(at).0] as usize, place(at).1, x, weight(place(at).0));
        self.values.iter().enumerate().map(entry)
    }
}

impl<V: Value> Csr<V> {
    pub fn rows(&self, columns: usize) -> Rows<'_, V, i64> {
        Rows::sparse(&self.0, &self.1, &self.2, columns).unwrap()
    }
}

/// Small whole numbers, many zeros, some missing; whole weights, so that every sum is exact.
pub fn data(missing: bool) -> impl Strategy<Value = Data> {
    let value = prop_oneof![3 => Just(0.0), 4 => (0..5).prop_map(f64::from),
                            1 => Just(if missing { f64::NAN } else { 2.0 })];
    (0..30_usize, prop_oneof![7 => 1..7_usize, 1 => 30..COLUMNS], any::<bool>()).prop_flat_map(
        move |(count, columns, weighted)| {
            let weights = vec((0..4).prop_map(f64::from), count);
            (vec(value.clone(), count * columns), vec(0..C as i64 - 1, count), weights).prop_map(
                move |(values, y, weight)| Data { values, columns, y, weight: weighted.then_some(weight) },
            )
        },
    )
}

/// Many rows of fractions, enough for tables to be cut into stretches; the same every time.
pub fn much(count: usize, columns: usize) -> Data {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let values = (0..count * columns).map(|_| if next() < 0.3 { 0.0 } else { next() - 0.5 }).collect();
    let y = (0..count).map(|_| (next() * next() * 4.0) as i64).collect();
    Data { values, columns, y, weight: Some((0..count).map(|_| next()).collect()) }
}

pub fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

pub fn threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}

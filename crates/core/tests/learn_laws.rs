//! Laws of learning by counting, against slow and obvious oracles.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small numbers, made here"
)]

mod labelled;

use deciban_core::learn::categories::{Offsets, class_categories};
use deciban_core::learn::densities::Parameters;
use deciban_core::learn::gaussian::gaussian_scores;
use deciban_core::learn::information::information;
use deciban_core::learn::largest::largest;
use deciban_core::learn::moments::class_moments;
use deciban_core::learn::student::student_scores;
use deciban_core::learn::sums::class_sums;
use deciban_core::learn::support::{Domain, Outside, Support};
use proptest::collection::vec;
use proptest::prelude::*;

use labelled::{ANY, C, COLUMNS, Data, bits, data, much, threads};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 64 } else { 256 }))]

    #[test]
    fn sums_are_sums(data in data(true), above in prop_oneof![Just(None), (0..3).prop_map(|k| Some(f64::from(k)))]) {
        let (mut s, mut missing) = (vec![0.0; C * data.columns], vec![0.0; C * data.columns]);
        for (c, j, x, w) in data.entries() {
            let at = c * data.columns + j;
            match x.is_nan() {
                true => missing[at] += w,
                false => s[at] += above.map_or(w * x, |above| if x > above { w } else { 0.0 }),
            }
        }
        let labels = data.labels();
        let (double, single) = (data.csr(|x| x), data.csr(|x| x as f32));
        for sums in [
            class_sums(&data.dense(), &labels, ANY, above).unwrap(),
            class_sums(&double.rows(data.columns), &labels, ANY, above).unwrap(),
            class_sums(&single.rows(data.columns), &labels, ANY, above).unwrap(),
        ] {
            prop_assert_eq!(&sums.s, &s);
            prop_assert_eq!(sums.missing.is_some(), data.values.iter().any(|x| x.is_nan()));
            prop_assert_eq!(sums.missing.unwrap_or(vec![0.0; missing.len()]), missing.clone());
        }
    }

    /// Fixed point: x is a multiple of 2^-10 near 10^9 and w one of 2^-8, so that w x² is a whole number of 2^-28.
    #[test]
    fn moments_keep_what_doubles_lose(
        rows in vec((vec(-4000..4000_i64, 5), 0..C as i64 - 1, 1..1000_i64), 1..150),
        columns in 1..6_usize, centre in prop_oneof![Just(0), Just(1_i64 << 40)], weighted in any::<bool>(),
    ) {
        let whole = |x: &i64| centre + x;
        let values = rows.iter().flat_map(|row| row.0[..columns].iter().map(|x| whole(x) as f64 / 1024.0)).collect();
        let weights: Vec<i64> = rows.iter().map(|row| if weighted { row.2 } else { 256 }).collect();
        let weight = weighted.then(|| weights.iter().map(|&w| w as f64 / 256.0).collect());
        let data = Data { values, columns, y: rows.iter().map(|row| row.1).collect(), weight };
        let size = C * columns;
        let (mut s, mut q) = (vec![0_i128; size], vec![0_i128; size]);
        for ((x, c, _), &w) in rows.iter().zip(&weights) {
            for (j, x) in x[..columns].iter().map(|x| i128::from(whole(x))).enumerate() {
                s[*c as usize * columns + j] += x * i128::from(w);
                q[*c as usize * columns + j] += x * x * i128::from(w);
            }
        }
        let sparse = data.csr(|x| x);
        for moments in [
            class_moments(&data.dense(), &data.labels()).unwrap(),
            class_moments(&sparse.rows(columns), &data.labels()).unwrap(),
        ] {
            for (found, exact, unit) in [(&moments.s, &s, 2_f64.powi(18)), (&moments.q, &q, 2_f64.powi(28))] {
                for (at, &exact) in exact.iter().enumerate() {
                    let (hi, lo) = (found[at], found[size + at]);
                    prop_assert_eq!(hi, hi + lo);
                    let rest: f64 = found[2 * size..].iter().skip(at).step_by(size).sum();
                    prop_assert_eq!((hi * unit) as i128 + (lo * unit) as i128 + (rest * unit) as i128, exact);
                }
            }
        }
    }

    #[test]
    fn categories_are_histograms(data in data(true), room in vec(0..3_i64, COLUMNS)) {
        let rows = data.dense();
        let top = largest(&rows, true).unwrap();
        for (j, top) in top.iter().enumerate() {
            let column = data.entries().filter(|entry| entry.1 == j && !entry.2.is_nan());
            prop_assert_eq!(*top, column.map(|entry| entry.2).fold(f64::NEG_INFINITY, f64::max));
        }
        let mut starts = vec![0];
        for (top, room) in top.iter().zip(room) {
            starts.push(starts[starts.len() - 1] + top.max(0.0) as i64 + 1 + room);
        }
        let offsets = Offsets::new(&starts, data.columns).unwrap();
        let (mut s, mut missing) = (vec![0.0; C * offsets.total()], vec![0.0; C * data.columns]);
        for (c, j, x, w) in data.entries() {
            match x.is_nan() {
                true => missing[c * data.columns + j] += w,
                false => s[c * offsets.total() + starts[j] as usize + x as usize] += w,
            }
        }
        let sparse = data.csr(|x| x as f32);
        let sparse = sparse.rows(data.columns);
        prop_assert_eq!(largest(&sparse, true).unwrap(), top);
        for found in [
            class_categories(&rows, &data.labels(), &offsets).unwrap(),
            class_categories(&sparse, &data.labels(), &offsets).unwrap(),
        ] {
            prop_assert_eq!(&found.s, &s);
            prop_assert_eq!(found.missing.unwrap_or(vec![0.0; missing.len()]), missing.clone());
        }
    }

    #[test]
    fn information_is_that_of_the_contingency_table(data in data(false), fraction in any::<bool>()) {
        let total: f64 = data.entries().filter(|entry| entry.1 == 0).map(|entry| entry.3).sum();
        let found = information(&data.dense(), &data.labels()).unwrap();
        for (j, &found) in found.iter().enumerate() {
            let weigh = |value: Option<f64>, class: Option<usize>| -> f64 {
                let of = |&(c, column, x, _): &(usize, usize, f64, f64)| {
                    column == j && value.is_none_or(|value| value == x) && class.is_none_or(|class| class == c)
                };
                data.entries().filter(of).map(|entry| entry.3).sum()
            };
            let pairs = (0..5).flat_map(|value| (0..C).map(move |c| (f64::from(value), c)));
            let terms = pairs.map(|(value, c)| {
                let pair = weigh(Some(value), Some(c));
                let expected = weigh(Some(value), None) * weigh(None, Some(c));
                if pair > 0.0 { pair / total * (pair * total / expected).ln() } else { 0.0 }
            });
            let wanted: f64 = terms.sum();
            prop_assert!((found - wanted).abs() < 1e-13 && found >= 0.0, "{} {}", found, wanted);
        }
        // What the values are called does not matter, nor whether zeros are stored: not for the last bit.
        let called = if fraction { 0.3 } else { 7000.0 };
        let other = data.csr(|x| x * called);
        let other = information(&other.rows(data.columns), &data.labels()).unwrap();
        prop_assert_eq!(bits(&other), bits(&found));
    }

    #[test]
    fn scores_are_sums_of_log_densities(
        data in data(true), far in any::<bool>(), common in any::<bool>(),
        tables in vec((-9.0..9.0, prop_oneof![Just(0.0), 0.01..3.0], 0.5..90.0, -3.0..3.0), C * COLUMNS),
    ) {
        let columns = data.columns;
        let table = |f: fn(&(f64, f64, f64, f64)) -> f64| tables[..C * columns].iter().map(f).collect::<Vec<_>>();
        let (mut location, scale, mut freedom, constant) =
            (table(|t| t.0), table(|t| t.1), table(|t| t.2), table(|t| t.3));
        if common {
            (0..C * columns).for_each(|at| freedom[at] = freedom[at / columns * columns]);
        }
        if far {
            location[0] = 1e7;
        }
        let parameters = || Parameters { location: &location, scale: &scale, constant: &constant, classes: C, columns };
        let sparse = data.csr(|x| x);
        let (dense, sparse) = (data.dense(), sparse.rows(columns));
        for (student, found) in [
            (false, gaussian_scores(&dense, parameters())), (false, gaussian_scores(&sparse, parameters())),
            (true, student_scores(&dense, parameters(), &freedom)),
            (true, student_scores(&sparse, parameters(), &freedom)),
        ] {
            for (at, found) in found.iter().enumerate() {
                let (row, c) = (&data.values[at / C * columns..][..columns], at % C);
                let term = |(j, x): (usize, &f64)| {
                    let at = c * columns + j;
                    let (z, nu) = ((x - location[at]) * scale[at], freedom[at]);
                    let of_z = if student { (nu + 1.0) * (z * z / nu).ln_1p() } else { z * z };
                    if x.is_nan() { 0.0 } else { constant[at] - 0.5 * of_z }
                };
                let wanted: f64 = row.iter().enumerate().map(term).sum();
                prop_assert!((found - wanted).abs() <= 1e-11 * wanted.abs().max(1.0), "{} {}", found, wanted);
            }
        }
    }

    #[test]
    fn the_first_entry_outside_is_named(
        mut data in data(true), bad in vec((0..1000_usize, -3.0..-0.1), 1..4), cores in 1..4_usize,
    ) {
        prop_assume!(!data.values.is_empty());
        let count = data.values.len();
        bad.iter().for_each(|&(at, x)| data.values[at % count] = x);
        let at = bad.iter().map(|bad| bad.0 % count).min().unwrap();
        let first = Outside { row: at / data.columns, column: at % data.columns, value: data.values[at] };
        let starts: Vec<i64> = (0..=data.columns as i64).map(|j| j * 9).collect();
        let offsets = Offsets::new(&starts, data.columns).unwrap();
        let (labels, sparse) = (data.labels(), data.csr(|x| x));
        let (dense, sparse) = (data.dense(), sparse.rows(data.columns));
        let whole = Domain { support: Support::Whole, missing: true };
        threads(cores, || {
            prop_assert_eq!(class_sums(&dense, &labels, whole, None).err(), Some(first));
            prop_assert_eq!(class_sums(&sparse, &labels, whole, None).err(), Some(first));
            prop_assert_eq!(class_categories(&dense, &labels, &offsets).err(), Some(first));
            prop_assert_eq!(class_categories(&sparse, &labels, &offsets).err(), Some(first));
            prop_assert_eq!(largest(&sparse, true).err(), Some(first));
            Ok(())
        })?;
        data.values[at] = f64::NEG_INFINITY;
        let first = Outside { value: f64::NEG_INFINITY, ..first };
        prop_assert_eq!(class_moments(&data.dense(), &data.labels()).err(), Some(first));
        prop_assert_eq!(class_moments(&data.csr(|x| x).rows(data.columns), &data.labels()).err(), Some(first));
        let missing = data.values.iter().position(|x| x.is_nan()).unwrap_or(count);
        let found = information(&data.dense(), &data.labels()).err().unwrap();
        prop_assert_eq!(found.row * data.columns + found.column, at.min(missing));
    }
}

/// Fractions with weights, in tables that are cut into several stretches: any number of threads gives the same bits.
#[test]
fn threads_change_no_bit() {
    let data = much(60_000, 5);
    let sparse = data.csr(|x| x);
    let location: Vec<f64> = data.values[..C * 5].to_vec();
    let (scale, freedom) = (vec![0.7; C * 5], vec![3.0; C * 5]);
    let all = |cores: usize| {
        threads(cores, || {
            let (dense, sparse, labels) = (data.dense(), sparse.rows(5), data.labels());
            let parameters = || Parameters {
                location: &location,
                scale: &scale,
                constant: &location,
                classes: C,
                columns: 5,
            };
            let [one, other] =
                [class_moments(&dense, &labels), class_moments(&sparse, &labels)].map(Result::unwrap);
            [
                class_sums(&dense, &labels, ANY, None).unwrap().s,
                class_sums(&sparse, &labels, ANY, Some(0.1)).unwrap().s,
                one.s,
                one.q,
                other.s,
                other.q,
                information(&sparse, &labels).unwrap(),
                gaussian_scores(&dense, parameters()),
                student_scores(&sparse, parameters(), &freedom),
            ]
            .map(|numbers| bits(&numbers))
        })
    };
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(3));
}

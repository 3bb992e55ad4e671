//! Scores, rows and reasons of any items against any dictionary agree with each other.
#![no_main]

use deciban_core::score::Dictionary;
use deciban_core::text::reader::Kind;
use deciban_core::view::View;
use deciban_fuzz::Cut;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

const CLASSES: usize = 3;

fuzz_target!(|data: &[u8]| {
    let mut cut = Cut(data);
    let kind = if cut.byte() & 1 == 0 { Kind::Text } else { Kind::Mail };
    let (reader, rules) = (cut.reader(kind), cut.rules());
    let keep = 1 + usize::from(cut.byte() % 4);
    let items = cut.items(6);

    // Every keep-th feature of the items, and one that no word has.
    let (mut view, mut tokens, mut hashes) = (View::default(), Vec::new(), vec![2]);
    for item in &items {
        reader.tokens(item, &mut view, &mut tokens);
        hashes.extend(tokens.iter().step_by(keep).map(|token| rules.feature(token.hash)));
    }
    hashes.sort_unstable();
    hashes.dedup();
    let dictionary = Dictionary::new(reader, rules, hashes.iter().copied());
    assert_eq!(dictionary.len(), hashes.len());
    // Whole numbers: sums are exact in any order.
    let weights: Vec<f64> = (0..hashes.len() * CLASSES).map(|i| (i % 17) as f64 - 8.0).collect();
    let bias = [1.0, -2.0, 3.0];

    let scores = dictionary.scores(&items, &weights, &bias);
    let rows = dictionary.rows(&items);
    let (mut all_features, mut all_values) = (vec![0; rows.len()], vec![0.0; rows.len()]);
    let ends = rows.write(&mut all_features, &mut all_values);
    assert_eq!((scores.len(), ends.len()), (items.len() * CLASSES, items.len()));
    assert_eq!(ends.last().copied().unwrap_or(0) as usize, all_features.len());
    let mut start = 0;
    for (i, item) in items.iter().enumerate() {
        let row = start..ends[i] as usize;
        start = row.end;
        let (features, values) = (&all_features[row.clone()], &all_values[row]);
        assert!(features.windows(2).all(|pair| pair[0] < pair[1]), "features ascend");
        for (c, bias) in bias.iter().enumerate() {
            let terms = features.iter().zip(values).map(|(&j, x)| x * weights[j as usize * CLASSES + c]);
            assert_eq!(scores[i * CLASSES + c], bias + terms.sum::<f64>(), "score = bias + row · weights");
        }
        agree(&dictionary, item, features, values, rules.binary);
    }
});

/// The reasons of an item are its row, and stand in its text.
fn agree(dictionary: &Dictionary, item: &[u8], features: &[i32], values: &[f64], binary: bool) {
    let (text, reasons) = dictionary.reasons(item);
    let characters = text.chars().count();
    let mut counts: BTreeMap<i32, f64> = BTreeMap::new();
    for reason in &reasons {
        *counts.entry(reason.feature as i32).or_default() += f64::from(reason.count);
        assert!(!reason.places.is_empty() && reason.places.len() <= reason.count as usize);
        assert!(reason.places.iter().all(|&(start, end)| start < end && end <= characters));
    }
    if binary {
        counts.values_mut().for_each(|count| *count = 1.0);
    }
    let row: BTreeMap<i32, f64> = features.iter().copied().zip(values.iter().copied()).collect();
    assert_eq!(counts, row);
}

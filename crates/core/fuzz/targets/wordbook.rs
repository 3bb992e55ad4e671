//! Any parts: they make a sound wordbook or are refused, and what sound books learn they can forget.
#![no_main]

use deciban_core::text::names::Names;
use deciban_core::text::wordbook::Wordbook;
use deciban_fuzz::Cut;
use libfuzzer_sys::fuzz_target;

/// Names, or none where the parts do not fit.
fn names(cut: &mut Cut<'_>) -> Option<Names> {
    let text = String::from_utf8_lossy(cut.take(24)).into_owned();
    let ends: Vec<usize> = (0..cut.byte() % 8).map(|_| usize::from(cut.byte())).collect();
    let names = Names::from_parts(text.clone(), ends.clone())?;
    assert_eq!(names.parts(), (text.as_str(), ends.as_slice()));
    assert_eq!((0..=names.len()).map(|i| names.get(i)).collect::<String>(), text);
    Some(names)
}

/// A book of arbitrary numbers, of which few fit.
fn raw(cut: &mut Cut<'_>) -> Wordbook {
    let words = usize::from(cut.byte() % 8);
    let classes = usize::from(cut.byte() % 4);
    let float = |cut: &mut Cut<'_>| f64::from_bits(cut.number(8));
    Wordbook {
        classes,
        hashes: (0..words).map(|_| cut.number(8)).collect(),
        counts: (0..words * classes + usize::from(cut.byte() & 1)).map(|_| float(cut)).collect(),
        items: (0..classes).map(|_| float(cut)).collect(),
        names: names(cut).unwrap_or_default(),
    }
}

/// A sound book of `classes` classes: whole counts, none of a word all zero.
fn sound(cut: &mut Cut<'_>, classes: usize, named: bool) -> Wordbook {
    let mut hashes: Vec<u64> = (0..cut.byte() % 12).map(|_| u64::from(cut.byte() % 32)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let mut names = Names::default();
    if named {
        hashes.iter().for_each(|hash| names.push(&format!("word {hash}")));
    }
    let count = |cut: &mut Cut<'_>| f64::from(cut.byte());
    let counts = hashes.iter().flat_map(|_| {
        let mut row: Vec<f64> = (0..classes).map(|_| count(cut)).collect();
        row[0] += 1.0;
        row
    });
    let counts = counts.collect();
    Wordbook { classes, counts, items: (0..classes).map(|_| count(cut)).collect(), names, hashes }
}

fuzz_target!(|data: &[u8]| {
    let mut cut = Cut(data);
    let any = [raw(&mut cut), raw(&mut cut)].map(Wordbook::checked);
    if let [Ok(a), Ok(b)] = &any {
        if let Ok(sum) = a.plus(b) {
            assert!(sum.hashes.windows(2).all(|pair| pair[0] < pair[1]));
        }
        if let Ok(less) = a.minus(b) {
            assert!(less.checked().is_ok());
        }
    }

    let (classes, named) = (1 + usize::from(cut.byte() % 3), cut.byte() & 1 == 0);
    let [a, b] = [(); 2].map(|()| sound(&mut cut, classes, named));
    let sum = a.plus(&b).expect("the same classes");
    assert_eq!(sum.clone().checked().as_ref(), Ok(&sum));
    assert_eq!(b.plus(&a).as_ref(), Ok(&sum), "in any order");
    assert_eq!(sum.minus(&b), Ok(a.clone()), "learnt and forgotten");
    let known: Vec<usize> = (0..sum.hashes.len()).filter(|&i| a.hashes.contains(&sum.hashes[i])).collect();
    let some = sum.take(&known, sum.items.clone()).expect("rows of the book");
    assert_eq!(some.hashes, a.hashes, "words are taken with their counts");

    let k = usize::from(cut.byte());
    let rows = sum.most_frequent(k);
    assert_eq!(rows.len(), k.min(sum.hashes.len()));
    assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
    let total = |i: usize| sum.row(i).iter().sum::<f64>();
    let least = rows.iter().map(|&i| total(i)).fold(f64::INFINITY, f64::min);
    let others = (0..sum.hashes.len()).filter(|i| !rows.contains(i));
    assert!(others.map(total).all(|n| n <= least), "the most frequent");
});

use super::*;
use crate::mail::Limits;
use crate::text::hash::Key;
use crate::text::reader::Kind;
use crate::text::token::{Tokenizer, Unit};
use crate::view::View;
use std::collections::BTreeMap;

fn reader(kind: Kind, shortest: usize, longest: usize) -> Reader {
    let tokenizer = Tokenizer::of_words(Key::new(3), shortest, longest);
    Reader { kind, tokenizer, limits: Limits::default() }
}

/// By name and hash, how often each token is in each item.
fn slowly(reader: &Reader, items: &[&[u8]]) -> BTreeMap<(String, u64), Vec<u32>> {
    let mut found: BTreeMap<(String, u64), Vec<u32>> = BTreeMap::new();
    let (mut view, mut tokens) = (View::default(), Vec::new());
    for (i, item) in items.iter().enumerate() {
        let text = reader.tokens(item, &mut view, &mut tokens);
        for &token in &tokens {
            let key = (reader.tokenizer.name(text, token), token.hash);
            found.entry(key).or_insert_with(|| vec![0; items.len()])[i] += 1;
        }
    }
    found
}

fn check(reader: &Reader, items: &[&[u8]]) {
    let slow = slowly(reader, items);
    let mut grams = Grams::new(reader, items, true).unwrap();
    let sum = |counts: &Vec<u32>| counts.iter().sum::<u32>();
    let texts = |counts: &Vec<u32>| narrow(counts.iter().filter(|&&count| count > 0).count());
    let told: BTreeMap<u64, (u32, u32)> =
        slow.iter().map(|((_, hash), counts)| (*hash, (sum(counts), texts(counts)))).collect();
    let counted = grams.counts().into_iter().zip(grams.texts());
    assert_eq!(told, grams.hashes().into_iter().zip(counted).collect());
    let hashes = grams.hashes();
    assert_eq!(told.len(), hashes.len());

    // Every n-gram, then every other one.
    let every_other: Vec<usize> = (0..hashes.len()).step_by(2).collect();
    let mut again = Grams::new(reader, items, true).unwrap();
    for (grams, kept) in [(&mut grams, None), (&mut again, Some(&every_other[..]))] {
        let (wanted, names) = grams.keep(kept);
        let slow: Vec<_> = slow.iter().filter(|((_, hash), _)| wanted.contains(hash)).collect();
        assert_eq!(kept.map_or(hashes.len(), <[usize]>::len), slow.len());
        assert!(
            slow.iter().enumerate().all(|(j, ((name, hash), _))| name == names.get(j) && *hash == wanted[j])
        );
        let rows = grams.rows(false);
        let (mut features, mut values) = (vec![0; rows.len()], vec![0.0; rows.len()]);
        let ends = rows.write(&mut features, &mut values);
        let mut start = 0;
        for (i, &end) in ends.iter().enumerate() {
            let own = start..end.cast_unsigned();
            start = own.end;
            let found: Vec<_> = own.map(|k| (features[k], values[k])).collect();
            let told: Vec<_> = (0..).zip(&slow).map(|(j, (_, counts))| (j, f64::from(counts[i]))).collect();
            assert_eq!(found, told.into_iter().filter(|&(_, count)| count > 0.0).collect::<Vec<_>>());
        }
        assert_eq!(ends.len(), items.len());
    }
}

const MAIL: &str = "Subject: free v\u{200B}iagra 東京都 now now\nFrom: a b <x@y.example>\nMessage-ID: <a b@c.example>\n\n\
                    Dear friend, it's now 무료 now\n";
const TEXTS: [&str; 9] = [
    "the cat and the cat and a dog",
    "",
    "재미있다 재미 없다 재미있다 東京 재미 東京都 กำลัง and the",
    "a ab ab'c a1 a b a ab a the b",
    "v\u{200B}iagra ﷺ a ﷺ صلى الله صلى ي ½ a",
    "the the the the the",
    MAIL,
    "Straße éTé été l'été the cat",
    " ... ",
];

#[test]
fn rows_are_what_the_reader_reads() {
    let items = TEXTS.map(str::as_bytes);
    for kind in [Kind::Text, Kind::Mail] {
        for (shortest, longest) in [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 5)] {
            check(&reader(kind, shortest, longest), &items);
        }
    }
    check(&reader(Kind::Text, 1, 2), &[]);
    check(&reader(Kind::Text, 1, 2), &[b"caf\xe9 noir caf\xe9 noir"]);
}

#[test]
fn stop_words_and_characters() {
    let items = TEXTS.map(str::as_bytes);
    let mut reader = reader(Kind::Text, 1, 2);
    reader.tokenizer = reader.tokenizer.without(&["the".into(), "a".into(), "재미".into()]);
    check(&reader, &items);
    for of_words in [false, true] {
        reader.tokenizer = Tokenizer::of_words(Key::new(3), 2, 4);
        reader.tokenizer.unit = Unit::Characters { of_words, folds: true };
        check(&reader, &items);
    }
}

#[test]
fn many_blocks() {
    let words = ["a", "b", "ab", "the", "of", "and", "x1"];
    let mut state = 1u64;
    let mut next = || {
        state = crate::text::hash::split_mix(state);
        usize::try_from(state >> 40).unwrap()
    };
    for count in [1, 70, 400] {
        let texts: Vec<String> = (0..count)
            .map(|_| (0..next() % 20).map(|_| words[next() % words.len()]).collect::<Vec<_>>().join(" "))
            .collect();
        let items: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        check(&reader(Kind::Text, 1, 3), &items);
    }
}

#[test]
fn too_much_is_refused() {
    assert_eq!(blocks(&vec![&b"a"[..]; 10_000]).unwrap().len(), 63);
    assert!(blocks(&[]).unwrap().is_empty());
}

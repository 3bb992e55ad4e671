use std::collections::BTreeMap;

use super::*;
use crate::mail::Limits;
use crate::text::hash::Key;
use crate::text::reader::Kind;
use crate::text::token::Tokenizer;

fn counter(binary: bool, threads: usize, weighted: bool) -> Counter {
    let tokenizer = Tokenizer::of_words(Key::new(1), 1, 1);
    let reader = Reader { kind: Kind::Text, tokenizer, limits: Limits::default() };
    Counter::new(reader, Rules { binary, hashed_bits: None, most_words: 100 }, 2, threads, weighted)
}

fn items(n: usize) -> (Vec<String>, Vec<usize>) {
    let text = |i: usize| format!("here is w{} w{} and w{0}", i % 7, i % 11);
    ((0..n).map(text).collect(), (0..n).map(|i| i % 2).collect())
}

fn counted(mut counter: Counter, n: usize, each: usize) -> Found {
    let (texts, classes) = items(n);
    for (texts, classes) in texts.chunks(each).zip(classes.chunks(each)) {
        let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        counter.add(&texts, classes);
    }
    counter.finish()
}

#[test]
fn a_word_counts_once_an_item_however_many_items_there_were() {
    for threads in [1, 3] {
        for begun in (0..9).map(|k| u32::MAX - k) {
            let counter = Counter { begun, ..counter(true, threads, false) };
            assert_eq!(counted(counter, 40, 3), counted(self::counter(true, 1, false), 40, 40));
        }
    }
}

#[test]
fn counts_that_32_bits_do_not_hold_are_those_of_doubles() {
    // Tests count to 50 where others count to 2^32.
    for binary in [false, true] {
        let found = counted(counter(binary, 1, true), 400, 400);
        assert!(found.book.counts.iter().any(|&count| count > 150.0));
        for (threads, each) in [(1, 1), (1, 100), (3, 40), (2, 400)] {
            assert_eq!(counted(counter(binary, threads, false), 400, each), found);
        }
    }
}

#[test]
fn counts_of_however_many_classes_are_those_of_a_map() {
    for classes in [2, 3, 4, 5, 16, 17, 37] {
        let texts: Vec<String> = (0..400).map(|i| format!("w{} v{}", i % 7, i * i % 23)).collect();
        let labels: Vec<usize> = (0..400).map(|i| i * i % 41 % classes).collect();
        let mut wanted: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (text, &class) in texts.iter().zip(&labels) {
            for word in text.split(' ') {
                wanted.entry(word).or_insert_with(|| vec![0.0; classes])[class] += 1.0;
            }
        }
        for (threads, weighted, each) in [(1, false, 400), (3, false, 100), (1, true, 400)] {
            let mut counter = counter(false, threads, weighted);
            for (k, (texts, labels)) in texts.chunks(each).zip(labels.chunks(each)).enumerate() {
                counter.grow(if k == 0 { 2 } else { classes }.max(labels.iter().max().unwrap() + 1));
                counter.add(&texts.iter().map(|text| text.as_bytes()).collect::<Vec<_>>(), labels);
            }
            counter.grow(classes);
            let book = counter.finish().book;
            assert_eq!(book.hashes.len(), wanted.len());
            for (i, counts) in book.counts.chunks_exact(classes).enumerate() {
                assert_eq!(counts, wanted[book.names.get(i)], "{classes} {threads} {weighted}");
            }
        }
    }
}

#[test]
fn what_was_left_when_words_were_dropped_goes_on_being_counted() {
    let few = |threads, weighted| {
        let all = counter(false, threads, weighted);
        Counter { rules: Rules { most_words: 12, ..all.rules }, ..all }
    };
    for each in [7, 50, 200] {
        let found = counted(few(1, false), 200, each);
        assert!(found.lost.times > 0 && found.book.hashes.len() <= 12);
        for (threads, weighted) in [(3, false), (1, true)] {
            assert_eq!(counted(few(threads, weighted), 200, each), found);
        }
        let (texts, classes) = items(200);
        let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        let mut counter = few(2, false);
        counter.add(&texts, &classes);
        let distinct = counter.distinct();
        counter.grow(3);
        assert_eq!(counter.distinct(), distinct);
        counter.add(&texts[..1], &[2]);
        let Found { book, lost, .. } = counter.finish();
        assert_eq!((book.classes, book.items[2], book.counts.len()), (3, 1.0, 3 * book.hashes.len()));
        let counted = book.counts.iter().sum::<f64>() + lost.occurrences;
        assert_eq!(counted, 201.0 * 6.0);
    }
}

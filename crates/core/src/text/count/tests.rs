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

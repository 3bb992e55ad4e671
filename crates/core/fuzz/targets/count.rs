//! Counts of any items: sound as a wordbook, bounded, and the same for any number of threads.
#![no_main]

use deciban_core::text::count::{Counter, Found, Rules};
use deciban_core::text::reader::Kind;
use deciban_fuzz::Cut;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut cut = Cut(data);
    let kind = if cut.byte() & 1 == 0 { Kind::Text } else { Kind::Mail };
    let (reader, rules) = (cut.reader(kind), cut.rules());
    let items = cut.items(12);
    let classes: Vec<usize> = (0..items.len()).map(|i| i % 3).collect();
    let counted = |threads: usize, weighted: bool| -> Found {
        let mut counter = Counter::new(reader.clone(), rules, 3, threads, weighted);
        counter.add(&items, &classes);
        counter.finish()
    };
    let found = counted(1, false);
    let (book, lost) = (&found.book, found.lost);
    assert_eq!(found.born.len(), book.hashes.len());
    assert_eq!(lost.words == 0, lost.times == 0);
    assert!(book.hashes.len() <= rules.most_words);
    assert!(book.names.is_empty() == (rules.hashed_bits.is_some() || book.hashes.is_empty()));
    assert_eq!(book.clone().checked().as_ref(), Ok(book));
    assert_eq!(counted(3, false), found, "three threads");
    assert_eq!(counted(1, true), found, "weights of one");

    let words = |threads: usize| {
        let mut counter = Counter::new(reader.clone(), rules, 3, threads, false).keeping_words();
        counter.add(&items, &classes);
        let words = counter.take_words();
        assert_eq!(counter.finish(), found, "words are counted beside the buckets");
        words
    };
    let named = Rules { hashed_bits: None, ..rules };
    let mut counter = Counter::new(reader.clone(), named, 1, 2, false);
    counter.add(&items, &vec![0; items.len()]);
    let mut by_name = counter.finish();
    by_name.book.items = vec![0.0];
    let expected = rules.hashed_bits.map(|_| by_name);
    assert_eq!(words(1), expected, "the words of buckets");
    assert_eq!(words(3), expected, "the words of buckets by three threads");

    if lost.words == 0 {
        let half = items.len() / 2;
        let mut parts = [0..half, half..items.len()].map(|part| {
            let mut counter = Counter::new(reader.clone(), rules, 3, 1, false);
            counter.add(&items[part.clone()], &classes[part]);
            counter.finish().book
        });
        let whole = parts[0].plus(&parts[1]).expect("the same classes");
        assert_eq!(&whole, book, "learnt in two parts");
        let left = whole.minus(&parts[1]).expect("it was learnt");
        assert_eq!(left, std::mem::take(&mut parts[0]), "learnt and forgotten");
    }
});

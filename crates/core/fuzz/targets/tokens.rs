//! Tokens of any bytes: where they stand, how they are called, and that a word hashes like its name.
#![no_main]

use deciban_core::text::parts::PART;
use deciban_core::text::reader::{Kind, Reader};
use deciban_core::text::token::LONGEST;
use deciban_core::view::{Field, View};
use deciban_fuzz::{Cut, reader};
use libfuzzer_sys::fuzz_target;

fn check(reader: &Reader, item: &[u8]) {
    let (mut view, mut tokens) = (View::default(), Vec::new());
    let text = reader.tokens(item, &mut view, &mut tokens);
    let words_only = reader.tokenizer.longest == 1;
    let (mut end, mut word) = (0, 0..0);
    for &token in &tokens {
        assert!(
            text.get(token.place()).is_some_and(|place| !place.is_empty()),
            "{token:?} is not in the text"
        );
        // Parts of a Korean word come behind it.
        let of_word = token.size & PART != 0 && word.start <= token.start && token.end <= word.end;
        assert!(token.end >= end || of_word, "{token:?} ends before the one before it");
        end = end.max(token.end);
        if token.size & PART == 0 {
            word = token.start..token.end;
        }
        let name = reader.tokenizer.name(text, token);
        assert!(name.starts_with(token.field.prefix()), "{name:?} of {:?}", token.field);
        if words_only {
            assert!(token.place().len() <= LONGEST || token.field.is_whole());
            assert_eq!(reader.tokenizer.key.word(Field::Body, &name), token.hash, "{name:?}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    for kind in [Kind::Text, Kind::Mail] {
        check(&reader(kind, 1, 1), data);
        let mut cut = Cut(data);
        check(&cut.reader(kind), cut.0);
    }
});

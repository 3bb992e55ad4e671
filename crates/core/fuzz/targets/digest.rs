//! One message, one digest: whatever filters or mailboxes left in it.
#![no_main]

use deciban_core::intake::digest;
use deciban_core::mail::strip;
use deciban_core::text::reader::{Kind, Reader};
use deciban_core::view::View;
use deciban_fuzz::reader;
use libfuzzer_sys::fuzz_target;

/// What a message says: the names of its tokens, in order.
fn words(reader: &Reader, message: &[u8]) -> Vec<String> {
    let (mut view, mut tokens) = (View::default(), Vec::new());
    let text = reader.tokens(message, &mut view, &mut tokens);
    tokens.iter().map(|&token| reader.tokenizer.name(text, token)).collect()
}

/// A message of the same digest has the same words.
fn check_same(data: &[u8], other: &[u8]) {
    let reader = reader(Kind::Mail, 1, 1);
    if digest(Kind::Mail, data) == digest(Kind::Mail, other) {
        assert_eq!(words(&reader, data), words(&reader, other), "one digest, one text");
    }
}

fuzz_target!(|data: &[u8]| {
    let known = digest(Kind::Mail, data);
    assert_eq!(digest(Kind::Mail, &strip(data)), known, "a stripped message is the same");
    assert_eq!(digest(Kind::Text, data), digest(Kind::Text, &data.to_vec()));
    if data.windows(2).any(|pair| pair == b"\n\n") {
        assert_eq!(digest(Kind::Mail, &[data, b"\n"].concat()), known, "line ends at the end do not count");
    }
    check_same(data, &strip(data));
    for end in [&b"\n"[..], b" \t", b"\r\n\r\n", &[b' '; 1200]] {
        check_same(data, &[data, end].concat());
    }
    let marked = digest(Kind::Mail, &[b"A: b\nStatus: RO\nC: d\n", data].concat());
    assert_eq!(
        marked,
        digest(Kind::Mail, &[b"A: b\nC: d\n", data].concat()),
        "a mailbox's mark does not count"
    );
});

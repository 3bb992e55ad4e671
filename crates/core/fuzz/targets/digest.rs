//! One message, one digest: whatever filters or mailboxes left in it.
#![no_main]

use deciban_core::intake::digest;
use deciban_core::mail::strip;
use deciban_core::text::reader::Kind;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let known = digest(Kind::Mail, data);
    assert_eq!(digest(Kind::Mail, &strip(data)), known, "a stripped message is the same");
    assert_eq!(digest(Kind::Text, data), digest(Kind::Text, &data.to_vec()));
    if data.windows(2).any(|pair| pair == b"\n\n") {
        assert_eq!(digest(Kind::Mail, &[data, b"\n"].concat()), known, "line ends at the end do not count");
    }
    let marked = digest(Kind::Mail, &[b"A: b\nStatus: RO\nC: d\n", data].concat());
    assert_eq!(
        marked,
        digest(Kind::Mail, &[b"A: b\nC: d\n", data].concat()),
        "a mailbox's mark does not count"
    );
});

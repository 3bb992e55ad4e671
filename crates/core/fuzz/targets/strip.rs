//! Stripping only takes away, keeps the body, and twice is once.
#![no_main]

use deciban_core::mail::strip;
use libfuzzer_sys::fuzz_target;

/// Whether `part` is `whole` with bytes left out.
fn is_left_of(part: &[u8], whole: &[u8]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|b| rest.any(|w| w == b))
}

fuzz_target!(|data: &[u8]| {
    let once = strip(data);
    assert_eq!(&*strip(&once), &*once, "stripping twice is stripping once");
    assert!(is_left_of(&once, data), "nothing is added or moved");
    if let Some(body) = data.windows(2).position(|pair| pair == b"\n\n") {
        assert!(once.ends_with(&data[body + 2..]), "the body stays as it is");
    }
});

//! The final form of any word is final: folding it again changes nothing and finds no disguise.
#![no_main]

use deciban_core::text::character::fold;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let word = String::from_utf8_lossy(data);
    let (mut once, mut twice) = (String::new(), String::new());
    fold(&word, &mut once);
    let disguised = fold(&once, &mut twice);
    assert_eq!(once, twice, "of {word:?}");
    assert!(!disguised, "{once:?} of {word:?}");
});

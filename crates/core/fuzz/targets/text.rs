//! The text of bytes in an unknown charset: UTF-8 is never turned into something else but where it holds escapes.
#![no_main]

use deciban_core::mail::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let seen = text(data);
    if let Ok(utf8) = std::str::from_utf8(data)
        && !data.iter().any(|b| matches!(b, 0x00 | 0x0E | 0x0F | 0x1B | b'~' | b'+'))
    {
        assert_eq!(
            seen.strip_prefix('\u{FEFF}').unwrap_or(&seen),
            utf8.strip_prefix('\u{FEFF}').unwrap_or(utf8)
        );
    }
    assert!(seen.len() <= 3 * data.len(), "no more than three bytes a byte");
});

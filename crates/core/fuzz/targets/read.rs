//! Any bytes are a message; any limits are kept.
#![no_main]

use deciban_core::mail::{Limits, arrival, read};
use deciban_core::view::View;
use deciban_fuzz::{Cut, check_view};
use libfuzzer_sys::fuzz_target;

fn sound(view: &View) {
    check_view(view);
    assert!(!view.text.contains(['\0', '\r']));
    for (place, shape) in view.shapes.iter().enumerate() {
        assert!(shape.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.')), "{shape}");
        assert!(!view.shapes[..place].contains(shape), "{shape} twice");
    }
}

fuzz_target!(|data: &[u8]| {
    let mut view = View::default();
    read(data, &Limits::default(), &mut view);
    sound(&view);
    // From a day before 1970 to a day after 9999.
    assert!(arrival(data, &Limits::default()).is_none_or(|time| (-86_400..253_402_387_200).contains(&time)));

    let mut cut = Cut(data);
    let limits = Limits {
        message_bytes: cut.number(2) as usize,
        nesting: usize::from(cut.byte() % 8),
        parts: usize::from(cut.byte() % 8),
        header_bytes: cut.number(2) as usize,
        decoded_bytes: cut.number(2) as usize,
    };
    let mut tight = view;
    read(cut.0, &limits, &mut tight);
    sound(&tight);
    let mut fresh = View::default();
    read(cut.0, &limits, &mut fresh);
    assert_eq!(tight, fresh, "a used view reads like a new one");
});

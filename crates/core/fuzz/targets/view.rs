//! What a reader of any bytes sees, as text and as mail.
#![no_main]

use deciban_core::text::reader::Kind;
use deciban_core::view::{Field, View};
use deciban_fuzz::{check_view, reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut view = View::default();
    reader(Kind::Text, 1, 1).view(data, &mut view);
    check_view(&view);
    if let Ok(text) = std::str::from_utf8(data) {
        assert_eq!(view.text, text, "UTF-8 stands as it is");
    }

    reader(Kind::Mail, 1, 1).view(data, &mut view);
    check_view(&view);
    let remarks = view.spans.iter().filter(|span| span.field == Field::Shape);
    let remarks: Vec<&str> = remarks.map(|span| &view.text[span.start..span.end]).collect();
    assert_eq!(remarks, view.shapes, "every remark stands in the text");
});

//! Remarks about a message's form.

use crate::view::View;

/// Longest remark that quotes the message.
const MAX_QUOTED: usize = 64;

/// Adds a remark, once.
pub(super) fn remark(view: &mut View, shape: &str) {
    if !view.shapes.iter().any(|known| known == shape) {
        view.shapes.push(shape.to_owned());
    }
}

/// Adds a remark that ends in words of the message, reduced to `a-z`, `0-9`, `-` and `.`.
pub(super) fn remark_quoting(view: &mut View, shape: &str, quoted: &[u8]) {
    let mut out = String::with_capacity(shape.len() + quoted.len().min(MAX_QUOTED));
    out.push_str(shape);
    for byte in quoted.iter().take(MAX_QUOTED) {
        out.push(match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' => char::from(*byte),
            b'A'..=b'Z' => char::from(byte.to_ascii_lowercase()),
            _ => '-',
        });
    }
    remark(view, &out);
}

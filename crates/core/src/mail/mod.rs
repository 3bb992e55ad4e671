//! Mail: any bytes become what a reader of the message sees, and where every stretch of it came from.
mod limits;

use crate::view::{Field, View};
pub use limits::Limits;
use std::borrow::Cow;

/// Reads `message` into `view`.
pub fn read(message: &[u8], limits: &Limits, view: &mut View) {
    view.clear();
    let head = &message[..message.len().min(limits.message_bytes)];
    view.push(Field::Body, &String::from_utf8_lossy(head));
}

/// The message without earlier filters' remarks.
pub fn strip(message: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(message)
}

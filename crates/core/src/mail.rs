//! Mail: any bytes become what a reader of the message sees, and where every stretch of it came from.
//!
//! ```
//! use deciban_core::mail::{Limits, read};
//! use deciban_core::view::{Field, View};
//!
//! let mut view = View::default();
//! read(b"Subject: =?utf-8?Q?caf=C3=A9?=\n\nCome in.\n", &Limits::default(), &mut view);
//! assert_eq!(view.text, "Subject: café\n\nCome in.\n");
//! assert_eq!(view.spans[0].field, Field::Subject);
//! ```
mod alternative;
mod authentication;
mod charset;
mod charset_name;
mod date;
mod encoded_word;
mod entity;
mod evidence;
mod foreign;
mod header;
mod html;
mod limits;
mod lines;
mod links;
mod parameters;
mod reader;
mod respelt;
mod shapes;
mod shifted;
mod strip;
mod transfer;
mod walk;

use crate::view::View;
pub use date::arrival;
pub use limits::Limits;
pub use strip::{canonical, strip};

/// Reads `message` into `view`, whatever its bytes are: never fails, never panics, and takes time and
/// memory linear in the length of the message.
///
/// The view's text is made for people: a line `Name: value` for every header, a blank line, the texts
/// of the parts. Its spans say which stretches are evidence of what, its shapes what is remarkable
/// about the message's form. Nothing is kept from an earlier use of the view.
pub fn read(message: &[u8], limits: &Limits, view: &mut View) {
    view.clear();
    let head = &message[..message.len().min(limits.message_bytes)];
    if head.len() < message.len() {
        shapes::remark(view, "limit-message-bytes");
    }
    if memchr::memchr(0, head).is_some() {
        shapes::remark(view, "nul-bytes");
    }
    if lines::has_long_line(head) {
        shapes::remark(view, "long-line");
    }
    walk::Walk::run(head, limits, reader::Reader::new(limits, view));
}

/// The text of bytes in an unknown charset: UTF-8 if that is valid, else the detected one, else Windows-1252.
pub fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    charset::decode(bytes, None, &charset::Charsets::default()).text
}

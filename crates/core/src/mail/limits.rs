//! What a message from a stranger may cost.

/// Bounds on one message, each checked before anything is descended into or allocated.
///
/// What lies beyond a bound is not lost: it is read as flat text, and the view says so with a shape
/// (`limit-nesting`, `limit-parts`, `limit-header-bytes`). Only bytes past `message_bytes` and
/// text past `decoded_bytes` are not read at all (`limit-message-bytes`, `limit-decoded-bytes`).
///
/// They are the limit of time, too: the slowest 16 MB known take 0.7 s on one core, and nothing in a message makes it
/// slower than in proportion to its bytes. A clock in their place would judge a message by how busy the machine is, and
/// learn other words of it than it forgets.
///
/// ```
/// use deciban_core::mail::{Limits, read};
/// use deciban_core::view::View;
///
/// let mut view = View::default();
/// let limits = Limits { message_bytes: 20, ..Limits::default() };
/// read(b"Subject: hello\n\nThis is cut.", &limits, &mut view);
/// assert!(view.shapes.iter().any(|shape| shape == "limit-message-bytes"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the message that are read.
    pub message_bytes: usize,
    /// How deep multiparts and forwarded messages may stand in each other. Time grows with it.
    pub nesting: usize,
    /// Header blocks (the message, its parts, the messages in it) that are read as such.
    pub parts: usize,
    /// Bytes of one header block.
    pub header_bytes: usize,
    /// Bytes of body text, after transfer encoding, in all parts together.
    pub decoded_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            message_bytes: 16 << 20,
            nesting: 16,
            parts: 256,
            header_bytes: 256 << 10,
            decoded_bytes: 4 << 20,
        }
    }
}

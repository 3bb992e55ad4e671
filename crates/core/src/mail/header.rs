//! Header blocks: where a block ends, which fields it holds, and what a field's value is once unfolded.

use super::lines::line;
use memchr::{memchr, memchr3};
use std::borrow::Cow;

/// One header field as it stands in the message. A line that is no field keeps an empty name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderField<'m> {
    /// What stands before the colon, without trailing blanks.
    pub name: &'m [u8],
    /// What stands after it, folds and all.
    pub value: &'m [u8],
}

/// A header block.
#[derive(Debug, Default)]
pub(super) struct Block<'m> {
    /// Its fields, in order.
    pub fields: Vec<HeaderField<'m>>,
    /// What lay beyond the limit of bytes.
    pub beyond: &'m [u8],
    /// Where the body starts.
    pub end: usize,
    /// Where the value of the last field starts.
    value_start: usize,
}

impl<'m> Block<'m> {
    /// Reads the block that starts at `start`: up to the first blank line, a line for which
    /// `delimits` holds, the end, or (in a body that has no header) the first line that is no field.
    pub(super) fn read(
        message: &'m [u8],
        start: usize,
        max_bytes: usize,
        delimits: impl Fn(&[u8]) -> bool,
    ) -> Self {
        let mut block = Block { end: start, ..Block::default() };
        let mut at = start;
        while at < message.len() {
            let (end, next) = line(message, at);
            let text = &message[at..end];
            if text.is_empty() {
                block.end = next;
                return block;
            }
            if text.starts_with(b"--") && delimits(text) {
                break;
            }
            if next - start > max_bytes {
                return block.cut(message, at, delimits);
            }
            if !block.take(message, at, (end, next)) {
                break;
            }
            at = next;
        }
        block.end = at;
        block
    }

    /// Takes one line into the block; false where the block must have ended before it.
    fn take(&mut self, message: &'m [u8], at: usize, (end, next): (usize, usize)) -> bool {
        let text = &message[at..end];
        match LineKind::of(message, at, (end, next), self.fields.len()) {
            LineKind::Envelope => {}
            LineKind::Body => return false,
            LineKind::Fold => {
                if let Some(field) = self.fields.last_mut() {
                    // Only a break stands between the two, so the value simply grows.
                    field.value = &message[self.value_start..end];
                }
            }
            LineKind::Named(colon) => {
                self.value_start = at + colon + 1;
                let name = text[..colon].trim_ascii_end();
                self.fields.push(HeaderField { name, value: &text[colon + 1..] });
            }
            LineKind::Stray => {
                self.value_start = at;
                self.fields.push(HeaderField { name: b"", value: text });
            }
        }
        true
    }

    /// Ends the block at `at`, where it outgrew its limit; the rest of it is kept aside.
    fn cut(mut self, message: &'m [u8], at: usize, delimits: impl Fn(&[u8]) -> bool) -> Self {
        let mut until = at;
        while until < message.len() {
            let (end, next) = line(message, until);
            let text = &message[until..end];
            if text.is_empty() || (text.starts_with(b"--") && delimits(text)) {
                self.end = if text.is_empty() { next } else { until };
                self.beyond = &message[at..until];
                return self;
            }
            until = next;
        }
        self.end = message.len();
        self.beyond = &message[at..];
        self
    }

    /// The value of the first field called `name` (lower case).
    pub(super) fn value(&self, name: &str) -> Option<&'m [u8]> {
        let found = |field: &&HeaderField| field.name.eq_ignore_ascii_case(name.as_bytes());
        self.fields.iter().find(found).map(|field| field.value)
    }
}

/// What a line that is not blank is within a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// "From alice@example.org Mon Jan ...", as mailbox files put it before a message.
    Envelope,
    /// A field, with the place of its colon.
    Named(usize),
    /// The continuation of a field.
    Fold,
    /// Damage among fields.
    Stray,
    /// No longer the header.
    Body,
}

impl LineKind {
    /// The kind of the line from `at` to `end`, the following one starting at `next`, behind so many fields.
    pub(super) fn of(message: &[u8], at: usize, (end, next): (usize, usize), fields: usize) -> Self {
        let text = &message[at..end];
        let behind_field = fields > 0;
        if behind_field && is_fold(text) {
            return LineKind::Fold;
        }
        if !behind_field && is_envelope(text) {
            return LineKind::Envelope;
        }
        if let Some(colon) = colon(text) {
            return LineKind::Named(colon);
        }
        // One stray line among fields is damage; the first line, two in a row, or one behind a lone field are a body.
        let following = &message[next..line(message, next).0];
        let last = following.is_empty() && fields > 1;
        let alone = last || is_fold(following) || colon(following).is_some();
        if behind_field && alone { LineKind::Stray } else { LineKind::Body }
    }
}

/// "From alice@example.org Mon Jan ...", quoted or not.
pub(super) fn is_envelope(text: &[u8]) -> bool {
    text.starts_with(b"From ") || text.starts_with(b">From ")
}

fn is_fold(text: &[u8]) -> bool {
    matches!(text.first(), Some(b' ' | b'\t'))
}

/// Where the colon of a field stands: after visible ASCII and perhaps blanks. `http://` is no field.
fn colon(text: &[u8]) -> Option<usize> {
    let colon = memchr(b':', text)?;
    let name = text[..colon].trim_ascii_end();
    let visible = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    (visible && !text[colon + 1..].starts_with(b"//")).then_some(colon)
}

/// The value without folds, NULs and surrounding blanks; a fold becomes one blank.
pub(super) fn unfold(raw: &[u8]) -> Cow<'_, [u8]> {
    let mut rest = raw.trim_ascii();
    if memchr3(b'\n', b'\r', 0, rest).is_none() {
        return Cow::Borrowed(rest);
    }
    let mut out = Vec::with_capacity(rest.len());
    while let Some(found) = memchr3(b'\n', b'\r', 0, rest) {
        out.extend_from_slice(rest[..found].trim_ascii_end());
        out.push(b' ');
        rest = &rest[found..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b' '));
        rest = &rest[blanks.count()..];
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{Block, unfold};

    fn names(message: &str) -> (Vec<String>, usize) {
        let block = Block::read(message.as_bytes(), 0, 100, |text| text == b"--b");
        let names = block.fields.iter().map(|field| String::from_utf8_lossy(field.name).into_owned());
        (names.collect(), block.end)
    }

    #[test]
    fn a_block_ends_where_its_body_begins() {
        let ends = |message: &str, fields: &[&str], body: &str| {
            let (names, end) = names(message);
            assert_eq!(names, fields, "{message:?}");
            assert_eq!(&message[end..], body, "{message:?}");
        };
        ends("A: 1\nB : 2\n\nbody", &["A", "B"], "body");
        ends("A: 1\n--b\n\nbody", &["A"], "--b\n\nbody");
        ends("A: 1\nstray\nB: 2\n\nbody", &["A", "", "B"], "body");
        ends("A: 1\nno header\nany more", &["A"], "no header\nany more");
        ends("http://a.example\n\n", &[], "http://a.example\n\n");
        ends(" no field before\n\n", &[], " no field before\n\n");
    }

    #[test]
    fn what_lies_beyond_the_limit_is_kept_aside() {
        let message = format!("A: 1\nB: {}\nC: 3\n\nbody", "x".repeat(200));
        let block = Block::read(message.as_bytes(), 0, 100, |_| false);
        assert_eq!(block.fields.len(), 1);
        assert!(block.beyond.starts_with(b"B: xxx") && block.beyond.ends_with(b"C: 3\n"));
        assert_eq!(&message[block.end..], "body");
    }

    #[test]
    fn folds_and_nuls_become_blanks() {
        assert_eq!(&*unfold(b" a\r\n\t b\n c\0d "), b"a b c d");
        assert_eq!(&*unfold(b" plain "), b"plain");
    }
}

//! Transfer encodings (RFC 2045, 6): base64 and quoted-printable, read as far as damage allows.

use crate::ablation::{Step, without};
use memchr::memchr;
use std::borrow::Cow;

/// How a part's bytes are wrapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Transfer {
    /// As they are: 7bit, 8bit, binary, and every name that means nothing to us.
    #[default]
    Identity,
    /// base64.
    Base64,
    /// quoted-printable.
    QuotedPrintable,
}

impl Transfer {
    /// The encoding called `name`.
    pub(super) fn named(name: &[u8]) -> Self {
        let name = name.trim_ascii();
        if without(Step::Transfer) {
            Transfer::Identity
        } else if name.eq_ignore_ascii_case(b"base64") {
            Transfer::Base64
        } else if name.eq_ignore_ascii_case(b"quoted-printable") {
            Transfer::QuotedPrintable
        } else {
            Transfer::Identity
        }
    }

    /// What a damaged body of this encoding is called.
    pub(super) fn damage(self) -> &'static str {
        match self {
            Transfer::Base64 => "damaged-base64",
            _ => "damaged-quoted-printable",
        }
    }

    /// Unwraps at most a little more than `max` bytes; the flag says whether something was damaged.
    pub(super) fn unwrap(self, bytes: &[u8], max: usize) -> (Cow<'_, [u8]>, bool) {
        let mut out = Vec::new();
        let damaged = match self {
            Transfer::Identity => return (Cow::Borrowed(bytes), false),
            Transfer::QuotedPrintable if memchr(b'=', bytes).is_none() => {
                return (Cow::Borrowed(bytes), false);
            }
            Transfer::Base64 => base64(bytes, max, &mut out),
            Transfer::QuotedPrintable => quoted_printable(bytes, max, &mut out),
        };
        (Cow::Owned(out), damaged)
    }
}

const PAD: u8 = 64;
const BLANK: u8 = 65;
const JUNK: u8 = 66;

/// The six bits of every base64 letter, and what the other bytes mean.
const SEXTETS: [u8; 256] = {
    let mut table = [JUNK; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut sextet = 0;
    while sextet < 64 {
        table[alphabet[sextet as usize] as usize] = sextet;
        sextet += 1;
    }
    table[b'=' as usize] = PAD;
    table[b' ' as usize] = BLANK;
    table[b'\t' as usize] = BLANK;
    table[b'\r' as usize] = BLANK;
    table[b'\n' as usize] = BLANK;
    table
};

/// Appends what base64 `bytes` stand for and stops past `max` bytes; true where something was damaged.
pub(super) fn base64(bytes: &[u8], max: usize, out: &mut Vec<u8>) -> bool {
    out.reserve((bytes.len() / 4 * 3).min(max) + 3);
    let stop = out.len().saturating_add(max);
    let mut quad = Quad::default();
    let (mut damaged, mut goes_on, mut at) = (false, None, 0);
    while at < bytes.len() && out.len() <= stop {
        if quad.held == 0
            && let Some(four) = bytes[at..].first_chunk::<4>()
            && let Some(three) = whole(*four)
        {
            out.extend_from_slice(&three);
            at += 4;
            continue;
        }
        let sextet = SEXTETS[usize::from(bytes[at])];
        at += 1;
        match sextet {
            BLANK => {}
            JUNK => damaged = true,
            PAD => {
                damaged |= quad.finish(out) < 2;
                at += bytes[at..].iter().take_while(|byte| is_end(**byte)).count();
                // Padding ends the data, unless all that follows is base64 too: then two were joined.
                let more = || bytes[at..].iter().all(|byte| SEXTETS[usize::from(*byte)] != JUNK);
                if at < bytes.len() && !*goes_on.get_or_insert_with(more) {
                    return true;
                }
            }
            _ => quad.add(sextet, out),
        }
    }
    (quad.finish(out) != 0) | damaged
}

/// Three bytes out of four letters, if letters they are.
fn whole(four: [u8; 4]) -> Option<[u8; 3]> {
    let [a, b, c, d] = four.map(|byte| SEXTETS[usize::from(byte)]);
    if (a | b | c | d) >= PAD {
        return None;
    }
    Some([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d])
}

/// Whether a byte may stand behind the first `=` without being data.
fn is_end(byte: u8) -> bool {
    matches!(SEXTETS[usize::from(byte)], PAD | BLANK)
}

/// Up to four letters that are not yet bytes.
#[derive(Default)]
struct Quad {
    bits: u32,
    held: u32,
}

impl Quad {
    fn add(&mut self, sextet: u8, out: &mut Vec<u8>) {
        self.bits = self.bits << 6 | u32::from(sextet);
        self.held += 1;
        if self.held == 4 {
            out.extend_from_slice(&self.bits.to_be_bytes()[1..]);
            *self = Quad::default();
        }
    }

    /// Writes the whole bytes among the letters held; returns how many letters there were.
    fn finish(&mut self, out: &mut Vec<u8>) -> u32 {
        let Quad { bits, held } = std::mem::take(self);
        let bytes = (bits << (32 - 6 * held).min(31)).to_be_bytes();
        out.extend_from_slice(&bytes[..(held * 6 / 8) as usize]);
        held
    }
}

/// Appends what quoted-printable `bytes` stand for and stops past `max` bytes; true where something
/// was damaged. An `=` that introduces nothing stays an `=`.
pub(super) fn quoted_printable(bytes: &[u8], max: usize, out: &mut Vec<u8>) -> bool {
    out.reserve(bytes.len().min(max.saturating_add(1)));
    let stop = out.len().saturating_add(max);
    let (mut rest, mut damaged) = (bytes, false);
    while let Some(found) = memchr(b'=', rest) {
        let room = stop.saturating_add(1).saturating_sub(out.len());
        out.extend_from_slice(&rest[..found.min(room)]);
        if out.len() > stop {
            return damaged;
        }
        rest = &rest[found + 1..];
        if let Some(byte) = hex_pair(rest) {
            out.push(byte);
            rest = &rest[2..];
        } else if let Some(length) = soft_break(rest) {
            rest = &rest[length..];
        } else {
            damaged = true;
            out.push(b'=');
        }
    }
    let room = stop.saturating_add(1).saturating_sub(out.len());
    out.extend_from_slice(&rest[..rest.len().min(room)]);
    damaged
}

/// The byte that the two hexadecimal digits at the start stand for.
pub(super) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    Some(digit(*bytes.first()?)? << 4 | digit(*bytes.get(1)?)?)
}

/// How long the rest of a soft line break is, behind its `=`; blanks before the break are tolerated.
fn soft_break(bytes: &[u8]) -> Option<usize> {
    // Few, so that a storm of "=" and blanks stays linear.
    let blanks = bytes.iter().take(64).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match bytes.get(blanks..)? {
        [] => Some(blanks),
        [b'\r', b'\n', ..] => Some(blanks + 2),
        [b'\r' | b'\n', ..] => Some(blanks + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Transfer;

    fn unwrap(encoding: Transfer, text: &str) -> (String, bool) {
        let (bytes, damaged) = encoding.unwrap(text.as_bytes(), 1 << 20);
        (String::from_utf8_lossy(&bytes).into_owned(), damaged)
    }

    #[test]
    fn base64_reads_on_through_damage() {
        let read = |text| unwrap(Transfer::Base64, text);
        assert_eq!(read("aGVsbG8g\r\nd29ybGQ=\r\n"), ("hello world".into(), false));
        assert_eq!(read("aGVsbG8gd29ybGQ"), ("hello world".into(), true));
        assert_eq!(read("aGVs*bG8!"), ("hello".into(), true));
        assert_eq!(read("aGk=\naGk=\n"), ("hihi".into(), false));
        assert_eq!(read("aGk=\n-- \na list's footer"), ("hi".into(), true));
        assert_eq!(read("="), (String::new(), true));
        assert_eq!(read("aGkQ\nA"), ("hi\u{10}".into(), true));
    }

    #[test]
    fn quoted_printable_reads_on_through_damage() {
        let read = |text| unwrap(Transfer::QuotedPrintable, text);
        assert_eq!(read("a=20b=\r\nc=  \nd=3d"), ("a bcd=".into(), false));
        assert_eq!(read("1=2 =zz ="), ("1=2 =zz ".into(), true));
        assert_eq!(read("plain"), ("plain".into(), false));
    }

    #[test]
    fn no_more_is_unwrapped_than_asked_for() {
        let long = "QUJD".repeat(1000);
        assert!(Transfer::Base64.unwrap(long.as_bytes(), 10).0.len() <= 16);
        let long = "=41".repeat(1000);
        assert!(Transfer::QuotedPrintable.unwrap(long.as_bytes(), 10).0.len() <= 16);
    }
}

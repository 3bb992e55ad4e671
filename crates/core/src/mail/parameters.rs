//! Values with parameters, `text/plain; charset=utf-8`, and their continued and encoded forms (RFC 2231).

use super::charset::{self, Charsets};
use super::encoded_word;
use super::transfer::hex_pair;
use memchr::memchr;
use std::borrow::Cow;

/// Continuations of one parameter beyond this many are not read.
const MAX_PIECES: usize = 64;

/// The value without its parameters: `text/plain` of `text/plain; charset=utf-8`.
pub(super) fn main_value(value: &[u8]) -> &[u8] {
    let end = memchr(b';', value).unwrap_or(value.len());
    value[..end].trim_ascii()
}

/// The parameters of an unfolded value, as pairs of name and value in order.
pub(super) struct Parameters<'v> {
    rest: &'v [u8],
}

impl<'v> Parameters<'v> {
    /// Those behind the first semicolon of `value`.
    pub(super) fn of(value: &'v [u8]) -> Self {
        let start = memchr(b';', value).map_or(value.len(), |found| found + 1);
        Parameters { rest: &value[start..] }
    }

    /// The value of the quoted string whose opening quote has just been passed.
    fn quoted(&mut self) -> Cow<'v, [u8]> {
        let text = self.rest;
        let mut at = 0;
        let mut unescaped: Option<Vec<u8>> = None;
        while at < text.len() && text[at] != b'"' {
            if text[at] == b'\\' && at + 1 < text.len() {
                unescaped.get_or_insert_with(|| text[..at].to_vec());
                at += 1;
            }
            if let Some(bytes) = &mut unescaped {
                bytes.push(text[at]);
            }
            at += 1;
        }
        let behind = memchr(b';', &text[at..]).map_or(text.len(), |found| at + found + 1);
        self.rest = &text[behind..];
        unescaped.map_or(Cow::Borrowed(&text[..at]), Cow::Owned)
    }
}

impl<'v> Iterator for Parameters<'v> {
    type Item = (&'v [u8], Cow<'v, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let end = memchr::memchr2(b';', b'=', self.rest).unwrap_or(self.rest.len());
            let name = self.rest[..end].trim_ascii();
            let has_value = self.rest.get(end) == Some(&b'=');
            self.rest = &self.rest[(end + 1).min(self.rest.len())..];
            if !has_value {
                continue;
            }
            self.rest = self.rest.trim_ascii_start();
            if let Some(inside) = self.rest.strip_prefix(b"\"") {
                self.rest = inside;
                return Some((name, self.quoted()));
            }
            let end = memchr(b';', self.rest).unwrap_or(self.rest.len());
            let value = self.rest[..end].trim_ascii();
            self.rest = &self.rest[(end + 1).min(self.rest.len())..];
            return Some((name, Cow::Borrowed(value)));
        }
    }
}

/// The plain parameter called `name` (lower case), of an unfolded value.
pub(super) fn plain<'v>(value: &'v [u8], name: &str) -> Option<Cow<'v, [u8]>> {
    let mut pairs = Parameters::of(value);
    pairs.find(|(found, _)| found.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
}

/// One `name*2*=` piece of a parameter.
struct Piece<'v> {
    order: u32,
    encoded: bool,
    value: Cow<'v, [u8]>,
}

/// The parameter called `name` as a reader sees it: pieces joined, percent signs, charset and encoded
/// words resolved. Empty if there is none.
pub(super) fn readable(value: &[u8], name: &str, known: &Charsets) -> String {
    let mut out = String::new();
    let mut pieces: Vec<Piece> = Vec::new();
    for (found, value) in Parameters::of(value) {
        let Some((stem, tail)) = found.split_at_checked(name.len()) else {
            continue;
        };
        if !stem.eq_ignore_ascii_case(name.as_bytes()) || pieces.len() == MAX_PIECES {
            continue;
        }
        if tail.is_empty() {
            encoded_word::decode(&value, known, &mut out);
            return out;
        }
        if let Some((order, encoded)) = piece_of(tail) {
            pieces.push(Piece { order, encoded, value });
        }
    }
    pieces.sort_by_key(|piece| piece.order);
    join(&pieces, known, &mut out);
    out
}

/// What stands behind a parameter's name: `*` (encoded), `*2` (a piece) or `*2*` (both).
fn piece_of(tail: &[u8]) -> Option<(u32, bool)> {
    let tail = tail.strip_prefix(b"*")?;
    let (digits, encoded) = match tail {
        [] => return Some((0, true)),
        [digits @ .., b'*'] => (digits, true),
        digits => (digits, false),
    };
    let order = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((order, encoded))
}

/// Joins pieces before their charset is resolved: real mail cuts them inside a character.
fn join(pieces: &[Piece], known: &Charsets, out: &mut String) {
    let mut bytes = Vec::new();
    let mut label = None;
    for (index, piece) in pieces.iter().enumerate() {
        let mut value = &*piece.value;
        if index == 0 && piece.encoded {
            let mut parts = value.splitn(3, |byte| *byte == b'\'');
            if let (Some(charset), Some(_), Some(text)) = (parts.next(), parts.next(), parts.next()) {
                label = Some(charset);
                value = text;
            }
        }
        if piece.encoded { unpercent(value, &mut bytes) } else { bytes.extend_from_slice(value) }
    }
    match label {
        Some(label) if !label.is_empty() => out.push_str(&charset::decode(&bytes, Some(label), known).text),
        _ => encoded_word::decode(&bytes, known, out),
    }
}

/// Appends `text` with every `%41` resolved.
fn unpercent(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(found) = memchr(b'%', rest) {
        out.extend_from_slice(&rest[..found]);
        rest = &rest[found + 1..];
        match hex_pair(rest) {
            Some(byte) => {
                out.push(byte);
                rest = &rest[2..];
            }
            None => out.push(b'%'),
        }
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::super::charset::Charsets;
    use super::{main_value, plain, readable};

    #[test]
    fn parameters_are_found_in_any_case_and_quoting() {
        let value =
            b"text/plain; Charset = \"utf-8\"; junk; name=a\\b; title=\"say \\\"hi; you\\\"\"; last=z";
        assert_eq!(main_value(value), b"text/plain");
        let found = |name| plain(value, name).map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(found("charset").as_deref(), Some("utf-8"));
        assert_eq!(found("title").as_deref(), Some("say \"hi; you\""));
        assert_eq!(found("last").as_deref(), Some("z"));
        assert_eq!(found("junk"), None);
        assert_eq!(plain(b"a; b=\"never closed", "b").as_deref(), Some(&b"never closed"[..]));
    }

    #[test]
    fn pieces_are_joined_in_order_before_their_charset() {
        let known = Charsets::default();
        let value = b"attachment; name*1*=%9C%EA%B8%80; name*0*=utf-8''%ED%95; name*2=\".txt\"";
        assert_eq!(readable(value, "name", &known), "한글.txt");
        assert_eq!(readable(b"a; name*=''50%25%zz", "name", &known), "50%%zz");
        assert_eq!(readable(b"a; name=\"=?utf-8?B?7ZWc6riA?=\"", "name", &known), "한글");
        assert_eq!(readable(b"a; other=x", "name", &known), "");
    }
}

//! Bytes to text: the declared charset, UTF-8, the detected one, Windows-1252; the first that fits.

use super::charset_name::{Charset, charset};
use super::shifted;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use memchr::memchr;
use std::borrow::Cow;

/// How much of a text the detector sees, from its first byte above ASCII on.
const DETECTED_BYTES: usize = 32 << 10;
/// A declared charset is believed while at most one in this many characters above ASCII is broken.
const BELIEF: usize = 16;

/// What raw bytes are tried as between UTF-8 and detection.
pub(super) type Fallback = Option<&'static Encoding>;

/// Bytes made readable.
#[derive(Debug)]
pub(super) struct Decoded<'b> {
    /// The text.
    pub text: Cow<'b, str>,
    /// The charset it was in, where that is neither ASCII nor UTF-8.
    pub name: Option<&'static str>,
    /// The declared charset did not fit.
    pub wrong: bool,
    /// The declared charset is none we know.
    pub unknown: bool,
}

/// The encoding that `label` names, as a [`Fallback`] for other texts of the same message.
pub(super) fn fallback(label: &[u8]) -> Fallback {
    match charset(label)? {
        Charset::Web(encoding) if encoding.is_ascii_compatible() && encoding != UTF_8 => Some(encoding),
        _ => None,
    }
}

/// Makes `bytes` readable; every byte sequence has a reading.
pub(super) fn decode<'b>(bytes: &'b [u8], label: Option<&[u8]>, fallback: Fallback) -> Decoded<'b> {
    let declared = label.and_then(charset);
    let unknown = label.is_some() && declared.is_none();
    let plain = |text, name, wrong| Decoded { text, name, wrong, unknown };
    if needs_no_ascii_check(declared)
        && Encoding::ascii_valid_up_to(bytes) == bytes.len()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return match escapes(bytes) {
            Some((text, name)) => plain(Cow::Owned(text), Some(name), false),
            None => plain(Cow::Borrowed(text), None, false),
        };
    }
    let fits = match declared {
        Some(Charset::Web(encoding)) => whole(encoding, bytes),
        Some(Charset::Iso2022Kr) => shifted::iso_2022_kr(bytes).map(|text| (text.into(), Some("iso-2022-kr"))),
        Some(Charset::Hz) => shifted::hz(bytes).map(|text| (text.into(), Some("hz"))),
        Some(Charset::Utf7) => shifted::utf7(bytes).map(|text| (text.into(), Some("utf-7"))),
        Some(Charset::Ascii) | None => None,
    };
    if let Some((text, name)) = fits {
        return plain(text, name, false);
    }
    let (text, name) = detect(bytes, fallback);
    // A few broken characters are damage, not a wrong name.
    if let Some(Charset::Web(encoding)) = declared
        && let Some(text) = mostly(encoding, bytes)
    {
        return plain(Cow::Owned(text), token_name(encoding), true);
    }
    plain(text, name, declared.is_some())
}

fn needs_no_ascii_check(declared: Option<Charset>) -> bool {
    match declared {
        None | Some(Charset::Ascii) => true,
        Some(Charset::Web(encoding)) => encoding.is_ascii_compatible(),
        Some(_) => false,
    }
}

/// 7-bit text that says by escape sequences that it is Korean or Japanese, whatever was declared.
fn escapes(bytes: &[u8]) -> Option<(String, &'static str)> {
    let escape = memchr(0x1b, bytes)?;
    if bytes[escape..].starts_with(b"\x1b$)C") {
        return Some((shifted::iso_2022_kr(bytes)?, "iso-2022-kr"));
    }
    let text = ISO_2022_JP.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some((text.into_owned(), "iso-2022-jp"))
}

/// The text, if every byte fits.
fn whole<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Option<(Cow<'b, str>, Option<&'static str>)> {
    if encoding == UTF_8 {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return std::str::from_utf8(bytes).ok().map(|text| (Cow::Borrowed(text), None));
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some((text, token_name(encoding)))
}

/// The text with a few replacement characters, if they are few.
fn mostly(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let (mut above, mut broken) = (0, 0);
    for character in text.chars() {
        above += usize::from(!character.is_ascii());
        broken += usize::from(character == '\u{fffd}');
    }
    (broken * BELIEF <= above).then(|| text.into_owned())
}

/// The chain for bytes whose declared charset does not help.
fn detect(bytes: &[u8], fallback: Fallback) -> (Cow<'_, str>, Option<&'static str>) {
    for encoding in [Some(UTF_8), fallback].into_iter().flatten() {
        if let Some(found) = whole(encoding, bytes) {
            return found;
        }
    }
    let start = Encoding::ascii_valid_up_to(bytes);
    let end = bytes.len().min(start + DETECTED_BYTES);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[start..end], end == bytes.len());
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (text, token_name(encoding))
}

/// An encoding's name for a token, nothing for UTF-8.
fn token_name(encoding: &'static Encoding) -> Option<&'static str> {
    (encoding != UTF_8).then(|| encoding.name())
}

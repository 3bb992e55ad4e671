//! Bytes to text: the declared charset, UTF-8, the detected one, Windows-1252; the first that fits.

use super::charset_name::{Charset, charset};
use super::shifted;
use crate::ablation::{Step, without};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};
use memchr::memchr;
use std::borrow::Cow;
use std::cell::Cell;

/// How much of a text the detector sees: it is slow, and a hundred words tell it enough.
const SAMPLE_BYTES: usize = 1 << 10;
/// A declared charset is believed while at most one in this many characters above ASCII is broken.
const BELIEF: usize = 16;

/// Texts of one message whose charset is detected; later ones are read as Windows-1252.
const DETECTIONS: u32 = 64;

/// What a message has told of its charsets so far.
#[derive(Debug)]
pub(super) struct Charsets {
    /// What raw bytes are tried as between UTF-8 and detection.
    declared: Option<&'static Encoding>,
    /// Detections that are left: a message of nothing but short raw texts must not cost one for each.
    detections: Cell<u32>,
}

impl Default for Charsets {
    fn default() -> Self {
        Charsets { declared: None, detections: Cell::new(DETECTIONS) }
    }
}

impl Charsets {
    /// Takes note of a declared charset.
    pub(super) fn declare(&mut self, label: &[u8]) {
        if let Some(Charset::Web(encoding)) = charset(label)
            && encoding.is_ascii_compatible()
            && encoding != UTF_8
        {
            self.declared = Some(encoding);
        }
    }

    /// The likeliest encoding of bytes that are not UTF-8.
    fn detect(&self, bytes: &[u8]) -> &'static Encoding {
        let Some(left) = self.detections.get().checked_sub(1) else { return WINDOWS_1252 };
        self.detections.set(left);
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(&sample(bytes), false);
        detector.guess(None, Utf8Detection::Allow)
    }
}

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

/// Makes `bytes` readable; every byte sequence has a reading.
pub(super) fn decode<'b>(bytes: &'b [u8], label: Option<&[u8]>, known: &Charsets) -> Decoded<'b> {
    if without(Step::Charsets) {
        let text = std::str::from_utf8(bytes)
            .map_or_else(|_| WINDOWS_1252.decode_without_bom_handling(bytes).0, Cow::Borrowed);
        return Decoded { text, name: None, wrong: false, unknown: false };
    }
    let declared = label.and_then(charset);
    let unknown = label.is_some() && declared.is_none();
    let plain = |text, name, wrong| Decoded { text, name, wrong, unknown };
    if is_ascii_compatible(declared)
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
        Some(Charset::Iso2022Kr) => {
            shifted::iso_2022_kr(bytes).map(|text| (text.into(), Some("iso-2022-kr")))
        }
        Some(Charset::Hz) => shifted::hz(bytes).map(|text| (text.into(), Some("hz"))),
        Some(Charset::Utf7) => shifted::utf7(bytes).map(|text| (text.into(), Some("utf-7"))),
        Some(Charset::Ascii) | None => None,
    };
    if let Some((text, name)) = fits {
        return plain(text, name, false);
    }
    // A few broken characters are damage, not a wrong name.
    if let Some(Charset::Web(encoding)) = declared
        && let Some(text) = mostly(encoding, bytes)
    {
        return plain(Cow::Owned(text), token_name(encoding), true);
    }
    let (text, name) = undeclared(bytes, known);
    plain(text, name, declared.is_some())
}

fn is_ascii_compatible(declared: Option<Charset>) -> bool {
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
    let (text, _) = whole(ISO_2022_JP, bytes)?;
    Some((text.into_owned(), "iso-2022-jp"))
}

/// The text, if every byte fits.
fn whole<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Option<(Cow<'b, str>, Option<&'static str>)> {
    if encoding == UTF_8 {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return std::str::from_utf8(bytes).ok().map(|text| (Cow::Borrowed(text), None));
    }
    if encoding == ISO_2022_JP {
        let bytes = shifted::without_idle_escapes(bytes);
        let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?.into_owned();
        return Some((Cow::Owned(text), token_name(encoding)));
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
fn undeclared<'b>(bytes: &'b [u8], known: &Charsets) -> (Cow<'b, str>, Option<&'static str>) {
    for encoding in [Some(UTF_8), known.declared].into_iter().flatten() {
        if let Some(found) = whole(encoding, bytes) {
            return found;
        }
    }
    let encoding = known.detect(bytes);
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (text, token_name(encoding))
}

/// The words that hold bytes above ASCII, from the first one on.
fn sample(bytes: &[u8]) -> Vec<u8> {
    // No encoding's character goes on with a byte below 0x40 other than a digit, so none is cut.
    let inside = |byte: &&u8| **byte >= 0x40 || byte.is_ascii_digit();
    let mut out = Vec::with_capacity(SAMPLE_BYTES);
    let mut rest = bytes;
    loop {
        let ascii = Encoding::ascii_valid_up_to(rest);
        if ascii == rest.len() {
            return out;
        }
        let before =
            rest[..ascii].iter().rev().take(16).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let room = SAMPLE_BYTES - out.len();
        let length = before + rest[ascii..].iter().take_while(inside).take(room).count();
        out.extend_from_slice(&rest[ascii - before..][..length.min(room)]);
        if out.len() == SAMPLE_BYTES {
            return out;
        }
        out.push(b' ');
        if out.len() == SAMPLE_BYTES {
            return out;
        }
        rest = &rest[ascii - before + length..];
    }
}

/// An encoding's name for a token, nothing for UTF-8.
fn token_name(encoding: &'static Encoding) -> Option<&'static str> {
    (encoding != UTF_8).then(|| encoding.name())
}

#[cfg(test)]
mod tests {
    use super::{Charsets, DETECTIONS, SAMPLE_BYTES, decode, sample};
    use encoding_rs::{EUC_KR, KOI8_R};

    #[test]
    fn the_declared_charset_counts_unless_it_does_not_fit() {
        let known = Charsets::default();
        let korean = EUC_KR.encode("한국어 편지를 드립니다").0.into_owned();
        let found = decode(&korean, Some(b"euc-kr"), &known);
        assert_eq!(
            (&*found.text, found.name, found.wrong),
            ("한국어 편지를 드립니다", Some("EUC-KR"), false)
        );
        let found = decode(&korean, Some(b"utf-8"), &known);
        assert_eq!((&*found.text, found.name, found.wrong), ("한국어 편지를 드립니다", Some("EUC-KR"), true));
        let found = decode("é".as_bytes(), Some(b"nonsense"), &known);
        assert_eq!((&*found.text, found.name, found.unknown), ("é", None, true));
    }

    #[test]
    fn what_the_message_declares_comes_before_detection() {
        let mut known = Charsets::default();
        known.declare(b"koi8-r");
        let bytes = KOI8_R.encode("да").0.into_owned();
        assert_eq!(decode(&bytes, None, &known).text, "да");
    }

    #[test]
    fn detections_of_one_message_are_counted() {
        let known = Charsets::default();
        for _ in 0..2 * DETECTIONS {
            decode(b"caf\xe9", None, &known);
        }
        assert_eq!(known.detections.get(), 0);
        assert_eq!(decode(b"caf\xe9", None, &known).text, "café");
    }

    #[test]
    fn a_sample_holds_the_words_above_ascii() {
        assert_eq!(sample(b"plain <b>caf\xe9</b> plain \xe0 l"), b"caf\xe9 \xe0 ");
        assert_eq!(sample(&b"\xe9t\xe9 ".repeat(10_000)).len(), SAMPLE_BYTES);
        assert_eq!(sample(b"plain"), b"");
    }
}

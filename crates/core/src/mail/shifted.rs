//! Charsets that write everything in seven bits and shift between alphabets: ISO-2022-KR, HZ, UTF-7.

use encoding_rs::{EUC_KR, Encoding, GBK, UTF_16BE};

/// ISO-2022-KR (RFC 1557): between SO and SI, pairs of seven-bit bytes are KS X 1001. Nothing where
/// a pair has no character.
pub(super) fn iso_2022_kr(bytes: &[u8]) -> Option<String> {
    let mut raised = Vec::with_capacity(bytes.len());
    let mut korean = false;
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            0x1b if tail.starts_with(b"$)C") => rest = &tail[3..],
            0x0e => korean = true,
            0x0f => korean = false,
            // Every line starts in ASCII.
            b'\n' | b'\r' => {
                korean = false;
                raised.push(*byte);
            }
            0x21..=0x7e if korean => raised.push(byte | 0x80),
            _ => raised.push(*byte),
        }
    }
    strict(EUC_KR, &raised)
}

/// HZ (RFC 1843): between `~{` and `~}`, pairs of seven-bit bytes are GB 2312.
pub(super) fn hz(bytes: &[u8]) -> Option<String> {
    let mut raised = Vec::with_capacity(bytes.len());
    let mut chinese = false;
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => break,
            [b'~', b'{', tail @ ..] if !chinese => {
                chinese = true;
                tail
            }
            [b'~', b'}', tail @ ..] => {
                chinese = false;
                tail
            }
            [b'~', b'~', tail @ ..] if !chinese => {
                raised.push(b'~');
                tail
            }
            [b'~', b'\n', tail @ ..] if !chinese => tail,
            [byte @ (b'\n' | b'\r'), tail @ ..] => {
                chinese = false;
                raised.push(*byte);
                tail
            }
            [high @ 0x21..=0x7e, low @ 0x21..=0x7e, tail @ ..] if chinese => {
                raised.extend([high | 0x80, low | 0x80]);
                tail
            }
            [byte, tail @ ..] => {
                raised.push(*byte);
                tail
            }
        };
    }
    strict(GBK, &raised)
}

/// UTF-7 (RFC 2152): between `+` and `-`, base64 without padding is UTF-16. Nothing where it is not.
pub(super) fn utf7(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(bytes.len());
    let mut wide = Vec::new();
    let mut rest = bytes;
    while let Some(plus) = memchr::memchr(b'+', rest) {
        text.push_str(std::str::from_utf8(&rest[..plus]).ok()?);
        rest = &rest[plus + 1..];
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let length = rest.iter().take_while(is_letter).count();
        wide.clear();
        super::transfer::base64(&rest[..length], usize::MAX, &mut wide);
        text.push_str(&strict(UTF_16BE, &wide[..wide.len() & !1])?);
        rest = &rest[length..];
        if let Some(tail) = rest.strip_prefix(b"-") {
            if length == 0 {
                text.push('+');
            }
            rest = tail;
        }
    }
    text.push_str(std::str::from_utf8(rest).ok()?);
    Some(text)
}

/// ISO-2022-JP without escapes that another follows at once, as joined encoded words leave them: they
/// change nothing, but count as damage.
pub(super) fn without_idle_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(found) = memchr::memchr(0x1b, rest) {
        out.extend_from_slice(&rest[..found]);
        rest = &rest[found..];
        let idle = rest.get(3) == Some(&0x1b);
        let length = rest.len().min(3);
        if !idle {
            out.extend_from_slice(&rest[..length]);
        }
        rest = &rest[length..];
    }
    out.extend_from_slice(rest);
    out
}

fn strict(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(|text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{hz, iso_2022_kr, utf7};

    #[test]
    fn shifts_are_followed() {
        assert_eq!(iso_2022_kr(b"\x1b$)Ca\x0eGQ1[\x0f b").as_deref(), Some("a한글 b"));
        assert_eq!(hz(b"a ~{VPND~} ~~b").as_deref(), Some("a 中文 ~b"));
        assert_eq!(utf7(b"Hi Mom +Jjo- 1 +- 1").as_deref(), Some("Hi Mom \u{263a} 1 + 1"));
    }

    #[test]
    fn what_is_no_character_is_refused() {
        assert_eq!(iso_2022_kr(b"\x0e~~\x0f"), None);
        assert_eq!(utf7(b"+2AA-"), None);
    }
}

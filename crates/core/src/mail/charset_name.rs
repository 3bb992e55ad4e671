//! Names of charsets: the registered ones, and those that real mail uses instead.

use encoding_rs::{EUC_KR, Encoding, GBK, ISO_2022_JP, REPLACEMENT, UTF_8, WINDOWS_1252, X_USER_DEFINED};

/// What a declared charset stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Charset {
    /// ASCII alone: anything above it breaks the promise.
    Ascii,
    /// One of the web's encodings.
    Web(&'static Encoding),
    /// ISO-2022-KR (RFC 1557), which the web gave up.
    Iso2022Kr,
    /// HZ (RFC 1843), which the web gave up.
    Hz,
    /// UTF-7 (RFC 2152), which the web gave up.
    Utf7,
}

/// The charset that `label` names; nothing for names that say nothing ("unknown-8bit", "1").
pub(super) fn charset(label: &[u8]) -> Option<Charset> {
    let label = label.trim_ascii();
    // The two that nearly all mail declares.
    if label.eq_ignore_ascii_case(b"utf-8") {
        return Some(Charset::Web(UTF_8));
    }
    if label.eq_ignore_ascii_case(b"us-ascii") {
        return Some(Charset::Ascii);
    }
    let mut squeezed = [0; 32];
    let key = squeeze(label, &mut squeezed);
    if let Some(special) = special(key) {
        return Some(special);
    }
    let usable = |found: &&Encoding| *found != REPLACEMENT && *found != X_USER_DEFINED;
    let registered = Encoding::for_label(label).filter(usable);
    registered.or_else(|| misspelt(key)).map(Charset::Web)
}

/// The letters and digits of a label in lower case: what is left of it in every misspelling.
fn squeeze<'b>(label: &[u8], buffer: &'b mut [u8; 32]) -> &'b [u8] {
    let letters = label.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let mut length = 0;
    for (slot, letter) in buffer.iter_mut().zip(letters) {
        *slot = letter.to_ascii_lowercase();
        length += 1;
    }
    &buffer[..length]
}

/// Charsets that the web's list of encodings lacks.
fn special(key: &[u8]) -> Option<Charset> {
    Some(match key {
        b"ascii" | b"usascii" | b"ansix341968" | b"iso646us" | b"7bit" => Charset::Ascii,
        b"iso2022kr" | b"csiso2022kr" => Charset::Iso2022Kr,
        b"hz" | b"hzgb2312" => Charset::Hz,
        b"utf7" | b"unicode11utf7" | b"csunicode11utf7" => Charset::Utf7,
        _ => return None,
    })
}

/// Aliases and misspellings seen in mail.
fn misspelt(key: &[u8]) -> Option<&'static Encoding> {
    let found = match key {
        b"uft8" | b"utf8" | b"ut8" | b"utf" | b"unicode" | b"utf88bit" | b"utf8mb4" | b"utf8utf8" => UTF_8,
        b"utf88591" | b"8859" | b"88591" | b"iso88591" | b"iso85591" | b"iso8559" | b"latin" | b"latin1" => {
            WINDOWS_1252
        }
        b"ansi" | b"western" | b"cp850" | b"iso8859" | b"iso" => WINDOWS_1252,
        b"euckr" | b"ksc5601" | b"ksc56011987" | b"ksc56011992" | b"cp949" | b"ms949" | b"xwindows949" => {
            EUC_KR
        }
        b"uhc" | b"5601" | b"ks" | b"ksx1001" | b"korean" | b"koreaneuckr" => EUC_KR,
        b"iso2022jp1" | b"iso2022jp2" | b"iso2022jp3" | b"iso2022jpms" | b"cp50220" | b"cp50221" => {
            ISO_2022_JP
        }
        b"iso2022jpesc" => ISO_2022_JP,
        b"gb" | b"gb2312" | b"gb231280" | b"cp936" | b"ms936" | b"euccn" => GBK,
        b"cp950" | b"big5eten" => encoding_rs::BIG5,
        b"cp932" | b"windows31j" | b"shiftjisms" => encoding_rs::SHIFT_JIS,
        _ => return numbered(key),
    };
    Some(found)
}

/// `iso88592`, `win1251`, `cp1250` and their like, whatever trails behind the number.
fn numbered(key: &[u8]) -> Option<&'static Encoding> {
    let digits = |rest: &[u8], most: usize| {
        let count = rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        String::from_utf8_lossy(&rest[..count]).into_owned()
    };
    let label = if let Some(rest) = key.strip_prefix(b"iso8859") {
        // Only 10 to 16 have two digits; "iso88591" followed by junk is the first of them.
        let number = digits(rest, 2);
        let number = if number.starts_with('1') { number } else { digits(rest, 1) };
        format!("iso-8859-{number}")
    } else {
        let rest = [&b"windows"[..], b"win", b"cp", b"ansi", b"xcp", b"xwindows", b"mswin"]
            .iter()
            .find_map(|prefix| key.strip_prefix(*prefix))?;
        format!("windows-{}", digits(rest, 4))
    };
    Encoding::for_label(label.as_bytes()).filter(|found| *found != REPLACEMENT)
}

#[cfg(test)]
mod tests {
    use super::{Charset, charset};
    use encoding_rs::{EUC_KR, Encoding, UTF_8, WINDOWS_1252};

    #[test]
    fn names_of_real_mail_are_understood() {
        let table: [(&str, &'static Encoding); 12] = [
            ("utf8", UTF_8),
            ("UFT-8", UTF_8),
            (" utf-8 ", UTF_8),
            ("iso8859-1", WINDOWS_1252),
            ("ISO_8859-1", WINDOWS_1252),
            ("utf-8859-1", WINDOWS_1252),
            ("Windows-1252http-equivContent-Type", WINDOWS_1252),
            ("iso-8859-1\"", WINDOWS_1252),
            ("euckr", EUC_KR),
            ("ks_c_5601", EUC_KR),
            ("KS_C_5601-1987", EUC_KR),
            ("cp949", EUC_KR),
        ];
        for (label, expected) in table {
            assert_eq!(charset(label.as_bytes()), Some(Charset::Web(expected)), "{label}");
        }
    }

    #[test]
    fn names_that_say_nothing_are_unknown() {
        for label in ["", "1", "unknown-8bit", "x-unknown", "default", "x-user-defined", "replacement"] {
            assert_eq!(charset(label.as_bytes()), None, "{label}");
        }
    }
}

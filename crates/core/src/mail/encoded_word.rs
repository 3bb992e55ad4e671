//! Encoded words in headers (RFC 2047), `=?utf-8?B?...?=`, joined before their charset is resolved.

use super::charset::{self, Charsets};
use super::transfer::{base64, hex_pair};
use crate::ablation::{Step, without};
use encoding_rs::Encoding;
use memchr::{memchr, memmem};

/// One encoded word.
struct Word<'v> {
    charset: &'v [u8],
    base64: bool,
    text: &'v [u8],
    /// Its length, `=?` and `?=` included.
    length: usize,
}

/// Appends an unfolded header value as a reader sees it.
pub(super) fn decode(value: &[u8], known: &Charsets, out: &mut String) {
    if without(Step::EncodedWords) {
        return push(value, known, out);
    }
    let mut rest = value;
    let mut bytes = Vec::new();
    while let Some(found) = memmem::find(rest, b"=?") {
        let Some(first) = word(&rest[found..]) else {
            push(&rest[..found + 2], known, out);
            rest = &rest[found + 2..];
            continue;
        };
        push(&rest[..found], known, out);
        rest = &rest[found..];
        bytes.clear();
        let charset = first.charset;
        let mut next = Some(first);
        // Words of one charset are one text: mail cuts them inside a character.
        while let Some(word) = next.take_if(|word| word.charset.eq_ignore_ascii_case(charset)) {
            unwrap(&word, &mut bytes);
            rest = &rest[word.length..];
            let after = rest.trim_ascii_start();
            next = self::word(after);
            if next.is_some() {
                rest = after;
            }
        }
        out.push_str(&clean(&charset::decode(&bytes, Some(charset), known).text));
    }
    push(rest, known, out);
}

/// Text between the words.
fn push(bytes: &[u8], known: &Charsets, out: &mut String) {
    if Encoding::ascii_valid_up_to(bytes) == bytes.len()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        out.push_str(text);
    } else {
        out.push_str(&charset::decode(bytes, None, known).text);
    }
}

/// Line breaks and NULs inside a word must not break the header's line.
fn clean(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(['\n', '\r', '\0']) {
        text.replace("\r\n", " ").replace(['\n', '\r', '\0'], " ").into()
    } else {
        text.into()
    }
}

/// The encoded word at the start of `bytes`. One without its end goes on to the next word or to the
/// end of the value; blanks inside are tolerated.
fn word(bytes: &[u8]) -> Option<Word<'_>> {
    let inside = bytes.strip_prefix(b"=?")?;
    // Names are short; looking no further keeps a storm of "=?" linear.
    let near = &inside[..inside.len().min(64)];
    let mark = memchr(b'?', near)?;
    let charset = near[..mark].trim_ascii();
    let [letter, b'?', text @ ..] = &inside[mark + 1..] else {
        return None;
    };
    let base64 = match letter {
        b'b' | b'B' => true,
        b'q' | b'Q' => false,
        _ => return None,
    };
    let charset = &charset[..memchr(b'*', charset).unwrap_or(charset.len())];
    if charset.is_empty() || !charset.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let (end, closed) = end_of_text(text);
    let length = 2 + mark + 3 + end + if closed { 2 } else { 0 };
    Some(Word { charset, base64, text: &text[..end], length })
}

/// Where a word's text ends, and whether by `?=`.
fn end_of_text(text: &[u8]) -> (usize, bool) {
    let mut at = 0;
    while let Some(found) = memchr(b'?', &text[at..]) {
        let mark = at + found;
        if text.get(mark + 1) == Some(&b'=') {
            return (mark, true);
        }
        if mark > 0 && text[mark - 1] == b'=' && word_may_start(&text[mark + 1..]) {
            return (mark - 1, false);
        }
        at = mark + 1;
    }
    (text.len(), false)
}

/// Whether `charset?B?` follows.
fn word_may_start(text: &[u8]) -> bool {
    let near = &text[..text.len().min(64)];
    let letter = memchr(b'?', near).and_then(|mark| text.get(mark + 1..mark + 3));
    matches!(letter, Some([b'b' | b'B' | b'q' | b'Q', b'?']))
}

fn unwrap(word: &Word, out: &mut Vec<u8>) {
    if word.base64 {
        base64(word.text, word.text.len(), out);
        return;
    }
    let mut rest = word.text;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match (byte, hex_pair(tail)) {
            (b'=', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
            }
            (b'_', _) => out.push(b' '),
            _ => out.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::charset::Charsets;
    use super::decode;

    fn read(value: &str) -> String {
        let mut out = String::new();
        decode(value.as_bytes(), &Charsets::default(), &mut out);
        out
    }

    #[test]
    fn words_are_read_as_they_are_meant() {
        assert_eq!(read("=?utf-8?Q?caf=C3=A9_au_lait?= please"), "café au lait please");
        assert_eq!(read("Re: =?EUC-KR?B?x9Gx2yC/5Liu?="), "Re: 한글 요리");
        assert_eq!(read("=?utf-8?Q?a?= =?utf-8?Q?b?= c"), "ab c");
        assert_eq!(read("=?utf-8?B?7ZU=?= =?utf-8?B?nOq4gA==?="), "한글");
        assert_eq!(read("=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?="), "aé");
    }

    #[test]
    fn damaged_words_are_read_as_far_as_possible() {
        assert_eq!(read("=?utf-8?Q?hello world?="), "hello world");
        assert_eq!(read("=?utf-8?Q?no_end"), "no end");
        assert_eq!(read("=?utf-8?Q?one =?utf-8?Q?two?="), "one two");
        assert_eq!(read("=?utf-8?X?left_alone?="), "=?utf-8?X?left_alone?=");
        assert_eq!(read("=?utf-8?B?aGVsbG8?="), "hello");
        assert_eq!(read("a =? b ?= c =?"), "a =? b ?= c =?");
    }
}

//! Tags and the attributes that matter to what a reader sees.

use memchr::{memchr, memmem, memrchr};

/// Where the last of each kind of end stands, so that no search for one runs past all of them twice.
pub(super) struct Ends {
    /// Behind the last `>`.
    pub tag: usize,
    /// The last `-->`, or 0.
    pub comment: usize,
    double_quote: usize,
    single_quote: usize,
}

impl Ends {
    /// Looks from the end of the input.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Ends {
            tag: memrchr(b'>', bytes).map_or(0, |found| found + 1),
            comment: memmem::rfind(bytes, b"-->").unwrap_or(0),
            double_quote: memrchr(b'"', bytes).unwrap_or(0),
            single_quote: memrchr(b'\'', bytes).unwrap_or(0),
        }
    }
}

/// Longest name that any element has.
const LONGEST: usize = 12;

/// An element's name in lower case; names longer than any element's are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    letters: [u8; LONGEST],
    length: u8,
}

impl Name {
    /// The name at the start of `bytes`.
    pub(super) fn at(bytes: &[u8]) -> Self {
        let mut name = Name { letters: [0; LONGEST], length: 0 };
        for (letter, byte) in name.letters.iter_mut().zip(bytes) {
            if ends_name(*byte) {
                break;
            }
            *letter = byte.to_ascii_lowercase();
            name.length += 1;
        }
        name
    }

    /// Its letters.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.letters[..usize::from(self.length)]
    }

    /// Whether the element has no content and no end tag.
    pub(super) fn is_void(&self) -> bool {
        matches!(
            self.bytes(),
            b"br"
                | b"hr"
                | b"img"
                | b"input"
                | b"meta"
                | b"link"
                | b"area"
                | b"base"
                | b"col"
                | b"embed"
                | b"param"
                | b"source"
                | b"wbr"
                | b"frame"
        )
    }
}

fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

/// A start tag.
#[derive(Debug)]
pub(super) struct Tag<'i> {
    /// The element.
    pub name: Name,
    /// Behind its `>`.
    pub end: usize,
    /// `href`
    pub href: Option<&'i str>,
    /// `src`
    pub src: Option<&'i str>,
    /// `action`
    pub action: Option<&'i str>,
    /// `style`
    pub style: Option<&'i str>,
    /// `color`, or `text` of the body
    pub color: Option<&'i str>,
    /// `bgcolor`
    pub background: Option<&'i str>,
    /// `hidden`
    pub hidden: bool,
    /// `class`, `id` or `background`: its colours may come from elsewhere.
    pub styled_elsewhere: bool,
}

impl<'i> Tag<'i> {
    /// The tag whose `<` stands at `start`; nothing if it never ends.
    pub(super) fn read(input: &'i str, start: usize, ends: &Ends) -> Option<Self> {
        let bytes = input.as_bytes();
        let name = Name::at(&bytes[start + 1..]);
        let mut tag = Tag {
            name,
            end: start,
            href: None,
            src: None,
            action: None,
            style: None,
            color: None,
            background: None,
            hidden: false,
            styled_elsewhere: false,
        };
        let mut at = start + 1 + bytes[start + 1..].iter().take_while(|byte| !ends_name(**byte)).count();
        loop {
            at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b'/').count();
            if *bytes.get(at)? == b'>' {
                tag.end = at + 1;
                return Some(tag);
            }
            let from = at;
            at += 1;
            at += bytes[at..].iter().take_while(|byte| !ends_name(**byte) && **byte != b'=').count();
            let attribute = &input[from..at];
            let blanks = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if bytes.get(at + blanks) == Some(&b'=') {
                let (value, next) = value(input, at + blanks + 1, ends)?;
                tag.set(attribute, value);
                at = next;
            } else {
                tag.set(attribute, "");
            }
        }
    }

    fn set(&mut self, attribute: &str, value: &'i str) {
        let is = |name: &str| attribute.eq_ignore_ascii_case(name);
        // The first of two counts, as in browsers.
        let slot = match attribute.len() {
            3 if is("src") => &mut self.src,
            4 if is("href") => &mut self.href,
            4 if is("text") => &mut self.color,
            5 if is("style") => &mut self.style,
            5 if is("color") => &mut self.color,
            6 if is("action") => &mut self.action,
            7 if is("bgcolor") => &mut self.background,
            6 if is("hidden") => {
                self.hidden = true;
                return;
            }
            _ => {
                self.styled_elsewhere |= is("class") || is("id") || is("background");
                return;
            }
        };
        slot.get_or_insert(value);
    }
}

/// The value behind a `=`, and where the tag goes on.
fn value<'i>(input: &'i str, behind: usize, ends: &Ends) -> Option<(&'i str, usize)> {
    let bytes = input.as_bytes();
    let start = behind + bytes[behind..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let quote = *bytes.get(start)?;
    let last = match quote {
        b'"' => ends.double_quote,
        b'\'' => ends.single_quote,
        _ => 0,
    };
    if last > start {
        let end = start + 1 + memchr(quote, &bytes[start + 1..])?;
        return Some((&input[start + 1..end], end + 1));
    }
    // No quotes, or one that never closes.
    let length =
        bytes[start..].iter().take_while(|byte| !byte.is_ascii_whitespace() && **byte != b'>').count();
    Some((input[start..start + length].trim_matches(['"', '\'']), start + length))
}

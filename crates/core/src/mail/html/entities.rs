//! Character references: `&amp;`, `&#233;`, `&#xe9;`.

use crate::ablation::{Step, without};
use std::sync::LazyLock;

/// References that browsers accept without a semicolon, even in front of letters.
const BARE: [&str; 7] = ["nbsp", "quot", "copy", "amp", "reg", "lt", "gt"];

/// The character that the reference at the start of `bytes` stands for, and the reference's length.
pub(super) fn entity(bytes: &[u8]) -> Option<(char, usize)> {
    if without(Step::References) {
        return None;
    }
    let inside = &bytes[1..];
    if let Some(digits) = inside.strip_prefix(b"#") {
        return numeric(digits).map(|(character, length)| (character, length + 2));
    }
    // Names are short; looking no further keeps a storm of "&" linear.
    let length = inside.iter().take(10).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = std::str::from_utf8(&inside[..length]).ok().filter(|name| !name.is_empty())?;
    if let Some(character) = named(name) {
        return Some((character, 1 + length + usize::from(inside.get(length) == Some(&b';'))));
    }
    let bare = BARE.iter().find(|bare| name.starts_with(**bare))?;
    Some((named(bare)?, 1 + bare.len()))
}

/// The text with every reference resolved.
pub(super) fn resolve(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..found]);
        rest = &rest[found..];
        let (character, length) = entity(rest.as_bytes()).unwrap_or(('&', 1));
        out.push(character);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The character of a number, decimal or hexadecimal, and how long number and semicolon are.
fn numeric(digits: &[u8]) -> Option<(char, usize)> {
    let (digits, prefix, radix) = match digits {
        [b'x' | b'X', rest @ ..] => (rest, 1, 16),
        _ => (digits, 0, 10),
    };
    let mut code = 0u32;
    let mut length = 0;
    for digit in digits.iter().map_while(|byte| char::from(*byte).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    if length == 0 {
        return None;
    }
    let length = prefix + length + usize::from(digits.get(length) == Some(&b';'));
    Some((character(code), length))
}

/// The character of a code. Those between 128 and 159 mean Windows-1252, as in browsers.
fn character(code: u32) -> char {
    if let Ok(byte @ 0x80..=0x9f) = u8::try_from(code) {
        let bytes = [byte];
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes);
        return text.chars().next().unwrap_or('\u{fffd}');
    }
    char::from_u32(code).filter(|found| *found != '\0').unwrap_or('\u{fffd}')
}

/// Latin-1 from 160 on, in order.
#[rustfmt::skip]
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy", "reg", "macr",
    "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest",
    "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml",
    "ETH", "Ntilde", "Ograve", "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN", "szlig",
    "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml",
    "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

/// Greek from 913 on, in order; no name where there is no letter.
#[rustfmt::skip]
const GREEK: [&str; 57] = [
    "Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa", "Lambda", "Mu", "Nu", "Xi", "Omicron", "Pi",
    "Rho", "", "Sigma", "Tau", "Upsilon", "Phi", "Chi", "Psi", "Omega", "", "", "", "", "", "", "",
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "omicron", "pi",
    "rho", "sigmaf", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
];

/// Names without such an order.
#[rustfmt::skip]
const OTHERS: [(&str, char); 59] = [
    ("amp", '&'), ("AMP", '&'), ("lt", '<'), ("LT", '<'), ("gt", '>'), ("GT", '>'), ("quot", '"'), ("QUOT", '"'), ("apos", '\''),
    ("ensp", '\u{2002}'), ("emsp", '\u{2003}'), ("thinsp", '\u{2009}'), ("zwnj", '\u{200c}'), ("zwj", '\u{200d}'), ("lrm", '\u{200e}'), ("rlm", '\u{200f}'),
    ("ndash", '\u{2013}'), ("mdash", '\u{2014}'), ("lsquo", '\u{2018}'), ("rsquo", '\u{2019}'), ("sbquo", '\u{201a}'), ("ldquo", '\u{201c}'), ("rdquo", '\u{201d}'), ("bdquo", '\u{201e}'),
    ("dagger", '\u{2020}'), ("Dagger", '\u{2021}'), ("bull", '\u{2022}'), ("hellip", '\u{2026}'), ("permil", '\u{2030}'), ("prime", '\u{2032}'), ("lsaquo", '\u{2039}'), ("rsaquo", '\u{203a}'), ("oline", '\u{203e}'), ("frasl", '\u{2044}'),
    ("euro", '\u{20ac}'), ("trade", '\u{2122}'), ("larr", '\u{2190}'), ("uarr", '\u{2191}'), ("rarr", '\u{2192}'), ("darr", '\u{2193}'), ("minus", '\u{2212}'), ("infin", '\u{221e}'), ("asymp", '\u{2248}'), ("ne", '\u{2260}'), ("le", '\u{2264}'), ("ge", '\u{2265}'),
    ("spades", '\u{2660}'), ("clubs", '\u{2663}'), ("hearts", '\u{2665}'), ("diams", '\u{2666}'), ("check", '\u{2713}'),
    ("OElig", '\u{152}'), ("oelig", '\u{153}'), ("Scaron", '\u{160}'), ("scaron", '\u{161}'), ("Yuml", '\u{178}'), ("fnof", '\u{192}'), ("circ", '\u{2c6}'), ("tilde", '\u{2dc}'),
];

/// The character that a name stands for.
fn named(name: &str) -> Option<char> {
    let place = BY_NAME.binary_search_by_key(&name, |(known, _)| *known).ok()?;
    Some(BY_NAME[place].1)
}

/// Every name with its character, in the order of names.
static BY_NAME: LazyLock<Vec<(&str, char)>> = LazyLock::new(|| {
    let ordered = |names: &'static [&str], first: u32| {
        let codes = (first..).filter_map(char::from_u32);
        names.iter().copied().zip(codes).filter(|(name, _)| !name.is_empty())
    };
    let mut all: Vec<_> = ordered(&LATIN, 160).chain(ordered(&GREEK, 913)).chain(OTHERS).collect();
    all.sort_unstable();
    all
});

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn references_are_resolved() {
        assert_eq!(
            resolve("a&amp;b &lt;c&gt; &#233;&#xE9; &eacute;&yuml;&Omega;&rho;&sigma;"),
            "a&b <c> éé éÿΩρσ"
        );
        assert_eq!(resolve("&#8364;&#128;&euro;"), "€€€");
        assert_eq!(
            resolve("AT&T &nbspx &copy2 &unknown; &;& &#; &#x;"),
            "AT&T \u{a0}x ©2 &unknown; &;& &#; &#x;"
        );
        assert_eq!(resolve("&#0;&#xD800;&#99999999999;&#0000065;"), "\u{fffd}\u{fffd}\u{fffd}A");
    }
}

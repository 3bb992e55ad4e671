//! What each character is to a word, and what a disguised word says once the disguise is taken off.

use crate::ablation::{Step, without};
use unicode_normalization::UnicodeNormalization;

/// What a character outside ASCII does to the word it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A letter or digit that is already in its final form: its bytes are hashed as they stand.
    Plain,
    /// A letter or mark that changes under case folding or normalisation: the word goes through [`fold`].
    Folds,
    /// A Korean syllable or letter in its final form.
    Hangul,
    /// Of Chinese or Japanese, which are written without spaces.
    Ideograph,
    /// Of Thai, Lao, Burmese or Khmer, which are written without spaces, and have letters and marks.
    Unspaced,
    /// Invisible; inside a word it is a disguise.
    Invisible,
    /// Ends a word.
    Break,
}

/// The role of a character outside ASCII.
pub fn role(c: char) -> Role {
    match c as u32 {
        0xAC00..=0xD7A3 | 0x3131..=0x3163 | 0x3165..=0x318E => Role::Hangul, // syllables, compatibility letters
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x323AF => Role::Ideograph, // Han
        0xF900..=0xFAFF | 0x3005..=0x3007 => Role::Ideograph, // its compatibility characters, repetition, zero
        0x3041..=0x3096 | 0x3099 | 0x309A | 0x309D..=0x309F => Role::Ideograph, // Hiragana
        0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F => Role::Ideograph, // Katakana
        0x0E3F | 0x0E4F | 0x0E5A | 0x0E5B | 0x104A..=0x104F => Role::Break, // signs of Thai and Burmese
        0x0E01..=0x0EDF | 0x1000..=0x109F | 0x1780..=0x17D3 => Role::Unspaced, // Thai, Lao, Burmese, Khmer
        0x00DF..=0x00F6 | 0x00F8..=0x00FF => Role::Plain,     // é and its Latin-1 kin
        0x00AD | 0x034F | 0x115F | 0x1160 | 0x180B..=0x180E | 0x3164 => invisible(),
        0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFA0 => invisible(),
        0x0300..=0x036F => Role::Folds, // combining marks
        _ if c.is_alphanumeric() => Role::Folds,
        _ => Role::Break,
    }
}

/// The role of an invisible character.
#[inline(always)]
fn invisible() -> Role {
    if without(Step::Invisible) { Role::Break } else { Role::Invisible }
}

/// Whether a character belongs to the one before it, as the mark of a letter does.
pub fn attaches(c: char) -> bool {
    matches!(c as u32,
        0x0E31 | 0x0E33..=0x0E3A | 0x0E47..=0x0E4E // Thai
        | 0x0EB1 | 0x0EB3..=0x0EBC | 0x0EC8..=0x0ECE // Lao
        | 0x102B..=0x103E | 0x1056..=0x1059 | 0x105E..=0x1060 | 0x1062..=0x1064 | 0x1067..=0x106D
        | 0x1071..=0x1074 | 0x1082..=0x108D | 0x108F | 0x109A..=0x109D // Burmese
        | 0x17B4..=0x17D3 // Khmer
        | 0x3099 | 0x309A | 0xFF9E | 0xFF9F // kana
        | 0x1160..=0x11FF // Hangul, of which vowels and finals follow an initial
        | 0xD7B0..=0xD7FF)
        || !c.is_ascii() && role(c) == Role::Invisible
}

/// Whether the next character belongs to this one, which stacks consonants in Burmese and Khmer.
pub fn joins_next(c: char) -> bool {
    matches!(c, '\u{1039}' | '\u{17D2}')
}

/// Whether a character is not in its final form.
pub fn changes(c: char) -> bool {
    match c as u32 {
        0xF900..=0xFAFF | 0x3099 | 0x309A | 0x309F | 0x30FF | 0xFF66..=0xFF9F => true,
        _ => !c.is_ascii() && matches!(role(c), Role::Folds | Role::Invisible),
    }
}

/// Whether a word must go through [`fold`]; one that need not is hashed as it stands, but for the case of ASCII.
pub fn folds(word: &str) -> bool {
    word.chars().any(changes)
}

/// Writes the final form of a word into `out`: compatibility-composed (NFKC), invisible characters gone,
/// lower case, look-alike Cyrillic and Greek letters turned Latin where that leaves letters from a to z as well.
/// Says whether the word was disguised: it held invisible characters or letters of mixed alphabets.
pub fn fold(word: &str, out: &mut String) -> bool {
    out.clear();
    let visible = |c: &char| c.is_ascii() || role(*c) != Role::Invisible;
    let invisible = !word.chars().all(|c| visible(&c));
    let (mut twins, mut marks) = (false, false);
    let seen = word.chars().filter(visible);
    let composed = if without(Step::Compatibility) { seen.nfc() } else { seen.nfkc() };
    // Twice: what is invisible must not keep a letter and its mark apart, and normalisation can bring more of it.
    for c in composed.filter(visible).flat_map(char::to_lowercase) {
        twins |= latin_twin(c).is_some();
        marks |= matches!(c, '\u{300}'..='\u{36F}');
        out.push(c);
    }
    let mixed = twins && out.bytes().any(|b| b.is_ascii_alphabetic()) && !without(Step::MixedScripts);
    if mixed {
        *out = out.chars().map(|c| latin_twin(c).unwrap_or(c)).collect();
    }
    if marks {
        // Of what is now lower case or Latin there may be one character where there was none before.
        *out = out.nfc().collect();
    }
    invisible || mixed
}

/// The Latin letter that a Cyrillic or Greek small letter is commonly mistaken for (Unicode UTS #39, confusables).
fn latin_twin(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ё' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'п' | 'η' => 'n',
        'о' | 'ο' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_come_off() {
        let cases = [
            ("Ｆｒｅｅ", "free", false),
            ("vi\u{200B}agra", "viagra", true),
            ("vіаgrа", "viagra", true),
            ("москва", "москва", false),
            ("대\u{200B}출", "대출", true),
            ("\u{1103}\u{1162}\u{110E}\u{116E}\u{11AF}", "대출", false),
            ("Ünïcode", "ünïcode", false),
            ("e\u{301}te", "éte", false),
            ("e\u{200B}\u{301}te", "éte", true),
            ("Ｖ\u{456}\u{430}ＧＲ\u{430}", "viagra", true),
            ("H\u{331}\u{430}\u{301}", "\u{1E96}á", true),
        ];
        let mut out = String::new();
        for (word, clean, disguised) in cases {
            assert_eq!(fold(word, &mut out), disguised, "{word}");
            assert_eq!(out, clean);
        }
    }
}

//! What tells beside words, or for them: pairs of the syllables of Korean words, whose endings are many; and n-grams of
//! the characters of scripts written without spaces, which have no words to be seen.
//!
//! A part is named as it stands, so that 영화 is one feature, as a word and within 영화를.

use super::character::{attaches, changes, fold, joins_next};
use super::hash::Key;
use super::token::{LONGEST, MOST_WORDS, Token};
use crate::narrow::narrow;
use crate::view::Field;
use std::ops::{Range, RangeInclusive};

/// Bit of the size of a token that is a part; the other bits say beside n-grams of how many words it is read.
pub const PART: u8 = 0x80;

/// Characters of a part at most.
const MOST: usize = MOST_WORDS + 2;

/// How a script is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Korean: pairs of syllables.
    Syllables,
    /// Chinese and Japanese: single characters and pairs; with n-grams of n words, n-grams of n + 1 characters.
    Ideographs,
    /// Thai, Lao, Burmese, Khmer: pairs and threes of letters with their marks; with n-grams of n words, of n + 2.
    Letters,
}

impl Script {
    /// The sizes of parts, in characters, that are read beside n-grams of so many words at most.
    fn sizes(self, words: usize) -> RangeInclusive<usize> {
        match self {
            Script::Syllables => 2..=2,
            Script::Ideographs => 1..=words + 1,
            Script::Letters => 2..=words + 2,
        }
    }

    /// Beside n-grams of how many words a part of `n` characters is read.
    fn level(self, n: usize) -> u8 {
        let first = match self {
            Script::Syllables | Script::Ideographs => 2,
            Script::Letters => 3,
        };
        u8::try_from(n.saturating_sub(first)).unwrap_or(0) + 1
    }
}

/// A run of characters of one script as it is read, whose parts are appended to `out`.
pub struct Run<'a> {
    /// The key of the hash.
    pub key: &'a Key,
    /// The text that it stands in.
    pub text: &'a str,
    /// Where it came from.
    pub field: Field,
    /// How it is cut.
    pub script: Script,
    /// Words of the longest n-gram beside which it is read.
    pub words: usize,
    /// A part that is known as a word already.
    pub word: Range<usize>,
}

impl Run<'_> {
    /// Appends the parts of the characters from `start` to `end`.
    pub fn read(&self, start: usize, end: usize, out: &mut Vec<Token>) {
        // The first bytes of the characters that were read last, newest first.
        let mut starts = [start; MOST];
        let (mut held, mut joined, first) = (0, false, out.len());
        for (at, c) in self.text[start..end].char_indices() {
            let at = start + at;
            if held > 0 && (joined || attaches(c)) {
                joined = joins_next(c);
                continue;
            }
            if held > 0 {
                self.close(&starts[..held], at, out);
            }
            starts.copy_within(..MOST - 1, 1);
            starts[0] = at;
            held = (held + 1).min(MOST);
            joined = joins_next(c);
        }
        self.close(&starts[..held], end, out);
        if out.len() == first && held == 1 && self.script == Script::Letters {
            self.push(starts[0], end, 1, out);
        }
    }

    /// Appends the parts that end with the character that ends at `end`.
    fn close(&self, starts: &[usize], end: usize, out: &mut Vec<Token>) {
        for n in self.script.sizes(self.words).take_while(|&n| n <= starts.len()) {
            if (starts[n - 1]..end) != self.word {
                self.push(starts[n - 1], end, self.script.level(n), out);
            }
        }
    }

    /// Appends a part, unless marks without end make it longer than the words beside which it is read may be.
    fn push(&self, start: usize, end: usize, level: u8, out: &mut Vec<Token>) {
        if end - start > LONGEST * usize::from(level) {
            return;
        }
        let mut folded = String::new();
        let part = name(&self.text[start..end], &mut folded);
        let size = PART | level;
        let hash = self.key.word(self.field, part);
        out.push(Token { hash, start: narrow(start), end: narrow(end), field: self.field, size });
    }
}

/// The name of a part that stands so in the text: in its final form, for which `folded` is there.
pub fn name<'a>(part: &'a str, folded: &'a mut String) -> &'a str {
    if !part.chars().any(changes) {
        return part;
    }
    fold(part, folded);
    folded
}

#[cfg(test)]
mod tests {
    use crate::text::hash::Key;
    use crate::text::token::Tokenizer;
    use crate::view::Field;

    fn names(text: &str, shortest: usize, longest: usize) -> Vec<String> {
        let tokenizer = Tokenizer::of_words(Key::new(7), shortest, longest);
        let mut tokens = Vec::new();
        tokenizer.scan(text, Field::Body, 0, text.len(), &mut tokens);
        for token in &tokens {
            assert!(tokenizer.admits(token.size));
        }
        tokens.iter().map(|&token| tokenizer.name(text, token)).collect()
    }

    #[test]
    fn korean_words_have_pairs_beside_them() {
        let expected =
            ["영화를", "영화", "화를", "봤다", "영화를 봤다", "ㅋㅋㅋ", "봤다 ㅋㅋㅋ", "ㅋㅋ", "ㅋㅋ"];
        assert_eq!(names("영화를 봤다 ㅋㅋㅋ", 1, 2), expected);
        assert_eq!(names("영화를 봤다", 2, 2), ["영화를 봤다"]);
        assert_eq!(names("a영화b tv영화를", 1, 1), ["a영화b", "영화", "tv영화를", "영화", "화를"]);
        // Decomposed, and with something invisible within.
        let decomposed = "\u{110B}\u{1167}\u{11BC}\u{1112}\u{116A}\u{1105}\u{1173}\u{11AF}";
        assert_eq!(names(decomposed, 1, 1), ["영화를", "영화", "화를"]);
        assert_eq!(names("영\u{200B}화를", 1, 1), ["shape:disguised", "영화를", "영화", "화를"]);
        // A word that is too long is passed over; what it is made of is not.
        let long = "가나다라마바사아자차카타파하거너더러머버서어";
        assert_eq!(long.len(), 66);
        assert_eq!(names(long, 1, 1).len(), 21);
    }

    #[test]
    fn scripts_without_spaces_are_n_grams_of_characters() {
        assert_eq!(names("東京都", 1, 1), ["東", "京", "東京", "都", "京都"]);
        assert_eq!(names("東京都", 1, 2), ["東", "京", "東京", "都", "京都", "東京都"]);
        assert_eq!(names("東京都", 2, 2), ["東京都"]);
        assert_eq!(names("佐々木ｶﾞ", 1, 1), ["佐", "々", "佐々", "木", "々木", "ガ", "木ガ"]);
        assert_eq!(names("か\u{3099}く", 1, 1), ["が", "く", "がく"]);
        // What stands between keeps words apart.
        assert_eq!(names("my 東 pen", 1, 2), ["my", "東", "pen"]);
        // Marks stay with their letters; Burmese and Khmer stack consonants.
        assert_eq!(names("ที่นี่มี", 1, 1), ["ที่นี่", "นี่มี", "ที่นี่มี"]);
        assert_eq!(names("กำ", 1, 1), ["กำ"]);
        assert_eq!(names("ខ្មែរ", 1, 1), ["ខ្មែរ"]);
        assert_eq!(names("မြန်မာ", 1, 1), ["မြန်", "န်မာ", "မြန်မာ"]);
        assert_eq!(names("ກິນເຂົ້າ", 1, 2), ["ກິນ", "ນເ", "ກິນເ", "ເຂົ້", "ນເຂົ້", "ກິນເຂົ້", "ຂົ້າ", "ເຂົ້າ", "ນເຂົ້າ"]);
    }

    #[test]
    fn parts_are_no_longer_than_words() {
        let marks = "\u{3099}".repeat(21);
        assert_eq!(names(&format!("か{}く", &marks[9..]), 1, 1).len(), 3);
        assert_eq!(names(&format!("か{marks}く"), 1, 1), ["く"]);
        assert_eq!(names(&format!("か{marks}くけ"), 1, 2).len(), 4);
        assert!(names(&format!("ก{}", "\u{0E49}".repeat(21)), 1, 1).is_empty());
        assert!(names(&format!("가{}", "\u{11BC}".repeat(30)), 1, 1).is_empty());
    }

    #[test]
    fn stop_words_take_their_parts_along() {
        let tokenizer = Tokenizer::of_words(Key::new(7), 1, 1).without(&["그리고".into(), "的".into()]);
        let mut tokens = Vec::new();
        let text = "그리고 영화 我的";
        tokenizer.scan(text, Field::Body, 0, text.len(), &mut tokens);
        let names: Vec<String> = tokens.iter().map(|&token| tokenizer.name(text, token)).collect();
        assert_eq!(names, ["영화", "我", "我的"]);
    }
}

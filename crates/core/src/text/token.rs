//! One pass over a text: words, lower-cased and hashed as they are read, and their n-grams.
//!
//! A word is a run of letters and digits. An apostrophe or underscore between two of them belongs to it
//! ("don't"); outside running text so do dots and hyphens ("mx1.example.org", "198.51.100.7"). Scripts written
//! without spaces yield overlapping pairs of characters. Words of more than [`LONGEST`] bytes are passed over.

use super::character::{Role, fold, role};
use super::hash::Key;
use crate::view::Field;

/// Words longer than this many bytes carry no evidence that could come twice.
pub const LONGEST: usize = 64;

/// The largest n of an n-gram.
pub const MOST_WORDS: usize = 5;

/// How text becomes tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    /// Key of the hash.
    pub key: Key,
    /// Shortest n-gram, in words: 1 ≤ shortest ≤ longest.
    pub shortest: usize,
    /// Longest n-gram, in words: at most [`MOST_WORDS`].
    pub longest: usize,
}

/// One word or n-gram: its hash, and where it stands in the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Keyed hash of the token's name.
    pub hash: u64,
    /// Where it came from; [`Field::Shape`] means "the word here was disguised".
    pub field: Field,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What an ASCII byte is to a word: its lower case, or one of the marks below.
const WORD: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 128 {
        let c = b as u8;
        if c.is_ascii_alphanumeric() {
            table[b] = c.to_ascii_lowercase();
        }
        b += 1;
    }
    table
};

/// May this byte join two parts of one word?
#[inline(always)]
fn joins(byte: u8, field: Field) -> bool {
    match byte {
        b'\'' | b'_' => true,
        b'.' | b'-' => !matches!(field, Field::Body | Field::Subject),
        _ => false,
    }
}

/// A word as it is read: `state` is the running hash, valid unless `folds`.
struct Word {
    state: u64,
    end: usize,
    folds: bool,
}

impl Tokenizer {
    /// Tokens of `text[start..end]`, which came from `field`, in order: each word, then the n-grams it ends.
    #[inline]
    pub fn scan(&self, text: &str, field: Field, start: usize, end: usize, sink: &mut impl FnMut(Token)) {
        let bytes = &text.as_bytes()[..end];
        let mut grams = Grams::default();
        let mut folded = String::new();
        let mut i = start;
        while i < end {
            let b = bytes[i];
            if WORD[b as usize] == 0 {
                if b < 0x80 {
                    i += 1;
                    continue;
                }
                let c = character(text, i);
                match role(c) {
                    Role::Plain | Role::Folds => {}
                    Role::Unspaced => {
                        i = self.pairs(text, field, i, end, &mut grams, sink);
                        continue;
                    }
                    Role::Invisible | Role::Break => {
                        i += c.len_utf8();
                        continue;
                    }
                }
            }
            let word = self.word(text, bytes, field, i);
            if word.end - i <= LONGEST {
                let mut hash = self.key.finish(word.state);
                if word.folds {
                    let disguised = fold(&text[i..word.end], &mut folded);
                    hash = self.key.word(field, &folded);
                    if disguised {
                        let hash = self.key.word(Field::Shape, DISGUISED);
                        sink(Token { hash, field: Field::Shape, start: i, end: word.end });
                    }
                }
                grams.push(self, Token { hash, field, start: i, end: word.end }, sink);
            } else {
                grams.clear();
            }
            i = word.end;
        }
    }

    /// Reads the word that begins at `i`.
    #[inline(always)]
    fn word(&self, text: &str, bytes: &[u8], field: Field, mut i: usize) -> Word {
        let mut state = self.key.start(field);
        let mut folds = false;
        while i < bytes.len() {
            let b = bytes[i];
            let lower = WORD[b as usize];
            if lower != 0 {
                state = self.key.step(state, lower);
                i += 1;
            } else if b >= 0x80 {
                let c = character(text, i);
                let next = i + c.len_utf8();
                match role(c) {
                    Role::Plain => state = bytes[i..next].iter().fold(state, |h, &b| self.key.step(h, b)),
                    Role::Folds | Role::Invisible => folds = true,
                    Role::Unspaced | Role::Break => break,
                }
                i = next;
            } else if joins(b, field) && bytes.get(i + 1).is_some_and(|&n| WORD[n as usize] != 0) {
                state = self.key.step(state, b);
                i += 1;
            } else {
                break;
            }
        }
        Word { state, end: i, folds }
    }

    /// Overlapping pairs of a run of characters of scripts without spaces; a lone one stands for itself.
    fn pairs(
        &self,
        text: &str,
        field: Field,
        start: usize,
        end: usize,
        grams: &mut Grams,
        sink: &mut impl FnMut(Token),
    ) -> usize {
        grams.clear();
        let mut previous: Option<usize> = None;
        let mut i = start;
        let mut emitted = false;
        while i < end {
            let Some(c) = text[i..end].chars().next().filter(|&c| !c.is_ascii() && role(c) == Role::Unspaced)
            else {
                break;
            };
            let next = i + c.len_utf8();
            if let Some(previous) = previous {
                let hash = self.key.word(field, &text[previous..next]);
                grams.push(self, Token { hash, field, start: previous, end: next }, sink);
                emitted = true;
            }
            previous = Some(i);
            i = next;
        }
        if !emitted {
            let hash = self.key.word(field, &text[start..i]);
            grams.push(self, Token { hash, field, start, end: i }, sink);
        }
        grams.clear();
        i
    }

    /// The token's name as people read it: prefix, then its words in final form, one space between.
    pub fn name(&self, text: &str, token: Token) -> String {
        let mut name = String::from(token.field.prefix());
        if token.field == Field::Shape {
            let remark = &text[token.start..token.end];
            name.push_str(if remark.is_ascii() { remark } else { DISGUISED });
            return name;
        }
        let words = Tokenizer { shortest: 1, longest: 1, ..*self };
        let mut folded = String::new();
        let mut first = true;
        words.scan(text, token.field, token.start, token.end, &mut |word| {
            if word.field == Field::Shape {
                return;
            }
            if !std::mem::take(&mut first) {
                name.push(' ');
            }
            fold(&text[word.start..word.end], &mut folded);
            name.push_str(&folded);
        });
        name
    }
}

/// The shape that says: the word here hid behind invisible or look-alike characters.
const DISGUISED: &str = "disguised";

/// The character at byte `i`, a character boundary inside `text`.
#[inline]
fn character(text: &str, i: usize) -> char {
    text[i..].chars().next().unwrap_or('\u{FFFD}')
}

/// The last few words, to form n-grams from.
#[derive(Default)]
struct Grams {
    hashes: [u64; MOST_WORDS],
    starts: [usize; MOST_WORDS],
    held: usize,
}

impl Grams {
    fn clear(&mut self) {
        self.held = 0;
    }

    /// Takes the next word and hands on every n-gram that ends with it.
    #[inline(always)]
    fn push(&mut self, tokenizer: &Tokenizer, word: Token, sink: &mut impl FnMut(Token)) {
        if tokenizer.shortest == 1 {
            sink(word);
        }
        if tokenizer.longest > 1 {
            self.extend(tokenizer, word, sink);
        }
    }

    #[inline]
    fn extend(&mut self, tokenizer: &Tokenizer, word: Token, sink: &mut impl FnMut(Token)) {
        // `hashes[n]` is the gram of the n + 1 words ending at the previous word.
        for n in (1..=self.held.min(tokenizer.longest - 1)).rev() {
            self.hashes[n] = tokenizer.key.join(self.hashes[n - 1], word.hash);
            self.starts[n] = self.starts[n - 1];
        }
        self.hashes[0] = word.hash;
        self.starts[0] = word.start;
        self.held = (self.held + 1).min(tokenizer.longest);
        for n in tokenizer.shortest.max(2)..=self.held {
            sink(Token { hash: self.hashes[n - 1], start: self.starts[n - 1], ..word });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, field: Field, shortest: usize, longest: usize) -> Vec<String> {
        let tokenizer = Tokenizer { key: Key::new(7), shortest, longest };
        let mut names = Vec::new();
        tokenizer.scan(text, field, 0, text.len(), &mut |t| names.push(tokenizer.name(text, t)));
        names
    }

    #[test]
    fn words_and_grams() {
        let body = |text| names(text, Field::Body, 1, 1);
        assert_eq!(body("Don't PANIC: 42 e-mails_sent!"), ["don't", "panic", "42", "e", "mails_sent"]);
        assert_eq!(body("'quoted' 'tis"), ["quoted", "tis"]);
        assert_eq!(body("무료 쿠폰 ÉTÉ Straße"), ["무료", "쿠폰", "été", "straße"]);
        assert_eq!(body("東京都 a"), ["東京", "京都", "a"]);
        assert_eq!(body("vi\u{200B}agra"), ["shape:disguised", "viagra"]);
        assert_eq!(names("a b c", Field::Body, 1, 3), ["a", "b", "a b", "c", "b c", "a b c"]);
        assert_eq!(names("a b c", Field::Body, 2, 2), ["a b", "b c"]);
        assert_eq!(
            names("mx-1.example.org [192.0.2.7]", Field::Received, 1, 1),
            ["received:mx-1.example.org", "received:192.0.2.7"]
        );
        assert!(body(&"x".repeat(65)).is_empty());
        assert!(body("").is_empty());
    }

    #[test]
    fn a_word_hashes_like_its_name() {
        let tokenizer = Tokenizer { key: Key::new(1), shortest: 1, longest: 1 };
        let text = "ＦＲＥＥ viАgra Größe 대출 ABC's 漢字";
        tokenizer.scan(text, Field::Subject, 0, text.len(), &mut |t| {
            assert_eq!(t.hash, tokenizer.key.word(Field::Body, &tokenizer.name(text, t)));
        });
    }
}

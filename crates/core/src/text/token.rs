//! One pass over a text: words, lower-cased and hashed as they are read, and their n-grams.
//!
//! A word is a run of letters and digits. An apostrophe or underscore between two of them belongs to it
//! ("don't"); outside running text so do dots and hyphens ("mx1.example.org", "198.51.100.7"). Beside Korean words, and
//! for those of scripts written without spaces, stand [`super::parts`]. Words of more than [`LONGEST`] bytes are passed
//! over, as are parts of more than those words may have beside which they are read.

use super::ascii::{self, Style, is_word};
use super::char_grams;
use super::character::{Role, fold, folds, role};
use super::hash::{Key, finish, join};
use super::parts::{self, PART, Run, Script};
use crate::ablation::{Step, without};
use crate::narrow::narrow;
use crate::view::Field;

/// Whether a character is one of those that Korean syllables are composed of.
fn is_conjoining(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x11FF | 0xA960..=0xA97C | 0xD7B0..=0xD7FB)
}

/// Words longer than this many bytes carry no evidence that could come twice.
pub const LONGEST: usize = 64;

/// The largest n of an n-gram.
pub const MOST_WORDS: usize = 5;

/// Bytes of one text that are read; what lies beyond is passed over.
pub const MOST_BYTES: usize = u32::MAX as usize - 1;

/// What n-grams are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Words.
    #[default]
    Words,
    /// Characters; lower-cased if `folds`, and of each word by itself, between two blanks, if `of_words`.
    Characters {
        /// Whether a word's n-grams end with the word.
        of_words: bool,
        /// Whether upper case is read as lower case.
        folds: bool,
    },
}

/// How text becomes tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    /// Key of the hash.
    pub key: Key,
    /// What n-grams are made of.
    pub unit: Unit,
    /// Shortest n-gram, in units: 1 ≤ shortest ≤ longest.
    pub shortest: usize,
    /// Longest n-gram, in units: at most [`MOST_WORDS`] or [`char_grams::MOST_CHARACTERS`].
    pub longest: usize,
    /// Ascending hashes of the words that are passed over.
    pub stop: Vec<u64>,
}

/// One word or n-gram: its hash, and where it stands in the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Keyed hash of the token's name.
    pub hash: u64,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Where it came from; [`Field::Shape`] means "the word here was disguised".
    pub field: Field,
    /// How many words it is of; 0 of a remark; of a part beside n-grams of how many it is read, and [`PART`].
    pub size: u8,
}

impl Token {
    /// The stretch of text where it stands.
    pub fn place(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The shape that says: the word here hid behind invisible or look-alike characters.
const DISGUISED: &str = "disguised";

impl Tokenizer {
    /// Words and their n-grams of these sizes.
    pub fn of_words(key: Key, shortest: usize, longest: usize) -> Tokenizer {
        Tokenizer { key, unit: Unit::Words, shortest, longest, stop: Vec::new() }
    }

    /// The same, which passes over these words, in every field.
    pub fn without(mut self, words: &[String]) -> Tokenizer {
        let mut tokens = Vec::new();
        let mut stop = Vec::new();
        for word in words {
            for field in Field::ALL {
                tokens.clear();
                Scan::new(&self, word, field, word.len()).run(0, &mut tokens);
                let whole = tokens.iter().filter(|token| token.place() == (0..word.len()));
                stop.extend(whole.map(|token| token.hash));
            }
        }
        stop.sort_unstable();
        stop.dedup();
        self.stop = stop;
        self
    }

    /// Whether tokens of this size are among those that are asked for; remarks, of 0 words, always are.
    pub fn admits(&self, size: u8) -> bool {
        size == 0 || (self.shortest..=self.longest).contains(&usize::from(size & !PART))
    }

    fn stops(&self, word: &Token) -> bool {
        !self.stop.is_empty() && self.stop.binary_search(&word.hash).is_ok()
    }

    /// Appends the tokens of `text[start..end]`, which came from `field`: each word, then the n-grams it ends.
    pub fn scan(&self, text: &str, field: Field, start: usize, end: usize, out: &mut Vec<Token>) {
        let first = out.len();
        self.words(text, field, start, end, out);
        if self.unit == Unit::Words && self.longest > 1 {
            let words = out.split_off(first);
            self.grams(&words, out);
        }
    }

    /// Appends the words alone, from which [`Tokenizer::scan`] makes n-grams; of characters the n-grams themselves.
    pub fn words(&self, text: &str, field: Field, start: usize, end: usize, out: &mut Vec<Token>) {
        let first = out.len();
        let end = end.min(MOST_BYTES);
        if let Unit::Characters { of_words, .. } = self.unit {
            let end = (0..=end).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            return char_grams::scan(&self.key, &text[..end], of_words, (self.shortest, self.longest), out);
        }
        Scan::new(self, text, field, end).run(start, out);
        if !self.stop.is_empty() {
            let words = out.split_off(first);
            let mut stopped = 0;
            out.extend(words.into_iter().filter(|word| {
                let stops = self.stops(word);
                if stops && word.size & PART == 0 {
                    stopped = word.end;
                }
                !stops && (word.size & PART == 0 || word.start >= stopped)
            }));
        }
    }

    /// Appends words and the n-grams that end with each. Words are neighbours whatever was passed over between them.
    fn grams(&self, words: &[Token], out: &mut Vec<Token>) {
        let mut tails = [0; MOST_WORDS];
        let (mut held, mut end) = (0, 0);
        for (i, &word) in words.iter().enumerate() {
            if word.size != 1 {
                if word.size & PART != 0 && word.start >= end {
                    held = 0; // a run without spaces keeps words apart
                }
                if self.admits(word.size) {
                    out.push(word);
                }
                continue;
            }
            end = word.end;
            // `tails[n]` is the gram of the n + 1 words that ended just before.
            for n in (1..=held.min(self.longest - 1)).rev() {
                tails[n] = join(tails[n - 1], word.hash);
            }
            tails[0] = word.hash;
            held = (held + 1).min(self.longest);
            let mut start = i;
            for (n, size) in (1..=held).zip(1..) {
                if n >= self.shortest {
                    out.push(Token { hash: tails[n - 1], start: words[start].start, size, ..word });
                }
                // One word further back, over remarks about disguises and over parts.
                start = (0..start).rev().find(|&k| words[k].size == 1).unwrap_or(0);
            }
        }
    }

    /// The token's name as people read it: prefix, then its words in final form, one space between.
    pub fn name(&self, text: &str, token: Token) -> String {
        let mut name = String::new();
        self.push_name(text, token, &mut Vec::new(), &mut name);
        name
    }

    /// Appends that name to others; `words` is working memory.
    pub fn push_name(&self, text: &str, token: Token, words: &mut Vec<Token>, names: &mut String) {
        names.push_str(token.field.prefix());
        let place = token.place();
        if token.field == Field::Shape {
            let remark = &text[place];
            names.push_str(if remark.is_ascii() { remark } else { DISGUISED });
        } else if token.field.is_whole() {
            push_lower(&text[place], names);
        } else if self.unit != Unit::Words {
            names.push_str(&text[place]);
        } else if token.size & PART != 0 {
            names.push_str(parts::name(&text[place], &mut String::new()));
        } else {
            words.clear();
            Scan::new(self, text, token.field, place.end).run(place.start, words);
            self.push_words(text, words, names);
        }
    }

    /// Appends words in final form, one space between.
    fn push_words(&self, text: &str, words: &[Token], names: &mut String) {
        let mut folded = String::new();
        let heard = words.iter().filter(|word| word.size == 1 && !self.stops(word));
        for (i, word) in heard.enumerate() {
            if i > 0 {
                names.push(' ');
            }
            let word = &text[word.place()];
            if folds(word) {
                fold(word, &mut folded);
                names.push_str(&folded);
            } else if without(Step::Case) {
                names.push_str(word);
            } else {
                push_lower(word, names);
            }
        }
    }
}

/// Appends a text with its ASCII letters in lower case.
fn push_lower(text: &str, names: &mut String) {
    let from = names.len();
    names.push_str(text);
    names[from..].make_ascii_lowercase();
}

/// A pass over one stretch of text.
struct Scan<'a> {
    tokenizer: &'a Tokenizer,
    text: &'a str,
    bytes: &'a [u8],
    field: Field,
    folded: String,
}

impl<'a> Scan<'a> {
    /// Of the first `end` bytes of a text.
    fn new(tokenizer: &'a Tokenizer, text: &'a str, field: Field, end: usize) -> Scan<'a> {
        Scan { tokenizer, text, bytes: &text.as_bytes()[..end], field, folded: String::new() }
    }

    fn run(&mut self, start: usize, out: &mut Vec<Token>) {
        let style = Style::of(self.field);
        let key = &self.tokenizer.key;
        let mut i = start;
        while i < self.bytes.len() {
            let stretch = ascii::stretch(self.bytes, i, style);
            if stretch > i {
                ascii::words(key, self.bytes, i, stretch, self.field, out);
                i = stretch;
            } else {
                i = self.step_over(i, style, out);
            }
        }
    }

    /// Reads what begins at `i`, a word with characters outside ASCII or one that is no word; says where it ends.
    fn step_over(&mut self, i: usize, style: Style, out: &mut Vec<Token>) -> usize {
        let b = self.bytes[i];
        if b < 0x80 {
            return if is_word(b) { self.word(i, style, out) } else { i + 1 };
        }
        let c = self.character(i);
        match role(c) {
            Role::Plain | Role::Hangul | Role::Folds => self.word(i, style, out),
            Role::Ideograph => self.unspaced(i, Script::Ideographs, out),
            Role::Unspaced => self.unspaced(i, Script::Letters, out),
            Role::Invisible | Role::Break => i + c.len_utf8(),
        }
    }

    /// Reads the word that begins at `i`.
    fn word(&mut self, start: usize, style: Style, out: &mut Vec<Token>) -> usize {
        let key = &self.tokenizer.key;
        let mut state = key.start(self.field);
        let (mut folds, mut korean) = (false, false);
        let mut i = start;
        while i < self.bytes.len() {
            let b = self.bytes[i];
            let mut next = i + 1;
            if b >= 0x80 {
                let c = self.character(i);
                match role(c) {
                    Role::Plain => {}
                    Role::Hangul => korean = true,
                    Role::Folds | Role::Invisible => {
                        folds = true;
                        korean |= is_conjoining(c);
                    }
                    Role::Ideograph | Role::Unspaced | Role::Break => break,
                }
                next = i + c.len_utf8();
            } else if !(is_word(b) || style.joins(b) && self.goes_on(i + 1)) {
                break;
            }
            state = key.extend(state, &self.bytes[i..next]);
            i = next;
        }
        if i - start > LONGEST {
            if korean {
                self.syllables(start, i, 0..0, out);
            }
            return i;
        }
        let (hash, field) = (finish(state), self.field);
        let token = Token { hash, start: narrow(start), end: narrow(i), field, size: 1 };
        if folds {
            if fold(&self.text[start..i], &mut self.folded) && !without(Step::Remarks) {
                let hash = key.word(Field::Shape, DISGUISED);
                out.push(Token { hash, field: Field::Shape, size: 0, ..token });
            }
            out.push(Token { hash: key.word(field, &self.folded), ..token });
        } else {
            out.push(token);
        }
        if korean {
            self.syllables(start, i, start..i, out);
        }
        i
    }

    /// Reads the parts of the Korean in a word.
    fn syllables(&self, start: usize, end: usize, word: std::ops::Range<usize>, out: &mut Vec<Token>) {
        let run = self.run_of(Script::Syllables, word);
        let mut first = None;
        for (at, c) in self.text[start..end].char_indices() {
            let korean = !c.is_ascii() && (role(c) == Role::Hangul || is_conjoining(c));
            match first {
                None if korean => first = Some(start + at),
                Some(from) if !korean && (c.is_ascii() || role(c) != Role::Invisible) => {
                    run.read(from, start + at, out);
                    first = None;
                }
                _ => {}
            }
        }
        if let Some(from) = first {
            run.read(from, end, out);
        }
    }

    fn run_of(&self, script: Script, word: std::ops::Range<usize>) -> Run<'_> {
        let Tokenizer { key, longest, .. } = self.tokenizer;
        Run { key, text: self.text, field: self.field, script, words: *longest, word }
    }

    /// Whether a letter or digit of a word stands at byte `i`.
    fn goes_on(&self, i: usize) -> bool {
        self.bytes.get(i).is_some_and(|&b| {
            is_word(b)
                || b >= 0x80 && matches!(role(self.character(i)), Role::Plain | Role::Hangul | Role::Folds)
        })
    }

    /// Reads a run of characters of a script without spaces.
    fn unspaced(&self, start: usize, script: Script, out: &mut Vec<Token>) -> usize {
        let of = role(self.character(start));
        let mut i = start;
        while i < self.bytes.len() {
            let c = self.character(i);
            if c.is_ascii() || role(c) != of {
                break;
            }
            i += c.len_utf8();
        }
        self.run_of(script, 0..0).read(start, i, out);
        i
    }

    /// The character at byte `i`, a character boundary.
    #[inline]
    fn character(&self, i: usize) -> char {
        self.text[i..].chars().next().unwrap_or('\u{FFFD}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, field: Field, shortest: usize, longest: usize) -> Vec<String> {
        let tokenizer = Tokenizer::of_words(Key::new(7), shortest, longest);
        let mut tokens = Vec::new();
        tokenizer.scan(text, field, 0, text.len(), &mut tokens);
        tokens.iter().map(|&token| tokenizer.name(text, token)).collect()
    }

    #[test]
    fn words_and_grams() {
        let body = |text: &str| names(text, Field::Body, 1, 1);
        assert_eq!(body("Don't PANIC: 42 e-mails_sent!"), ["don't", "panic", "42", "e", "mails_sent"]);
        assert_eq!(body("'quoted' 'tis it''s a_"), ["quoted", "tis", "it", "s", "a"]);
        assert_eq!(body("무료 쿠폰 ÉTÉ Straße x"), ["무료", "쿠폰", "été", "straße", "x"]);
        assert_eq!(body("A무료B쿠폰 caféine"), ["a무료b쿠폰", "무료", "쿠폰", "caféine"]);
        assert_eq!(body("l'été d'un ,'é, ü'- v_\u{200B}a"), ["l'été", "d'un", "é", "ü", "v", "a"]);
        assert_eq!(body("ㅋㅏ ㅋㅋ 카 กำ"), ["ㅋㅏ", "ㅋㅋ", "카", "กำ"]);
        assert_eq!(body("東京都 a"), ["東", "京", "東京", "都", "京都", "a"]);
        assert_eq!(body("vi\u{200B}agra"), ["shape:disguised", "viagra"]);
        assert_eq!(names("a b c", Field::Body, 1, 3), ["a", "b", "a b", "c", "b c", "a b c"]);
        assert_eq!(names("a b c", Field::Body, 2, 2), ["a b", "b c"]);
        assert_eq!(names(&format!("a {} B", "x".repeat(65)), Field::Body, 2, 2), ["a b"]);
        assert_eq!(
            names("mx-1.example.org. [192.0.2.7]", Field::Received, 1, 1),
            ["received:mx-1.example.org", "received:192.0.2.7"]
        );
        assert!(body(&"x".repeat(65)).is_empty());
        assert_eq!(body(&format!("{} y", "x".repeat(600))), ["y"]);
        assert!(body("").is_empty());
    }

    #[test]
    fn a_word_hashes_like_its_name() {
        let tokenizer = Tokenizer::of_words(Key::new(1), 1, 1);
        let text = "ＦＲＥＥ viАgra Größe 대출 ㅋㅏ กำ ABC's 漢字 plain Words_here";
        let mut tokens = Vec::new();
        tokenizer.scan(text, Field::Subject, 0, text.len(), &mut tokens);
        for token in tokens {
            assert_eq!(token.hash, tokenizer.key.word(Field::Body, &tokenizer.name(text, token)));
        }
    }
}

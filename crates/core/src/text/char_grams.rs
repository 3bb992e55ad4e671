//! N-grams of characters: of the whole text, or of each word between two blanks.

use super::hash::{Key, finish};
use super::token::Token;
use crate::narrow::narrow;
use crate::view::Field;

/// Characters of an n-gram at most: in UTF-8 they are at most the 64 bytes whose hashes differ but by chance.
pub const MOST_CHARACTERS: usize = 16;

/// Python's `\s`: the white space of Unicode, and four separators of ASCII.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Appends `text` as its n-grams are read: lower case if it `folds`; of words, each between two blanks; else with one
/// blank for every run of white space.
pub fn prepare(text: &str, of_words: bool, folds: bool, out: &mut String) {
    let lower;
    let text = if folds {
        lower = text.to_lowercase();
        &lower
    } else {
        text
    };
    if of_words {
        for word in text.split(is_space).filter(|word| !word.is_empty()) {
            out.push(' ');
            out.push_str(word);
        }
        if !out.is_empty() {
            out.push(' ');
        }
        return;
    }
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let run = is_space(c) && rest.peek().is_some_and(|&next| is_space(next));
        while run && rest.next_if(|&next| is_space(next)).is_some() {}
        out.push(if run { ' ' } else { c });
    }
}

/// Appends the n-grams of `shortest` to `longest` characters of a prepared text.
///
/// A word with its blanks that is shorter than n is one n-gram, once.
pub fn scan(
    key: &Key,
    text: &str,
    of_words: bool,
    (shortest, longest): (usize, usize),
    out: &mut Vec<Token>,
) {
    let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    let mut push = |from: usize, to: usize| {
        let (from, to) = (starts[from], starts[to]);
        let hash = hash_of(key, &text[from..to]);
        out.push(Token { hash, start: narrow(from), end: narrow(to), field: Field::Body, size: 1 });
    };
    let characters = starts.len() - 1;
    if !of_words {
        for n in shortest..=longest.min(characters) {
            (0..=characters - n).for_each(|i| push(i, i + n));
        }
        return;
    }
    let blank = |i: &usize| text.as_bytes()[starts[*i]] == b' ';
    let mut first = 0;
    for last in (1..characters).filter(blank) {
        let long = last + 1 - first;
        for n in shortest..=longest {
            let n = n.min(long);
            (first..=last + 1 - n).for_each(|i| push(i, i + n));
            if long == n {
                break;
            }
        }
        first = last;
    }
}

/// What follows a capital of ASCII, whose hash is that of the small letter; no byte of UTF-8.
const CAPITAL: u8 = 0xC0;

fn hash_of(key: &Key, gram: &str) -> u64 {
    if !gram.bytes().any(|b| b.is_ascii_uppercase()) {
        return key.word(Field::Body, gram);
    }
    let mut joined = key.start(Field::Body);
    for b in gram.bytes() {
        joined = key.extend(joined, &[b]);
        if b.is_ascii_uppercase() {
            joined = key.extend(joined, &[CAPITAL]);
        }
    }
    finish(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(text: &str, of_words: bool, sizes: (usize, usize)) -> Vec<String> {
        let (mut prepared, mut tokens) = (String::new(), Vec::new());
        prepare(text, of_words, true, &mut prepared);
        scan(&Key::new(1), &prepared, of_words, sizes, &mut tokens);
        tokens.iter().map(|token| prepared[token.place()].to_string()).collect()
    }

    #[test]
    fn characters_and_words_of_characters() {
        assert_eq!(grams("Ab \n é", false, (1, 2)), ["a", "b", " ", "é", "ab", "b ", " é"]);
        assert_eq!(grams("a\nb", false, (3, 9)), ["a\nb"]);
        assert_eq!(grams(" a\x1cÉté ", true, (3, 4)), [" a ", " ét", "été", "té ", " été", "été "]);
        assert_eq!(grams("a bcd", true, (4, 5)), [" a ", " bcd", "bcd ", " bcd "]);
        assert!(grams("", false, (1, 2)).is_empty());
        assert!(grams(" \t", true, (1, 2)).is_empty());
    }
}

//! Words respelt with digits and signs, such as `v14gr4` and `ca$h`: what they are read as.

use super::shapes::remark;
use crate::ablation::{Step, without};
use crate::view::{Field, View};

/// So many words must be respelt, and one in so many of all: `mp3` and `24h` alone are no disguise.
const FEWEST: usize = 5;
const SHARE: usize = 10;
/// What is read of one message.
const MOST_BYTES: usize = 1 << 16;
/// Longer words are codes.
const LONGEST: usize = 32;

/// Appends what the respelt words of subject and body are read as, where there are many.
pub(super) fn close(view: &mut View) {
    let (mut all, mut odd, mut read) = (0, 0, String::new());
    let spans = || view.spans.iter().filter(|span| matches!(span.field, Field::Body | Field::Subject));
    // Nearly all messages are done with here: 16 bytes at a time.
    if spans().map(|span| meetings(&view.text.as_bytes()[span.start..span.end])).sum::<usize>() < FEWEST {
        return;
    }
    for word in spans().flat_map(|span| words(&view.text[span.start..span.end])) {
        all += 1;
        if word.len() <= LONGEST && is_respelt(word.as_bytes()) {
            odd += 1;
            if read.len() < MOST_BYTES {
                push(word, 'i', &mut read);
                if word.contains('1') {
                    push(word, 'l', &mut read);
                }
            }
        }
    }
    if odd < FEWEST || odd * SHARE < all || without(Step::Respelt) {
        return;
    }
    remark(view, "respelt");
    if !view.text.is_empty() && !view.text.ends_with('\n') {
        view.text.push('\n');
    }
    let start = view.text.len();
    view.text.push_str(read.trim_end());
    view.close(Field::Body, start);
    view.text.push('\n');
}

/// In how many places a letter and a sign for one stand side by side: each respelt word has one at least.
fn meetings(text: &[u8]) -> usize {
    let letter = |byte: u8| u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let sign = |byte: u8| {
        let digit = byte.wrapping_sub(b'0') < 9 && byte != b'2' && byte != b'6';
        u8::from(digit | (byte == b'@') | (byte == b'$'))
    };
    let meet = |(&a, &b): (&u8, &u8)| letter(a) & sign(b) | sign(a) & letter(b);
    let pairs = |part: &[u8], next: &[u8]| usize::from(part.iter().zip(next).map(meet).sum::<u8>());
    // So many that their sum stays in a byte.
    text.chunks(255).zip(text.get(1..).unwrap_or_default().chunks(255)).map(|(a, b)| pairs(a, b)).sum()
}

/// Runs of ASCII letters, digits and the signs that stand for letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '@' && c != '$');
    parts.filter(|word| !word.is_empty())
}

/// Whether a word has letters, signs for letters, and nothing else.
fn is_respelt(word: &[u8]) -> bool {
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let known = word.iter().all(|&byte| byte.is_ascii_alphabetic() || letter(char::from(byte)).is_some());
    known && letters > 0 && letters < word.len() && word.len() > 2
}

/// The letter that a digit or sign stands for, `1` for i.
fn letter(c: char) -> Option<char> {
    Some(match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        _ => return None,
    })
}

fn push(word: &str, one: char, out: &mut String) {
    out.extend(word.chars().map(|c| if c == '1' { one } else { letter(c).unwrap_or(c) }));
    out.push(' ');
}

#[cfg(test)]
mod tests {
    use super::close;
    use crate::view::{Field, View};

    fn read(text: &str) -> String {
        let mut view = View::default();
        view.push(Field::Body, text);
        let before = view.text.len();
        close(&mut view);
        assert_eq!(view.shapes.len(), usize::from(view.text.len() > before));
        view.text[before..].trim().to_owned()
    }

    #[test]
    fn many_respelt_words_are_read() {
        assert_eq!(read("Buy v14gr4 f0r l0w c4$h 70d4y"), "viagra vlagra for low cash today");
    }

    #[test]
    fn codes_and_few_such_words_are_left() {
        for text in
            ["", "an mp3 of 24h, h264", "a1 b2c3 x9y2z6 r2d2 42 1999", &"word ".repeat(99), &"x0 ".repeat(9)]
        {
            assert_eq!(read(text), "", "{text}");
        }
        assert_eq!(read(&format!("{} v14gr4 f0r l0w c4$h 70d4y", "word ".repeat(99))), "");
    }
}

//! The pass over ASCII, which is nearly all of most text: no branch that depends on where words end.
//!
//! A word's end cannot be foretold, and a branch there costs more than the word itself. So every byte writes what
//! would be the word ending here, and only the position of the next write depends on whether one did.
//! Floor: rotate, exclusive or, select: 3 cycles a byte in one chain, 1.3 GB/s a core at 4 GHz.

use super::hash::{Key, finish};
use super::token::Token;
use crate::view::Field;

/// Which bytes belong to words: running text, or names as they stand in headers and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Apostrophes and underscores join.
    Prose,
    /// Dots and hyphens join as well.
    Names,
}

const BREAK: u8 = 0;
const WORD: u8 = 1;
const JOINER: u8 = 2;

const fn classes(joiners: &[u8]) -> [u8; 256] {
    let mut table = [BREAK; 256];
    let mut b = 0;
    while b < 128 {
        if (b as u8).is_ascii_alphanumeric() {
            table[b] = WORD;
        }
        b += 1;
    }
    let mut i = 0;
    while i < joiners.len() {
        table[joiners[i] as usize] = JOINER;
        i += 1;
    }
    table
}

static PROSE: [u8; 256] = classes(b"'_");
static NAMES: [u8; 256] = classes(b"'_.-");

impl Style {
    /// The style of a field.
    pub fn of(field: Field) -> Style {
        match field {
            Field::Body | Field::Subject => Style::Prose,
            _ => Style::Names,
        }
    }

    fn table(self) -> &'static [u8; 256] {
        match self {
            Style::Prose => &PROSE,
            Style::Names => &NAMES,
        }
    }

    /// May this byte join two parts of one word?
    #[inline(always)]
    pub fn joins(self, byte: u8) -> bool {
        self.table()[byte as usize] == JOINER
    }
}

/// Is this byte an ASCII letter or digit?
#[inline(always)]
pub fn is_word(byte: u8) -> bool {
    PROSE[byte as usize] == WORD
}

/// Where the stretch of whole ASCII words that begins at `from` ends: before the first word that goes on outside
/// ASCII. `from` itself if there is none.
pub fn stretch(bytes: &[u8], from: usize, style: Style) -> usize {
    let mut end = from;
    for block in bytes[from..].chunks(64) {
        if block.is_ascii() {
            end += block.len();
            continue;
        }
        end += block.iter().position(|b| !b.is_ascii()).unwrap_or(block.len());
        let table = style.table();
        while end > from && table[bytes[end - 1] as usize] != BREAK {
            end -= 1;
        }
        return end;
    }
    end
}

/// What a byte does to the running hash: h ← (rotate(h, 5) & keep) ⊕ entry. A byte that ends words keeps nothing and
/// enters the state in which words begin; a joiner is marked, as what it does depends on its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    keep: u64,
    entry: u64,
}

/// All words' bytes keep the running hash.
const WORD_KEEPS: u64 = u64::MAX;
/// No hash is kept by so odd a mask: it marks joiners.
const JOINER_MARK: u64 = 1;

/// What every byte does in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps([Step; 256]);

impl Steps {
    /// The steps of a field where words begin in state `begin` and bytes enter as `table` says.
    pub fn new(field: Field, begin: u64, table: &[u64; 256]) -> Steps {
        let classes = Style::of(field).table();
        Steps(std::array::from_fn(|b| match classes[b] {
            WORD => Step { keep: WORD_KEEPS, entry: table[b] },
            JOINER => Step { keep: JOINER_MARK, entry: table[b] },
            _ => Step { keep: 0, entry: begin },
        }))
    }
}

/// A word that may have ended: its running hash, where, and how long it was.
#[derive(Clone, Copy, Default)]
struct Ended {
    state: u64,
    end: u32,
    length: u32,
}

/// Bytes handled at a time; at most every other one ends a word.
const BLOCK: usize = 255;

/// Appends the words of `bytes[from..to]`, all ASCII.
pub fn words(key: &Key, bytes: &[u8], from: usize, to: usize, field: Field, out: &mut Vec<Token>) {
    let Steps(steps) = key.steps(field);
    let begin = key.start(field);
    let bytes = &bytes[..to];
    let (mut state, mut length) = (begin, 0u64);
    let mut ended = [Ended::default(); BLOCK + 1];
    let mut i = from;
    while i < to {
        let block = &bytes[i..to.min(i + BLOCK)];
        let mut n = 0u8;
        for (k, &b) in block.iter().enumerate() {
            let Step { mut keep, mut entry } = steps[b as usize];
            if keep == JOINER_MARK {
                // Rare: an apostrophe and its like go on with a word only between two of its bytes.
                let goes_on = length > 0 && bytes.get(i + k + 1).is_some_and(|&next| is_word(next));
                keep = if goes_on { WORD_KEEPS } else { 0 };
                entry = if goes_on { entry } else { begin };
            }
            ended[n as usize] = Ended { state, end: (i + k) as u32, length: length as u32 };
            n += u8::from(length > 0) & !(keep as u8) & 1;
            state = (state.rotate_left(5) & keep) ^ entry;
            length = (length + 1) & keep;
        }
        i += block.len();
        out.extend(ended[..n as usize].iter().map(|word| token(word, field)));
    }
    if length > 0 {
        out.push(token(&Ended { state, end: to as u32, length: length as u32 }, field));
    }
}

#[inline(always)]
fn token(word: &Ended, field: Field) -> Token {
    Token { hash: finish(word.state), start: word.end - word.length, end: word.end, field }
}

//! The pass over ASCII, which is nearly all of most text: no branch that depends on where words end.
//!
//! A word's end cannot be foretold, and a branch there costs more than the word itself. So every byte writes what
//! would be the word ending here, and only the position of the next write depends on whether one did.
//! Floor: rotate, exclusive or, select: 3 cycles a byte in one chain, 1.3 GB/s a core at 4 GHz.

use super::hash::{Key, finish};
use super::token::{LONGEST, Token};
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
    let mut b = 0u8;
    while b < 128 {
        if b.is_ascii_alphanumeric() {
            table[b as usize] = WORD;
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

/// Where a byte that is no word's stands, and the hash of what came before it since the last such byte.
#[derive(Clone, Copy, Default)]
struct Ended {
    state: u64,
    end: u32,
}

/// Bytes handled at a time.
const BLOCK: usize = 255;

/// Appends the words of `bytes[from..to]`, all ASCII.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`to` is at most MOST_BYTES; of `keep` one bit is wanted"
)]
pub fn words(key: &Key, bytes: &[u8], from: usize, to: usize, field: Field, out: &mut Vec<Token>) {
    let Steps(steps) = key.steps(field);
    let begin = key.start(field);
    let bytes = &bytes[..to];
    let (mut state, mut start) = (begin, from as u32);
    let mut ended = [Ended::default(); BLOCK + 1];
    let mut i = from;
    while i < to {
        let block = &bytes[i..to.min(i + BLOCK)];
        let mut n = 0u8;
        for (k, &b) in block.iter().enumerate() {
            let Step { mut keep, mut entry } = steps[b as usize];
            if keep == JOINER_MARK {
                // Rare: an apostrophe and its like go on with a word only between two of its bytes.
                let at = i + k;
                let goes_on =
                    at > from && is_word(bytes[at - 1]) && bytes.get(at + 1).is_some_and(|&b| is_word(b));
                keep = if goes_on { WORD_KEEPS } else { 0 };
                entry = if goes_on { entry } else { begin };
            }
            ended[n as usize] = Ended { state, end: (i + k) as u32 };
            n += !(keep as u8) & 1;
            state = (state.rotate_left(5) & keep) ^ entry;
        }
        i += block.len();
        start = push(&ended[..n as usize], start, field, out);
    }
    push(&[Ended { state, end: to as u32 }], start, field, out);
}

/// Appends the words that end here; between two bytes that are no word's there may be none. Says where the next begins.
fn push(ended: &[Ended], mut start: u32, field: Field, out: &mut Vec<Token>) -> u32 {
    let mut n = out.len();
    out.resize(n + ended.len(), Token { hash: 0, start: 0, end: 0, field, size: 1 });
    for &Ended { state, end } in ended {
        out[n] = Token { hash: finish(state), start, end, field, size: 1 };
        n += usize::from(((end - start) as usize).wrapping_sub(1) < LONGEST);
        start = end + 1;
    }
    out.truncate(n);
    start
}

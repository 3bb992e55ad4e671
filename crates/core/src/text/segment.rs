//! A batch of items as columns: their tokens as numbers, and a dictionary of the words that these stand for.
//!
//! Names are kept of single words only; those of n-grams are put together from the words that stand before their first
//! occurrence.

use std::io::{self, Read, Write};

use rayon::slice::ParallelSliceMut;

use super::parts::PART;
use super::reader::Reader;
use super::slots::{AHEAD, Slots};
use super::token::Token;
use crate::narrow::narrow;
use crate::parallel::{TOGETHER, consume, fill};
use crate::view::{Field, View};

/// Items as columns. Numbers of tokens are places in the dictionary, which is sorted by hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Where the tokens of each item end.
    pub ends: Vec<u32>,
    /// The tokens of all items, in order of occurrence.
    pub tokens: Vec<u32>,
    /// Hashes of the words, strictly ascending.
    pub hashes: Vec<u64>,
    /// How many words each is of; 0 of a remark.
    pub sizes: Vec<u8>,
    /// Where among the tokens each occurs first.
    first: Vec<u32>,
    /// Names of single words and remarks, one after the other.
    names: Vec<u8>,
    /// Where each name ends; that of an n-gram is empty.
    name_ends: Vec<u32>,
    /// Which tokens are parts, a bit each; none where there is no such token behind.
    parts: Vec<u8>,
}

/// How long the columns of a segment are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    items: usize,
    tokens: usize,
    words: usize,
    names: usize,
    parts: usize,
}

impl Segment {
    /// The items as a reader sees them, the same whatever the number of threads.
    pub fn new(reader: &Reader, items: &[&[u8]], threads: usize) -> Segment {
        let parts: Vec<Segment> = consume(stretches(items, threads), &|_, items| part(reader, items));
        joined(parts)
    }

    /// The tokens of an item.
    pub fn item(&self, i: usize) -> &[u32] {
        &self.tokens[if i == 0 { 0 } else { self.ends[i - 1] as usize }..self.ends[i] as usize]
    }

    /// The name of a word, as [`super::token::Tokenizer::name`] gives it.
    pub fn name(&self, word: usize) -> String {
        let size = self.sizes[word];
        if has_own_name(size) {
            return self.own_name(word).to_string();
        }
        // A part may be the same as a word, which stands elsewhere.
        let is_word = |&at: &usize| self.sizes[self.tokens[at] as usize] & !PART == 1 && !self.is_part(at);
        let before = (0..=self.first[word] as usize).rev().filter(is_word).map(|at| self.tokens[at] as usize);
        let words: Vec<usize> = before.take(usize::from(size)).collect();
        let mut name = String::new();
        for &each in words.iter().rev() {
            let full = self.own_name(each);
            // No word holds a colon: what ends with one is the prefix of its field.
            let bare = full.rfind(':').map_or(0, |at| at + 1);
            name.push_str(if name.is_empty() { full } else { &full[bare..] });
            name.push(' ');
        }
        name.pop();
        name
    }

    /// Where a word came from; an n-gram from where its first word does.
    pub fn field(&self, word: usize) -> Field {
        if has_own_name(self.sizes[word]) {
            Field::of_name(self.own_name(word))
        } else {
            Field::of_name(&self.name(word))
        }
    }

    fn is_part(&self, at: usize) -> bool {
        self.parts.get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 == 1)
    }

    /// Notes that the token at `at` is a part.
    fn note_part(&mut self, at: usize) {
        if self.parts.len() <= at / 8 {
            self.parts.resize(at / 8 + 1, 0);
        }
        self.parts[at / 8] |= 1 << (at % 8);
    }

    fn own_name(&self, word: usize) -> &str {
        let start = if word == 0 { 0 } else { self.name_ends[word - 1] as usize };
        str::from_utf8(&self.names[start..self.name_ends[word] as usize]).unwrap_or("")
    }

    /// Bytes that the columns take.
    pub fn size(&self) -> usize {
        self.shape().bytes()
    }

    /// How long the columns are.
    pub fn shape(&self) -> Shape {
        Shape {
            items: self.ends.len(),
            tokens: self.tokens.len(),
            words: self.hashes.len(),
            names: self.names.len(),
            parts: self.parts.len(),
        }
    }

    /// Writes the columns, one after the other.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for column in [&self.ends, &self.tokens, &self.first, &self.name_ends] {
            put(out, column, |x| x.to_le_bytes())?;
        }
        put(out, &self.hashes, |x| x.to_le_bytes())?;
        out.write_all(&self.sizes)?;
        out.write_all(&self.names)?;
        out.write_all(&self.parts)
    }

    /// The segment of this shape that was written.
    pub fn read(from: &mut impl Read, shape: Shape) -> io::Result<Segment> {
        let Shape { items, tokens, words, names, parts } = shape;
        let [ends, tokens, first, name_ends] = [items, tokens, words, words].map(|n| {
            let bytes = get(from, n * 4)?;
            io::Result::Ok(bytes.as_chunks().0.iter().map(|&x| u32::from_le_bytes(x)).collect())
        });
        let hashes = get(from, words * 8)?.as_chunks().0.iter().map(|&x| u64::from_le_bytes(x)).collect();
        let (sizes, names, parts) = (get(from, words)?, get(from, names)?, get(from, parts)?);
        Ok(Segment {
            ends: ends?,
            tokens: tokens?,
            hashes,
            sizes,
            first: first?,
            names,
            name_ends: name_ends?,
            parts,
        })
    }
}

impl Shape {
    /// Bytes of the columns.
    pub fn bytes(&self) -> usize {
        (self.items + self.tokens) * 4 + self.words * 17 + self.names + self.parts
    }
}

/// Numbers that are written at once.
const WRITTEN: usize = 1 << 14;

/// Whether tokens of this size have names of their own: n-grams are named by their words.
fn has_own_name(size: u8) -> bool {
    size <= 1 || size & PART != 0
}

fn put<T: Copy, const N: usize>(
    out: &mut impl Write,
    column: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(WRITTEN * N);
    for some in column.chunks(WRITTEN) {
        buffer.clear();
        some.iter().for_each(|&x| buffer.extend(bytes(x)));
        out.write_all(&buffer)?;
    }
    Ok(())
}

fn get(from: &mut impl Read, n: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; n];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The items in order, in as many stretches of about the same size as there are threads.
pub(super) fn stretches<'a, 'b>(items: &'b [&'a [u8]], threads: usize) -> Vec<&'b [&'a [u8]]> {
    let share = items.iter().map(|item| item.len()).sum::<usize>() / threads.max(1) + 1;
    let (mut found, mut start, mut size) = (Vec::new(), 0, 0);
    for (i, item) in items.iter().enumerate() {
        size += item.len();
        if size >= share {
            found.push(&items[start..=i]);
            (start, size) = (i + 1, 0);
        }
    }
    found.push(&items[start..]);
    found
}

/// So many bytes of text bring one new word, roughly; only the first size of a table depends on it.
const BYTES_PER_WORD: usize = 64;

/// Some items, whose words stand in order of occurrence.
fn part(reader: &Reader, items: &[&[u8]]) -> Segment {
    let bytes: usize = items.iter().map(|item| item.len()).sum();
    let mut slots = Slots::with_capacity((bytes / BYTES_PER_WORD).min(1 << 18));
    let (mut view, mut tokens) = (View::default(), Vec::new());
    let mut part = Segment::default();
    for item in items {
        let text = reader.tokens(item, &mut view, &mut tokens);
        if !text.is_ascii() {
            let before = part.tokens.len();
            let found = tokens.iter().enumerate().filter(|(_, token)| token.size & PART != 0);
            found.for_each(|(i, _)| part.note_part(before + i));
        }
        for some in tokens.chunks(AHEAD) {
            slots.warm(some.iter().map(|token| token.hash));
            for token in some {
                let (slot, new) = slots.entry(token.hash);
                let id = slot.id;
                if new {
                    part.learn(reader, text, token);
                }
                part.tokens.push(id);
            }
        }
        part.ends.push(narrow(part.tokens.len()));
    }
    part
}

impl Segment {
    /// Adds a word, whose first occurrence is the next token.
    #[cold]
    fn learn(&mut self, reader: &Reader, text: &str, token: &Token) {
        self.hashes.push(token.hash);
        self.sizes.push(token.size);
        self.first.push(narrow(self.tokens.len()));
        if has_own_name(token.size) {
            self.names.extend(reader.tokenizer.name(text, *token).as_bytes());
        }
        self.name_ends.push(narrow(self.names.len()));
    }
}

/// All parts, one after the other, with one dictionary.
fn joined(parts: Vec<Segment>) -> Segment {
    let mut order: Vec<(u64, u32, u32)> =
        Vec::with_capacity(parts.iter().map(|part| part.hashes.len()).sum());
    for (p, part) in parts.iter().enumerate() {
        order.extend(part.hashes.iter().enumerate().map(|(i, &hash)| (hash, narrow(p), narrow(i))));
    }
    order.par_sort_unstable();
    let mut places: Vec<Vec<u32>> = parts.iter().map(|part| vec![0; part.hashes.len()]).collect();
    let before: Vec<u32> = parts
        .iter()
        .scan(0, |sum, part| Some(narrow(std::mem::replace(sum, *sum + part.tokens.len()))))
        .collect();
    let mut whole = Segment::default();
    for &(hash, p, i) in &order {
        let (part, at) = (&parts[p as usize], i as usize);
        if whole.hashes.last() != Some(&hash) {
            whole.hashes.push(hash);
            whole.sizes.push(part.sizes[at]);
            whole.first.push(before[p as usize] + part.first[at]);
            whole.names.extend(part.own_name(at).as_bytes());
            whole.name_ends.push(narrow(whole.names.len()));
        }
        places[p as usize][at] = narrow(whole.hashes.len() - 1);
    }
    let tokens = narrow(parts.iter().map(|part| part.tokens.len()).sum());
    whole.tokens = vec![0; tokens as usize];
    let mut room = &mut whole.tokens[..];
    for ((part, places), &before) in parts.iter().zip(&places).zip(&before) {
        let (mine, others) = room.split_at_mut(part.tokens.len());
        fill(mine, TOGETHER, &|k, mine| {
            let tokens = &part.tokens[k * TOGETHER..];
            mine.iter_mut().zip(tokens).for_each(|(to, &token)| *to = places[token as usize]);
        });
        whole.ends.extend(part.ends.iter().map(|end| before + end));
        room = others;
    }
    for (part, &before) in parts.iter().zip(&before) {
        for at in (0..part.parts.len() * 8).filter(|&at| part.is_part(at)) {
            whole.note_part(before as usize + at);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::Limits;
    use crate::text::hash::Key;
    use crate::text::reader::Kind;
    use crate::text::token::Tokenizer;

    fn reader(kind: Kind, longest: usize) -> Reader {
        Reader { kind, tokenizer: Tokenizer::of_words(Key::new(3), 1, longest), limits: Limits::default() }
    }

    const MAIL: &str =
        "Subject: free v\u{200B}iagra 東京都 now\nFrom: a b <x@y.example>\n\nDear friend, it's now 무료\n";

    #[test]
    fn words_have_the_names_and_the_order_that_a_reader_gives_them() {
        for (kind, longest) in [(Kind::Text, 1), (Kind::Text, 3), (Kind::Mail, 1), (Kind::Mail, 4)] {
            let reader = reader(kind, longest);
            let korean = "재미있다 재미 없다 재미있다 東京 재미";
            let items = [MAIL, "", "a b c a b", korean, MAIL].map(str::as_bytes);
            let segment = Segment::new(&reader, &items, 1);
            assert!(segment.hashes.windows(2).all(|pair| pair[0] < pair[1]));
            let (mut view, mut tokens) = (View::default(), Vec::new());
            for (i, item) in items.iter().enumerate() {
                let text = reader.tokens(item, &mut view, &mut tokens);
                let names: Vec<String> = tokens.iter().map(|&t| reader.tokenizer.name(text, t)).collect();
                let found: Vec<String> = segment.item(i).iter().map(|&w| segment.name(w as usize)).collect();
                assert_eq!(names, found);
            }
            assert_eq!(segment, Segment::new(&reader, &items, 3));
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let segment = Segment::new(&reader(Kind::Mail, 2), &[MAIL.as_bytes(), b"b c"], 2);
        let mut bytes = Vec::new();
        segment.write(&mut bytes).unwrap();
        assert_eq!(bytes.len(), segment.size());
        assert_eq!(Segment::read(&mut &bytes[..], segment.shape()).unwrap(), segment);
    }
}

//! How an item's bytes become tokens: plain text as it stands, mail through its view.

use std::borrow::Cow;

use super::char_grams;
use super::passages;
use super::token::{Token, Tokenizer, Unit};
use crate::ablation::{Step, without};
use crate::mail::{self, Limits};
use crate::narrow::narrow;
use crate::view::{Field, View};

/// What the items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Plain text.
    Text,
    /// Raw messages, headers and all.
    Mail,
}

/// Settings that turn any bytes into tokens.
#[derive(Clone, Debug)]
pub struct Reader {
    /// What the items are.
    pub kind: Kind,
    /// How text is cut into tokens.
    pub tokenizer: Tokenizer,
    /// Bounds on what a message may ask for.
    pub limits: Limits,
}

/// The distinct words of an item by ascending expert and hash, with their names.
#[derive(Debug, Default)]
pub struct WordSet {
    /// Their hashes.
    pub hashes: Vec<u64>,
    /// In which passages of the content each is, a bit for each; none of words of the headers.
    pub passages: Vec<u16>,
    /// Their names, one after the other.
    pub names: String,
    /// Where each name ends.
    pub ends: Vec<usize>,
}

impl Reader {
    /// Whether the tokens of `other` are among those of this reader, in the same order, and told apart by their sizes.
    pub fn covers(&self, other: &Reader) -> bool {
        let (mine, theirs) = (&self.tokenizer, &other.tokenizer);
        let alike = self.kind == other.kind && mine.key == theirs.key && mine.stop == theirs.stop;
        let of_words = mine.unit == Unit::Words && theirs.unit == Unit::Words;
        alike && of_words && mine.shortest == 1 && theirs.longest <= mine.longest
    }

    /// Whether the item is longer than what is read of one: its beginning is judged and learnt.
    pub fn is_cut(&self, item: &[u8]) -> bool {
        if item.len() > self.limits.message_bytes {
            return true;
        }
        // A smaller message does not decode to more text than is read: a byte is at most four.
        if self.kind == Kind::Text || item.len() <= self.limits.decoded_bytes / 4 {
            return false;
        }
        let mut view = View::default();
        mail::read(&mail::canonical(item), &self.limits, &mut view);
        view.shapes.iter().any(|shape| shape == "limit-decoded-bytes")
    }

    /// When the item came, in seconds since 1970, as far as it says so.
    pub fn arrival(&self, item: &[u8]) -> Option<i64> {
        self.arrival_of(&self.canonical(item))
    }

    /// The bytes by which an item is known and from which it is read.
    pub fn canonical<'a>(&self, item: &'a [u8]) -> Cow<'a, [u8]> {
        match self.kind {
            Kind::Text => Cow::Borrowed(item),
            Kind::Mail => mail::canonical(item),
        }
    }

    /// When an item of these canonical bytes came.
    pub fn arrival_of(&self, canonical: &[u8]) -> Option<i64> {
        match self.kind {
            Kind::Text => None,
            Kind::Mail => mail::arrival(canonical, &self.limits),
        }
    }

    /// The item as a set of words.
    pub fn word_set(&self, item: &[u8]) -> WordSet {
        let (mut view, mut tokens) = (View::default(), Vec::new());
        let text = self.tokens(item, &mut view, &mut tokens);
        let key = |token: &Token| (token.field.expert(), token.hash);
        let mut placed: Vec<_> = passages::placed(tokens.iter().map(key)).collect();
        passages::gather(&mut placed);
        tokens.sort_by_key(key);
        tokens.dedup_by_key(|token| key(token));
        let mut words = Vec::new();
        let mut set = WordSet { passages: placed.iter().map(|word| word.2).collect(), ..WordSet::default() };
        for token in tokens {
            set.hashes.push(token.hash);
            self.tokenizer.push_name(text, token, &mut words, &mut set.names);
            set.ends.push(set.names.len());
        }
        set
    }

    /// Fills `view` with what a reader of the item sees; the remarks about its form stand at its end.
    pub fn view(&self, item: &[u8], view: &mut View) {
        self.view_of_canonical(&self.canonical(item), view);
    }

    fn view_of_canonical(&self, item: &[u8], view: &mut View) {
        match self.kind {
            Kind::Text => {
                view.clear();
                match self.tokenizer.unit {
                    Unit::Words => view.push(Field::Body, &plain(item)),
                    Unit::Characters { of_words, folds } => {
                        char_grams::prepare(&plain(item), of_words, folds, &mut view.text);
                        view.close(Field::Body, 0);
                    }
                }
            }
            Kind::Mail => {
                mail::read(item, &self.limits, view);
                let shapes = std::mem::take(&mut view.shapes);
                if !shapes.is_empty() {
                    view.text.push_str(if view.text.ends_with('\n') { "\n" } else { "\n\n" });
                }
                for shape in &shapes {
                    view.text.push('\n');
                    view.push(Field::Shape, shape);
                }
                view.shapes = shapes;
            }
        }
    }

    /// Fills `tokens` with the item's tokens and gives the text they stand in. `view` is working memory.
    ///
    /// Tokens are collected first and looked up afterwards: a loop of nothing but look-ups keeps many cache misses
    /// in flight at once.
    #[inline]
    pub fn tokens<'a>(&self, item: &'a [u8], view: &'a mut View, tokens: &mut Vec<Token>) -> &'a str {
        if self.kind == Kind::Text {
            return self.tokens_of_canonical(item, view, tokens);
        }
        self.tokens_of_canonical(&mail::canonical(item), view, tokens);
        &view.text
    }

    /// The same of an item whose canonical bytes are at hand.
    pub fn tokens_of_canonical<'a>(
        &self,
        item: &'a [u8],
        view: &'a mut View,
        tokens: &mut Vec<Token>,
    ) -> &'a str {
        tokens.clear();
        if self.kind == Kind::Text
            && self.tokenizer.unit == Unit::Words
            && let Ok(text) = std::str::from_utf8(item)
        {
            self.tokenizer.scan(text, Field::Body, 0, text.len(), tokens);
            return text;
        }
        self.view_of_canonical(item, view);
        self.tokens_of(view, tokens);
        &view.text
    }

    /// Fills `tokens` with the item's words, of which n-grams are made; words beyond a place in `ends` are no neighbours of
    /// those before it.
    pub fn words<'a>(
        &self,
        item: &'a [u8],
        view: &'a mut View,
        tokens: &mut Vec<Token>,
        ends: &mut Vec<usize>,
    ) -> &'a str {
        tokens.clear();
        ends.clear();
        let tokenizer = &self.tokenizer;
        if self.kind == Kind::Text
            && tokenizer.unit == Unit::Words
            && let Ok(text) = std::str::from_utf8(item)
        {
            tokenizer.words(text, Field::Body, 0, text.len(), tokens);
            ends.push(tokens.len());
            return text;
        }
        self.view_of_canonical(&self.canonical(item), view);
        self.each_span(view, tokens, |text, field, start, end, tokens| {
            tokenizer.words(text, field, start, end, tokens);
            ends.push(tokens.len());
        });
        ends.push(tokens.len());
        &view.text
    }

    /// Appends every token of a view.
    pub fn tokens_of(&self, view: &View, tokens: &mut Vec<Token>) {
        self.each_span(view, tokens, |text, field, start, end, tokens| {
            self.tokenizer.scan(text, field, start, end, tokens);
        });
    }

    /// Appends the tokens of a view; `scan` appends those of a stretch that is running text.
    fn each_span(
        &self,
        view: &View,
        tokens: &mut Vec<Token>,
        mut scan: impl FnMut(&str, Field, usize, usize, &mut Vec<Token>),
    ) {
        let text = view.text.as_str();
        for span in &view.spans {
            let (field, start, end) = (span.field, span.start, span.end);
            match field {
                Field::Address => scan(text, Field::From, start, end, tokens),
                Field::Thread => {
                    let host = text[start..end].rfind('@').map_or(end, |at| start + at + 1);
                    scan(text, Field::Header, host, end, tokens);
                }
                _ => {}
            }
            if field.is_whole() {
                if is_left_out(field) {
                    continue;
                }
                let hash = self.tokenizer.key.word(field, &text[start..end]);
                tokens.push(Token { hash, start: narrow(start), end: narrow(end), field, size: 0 });
            } else {
                scan(text, field, start, end, tokens);
            }
        }
    }
}

/// Whether the words of this field, which are whole stretches, are left out.
fn is_left_out(field: Field) -> bool {
    match field {
        Field::Shape => without(Step::Remarks),
        Field::Address => without(Step::Addresses),
        Field::Thread => without(Step::Threads),
        Field::Auth => without(Step::Authentication),
        _ => false,
    }
}

/// Plain text: UTF-8 as it stands, anything else in the charset it seems to be in.
fn plain(item: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(item).map_or_else(|_| mail::text(item), Cow::Borrowed)
}

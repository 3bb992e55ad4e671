//! How an item's bytes become tokens: plain text as it stands, mail through its view.

use std::borrow::Cow;

use super::char_grams;
use super::token::{Token, Tokenizer, Unit};
use crate::mail::{self, Limits};
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

impl Reader {
    /// Fills `view` with what a reader of the item sees; the remarks about its form stand at its end.
    pub fn view(&self, item: &[u8], view: &mut View) {
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
                mail::read(&mail::strip(item), &self.limits, view);
                let shapes = std::mem::take(&mut view.shapes);
                if !shapes.is_empty() {
                    view.text.push('\n');
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
        tokens.clear();
        if self.kind == Kind::Text
            && self.tokenizer.unit == Unit::Words
            && let Ok(text) = std::str::from_utf8(item)
        {
            self.tokenizer.scan(text, Field::Body, 0, text.len(), tokens);
            return text;
        }
        self.view(item, view);
        self.tokens_of(view, tokens);
        &view.text
    }

    /// Appends every token of a view.
    pub fn tokens_of(&self, view: &View, tokens: &mut Vec<Token>) {
        let text = view.text.as_str();
        for span in &view.spans {
            let (field, start, end) = (span.field, span.start, span.end);
            if field == Field::Shape {
                let hash = self.tokenizer.key.word(field, &text[start..end]);
                tokens.push(Token { hash, start: start as u32, end: end as u32, field });
            } else {
                self.tokenizer.scan(text, field, start, end, tokens);
            }
        }
    }
}

/// Plain text: UTF-8 as it stands, anything else in the charset it seems to be in.
fn plain(item: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(item).map_or_else(|_| mail::text(item), Cow::Borrowed)
}

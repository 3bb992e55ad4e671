//! The visible text of a page as it grows: blanks collapse, blocks stand on lines of their own.

use super::super::links;
use super::super::shapes::remark;
use super::tag::Name;
use crate::ablation::{Step, without};
use crate::view::{Field, View};

/// What separates the text so far from what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Blank,
    Line,
}

/// Writes a page's text to a view.
pub(super) struct Text<'v> {
    view: &'v mut View,
    /// Where the page starts in the view.
    page: usize,
    /// Where the text that has no span yet starts.
    start: usize,
    gap: Gap,
    /// Something that shows nothing stands behind the last letter.
    joint: bool,
    /// An element has just started behind the last letter.
    opened: Option<Name>,
}

impl<'v> Text<'v> {
    /// Text that is appended to `view`.
    pub(super) fn new(view: &'v mut View) -> Self {
        let page = view.text.len();
        Text { view, page, start: page, gap: Gap::None, joint: false, opened: None }
    }

    /// Adds a remark.
    pub(super) fn remark(&mut self, shape: &str) {
        remark(self.view, shape);
    }

    /// How much text there is.
    pub(super) fn length(&self) -> usize {
        self.view.text.len()
    }

    /// The text from `start` on.
    pub(super) fn since(&self, start: usize) -> &str {
        &self.view.text[start..]
    }

    /// Appends text, its blanks collapsed.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let trimmed = rest.trim_start_matches(is_blank);
            if trimmed.len() < rest.len() {
                self.gap = self.gap.max(Gap::Blank);
            }
            if trimmed.is_empty() {
                return;
            }
            let length = even_run(trimmed.as_bytes());
            self.write(&trimmed[..length]);
            rest = &trimmed[length..];
        }
    }

    /// Appends text that begins with no blank and holds only single ones.
    fn write(&mut self, text: &str) {
        match self.gap {
            _ if self.view.text.len() == self.page => {}
            Gap::None => self.mend(text),
            Gap::Blank => self.view.text.push(' '),
            Gap::Line => self.view.text.push('\n'),
        }
        self.gap = Gap::None;
        self.joint = false;
        self.opened = None;
        self.view.text.push_str(text);
    }

    /// Notes where something that shows nothing stands between two letters.
    fn mend(&mut self, next: &str) {
        let is_letter = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        if self.joint && is_letter(self.view.text.chars().next_back()) && is_letter(next.chars().next()) {
            self.remark("html-split-word");
        }
    }

    /// A comment or something else that shows nothing.
    pub(super) fn joint(&mut self) {
        self.end_word();
        self.joint = true;
    }

    /// An element starts: one that no browser knows shows nothing.
    pub(super) fn start_of(&mut self, name: &Name) {
        self.end_word();
        self.joint |= !is_inline(name.bytes());
        self.opened = Some(*name);
    }

    /// An element ends: if it has just started, it showed nothing.
    pub(super) fn end_of(&mut self, name: &Name) {
        self.end_word();
        self.joint |= self.opened.take().as_ref() == Some(name);
    }

    /// Ends the word where a tag or a comment stands, if words are not put together over these.
    fn end_word(&mut self) {
        if without(Step::TornWords) {
            self.gap = self.gap.max(Gap::Blank);
        }
    }

    /// Separates what stands in different blocks or cells.
    pub(super) fn separate(&mut self, name: &Name) {
        let gap = match name.bytes() {
            b"td" | b"th" | b"img" | b"input" | b"button" => Gap::Blank,
            name if is_block(name) => Gap::Line,
            _ => return,
        };
        self.gap = self.gap.max(gap);
    }

    /// Appends the target of a link.
    pub(super) fn url(&mut self, target: &str) {
        links::close(self.view, Field::Body, self.start);
        if self.view.text.len() > self.page {
            self.view.text.push(' ');
        }
        self.view.text.push('<');
        self.view.push(Field::Url, target);
        self.view.text.push('>');
        self.start = self.view.text.len();
        self.gap = self.gap.max(Gap::Blank);
    }

    /// Ends the page.
    pub(super) fn finish(&mut self) {
        links::close(self.view, Field::Body, self.start);
        self.start = self.view.text.len();
    }
}

/// ASCII's blanks and control characters, and the blank that does not break.
fn is_blank(character: char) -> bool {
    character <= ' ' || character == '\u{a0}'
}

/// How long the text goes on with no other blank than single ones between words.
fn even_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let even = match byte {
            b' ' => bytes.get(at + 1).is_some_and(|next| *next > b' ' && *next != 0xc2),
            0xc2 => bytes.get(at + 1) != Some(&0xa0),
            byte => *byte > b' ',
        };
        if !even {
            return at;
        }
        at += 1;
    }
    at
}

/// Elements that stand on lines of their own.
#[rustfmt::skip]
const BLOCKS: [&str; 46] = [
    "br", "p", "div", "tr", "table", "li", "ul", "ol", "dl", "dt", "dd", "hr", "pre", "blockquote", "center",
    "form", "title", "head", "body", "html", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "header",
    "footer", "nav", "main", "address", "fieldset", "legend", "option", "select", "textarea", "caption", "tbody",
    "aside", "figure", "iframe", "noscript", "style", "script",
];

/// Elements that may well stand within a word.
#[rustfmt::skip]
const INLINES: [&str; 30] = [
    "a", "b", "i", "u", "font", "span", "em", "strong", "big", "small", "abbr", "acronym", "bdo", "cite", "code",
    "del", "dfn", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "strike", "sub", "sup", "tt", "wbr",
];

fn is_block(name: &[u8]) -> bool {
    BLOCKS.iter().any(|block| block.as_bytes() == name)
}

fn is_inline(name: &[u8]) -> bool {
    // Office writes elements of its own, "o:p".
    name.contains(&b':') || INLINES.iter().any(|inline| inline.as_bytes() == name)
}

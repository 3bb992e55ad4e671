//! HTML as a reader sees it: one pass over the text, no tree, any input.
//!
//! The visible text goes to the view's body, a link's target behind the text of the link. What is there
//! to deceive filters (hidden text, words cut by comments, links that name another host) is left out or
//! mended, and leaves a shape.

mod color;
mod entities;
mod hiding;
mod tag;
mod text;

use super::links;
use crate::view::View;
use hiding::Hiding;
use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;
use tag::{Ends, Name, Tag};
use text::Text;

/// Text that names a host is compared with the link's target up to this length.
const MAX_HOST_TEXT: usize = 256;

/// Appends what a reader sees of `input` to `view`; true if there is a picture among it.
pub(super) fn read(input: &str, view: &mut View) -> bool {
    let mut page = Page {
        input,
        at: 0,
        ends: Ends::of(input.as_bytes()),
        text: Text::new(view),
        hiding: Hiding::default(),
        link: None,
        action: None,
        image: false,
    };
    page.run();
    page.image
}

/// The charset that the first kilobyte of a page names in a `meta` element.
pub(super) fn declared_charset(bytes: &[u8]) -> Option<Vec<u8>> {
    let head = bytes[..bytes.len().min(1024)].to_ascii_lowercase();
    let rest = &head[memmem::find(&head, b"charset=")? + 8..];
    let rest = rest.strip_prefix(b"\"").or(rest.strip_prefix(b"'")).unwrap_or(rest);
    let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
    let length = rest.iter().take_while(inside).count();
    (length > 0).then(|| rest[..length].to_vec())
}

/// A link whose text is being read.
struct Link {
    target: String,
    /// Where its text starts in the view.
    start: usize,
}

struct Page<'i, 'v> {
    input: &'i str,
    at: usize,
    ends: Ends,
    text: Text<'v>,
    hiding: Hiding,
    link: Option<Link>,
    action: Option<String>,
    image: bool,
}

impl Page<'_, '_> {
    fn run(&mut self) {
        let bytes = self.input.as_bytes();
        while let Some(found) = memchr2(b'<', b'&', &bytes[self.at..]) {
            let mark = self.at + found;
            self.show(self.at, mark);
            self.at = mark;
            if bytes[mark] == b'&' {
                self.entity();
            } else if mark >= self.ends.tag {
                // No tag ends any more.
                self.show(mark, mark + 1);
                self.at = mark + 1;
            } else {
                self.markup();
            }
        }
        self.show(self.at, bytes.len());
        self.end_link();
        self.end_form();
        self.text.finish();
    }

    /// Text of the input, shown if it is visible.
    fn show(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        let text = &self.input[from..to];
        if !self.hiding.hides() {
            self.text.push(text);
        } else if !text.trim_ascii().is_empty() {
            self.text.remark("html-hidden-text");
        }
    }

    fn entity(&mut self) {
        let found = entities::entity(&self.input.as_bytes()[self.at..]);
        let Some((character, length)) = found else {
            self.show(self.at, self.at + 1);
            self.at += 1;
            return;
        };
        if !self.hiding.hides() {
            self.text.push(character.encode_utf8(&mut [0; 4]));
        }
        self.at += length;
    }

    /// What a `<` introduces.
    fn markup(&mut self) {
        let rest = &self.input.as_bytes()[self.at..];
        match rest.get(1) {
            Some(b'!') if rest.starts_with(b"<!--") => self.comment(),
            Some(b'!' | b'?') => self.bogus(),
            Some(b'/') if rest.get(2).is_some_and(u8::is_ascii_alphabetic) => self.end_tag(),
            Some(b'/') => self.bogus(),
            Some(letter) if letter.is_ascii_alphabetic() => self.start_tag(),
            _ => {
                self.show(self.at, self.at + 1);
                self.at += 1;
            }
        }
    }

    /// A comment: up to `-->`, or to the next `>` where no `-->` is left.
    fn comment(&mut self) {
        let inside = self.at + 4;
        let rest = &self.input.as_bytes()[inside..];
        if rest.starts_with(b">") || rest.starts_with(b"->") {
            self.bogus();
        } else if inside <= self.ends.comment {
            let end = memmem::find(rest, b"-->").unwrap_or(rest.len());
            self.at = (inside + end + 3).min(self.input.len());
            self.text.joint();
        } else {
            self.bogus();
        }
    }

    /// `<!doctype>`, `<?xml?>`, `</ >`: nothing of it shows.
    fn bogus(&mut self) {
        let rest = &self.input.as_bytes()[self.at..];
        self.at += memchr(b'>', rest).map_or(rest.len(), |found| found + 1);
        self.text.joint();
    }

    fn end_tag(&mut self) {
        let bytes = self.input.as_bytes();
        let name = Name::at(&bytes[self.at + 2..]);
        let rest = &bytes[self.at..];
        self.at += memchr(b'>', rest).map_or(rest.len(), |found| found + 1);
        match name.bytes() {
            b"a" => self.end_link(),
            b"form" => self.end_form(),
            _ => {}
        }
        self.text.end_of(&name);
        self.hiding.end_of(&name);
        self.separate(&name);
    }

    fn start_tag(&mut self) {
        let Some(tag) = Tag::read(self.input, self.at, &self.ends) else {
            // It never ends: nothing behind it shows.
            self.at = self.input.len();
            return;
        };
        self.at = tag.end;
        let name = tag.name;
        self.separate(&name);
        self.text.start_of(&name);
        self.hiding.start_of(&tag);
        match name.bytes() {
            b"script" => {
                self.text.remark("html-script");
                self.skip_raw(b"</script");
            }
            b"style" => self.skip_raw(b"</style"),
            b"a" => self.start_link(&tag),
            b"area" | b"base" => self.target(tag.href),
            b"form" => {
                self.text.remark("html-form");
                self.end_form();
                self.action = tag.action.and_then(link_target);
            }
            b"img" => self.picture(&tag),
            _ => {}
        }
    }

    /// Line break or blank around an element that is not part of a line.
    fn separate(&mut self, name: &Name) {
        if !self.hiding.hides() {
            self.text.separate(name);
        }
    }

    /// Skips to the end tag of an element whose content is not text.
    fn skip_raw(&mut self, end: &[u8]) {
        let bytes = self.input.as_bytes();
        while let Some(found) = memchr(b'<', &bytes[self.at..]) {
            let start = self.at + found;
            if bytes[start..].get(..end.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(end)) {
                self.at = start;
                return;
            }
            self.at = start + 1;
        }
        self.at = bytes.len();
    }

    fn picture(&mut self, tag: &Tag) {
        self.image = true;
        let is_remote = |source: &str| {
            source.trim_start().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"))
        };
        if tag.src.is_some_and(is_remote) {
            self.text.remark("html-image-remote");
        }
    }

    fn start_link(&mut self, tag: &Tag) {
        self.end_link();
        if let Some(target) = tag.href.and_then(link_target) {
            self.link = Some(Link { target, start: self.text.length() });
        }
    }

    fn end_link(&mut self) {
        if let Some(link) = self.link.take() {
            if names_another_host(self.text.since(link.start), &link.target) {
                self.text.remark("html-link-mismatch");
            }
            self.text.url(&link.target);
        }
    }

    fn end_form(&mut self) {
        if let Some(action) = self.action.take() {
            self.text.url(&action);
        }
    }

    fn target(&mut self, href: Option<&str>) {
        if let Some(target) = href.and_then(link_target) {
            self.text.url(&target);
        }
    }
}

/// The target of a link with entities resolved; nothing for places in the page itself and for data.
fn link_target(href: &str) -> Option<String> {
    let mut target: String = entities::resolve(href.trim());
    target.retain(|character| !character.is_control());
    let within =
        |scheme: &str| target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let shown = !target.is_empty() && !target.starts_with('#') && !within("data:") && !within("cid:");
    shown.then_some(target)
}

/// Whether a link's text looks like a host, and its target stands on another.
fn names_another_host(text: &str, target: &str) -> bool {
    let text: Cow<str> = text.trim().into();
    if text.len() > MAX_HOST_TEXT || text.contains(char::is_whitespace) || !target.contains("://") {
        return false;
    }
    let (named, actual) = (links::host(&text), links::host(target));
    let labels: Vec<&str> = named.split('.').collect();
    let is_host = labels.len() >= 2
        && labels.iter().all(|label| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
        && labels
            .last()
            .is_some_and(|last| last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let under = |inner: &str, outer: &str| {
        inner == outer || inner.strip_suffix(outer).is_some_and(|rest| rest.ends_with('.'))
    };
    is_host && !text.contains('@') && !under(&named, &actual) && !under(&actual, &named)
}

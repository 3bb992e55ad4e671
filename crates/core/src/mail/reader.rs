//! The leaves of a message: texts, HTML and attachments become stretches of the view.

use super::alternative::{self, PlainTexts};
use super::charset::{self, Charsets, Decoded};
use super::entity::{Entity, Media};
use super::evidence::{Place, push_headers};
use super::header::Block;
use super::html;
use super::limits::Limits;
use super::lines::push_lines;
use super::links;
use super::respelt;
use super::shapes::{remark, remark_quoting};
use super::walk::Frame;
use crate::ablation::{Step, without};
use crate::view::{Field, View};

/// A body of fewer words says nothing by itself.
const FEW_WORDS: usize = 3;

/// What has been read so far.
pub(super) struct Reader<'r> {
    view: &'r mut View,
    /// Bytes of text that may still be appended.
    left: usize,
    known: Charsets,
    /// HTML, while it is not yet decided whether it is shown.
    page: View,
    plain_texts: PlainTexts,
    /// Where the body starts in the view.
    body: usize,
    has_text: bool,
    has_html: bool,
    has_multipart: bool,
    has_image: bool,
}

impl<'r> Reader<'r> {
    /// A reader that appends to `view`.
    pub(super) fn new(limits: &Limits, view: &'r mut View) -> Self {
        Reader {
            view,
            left: limits.decoded_bytes,
            known: Charsets::default(),
            page: View::default(),
            plain_texts: PlainTexts::default(),
            body: 0,
            has_text: false,
            has_html: false,
            has_multipart: false,
            has_image: false,
        }
    }

    /// Adds a remark.
    pub(super) fn remark(&mut self, shape: &str) {
        remark(self.view, shape);
    }

    /// Notes that the message has parts.
    pub(super) fn saw_multipart(&mut self) {
        self.has_multipart = true;
    }

    /// Appends a header block.
    pub(super) fn headers(&mut self, block: &Block, entity: &Entity, place: Place) {
        if let Some(label) = entity.charset() {
            self.known.declare(&label);
        }
        if place != Place::Top {
            self.new_line();
        }
        push_headers(block, place, &self.known, self.view);
        if place == Place::Top {
            self.body = self.view.spans.len();
        }
    }

    /// Appends raw bytes as text.
    pub(super) fn flat(&mut self, bytes: &[u8]) {
        let bytes = self.within_limit(bytes);
        self.new_line();
        let start = self.view.text.len();
        push_lines(&charset::decode(bytes, None, &self.known).text, &mut self.view.text);
        self.spend(start, bytes.len());
        links::close(self.view, Field::Body, start);
    }

    /// Appends what a reader sees of a part that has no parts.
    pub(super) fn leaf(&mut self, entity: &Entity, body: &[u8], place: Place, frames: &mut [Frame]) {
        let is_text = matches!(entity.media, Media::Text | Media::Html);
        let name = entity.file_name(&self.known);
        self.has_image |= entity.media == Media::Image;
        // A message cannot be attached to itself: what it says of its own body is for show.
        let attached = !is_text || (entity.attached && place != Place::Top);
        if attached || !name.is_empty() {
            self.file(entity, &name, attached);
        }
        if attached {
            return;
        }
        let (bytes, damaged) = entity.transfer.unwrap(body, self.left);
        if damaged {
            self.remark(entity.transfer.damage());
        }
        let bytes = self.within_limit(&bytes);
        if entity.media == Media::Html {
            self.html(entity, bytes, frames);
        } else {
            self.text(entity, bytes, frames);
        }
    }

    fn text(&mut self, entity: &Entity, bytes: &[u8], frames: &mut [Frame]) {
        self.has_text = true;
        self.new_line();
        let start = self.view.text.len();
        let decoded = charset::decode(bytes, entity.charset().as_deref(), &self.known);
        self.remark_charset(&decoded);
        push_lines(&decoded.text, &mut self.view.text);
        self.spend(start, bytes.len());
        links::close(self.view, Field::Body, start);
        let end = self.view.text.len();
        for frame in frames.iter_mut().filter(|frame| frame.alternative) {
            frame.plain = Some((frame.plain.map_or(start, |(first, _)| first), end));
        }
    }

    fn html(&mut self, entity: &Entity, bytes: &[u8], frames: &[Frame]) {
        self.has_html = true;
        self.new_line();
        let label = entity.charset();
        if label.is_none()
            && !bytes.is_ascii()
            && let Some(label) = html::declared_charset(bytes)
        {
            // Pages are copied and converted with what they say of themselves: UTF-8 goes first.
            self.known.declare(&label);
        }
        let decoded = charset::decode(bytes, label.as_deref(), &self.known);
        self.remark_charset(&decoded);
        self.page.clear();
        self.has_image |= html::read(&decoded.text, &mut self.page);
        let compared = |frame: &Frame| frame.alternative && !without(Step::Alternatives);
        let plain = frames.iter().rev().find_map(|frame| frame.plain.filter(|_| compared(frame)));
        let whole = match plain.map(|range| self.plain_texts.compare(&self.view.text, range, &self.page)) {
            None | Some(alternative::Verdict::NoWords) => true,
            Some(alternative::Verdict::Same) => false,
            Some(alternative::Verdict::Differs) => {
                self.remark("alternative-differs");
                true
            }
        };
        let start = self.view.text.len();
        self.append_page(whole);
        self.spend(start, bytes.len());
    }

    /// Appends the page, or only its links, and its remarks.
    fn append_page(&mut self, whole: bool) {
        let base = self.view.text.len();
        if whole {
            self.view.text.push_str(&self.page.text);
        }
        for span in &self.page.spans {
            if whole {
                self.view.spans.push(crate::view::Span {
                    field: span.field,
                    start: base + span.start,
                    end: base + span.end,
                });
            } else if span.field == Field::Url {
                self.view.push(Field::Url, &self.page.text[span.start..span.end]);
                self.view.text.push('\n');
            }
        }
        for shape in &self.page.shapes {
            remark(self.view, shape);
        }
    }

    /// Appends the name of a file, and remarks on its kind where it is attached.
    fn file(&mut self, entity: &Entity, name: &str, attached: bool) {
        if !name.is_empty() {
            self.new_line();
            self.view.text.push_str("Attachment: ");
            let start = self.view.text.len();
            push_lines(&name.replace(['\n', '\r'], " "), &mut self.view.text);
            self.view.close(Field::File, start);
            self.view.text.push('\n');
        }
        if !attached {
            return;
        }
        let mut endings = name.rsplit('.').map(str::trim).take(3);
        let extension = endings.next().filter(|_| name.contains('.'));
        let before = endings.next().filter(|_| endings.next().is_some());
        if let Some(extension) = extension.filter(|extension| is_extension(extension)) {
            remark_quoting(self.view, "attachment-", extension.as_bytes());
            if before.is_some_and(is_known_extension) {
                remark(self.view, "attachment-double-extension");
            }
        }
        remark_quoting(self.view, "attachment-type-", entity.kind());
    }

    fn remark_charset(&mut self, decoded: &Decoded) {
        for (shape, holds) in [("charset-unknown", decoded.unknown), ("charset-wrong", decoded.wrong)] {
            if holds {
                self.remark(shape);
            }
        }
        if let Some(name) = decoded.name {
            remark_quoting(self.view, "charset-", name.as_bytes());
        }
    }

    /// As much of `bytes` as may still be read.
    fn within_limit<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        if bytes.len() > self.left {
            self.remark("limit-decoded-bytes");
        }
        &bytes[..bytes.len().min(self.left)]
    }

    /// Counts what was appended since `start` out of `read` bytes, and cuts it where it grew too long.
    fn spend(&mut self, start: usize, read: usize) {
        if self.view.text.len() - start > self.left {
            self.remark("limit-decoded-bytes");
            let mut end = start + self.left;
            while !self.view.text.is_char_boundary(end) {
                end -= 1;
            }
            self.view.text.truncate(end);
            while self.view.spans.pop_if(|span| span.start >= end).is_some() {}
            if let Some(last) = self.view.spans.last_mut() {
                last.end = last.end.min(end);
            }
        }
        self.left = self.left.saturating_sub(read.max(self.view.text.len() - start));
    }

    fn new_line(&mut self) {
        if !self.view.text.is_empty() && !self.view.text.ends_with('\n') {
            self.view.text.push('\n');
        }
    }

    /// Adds the remarks that need the whole message.
    pub(super) fn finish(mut self) {
        let words = self.body_words();
        if words.is_none() {
            self.remark("empty-body");
        }
        if words.is_none_or(|count| count < FEW_WORDS)
            && self.has_image
            && (self.has_html || self.has_multipart)
        {
            self.remark("image-only");
        }
        if self.has_html && !self.has_text {
            self.remark("html-only");
        }
        respelt::close(self.view);
    }

    /// Words of the body, counted up to [`FEW_WORDS`]; nothing if there is neither text nor link.
    fn body_words(&self) -> Option<usize> {
        let shown =
            self.view.spans[self.body..].iter().filter(|span| matches!(span.field, Field::Body | Field::Url));
        let mut words = None;
        for span in shown {
            let count = words.get_or_insert(0);
            if span.field == Field::Body {
                *count += alternative::words(&self.view.text[span.start..span.end]).take(FEW_WORDS).count();
            }
            if *count >= FEW_WORDS {
                break;
            }
        }
        words
    }
}

/// One to eight letters and digits.
fn is_extension(ending: &str) -> bool {
    (1..=8).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// An ending that people take for the kind of a file.
fn is_known_extension(ending: &str) -> bool {
    const KNOWN: &str =
        " avi bmp csv doc docx gif htm html jpeg jpg mp3 mp4 pdf png ppt pptx rtf txt wav xls xlsx xml zip ";
    is_extension(ending) && KNOWN.contains(&format!(" {} ", ending.to_ascii_lowercase()))
}

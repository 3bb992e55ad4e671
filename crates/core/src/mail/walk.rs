//! The walk through a message's structure (RFC 2046): one pass, an explicit stack, every limit checked
//! before anything is descended into.
//!
//! Lines are compared with delimiters only where they begin with `--`, and with at most `nesting` of
//! them, so the walk is linear in the message whatever it holds.

use super::entity::{Entity, Media};
use super::evidence::Place;
use super::header::Block;
use super::limits::Limits;
use super::lines::line;
use super::reader::Reader;
use memchr::memmem;

/// What the walk is inside of.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The delimiter of its parts, without dashes; empty for a message within a message.
    boundary: Vec<u8>,
    /// Its parts say the same in different forms.
    pub alternative: bool,
    /// Its parts are messages unless they say otherwise.
    digest: bool,
    /// Where in the view its plain text stands.
    pub plain: Option<(usize, usize)>,
}

/// A line that ends a part.
struct Delimiter {
    /// Which frame's.
    level: usize,
    /// No further part follows.
    last: bool,
    /// Where the part in front of it ends.
    end: usize,
    /// Where the next line starts.
    next: usize,
}

/// Where the walk is.
pub(super) struct Walk<'m, 'r> {
    message: &'m [u8],
    limits: &'r Limits,
    reader: Reader<'r>,
    frames: Vec<Frame>,
    parts: usize,
    forwarded: bool,
}

impl<'m, 'r> Walk<'m, 'r> {
    /// Walks through the whole of `message`.
    pub(super) fn run(message: &'m [u8], limits: &'r Limits, reader: Reader<'r>) {
        let mut walk = Walk { message, limits, reader, frames: Vec::new(), parts: 0, forwarded: false };
        let mut at = Some(0);
        while let Some(start) = at {
            at = walk.entity(start);
        }
        walk.reader.finish();
    }

    /// Reads the message or part that starts at `start`; returns where the next one does.
    fn entity(&mut self, start: usize) -> Option<usize> {
        if self.parts == self.limits.parts {
            self.reader.remark("limit-parts");
            self.reader.flat(&self.message[start..]);
            return None;
        }
        let place = match self.parts {
            0 => Place::Top,
            _ if self.forwarded => Place::Forwarded,
            _ => Place::Part,
        };
        self.parts += 1;
        self.forwarded = false;
        let block =
            Block::read(self.message, start, self.limits.header_bytes, |text| delimits(&self.frames, text));
        let entity = Entity::of(&block, self.frames.last().is_some_and(|frame| frame.digest));
        self.reader.headers(&block, &entity, place);
        if !block.beyond.is_empty() {
            self.reader.remark("limit-header-bytes");
            self.reader.flat(block.beyond);
        }
        match entity.media {
            Media::Multipart { .. } => self.multipart(&entity, block.end),
            Media::Message => self.forwarded(block.end),
            _ => {
                let delimiter = self.delimiter(block.end);
                let body = &self.message[block.end..self.end(&delimiter)];
                self.reader.leaf(&entity, body, place, &mut self.frames);
                self.resume(delimiter)
            }
        }
    }

    fn multipart(&mut self, entity: &Entity, body: usize) -> Option<usize> {
        self.reader.saw_multipart();
        let Media::Multipart { alternative, digest } = entity.media else {
            return None;
        };
        let Some(boundary) = entity.boundary() else {
            return self.flat("broken-multipart", body);
        };
        if self.frames.len() >= self.limits.nesting {
            return self.flat("limit-nesting", body);
        }
        let level = self.frames.len();
        self.frames.push(Frame { boundary, alternative, digest, plain: None });
        let delimiter = self.delimiter(body);
        if delimiter.as_ref().is_none_or(|found| found.level < level) {
            self.frames.truncate(level);
            self.reader.remark("broken-multipart");
            self.reader.flat(&self.message[body..self.end(&delimiter)]);
        }
        self.resume(delimiter)
    }

    fn forwarded(&mut self, body: usize) -> Option<usize> {
        if self.frames.len() >= self.limits.nesting {
            return self.flat("limit-nesting", body);
        }
        self.frames.push(Frame::default());
        self.forwarded = true;
        Some(body)
    }

    /// Reads a body as flat text, up to where the enclosing part ends.
    fn flat(&mut self, shape: &str, body: usize) -> Option<usize> {
        let delimiter = self.delimiter(body);
        self.reader.remark(shape);
        self.reader.flat(&self.message[body..self.end(&delimiter)]);
        self.resume(delimiter)
    }

    fn end(&self, delimiter: &Option<Delimiter>) -> usize {
        delimiter.as_ref().map_or(self.message.len(), |found| found.end)
    }

    /// Goes on behind a delimiter: to the next part, or past what closes and what trails behind it.
    fn resume(&mut self, mut delimiter: Option<Delimiter>) -> Option<usize> {
        loop {
            let found = delimiter?;
            self.frames.truncate(found.level + 1);
            if !found.last {
                return Some(found.next);
            }
            self.frames.pop();
            delimiter = self.delimiter(found.next);
        }
    }

    /// The first delimiter of any open frame at or behind `from`, which is the start of a line.
    fn delimiter(&self, from: usize) -> Option<Delimiter> {
        if self.frames.iter().all(|frame| frame.boundary.is_empty()) {
            return None;
        }
        let mut at = from;
        while let Some(found) = memmem::find(&self.message[at..], b"--") {
            let start = at + found;
            if start > from && !matches!(self.message[start - 1], b'\n' | b'\r') {
                at = start + 2;
                continue;
            }
            let (end, next) = line(self.message, start);
            if let Some((level, last)) = delimited(&self.frames, &self.message[start..end]) {
                return Some(Delimiter { level, last, end: without_break(self.message, from, start), next });
            }
            at = next;
        }
        None
    }
}

fn delimits(frames: &[Frame], text: &[u8]) -> bool {
    delimited(frames, text).is_some()
}

/// Which frame a line beginning with `--` delimits, and whether it is the last of that frame's.
fn delimited(frames: &[Frame], text: &[u8]) -> Option<(usize, bool)> {
    let text = text.get(2..)?.trim_ascii_end();
    let open = frames.iter().enumerate().rev().filter(|(_, frame)| !frame.boundary.is_empty());
    open.filter_map(|(level, frame)| match text.strip_prefix(&*frame.boundary)? {
        [] => Some((level, false)),
        [b'-', b'-'] => Some((level, true)),
        _ => None,
    })
    .next()
}

/// `start` without the line break in front of it, which belongs to the delimiter.
fn without_break(message: &[u8], from: usize, start: usize) -> usize {
    let body = &message[from..start];
    let body = body.strip_suffix(b"\n").map_or(body, |rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    let body = if body.len() == start - from { body.strip_suffix(b"\r").unwrap_or(body) } else { body };
    from + body.len()
}

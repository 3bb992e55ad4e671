//! What the header of a message or of a part says about its body.

use super::charset::Charsets;
use super::header::{Block, unfold};
use super::parameters;
use super::transfer::Transfer;
use crate::ablation::{Step, without};
use memchr::memchr;
use std::borrow::Cow;

/// Kinds of body, by what is done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// Any text that is not HTML, and everything whose type is missing or makes no sense.
    Text,
    /// HTML.
    Html,
    /// Parts between delimiters.
    Multipart {
        /// The parts say the same in different forms.
        alternative: bool,
        /// A part without a type is a message.
        digest: bool,
    },
    /// A whole message.
    Message,
    /// A picture.
    Image,
    /// Any other data.
    Other,
}

/// A body's type, wrapping and name.
#[derive(Debug)]
pub(super) struct Entity<'m> {
    /// What is done with the body.
    pub media: Media,
    /// Its transfer encoding.
    pub transfer: Transfer,
    /// Its header says that it is an attachment.
    pub attached: bool,
    content_type: Cow<'m, [u8]>,
    disposition: Cow<'m, [u8]>,
}

impl<'m> Entity<'m> {
    /// What `block` says; `in_digest` where a missing type means a message.
    pub(super) fn of(block: &Block<'m>, in_digest: bool) -> Self {
        let value = |name| block.value(name).map(unfold).unwrap_or_default();
        let content_type = value("content-type");
        let disposition = value("content-disposition");
        let missing = if in_digest { Media::Message } else { Media::Text };
        let media =
            if content_type.is_empty() { missing } else { media(parameters::main_value(&content_type)) };
        Entity {
            media,
            transfer: Transfer::named(parameters::main_value(&value("content-transfer-encoding"))),
            attached: parameters::main_value(&disposition).eq_ignore_ascii_case(b"attachment"),
            content_type,
            disposition,
        }
    }

    /// The type as written: `text/plain`.
    pub(super) fn kind(&self) -> &[u8] {
        parameters::main_value(&self.content_type)
    }

    /// The declared charset.
    pub(super) fn charset(&self) -> Option<Cow<'_, [u8]>> {
        parameters::plain(&self.content_type, "charset")
    }

    /// The delimiter of the parts, if there is one to look for.
    pub(super) fn boundary(&self) -> Option<Vec<u8>> {
        let boundary = parameters::plain(&self.content_type, "boundary")?;
        let boundary = boundary.trim_ascii_end();
        (!boundary.is_empty()).then(|| boundary.to_vec())
    }

    /// The file name as a reader sees it, or nothing.
    pub(super) fn file_name(&self, known: &Charsets) -> String {
        let name = parameters::readable(&self.disposition, "filename", known);
        if name.is_empty() { parameters::readable(&self.content_type, "name", known) } else { name }
    }
}

/// What is done with a body of the type `kind`.
fn media(kind: &[u8]) -> Media {
    let Some(slash) = memchr(b'/', kind) else {
        return Media::Text;
    };
    let (main, sub) = (kind[..slash].trim_ascii_end(), kind[slash + 1..].trim_ascii_start());
    let is = |word: &[u8], name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    if is(main, "multipart") && without(Step::Parts) {
        Media::Text
    } else if is(main, "multipart") {
        Media::Multipart { alternative: is(sub, "alternative"), digest: is(sub, "digest") }
    } else if is(main, "message") {
        let whole = is(sub, "rfc822") || is(sub, "global");
        if whole { Media::Message } else { Media::Text }
    } else if is(main, "text") {
        if is(sub, "html") && !without(Step::Pages) { Media::Html } else { Media::Text }
    } else if is(main, "image") {
        Media::Image
    } else if main.is_empty() || sub.is_empty() {
        Media::Text
    } else {
        Media::Other
    }
}

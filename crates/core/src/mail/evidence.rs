//! Headers as evidence: which stretch of the view each field becomes.

use super::authentication;
use super::charset::Charsets;
use super::encoded_word;
use super::header::{Block, HeaderField, unfold};
use super::shapes::remark;
use crate::view::{Field, Span, View};

/// What is made of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The value is evidence of this field, the name stands in front for people.
    Value(Field),
    /// Name and value are evidence: what the sender's program or list says of itself.
    Both,
    /// The name and what identifies a message are evidence.
    Identity,
    /// The name is evidence. The value is a blob, or one server's own way of saying things: learnt from, such values
    /// were measured to cost more right verdicts than they bring.
    Name,
    /// Shown to people only.
    Silent,
}

/// Names and their roles; of every other header only the name is evidence, but for those whose start tells more.
const ROLES: [(&str, Role); 26] = [
    ("subject", Role::Value(Field::Subject)),
    ("from", Role::Value(Field::From)),
    ("reply-to", Role::Value(Field::From)),
    ("sender", Role::Value(Field::From)),
    ("to", Role::Value(Field::To)),
    ("cc", Role::Value(Field::To)),
    ("bcc", Role::Value(Field::To)),
    ("return-path", Role::Value(Field::Return)),
    ("received", Role::Value(Field::Received)),
    ("mime-version", Role::Value(Field::Mime)),
    ("message-id", Role::Identity),
    ("in-reply-to", Role::Identity),
    ("references", Role::Identity),
    ("date", Role::Silent),
    ("delivery-date", Role::Silent),
    ("resent-date", Role::Silent),
    ("x-mailer", Role::Both),
    ("user-agent", Role::Both),
    ("organization", Role::Both),
    ("list-id", Role::Both),
    ("precedence", Role::Both),
    ("auto-submitted", Role::Both),
    ("importance", Role::Both),
    ("priority", Role::Both),
    ("x-priority", Role::Both),
    ("x-msmail-priority", Role::Both),
];

fn role(name: &[u8]) -> Role {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    let starts = |prefix: &str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    if let Some((_, role)) = ROLES.iter().find(|(known, _)| is(known)) {
        return *role;
    }
    if starts("content-") {
        return Role::Value(Field::Mime);
    }
    if starts("envelope-") || starts("x-envelope-") {
        return Role::Value(Field::Return);
    }
    Role::Name
}

/// Where a header block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the message's own.
    Top,
    /// It heads a part.
    Part,
    /// It heads a message within the message.
    Forwarded,
}

/// Appends the fields of `block` that are evidence or of use to people, one line each.
pub(super) fn push_headers(block: &Block, place: Place, known: &Charsets, view: &mut View) {
    let mut checked = place != Place::Top;
    for field in &block.fields {
        let role = role(field.name);
        let shown = match place {
            Place::Top => true,
            Place::Part => role == Role::Value(Field::Mime),
            Place::Forwarded => {
                matches!(role, Role::Value(Field::Mime | Field::Subject | Field::From | Field::To))
            }
        };
        if shown {
            let start = view.text.len();
            let value = push_header(field, role, known, view);
            if place == Place::Top && role == Role::Value(Field::From) {
                split_addresses(view, start);
            }
            // Only what the last server wrote, which stands on top: what lies below may come from anyone.
            if !checked && field.name.eq_ignore_ascii_case(b"authentication-results") {
                checked = true;
                authentication::close(view, value);
            }
        }
    }
    if place == Place::Top {
        remark_missing(block, view);
        if block.fields.iter().any(|field| !field.value.is_ascii()) {
            remark(view, "8bit-header");
        }
    }
    view.text.push('\n');
}

/// Appends a header; says where its value stands.
fn push_header(field: &HeaderField, role: Role, known: &Charsets, view: &mut View) -> usize {
    let start = view.text.len();
    // A name is visible ASCII, so nothing is lost.
    view.text.extend(field.name.iter().map(|byte| char::from(*byte)));
    if matches!(role, Role::Identity | Role::Name) {
        view.close(Field::Header, start);
    }
    if !field.name.is_empty() {
        view.text.push_str(": ");
    }
    let value = view.text.len();
    let raw = unfold(field.value);
    encoded_word::decode(&raw, known, &mut view.text);
    match role {
        Role::Value(Field::Received) => {
            // The date behind the last semicolon says when, not who.
            let end = view.text[value..].rfind(';').map_or(view.text.len(), |at| value + at);
            if end > value {
                view.spans.push(Span { field: Field::Received, start: value, end });
            }
        }
        Role::Value(of) => {
            view.close(of, value);
            if of == Field::Subject && is_shouted(&view.text[value..]) {
                remark(view, "subject-all-caps");
            }
        }
        Role::Both => view.close(Field::Header, start),
        Role::Identity => {
            for (start, end) in addresses(&view.text[value..]) {
                view.spans.push(Span { field: Field::Thread, start: value + start, end: value + end });
            }
        }
        Role::Name | Role::Silent => {}
    }
    view.text.push('\n');
    value
}

/// Makes spans of their own of the addresses in the spans since `start`, which are senders.
fn split_addresses(view: &mut View, start: usize) {
    let Some(whole) = view.spans.pop_if(|span| span.start >= start && span.field == Field::From) else {
        return;
    };
    let View { text, spans, .. } = view;
    let mut push = |field, start: usize, end: usize| {
        if text[start..end].contains(char::is_alphanumeric) {
            spans.push(Span { field, start, end });
        }
    };
    let mut done = whole.start;
    for (from, to) in addresses(&text[whole.start..whole.end]) {
        push(Field::From, done, whole.start + from);
        push(Field::Address, whole.start + from, whole.start + to);
        done = whole.start + to;
    }
    push(Field::From, done, whole.end);
}

/// The places of what looks like `local@host`, at most 255 bytes of each part.
fn addresses(text: &str) -> impl Iterator<Item = (usize, usize)> {
    const LONGEST: usize = 255;
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let sign = at + memchr::memchr(b'@', &bytes[at..])?;
            let in_host = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            let in_name = |byte: &&u8| byte.is_ascii_graphic() && !b"<>()[]\",;:@\\".contains(byte);
            let host = bytes[sign + 1..].iter().take(LONGEST).take_while(in_host).count();
            let name = bytes[at..sign].iter().rev().take(LONGEST).take_while(in_name).count();
            at = sign + 1 + host;
            if host > 0 && name > 0 {
                return Some((sign - name, at));
            }
        }
    })
}

/// Five capitals or more and no small letter.
fn is_shouted(subject: &str) -> bool {
    let capitals = subject.chars().filter(|letter| letter.is_uppercase()).count();
    capitals >= 5 && !subject.chars().any(char::is_lowercase)
}

fn remark_missing(block: &Block, view: &mut View) {
    for (name, shape) in [("subject", "no-subject"), ("date", "no-date"), ("message-id", "no-message-id")] {
        if block.value(name).is_none_or(|value| value.trim_ascii().is_empty()) {
            remark(view, shape);
        }
    }
}

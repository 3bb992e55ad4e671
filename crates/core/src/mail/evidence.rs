//! Headers as evidence: which stretch of the view each field becomes.

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
    /// The name and the host behind each `@` are evidence.
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
            push_header(field, role, known, view);
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

fn push_header(field: &HeaderField, role: Role, known: &Charsets, view: &mut View) {
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
        Role::Identity => close_hosts(view, value),
        Role::Name | Role::Silent => {}
    }
    view.text.push('\n');
}

/// Spans for what stands behind each `@` since `start`.
fn close_hosts(view: &mut View, start: usize) {
    let View { text, spans, .. } = view;
    let mut at = start;
    while let Some(found) = memchr::memchr(b'@', &text.as_bytes()[at..]) {
        let host = at + found + 1;
        let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let end = host + text.as_bytes()[host..].iter().take_while(inside).count();
        if end > host {
            spans.push(Span { field: Field::Header, start: host, end });
        }
        at = end;
    }
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

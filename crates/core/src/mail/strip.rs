//! Removal of what earlier filters and mailbox files left in a message, so that nothing is learnt from it.

use super::foreign::is_foreign;
use super::header::{LineKind, is_envelope};
use super::lines::line;
use crate::ablation::{Step, without};
use std::borrow::Cow;

/// The message without verdicts of earlier filters and without the notes of mailboxes: headers such as
/// `X-Spam-Status`, `X-Bogosity`, `X-Virus-Scanned`, `Status` or our own `X-Deciban-*` (the list is in `foreign.rs`), the
/// `From ` line, and tags such as `[SPAM]` in front of the subject.
///
/// Only the outermost header block is looked at; everything else stays byte for byte. A message that
/// has nothing to remove is borrowed.
///
/// ```
/// use deciban_core::mail::strip;
///
/// let message = b"X-Spam-Status: Yes,\n\tscore=9\nSubject: [SPAM] hello\n\nbody\n";
/// assert_eq!(&*strip(message), b"Subject: hello\n\nbody\n");
/// ```
pub fn strip(message: &[u8]) -> Cow<'_, [u8]> {
    if without(Step::Foreign) {
        return Cow::Borrowed(message);
    }
    let mut kept: Vec<u8> = Vec::new();
    // Everything in `from..at` stays but is not yet copied.
    let (mut from, mut at) = (0, 0);
    let (mut fields, mut dropping, mut any_kept) = (0, false, false);
    while at < message.len() {
        let (end, next) = line(message, at);
        if end == at {
            break;
        }
        // What stands in front once the lines before it are gone counts as the first line.
        let kind = if !any_kept && is_envelope(&message[at..end]) {
            LineKind::Envelope
        } else {
            LineKind::of(message, at, (end, next), fields)
        };
        let cut = match kind {
            LineKind::Body => break,
            LineKind::Fold if dropping => at..next,
            LineKind::Fold | LineKind::Stray => at..at,
            LineKind::Envelope => at..next,
            LineKind::Named(colon) if is_foreign(message[at..at + colon].trim_ascii_end()) => at..next,
            LineKind::Named(colon) => subject_tags(message, at, colon, end),
        };
        dropping = cut.start == at && cut.end == next;
        any_kept |= !dropping;
        fields += usize::from(matches!(kind, LineKind::Named(_) | LineKind::Stray));
        if !cut.is_empty() {
            kept.extend_from_slice(&message[from..cut.start]);
            // A line that ends with CR alone and an empty one behind the cut would become one, and the body a header.
            let joins = kept.last() == Some(&b'\r') && message.get(cut.end) == Some(&b'\n');
            from = cut.end - usize::from(joins);
        }
        at = next;
    }
    if from == 0 {
        return Cow::Borrowed(message);
    }
    kept.extend_from_slice(&message[from..]);
    Cow::Owned(kept)
}

/// The place of the filters' tags in a subject line, with the blanks behind them; empty if there are none.
fn subject_tags(message: &[u8], at: usize, colon: usize, end: usize) -> std::ops::Range<usize> {
    if !message[at..at + colon].trim_ascii_end().eq_ignore_ascii_case(b"subject") {
        return at..at;
    }
    let blanks =
        |from: usize| message[from..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = at + colon + 1 + blanks(at + colon + 1);
    let mut stop = start;
    while let Some(length) = tag(&message[stop..end]) {
        stop += length;
        stop += blanks(stop);
    }
    start..stop
}

/// How long the tag at the start of a subject is: `[SPAM]`, `***SPAM***`, `{Spam?}`, `[***** SPAM 7.5 *****]`.
fn tag(subject: &[u8]) -> Option<usize> {
    let near = &subject[..subject.len().min(64)];
    let opening = near.iter().take_while(|byte| b"[{(* ".contains(byte)).count();
    let word = near.get(opening..opening + 4)?;
    if opening == 0 || !word.eq_ignore_ascii_case(b"spam") {
        return None;
    }
    let behind = &near[opening + 4..];
    let closing =
        behind.iter().take_while(|byte| b"]})*".contains(byte) || b"0123456789.,?!:_- ".contains(byte));
    let closing = &behind[..closing.count()];
    let last = closing.iter().rposition(|byte| b"]})*".contains(byte))?;
    Some(opening + 4 + last + 1)
}

/// The bytes by which a message is known and from which it is read, so that messages of one digest have the same words:
/// without other filters' remarks and without white space at its end, where an mbox, a Maildir and standard input differ.
pub fn canonical(message: &[u8]) -> Cow<'_, [u8]> {
    match strip(message) {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.trim_ascii_end()),
        Cow::Owned(mut bytes) => {
            bytes.truncate(bytes.trim_ascii_end().len());
            Cow::Owned(bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::strip;
    use std::borrow::Cow;

    fn stripped(message: &str) -> String {
        String::from_utf8(strip(message.as_bytes()).into_owned()).expect("ASCII stays ASCII")
    }

    #[test]
    fn verdicts_and_mailbox_noise_go_with_their_folds() {
        let message = "From a@b Mon\nX-Deciban-Status: spam\nTo: x\nx-spam-report: a\n\tb\n c\nStatus: RO\nX-Loop: y\n\nX-Spam-Flag: YES\n";
        assert_eq!(stripped(message), "To: x\nX-Loop: y\n\nX-Spam-Flag: YES\n");
        assert_eq!(stripped("A: b\r\nX-Bogosity: Ham\r\nC: d\r\n\r\nx"), "A: b\r\nC: d\r\n\r\nx");
    }

    #[test]
    fn tags_of_filters_leave_the_subject() {
        for tag in [
            "[SPAM] ",
            "***SPAM*** ",
            "*****SPAM***** ",
            "{Spam?} ",
            "[***** SPAM 7.5 *****] ",
            "[SPAM][SPAM]",
        ] {
            assert_eq!(stripped(&format!("Subject: {tag}hello\n\nx")), "Subject: hello\n\nx", "{tag}");
        }
        for subject in ["spam", "[Spamassassin] x", "Re: [SPAM] x", "* spam is bad"] {
            let message = format!("Subject: {subject}\n\n");
            assert_eq!(stripped(&message), message);
        }
    }

    #[test]
    fn the_envelope_goes_once_it_stands_in_front() {
        assert_eq!(stripped("X-Spam-Flag: YES\nFrom a@b Mon\nTo: x\n\n"), "To: x\n\n");
        assert_eq!(stripped("To: x\nFrom a@b Mon\nCc: y\n\n"), "To: x\nFrom a@b Mon\nCc: y\n\n");
    }

    #[test]
    fn a_header_ends_where_it_did() {
        for (message, expected) in [
            ("To: x\n \rX-Spam-Flag: YES\n\nStatus: x\n", "To: x\n \r\n\nStatus: x\n"),
            ("To: x\rX-Spam-Flag: YES\r\n\nStatus: x\n", "To: x\r\n\nStatus: x\n"),
            ("To: x\rStatus: RO\nX-Spam-Flag: YES\n\nStatus: x\n", "To: x\r\n\nStatus: x\n"),
        ] {
            assert_eq!(stripped(message), expected);
            assert_eq!(stripped(expected), expected);
        }
    }

    #[test]
    fn what_needs_no_change_is_borrowed() {
        for message in ["", "\n", "Subject: x\n\nbody", "no header\nStatus: here", " folded\nStatus: x"] {
            assert!(matches!(strip(message.as_bytes()), Cow::Borrowed(_)), "{message:?}");
        }
    }
}

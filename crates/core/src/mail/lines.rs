//! Lines: they end in LF, CRLF or a lone CR, whatever the rest of the message does.

use memchr::memchr2;

/// Where the line that starts at `start` ends, without its line break, and where the next one starts.
pub(super) fn line(bytes: &[u8], start: usize) -> (usize, usize) {
    match memchr2(b'\n', b'\r', &bytes[start..]) {
        None => (bytes.len(), bytes.len()),
        Some(found) => {
            let end = start + found;
            let pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
            (end, end + 1 + usize::from(pair))
        }
    }
}

/// Appends `text` with every line break as LF and every NUL as a blank.
pub(super) fn push_lines(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(found) = memchr2(b'\r', 0, rest.as_bytes()) {
        out.push_str(&rest[..found]);
        let pair = rest.as_bytes().get(found + 1) == Some(&b'\n');
        let lone = rest.as_bytes()[found] == b'\r';
        match (lone, pair) {
            (true, true) => {}
            (true, false) => out.push('\n'),
            (false, _) => out.push(' '),
        }
        rest = &rest[found + 1..];
    }
    out.push_str(rest);
}

/// Whether some line is longer than the 998 bytes that mail allows (RFC 5322, 2.1.1).
pub(super) fn has_long_line(bytes: &[u8]) -> bool {
    let mut start = 0;
    while bytes.len() - start > 998 {
        // The last break of the window is the furthest start that is still known to be fine.
        match memchr::memrchr2(b'\n', b'\r', &bytes[start..start + 999]) {
            Some(found) => start += found + 1,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{has_long_line, line, push_lines};

    #[test]
    fn every_kind_of_break_ends_a_line() {
        let bytes = b"a\nb\r\nc\rd";
        let mut at = 0;
        let mut lines = Vec::new();
        while at < bytes.len() {
            let (end, next) = line(bytes, at);
            lines.push(&bytes[at..end]);
            at = next;
        }
        assert_eq!(lines, [b"a", b"b", b"c", b"d"]);
    }

    #[test]
    fn breaks_become_lf_and_nul_a_blank() {
        let mut out = String::new();
        push_lines("a\r\nb\rc\0d\n\r", &mut out);
        assert_eq!(out, "a\nb\nc d\n\n");
    }

    #[test]
    fn a_line_is_long_past_998_bytes() {
        let fine = [vec![b'x'; 998], b"\n".to_vec(), vec![b'x'; 998]].concat();
        assert!(!has_long_line(&fine));
        assert!(has_long_line(&[b"ab\n".to_vec(), vec![b'x'; 999]].concat()));
    }
}

//! `Authentication-Results` (RFC 8601): what the receiving server found when it checked who sent a message.

use crate::view::{Field, Span, View};

/// Checks whose results are evidence: of the envelope's sender, of a signature, and of both for the author.
const METHODS: [&str; 3] = ["spf", "dkim", "dmarc"];
const RESULTS: [&str; 8] =
    ["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"];
/// What names the domain that a check is about.
const DOMAINS: [&str; 4] = ["header.d", "header.i", "header.from", "smtp.mailfrom"];

/// Makes spans of the results since `start`, such as `spf=pass`, and of the domains that passed: all else is prose.
pub(super) fn close(view: &mut View, start: usize) {
    let View { text, spans, .. } = view;
    let mut passed = false;
    // What stands before the first semicolon is the server's own name.
    let mut place = Place::Server;
    for (from, to) in pieces(&text[start..]) {
        let (from, to) = (start + from, start + to);
        let piece = &text[from..to];
        if piece == ";" {
            (passed, place) = (false, Place::Method);
            continue;
        }
        let Some((name, value)) = piece.split_once('=') else {
            continue;
        };
        let named = |known: &[&str], name: &str| known.iter().any(|each| name.eq_ignore_ascii_case(each));
        match place {
            Place::Server => {}
            Place::Method => {
                place = Place::Property;
                if named(&METHODS, name) && named(&RESULTS, value) {
                    passed = value.eq_ignore_ascii_case("pass");
                    spans.push(Span { field: Field::Auth, start: from, end: to });
                }
            }
            Place::Property if passed && named(&DOMAINS, name) => {
                let at = to - value.len() + value.rfind('@').map_or(0, |at| at + 1);
                if is_domain(&text[at..to]) {
                    spans.push(Span { field: Field::Auth, start: at, end: to });
                }
            }
            Place::Property => {}
        }
    }
}

enum Place {
    Server,
    Method,
    Property,
}

fn is_domain(text: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=255).contains(&text.len()) && text.bytes().all(inside)
}

/// The places of words and semicolons, over blanks, quoted strings and comments.
fn pieces(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let (mut depth, mut quoted) = (0usize, false);
        while at < bytes.len() {
            let byte = bytes[at];
            match byte {
                b'\\' if quoted || depth > 0 => at += 1,
                b'"' if depth == 0 => quoted = !quoted,
                b'(' if !quoted => depth += 1,
                b')' if !quoted => depth = depth.saturating_sub(1),
                b';' if !quoted && depth == 0 => {
                    at += 1;
                    return Some((at - 1, at));
                }
                _ if !quoted && depth == 0 && !byte.is_ascii_whitespace() => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || b";(\"".contains(byte);
                    let end = at + bytes[at..].iter().position(ends).unwrap_or(bytes.len() - at);
                    return Some((std::mem::replace(&mut at, end), end));
                }
                _ => {}
            }
            at += 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::close;
    use crate::view::View;

    fn found(value: &str) -> Vec<String> {
        let mut view = View { text: value.to_owned(), ..View::default() };
        close(&mut view, 0);
        view.spans.iter().map(|span| view.text[span.start..span.end].to_owned()).collect()
    }

    #[test]
    fn results_and_the_domains_that_passed() {
        let told = "mx.example; dkim=pass (2048-bit key; spf=fail) header.d=shop.example header.b=\"a; dkim=none\"; \
                    spf=softfail smtp.mailfrom=a@bulk.example; dmarc=pass (p=NONE) header.from=shop.example";
        assert_eq!(found(told), ["dkim=pass", "shop.example", "spf=softfail", "dmarc=pass", "shop.example"]);
        assert_eq!(found("mx.example; SPF=Pass smtp.mailfrom=a@b.example;"), ["SPF=Pass", "b.example"]);
    }

    #[test]
    fn all_else_is_prose() {
        for told in [
            "",
            "mx.example; none",
            "spf=pass",
            "mx; auth=pass smtp.auth=x",
            "mx; spf=great",
            "mx; (spf=pass",
            ";;=",
        ] {
            assert!(found(told).is_empty(), "{told}");
        }
    }
}

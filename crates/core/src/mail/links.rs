//! Links in running text: where a URL starts and ends, and the spans around it.

use crate::view::{Field, Span, View};
use memchr::memmem::Finder;
use std::sync::LazyLock;

static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));
static LOWER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("www."));
static UPPER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("WWW."));

/// Makes spans of everything appended to the view since `start`: `field`, and [`Field::Url`] for links.
/// Stretches of blanks alone get none.
pub(super) fn close(view: &mut View, field: Field, start: usize) {
    let text = &view.text[start..];
    let mut done = 0;
    let mut push = |field, from: usize, to: usize| {
        if !text[from..to].trim_ascii().is_empty() {
            view.spans.push(Span { field, start: start + from, end: start + to });
        }
    };
    for (from, to) in Links::of(text.as_bytes()) {
        push(field, done, from);
        push(Field::Url, from, to);
        done = to;
    }
    push(field, done, text.len());
}

/// The places of the links of a text, in order.
struct Links<'t> {
    text: &'t [u8],
    at: usize,
    /// Where each of the three marks stands next, at `at` or behind it.
    next: [Option<usize>; 3],
}

impl<'t> Links<'t> {
    fn of(text: &'t [u8]) -> Self {
        let next = [SCHEME.find(text), LOWER.find(text), UPPER.find(text)];
        Links { text, at: 0, next }
    }

    /// Moves on to `at`.
    fn skip(&mut self, at: usize) {
        self.at = at;
        for (next, finder) in self.next.iter_mut().zip([&*SCHEME, &*LOWER, &*UPPER]) {
            if next.is_some_and(|found| found < at) {
                *next = finder.find(&self.text[at..]).map(|found| at + found);
            }
        }
    }
}

impl Iterator for Links<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mark = self.next.iter().flatten().copied().min()?;
            let is_scheme = self.next[0] == Some(mark);
            let (start, host) =
                if is_scheme { (scheme_start(self.text, mark), mark + 3) } else { (Some(mark), mark + 4) };
            let fresh = |&start: &usize| {
                start >= self.at && (start == 0 || !self.text[start - 1].is_ascii_alphanumeric())
            };
            let end = url_end(self.text, host);
            match start.filter(fresh) {
                Some(start) if end > host => {
                    self.skip(end);
                    return Some((start, end));
                }
                _ => self.skip(mark + 3),
            }
        }
    }
}

/// Where the `http`, `https` or `ftp` in front of `://` starts.
fn scheme_start(text: &[u8], mark: usize) -> Option<usize> {
    [&b"http"[..], b"https", b"ftp"].iter().find_map(|scheme| {
        let start = mark.checked_sub(scheme.len())?;
        text[start..mark].eq_ignore_ascii_case(scheme).then_some(start)
    })
}

/// Where a link that has reached `host` ends: before blanks, brackets, quotes and anything that is not
/// ASCII (Korean and Japanese go on without a blank), and before the punctuation of its sentence.
fn url_end(text: &[u8], host: usize) -> usize {
    let inside = |byte: &&u8| byte.is_ascii_graphic() && !b"<>\"'`{}|\\^()[]".contains(byte);
    let length = text[host..].iter().take_while(inside).count();
    let url = &text[host..host + length];
    let trailing = url.iter().rev().take_while(|byte| b".,;:!?*".contains(byte)).count();
    host + length - trailing
}

/// The host of a URL in lower case, without user, port and `www.`; empty if it has none.
pub(super) fn host(url: &str) -> String {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = url.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    host.strip_prefix("www.").map(str::to_owned).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::{close, host};
    use crate::view::{Field, View};

    fn urls(text: &str) -> Vec<String> {
        let mut view = View::default();
        view.text.push_str(text);
        close(&mut view, Field::Body, 0);
        let spans = view.spans.iter().filter(|span| span.field == Field::Url);
        spans.map(|span| view.text[span.start..span.end].to_owned()).collect()
    }

    #[test]
    fn links_end_where_a_reader_would_end_them() {
        assert_eq!(
            urls("see http://a.example/x?y=1, or (www.b.example)."),
            ["http://a.example/x?y=1", "www.b.example"]
        );
        assert_eq!(urls("HTTPS://A.EXAMPLE WWW.B.EXAMPLE"), ["HTTPS://A.EXAMPLE", "WWW.B.EXAMPLE"]);
        assert_eq!(urls("<http://a.kr/한글> http://b.kr에서"), ["http://a.kr/", "http://b.kr"]);
        assert_eq!(urls("http:// xhttp://a www. :// ftp://f"), ["ftp://f"]);
        assert_eq!(urls("http://www.a.example/www.b.example"), ["http://www.a.example/www.b.example"]);
    }

    #[test]
    fn hosts_are_bare() {
        assert_eq!(host("http://user:pw@WWW.Example.com:80/path?x@y"), "example.com");
        assert_eq!(host("example.org/x"), "example.org");
    }
}

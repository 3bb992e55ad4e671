//! Messages made to exhaust a reader: each is read on a small stack, allocates in proportion to its bytes, and says
//! which limit it met. No clock is asked: what took quadratic time would not end while somebody waits.

use deciban_core::mail::{Limits, read, strip};
use deciban_core::view::View;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::thread;

const SMALL_STACK: usize = 256 << 10;

/// The system's allocator, which counts the bytes that each thread asks for.
struct Counting;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is handed on as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + size);
        unsafe { System.realloc(at, layout, size) }
    }
}

/// The bytes that are allocated while it runs, on this thread.
fn allocated(work: impl FnOnce()) -> usize {
    let before = ALLOCATED.get();
    work();
    ALLOCATED.get() - before
}

fn view_of(message: &[u8]) -> View {
    let mut view = View::default();
    read(message, &Limits::default(), &mut view);
    view
}

/// Reads on a thread with little stack; the view, and how many bytes were allocated for each of the message.
fn on_small_stack(message: Vec<u8>) -> (View, usize) {
    let work = move || {
        let mut view = View::default();
        let bytes = allocated(|| read(&message, &Limits::default(), &mut view));
        (view, bytes.div_ceil(message.len()))
    };
    let handle = thread::Builder::new().stack_size(SMALL_STACK).spawn(work).expect("a thread can be started");
    handle.join().expect("reading does not panic or overflow the stack")
}

fn has(view: &View, shape: &str) -> bool {
    view.shapes.iter().any(|found| found == shape)
}

#[test]
fn forty_thousand_messages_in_each_other() {
    let (view, share) = on_small_stack(b"Content-Type: message/rfc822\n\n".repeat(40_000));
    assert!(has(&view, "limit-nesting"), "{:?}", view.shapes);
    assert!(view.text.contains("Content-Type: message/rfc822\n\nContent-Type"), "the rest is flat text");
    assert!(share < 8, "{share} bytes were allocated for each of the message");
}

#[test]
fn ten_thousand_multiparts_in_each_other() {
    let level = |depth| format!("Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}\n");
    let mut nest: String = (0..10_000).map(level).collect();
    nest.push_str("\nat the bottom\n");
    nest.extend((0..10_000).rev().map(|depth| format!("--b{depth}--\n")));
    let (view, share) = on_small_stack(nest.into_bytes());
    assert!(has(&view, "limit-nesting"), "{:?}", view.shapes);
    assert!(view.text.contains("at the bottom"));
    assert!(share < 8, "{share} bytes were allocated for each of the message");
}

#[test]
fn a_million_parts() {
    let mut message = b"Content-Type: multipart/mixed; boundary=b\n\n".to_vec();
    message.extend(b"--b\n\nx\n".repeat(1_000_000));
    let (view, share) = on_small_stack(message);
    assert!(has(&view, "limit-parts"), "{:?}", view.shapes);
    assert!(has(&view, "limit-decoded-bytes"), "{:?}", view.shapes);
    assert!(view.text.len() <= Limits::default().decoded_bytes + 4096);
    assert!(share < 8, "{share} bytes were allocated for each of the message");
}

#[test]
fn twenty_megabytes_of_dashes() {
    let mut message = Vec::new();
    for depth in 0..15 {
        message
            .extend(format!("Content-Type: multipart/mixed; boundary=-{depth}\n\n---{depth}\n").into_bytes());
    }
    message.push(b'\n');
    message.extend(b"--\n".repeat(7_000_000));
    let view = view_of(&message);
    assert!(has(&view, "limit-message-bytes"), "{:?}", view.shapes);
    assert!(has(&view, "limit-decoded-bytes"), "{:?}", view.shapes);
}

#[test]
fn a_bomb_of_headers() {
    let mut message = b"Subject: first\n".to_vec();
    message.extend(b"X-Bomb: boom\n".repeat(1_000_000));
    message.extend(b"\nthe body is still read\n");
    let view = view_of(&message);
    assert!(has(&view, "limit-header-bytes"), "{:?}", view.shapes);
    assert!(view.text.starts_with("Subject: first\n"));
    let one_line =
        [b"Subject: ".to_vec(), vec![b'x'; 1_000_000], b"\n\nthe body is still read\n".to_vec()].concat();
    let view = view_of(&one_line);
    assert!(has(&view, "limit-header-bytes") && view.text.ends_with("the body is still read\n"));
}

#[test]
fn a_header_line_of_a_hundred_thousand_bytes_is_fine() {
    let message = [b"Subject: ".to_vec(), vec![b'x'; 100_000], b"\n\nbody\n".to_vec()].concat();
    let view = view_of(&message);
    assert!(view.shapes.iter().all(|shape| !shape.starts_with("limit-")), "{:?}", view.shapes);
    assert!(has(&view, "long-line") && view.text.len() > 100_000);
}

#[test]
fn a_bomb_of_base64() {
    let mut message = b"Content-Transfer-Encoding: base64\n\n".to_vec();
    message.extend(b"QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB\n".repeat(250_000));
    let view = view_of(&message);
    assert!(has(&view, "limit-decoded-bytes"), "{:?}", view.shapes);
    assert!(view.text.len() <= Limits::default().decoded_bytes + 4096);
}

/// A storm: what stands in front of it, and what is repeated.
const STORMS: [(&str, &str, &str); 30] = [
    ("less-than signs", "Content-Type: text/html\n\n", "<"),
    ("ampersands", "Content-Type: text/html\n\n", "&"),
    ("numbers without end", "Content-Type: text/html\n\n&#", "1"),
    ("names without end", "Content-Type: text/html\n\n", "&a"),
    ("open tags", "Content-Type: text/html\n\n", "<a "),
    ("open tags with an end", "Content-Type: text/html\n\n<p>", "<b>"),
    ("open comments", "Content-Type: text/html\n\n", "<!--"),
    ("open comments with tags", "Content-Type: text/html\n\n", "<!-- ><b>"),
    ("open quotes", "Content-Type: text/html\n\n", "<a href=\">"),
    ("open quotes of both kinds", "Content-Type: text/html\n\n", "<a b=\"'><c d='\">"),
    ("open scripts", "Content-Type: text/html\n\n", "<script>"),
    ("end tags", "Content-Type: text/html\n\n<i>", "</b>"),
    ("paragraphs in cells", "Content-Type: text/html\n\n", "<td><p><tr><li>"),
    ("styles", "Content-Type: text/html\n\n<p style=\"", "color:#fff;"),
    ("attributes", "Content-Type: text/html\n\n<p ", "a=b "),
    ("links", "Content-Type: text/html\n\n", "<a href=x>y.z"),
    ("forms", "Content-Type: text/html\n\n", "<form action=x>"),
    ("pieces of links", "\n", "://www."),
    ("links in text", "\n", "http://a "),
    ("encoded words", "Subject: ", "=?utf-8?Q?a"),
    ("encoded words, closed", "Subject: ", "=?a?Q?b?= =?c?B?d?="),
    ("raw headers", "", "A: \u{e9}\u{ff}\n"),
    ("parameters", "Content-Type: text/plain", "; name*1*=a"),
    ("open strings", "Content-Type: text/plain", "; name=\""),
    ("folds", "Subject: a", "\n "),
    ("padding", "Content-Transfer-Encoding: base64\n\n", "AA=="),
    ("padding with junk", "Content-Transfer-Encoding: base64\n\n!", "A=A==="),
    ("equals signs", "Content-Transfer-Encoding: quoted-printable\n\n", "= "),
    ("carriage returns", "Content-Type: multipart/mixed; boundary=a\n\n--a\n", "\r--"),
    ("raw bytes", "Content-Type: text/plain; charset=euc-kr\n\n", "\u{fe}a\u{ff}"),
];

/// The storm in Latin-1, so that raw bytes are raw.
fn storm(head: &str, unit: &str, bytes: usize) -> Vec<u8> {
    let latin = |text: &str| text.chars().map(|letter| letter as u8).collect::<Vec<u8>>();
    let mut message = latin(head);
    message.extend(latin(unit).repeat(bytes / unit.chars().count()));
    message
}

fn take_in(message: &[u8]) {
    let mut view = View::default();
    read(message, &Limits { header_bytes: 16 << 20, ..Limits::default() }, &mut view);
    std::hint::black_box(strip(message).len());
}

#[test]
fn storms_allocate_in_proportion_to_their_bytes() {
    const BYTES: usize = 40_000;
    for (name, head, unit) in STORMS {
        let of = |bytes: usize| {
            let message = storm(head, unit, bytes);
            allocated(|| take_in(&message))
        };
        let (one, eight) = (of(BYTES), of(8 * BYTES));
        // Linear is a factor of 8, quadratic one of 64.
        assert!(eight <= 10 * one, "{name}: eight times the bytes allocated {eight} in place of {one}");
    }
}

#[test]
fn storms_end() {
    // Quadratic work on megabytes would take hours.
    for (_, head, unit) in STORMS {
        take_in(&storm(head, unit, 4 << 20));
    }
}

#[test]
fn each_limit_says_so_and_keeps_the_text() {
    let message = b"Content-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a\n\ntwo\n--a--\n";
    let cases = [
        (Limits { nesting: 0, ..Limits::default() }, "limit-nesting", "two"),
        (Limits { parts: 2, ..Limits::default() }, "limit-parts", "two"),
        (Limits { header_bytes: 10, ..Limits::default() }, "limit-header-bytes", "two"),
        (Limits { message_bytes: 60, ..Limits::default() }, "limit-message-bytes", "one"),
        (Limits { decoded_bytes: 4, ..Limits::default() }, "limit-decoded-bytes", "one"),
        (Limits { parts: 0, ..Limits::default() }, "limit-parts", "two"),
    ];
    for (limits, shape, kept) in cases {
        let mut view = View::default();
        read(message, &limits, &mut view);
        assert!(has(&view, shape), "{shape}: {:?}", view.shapes);
        assert!(view.text.contains(kept), "{shape}: {:?}", view.text);
    }
}

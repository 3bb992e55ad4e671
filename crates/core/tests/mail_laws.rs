//! Laws of reading and stripping, over arbitrary bytes and over damaged mail.

use deciban_core::mail::{Limits, read, strip};
use deciban_core::view::View;
use proptest::collection::vec;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

static GOLDENS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let entries = fs::read_dir(folder).expect("the folder of goldens can be read");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("its entries too").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "eml"));
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a golden can be read")).collect()
});

/// Pieces of mail; any sequence of them is a message of a kind.
const PIECES: [&[u8]; 40] = [
    b"From a@b Mon\n",
    b"Subject: ",
    b"X-Spam-Flag: YES\n",
    b"Status: RO\n",
    b"[SPAM] ",
    b"***SPAM*** ",
    b"Content-Type: multipart/alternative; boundary=b\n",
    b"Content-Type: text/html; charset=euc-kr\n",
    b"Content-Type: message/rfc822\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Type: text/plain; charset=utf-7\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Disposition: attachment; filename*0*=utf-8''%ED",
    b"; name=\"",
    b"--b\n",
    b"--b--\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\n ",
    b"\n\t",
    b" ",
    b"=?utf-8?B?7ZU=?=",
    b"=?iso-2022-kr?Q?=0E",
    b"?=",
    b"\x1b$B",
    b"\x0eGQ1[\x0f",
    b"<a href=\"http://x.example\">",
    b"</a>",
    b"<p style='display:none'>",
    b"<!--",
    b"-->",
    b"&#x",
    b"&nbsp;",
    b"www.y.example",
    b"=E9=\n",
    b"\xed\x95\x9c",
    b"\xc7\xd1",
    b"\0",
    b"word",
];

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = (0..PIECES.len()).prop_map(|index| PIECES[index].to_vec());
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// A golden with stretches overwritten, cut out and doubled.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let harm = (any::<prop::sample::Index>(), 0usize..40, vec(any::<u8>(), 0..8));
    (0..GOLDENS.len(), vec(harm, 0..6)).prop_map(|(which, harms)| {
        let mut message = GOLDENS[which].clone();
        for (place, length, bytes) in harms {
            let start = place.index(message.len() + 1);
            let end = (start + length).min(message.len());
            message.splice(start..end, bytes);
        }
        message
    })
}

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..400), pieces(), damaged()]
}

fn tight() -> impl Strategy<Value = Limits> {
    (0usize..2000, 0usize..4, 0usize..6, 0usize..300, 0usize..200).prop_map(
        |(message_bytes, nesting, parts, header_bytes, decoded_bytes)| Limits {
            message_bytes,
            nesting,
            parts,
            header_bytes,
            decoded_bytes,
        },
    )
}

fn check(view: &View) -> Result<(), TestCaseError> {
    let mut end = 0;
    for span in &view.spans {
        prop_assert!(span.start >= end && span.end > span.start, "{span:?} behind {end}");
        prop_assert!(view.text.get(span.start..span.end).is_some(), "{span:?} cuts a character");
        end = span.end;
    }
    prop_assert!(!view.text.contains(['\0', '\r']));
    for (place, shape) in view.shapes.iter().enumerate() {
        prop_assert!(
            shape.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.')),
            "{shape}"
        );
        prop_assert!(!view.shapes[..place].contains(shape), "{shape} twice");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_become_a_sound_view(message in any_message()) {
        let mut view = View::default();
        read(&message, &Limits::default(), &mut view);
        check(&view)?;
        prop_assert!(view.shapes.iter().all(|shape| !shape.starts_with("limit-")));
    }

    #[test]
    fn tight_limits_keep_the_view_sound(message in any_message(), limits in tight()) {
        let mut view = View::default();
        read(&message, &limits, &mut view);
        check(&view)?;
    }

    #[test]
    fn a_used_view_reads_like_a_new_one(first in any_message(), second in any_message()) {
        let (mut used, mut new) = (View::default(), View::default());
        read(&first, &Limits::default(), &mut used);
        read(&second, &Limits::default(), &mut used);
        read(&second, &Limits::default(), &mut new);
        prop_assert_eq!(used, new);
    }

    #[test]
    fn stripping_twice_is_stripping_once(message in any_message()) {
        let once = strip(&message);
        prop_assert_eq!(&*strip(&once), &*once);
        prop_assert!(once.len() <= message.len());
    }
}

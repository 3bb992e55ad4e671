//! An mbox cut anywhere, read in pieces of any size, gives the same messages, none longer than the limit.
#![no_main]

use deciban_core::source::Mbox;
use deciban_fuzz::Cut;
use libfuzzer_sys::fuzz_target;
use std::io::{self, Read};

/// Hands out at most `step` bytes a read.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.0.len().min(out.len()).min(self.1);
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fn messages(data: &[u8], step: usize, most: usize) -> Vec<Vec<u8>> {
    let mut mbox = Mbox::new(Drip(data, step), most);
    let mut next = || {
        let mut message = Vec::new();
        mbox.message(&mut message).expect("memory can be read").then_some(message)
    };
    std::iter::from_fn(&mut next).collect()
}

fuzz_target!(|data: &[u8]| {
    let mut cut = Cut(data);
    let (step, most) = (1 + usize::from(cut.byte()), cut.number(2) as usize);
    let data = cut.0;
    let whole = messages(data, usize::MAX, data.len());
    assert!(whole.iter().map(Vec::len).sum::<usize>() <= data.len());
    assert_eq!(messages(data, step, data.len()), whole, "read in pieces");
    if !data.starts_with(b"From ") {
        assert!(whole.len() <= 1, "what does not begin as an mbox is one message");
    }
    let limited = messages(data, step, most);
    assert_eq!(limited.len(), whole.len(), "a limit cuts messages off, it makes none and loses none");
    for (short, long) in limited.iter().zip(&whole) {
        assert!(short.len() <= most + 1 && (short.len() == most + 1 || short == long));
        let same = short.len().min(long.len());
        assert_eq!(short[..same], long[..same]);
    }
});

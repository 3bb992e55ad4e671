//! Reading items from files, a bounded amount at a time: one message a file, or an mbox of many.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::maildir::{Maildirs, is_gone};
use crate::parallel::each_of;

/// A file to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// An mbox of many messages, each begun by a line "From …" after an empty line; otherwise one item.
    pub mbox: bool,
}

/// Items that were read together: their bytes, one after the other, and where each ends.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Position in the list of inputs of what each item came from.
    pub inputs: Vec<usize>,
}

impl Batch {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of an item, at most one more than the limit.
    pub fn item(&self, i: usize) -> &[u8] {
        &self.bytes[if i == 0 { 0 } else { self.ends[i - 1] }..self.ends[i]]
    }

    /// Notes that an item ends here.
    fn close(&mut self, input: usize) {
        self.ends.push(self.bytes.len());
        self.inputs.push(input);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.inputs.clear();
    }
}

/// What went wrong, and where.
#[derive(Debug)]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

/// Bytes of a batch, about, unless whoever reads says otherwise.
pub const BATCH: usize = 16 << 20;
/// Files read at once.
const FILES: usize = 2048;
/// Files of a batch that are read together: at first, and at most.
const FEW: usize = 2;
const MANY: usize = 64;

/// Reads inputs batch by batch.
pub struct Batches {
    inputs: Vec<Input>,
    next: usize,
    /// An item longer than this is cut off one byte beyond it.
    most_bytes: usize,
    /// Bytes of a batch, about.
    size: usize,
    open: Option<Mbox<File>>,
    maildirs: Maildirs,
    gone: Vec<usize>,
}

impl Batches {
    /// Reads `inputs` in order, about `size` bytes at a time; of items longer than `most_bytes` only the first
    /// `most_bytes` + 1.
    pub fn new(inputs: Vec<Input>, most_bytes: usize, size: usize) -> Batches {
        let (maildirs, gone) = (Maildirs::default(), Vec::new());
        Batches { inputs, next: 0, most_bytes, size, open: None, maildirs, gone }
    }

    /// Positions of the inputs that were gone when it was their turn; renamed messages of Maildirs are read.
    pub fn gone(&self) -> &[usize] {
        &self.gone
    }

    /// Fills a batch with the next items, in its memory; none at the end.
    pub fn read(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        batch.clear();
        loop {
            if let Some(mbox) = &mut self.open {
                let input = self.next - 1;
                while batch.bytes.len() < self.size {
                    let more = mbox.message(&mut batch.bytes);
                    if !more.map_err(|error| fault(&self.inputs, input, error))? {
                        self.open = None;
                        break;
                    }
                    batch.close(input);
                }
                if !batch.is_empty() {
                    return Ok(());
                }
                continue;
            }
            let Some(input) = self.inputs.get(self.next) else { return Ok(()) };
            if input.mbox {
                match File::open(&input.path) {
                    Ok(file) => self.open = Some(Mbox::new(file, self.most_bytes)),
                    Err(error) if is_gone(&error) => self.gone.push(self.next),
                    Err(error) => return Err(fault(&self.inputs, self.next, error)),
                }
                self.next += 1;
                continue;
            }
            self.files(batch)?;
            if !batch.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads a run of one-item files on all cores.
    fn files(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let start = self.next;
        let run = self.inputs[start..].iter().take(FILES).take_while(|input| !input.mbox).count();
        let end = start + run;
        let mut count = FEW;
        while self.next < end {
            let first = self.next;
            let group = &self.inputs[first..end.min(first + count)];
            let most = self.most_bytes;
            let read: Vec<_> = each_of(group, 1, &|input| read_file(&input.path, most));
            for (i, bytes) in read.into_iter().enumerate() {
                let found = match bytes {
                    Err(error) if is_gone(&error) => {
                        self.maildirs.follow(&group[i].path, |path| read_file(path, most))
                    }
                    bytes => bytes.map(Some),
                };
                match found.map_err(|error| fault(&self.inputs, first + i, error))? {
                    Some(bytes) => {
                        batch.bytes.extend_from_slice(&bytes);
                        batch.close(first + i);
                    }
                    None => self.gone.push(first + i),
                }
            }
            self.next += group.len();
            if batch.bytes.len() >= self.size {
                break;
            }
            // Twice as many, if there is room for them when they are like those before: a batch of large files stays
            // near its size.
            let mean = batch.bytes.len() / (self.next - start);
            count = ((self.size - batch.bytes.len()) / mean.max(1)).clamp(1, MANY.min(2 * count));
        }
        Ok(())
    }
}

fn fault(inputs: &[Input], input: usize, error: io::Error) -> ReadError {
    ReadError { path: inputs[input].path.clone(), error }
}

fn read_file(path: &Path, most_bytes: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(8 << 10);
    File::open(path)?.take(most_bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A message while it is being read, at the end of other bytes.
struct Taken<'a> {
    bytes: &'a mut Vec<u8>,
    /// Where it begins.
    start: usize,
    begun: bool,
    /// Still in the "From " line, which is no part of the message.
    envelope: bool,
}

impl Taken<'_> {
    fn len(&self) -> usize {
        self.bytes.len() - self.start
    }
}

/// Cuts a stream into the messages of an mbox.
pub struct Mbox<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    most_bytes: usize,
    ended: bool,
    /// The stream does not begin as an mbox does: it is one message.
    single: bool,
}

impl<R: Read> Mbox<R> {
    /// Messages of `source`, or the one it is if it does not begin with "From "; of those longer than `most_bytes`
    /// only the first `most_bytes` + 1 bytes.
    pub fn new(source: R, most_bytes: usize) -> Mbox<R> {
        Mbox { source, buffer: Vec::new(), start: 0, most_bytes, ended: false, single: false }
    }

    /// Appends the next message, without the "From " line that begins it and the empty line that ends it; says whether
    /// there was one.
    pub fn message(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let mut searched = self.start;
        let mut taken = Taken { start: out.len(), bytes: out, begun: false, envelope: false };
        loop {
            if !self.single
                && let Some(end) = boundary(&self.buffer, searched, self.start)
            {
                self.keep(&mut taken, end);
                self.start = end;
                self.finish(taken);
                return Ok(true);
            }
            // A boundary may straddle what has been read and what comes next.
            searched = self.buffer.len().saturating_sub(8).max(self.start);
            if searched - self.start > self.most_bytes {
                self.keep(&mut taken, searched);
                self.start = searched;
            }
            if self.ended {
                let end = self.buffer.len();
                self.keep(&mut taken, end);
                self.start = end;
                let begun = taken.begun;
                self.finish(taken);
                return Ok(begun);
            }
            let moved = self.fill()?;
            searched -= moved;
        }
    }

    /// Adds the buffer up to `end` to the message, as far as it may grow, but not the line that begins it.
    fn keep(&self, taken: &mut Taken<'_>, end: usize) {
        let mut part = &self.buffer[self.start..end];
        if !taken.begun && !part.is_empty() {
            (taken.begun, taken.envelope) = (true, !self.single);
        }
        if taken.envelope {
            let line = memchr::memchr(b'\n', part);
            taken.envelope = line.is_none();
            part = &part[line.map_or(part.len(), |i| i + 1)..];
        }
        let room = (self.most_bytes + 1).saturating_sub(taken.len());
        taken.bytes.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// Leaves out the empty line at the end of the message, unless it was cut off before.
    fn finish(&self, taken: Taken<'_>) {
        let message = &taken.bytes[taken.start..];
        let empty = match message {
            _ if message.len() > self.most_bytes => 0,
            [.., b'\n', b'\n'] => 1,
            [.., b'\r', b'\n', b'\r', b'\n'] => 2,
            _ => 0,
        };
        taken.bytes.truncate(taken.bytes.len() - empty);
    }

    /// Reads more; says by how much the buffer moved.
    fn fill(&mut self) -> io::Result<usize> {
        let moved = self.start;
        self.buffer.drain(..moved);
        self.start = 0;
        let before = self.buffer.len();
        let read = (&mut self.source).take(1 << 20).read_to_end(&mut self.buffer)?;
        self.ended = read == 0;
        if before == 0 && moved == 0 {
            self.single = !self.buffer.starts_with(b"From ");
        }
        Ok(moved)
    }
}

/// Where the next message begins: an empty line, then "From ". The search begins at `from`; `start` is where the
/// present message begins, whose own first line is no boundary.
fn boundary(buffer: &[u8], from: usize, start: usize) -> Option<usize> {
    memchr::memmem::find_iter(&buffer[from..], b"\nFrom ").map(|i| from + i).find_map(|i| {
        let before = &buffer[start..i];
        (before.ends_with(b"\n") || before.ends_with(b"\n\r")).then_some(i + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte a read, to put every boundary across two reads.
    struct Drip<'a>(&'a [u8]);
    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(out.len()).min(1);
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn messages(text: &str, most: usize) -> Vec<String> {
        let mut mbox = Mbox::new(Drip(text.as_bytes()), most);
        let mut next = || {
            let mut out = b"before".to_vec();
            mbox.message(&mut out).unwrap().then(|| String::from_utf8(out.split_off(6)).unwrap())
        };
        std::iter::from_fn(&mut next).collect()
    }

    #[test]
    fn an_mbox_is_cut_at_from_lines_after_empty_lines() {
        let text = "From a\nX: 1\n\nbody\nFrom here on\n\nFrom b\nX: 2\n\n>From x\n\n";
        assert_eq!(messages(text, 1000), ["X: 1\n\nbody\nFrom here on\n", "X: 2\n\n>From x\n"]);
        assert_eq!(messages("", 10), [""; 0]);
        assert_eq!(messages("From a\n\nFrom b\nX: 2\n\n\nFrom c\n", 1), ["\n", "X:", ""]);
        assert_eq!(messages("no mbox\n\nFrom x\n", 100), ["no mbox\n\nFrom x\n"]);
        let long = format!("From a\n{}\n\nFrom b\nX: 2\n", "y".repeat(500));
        let cut = messages(&long, 50);
        assert_eq!((cut.len(), cut[0].len(), cut[1].as_str()), (2, 51, "X: 2\n"));
    }
}

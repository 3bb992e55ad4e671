//! Reading items from files, a bounded amount at a time: one message a file, or an mbox of many.

use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::maildir::{Maildirs, is_gone};

/// A file to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// An mbox of many messages, each begun by a line "From …" after an empty line; otherwise one item.
    pub mbox: bool,
}

/// An item and which input it came from.
pub struct Item {
    /// Position in the list of inputs.
    pub input: usize,
    /// The item's bytes, at most one more than the limit.
    pub bytes: Vec<u8>,
}

/// What went wrong, and where.
#[derive(Debug)]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

/// Bytes of a batch, about.
const BATCH: usize = 16 << 20;
/// Files read at once.
const FILES: usize = 2048;

/// Reads inputs batch by batch.
pub struct Batches {
    inputs: Vec<Input>,
    next: usize,
    /// An item longer than this is cut off one byte beyond it.
    most_bytes: usize,
    open: Option<Mbox<File>>,
    maildirs: Maildirs,
    gone: Vec<usize>,
}

impl Batches {
    /// Reads `inputs` in order; of items longer than `most_bytes` only the first `most_bytes` + 1.
    pub fn new(inputs: Vec<Input>, most_bytes: usize) -> Batches {
        Batches { inputs, next: 0, most_bytes, open: None, maildirs: Maildirs::default(), gone: Vec::new() }
    }

    /// Positions of the inputs that were gone when it was their turn; renamed messages of Maildirs are read.
    pub fn gone(&self) -> &[usize] {
        &self.gone
    }

    /// The next items; none at the end.
    pub fn read(&mut self) -> Result<Vec<Item>, ReadError> {
        loop {
            if let Some(mbox) = &mut self.open {
                let input = self.next - 1;
                let mut items = Vec::new();
                let mut size = 0;
                while size < BATCH {
                    match mbox.message().map_err(|error| fault(&self.inputs, input, error))? {
                        Some(bytes) => {
                            size += bytes.len();
                            items.push(Item { input, bytes });
                        }
                        None => {
                            self.open = None;
                            break;
                        }
                    }
                }
                if !items.is_empty() {
                    return Ok(items);
                }
                continue;
            }
            let Some(input) = self.inputs.get(self.next) else { return Ok(Vec::new()) };
            if input.mbox {
                match File::open(&input.path) {
                    Ok(file) => self.open = Some(Mbox::new(file, self.most_bytes)),
                    Err(error) if is_gone(&error) => self.gone.push(self.next),
                    Err(error) => return Err(fault(&self.inputs, self.next, error)),
                }
                self.next += 1;
                continue;
            }
            let items = self.files()?;
            if !items.is_empty() {
                return Ok(items);
            }
        }
    }

    /// Reads a run of one-item files on all cores.
    fn files(&mut self) -> Result<Vec<Item>, ReadError> {
        let start = self.next;
        let run = self.inputs[start..].iter().take(FILES).take_while(|input| !input.mbox).count();
        let mut items = Vec::with_capacity(run);
        let mut size = 0;
        // Small groups, so that a batch of large files stays near its size.
        for group in self.inputs[start..start + run].chunks(64) {
            let first = self.next;
            let most = self.most_bytes;
            let read: Vec<_> = group.par_iter().map(|input| read_file(&input.path, most)).collect();
            for (i, bytes) in read.into_iter().enumerate() {
                let found = match bytes {
                    Err(error) if is_gone(&error) => {
                        self.maildirs.follow(&group[i].path, |path| read_file(path, most))
                    }
                    bytes => bytes.map(Some),
                };
                match found.map_err(|error| fault(&self.inputs, first + i, error))? {
                    Some(bytes) => {
                        size += bytes.len();
                        items.push(Item { input: first + i, bytes });
                    }
                    None => self.gone.push(first + i),
                }
            }
            self.next += group.len();
            if size >= BATCH {
                break;
            }
        }
        Ok(items)
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

/// A message while it is being read.
#[derive(Default)]
struct Taken {
    bytes: Vec<u8>,
    begun: bool,
    /// Still in the "From " line, which is no part of the message.
    envelope: bool,
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

    /// The next message, without the "From " line that begins it and the empty line that ends it.
    pub fn message(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = self.start;
        let mut taken = Taken::default();
        loop {
            if !self.single
                && let Some(end) = boundary(&self.buffer, searched, self.start)
            {
                self.keep(&mut taken, end);
                self.start = end;
                return Ok(Some(self.finished(taken)));
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
                return Ok(taken.begun.then(|| self.finished(taken)));
            }
            let moved = self.fill()?;
            searched -= moved;
        }
    }

    /// Adds the buffer up to `end` to the message, as far as it may grow, but not the line that begins it.
    fn keep(&self, taken: &mut Taken, end: usize) {
        let mut part = &self.buffer[self.start..end];
        if !taken.begun && !part.is_empty() {
            (taken.begun, taken.envelope) = (true, !self.single);
        }
        if taken.envelope {
            let line = memchr::memchr(b'\n', part);
            taken.envelope = line.is_none();
            part = &part[line.map_or(part.len(), |i| i + 1)..];
        }
        let room = (self.most_bytes + 1).saturating_sub(taken.bytes.len());
        taken.bytes.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// The message without the empty line at its end, unless it was cut off before.
    fn finished(&self, taken: Taken) -> Vec<u8> {
        let mut message = taken.bytes;
        if message.len() > self.most_bytes {
            return message;
        }
        if message.ends_with(b"\n\n") {
            message.pop();
        } else if message.ends_with(b"\r\n\r\n") {
            message.truncate(message.len() - 2);
        }
        message
    }

    /// Reads more; says by how much the buffer moved.
    fn fill(&mut self) -> io::Result<usize> {
        let moved = self.start;
        self.buffer.drain(..moved);
        self.start = 0;
        let before = self.buffer.len();
        let read = (&mut self.source).take(4 << 20).read_to_end(&mut self.buffer)?;
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
        std::iter::from_fn(|| mbox.message().unwrap()).map(|m| String::from_utf8(m).unwrap()).collect()
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

//! Items that were read and tokenised once, for whatever is to be learnt of them: segment by segment, in memory up to a
//! bound and beyond it in a temporary file, which has no name and is gone with the process.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use super::reader::Reader;
use super::segment::{Segment, Shape};

/// Bytes of items that become one segment, about.
const SEGMENT: usize = 64 << 20;

/// Items as tokens.
pub struct Corpus {
    reader: Reader,
    /// Bytes that are kept in memory.
    memory: usize,
    kept: Vec<Kept>,
    items: usize,
    held: usize,
    file: Option<File>,
    written: u64,
}

struct Kept {
    first: usize,
    place: Place,
    /// Whether the items that were added together end here.
    ends: bool,
}

enum Place {
    Memory(Arc<Segment>),
    File(u64, Shape),
}

impl Corpus {
    /// No items yet; of their columns about `memory` bytes are kept in memory.
    pub fn new(reader: Reader, memory: usize) -> Corpus {
        Corpus { reader, memory, kept: Vec::new(), items: 0, held: 0, file: None, written: 0 }
    }

    /// How items are read.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Bytes in the temporary file.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// More items, on so many threads.
    pub fn add(&mut self, mut items: &[&[u8]], threads: usize) -> io::Result<()> {
        while !items.is_empty() {
            let mut size = 0;
            let more = |item: &&&[u8]| {
                let room = size < SEGMENT;
                size += item.len();
                room
            };
            let (some, others) = items.split_at(items.iter().take_while(more).count());
            self.keep(Segment::new(&self.reader, some, threads), others.is_empty())?;
            items = others;
        }
        Ok(())
    }

    fn keep(&mut self, segment: Segment, ends: bool) -> io::Result<()> {
        let (first, size, items) = (self.items, segment.size(), segment.ends.len());
        let place = if self.held + size <= self.memory {
            self.held += size;
            Place::Memory(Arc::new(segment))
        } else {
            let at = self.written;
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(unnamed()?),
            };
            file.seek(SeekFrom::Start(at))?;
            let mut out = BufWriter::new(file);
            segment.write(&mut out)?;
            out.flush()?;
            self.written += size as u64;
            Place::File(at, segment.shape())
        };
        self.items += items;
        self.kept.push(Kept { first, place, ends });
        Ok(())
    }

    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.kept.len()
    }

    /// Which items are in a segment.
    pub fn within(&self, segment: usize) -> std::ops::Range<usize> {
        self.kept[segment].first..self.kept.get(segment + 1).map_or(self.items, |next| next.first)
    }

    /// Whether the items that were added together end with a segment.
    pub fn ends(&self, segment: usize) -> bool {
        self.kept[segment].ends
    }

    /// A segment, from memory or from the file.
    pub fn segment(&self, segment: usize) -> io::Result<Arc<Segment>> {
        match (&self.kept[segment].place, &self.file) {
            (Place::Memory(segment), _) => Ok(segment.clone()),
            (&Place::File(at, shape), Some(file)) => {
                let mut file: &File = file;
                file.seek(SeekFrom::Start(at))?;
                Ok(Arc::new(Segment::read(&mut file, shape)?))
            }
            (Place::File(..), None) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A file without a name in the folder for temporary files, which only this process can read.
fn unnamed() -> io::Result<File> {
    let folder = std::env::temp_dir();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for attempt in 0u32.. {
        let path = folder.join(format!(".deciban-{}-{attempt}", std::process::id()));
        match options.open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

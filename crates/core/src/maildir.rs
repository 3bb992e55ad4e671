//! Messages of a Maildir, found again after a mail program has renamed them.
//!
//! The name of a message is unique up to ":2,"; what follows are its flags, which change as it is read, answered or
//! marked, and it moves from new/ to cur/ when a program first sees it (<https://cr.yp.to/proto/maildir.html>).

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Listings after which a message that has gone each time is taken for gone.
const TRIES: usize = 8;
/// Times of folders are coarse: a listing is sure of later changes only of a folder that was left alone before it.
const COARSE: Duration = Duration::from_millis(100);

/// Whether an error says that a file is not where it was.
pub fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, StaleNetworkFileHandle};
    matches!(error.kind(), NotFound | NotADirectory | StaleNetworkFileHandle)
}

/// Where the messages of Maildirs are now.
#[derive(Default)]
pub struct Maildirs {
    known: HashMap<PathBuf, Listing>,
}

struct Listing {
    changed: [Option<SystemTime>; 2],
    /// What is not listed was not there.
    sure: bool,
    paths: HashMap<Vec<u8>, PathBuf>,
}

impl Maildirs {
    /// What `read` makes of a message whose path has gone, by its new path; none where the message itself has gone.
    pub fn follow<T>(&mut self, path: &Path, read: impl Fn(&Path) -> io::Result<T>) -> io::Result<Option<T>> {
        let Some((root, name)) = place(path) else { return Ok(None) };
        for _ in 0..TRIES {
            if let Some(now) = self.known.get(root).and_then(|listing| listing.paths.get(name)) {
                match read(now) {
                    Err(error) if is_gone(&error) => {}
                    found => return found.map(Some),
                }
            } else if self
                .known
                .get(root)
                .is_some_and(|listing| listing.sure && listing.changed == times(root))
            {
                return Ok(None);
            }
            self.known.insert(root.to_owned(), Listing::new(root));
        }
        Ok(None)
    }
}

impl Listing {
    fn new(root: &Path) -> Listing {
        let (before, started) = (times(root), SystemTime::now());
        let mut paths = HashMap::new();
        // What moves on meanwhile goes from new/ to cur/.
        for folder in ["new", "cur"] {
            for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
                paths.insert(unique(entry.file_name().as_encoded_bytes()).to_owned(), entry.path());
            }
        }
        let is_old = |time: &Option<SystemTime>| {
            time.is_none_or(|time| started.duration_since(time).is_ok_and(|age| age > COARSE))
        };
        Listing { changed: before, sure: before == times(root) && before.iter().all(is_old), paths }
    }
}

fn times(root: &Path) -> [Option<SystemTime>; 2] {
    ["new", "cur"].map(|folder| fs::metadata(root.join(folder)).and_then(|about| about.modified()).ok())
}

/// The Maildir of a message, and the part of its name that stays.
fn place(path: &Path) -> Option<(&Path, &[u8])> {
    let folder = path.parent()?;
    let root = folder.parent()?;
    let is_maildir = matches!(folder.file_name()?.to_str(), Some("cur" | "new"))
        && ["cur", "new"].iter().all(|name| root.join(name).is_dir());
    is_maildir.then_some((root, unique(path.file_name()?.as_encoded_bytes())))
}

fn unique(name: &[u8]) -> &[u8] {
    match memchr::memmem::find(name, b":2,") {
        Some(end) if end > 0 => &name[..end],
        _ => name,
    }
}

//! Counting the words of items that have been tokenised: what [`super::count::Counter`] counts of their bytes.
//!
//! A segment is counted word by word in arrays, class by class, and its dictionary, which is sorted, merged with that of
//! all before it: no table is looked into. Where words are dropped, it is where the counter drops them.

use std::borrow::Cow;
use std::io;

use super::corpus::Corpus;
use super::count::{Found, Lost, Rules};
use super::names::Names;
use super::segment::Segment;
use super::table::Count;
use super::token::Tokenizer;
use super::wordbook::Wordbook;
use crate::narrow::narrow;
use crate::parallel::{each, each_of, fill};

/// Counts by class, of segments one after the other.
pub struct Tally {
    rules: Rules,
    classes: usize,
    runs: Vec<Run>,
    items: Vec<f64>,
    lost: Lost,
}

/// The words whose hashes begin with the same bits, ascending: their counts, a row of all classes each, and where their
/// names are.
#[derive(Clone, Default)]
struct Run {
    hashes: Vec<u64>,
    counts: Vec<f64>,
    /// Segment and number there.
    from: Vec<(u32, u32)>,
    /// The generation in which each was met.
    born: Vec<u32>,
}

/// First bits of a hash that say in which run it is: runs are merged side by side.
const BITS: u32 = 4;
const NOWHERE: u32 = u32::MAX;

/// Some items of a segment: their places in it, the class of each, and what each weighs.
pub struct Chosen<'a, T> {
    /// Places in the segment.
    pub items: &'a [u32],
    /// By item, below the number of classes.
    pub classes: &'a [u32],
    /// By item.
    pub weights: &'a (dyn Fn(usize) -> T + Sync),
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(rules: Rules, classes: usize) -> Tally {
        let run = Run::empty();
        Tally { rules, classes, runs: vec![run; 1 << BITS], items: vec![0.0; classes], lost: Lost::default() }
    }

    /// Counts some items of the segment with this number, whose words `tokenizer` admits.
    pub fn add<T: Count>(
        &mut self,
        number: usize,
        segment: &Segment,
        tokenizer: &Tokenizer,
        chosen: &Chosen<'_, T>,
    ) {
        if chosen.items.is_empty() {
            return;
        }
        for (k, &class) in chosen.classes.iter().enumerate() {
            self.items[class as usize] += (chosen.weights)(k).into();
        }
        let (hashes, features) = self.features(segment, tokenizer);
        let column = |class| self.column(segment, &features, hashes.len(), chosen, narrow(class));
        let columns: Vec<Vec<T>> = each(self.classes, &column);
        let (bits, number, born) = (64 - BITS, narrow(number), self.lost.times);
        fill(&mut self.runs, 1, &|r, runs| {
            let [from, to] = [r, r + 1].map(|r| hashes.partition_point(|&hash| hash >> bits < r as u64));
            runs.iter_mut().for_each(|run| run.merge(&hashes, from..to, &columns, number, born));
        });
    }

    /// Hashes of the segment's features, ascending, and which of them each word is.
    fn features<'a>(&self, segment: &'a Segment, tokenizer: &Tokenizer) -> (Cow<'a, [u64]>, Vec<u32>) {
        if self.rules.hashed_bits.is_none() {
            let admitted = segment.sizes.iter().map(|&size| tokenizer.admits(size));
            let numbers = admitted.enumerate().map(|(i, yes)| if yes { narrow(i) } else { NOWHERE });
            return (Cow::Borrowed(&segment.hashes), numbers.collect());
        }
        let mut hashes = Vec::new();
        let numbered = segment.hashes.iter().zip(&segment.sizes).map(|(&hash, &size)| {
            if !tokenizer.admits(size) {
                return NOWHERE;
            }
            let feature = self.rules.feature(hash);
            if hashes.last() != Some(&feature) {
                hashes.push(feature);
            }
            narrow(hashes.len() - 1)
        });
        let numbers = numbered.collect();
        (Cow::Owned(hashes), numbers)
    }

    /// How often each feature occurs in the items of one class.
    fn column<T: Count>(
        &self,
        segment: &Segment,
        features: &[u32],
        size: usize,
        chosen: &Chosen<'_, T>,
        class: u32,
    ) -> Vec<T> {
        let mut column = vec![T::default(); size];
        let mut seen = vec![NOWHERE; if self.rules.binary { size } else { 0 }];
        for (k, &item) in chosen.items.iter().enumerate().filter(|&(k, _)| chosen.classes[k] == class) {
            let weight = (chosen.weights)(k);
            for &token in segment.item(item as usize) {
                let feature = features[token as usize];
                if feature == NOWHERE {
                    continue;
                }
                let feature = feature as usize;
                if self.rules.binary {
                    if seen[feature] == item {
                        continue;
                    }
                    seen[feature] = item;
                }
                column[feature] += weight;
            }
        }
        column
    }

    /// Drops the rarest words while there are too many, where the items that were added together end.
    pub fn bound(&mut self) {
        let (before, most) =
            (self.runs.iter().map(|run| run.hashes.len()).sum::<usize>(), self.rules.most_words);
        if before <= most {
            return;
        }
        let classes = self.classes;
        let total = |counts: &[f64]| counts.iter().sum::<f64>();
        let mut totals: Vec<f64> =
            self.runs.iter().flat_map(|run| run.counts.chunks_exact(classes).map(total)).collect();
        let floor = self.lost.drop_rare(&mut totals, most);
        let drop = |run: &mut Run| {
            let kept = |i: &usize| total(&run.counts[i * classes..(i + 1) * classes]) > floor;
            let rows: Vec<usize> = (0..run.hashes.len()).filter(kept).collect();
            *run = Run {
                hashes: rows.iter().map(|&i| run.hashes[i]).collect(),
                counts: rows
                    .iter()
                    .flat_map(|&i| &run.counts[i * classes..(i + 1) * classes])
                    .copied()
                    .collect(),
                from: rows.iter().map(|&i| run.from[i]).collect(),
                born: rows.iter().map(|&i| run.born[i]).collect(),
            };
        };
        fill(&mut self.runs, 1, &|_, runs| runs.iter_mut().for_each(drop));
    }

    /// The generation of the items that come next: how often words have been dropped.
    pub fn generation(&self) -> u32 {
        self.lost.times
    }

    /// The counts, with the names of the words if `named`, and what was dropped.
    pub fn finish(self, corpus: &Corpus, named: bool) -> io::Result<Found> {
        let named = named && self.rules.hashed_bits.is_none();
        let names = if named { self.names(corpus)? } else { Names::default() };
        let (mut hashes, mut counts, mut born) = (Vec::new(), Vec::new(), Vec::new());
        for run in self.runs {
            hashes.extend(run.hashes);
            born.extend(run.born);
            counts.extend(run.counts);
        }
        let book = Wordbook { classes: self.classes, hashes, counts, names, items: self.items };
        Ok(Found { book, lost: self.lost, born })
    }

    fn names(&self, corpus: &Corpus) -> io::Result<Names> {
        let mut wanted: Vec<Vec<(u32, u32)>> = vec![Vec::new(); corpus.segments()];
        let all = self.runs.iter().flat_map(|run| &run.from);
        all.enumerate().for_each(|(i, &(segment, word))| wanted[segment as usize].push((narrow(i), word)));
        let mut found = vec![String::new(); wanted.iter().map(Vec::len).sum()];
        for (s, wanted) in wanted.iter().enumerate().filter(|(_, wanted)| !wanted.is_empty()) {
            let segment = corpus.segment(s)?;
            let named: Vec<String> = each_of(wanted, 256, &|&(_, word)| segment.name(word as usize));
            wanted.iter().zip(named).for_each(|(&(i, _), name)| found[i as usize] = name);
        }
        let mut names = Names::default();
        found.iter().for_each(|name| names.push(name));
        Ok(names)
    }
}

impl Run {
    fn empty() -> Run {
        Run { hashes: Vec::new(), counts: Vec::new(), from: Vec::new(), born: Vec::new() }
    }

    /// Adds the words of a segment that occur in any class; those that were not known are of generation `born`.
    fn merge<T: Count>(
        &mut self,
        hashes: &[u64],
        range: std::ops::Range<usize>,
        columns: &[Vec<T>],
        number: u32,
        born: u32,
    ) {
        let classes = columns.len();
        let old = std::mem::replace(self, Run::empty());
        let room = old.hashes.len() + range.len();
        self.hashes.reserve(room);
        self.counts.reserve(room * classes);
        self.from.reserve(room);
        self.born.reserve(room);
        let mut i = 0;
        for feature in range {
            if columns.iter().all(|column| column[feature].into() == 0.0) {
                continue;
            }
            let hash = hashes[feature];
            let next = i + old.hashes[i..].iter().take_while(|&&known| known < hash).count();
            self.extend(&old, i..next, classes);
            i = next;
            self.hashes.push(hash);
            self.counts.extend(columns.iter().map(|column| column[feature].into()));
            if old.hashes.get(i) == Some(&hash) {
                let start = self.counts.len() - classes;
                let known = &old.counts[i * classes..(i + 1) * classes];
                self.counts[start..].iter_mut().zip(known).for_each(|(mine, theirs)| *mine += theirs);
                self.from.push(old.from[i]);
                self.born.push(old.born[i]);
                i += 1;
            } else {
                self.from.push((number, narrow(feature)));
                self.born.push(born);
            }
        }
        self.extend(&old, i..old.hashes.len(), classes);
    }

    fn extend(&mut self, old: &Run, rows: std::ops::Range<usize>, classes: usize) {
        self.counts.extend_from_slice(&old.counts[rows.start * classes..rows.end * classes]);
        self.hashes.extend_from_slice(&old.hashes[rows.clone()]);
        self.from.extend_from_slice(&old.from[rows.clone()]);
        self.born.extend_from_slice(&old.born[rows]);
    }
}

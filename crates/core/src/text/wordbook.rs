//! The sufficient statistics of labelled text: how often each word was seen in each class. They add and subtract.

use super::names::Names;
use crate::parallel::{TOGETHER, each};

/// Words by ascending hash, with their counts per class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wordbook {
    /// How many classes there are.
    pub classes: usize,
    /// Hash of each word, strictly ascending.
    pub hashes: Vec<u64>,
    /// Counts, word by word, a row of `classes` each.
    pub counts: Vec<f64>,
    /// Name of each word; empty when features are hashed.
    pub names: Names,
    /// Items (or their weight) per class.
    pub items: Vec<f64>,
}

/// Why parts do not make a wordbook, or one cannot be taken from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The arrays do not belong together.
    Shape(&'static str),
    /// More is to be forgotten than was learnt; the word's name, or empty for the items themselves.
    Negative(String),
}

/// Less than this share of both is what rounding leaves of nothing, where weights are fractions; whole numbers below
/// 10^12 differ by more.
const NOTHING: f64 = 1e-12;

/// a − b; 0 where they differ by rounding only, so that what was forgotten leaves no trace of itself.
fn less(a: f64, b: f64) -> f64 {
    let left = a - b;
    if left.abs() <= NOTHING * b { 0.0 } else { left }
}

impl Wordbook {
    /// Checks that the parts belong together.
    pub fn checked(self) -> Result<Wordbook, Fault> {
        let n = self.hashes.len();
        let fault = if self.classes == 0 || self.items.len() != self.classes {
            "one number of items per class is expected"
        } else if self.counts.len() != n * self.classes {
            "one count per word and class is expected"
        } else if !self.names.is_empty() && self.names.len() != n {
            "one name per word is expected"
        } else if !self.hashes.windows(2).all(|pair| pair[0] < pair[1]) {
            "hashes in strictly ascending order are expected"
        } else if !self.counts.iter().chain(&self.items).all(|&c| c >= 0.0 && c.is_finite()) {
            "counts that are finite and not negative are expected"
        } else {
            return Ok(self);
        };
        Err(Fault::Shape(fault))
    }

    /// Only the words in these rows, ascending, of so many items.
    pub fn take(&self, rows: &[usize], items: Vec<f64>) -> Result<Wordbook, Fault> {
        if !rows.windows(2).all(|pair| pair[0] < pair[1])
            || rows.last().is_some_and(|&last| last >= self.hashes.len())
        {
            return Err(Fault::Shape("rows of the book in ascending order are expected"));
        }
        let mut names = Names::default();
        if !self.names.is_empty() {
            rows.iter().for_each(|&i| names.push(self.names.get(i)));
        }
        Wordbook {
            classes: self.classes,
            hashes: rows.iter().map(|&i| self.hashes[i]).collect(),
            counts: rows.iter().flat_map(|&i| self.row(i)).copied().collect(),
            names,
            items,
        }
        .checked()
    }

    /// The counts of one word.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.counts[i * self.classes..(i + 1) * self.classes]
    }

    /// What both saw together: counts add.
    pub fn plus(&self, other: &Wordbook) -> Result<Wordbook, Fault> {
        self.combine(other, |a, b| a + b)
    }

    /// What is left when what `other` saw is forgotten: counts subtract, words seen no more are gone.
    pub fn minus(&self, other: &Wordbook) -> Result<Wordbook, Fault> {
        self.combine(other, less)
    }

    fn combine(&self, other: &Wordbook, f: impl Fn(f64, f64) -> f64) -> Result<Wordbook, Fault> {
        if self.classes != other.classes {
            return Err(Fault::Shape("the same classes are expected"));
        }
        let items: Vec<f64> = self.items.iter().zip(&other.items).map(|(&a, &b)| f(a, b)).collect();
        if items.iter().any(|&n| n < 0.0) {
            return Err(Fault::Negative(String::new()));
        }
        let zeros = vec![0.0; self.classes];
        let mut out = Wordbook { classes: self.classes, items, ..Wordbook::default() };
        let (mut i, mut j) = (0, 0);
        while i < self.hashes.len() || j < other.hashes.len() {
            let (left, right) = (self.hashes.get(i), other.hashes.get(j));
            let mine = right.is_none() || left.is_some_and(|l| Some(l) <= right);
            let theirs = left.is_none() || right.is_some_and(|r| Some(r) <= left);
            let a = if mine { self.row(i) } else { &zeros };
            let b = if theirs { other.row(j) } else { &zeros };
            let counts = a.iter().zip(b).map(|(&a, &b)| f(a, b));
            match (mine, left, right) {
                (true, Some(&hash), _) => out.push(hash, self.names.get(i), counts)?,
                (false, _, Some(&hash)) => out.push(hash, other.names.get(j), counts)?,
                _ => {}
            }
            i += usize::from(mine);
            j += usize::from(theirs);
        }
        if self.names.is_empty() && other.names.is_empty() {
            out.names = Names::default();
        }
        Ok(out)
    }

    /// Appends a word unless all its counts are zero.
    fn push(&mut self, hash: u64, name: &str, counts: impl Iterator<Item = f64>) -> Result<(), Fault> {
        let start = self.counts.len();
        self.counts.extend(counts);
        let row = &self.counts[start..];
        if row.iter().any(|&c| c < 0.0) {
            return Err(Fault::Negative(name.to_string()));
        }
        if row.iter().all(|&c| c == 0.0) {
            self.counts.truncate(start);
        } else {
            self.hashes.push(hash);
            self.names.push(name);
        }
        Ok(())
    }

    /// The rows of the `k` words seen most often over all classes, in the order of the book; ties go to the lower hash.
    pub fn most_frequent(&self, k: usize) -> Vec<usize> {
        let n = self.hashes.len();
        if k >= n {
            return (0..n).collect();
        }
        let total = |i: usize| (-self.counts[i * self.classes..][..self.classes].iter().sum::<f64>(), i);
        let totals =
            |part: usize| (part * TOGETHER..n.min((part + 1) * TOGETHER)).map(total).collect::<Vec<_>>();
        let mut order: Vec<(f64, usize)> = each(n.div_ceil(TOGETHER), &totals).concat();
        if k > 0 {
            order.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        let mut rows: Vec<usize> = order[..k].iter().map(|&(_, i)| i).collect();
        rows.sort_unstable();
        rows
    }
}

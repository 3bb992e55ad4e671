//! The n-grams of a block of items as a tree in the order of their names, and the items as rows of its nodes.
//!
//! Every word begins a window of the longest n-gram. Windows are sorted by counting, word by word from the last to the
//! first; those that begin alike are then one stretch, which is one n-gram. Its number is appended to the row of each
//! window in turn, so that rows come out sorted, and no n-gram is looked up.

use super::words::{Sizes, Words};
use crate::narrow::narrow;
use crate::text::token::MOST_WORDS;

/// N-grams by the ranks of their words; before those that it begins stands each by itself.
#[derive(Default)]
pub struct Tree {
    /// The last word of each, by rank; after trees are joined its number in the one of all.
    pub words: Vec<u32>,
    /// How many words each is of.
    pub levels: Vec<u8>,
    /// How often each occurs; 0 of one that only begins others.
    pub counts: Vec<u32>,
    /// In how many items.
    pub texts: Vec<u32>,
    /// Ranks of the words that begin n-grams, ascending, and where the n-grams of each begin; then where all end.
    pub firsts: Vec<u32>,
    /// As many, and one more.
    pub roots: Vec<usize>,
    /// N-grams of the items, ascending in each, as often as they occur.
    pub found: Vec<u32>,
    /// Where those of each item begin, and the last end.
    pub starts: Vec<usize>,
}

impl Tree {
    /// Of words whose numbers stand for these ranks. Rows are kept if they are asked for.
    pub fn new(words: Words, ranks: &[u32], sizes: Sizes, rows: bool) -> Tree {
        match sizes.longest {
            1 => Tree::of::<1>(words, ranks, sizes.shortest, rows),
            2 => Tree::of::<2>(words, ranks, sizes.shortest, rows),
            3 => Tree::of::<3>(words, ranks, sizes.shortest, rows),
            4 => Tree::of::<4>(words, ranks, sizes.shortest, rows),
            _ => Tree::of::<MOST_WORDS>(words, ranks, sizes.shortest, rows),
        }
    }

    fn with_room(count: usize, starts: Vec<usize>, found: Vec<u32>) -> Tree {
        Tree {
            words: Vec::with_capacity(count),
            levels: Vec::with_capacity(count),
            counts: Vec::with_capacity(count),
            texts: Vec::with_capacity(count),
            found,
            starts,
            ..Tree::default()
        }
    }

    fn of<const N: usize>(mut words: Words, ranks: &[u32], shortest: u8, rows: bool) -> Tree {
        let firsts = number_by_rank(&mut words.words, ranks);
        let starts = starts(&words, shortest);
        let (windows, bounds) = sorted::<N>(&words, firsts.len());
        drop(words);
        let room = if rows { starts.last().copied().unwrap_or(0) } else { 0 };
        let mut growing = Growing {
            next: if rows { starts.iter().map(|&start| narrow(start)).collect() } else { Vec::new() },
            last: vec![u32::MAX; starts.len() - 1],
            shortest,
            ranks: &firsts,
            tree: Tree::with_room(windows.len(), starts, vec![0; room]),
        };
        for word in 0..firsts.len() {
            growing.tree.roots.push(growing.tree.words.len());
            let same = &windows[bounds[word + 1] as usize..bounds[word + 2] as usize];
            if !same.is_empty() {
                growing.grow(same, 1);
            }
        }
        let mut tree = growing.tree;
        tree.roots.push(tree.words.len());
        tree.firsts = firsts;
        tree
    }
}

/// Numbers words by their ranks, which are returned, ascending.
fn number_by_rank(words: &mut [u32], ranks: &[u32]) -> Vec<u32> {
    let mut order: Vec<(u32, u32)> = ranks.iter().zip(0..).map(|(&rank, word)| (rank, word)).collect();
    order.sort_unstable();
    let mut numbers = vec![0; ranks.len()];
    order.iter().zip(0..).for_each(|(&(_, word), number)| numbers[word as usize] = number);
    words.iter_mut().for_each(|word| *word = numbers[*word as usize]);
    order.into_iter().map(|(rank, _)| rank).collect()
}

/// Where the n-grams of each item begin, one after the other, and where the last end.
fn starts(words: &Words, shortest: u8) -> Vec<usize> {
    let (mut starts, mut sum, mut from) = (vec![0], 0, 0);
    for &end in &words.ends {
        let of = |&left: &u8| if left == 0 { 1 } else { usize::from((left + 1).saturating_sub(shortest)) };
        sum += words.left[from..end as usize].iter().map(of).sum::<usize>();
        starts.push(sum);
        from = end as usize;
    }
    starts
}

/// The longest n-gram from a word.
#[derive(Clone, Copy)]
struct Window<const N: usize> {
    /// Its words, counted from 1; 0 where it is shorter.
    words: [u32; N],
    /// The item, and in the first bit whether the word stands alone.
    row: u32,
}

const ALONE: u32 = 1 << 31;

/// All windows in the order of their words, which are `count` different ones; and where those of each first word begin,
/// counted from 1. They are sorted by the last word, then by the one before it, and so on; what is equal stays in order.
fn sorted<const N: usize>(words: &Words, count: usize) -> (Vec<Window<N>>, Vec<u32>) {
    let room = || vec![Window { words: [0; N], row: 0 }; words.words.len()];
    let mut windows = room();
    let mut bounds = by_word(standing(words), N - 1, count, &mut windows);
    let mut other = if N > 1 { room() } else { Vec::new() };
    for place in (0..N - 1).rev() {
        bounds = by_word(windows.iter().copied(), place, count, &mut other);
        std::mem::swap(&mut windows, &mut other);
    }
    (windows, bounds)
}

/// The windows as they stand.
fn standing<const N: usize>(words: &Words) -> impl Iterator<Item = Window<N>> + Clone {
    let Words { words, left, ends, .. } = words;
    let starts = std::iter::once(0).chain(ends.iter().copied());
    (0..).zip(starts.zip(ends)).flat_map(move |(row, (start, &end))| {
        (start as usize..end as usize).map(move |at| {
            let of = |place: usize| if usize::from(left[at]) > place { words[at + place] + 1 } else { 0 };
            let mut window = Window { words: std::array::from_fn(of), row };
            if left[at] == 0 {
                window.words[0] = words[at] + 1;
                window.row |= ALONE;
            }
            window
        })
    })
}

/// Sorts windows by the word at a place, and says where those of each word begin.
#[inline(always)]
fn by_word<const N: usize>(
    windows: impl Iterator<Item = Window<N>> + Clone,
    place: usize,
    count: usize,
    out: &mut [Window<N>],
) -> Vec<u32> {
    let mut next = vec![0u32; count + 2];
    windows.clone().for_each(|window| next[window.words[place] as usize + 1] += 1);
    for word in 1..next.len() {
        next[word] += next[word - 1];
    }
    let bounds = next.clone();
    windows.for_each(|window| {
        let slot = &mut next[window.words[place] as usize];
        out[*slot as usize] = window;
        *slot += 1;
    });
    bounds
}

/// A tree whose n-grams are being found.
struct Growing<'a> {
    ranks: &'a [u32],
    shortest: u8,
    /// By row, where its next n-gram is written; none where rows are not kept.
    next: Vec<u32>,
    /// By row, the n-gram that it had last.
    last: Vec<u32>,
    tree: Tree,
}

impl Growing<'_> {
    /// Appends the n-gram that these windows begin with, of `level` words, and those that it begins.
    fn grow<const N: usize>(&mut self, windows: &[Window<N>], level: u8) {
        let place = usize::from(level);
        let number = narrow(self.tree.words.len());
        self.tree.words.push(self.ranks[windows[0].words[place - 1] as usize - 1]);
        self.tree.levels.push(level);
        let (mut count, mut texts) = (0, 0);
        for window in windows {
            if level < self.shortest && window.row < ALONE {
                continue;
            }
            let row = (window.row & !ALONE) as usize;
            texts += u32::from(self.last[row] != number);
            self.last[row] = number;
            count += 1;
            if let Some(next) = self.next.get_mut(row) {
                self.tree.found[*next as usize] = number;
                *next += 1;
            }
        }
        self.tree.counts.push(count);
        self.tree.texts.push(texts);
        if place == N {
            return;
        }
        let mut from = windows.iter().take_while(|window| window.words[place] == 0).count();
        while from < windows.len() {
            let word = windows[from].words[place];
            let same = windows[from..].iter().take_while(|window| window.words[place] == word).count();
            self.grow(&windows[from..from + same], level + 1);
            from += same;
        }
    }
}

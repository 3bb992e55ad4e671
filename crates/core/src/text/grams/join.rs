//! The trees of blocks as one: numbers of their n-grams become those in the one of all.

use std::ops::Range;

use super::tree::Tree;
use crate::narrow::narrow;
use crate::parallel::fill;

/// Trees that are joined at most: which of them hold an n-gram is a set of bits.
pub const MOST_TREES: usize = 64;

/// The n-grams of all blocks, in the order of their names.
#[derive(Default)]
pub struct Joined {
    /// The last word of each, by rank.
    pub words: Vec<u32>,
    /// How many words each is of.
    pub levels: Vec<u8>,
    /// How often each occurs; 0 of one that only begins others.
    pub counts: Vec<u32>,
    /// In how many items.
    pub texts: Vec<u32>,
}

/// So many n-grams of trees are joined by one thread at a time, about.
const STRETCH: usize = if cfg!(test) { 8 } else { 1 << 17 };

/// Joins at most [`MOST_TREES`] trees of n-grams of up to `longest` words, over `words` words; they keep their rows and
/// the numbers of their n-grams only.
pub fn join(trees: &mut [Tree], words: usize, longest: u8) -> Joined {
    let limits = ranges(trees, words);
    let mut stretches: Vec<Stretch<'_>> = limits.iter().map(|_| Stretch::default()).collect();
    for tree in &mut *trees {
        let Tree { words, levels, counts, texts, firsts, roots, .. } = tree;
        let (mut words, mut from) = (&mut words[..], 0);
        for (range, stretch) in limits.iter().zip(&mut stretches) {
            let to = roots[firsts.partition_point(|&first| first < range.end)];
            let (mine, others) = std::mem::take(&mut words).split_at_mut(to - from);
            let within = from..to;
            stretch.trees.push(Reading {
                words: mine,
                levels: &levels[within.clone()],
                counts: &counts[within.clone()],
                texts: &texts[within],
                at: 0,
            });
            (words, from) = (others, to);
        }
    }
    let join = |stretch: &mut Stretch<'_>| {
        let all = (0..stretch.trees.len()).fold(0, |all, tree| all | 1 << tree);
        stretch.join(all, 1, longest);
    };
    fill(&mut stretches, 1, &|_, stretches| stretches.iter_mut().for_each(join));
    let mut before = 0;
    for stretch in &mut stretches {
        stretch.before = narrow(before);
        before += stretch.joined.words.len();
    }
    let number = |stretch: &mut Stretch<'_>| {
        let before = stretch.before;
        let numbers = stretch.trees.iter_mut().flat_map(|tree| &mut *tree.words);
        numbers.for_each(|number| *number += before);
    };
    fill(&mut stretches, 1, &|_, stretches| stretches.iter_mut().for_each(number));
    let mut all = Joined {
        words: Vec::with_capacity(before),
        levels: Vec::with_capacity(before),
        counts: Vec::with_capacity(before),
        texts: Vec::with_capacity(before),
    };
    for Stretch { joined, .. } in stretches {
        all.words.extend(joined.words);
        all.levels.extend(joined.levels);
        all.counts.extend(joined.counts);
        all.texts.extend(joined.texts);
    }
    for tree in trees {
        let Tree { words, found, starts, .. } = std::mem::take(tree);
        *tree = Tree { words, found, starts, ..Tree::default() };
    }
    all
}

/// Ranges of ranks that hold about as many n-grams each, all of them together.
fn ranges(trees: &[Tree], words: usize) -> Vec<Range<u32>> {
    let mut sizes = vec![0; words];
    for tree in trees {
        for (&first, root) in tree.firsts.iter().zip(tree.roots.windows(2)) {
            sizes[first as usize] += root[1] - root[0];
        }
    }
    let (mut found, mut from, mut sum) = (Vec::new(), 0, 0);
    for (word, size) in (1..).zip(sizes) {
        sum += size;
        if sum >= STRETCH {
            found.push(from..word);
            (from, sum) = (word, 0);
        }
    }
    found.push(from..narrow(words));
    found
}

/// What begins with some of the words.
#[derive(Default)]
struct Stretch<'a> {
    trees: Vec<Reading<'a>>,
    joined: Joined,
    /// How many n-grams there are before.
    before: u32,
}

/// Some of a tree, read up to a place.
struct Reading<'a> {
    words: &'a mut [u32],
    levels: &'a [u8],
    counts: &'a [u32],
    texts: &'a [u32],
    at: usize,
}

impl Reading<'_> {
    /// The last word of the n-gram that comes next, where that is of so many words.
    #[inline(always)]
    fn next(&self, level: u8) -> Option<u32> {
        (self.levels.get(self.at) == Some(&level)).then(|| self.words[self.at])
    }
}

impl Stretch<'_> {
    /// Joins the n-grams of `level` words that come next in these trees, a bit each, and those that they begin.
    fn join(&mut self, mut trees: u64, level: u8, longest: u8) {
        if trees.is_power_of_two() {
            return self.take_all(trees.trailing_zeros() as usize, level);
        }
        loop {
            let (mut least, mut holders) = (u32::MAX, 0u64);
            let mut others = trees;
            while others != 0 {
                let tree = others.trailing_zeros();
                others &= others - 1;
                match self.trees[tree as usize].next(level) {
                    None => trees &= !(1 << tree),
                    Some(word) if word < least => (least, holders) = (word, 1 << tree),
                    Some(word) => holders |= u64::from(word == least) << tree,
                }
            }
            if holders == 0 {
                return;
            }
            self.take(holders, least, level);
            if level < longest {
                self.join(holders, level + 1, longest);
            }
        }
    }

    /// Appends all n-grams of `level` words and more that come next in a tree, which is the only one to have them.
    fn take_all(&mut self, tree: usize, level: u8) {
        let (tree, joined) = (&mut self.trees[tree], &mut self.joined);
        let count = tree.levels[tree.at..].iter().take_while(|&&next| next >= level).count();
        let within = tree.at..tree.at + count;
        tree.at = within.end;
        let number = narrow(joined.words.len());
        joined.words.extend_from_slice(&tree.words[within.clone()]);
        joined.levels.extend_from_slice(&tree.levels[within.clone()]);
        joined.counts.extend_from_slice(&tree.counts[within.clone()]);
        joined.texts.extend_from_slice(&tree.texts[within.clone()]);
        tree.words[within].iter_mut().zip(number..).for_each(|(word, number)| *word = number);
    }

    /// Appends the n-gram that comes next in these trees.
    fn take(&mut self, mut holders: u64, word: u32, level: u8) {
        let number = narrow(self.joined.words.len());
        let (mut count, mut texts) = (0, 0);
        while holders != 0 {
            let tree = &mut self.trees[holders.trailing_zeros() as usize];
            holders &= holders - 1;
            tree.words[tree.at] = number;
            count += tree.counts[tree.at];
            texts += tree.texts[tree.at];
            tree.at += 1;
        }
        self.joined.words.push(word);
        self.joined.levels.push(level);
        self.joined.counts.push(count);
        self.joined.texts.push(texts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_all_words() {
        let tree = Tree { firsts: vec![1, 4], roots: vec![0, STRETCH, STRETCH + 1], ..Tree::default() };
        assert_eq!(ranges(&[tree], 6), [0..2, 2..6]);
        assert_eq!(ranges(&[], 0), vec![0..0; 1]);
    }
}

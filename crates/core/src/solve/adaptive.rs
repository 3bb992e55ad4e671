//! Logistic regression over sets of words, learnt one example at a time by steps that adapt to each word.
//!
//! ```text
//! z_c(x) = b_c + Σ_{j ∈ x} W_jc / √|x|          |x|: how many words the example has
//! g_c    = p_c − 1{c = y},   p = softmax(z)
//! h_jc  += (g_c / √|x|)²,    W_jc −= g_c / √|x| / √(h_jc + ε)
//! ```
//!
//! Words that speak against the class whose senders wish to be taken for another are projected: W_j ≥ −r, see [`range`].
//!
//! Two classes have one column, the log-odds of the second against the first. Duchi, Hazan & Singer, Adaptive
//! subgradient methods, Journal of Machine Learning Research 12, 2011. The scores of the first pass are those of
//! examples that had not been learnt: Blum, Kalai & Langford, Beating the hold-out, COLT 1999.
//!
//! Floor: two reads and a write of 8 bytes a word and pass, ≈ 200 M words/s a core while the table is in the cache.

use super::passages::Passages;

/// What keeps the first step of a word finite: with |x| = 1000 words it moves by 0.7 of a unit, with 100 by 0.95.
const EPSILON: f32 = 1e-3;
/// An example whose slope is smaller teaches nothing: its class is already as good as certain.
const LEAST: f64 = 1e-3;
/// The offset moves slowly: what all examples share is the last thing to tell them apart.
const OFFSET_RATE: f32 = 0.1;

/// What one word of content may say at most, before it is shared out among all of an item, for the class that the
/// senders of the other wish to be taken for.
const MOST: f32 = 2.0;

/// The least and the greatest weight of a word.
pub type Range = [f32; 2];

/// Weights as they come.
pub const FREE: Range = [f32::NEG_INFINITY, f32::INFINITY];

/// The range of the words that an expert of two classes hears, which are heard together with bend β.
///
/// Whoever writes a message chooses its words, expert 0, but not how it comes: words may speak for the guarded class as
/// loudly as they like, and against it only so that it takes many of them. Stuffed words weigh less, then.
pub fn range(expert: usize, bend: f64) -> Range {
    match expert {
        0 if bend > 0.0 => [-MOST, f32::INFINITY],
        0 if bend < 0.0 => [f32::NEG_INFINITY, MOST],
        _ => FREE,
    }
}

/// Examples as sets of words, as one expert sees them, in arrays that all experts share.
#[derive(Clone, Debug)]
pub struct Sets<'a> {
    ends: &'a [i64],
    words: &'a [i32],
    /// In which passages each word is, a bit for each; empty where nobody asks.
    passages: &'a [u16],
    /// Which of the expert's words each word is; [`NOWHERE`] of those that another hears.
    places: Vec<u32>,
    /// How many words the expert hears.
    count: usize,
}

/// The place of a word that another expert hears.
pub const NOWHERE: u32 = u32::MAX;

/// The words of one example, and the passages that each is in where anybody asks.
#[derive(Default)]
struct Example {
    words: Vec<u32>,
    passages: Vec<u16>,
}

impl<'a> Sets<'a> {
    /// Examples whose words end at `ends`, of which the expert hears those that have a place, below their number; None for
    /// arrays that do not belong together.
    pub fn new(
        ends: &'a [i64],
        words: &'a [i32],
        passages: Option<&'a [u16]>,
        places: Vec<u32>,
    ) -> Option<Sets<'a>> {
        let known = |&word: &i32| usize::try_from(word).is_ok_and(|word| word < places.len());
        let in_order = std::iter::once(&0).chain(ends).zip(ends).all(|(start, end)| start <= end);
        let end = usize::try_from(ends.last().copied().unwrap_or(0)).ok()?;
        let placed = passages.is_none_or(|passages| passages.len() == words.len());
        let count = places.iter().filter(|&&place| place != NOWHERE).count();
        let fits = in_order && end <= words.len() && placed && words.iter().all(known);
        fits.then_some(Sets { ends, words, passages: passages.unwrap_or_default(), places, count })
    }

    /// Reads the words of an example that the expert hears, and their passages if they are `placed`.
    ///
    /// No branch depends on who hears a word, which cannot be foretold. Floor: 4 bytes read and written a word, and its
    /// place looked up in the cache: 1 ns.
    fn read(&self, example: usize, placed: bool, out: &mut Example) {
        let start = if example == 0 { 0 } else { self.ends[example - 1] };
        let within = start.cast_unsigned() as usize..self.ends[example].cast_unsigned() as usize;
        let words = &self.words[within.clone()];
        out.words.resize(words.len(), 0);
        let mut n = 0;
        for &word in words {
            let place = self.places[word.cast_unsigned() as usize];
            out.words[n] = place;
            n += usize::from(place != NOWHERE);
        }
        out.words.truncate(n);
        if placed {
            let heard = |word: &i32| self.places[word.cast_unsigned() as usize] != NOWHERE;
            let own = words.iter().zip(&self.passages[within]).filter(|(word, _)| heard(word));
            out.passages.clear();
            out.passages.extend(own.map(|(_, passages)| passages));
        }
    }
}

/// What has been learnt.
pub struct Learnt {
    /// Weights of each word and column.
    pub weights: Vec<f64>,
    /// Offsets of the columns.
    pub bias: Vec<f64>,
    /// The sums of squares of the gradients of the weights, and then of the offsets.
    pub squares: Vec<f32>,
    /// Scores of each example before it was first learnt, by column; 0 of those that were not learnt.
    pub first: Vec<f64>,
    /// Scores of the examples that are only judged, in the order in which they were given.
    pub judged: Vec<f64>,
    /// The scores of the passages of the same examples; empty where there is no side.
    pub passages: [Vec<f64>; 2],
}

/// How many columns so many classes have.
pub fn columns(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// A weight, and the sum of squares of its gradients; single, so that more of them are in the cache.
pub type Cell = [f32; 2];

struct Table {
    cells: Vec<Cell>,
    bias: Vec<Cell>,
    range: Range,
}

impl Table {
    /// The score of the passages of an example together, where one is enough for a side of two classes.
    fn passages(&self, example: &Example, side: f64) -> f64 {
        let mut passages = Passages::default();
        for (&word, &bits) in example.words.iter().zip(&example.passages) {
            passages.add(bits, f64::from(self.cells[word as usize][0]));
        }
        passages.heard(side).said + f64::from(self.bias[0][0])
    }

    fn score(&self, words: &[u32], z: &mut [f64]) {
        let columns = z.len();
        z.fill(0.0);
        for &word in words {
            let at = word as usize * columns;
            for (z, cell) in z.iter_mut().zip(&self.cells[at..at + columns]) {
                *z += f64::from(cell[0]);
            }
        }
        let x = per_word(words.len());
        for (z, bias) in z.iter_mut().zip(&self.bias) {
            *z = *z * x + f64::from(bias[0]);
        }
    }

    /// Learns an example of scores z, which are no longer after.
    fn learn(&mut self, words: &[u32], z: &mut [f64], class: u32, weight: f64) {
        if slope(z, class, weight) {
            self.step(words, z);
        }
    }

    fn step(&mut self, words: &[u32], gradient: &[f64]) {
        let (x, columns) = (per_word(words.len()), gradient.len());
        for &word in words {
            let at = word as usize * columns;
            for (cell, g) in self.cells[at..at + columns].iter_mut().zip(gradient) {
                step(cell, g * x, self.range);
            }
        }
        self.bias.iter_mut().zip(gradient).for_each(|(bias, &g)| step_offset(bias, g));
    }
}

/// Moves the weight of a word against its gradient, within a range.
#[inline(always)]
pub fn step(cell: &mut Cell, gradient: f64, range: Range) {
    let g = gradient as f32;
    cell[1] += g * g;
    cell[0] = (cell[0] - g / (cell[1] + EPSILON).sqrt()).clamp(range[0], range[1]);
}

/// Moves an offset against its gradient.
pub fn step_offset(bias: &mut Cell, gradient: f64) {
    let g = gradient as f32;
    bias[1] += g * g;
    bias[0] -= OFFSET_RATE * g / (bias[1] + 1.0).sqrt();
}

/// What each of so many words of an example counts.
pub fn per_word(words: usize) -> f64 {
    1.0 / (words.max(1) as f64).sqrt()
}

/// Turns scores into the slope of the loss of an example of this class and weight, in place, and tells whether it is
/// large enough to teach anything.
pub fn slope(z: &mut [f64], class: u32, weight: f64) -> bool {
    slope_of_one(z, class);
    z.iter_mut().for_each(|g| *g *= weight);
    z.iter().any(|g| g.abs() > LEAST)
}

fn slope_of_one(z: &mut [f64], class: u32) {
    if let [margin] = z {
        // 1 / (1 + e^−m) − 1{y = 1}, without loss where it is near 0.
        *margin = if class == 1 { -1.0 / (1.0 + margin.exp()) } else { 1.0 / (1.0 + (-*margin).exp()) };
        return;
    }
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = z.iter().map(|z| (z - top).exp()).sum();
    for (c, z) in z.iter_mut().enumerate() {
        *z = (*z - top).exp() / sum - f64::from(u8::from(c == class as usize));
    }
}

/// Labelled examples.
pub struct Examples<'a> {
    /// Their words.
    pub sets: &'a Sets<'a>,
    /// The class of each.
    pub classes: &'a [u32],
    /// How many classes there are.
    pub kinds: usize,
    /// How often each counts; None for once.
    pub weights: Option<&'a [f64]>,
    /// Which weights words may have.
    pub range: Range,
    /// The sign of the class of two for which one passage is enough, of examples with passages; 0 for neither.
    pub side: f64,
}

/// Learns examples, pass after pass, each in the order that it gives. Those of `judged` are judged in the end, and each
/// is learnt, too, before the next if `onward`.
pub fn learn(examples: &Examples<'_>, passes: &[&[u32]], judged: &[u32], onward: bool) -> Learnt {
    let Examples { sets, classes, kinds, weights, range, side } = *examples;
    let columns = columns(kinds);
    let cells = vec![Cell::default(); sets.count * columns];
    let mut table = Table { cells, bias: vec![Cell::default(); columns], range };
    let mut first = vec![0.0; sets.ends.len() * columns];
    let mut z = vec![0.0; columns];
    let hears = side != 0.0;
    let mut passages = [vec![0.0; if hears { sets.ends.len() } else { 0 }], Vec::new()];
    let mut own = Example::default();
    for (pass, order) in passes.iter().enumerate() {
        for &example in *order {
            let i = example as usize;
            sets.read(i, hears && pass == 0, &mut own);
            table.score(&own.words, &mut z);
            if pass == 0 {
                first[i * columns..(i + 1) * columns].copy_from_slice(&z);
                if hears {
                    passages[0][i] = table.passages(&own, side);
                }
            }
            table.learn(&own.words, &mut z, classes[i], weights.map_or(1.0, |weights| weights[i]));
        }
    }
    let mut last = Vec::with_capacity(judged.len() * columns);
    for &example in judged {
        let i = example as usize;
        sets.read(i, hears, &mut own);
        table.score(&own.words, &mut z);
        last.extend_from_slice(&z);
        if hears {
            passages[1].push(table.passages(&own, side));
        }
        if onward {
            table.learn(&own.words, &mut z, classes[i], weights.map_or(1.0, |weights| weights[i]));
        }
    }
    Learnt {
        weights: table.cells.iter().map(|cell| f64::from(cell[0])).collect(),
        bias: table.bias.iter().map(|cell| f64::from(cell[0])).collect(),
        squares: table.cells.iter().chain(&table.bias).map(|cell| cell[1]).collect(),
        first,
        judged: last,
        passages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of words below `count`, all of which are heard.
    fn sets(examples: &[&[i32]], count: u32) -> Sets<'static> {
        let ends = examples.iter().scan(0, |end, words| {
            *end += i64::try_from(words.len()).unwrap();
            Some(*end)
        });
        let (ends, words) = (ends.collect::<Vec<_>>().leak(), examples.concat().leak());
        Sets::new(ends, words, None, (0..count).collect()).unwrap()
    }

    fn of<'a>(sets: &'a Sets, classes: &'a [u32], kinds: usize, weights: Option<&'a [f64]>) -> Examples<'a> {
        Examples { sets, classes, kinds, weights, range: FREE, side: 0.0 }
    }

    #[test]
    fn an_expert_reads_the_words_that_it_hears_and_those_that_are_not_there_are_refused() {
        let of = |ends, words, passages| Sets::new(ends, words, passages, vec![0, NOWHERE, 1]);
        let sets = of(&[2, 3], &[0, 1, 2], Some(&[1, 2, 4])).unwrap();
        let mut own = Example::default();
        sets.read(0, true, &mut own);
        assert_eq!((&own.words[..], &own.passages[..], sets.count), (&[0][..], &[1][..], 2));
        sets.read(1, true, &mut own);
        assert_eq!((&own.words[..], &own.passages[..]), (&[1][..], &[4][..]));
        for (ends, words) in
            [(&[4_i64][..], &[0_i32][..]), (&[1], &[3]), (&[1], &[-1]), (&[-1], &[0]), (&[1, 0], &[0])]
        {
            assert!(of(ends, words, None).is_none());
        }
        assert!(of(&[2], &[0, 1], Some(&[1])).is_none());
    }

    #[test]
    fn what_is_judged_onward_is_what_is_judged_before_it_is_learnt() {
        let sets = sets(&[&[0, 1], &[2, 3], &[0, 3], &[1, 2], &[0, 2]], 4);
        let examples = of(&sets, &[1, 0, 1, 0, 1], 2, None);
        let whole = learn(&examples, &[&[0, 1, 2, 3, 4]], &[], false);
        let parted = learn(&examples, &[&[0, 1]], &[2, 3, 4], true);
        assert_eq!(parted.judged, whole.first[2..]);
        assert_eq!(parted.weights, whole.weights);
    }

    #[test]
    fn two_classes_are_told_apart_and_the_first_scores_know_nothing_of_them() {
        let sets = sets(&[&[0, 1], &[2, 3], &[0, 3], &[1, 2]], 4);
        let order = [0, 1, 2, 3];
        let learnt = learn(&of(&sets, &[1, 0, 1, 0], 2, None), &[&order, &order], &[], false);
        assert!(learnt.weights[0] > 0.0 && learnt.weights[2] < 0.0);
        assert_eq!(learnt.first[0], 0.0);
        let once = learn(&of(&sets, &[1, 0, 1, 0], 2, None), &[&order], &[], false);
        assert_eq!(once.first, learnt.first);
    }

    #[test]
    fn an_example_of_weight_two_steps_once_with_twice_the_slope() {
        let sets = sets(&[&[0]], 1);
        let learnt = learn(&of(&sets, &[1], 2, Some(&[2.0])), &[&[0]], &[], false);
        let g: f32 = -1.0;
        assert_eq!(learnt.weights[0] as f32, -g / (g * g + EPSILON).sqrt());
    }

    #[test]
    fn words_of_content_speak_for_the_class_that_is_not_guarded_within_bounds() {
        let sets = sets(&[&[0], &[1]], 2);
        let (order, free) = ([0, 1, 0, 1], of(&sets, &[0, 1], 2, None));
        for (expert, bend, least, most) in [(0, 0.5, -MOST, 2.1), (0, -0.5, -2.1, MOST), (1, 0.5, -2.1, 2.1)]
        {
            let learnt =
                learn(&Examples { range: range(expert, bend), ..free }, &[&order[..]; 4], &[], false);
            let (ham, spam) = (learnt.weights[0] as f32, learnt.weights[1] as f32);
            assert!(if least == -MOST { ham == least } else { ham < least }, "{ham}");
            assert!(if most == MOST { spam == most } else { spam > most }, "{spam}");
        }
    }

    #[test]
    fn many_classes_have_a_column_each_that_sum_to_nothing_moved() {
        let sets = sets(&[&[0], &[1], &[2]], 3);
        let order = [0, 1, 2];
        let learnt = learn(&of(&sets, &[0, 1, 2], 3, None), &[&order, &order, &order], &[], false);
        for word in 0..3 {
            let row = &learnt.weights[word * 3..word * 3 + 3];
            assert_eq!(row.iter().copied().fold(f64::NEG_INFINITY, f64::max), row[word]);
        }
    }

    #[test]
    fn the_slope_is_that_of_the_loss() {
        for (z, class) in [(-40.0, 1), (0.3, 0), (700.0, 0), (-700.0, 1)] {
            let mut one = [z];
            slope_of_one(&mut one, class);
            let mut two = [0.0, z];
            slope_of_one(&mut two, class);
            assert!((one[0] - two[1]).abs() < 1e-15 && one[0].is_finite());
        }
    }
}

//! Experts that judge one item together: what its headers say, and what its content says.
//!
//! ```text
//! z_e  = b_e + Σ_{j of e} W_j / √|x_e|                    |x_e|: how many distinct words of the item are the expert's
//! z    = (1/β) log mean_v exp(β z_v)                      β > 0: the second class needs but one voice
//! score = a z + b                                         β = 0: the mean;  β < 0: the first class does
//! V    = a² Σ_e π_e² (u_e + v_e Σ_j 1/(1 + n_j) / |x_e|) + doubt about a, b,      π = softmax(β z_v)
//! ```
//!
//! With β = 0 the voices are the experts. Else there is a third: 0.2 of what the headers say and 0.8 of what the passages of
//! the content say, of which one is enough, so that good words elsewhere in a message do not hide what it is about
//! ([`crate::solve::passages`]). n_j is how many examples had word j: an item of new words is doubtful. Of more than two classes each has a column of
//! its own, and the experts' mean is taken. Lynam & Cormack, On-line spam filter fusion, SIGIR 2006, take the mean of
//! log-odds; a generalised mean of odds keeps what an attacker cannot hide (Hardy, Littlewood & Pólya, Inequalities,
//! 1934, chapter 2).

use super::{Dictionary, Judged, STRETCH};
use crate::doubt::first_two;
use crate::parallel::{Spare, TOGETHER, each_of, fill};
use crate::solve::adaptive::{per_word, range, slope, step, step_offset};
use crate::solve::passages::{Heard, Passages};
use crate::text::passages::{gather, placed};
use crate::text::segment::Segment;
use crate::text::slots::AHEAD;
use crate::text::token::Token;
use crate::view::View;

/// The share of the passages in the voice that they have together with the headers. More is safer where senders are new
/// and a little worse where they are not.
const PASSAGES: f64 = 0.8;

/// What the experts know of the words of a dictionary, and how they are heard.
pub struct Experts {
    /// Per word and column.
    pub weights: Vec<f64>,
    /// Per word, 1/(1 + n).
    pub doubts: Vec<f64>,
    /// Per expert and column.
    pub bias: Vec<f64>,
    /// The sums of squares of the gradients of the weights; None of experts that learn no more.
    pub squares: Option<Squares>,
    /// How they are heard.
    pub fusion: Fusion,
}

/// How far each weight and each offset has moved, which tells how far it moves next.
pub struct Squares {
    /// Per word and column.
    pub weights: Vec<f32>,
    /// Per expert and column.
    pub bias: Vec<f32>,
}

/// What is known of some words: a row of each.
pub struct Known<'a> {
    /// Per word and column.
    pub weights: &'a [f64],
    /// Per word.
    pub doubts: &'a [f64],
    /// Per word and column.
    pub squares: &'a [f32],
}

/// How experts are heard.
#[derive(Clone, Debug)]
pub struct Fusion {
    /// How many there are.
    pub experts: usize,
    /// β.
    pub bend: f64,
    /// a.
    pub slope: f64,
    /// b, per column.
    pub intercept: Vec<f64>,
    /// u and v, per expert.
    pub spread: Vec<[f64; 2]>,
    /// Variances of a and b, and their covariance.
    pub doubt: [f64; 3],
}

/// What the experts say of an item.
#[derive(Clone, Debug, Default)]
pub struct Opinion {
    /// z, per expert and column, and then of the passages where they are heard.
    pub each: Vec<f64>,
    /// What each word of an expert counts.
    pub per_word: Vec<f64>,
    /// What each word counts in the passages, by its number in the dictionary.
    pub passages: Vec<(u32, f64)>,
    /// How far the passages' z is from the sum over their words.
    pub apart: f64,
    /// The share of each expert that is new.
    pub novelty: Vec<f64>,
}

impl Fusion {
    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.intercept.len()
    }

    /// Whether the passages are heard, too: of two classes, of content and headers.
    pub fn hears_passages(&self) -> bool {
        self.experts == 2 && self.columns() == 1 && self.bend != 0.0
    }

    /// How many opinions there are: of the experts, and of the passages where they are heard.
    pub fn opinions(&self) -> usize {
        self.experts + usize::from(self.hears_passages())
    }

    /// The generalised mean of z, per column, and how much each of the opinions has to say.
    pub fn fuse(&self, each: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (columns, n) = (self.columns(), self.experts as f64);
        if columns > 1 || self.bend == 0.0 {
            let mean = |c: usize| each.iter().skip(c).step_by(columns).sum::<f64>() / n;
            return ((0..columns).map(mean).collect(), vec![1.0 / n; self.experts]);
        }
        let mut voices = each.to_vec();
        if self.hears_passages() {
            voices[2] = PASSAGES * voices[2] + (1.0 - PASSAGES) * voices[1];
        }
        let top = voices.iter().map(|z| self.bend * z).fold(f64::NEG_INFINITY, f64::max);
        let mut shares: Vec<f64> = voices.iter().map(|z| (self.bend * z - top).exp()).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        if self.hears_passages() {
            shares[1] += (1.0 - PASSAGES) * shares[2];
            shares[2] *= PASSAGES;
        }
        (vec![(top + (sum / voices.len() as f64).ln()) / self.bend], shares)
    }

    /// Scores by class of what the experts say together: of two classes half the log-odds each.
    pub fn scores(&self, fused: &[f64]) -> Vec<f64> {
        let z = fused.iter().zip(&self.intercept).map(|(z, b)| self.slope * z + b);
        match z.collect::<Vec<_>>()[..] {
            [z] => vec![-0.5 * z, 0.5 * z],
            ref scores => scores.to_vec(),
        }
    }

    /// The variance of the log-odds between two classes.
    pub fn variance(&self, opinion: &Opinion, fused: &[f64], shares: &[f64], pair: (usize, usize)) -> f64 {
        // Passages are as doubtful as the content that they are of.
        let passages = shares.get(self.experts).unwrap_or(&0.0);
        let shares =
            shares.iter().enumerate().map(|(e, share)| if e == 0 { share + passages } else { *share });
        let each = self.spread.iter().zip(&opinion.novelty).zip(shares);
        let own: f64 = each.map(|(([u, v], new), share)| share * share * (u + v * new)).sum();
        // Columns of many classes are as doubtful as each other.
        let (times, z) = match *fused {
            [z] => (1.0, z),
            _ => (2.0, fused[pair.0] - fused[pair.1]),
        };
        let [slope, intercept, both] = self.doubt;
        (self.slope * self.slope * times * own + z * z * slope + intercept + 2.0 * z * both).max(0.0)
    }
}

/// Working memory of one thread.
#[derive(Default)]
struct Scratch {
    view: View,
    tokens: Vec<Token>,
}

/// The number of a word that is not in the dictionary.
const NOWHERE: u32 = u32::MAX;

/// A word of an item: the number of the expert that hears it, its hash, and the passages it is in.
type Word = (u8, u64, u16);

impl Dictionary {
    /// What experts say of an item.
    pub fn opinion(&self, item: &[u8], experts: &Experts) -> Opinion {
        let mut words = Vec::new();
        self.read(item, &mut Scratch::default(), &mut words);
        let (mut found, known) = self.weigh(&mut words, experts);
        if experts.fusion.hears_passages() {
            let heard = listen(&words, &known, experts);
            found.apart = heard.apart;
            let counts = |(word, &id): (&Word, &u32)| (id, heard.counts(word.2));
            let of_content = words.iter().zip(&known).filter(|(word, id)| word.2 != 0 && **id != NOWHERE);
            found.passages = of_content.map(counts).collect();
        }
        found
    }

    /// The words of an item in order of occurrence.
    fn read(&self, item: &[u8], scratch: &mut Scratch, words: &mut Vec<Word>) {
        let Scratch { view, tokens } = scratch;
        self.reader.tokens(item, view, tokens);
        words.clear();
        words.extend(placed(
            tokens.iter().map(|token| (token.field.expert(), self.rules.feature(token.hash))),
        ));
    }

    /// The numbers of words in the dictionary, [`NOWHERE`] of those that are not in it.
    fn numbers(&self, words: &[Word]) -> Vec<u32> {
        let mut known = Vec::with_capacity(words.len());
        for some in words.chunks(AHEAD) {
            self.slots.warm(some.iter().map(|word| word.1));
            known.extend(some.iter().map(|word| self.slots.get(word.1).unwrap_or(NOWHERE)));
        }
        known
    }

    /// What experts say of these words, without what each counts in the passages, and the numbers of the words, which
    /// come out sorted and once each.
    fn weigh(&self, words: &mut Vec<Word>, experts: &Experts) -> (Opinion, Vec<u32>) {
        gather(words);
        let known = self.numbers(words);
        let (columns, n) = (experts.fusion.columns(), experts.fusion.experts);
        let mut found = Opinion {
            each: vec![0.0; n * columns],
            per_word: vec![1.0; n],
            novelty: vec![1.0; n],
            ..Opinion::default()
        };
        let mut start = 0;
        for own in words.chunk_by(|a, b| a.0 == b.0) {
            let ids = &known[start..start + own.len()];
            start += own.len();
            let expert = usize::from(own[0].0);
            let z = &mut found.each[expert * columns..(expert + 1) * columns];
            let mut new = 0.0;
            for &id in ids {
                if id == NOWHERE {
                    new += 1.0;
                    continue;
                }
                let word = id as usize;
                new += experts.doubts[word];
                for (z, w) in z.iter_mut().zip(&experts.weights[word * columns..(word + 1) * columns]) {
                    *z += w;
                }
            }
            found.per_word[expert] = per_word(own.len());
            found.novelty[expert] = new / own.len() as f64;
            z.iter_mut().for_each(|z| *z *= found.per_word[expert]);
        }
        found.each.iter_mut().zip(&experts.bias).for_each(|(z, b)| *z += b);
        if experts.fusion.hears_passages() {
            found.each.push(listen(words, &known, experts).said + experts.bias[0]);
        }
        (found, known)
    }

    /// An item as experts judge it, of distinct words: the expert that hears each, its hash, and the passages it is in.
    pub fn judge_words(&self, mut words: Vec<(u8, u64, u16)>, experts: &Experts) -> Judged {
        judged(&self.weigh(&mut words, experts).0, experts)
    }

    /// Teaches experts one more example: distinct words in ascending order, each with the number of its expert.
    ///
    /// Panics if they learn no more.
    pub fn teach(&mut self, experts: &mut Experts, words: &[(u8, u64)], class: u32, weight: f64) {
        let (said, _) =
            self.weigh(&mut words.iter().map(|&(expert, hash)| (expert, hash, 0)).collect(), experts);
        let columns = experts.fusion.columns();
        let Experts { weights, doubts, bias, squares, fusion } = experts;
        let squares = squares.as_mut().expect("experts that learn on");
        let own = |e: usize| {
            words.iter().filter(move |&&(expert, _)| usize::from(expert) == e).map(|&(_, hash)| hash)
        };
        for expert in 0..fusion.experts {
            let at = expert * columns;
            let mut gradient = said.each[at..at + columns].to_vec();
            let learns = slope(&mut gradient, class, weight);
            let range = range(expert, fusion.bend);
            for hash in own(expert) {
                let (slot, new) = self.slots.entry(hash);
                let word = slot.id as usize;
                if new {
                    weights.resize(weights.len() + columns, 0.0);
                    squares.weights.resize(squares.weights.len() + columns, 0.0);
                    doubts.push(1.0);
                }
                doubts[word] /= 1.0 + doubts[word];
                for (c, g) in gradient.iter().enumerate().filter(|_| learns) {
                    let (weight, square) =
                        (&mut weights[word * columns + c], &mut squares.weights[word * columns + c]);
                    move_cell(weight, square, |cell| step(cell, g * said.per_word[expert], range));
                }
            }
            for (c, &g) in gradient.iter().enumerate().filter(|_| learns) {
                move_cell(&mut bias[at + c], &mut squares.bias[at + c], |cell| step_offset(cell, g));
            }
        }
    }

    /// Puts what is known of words, by their hashes, in the place of what experts knew of them.
    ///
    /// Panics if they learn no more.
    pub fn put(&mut self, experts: &mut Experts, hashes: impl Iterator<Item = u64>, known: Known<'_>) {
        let columns = experts.fusion.columns();
        let squares = experts.squares.as_mut().expect("experts that learn on");
        for (row, hash) in hashes.enumerate() {
            let (slot, new) = self.slots.entry(hash);
            let (word, from) = (slot.id as usize, row * columns..(row + 1) * columns);
            let to = word * columns..(word + 1) * columns;
            if new {
                experts.weights.resize(to.end, 0.0);
                squares.weights.resize(to.end, 0.0);
                experts.doubts.push(1.0);
            }
            experts.weights[to.clone()].copy_from_slice(&known.weights[from.clone()]);
            squares.weights[to].copy_from_slice(&known.squares[from]);
            experts.doubts[word] = known.doubts[row];
        }
    }

    /// Which expert hears each word of a segment, and its hash; None of those that are not asked for.
    pub fn heard(&self, segment: &Segment) -> Vec<Option<(u8, u64)>> {
        let heard = |word: usize| {
            let feature = || (segment.field(word).expert(), self.rules.feature(segment.hashes[word]));
            self.reader.tokenizer.admits(segment.sizes[word]).then(feature)
        };
        let mut all = vec![None; segment.hashes.len()];
        fill(&mut all, TOGETHER, &|part, all| {
            (part * TOGETHER..).zip(all).for_each(|(word, to)| *to = heard(word));
        });
        all
    }

    /// In which passages each known word of some items of a segment is, item by item, by ascending feature.
    pub fn passages_of(&self, segment: &Segment, heard: &[Option<(u8, u64)>], items: &[u32]) -> Vec<u16> {
        let passages = |words: &mut Vec<Word>, &item: &u32| {
            words.clear();
            words.extend(placed(segment.item(item as usize).iter().filter_map(|&word| heard[word as usize])));
            gather(words);
            let known = words.iter().filter_map(|&(_, hash, bits)| Some((self.slots.get(hash)?, bits)));
            let mut known: Vec<(u32, u16)> = known.collect();
            known.sort_unstable();
            known.into_iter().map(|(_, bits)| bits).collect::<Vec<u16>>()
        };
        let spare = Spare::new();
        each_of(items, STRETCH, &|item| spare.lend(Vec::new, |words| passages(words, item))).concat()
    }

    /// Scores (N, C) of some items of a segment.
    pub fn scores_by(
        &self,
        segment: &Segment,
        heard: &[Option<(u8, u64)>],
        items: &[u32],
        experts: &Experts,
    ) -> Vec<f64> {
        let scores = |words: &mut Vec<Word>, &item: &u32| {
            words.clear();
            words.extend(placed(segment.item(item as usize).iter().filter_map(|&word| heard[word as usize])));
            judged(&self.weigh(words, experts).0, experts).scores
        };
        let spare = Spare::new();
        each_of(items, STRETCH, &|item| spare.lend(Vec::new, |words| scores(words, item))).concat()
    }

    /// Many items as experts judge them.
    pub fn judge_by(&self, items: &[&[u8]], experts: &Experts) -> Vec<Judged> {
        let judge = |(scratch, words): &mut (Scratch, Vec<Word>), item: &&[u8]| {
            self.read(item, scratch, words);
            judged(&self.weigh(words, experts).0, experts)
        };
        let spare = Spare::new();
        each_of(items, STRETCH, &|item| spare.lend(Default::default, |own| judge(own, item)))
    }
}

/// What the passages say.
fn listen(words: &[Word], known: &[u32], experts: &Experts) -> Heard {
    let mut passages = Passages::default();
    for (&(_, _, bits), &id) in words.iter().zip(known).filter(|(word, _)| word.2 != 0) {
        passages.add(bits, if id == NOWHERE { 0.0 } else { experts.weights[id as usize] });
    }
    passages.heard(experts.fusion.bend)
}

#[expect(clippy::cast_possible_truncation, reason = "weights are learnt in single precision")]
fn move_cell(weight: &mut f64, square: &mut f32, by: impl FnOnce(&mut [f32; 2])) {
    let mut cell = [*weight as f32, *square];
    by(&mut cell);
    (*weight, *square) = (f64::from(cell[0]), cell[1]);
}

fn judged(opinion: &Opinion, experts: &Experts) -> Judged {
    let (fused, shares) = experts.fusion.fuse(&opinion.each);
    let scores = experts.fusion.scores(&fused);
    let first_two = first_two(&scores);
    let variance = experts.fusion.variance(opinion, &fused, &shares, first_two);
    Judged { scores, first_two, variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fusion(bend: f64) -> Fusion {
        Fusion {
            experts: 3,
            bend,
            slope: 1.0,
            intercept: vec![0.0],
            spread: vec![[0.0, 0.0]; 3],
            doubt: [0.0; 3],
        }
    }

    #[test]
    fn the_passages_speak_with_the_headers() {
        let hears = |bend| Fusion { experts: 2, spread: vec![[0.0, 0.0]; 2], ..fusion(bend) };
        let (stuffed, plain, kind) = ([-10.0, 0.5, 6.0], [-10.0, 0.5, -8.0], [-10.0, -30.0, 6.0]);
        for bend in [0.3, -0.3] {
            let of = |z: [f64; 3]| hears(bend).fuse(&z.map(|z| z * bend.signum()));
            let said = |z| of(z).0[0] * bend.signum();
            assert!(said(stuffed) > said(plain) + 0.5 && said(kind) < said(stuffed) - 5.0);
            let (fused, shares) = of(stuffed);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && fused[0].is_finite());
        }
    }

    #[test]
    fn a_bend_leans_to_the_expert_that_speaks_for_its_class() {
        for z in [[3.0; 3], [-2.0; 3]] {
            for bend in [-1.0, 0.0, 0.3] {
                let (fused, shares) = fusion(bend).fuse(&z);
                assert!((fused[0] - z[0]).abs() < 1e-12 && (shares[0] - 1.0 / 3.0).abs() < 1e-12);
            }
        }
        let (mean, up, down) =
            (fusion(0.0).fuse(&[6.0, 0.0, -6.0]), fusion(0.3).fuse(&[6.0, 0.0, -6.0]), fusion(-0.3));
        assert_eq!(mean.0[0], 0.0);
        assert!(up.0[0] > 2.0 && up.1[0] > 0.8 && down.fuse(&[6.0, 0.0, -6.0]).0[0] < -2.0);
        let (far, _) = fusion(0.3).fuse(&[1e6, 0.0, -1e6]);
        assert!(far[0].is_finite());
    }

    #[test]
    fn shares_and_their_entropy_are_what_is_said_together() {
        let (z, bend) = ([2.5, -4.0, 1.0], 0.3);
        let (fused, shares) = fusion(bend).fuse(&z);
        let heard: f64 = shares.iter().zip(&z).map(|(share, z)| share * z).sum();
        let entropy: f64 = -shares.iter().map(|share| share * share.ln()).sum::<f64>();
        assert!((fused[0] - heard - (entropy - 3.0_f64.ln()) / bend).abs() < 1e-12);
    }
}

//! Experts on sets of words: what they learn of examples, and how they judge items together.

use deciban_core::parallel::{each, each_of};
use deciban_core::score::Dictionary;
use deciban_core::score::experts::{self as core, Fusion, Squares};
use deciban_core::solve::adaptive::{self, Examples, Learnt, NOWHERE, Sets, columns};
use deciban_core::view::Field;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::RwLockExt;
use pyo3::types::PyBytes;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::corpus::TokenCorpus;
use super::counter::rules;
use super::dictionary::{Judged, Term, named, words};
use super::items::{borrow, hold, hold_one};
use super::reader::Reader;
use super::work::{run, threads};

/// How experts are heard, as `deciban.text.experts.Fusion` hands it over.
#[derive(FromPyObject)]
pub struct Given {
    experts: usize,
    bend: f64,
    slope: f64,
    intercept: Vec<f64>,
    spread: Vec<[f64; 2]>,
    doubt: [f64; 3],
}

impl Given {
    fn checked(self) -> PyResult<Fusion> {
        let Given { experts, bend, slope, intercept, spread, doubt } = self;
        let numbers = [bend, slope].into_iter().chain(intercept.iter().copied()).chain(doubt);
        let finite = numbers.chain(spread.iter().flatten().copied()).all(f64::is_finite);
        if experts == 0 || intercept.is_empty() || spread.len() != experts || !finite {
            return Err(PyValueError::new_err("experts with finite numbers, one spread each, are expected"));
        }
        Ok(Fusion { experts, bend, slope, intercept, spread, doubt })
    }
}

/// What experts say of an item: z (V, m), those of the experts and then of the passages where they are heard; what a word
/// of each expert counts (E,); the share of each z that is heard (V,); what they say together (m,); what each word counts
/// in the passages, by its number; and how far the z of these is from the sum over their words.
type Opinion = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, Vec<(u32, f64)>, f64);

/// A dictionary of words with what experts know of them.
#[pyclass(frozen, module = "deciban._core")]
pub struct Experts {
    inner: RwLock<Heard>,
    threads: usize,
}

/// The words that there are, and what is known of them.
struct Heard {
    dictionary: Dictionary,
    experts: core::Experts,
}

/// What an example is learnt from: the hashes of its words (n,) of 64 bits and the passages of each, of 16, as
/// `Reader.word_sets` gives them; its class; and how often it counts.
type Example = (Vec<u8>, Vec<u8>, u32, f64);

#[pymethods]
impl Experts {
    /// `hashes` (K,) of 64-bit, `weights` (K, m), `doubts` (K,) and `bias` (E, m) of float64, all as little-endian
    /// bytes; `squares` ((K + E) m,) of float32, those of the words and then of the offsets, where examples are still to
    /// be learnt; `fusion` has the fields of `deciban.text.experts.Fusion`.
    #[new]
    #[pyo3(signature = (reader, hashes, *, weights, doubts, bias, fusion, squares=None, n_jobs=None))]
    #[allow(clippy::too_many_arguments)] // one keyword each
    fn new(
        reader: &Reader,
        hashes: &[u8],
        weights: &[u8],
        doubts: &[u8],
        bias: &[u8],
        fusion: Given,
        squares: Option<&[u8]>,
        n_jobs: Option<usize>,
    ) -> PyResult<Experts> {
        let fusion = fusion.checked()?;
        let hashes = words::<8>(hashes).map(u64::from_le_bytes);
        let [weights, doubts, bias] = [weights, doubts, bias]
            .map(|bytes| words::<8>(bytes).map(f64::from_le_bytes).collect::<Vec<_>>());
        let (n, m) = (hashes.len(), fusion.columns());
        if weights.len() != n * m || doubts.len() != n || bias.len() != fusion.experts * m {
            return Err(PyValueError::new_err(
                "a weight per word and column, and an offset per expert, are expected",
            ));
        }
        let squares = squares.map(|bytes| words::<4>(bytes).map(f32::from_le_bytes).collect::<Vec<_>>());
        let told = weights.iter().chain(&doubts).chain(&bias).all(|number| number.is_finite());
        if !told || squares.iter().flatten().any(|number| !number.is_finite() || *number < 0.0) {
            return Err(PyValueError::new_err("weights that are finite numbers are expected"));
        }
        if squares.as_ref().is_some_and(|squares| squares.len() != weights.len() + bias.len()) {
            return Err(PyValueError::new_err("a sum of squares per weight and offset is expected"));
        }
        let dictionary = Dictionary::new(reader.inner.clone(), rules(true, None, usize::MAX)?, hashes);
        if dictionary.len() != n {
            return Err(PyValueError::new_err("distinct hashes are expected"));
        }
        let squares = squares.map(|mut weights| {
            let bias = weights.split_off(n * m);
            Squares { weights, bias }
        });
        let experts = core::Experts { weights, doubts, bias, squares, fusion };
        Ok(Experts { inner: RwLock::new(Heard { dictionary, experts }), threads: threads(n_jobs) })
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.heard(py).dictionary.len()
    }

    /// Learns more examples, one after the other: a step for each. ValueError where there are no `squares`, or for what
    /// cannot be an example; then nothing is learnt.
    fn learn(&self, py: Python<'_>, examples: Vec<Example>) -> PyResult<()> {
        let classes = self.classes(py);
        let mut heard = self.inner.write_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Heard { dictionary, experts } = &mut *heard;
        let read = |(hashes, passages, class, weight): Example| {
            let known = (class as usize) < classes && weight.is_finite() && weight > 0.0;
            if !known || experts.squares.is_none() {
                return Err(foreign());
            }
            let words = read_set(&hashes, &passages, &experts.fusion)?;
            Ok((words.into_iter().map(|(expert, hash, _)| (expert, hash)).collect::<Vec<_>>(), class, weight))
        };
        let examples = examples.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
        run(py, 1, || {
            for (words, class, weight) in &examples {
                dictionary.teach(experts, words, *class, *weight);
            }
        })
    }

    /// What is known now, as the constructor takes it: `weights`, `doubts`, `bias` and `squares`, those of words that were
    /// learnt since behind the others. ValueError where there are no `squares`.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyBytes>; 4]> {
        let Heard { experts, .. } = &*self.heard(py);
        let squares = experts.squares.as_ref().ok_or_else(outside)?;
        let wide = [&experts.weights, &experts.doubts, &experts.bias];
        let [weights, doubts, bias] =
            wide.map(|numbers| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>());
        let squares: Vec<u8> =
            squares.weights.iter().chain(&squares.bias).flat_map(|number| number.to_le_bytes()).collect();
        Ok([weights, doubts, bias, squares].map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Knows other things of some words, and of the offsets: `hashes` (n,), and the rest as the constructor takes it and
    /// `state` gives it. ValueError for what does not belong together; then nothing is changed.
    fn put(
        &self,
        py: Python<'_>,
        hashes: &[u8],
        weights: &[u8],
        doubts: &[u8],
        bias: &[u8],
        squares: &[u8],
    ) -> PyResult<()> {
        let mut heard = self.inner.write_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Heard { dictionary, experts } = &mut *heard;
        let (n, m) = (hashes.len() / 8, experts.fusion.columns());
        let hashes = words::<8>(hashes).map(u64::from_le_bytes);
        let [weights, doubts, bias] = [weights, doubts, bias]
            .map(|bytes| words::<8>(bytes).map(f64::from_le_bytes).collect::<Vec<_>>());
        let mut squares: Vec<f32> = words::<4>(squares).map(f32::from_le_bytes).collect();
        let fits = weights.len() == n * m && doubts.len() == n && bias.len() == experts.bias.len();
        let finite = weights.iter().chain(&doubts).chain(&bias).all(|number| number.is_finite());
        let right = squares.iter().all(|number| number.is_finite() && *number >= 0.0);
        if !(fits && finite && right && squares.len() == n * m + bias.len() && experts.squares.is_some()) {
            return Err(outside());
        }
        let offsets = squares.split_off(n * m);
        let known = core::Known { weights: &weights, doubts: &doubts, squares: &squares };
        dictionary.put(experts, hashes, known);
        experts.bias = bias;
        experts.squares.iter_mut().for_each(|squares| squares.bias.clone_from(&offsets));
        Ok(())
    }

    /// Item by item: its scores (C), its first class and the next, and the variance of the log-odds between them.
    fn judge(&self, py: Python<'_>, items: &Bound<'_, PyAny>) -> PyResult<Vec<Judged>> {
        let held = hold(items)?;
        let judged = self.judged(py, &borrow(&held))?;
        Ok(judged.into_iter().map(|j| (j.scores, j.first_two, j.variance)).collect())
    }

    /// The same of items as sets of words, as `Reader.word_sets` gives them: hashes of 64 bits, and the passages of each.
    fn judge_sets(&self, py: Python<'_>, sets: Vec<(Vec<u8>, Vec<u8>)>) -> PyResult<Vec<Judged>> {
        let Heard { dictionary, experts } = &*self.heard(py);
        let judge = |(hashes, passages): &(Vec<u8>, Vec<u8>)| {
            let judged = dictionary.judge_words(read_set(hashes, passages, &experts.fusion)?, experts);
            Ok((judged.scores, judged.first_two, judged.variance))
        };
        sets.iter().map(judge).collect()
    }

    /// Scores (N, C), in nats.
    fn scores<'py>(&self, py: Python<'py>, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let held = hold(items)?;
        let items = borrow(&held);
        let scores: Vec<f64> =
            self.judged(py, &items)?.into_iter().flat_map(|judged| judged.scores).collect();
        scores.into_pyarray(py).reshape([items.len(), self.classes(py)])
    }

    /// Scores (N, C) of items of a corpus, at these places.
    fn scores_of<'py>(
        &self,
        py: Python<'py>,
        corpus: &TokenCorpus,
        places: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (mut scores, n) = (Vec::new(), places.len());
        let Heard { dictionary, experts } = &*self.heard(py);
        corpus.chosen(py, &dictionary.reader, &places)?.each(py, |part| {
            let heard = dictionary.heard(part.segment);
            scores.extend(dictionary.scores_by(part.segment, &heard, part.items, experts));
        })?;
        scores.into_pyarray(py).reshape([n, self.classes(py)])
    }

    /// What the experts say of an item, one by one and together.
    fn opinion(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<Opinion> {
        let item = hold_one(item)?;
        let Heard { dictionary, experts } = &*self.heard(py);
        let said = run(py, 1, || dictionary.opinion(item.bytes(), experts))?;
        let (fused, shares) = experts.fusion.fuse(&said.each);
        Ok((said.each, said.per_word, shares, fused, said.passages, said.apart))
    }

    /// What is known now of words: weights (n m,), and offsets (E m,).
    fn known(&self, py: Python<'_>, words: Vec<u32>) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let Heard { experts, .. } = &*self.heard(py);
        let m = experts.fusion.columns();
        let weights =
            words.iter().map(|&word| experts.weights.get(word as usize * m..(word as usize + 1) * m));
        let weights: Option<Vec<&[f64]>> = weights.collect();
        Ok((weights.ok_or_else(outside)?.concat(), experts.bias.clone()))
    }

    /// Which expert hears words of these names.
    fn hearers(&self, names: Vec<String>) -> Vec<usize> {
        names.iter().map(|name| usize::from(Field::of_name(name).expert())).collect()
    }

    /// As `Dictionary.reasons`.
    fn reasons(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<(String, Vec<Term>)> {
        let item = hold_one(item)?;
        let heard = self.heard(py);
        Ok(named(run(py, 1, || heard.dictionary.reasons(item.bytes()))?))
    }
}

impl Experts {
    fn heard(&self, py: Python<'_>) -> RwLockReadGuard<'_, Heard> {
        self.inner.read_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn classes(&self, py: Python<'_>) -> usize {
        let columns = self.heard(py).experts.fusion.columns();
        if columns == 1 { 2 } else { columns }
    }

    fn judged(&self, py: Python<'_>, items: &[&[u8]]) -> PyResult<Vec<deciban_core::score::Judged>> {
        // One item is judged where we are: starting threads would take longer.
        let threads = if items.len() == 1 { 1 } else { self.threads };
        let Heard { dictionary, experts } = &*self.heard(py);
        run(py, threads, || dictionary.judge_by(items, experts))
    }
}

/// What experts say together (N, m) of what each says, and the passages where they are heard, (N, V, m).
#[pyfunction]
pub fn fuse_opinions<'py>(
    py: Python<'py>,
    each: PyReadonlyArray3<'py, f64>,
    fusion: Given,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let fusion = fusion.checked()?;
    let &[n, opinions, columns] = each.shape() else { unreachable!("three axes") };
    if opinions != fusion.opinions() || columns != fusion.columns() {
        return Err(PyValueError::new_err("opinions of every expert are expected"));
    }
    let together: Vec<f64> =
        each.as_slice()?.chunks_exact(opinions * columns).flat_map(|each| fusion.fuse(each).0).collect();
    together.into_pyarray(py).reshape([n, columns])
}

type Opinions<'py> = Bound<'py, PyArray3<f64>>;
/// Orders of the examples that are learnt, one after the other, the examples that are judged in the end, and whether
/// each of them is learnt before the next.
type Lesson<'py> = (Vec<PyReadonlyArray1<'py, i64>>, PyReadonlyArray1<'py, i64>, bool);
type Taught<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f32>>,
    Opinions<'py>,
    Opinions<'py>,
);

/// Experts that have learnt examples, whose words end at `ends` (N,), lesson by lesson: weights (K, m), offsets (E, m),
/// the sums of squares (K + E, m) of their gradients, the scores (N, V, m) of each example before it was learnt, and those
/// (J, V, m) of the examples judged in the end: of the experts, and then of the passages where they are heard.
///
/// `expert` (K,) tells whose each word is; `bend` is β, with which they are heard together; `passages`, as long as
/// `words`, in which passages each is, None where none is heard. Every lesson begins anew.
#[pyfunction]
#[pyo3(signature = (ends, words, expert, experts, y, classes, lessons, bend, weight=None, passages=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // one keyword each
pub fn teach_experts<'py>(
    py: Python<'py>,
    ends: PyReadonlyArray1<'py, i64>,
    words: PyReadonlyArray1<'py, i32>,
    expert: PyReadonlyArray1<'py, u8>,
    experts: usize,
    y: PyReadonlyArray1<'py, i64>,
    classes: usize,
    lessons: Vec<Lesson<'py>>,
    bend: f64,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    passages: Option<PyReadonlyArray1<'py, u16>>,
    n_jobs: Option<usize>,
) -> PyResult<Vec<Taught<'py>>> {
    let (ends, words, expert) = (ends.as_slice()?, words.as_slice()?, expert.as_slice()?);
    let passages = passages.as_ref().map(|passages| passages.as_slice()).transpose()?;
    let places = places(expert, experts).ok_or_else(outside)?;
    let sets = |which: usize| {
        let own = places.iter().zip(expert);
        let own = own.map(|(&place, &whose)| if usize::from(whose) == which { place } else { NOWHERE });
        Sets::new(ends, words, passages, own.collect())
    };
    let sets = (0..experts).map(sets).collect::<Option<Vec<_>>>().ok_or_else(outside)?;
    let (n, hears) = (ends.len(), passages.is_some() && classes == 2 && bend != 0.0);
    let inside = |numbers: &[i64], most: usize| {
        let known = |&number: &i64| u32::try_from(number).ok().filter(|&number| (number as usize) < most);
        numbers.iter().map(known).collect::<Option<Vec<u32>>>().ok_or_else(outside)
    };
    let y = inside(y.as_slice()?, classes)?;
    let lesson = |(passes, judged, onward): &Lesson<'py>| {
        let orders = passes.iter().map(|order| inside(order.as_slice()?, n)).collect::<PyResult<Vec<_>>>()?;
        Ok((orders, inside(judged.as_slice()?, n)?, *onward))
    };
    let lessons = lessons.iter().map(lesson).collect::<PyResult<Vec<_>>>()?;
    let weight = weight.as_ref().map(|weight| weight.as_slice()).transpose()?;
    if y.len() != n || classes < 2 || weight.is_some_and(|weight| weight.len() != n) {
        return Err(PyValueError::new_err("a class (and a weight) per example, of two or more, is expected"));
    }
    let taught: Vec<Vec<Learnt>> = run(py, threads(n_jobs), || {
        let learn = |(orders, judged, onward): &(Vec<Vec<u32>>, Vec<u32>, bool)| {
            let orders: Vec<&[u32]> = orders.iter().map(Vec::as_slice).collect();
            let learn = |(expert, sets)| {
                let range = adaptive::range(expert, bend);
                let side = if expert == 0 && hears { bend } else { 0.0 };
                let examples = Examples { sets, classes: &y, kinds: classes, weights: weight, range, side };
                adaptive::learn(&examples, &orders, judged, *onward)
            };
            each(sets.len(), &|k| learn((k, &sets[k])))
        };
        each_of(&lessons, 1, &learn)
    })?;
    taught.iter().map(|taught| gathered(py, taught, expert, &places, columns(classes), hears)).collect()
}

/// What experts have learnt, as arrays.
fn gathered<'py>(
    py: Python<'py>,
    taught: &[Learnt],
    expert: &[u8],
    places: &[u32],
    m: usize,
    hears: bool,
) -> PyResult<Taught<'py>> {
    let mut weights = vec![0.0; expert.len() * m];
    let mut squares = vec![0.0; expert.len() * m];
    for (word, (&expert, &place)) in expert.iter().zip(places).enumerate() {
        let (from, to, own) = (place as usize * m, word * m, &taught[usize::from(expert)]);
        weights[to..to + m].copy_from_slice(&own.weights[from..from + m]);
        squares[to..to + m].copy_from_slice(&own.squares[from..from + m]);
    }
    squares.extend(taught.iter().flat_map(|each| &each.squares[each.weights.len()..]));
    let bias: Vec<f64> = taught.iter().flat_map(|each| each.bias.iter().copied()).collect();
    let beside = |of: fn(&Learnt) -> &Vec<f64>, passages: &[f64]| {
        let (rows, opinions) = (of(&taught[0]).len() / m, taught.len() + usize::from(hears));
        let scores = together(taught, of, passages, m);
        scores.into_pyarray(py).reshape([rows, opinions, m])
    };
    let [first, judged] = &taught[0].passages;
    Ok((
        weights.into_pyarray(py).reshape([expert.len(), m])?,
        bias.into_pyarray(py).reshape([taught.len(), m])?,
        squares.into_pyarray(py).reshape([expert.len() + taught.len(), m])?,
        beside(|each| &each.first, first)?,
        beside(|each| &each.judged, judged)?,
    ))
}

/// The scores of experts (N, m) beside each other, and those of the passages (N,) where they are heard: (N, V, m).
fn together(taught: &[Learnt], of: fn(&Learnt) -> &Vec<f64>, passages: &[f64], m: usize) -> Vec<f64> {
    let rows = of(&taught[0]).len() / m;
    let row = |i: usize| {
        let own = taught.iter().flat_map(move |each| &of(each)[i * m..(i + 1) * m]);
        own.chain(passages.get(i))
    };
    (0..rows).flat_map(row).copied().collect()
}

fn foreign() -> PyErr {
    PyValueError::new_err("examples of known experts and classes are expected")
}

/// Reads an item as a set of words: the expert that hears each, its hash, and the passages it is in.
fn read_set(hashes: &[u8], passages: &[u8], fusion: &Fusion) -> PyResult<Vec<(u8, u64, u16)>> {
    // What is in no passage of the content is of the headers.
    let places: Vec<u16> = words::<2>(passages).map(u16::from_le_bytes).collect();
    let own = |&bits: &u16| u8::from(bits == 0);
    let heard = places.iter().all(|bits| usize::from(own(bits)) < fusion.experts);
    if !heard || hashes.len() != 8 * places.len() || passages.len() != 2 * places.len() {
        return Err(foreign());
    }
    let hashes = words::<8>(hashes).map(u64::from_le_bytes);
    let set: Vec<(u8, u64, u16)> =
        places.iter().zip(hashes).map(|(bits, hash)| (own(bits), hash, *bits)).collect();
    let ascending = set.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)) && set.iter().all(|word| word.1 != 0);
    if ascending { Ok(set) } else { Err(outside()) }
}

fn outside() -> PyErr {
    PyValueError::new_err("numbers of examples, words and classes that there are, are expected")
}

/// Which of the words of its expert each word is; None for experts that are not there.
fn places(expert: &[u8], experts: usize) -> Option<Vec<u32>> {
    let mut counts = vec![0; experts];
    let place = |&expert: &u8| {
        let count: &mut u32 = counts.get_mut(usize::from(expert))?;
        *count += 1;
        Some(*count - 1)
    };
    expert.iter().map(place).collect()
}

/// (N,) sums over the words of the examples in `rows`, one after the other, of `values` (K,) of each word: differences of
/// sums over all of them.
#[pyfunction]
pub fn sums_of_words<'py>(
    py: Python<'py>,
    ends: PyReadonlyArray1<'py, i64>,
    words: PyReadonlyArray1<'py, i32>,
    values: PyReadonlyArray1<'py, f64>,
    rows: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let values = values.as_slice()?;
    let (mut sums, mut total) = (Vec::with_capacity(rows.len()), 0.0);
    each_row(ends.as_slice()?, words.as_slice()?, rows.as_slice()?, |own| {
        let before = total;
        for &word in own {
            total += values.get(usize::try_from(word).ok()?)?;
        }
        sums.push(total - before);
        Some(())
    })?;
    Ok(sums.into_pyarray(py))
}

/// (K,) how many of the examples in `rows` have each of `count` words.
#[pyfunction]
pub fn counts_of_words<'py>(
    py: Python<'py>,
    ends: PyReadonlyArray1<'py, i64>,
    words: PyReadonlyArray1<'py, i32>,
    count: usize,
    rows: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let mut counts = vec![0.0; count];
    each_row(ends.as_slice()?, words.as_slice()?, rows.as_slice()?, |own| {
        for &word in own {
            *counts.get_mut(usize::try_from(word).ok()?)? += 1.0;
        }
        Some(())
    })?;
    Ok(counts.into_pyarray(py))
}

/// Does something with the words of each example in `rows`; refuses those that are not there, or of which `f` is None.
fn each_row(
    ends: &[i64],
    words: &[i32],
    rows: &[i64],
    mut f: impl FnMut(&[i32]) -> Option<()>,
) -> PyResult<()> {
    let end = |row: usize| usize::try_from(*ends.get(row)?).ok();
    let mut read = |row: i64| {
        let row = usize::try_from(row).ok()?;
        let start = if row == 0 { 0 } else { end(row - 1)? };
        f(words.get(start..end(row)?)?)
    };
    rows.iter().try_for_each(|&row| read(row)).ok_or_else(outside)
}

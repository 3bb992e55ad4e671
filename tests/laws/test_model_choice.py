"""The model that is chosen is the one of least log loss, but for chance."""

from dataclasses import dataclass, field
from math import exp, log
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_texts import content

from deciban import TextClassifier
from deciban._core import Reader
from deciban.calibration.out_of_fold import OutOfFold
from deciban.data.folds import hold_out
from deciban.text.choice import choose, find_equally_good
from deciban.text.corpus import Corpus, widest_reader
from deciban.text.model_defaults import FEWEST, MOST_OF_NBSVM, QUICKEST_FIRST
from deciban.text.recipes import recipe

READER = Reader("text")


def corpus(texts, y, weights=None):
    return Corpus.of_texts(texts, READER, ["a", "b", "c"], y, weights)


TEXTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2)), min_size=1, max_size=80)


@given(drawn=TEXTS, seed=st.integers(0, 5), draw=st.data())
def test_a_fifth_of_every_class_is_held_out_and_equal_texts_stand_on_one_side(drawn, seed, draw):
    """Whatever the order. A class that would have nothing left to learn from is not held out."""
    texts, y = [f"text {i}" for i, _ in drawn], np.array([c for _, c in drawn])
    held = hold_out(corpus(texts, y), seed)
    order = np.array(draw.draw(st.permutations(range(len(texts)))))
    np.testing.assert_array_equal(hold_out(corpus([texts[i] for i in order], y[order]), seed), held[order])
    assert not any(held[y == c].all() for c in set(y.tolist()))
    sides = {}
    for text, c, side in zip(texts, y.tolist(), held.tolist(), strict=True):
        sides.setdefault(text, {}).setdefault(side, set()).add(c)
    for by_side in sides.values():  # both sides only where all of a class would have been held out
        assert len(by_side) == 1 or not any(held[y == c].any() for c in by_side[False])


@pytest.mark.parametrize("seed", range(3))
def test_the_share_held_out_of_each_class_is_a_fifth(seed):
    y = np.repeat([0, 1, 2], [100, 200, 55])
    held = hold_out(corpus([f"text {i}" for i in range(len(y))], y), seed)
    assert held.sum() == 71
    assert np.abs(np.bincount(y, held) - np.bincount(y) / 5).max() <= 1


@dataclass
class Says:
    """A recipe whose model errs on so many of the texts held out."""

    model: str
    errors: int
    seed: int = 0
    asked: list = field(default_factory=list)
    status: str = "converged"
    rank: int = 0
    most: int = 9

    def is_for(self, corpus):
        return len(corpus.classes) <= self.most

    def learn(self, corpus, time_limit=None, n_jobs=None):
        self.asked.append((len(corpus), time_limit))
        return self

    @property
    def name(self):
        return self.model

    def certificate(self):
        return SimpleNamespace(status=self.status)

    def compile(self, n_jobs=None):
        return self

    def scores_of(self, tokens, places):
        """All texts are of class 0."""
        return np.array([[0.0, 1.0] if i < self.errors else [1.0, 0.0] for i in range(len(places))])


ALL = corpus([f"text {i}" for i in range(500)], np.zeros(500, dtype=int))


def corpus_of_two():
    y = np.zeros(500, dtype=int)
    y[::250] = 1
    return corpus([f"text {i}" for i in range(500)], y)


def test_a_fit_that_took_ctrl_c_for_its_own_ends_the_choice():
    contenders, told = [Says("first", 9), Says("second", 0, status="interrupted"), Says("third", 0)], []
    with pytest.raises(KeyboardInterrupt):
        choose(corpus_of_two(), contenders, tell=told.append)
    assert [each.model for each in told] == ["first"]
    assert contenders[2].asked == []


def judge_one_by_one(outside, model):
    """Return whether the model is wrong about each item, each half calibrated by the other, and −log p of its label."""
    scores, half = outside.scores(model), np.unique(outside.keys, return_inverse=True)[1] % 2
    wrong, losses = [], []
    for i, (score, c) in enumerate(zip(scores, outside.y.tolist(), strict=True)):
        others = np.flatnonzero(half != half[i])
        weight = np.ones(len(others)) if outside.weight is None else outside.weight[others]
        line = OutOfFold(scores[others], outside.y[others], weight, others, half[others]).scaling()
        told = line(score).tolist()
        wrong.append(told.index(max(told)) != c)
        losses.append(log(sum(exp(each - told[c]) for each in told)))
    return np.array(wrong), np.array(losses)


@given(
    errors=st.lists(st.integers(0, 99), min_size=1, max_size=5),
    ranks=st.permutations(range(5)) | st.just([0] * 5),
    few=st.integers(20, 60),
    weights=st.sampled_from([None, [1.0, 2.0, 0.5, 3.0]]),
)
def test_the_one_of_least_log_loss_and_of_those_within_chance_the_one_of_lowest_rank(errors, ranks, few, weights):
    contenders = [Says(f"model {i}", k * few // 100, rank=ranks[i]) for i, k in enumerate(errors)]
    told, size = [], 5 * few
    y = np.resize([0, 0, 0, 1], size)
    examples = corpus([f"text {i}" for i in range(size)], y, None if weights is None else np.resize(weights, size))
    chosen, tried, _ = choose(examples, contenders, tell=told.append)
    held = hold_out(examples, 0)
    assert told == tried
    assert [each.asked[0][0] for each in contenders] == [size - held.sum()] * len(errors)
    outside = examples.only(held)
    w = np.ones(len(outside)) if outside.weight is None else outside.weight
    said = [judge_one_by_one(outside, each) for each in contenders]
    found = np.array([each.error for each in tried])
    np.testing.assert_allclose(found, [w @ wrong / w.sum() for wrong, _ in said], rtol=1e-9)
    expected = np.sqrt(found * (1 - found) / w.sum())
    np.testing.assert_allclose([each.standard_error for each in tried], expected, rtol=1e-9)
    np.testing.assert_allclose([each.log_loss for each in tried], [w @ loss / w.sum() for _, loss in said], rtol=1e-9)
    least = min(range(len(tried)), key=lambda i: tried[i].log_loss)
    within = []
    for i, (_, loss) in enumerate(said):
        more = loss - said[least][1]
        mean = w @ more / w.sum()
        spread = (w @ (more - mean) ** 2) ** 0.5 / w.sum()
        if mean <= spread:
            within.append(i)
    assert contenders.index(chosen) == min(within, key=lambda i: (ranks[i], tried[i].log_loss))


LOSSES = st.lists(st.floats(0.0, 20.0), min_size=4, max_size=4)


@given(losses=st.lists(LOSSES, min_size=1, max_size=4), times=st.lists(st.integers(1, 5), min_size=4, max_size=4))
def test_a_weight_is_a_repetition_to_what_chance_is(losses, times):
    few = np.array(losses)
    many = np.repeat(few, times, axis=1)
    told = find_equally_good(few, np.array(times, dtype=float))
    assert told == find_equally_good(many, np.ones(many.shape[1]))
    assert set(np.flatnonzero(many.sum(axis=1) == many.sum(axis=1).min())) & set(told)


def test_what_is_for_other_examples_is_not_tried():
    contenders = [Says("first", 50), Says("of one class", 0, most=1), Says("last", 49)]
    chosen, tried, left_out = choose(corpus_of_two(), contenders)
    assert ([each.model for each in tried], contenders[1].asked, left_out) == (["first", "last"], [], [])
    assert chosen is contenders[2]
    few, many = (SimpleNamespace(classes=range(MOST_OF_NBSVM + more)) for more in (0, 1))
    recipes = [recipe("text", each, {}) for each in QUICKEST_FIRST]
    assert [each.model for each in recipes if each.is_for(few)] == list(QUICKEST_FIRST)
    assert [each.model for each in recipes if not each.is_for(many)] == ["nbsvm"]


def test_offsets_that_the_kept_model_will_have_count_in_the_choice():
    """Scores in another unit, and off by a constant, are worth as much."""

    class Shifted(Says):
        def scores_of(self, tokens, places):
            return 7.0 * super().scores_of(tokens, places) + np.array([-40.0, 0.0])

    plain, shifted = Says("plain", 20), Shifted("shifted", 20)
    one, other = choose(corpus_of_two(), [plain, shifted]).tried
    assert (one.error, other.error) == (other.error, one.error)
    assert one.log_loss == pytest.approx(other.log_loss, abs=1e-5)


def test_without_time_only_the_first_is_tried():
    contenders = [Says("first", 50), Says("second", 0)]
    chosen, tried, left_out = choose(corpus_of_two(), contenders, time_limit=0.0)
    assert (chosen.model, [each.model for each in tried], left_out) == ("first", ["first"], ["second"])
    assert contenders[0].asked[0][1] is None
    assert contenders[1].asked == []
    choose(corpus_of_two(), contenders, time_limit=60.0)
    assert 0 < contenders[1].asked[0][1] <= 60


def test_of_one_text_nothing_is_hold_out():
    same = corpus(["a text"] * 300, [0, 1] * 150)
    assert not hold_out(same, 0).any()
    contenders = [Says("first", 50), Says("second", 0)]
    assert choose(same, contenders) == (contenders[0], [], [])


def test_auto_is_naive_bayes_of_few_texts_and_the_choice_of_many():
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 60, 3)) for _ in range(FEWEST)]
    labels = ["even" if text[1] in "02468" else "odd" for text in texts]
    few = TextClassifier().fit(texts[1:], labels[1:])
    assert (few.model_.name, few.tried_) == ("naive-bayes", [])
    many = TextClassifier(time_limit=None).fit(texts, labels)
    assert [each.model for each in many.tried_] == list(QUICKEST_FIRST)
    alone = TextClassifier(many.model_.name).fit(texts, labels)
    assert content(alone) == content(many, choice=False)
    assert content(many) == content(TextClassifier(time_limit=None).fit(texts[::-1], labels[::-1]))
    quick = TextClassifier(time_limit=0.0).fit(texts, labels)
    assert [each.model for each in quick.tried_] == ["naive-bayes"]
    assert content(quick, choice=False) == content(TextClassifier("naive-bayes").fit(texts, labels))


@pytest.mark.parametrize("kind", ["text", "mail"])
@pytest.mark.parametrize("classes", [2, 3])
def test_models_that_are_only_tried_score_as_others_do(kind, classes):
    """Scores are a line apart, whose slope is the same for all classes. A model after one
    of the same settings has the rows as they were."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=120)
    texts = [" ".join(f"w{w}" for w in rng.integers(3 * c, 3 * c + 9, size=6)) for c in y]
    recipes = [recipe(kind, name, {}) for name in QUICKEST_FIRST]
    examples = Corpus.of_texts(texts, widest_reader(each.settings for each in recipes), range(classes), y)
    tried = examples.to_try()
    for each in [*recipes, *recipes[::-1]]:
        ours, theirs = (each.learn(part).compile().joint_of(part.X, part.places) for part in (tried, examples))
        ours, theirs = ours - ours[:, :1], theirs - theirs[:, :1]
        ours, theirs = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
        factor = (ours * theirs).sum() / (theirs**2).sum()
        assert factor > 0.0
        np.testing.assert_allclose(ours, factor * theirs, rtol=1e-9, atol=1e-9)

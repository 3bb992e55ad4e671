"""The model that is chosen is the simplest of those that err no more than the best by more than chance."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_texts import content

from deciban import TextClassifier
from deciban._core import Reader
from deciban.text.choice import FEWEST, SIMPLEST_FIRST, choose, held_out
from deciban.text.corpus import Corpus

READER = Reader("text")


def corpus(texts, y, weights=None):
    return Corpus.of_texts(texts, READER, ["a", "b", "c"], y, weights)


TEXTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2)), min_size=1, max_size=80)


@given(drawn=TEXTS, seed=st.integers(0, 5), draw=st.data())
def test_a_fifth_of_every_class_is_held_out_and_equal_texts_stand_on_one_side(drawn, seed, draw):
    """Whatever the order. A class that would have nothing left to learn from is not held out."""
    texts, y = [f"text {i}" for i, _ in drawn], np.array([c for _, c in drawn])
    held = held_out(corpus(texts, y), seed)
    order = np.array(draw.draw(st.permutations(range(len(texts)))))
    np.testing.assert_array_equal(held_out(corpus([texts[i] for i in order], y[order]), seed), held[order])
    assert not any(held[y == c].all() for c in set(y.tolist()))
    sides = {}
    for text, c, side in zip(texts, y.tolist(), held.tolist(), strict=True):
        sides.setdefault(text, {}).setdefault(side, set()).add(c)
    for by_side in sides.values():  # both sides only where all of a class would have been held out
        assert len(by_side) == 1 or not any(held[y == c].any() for c in by_side[False])


@pytest.mark.parametrize("seed", range(3))
def test_the_share_held_out_of_each_class_is_a_fifth(seed):
    y = np.repeat([0, 1, 2], [100, 200, 55])
    held = held_out(corpus([f"text {i}" for i in range(len(y))], y), seed)
    assert held.sum() == 71
    assert np.abs(np.bincount(y, held) - np.bincount(y) / 5).max() <= 1


@dataclass
class Says:
    """A recipe whose model errs on so many of the texts held out."""

    model: str
    errors: int
    seed: int = 0
    asked: list = field(default_factory=list)

    def learn(self, corpus, time_limit=None, n_jobs=None):
        self.asked.append((len(corpus), time_limit))
        return self

    def compile(self, n_jobs=None):
        return self

    def scores(self, items):
        """All texts are of class 0."""
        return np.array([[0.0, 1.0] if i < self.errors else [1.0, 0.0] for i in range(len(items))])


ALL = corpus([f"text {i}" for i in range(500)], np.zeros(500, dtype=int))


def corpus_of_two():
    y = np.zeros(500, dtype=int)
    y[::250] = 1
    return corpus([f"text {i}" for i in range(500)], y)


@given(errors=st.lists(st.integers(0, 99), min_size=1, max_size=5))
def test_the_simplest_within_one_standard_error_of_the_best(errors):
    contenders = [Says(f"model {i}", k) for i, k in enumerate(errors)]
    told = []
    examples = corpus_of_two()
    chosen, tried = choose(examples, contenders, tell=told.append)
    n = held_out(examples, 0).sum()
    assert told == tried
    assert [each.asked[0][0] for each in contenders] == [500 - n] * len(errors)
    found = np.array([each.error for each in tried])
    np.testing.assert_allclose([each.standard_error for each in tried], np.sqrt(found * (1 - found) / n), rtol=1e-12)
    best = found.argmin()
    limit = found[best] + tried[best].standard_error
    assert found[contenders.index(chosen)] <= limit
    assert (found[: contenders.index(chosen)] > limit).all()


def test_without_time_only_the_first_is_tried():
    contenders = [Says("first", 50), Says("second", 0)]
    chosen, tried = choose(corpus_of_two(), contenders, time_limit=0.0)
    assert (chosen.model, [each.model for each in tried]) == ("first", ["first"])
    assert contenders[0].asked[0][1] is None
    assert contenders[1].asked == []
    choose(corpus_of_two(), contenders, time_limit=60.0)
    assert 0 < contenders[1].asked[0][1] <= 60


def test_of_one_text_nothing_is_held_out():
    same = corpus(["a text"] * 300, [0, 1] * 150)
    assert not held_out(same, 0).any()
    contenders = [Says("first", 50), Says("second", 0)]
    assert choose(same, contenders) == (contenders[0], [])


def test_auto_is_naive_bayes_of_few_texts_and_the_choice_of_many():
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 60, 3)) for _ in range(FEWEST)]
    labels = ["even" if text[1] in "02468" else "odd" for text in texts]
    few = TextClassifier().fit(texts[1:], labels[1:])
    assert (few.model_.name, few.tried_) == ("naive-bayes", [])
    many = TextClassifier(time_limit=None).fit(texts, labels)
    assert [each.model for each in many.tried_] == list(SIMPLEST_FIRST)
    alone = TextClassifier(many.model_.name).fit(texts, labels)
    assert content(alone) == content(many, choice=False)
    assert content(many) == content(TextClassifier(time_limit=None).fit(texts[::-1], labels[::-1]))
    quick = TextClassifier(time_limit=0.0).fit(texts, labels)
    assert [each.model for each in quick.tried_] == ["naive-bayes"]
    assert content(quick, choice=False) == content(TextClassifier("naive-bayes").fit(texts, labels))

"""Items judged in the order in which they came, each by a model that knows those before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .corpus import Corpus
from .minimised import Words
from .online import Online, examples_of
from .recipes import Recipe
from .teaching import PASSES, Teacher, calibrate, scores_of, unheard

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# A model is learnt anew when so large a share of what it knows has come since; where only errors are learnt, oftener.
_GROWTH, _GROWTH_BY_ERRORS = 0.1, 0.02


@dataclass(frozen=True)
class Feedback:
    """When labels are known: after each item, `delay` items later, or only where the verdict was wrong (`errors`)."""

    delay: int = 0
    errors: bool = False


def order_of_arrival(corpus: Corpus, seed: int) -> Places:
    """Return (N,) the examples as they came; at random where nothing says when."""
    if corpus.times is None or not corpus.times.any():
        return np.random.default_rng(seed).permutation(len(corpus)).astype(np.int64)
    return np.argsort(corpus.times, kind="stable").astype(np.int64)


def replay(corpus: Corpus, recipe: Recipe, order: Places, feedback: Feedback, n_jobs: int | None = None) -> Floats:
    """Return (N, C) scores of examples in an order, each by what was known of those before it.

    A model is learnt anew when it has grown by a tenth; one that learns online also learns each item before the next.

    Parameters
    ----------
    corpus : Corpus
        The examples.
    recipe : Recipe
        What learns them.
    order : ndarray of int of shape (n_samples,)
        The order.
    feedback : Feedback
        When labels are known.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Scores in nats, in the order of the corpus; 0 while nothing is known.
    """
    judge = _Online(corpus, recipe, n_jobs) if isinstance(recipe.learner, Online) else _Anew(corpus, recipe, n_jobs)
    scores = np.zeros((len(corpus), len(corpus.classes)))
    wrong = np.zeros(len(corpus), np.bool_)
    for start, stop in _stretches(len(order), _GROWTH_BY_ERRORS if feedback.errors else _GROWTH):
        known, now = order[: max(start - feedback.delay, 0)], order[start:stop]
        known = known[wrong[known]] if feedback.errors else known
        if len(known):
            scores[now] = judge(known, now, not (feedback.errors or feedback.delay))
        wrong[now] = scores[now].argmax(axis=1) != corpus.y[now]
        wrong[now] |= (scores[now] == scores[now][:, :1]).all(axis=1)  # an item without a verdict teaches, too
    return scores


def _stretches(n: int, growth: float) -> Iterator[tuple[int, int]]:
    start = 0
    while start < n:
        stop = min(n, start + max(1, int(growth * start)))
        yield start, stop
        start = stop


class _Anew:
    """A model that is learnt anew of all that is known."""

    def __init__(self, corpus: Corpus, recipe: Recipe, n_jobs: int | None) -> None:
        self.corpus, self.recipe, self.n_jobs = corpus.without_names(), recipe, n_jobs

    def __call__(self, known: Places, now: Places, onward: bool) -> Floats:
        counts = np.bincount(self.corpus.y[known], minlength=len(self.corpus.classes))
        if np.count_nonzero(counts) < 2:  # which few models take: the rule of succession
            return np.tile(np.log(counts + 1.0), (len(now), 1))
        served = self.recipe.learn(self.corpus.only(np.sort(known)), n_jobs=self.n_jobs).compile(self.n_jobs)
        there = np.sort(now)
        scores = served.scores_of(self.corpus.X, self.corpus.places[there])
        return scores[np.searchsorted(there, now)]


class _Online:
    """Experts that learn what is known and then, if `onward`, each item after it was judged."""

    def __init__(self, corpus: Corpus, recipe: Recipe, n_jobs: int | None) -> None:
        words = Words.of(recipe.settings, corpus, n_jobs)
        encoder = words.encoder(recipe.settings)
        self.teacher = Teacher.of(encoder, examples_of(words, corpus), len(corpus.classes), n_jobs)
        self.fusion = unheard(corpus.classes, recipe.settings.kind)
        self.row = np.argsort(corpus.order())

    def __call__(self, known: Places, now: Places, onward: bool) -> Floats:
        came, judged = self.row[known], self.row[now]
        (taught,) = self.teacher.teach_each([([np.sort(came)] * (PASSES - 1) + [came], judged, onward)])
        rows, examples = np.sort(came), self.teacher.examples
        weight = None if examples.weight is None else examples.weight[rows]
        y, heard = examples.y[rows], self.fusion
        if len(np.unique(y)) > 1:
            heard, _ = calibrate(heard, taught.first[rows], y, weight, self.teacher.classes)
        return scores_of(heard, taught.judged)

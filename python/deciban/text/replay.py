"""Items judged by models that know those before them."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..claims import Claims
from ..scores.evidence import claimed
from .corpus import Corpus
from .minimised import Words
from .model import TextModel
from .online import Online, examples_of
from .recipes import Recipe
from .teaching import PASSES, Teacher, calibrate, scores_of, unheard

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class Judge(Protocol):
    """Judges some examples by what others teach."""

    def __call__(self, known: Places, now: Places, onward: bool) -> Floats:
        """Return (n, C) scores of the examples `now` by a model of those `known`; with `onward`, each of them is learnt
        before the next, if the model can."""


def judge_of(corpus: Corpus, recipe: Recipe, calibrated: bool = True, n_jobs: int | None = None) -> Judge:
    """Return what judges examples of a corpus by a recipe; not `calibrated`, scores of models that calibrate on what
    they are taught are raw."""
    of = _Online if isinstance(recipe.learner, Online) else _Anew
    return of(corpus, recipe, calibrated, n_jobs)


class _Anew:
    """A model that is learnt anew of all that is known."""

    def __init__(self, corpus: Corpus, recipe: Recipe, calibrated: bool, n_jobs: int | None) -> None:
        self.corpus, self.recipe = corpus.without_names(), recipe
        self.calibrated, self.n_jobs = calibrated, n_jobs

    def __call__(self, known: Places, now: Places, onward: bool) -> Floats:
        model = self.recipe.learn(self.corpus.only(np.sort(known)), n_jobs=self.n_jobs)
        if isinstance(model, TextModel) and not self.calibrated:
            model = replace(model, scaling=None)
        served = model.compile(self.n_jobs)
        there = np.sort(now)
        scores = served.scores_of(self.corpus.X, self.corpus.places[there])
        return scores[np.searchsorted(there, now)]


class _Online:
    """Experts that learn what is known and then, if `onward`, each item after it was judged."""

    def __init__(self, corpus: Corpus, recipe: Recipe, calibrated: bool, n_jobs: int | None) -> None:
        words = Words.of(recipe.settings, corpus, n_jobs)
        encoder = words.encoder(recipe.settings)
        self.calibrated, self.fusion = calibrated, unheard(corpus.classes, recipe.settings.kind)
        examples = examples_of(words, recipe.settings, corpus, n_jobs)
        self.teacher = Teacher.of(encoder, examples, len(corpus.classes), self.fusion, n_jobs)
        self.row = np.argsort(corpus.order())

    def __call__(self, known: Places, now: Places, onward: bool) -> Floats:
        came, judged = self.row[known], self.row[now]
        (taught,) = self.teacher.teach_each([([np.sort(came)] * (PASSES - 1) + [came], judged, onward)])
        if not self.calibrated:
            return scores_of(self.fusion, taught.judged)
        rows, examples = np.sort(came), self.teacher.examples
        weight = None if examples.weight is None else examples.weight[rows]
        heard, _ = calibrate(self.fusion, taught.first[rows], examples.y[rows], weight, self.teacher.classes)
        return claimed(scores_of(heard, taught.judged), Claims(float(len(known))))

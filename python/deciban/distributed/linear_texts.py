"""Linear models of texts in partitions: words are counted, then rows of them are encoded once, and passes over these
minimise what a fit in memory minimises.

    texts → counts of words → dictionary and weighing → rows in files → weights, by passes → a line, by folds
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._core import Dictionary
from ..data.estimator import clone
from ..data.transaction import all_or_nothing
from ..errors import DataError
from ..lazy import cached_property
from ..losses import Floats
from ..text.core_rows import csr_of
from ..text.encoder import WordEncoder, dictionary_of, pack
from ..text.learning_on import check_examples, one_class
from ..text.linear import Linear
from ..text.minimised import MinimisedText, only_features, seed_of
from ..text.model import Bayes
from ..text.recipes import Recipe
from ..text.settings import TextSettings
from ..text.weighting import Weighing, word_sums
from .encoding import Encode, Survey
from .engines import Engine
from .folds_of_parts import fit_line_in_parts
from .minimising import Minimised
from .parts import Block, Part
from .plans import plan_of
from .sums import TextSum, fitted_attributes


@dataclass(frozen=True)
class LinearOfTexts:
    """A linear model of texts: all words are counted, without a bound, and the rarest are dropped at the end."""

    estimator: Any
    recipe: Recipe

    def fit(self, engine: Engine, parts: list[Part]) -> dict[str, Any]:
        """Return the fitted attributes of the estimator for all parts."""
        settings, learner = self.recipe.settings, self.recipe.learner
        assert isinstance(learner, Linear)
        learner.check()
        counting = TextSum(clone(self.estimator).set_params(calibration=None), Recipe(settings, Bayes()))
        counted = counting.total(engine, parts).model.within_bound().without_empty()
        if np.count_nonzero(counted.encoder.book.items) < 2:
            raise DataError(one_class(counted.classes))
        encoder = only_features(counted.encoder)
        lookup = Lookup(settings, pack(encoder.book.parts()[0]))
        rows = [replace(part, load=LookUpTexts(part, lookup, counted.classes)) for part in parts]
        fitted = clone(self.estimator)
        fitted._become(learn_in_parts(learner, engine, encoder, counted.classes, rows, self.estimator.n_jobs), 0.0)
        fitted.tried_ = []
        return fitted_attributes(fitted)


def learn_in_parts(
    learner: Linear,
    engine: Engine,
    encoder: WordEncoder,
    classes: Sequence[Any],
    parts: list[Part],
    n_jobs: int | None = None,
    time_limit: float | None = None,
) -> MinimisedText:
    """Return the model of rows of the words of an `encoder`, with places in `classes` as labels: the same objective
    within the gap as of `Linear.learn`, and a line of the same folds.

    KeyboardInterrupt where the fit was interrupted.
    """
    settings = encoder.settings
    weighing = Weighing.of(learner.weighting, *_sums(engine, encoder, parts))
    found = learner.estimator(settings, time_limit, n_jobs)
    weighed = [replace(part, load=WeighRows(part.load, weighing)) for part in parts]
    surveys: list[Survey] | None = engine.keep(weighed, Encode(found))
    assert surveys is not None  # there are words
    plan = plan_of(found)
    assert isinstance(plan, Minimised)
    with all_or_nothing(found):
        found.__dict__.update(plan.minimise(engine, surveys))
    if found.certificate_.status == "interrupted":
        raise KeyboardInterrupt
    line = fit_line_in_parts(found, engine, surveys, seed_of(settings), weighing.stretch)
    return learner.of_fit(tuple(classes), encoder, found, weighing, line)


def _sums(engine: Engine, encoder: WordEncoder, parts: list[Part]) -> tuple[float, Floats, Floats]:
    """Return how many items there are, how many have each word, and the sums of its squares in them: the counts tell,
    where a word counts once an item and is counted in all of them."""
    if encoder.settings.binary and encoder.seen.is_whole:
        present = encoder.book.parts()[1].sum(axis=1)
        return float(sum(encoder.book.items)), present, present
    found: tuple[float, Floats, Floats] = engine.reduce(_sums_of, parts, _add)
    return found


def _sums_of(part: Part, arguments: tuple[Any, ...], shared: Any) -> tuple[float, Floats, Floats] | None:
    block = part.read(*arguments)
    return word_sums(block.X, block.weight) if block.size else None


def _add(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(left, right, strict=True))


@dataclass(frozen=True)
class Lookup:
    """The words with these hashes as columns; each process has a dictionary of its own."""

    settings: TextSettings
    hashes: bytes

    @cached_property
    def dictionary(self) -> Dictionary:
        """The words, in the core."""
        return dictionary_of(self.settings, self.hashes, 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return Lookup, (self.settings, self.hashes)


@dataclass(frozen=True)
class LookUpTexts:
    """Reads the texts of a part as rows of their words, with places in `classes` as labels."""

    part: Part
    lookup: Lookup
    classes: tuple[Any, ...]

    def __call__(self, *arguments: Any) -> Block:
        """Return the rows."""
        block, dictionary = self.part.read(*arguments), self.lookup.dictionary
        if not block.size:
            return Block(np.zeros((0, len(dictionary))), np.zeros(0, np.intp))
        texts, labels, members, weights = check_examples(block.X, block.y, block.weight)
        place = {label: k for k, label in enumerate(self.classes)}
        kept = [i for i, c in enumerate(members) if labels[c] in place]  # of others all weights are 0
        y = np.array([place[labels[members[i]]] for i in kept], np.intp)
        X = csr_of(dictionary.rows([texts[i] for i in kept]), len(dictionary))
        return Block(X, y, None if weights is None else np.array(weights)[kept])


@dataclass(frozen=True)
class WeighRows:
    """Weighs the words of rows as they are read."""

    load: Callable[..., Any]
    weighing: Weighing

    def __call__(self, *arguments: Any) -> Block:
        """Return the weighed rows."""
        block: Block = self.load(*arguments)
        return block._replace(X=self.weighing.rows(block.X)) if block.size else block

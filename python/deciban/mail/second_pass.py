"""Filters of models that need a second pass over the examples: the linear ones, and the choice among all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..data.text_layout import NAIVE_BAYES
from ..text.choice import Tried, choose, told
from ..text.corpus import Corpus, Read
from ..text.recipes import AnyText, Recipe
from .filter import Filter

if TYPE_CHECKING:
    from ..networks.training import Watch


def relearnt(
    counted: Filter, read: Read, recipe: Recipe, n_jobs: int | None = None, watch: Watch | None = None
) -> Filter:
    """The filter of the examples that `counted` knows, learnt by `recipe`; `read` gives their items once more, and
    `watch` is told of each epoch of a network."""
    return Filter(recipe.learn(_examples(counted, read), n_jobs=n_jobs, watch=watch), counted.ledger)


def chosen(
    counted: Filter,
    read: Read,
    contenders: Sequence[Recipe],
    time_limit: float | None,
    n_jobs: int | None = None,
    tell: Callable[[Tried], None] = lambda tried: None,
) -> tuple[Filter, list[Tried]]:
    """The filter learnt by the simplest good one of `contenders`, the first of which `counted` was learnt by."""
    examples = _examples(counted, read)
    recipe, tried = choose(examples, contenders, time_limit, n_jobs, tell)
    if recipe.model == NAIVE_BAYES:
        learnt: AnyText = counted.model
    else:
        learnt = recipe.learn(examples, n_jobs=n_jobs)
    return Filter(learnt.with_choice(told(recipe.model, tried)), counted.ledger), tried


def _examples(counted: Filter, read: Read) -> Corpus:
    model, ledger = counted.model, counted.ledger
    return Corpus.of_known(read, model.settings.reader(), model.classes, ledger.digests, ledger.classes)

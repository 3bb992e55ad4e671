"""Two text classifiers as one: learning is +, where a model is its counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from deciban.data.estimator import clone
from deciban.data.validation import check_is_fitted
from deciban.threads import OnThreads

from ..data.labels import union
from .model import TextModel


class Merges(OnThreads):
    """`a + b` and `sum(classifiers)` for a `TextClassifier` of naive Bayes."""

    def __add__(self, other: object) -> Self:
        """Return the classifier of the texts of both, to the last bit; both must have the same parameters.

        Where more distinct words were met than `TextSettings.max_words`, the rarest are dropped, and the words of one
        that the other may have met without counting them. ValueError for models that are learnt by minimising, which
        have no counts to add.
        """
        if not isinstance(other, type(self)):
            return NotImplemented
        mine, theirs = (_require_counts(each) for each in (self, other))
        _refuse_different(_key(mine), _key(theirs))
        classes = union([*mine.classes], [*theirs.classes])
        both = mine.with_classes(classes).merge(theirs.with_classes(classes))
        one: Any = self
        two: Any = other
        merged = clone(one)
        merged._become(both, one._seconds + two._seconds)
        merged.tried_ = []
        found: Self = merged
        return found

    def __radd__(self, other: object) -> Self:
        """Return the classifier itself for 0, with which `sum(classifiers)` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented


def _require_counts(estimator: Any) -> TextModel:
    check_is_fitted(estimator, "model_")
    found = estimator.model_
    if isinstance(found, TextModel):
        return found
    raise ValueError(
        f"cannot add models of {found.name!r}, which are learnt by minimising over all texts at once. Expected models "
        "that count, which is 'naive-bayes'. Fit one model with all the texts, or choose model='naive-bayes'."
    )


def _key(model: TextModel) -> Mapping[str, Any]:
    """Return how a model reads and learns: what two must have in common. Of pseudo-counts that were chosen, the sum has
    the larger."""
    own = model.settings.to_json()
    alpha = "chosen by texts" if model.settings.chosen else own["alpha"]
    return {**model.encoder.settings.to_json(), **own, "alpha": alpha}


def _refuse_different(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    for name, value in mine.items():
        if value != theirs.get(name):
            raise ValueError(f"cannot merge models of different {name}: {value!r} and {theirs.get(name)!r}")

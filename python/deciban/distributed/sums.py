"""Models that are sums: a part's statistics come from one pass over it, and add up in any order to the same bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..data.estimator import clone
from ..errors import DataError
from ..models.left_out import check_calibration
from .engines import Engine
from .parts import Block, Part, PartError, Shape


class Found(NamedTuple):
    """The statistics of some parts, and what their rows look like."""

    shape: Shape
    value: Any


@dataclass(frozen=True)
class Sum:
    """An estimator whose state is a sum: `partial_fit` counts a part, + adds, and the state of all is its own."""

    estimator: Any

    def count(self, block: Block) -> Any:
        """Return the statistics of a part."""
        return clone(self.estimator).partial_fit(block.X, block.y, **_weighted(block))

    def add(self, left: Any, right: Any) -> Any:
        """Return the statistics of both."""
        return left + right

    def finish(self, total: Any) -> dict[str, Any]:
        """Return the fitted attributes."""
        return fitted_attributes(total)

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> Found | None:
        """Return what a part holds; None of an empty one."""
        block = part.read(*arguments)
        if not block.size:
            return None
        with part.naming():
            return Found(Shape.of(part, block.X), self.count(block))

    def combine(self, left: Found, right: Found) -> Found:
        """Return what both hold."""
        left.shape.require_same(right.shape)
        try:
            return Found(left.shape, self.add(left.value, right.value))
        except PartError:
            raise
        except MemoryError as error:
            raise DataError(
                "the statistics of all partitions do not fit into memory. Expected room for a number for each class "
                "and feature. Use fewer features: max_features does not help here, hashed_bits does."
            ) from error
        except ValueError as error:
            raise PartError(f"{left.shape.said} and {right.shape.said}: {error}") from error

    def total(self, engine: Engine, parts: list[Part]) -> Any:
        """Return the statistics of all parts."""
        total = engine.reduce(self, parts, self.combine)
        if total is None:
            raise DataError(
                f"all {len(parts)} partitions are empty. Expected rows in one at least. Check the path, or the filter."
            )
        return total.value

    def fit(self, engine: Engine, parts: list[Part]) -> dict[str, Any]:
        """Return the fitted attributes of the estimator for all parts."""
        return self.finish(self.total(engine, parts))


def fitted_attributes(model: Any) -> dict[str, Any]:
    """Return what a fitted estimator has besides its parameters."""
    known = model.get_params(deep=False)
    return {name: value for name, value in vars(model).items() if name not in known}


def _weighted(block: Block) -> dict[str, Any]:
    return {} if block.weight is None else {"sample_weight": np.asarray(block.weight)}


class GenerativeSum(Sum):
    """A model of p(x | c), compiled at the end as `fit` does; where it is calibrated, a second pass draws the rows that
    calibrate it."""

    def fit(self, engine: Engine, parts: list[Part]) -> dict[str, Any]:
        """Return the fitted attributes of the estimator for all parts."""
        check_calibration(self.estimator.calibration)
        total = self.total(engine, parts)
        if total.calibration is not None:
            total._calibrate_by(engine.reduce(self.draw, parts, _join, total))
        return self.finish(total)

    def draw(self, part: Part, arguments: tuple[Any, ...], model: Any) -> Any:
        """Return those rows of a part which calibrate a model."""
        block = part.read(*arguments)
        if not block.size:
            return None
        with part.naming():
            return model._draw(self.rows(block.X), block.y, block.weight)

    def count(self, block: Block) -> Any:
        """Return the statistics of a part."""
        return super().count(block._replace(X=self.rows(block.X)))

    def rows(self, X: Any) -> Any:
        """Return rows as the estimator takes them."""
        return X

    def finish(self, total: Any) -> dict[str, Any]:
        """Return the fitted attributes."""
        if total._compiled is None:
            total._compiled, total._choice = total._compile(), None
        if hasattr(total, "_covariances"):  # none were estimated from rows
            total._covariances = None
        return super().finish(total)


def _join(left: Any, right: Any) -> Any:
    return left + right


class OfTexts(NamedTuple):
    """Counts of words, and the texts by which a model is calibrated."""

    model: Any
    sample: dict[bytes, tuple[str | bytes, dict[Any, float]]]


@dataclass(frozen=True)
class TextSum(Sum):
    """Naive Bayes of texts: all words are counted, without a bound, and the rarest are dropped at the end, if at all.

    The texts that calibrate it are those of lowest digest, which are the same in whatever parts they come.
    """

    recipe: Any

    def count(self, block: Block) -> OfTexts:
        """Return the counts of a part, and its texts of lowest digest."""
        from ..text.learning_on import check_examples

        texts, labels, members, weights = check_examples(block.X, block.y, block.weight)
        counted = self.estimator._count_all(self.recipe, texts, labels, members, weights, bounded=False)
        if self.estimator.calibration is None:
            return OfTexts(counted, {})
        from ..text.left_out import Sample

        sample = Sample.of(self.recipe.settings.reader(), texts, members, weights)
        return OfTexts(counted, sample.by_label(labels))

    def add(self, left: OfTexts, right: OfTexts) -> OfTexts:
        """Return the counts and texts of both."""
        from ..data.labels import union
        from ..text.left_out import merge_held

        classes = union([*left.model.classes], [*right.model.classes])
        both = left.model.with_classes(classes).merge(right.model.with_classes(classes), bounded=False)
        return OfTexts(both, merge_held(left.sample, right.sample))

    def finish(self, total: OfTexts) -> dict[str, Any]:
        """Return the fitted attributes."""
        from ..text.learning_on import one_class
        from ..text.left_out import Sample

        model = total.model.within_bound()
        if len(model.classes) < 2:
            raise DataError(one_class(model.classes))
        if self.estimator.calibration is not None:
            model = model.calibrate(Sample.of_labels(self.recipe.settings.reader(), total.sample, model.classes))
        fitted = clone(self.estimator)
        fitted._become(model, 0.0)
        fitted.tried_ = []
        return super().finish(fitted)


@dataclass(frozen=True)
class InformationSum(Sum):
    """Mutual information: a table of how often each value of each feature comes with each class."""

    def count(self, block: Block) -> tuple[Any, Any]:
        """Return a selector that knows the names of the features, and the table of a part."""
        selector = clone(self.estimator)
        return selector, selector.count_values(block.X, block.y, block.weight)

    def add(self, left: Any, right: Any) -> Any:
        """Return the table of both."""
        return left[0], left[1] + right[1]

    def finish(self, total: Any) -> dict[str, Any]:
        """Return the fitted attributes."""
        selector, table = total
        return super().finish(selector.fit_to_table(table))

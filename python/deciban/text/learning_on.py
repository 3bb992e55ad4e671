"""Texts that a fitted classifier learns on, and texts that it forgets: exactly, where a model can."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.validation import check_classification_targets, check_is_fitted, column_or_1d

from ..data.labels import plain, union
from ..data.samples import check_sample_weight
from ..data.text_layout import NAIVE_BAYES, ONLINE
from ..data.transaction import all_or_nothing
from .corpus import Corpus
from .counting import list_texts, occurrences
from .experts import SETTLED_AT
from .model import Bayes, TextModel
from .online import OnlineText
from .parameters import recipe_of
from .recipes import Recipe
from .restoring import AnyText
from .served import ServedText
from .word_sets import Lesson, word_sets

Given = tuple[list[str | bytes], list[Any], list[int], list[float] | None]
"""Texts, the sorted labels, the place of each text's label among them, the weights."""


LEARN_ON = (NAIVE_BAYES, ONLINE)


class LearnsOn:
    """`partial_fit` and `forget` of a `TextClassifier`.

    A model that learns online takes a step for each text, and is solved anew of all of them when they are a twentieth
    more, or when it is looked at; `_lessons` are those that it was not solved with yet.
    """

    served_: Any
    model: str
    _model: AnyText
    _lessons: list[Lesson]

    @property
    def model_(self) -> AnyText:
        """The fitted model, of all texts that were learnt."""
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no 'model_' yet: call fit first")
        if self._lessons:
            with all_or_nothing(self):
                self._solve(self._model.classes, self._lessons)
        return self._model

    def __getstate__(self) -> Any:
        """The fields; what was learnt on is in the model."""
        if "_model" in self.__dict__:
            _ = self.model_
        state: Any = super().__getstate__()
        return state

    def partial_fit(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more texts; new labels make new classes, and new words enter the dictionary.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        TextClassifier
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If the model is neither naive Bayes nor online; if the first texts of an online one are of one class.
        """
        with all_or_nothing(self):
            recipe = recipe_of(self, NAIVE_BAYES if self.model == "auto" else self.model)
            if recipe.model not in LEARN_ON:
                raise ValueError(_cannot("partial_fit", recipe.model))
            given, known = check_examples(texts, y, sample_weight), self.__dict__.get("_model")
            if known is None and recipe.model == ONLINE:
                self._begin(recipe, given)
            elif isinstance(known, OnlineText):
                self._step(known, given)
            else:
                self._add(recipe, given)
        return self

    def _add(self, recipe: Recipe, given: Given) -> None:
        """Add the counts of some texts."""
        started, known = perf_counter(), self._counts("partial_fit") if "_model" in self.__dict__ else None
        more = self._count_all(recipe, *given, bounded=known is None)
        if known is not None:
            classes = union([*known.classes], [*more.classes])
            more = known.with_classes(classes).plus(more.with_classes(classes))
        self._become(more, perf_counter() - started)

    def _begin(self, recipe: Recipe, given: Given) -> None:
        """Learn the first texts online."""
        started, (texts, labels, members, weights) = perf_counter(), given
        corpus = Corpus.of_texts(texts, recipe.settings.reader(), labels, members, weights).without_empty()
        if len(corpus.classes) < 2:
            raise ValueError(one_class(corpus.classes))
        self._become(recipe.learn(corpus), perf_counter() - started)

    def _step(self, known: OnlineText, given: Given) -> None:
        """Learn more texts online: a step for each, or all anew."""
        classes = union([*known.classes], given[1])
        lessons = _lessons_of(known, given, classes)
        if [*known.classes] == classes and len(self._lessons) + len(lessons) <= SETTLED_AT * len(known.examples.y):
            self.served_.learn(lessons)
            self._lessons = [*self._lessons, *lessons]
            return
        place = [classes.index(label) for label in known.classes]
        self._solve(classes, [*(each._replace(label=place[each.label]) for each in self._lessons), *lessons])

    def _solve(self, classes: Sequence[Any], lessons: Sequence[Lesson]) -> None:
        """Learn anew what was learnt, with some more lessons."""
        started, known = perf_counter(), self._model
        assert isinstance(known, OnlineText)
        place = np.array([classes.index(label) for label in known.classes], np.int64)
        model = known.revised(np.arange(len(known.examples.y)), place[known.examples.y], lessons, classes)
        self._become(model, perf_counter() - started)

    def forget(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back texts that were learnt under these labels; a class with nothing left goes, too.

        Of naive Bayes, other texts that were never learnt are not noticed: counts do not tell which texts they come
        from (the ledger of the command does). An online model knows each text.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            The weights with which they were learnt.

        Returns
        -------
        TextClassifier
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If the model is neither naive Bayes nor online, or a label was never learnt.
        DataError
            If a text was never learnt, as far as that can be told: of naive Bayes, if a class or a word would be
            counted less than 0 times, or a word in more texts than are left. The model is unchanged then.
        """
        check_is_fitted(self, "served_")
        with all_or_nothing(self):
            known, given = self.model_, check_examples(texts, y, sample_weight)
            unknown = [label for label in given[1] if label not in known.classes]
            if unknown and known.name in LEARN_ON:
                raise ValueError(f"labels that were learnt are expected, {list(known.classes)}; got {unknown}")
            if isinstance(known, OnlineText):
                self._become(known.without(_lessons_of(known, given, known.classes)), 0.0)
            else:
                counts = self._counts("forget")
                less = self._count_all(recipe_of(self, NAIVE_BAYES), *given, bounded=False)
                self._become(counts.minus(less.with_classes(counts.classes)).without_empty(), 0.0)
        return self

    def _count_all(
        self,
        recipe: Recipe,
        texts: list[str | bytes],
        labels: list[Any],
        members: list[int],
        weights: list[float] | None,
        bounded: bool = True,
    ) -> TextModel:
        assert isinstance(recipe.learner, Bayes)
        seen = occurrences(recipe.settings, texts, members, len(labels), weights, bounded=bounded)
        return TextModel.of(recipe.settings, recipe.learner, labels, seen)

    def _counts(self, verb: str) -> TextModel:
        """Return what was learnt, if it can learn on."""
        if not isinstance(self._model, TextModel):
            raise ValueError(_cannot(verb, self._model.name))
        return self._model

    def _become(self, model: AnyText, seconds: float, served: ServedText | None = None) -> None:
        served = served or model.compile()
        self._model, self._lessons, self.served_, self._seconds = model, [], served, seconds
        self.classes_ = np.array(model.classes)


def check_examples(texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None) -> Given:
    """Return the texts, the sorted labels, the place of each text's label among them, the weights."""
    texts, given = list_texts(texts), plain(column_or_1d(y))
    if len(texts) != len(given):
        raise ValueError(f"one label per text is expected; there are {len(texts)} texts and {len(given)} labels")
    if not texts:
        raise ValueError("at least one text is expected")
    check_classification_targets(given)
    labels, members = np.unique(given, return_inverse=True)
    weights = None if sample_weight is None else check_sample_weight(sample_weight, texts).tolist()
    return texts, labels.tolist(), members.tolist(), weights


def one_class(classes: Sequence[Any]) -> str:
    return f"at least two classes are expected; all labels are {classes[0]!r}"


def _cannot(verb: str, model: str) -> str:
    return (
        f"{verb} needs a model that counts or learns online, and {model!r} is learnt by minimising over all texts at "
        "once: call fit with all of them, or choose model='naive-bayes' or 'online'"
    )


def _lessons_of(known: OnlineText, given: Given, classes: Sequence[Any]) -> list[Lesson]:
    """Return texts as sets of words, of classes by their places among `classes`; ValueError where words were left out,
    as nobody knows which of them more texts would bring in."""
    settings, (texts, labels, members, weights) = known.encoder.settings, given
    if known.encoder.dropped or settings.max_features is not None or settings.hashed_bits is not None:
        raise ValueError("to learn on or to forget, a model with max_features=None and hashed_bits=None is expected")
    place = [classes.index(label) for label in labels]
    often = [1.0] * len(texts) if weights is None else weights
    each = zip(word_sets(settings, texts), members, often, strict=True)
    return [Lesson(words, place[k], weight) for words, k, weight in each if weight]

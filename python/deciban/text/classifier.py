"""Texts to labels, with the evidence: the estimator behind the command."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .. import store
from ..scores import log_posterior
from ..trust.certificate import Certificate
from ..trust.credible import interval
from ..verdict import TextExplanation
from .counting import count, listed
from .model import Bayes, TextModel
from .parameters import settings_of
from .served import ServedText


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Labelled texts to a classifier that learns on, unlearns and explains.

        log p(c | text) = log π_c + Σ_words x_j log φ_jc − log Σ_c' (the same of c')

    Naive Bayes over the words of the text (`likelihood="multinomial"`), or over which words of the dictionary
    are there and which are not ("bernoulli"). Every word ever seen is counted, so that the dictionary, too, is
    derived: learning in any order and any pieces gives the same model, and what is forgotten was never learnt,
    to the last bit.

    Parameters
    ----------
    model : "auto" or "naive-bayes".
    likelihood, alpha, estimate, class_prior : see `NaiveBayes`.
    words, max_features, hashed_bits, binary, kind, random_state, n_jobs : see `TextVectorizer`. The defaults are
        those that did best on held-out texts (`text.model.DEFAULTS`); those for mail stand there, too.

    Attributes: `classes_` (C,) sorted, `model_` the counts, `served_` the compiled score, `certificate_`.
    A text is a str, or bytes in any charset. `sample_weight` means repetition. Cost of a fit: one pass over the
    bytes on all cores.

    >>> texts = ["cheap pills now", "cheap loan now", "lunch at noon?", "see you at lunch"]
    >>> clf = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> clf.predict(["pills for lunch now"]).tolist()
    ['spam']
    >>> why = clf.explain(["cheap lunch"])[0]
    >>> [(term.term, round(term.decibans, 1)) for term in why.terms]
    [('cheap', 9.4), ('lunch', -8.3)]
    """

    def __init__(
        self,
        model: str = "auto",
        *,
        likelihood: str = "multinomial",
        alpha: float = 0.3,
        estimate: str = "bayes",
        class_prior: str | Sequence[float] = "fitted",
        words: tuple[int, int] = (1, 2),
        max_features: int | None = None,
        hashed_bits: int | None = None,
        binary: bool = True,
        kind: str = "text",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.likelihood = likelihood
        self.alpha = alpha
        self.estimate = estimate
        self.class_prior = class_prior
        self.words = words
        self.max_features = max_features
        self.hashed_bits = hashed_bits
        self.binary = binary
        self.kind = kind
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    # Learning is +, unlearning −.

    def fit(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn N texts with their labels y (N,) from nothing."""
        started = perf_counter()
        model = self._counted(texts, y, sample_weight)
        if len(model.classes) < 2:
            raise ValueError(f"at least two classes are expected; all labels are {model.classes[0]!r}")
        self._become(model, perf_counter() - started)
        return self

    def partial_fit(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more texts; new labels bring new classes, new words enter the dictionary."""
        started = perf_counter()
        more = self._counted(texts, y, sample_weight)
        if hasattr(self, "model_"):
            classes = _union([*self.model_.classes], [*more.classes])
            both = self.model_.with_classes(classes).plus(more.with_classes(classes).book)
            more = replace(both, dropped=both.dropped + more.dropped)
        self._become(more, perf_counter() - started)
        return self

    def forget(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back what was learnt of these texts under these labels; a class with nothing left goes too."""
        check_is_fitted(self, "model_")
        less = self._counted(texts, y, sample_weight)
        unknown = [label for label in less.classes if label not in self.model_.classes]
        if unknown:
            raise ValueError(f"labels that were learnt are expected, {list(self.model_.classes)}; got {unknown}")
        self._become(self.model_.minus(less.with_classes(self.model_.classes).book).without_empty(), 0.0)
        return self

    def _counted(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None) -> TextModel:
        texts, given = listed(texts), _plain(column_or_1d(y))
        if len(texts) != len(given):
            raise ValueError(f"one label per text is expected; there are {len(texts)} texts and {len(given)} labels")
        if not texts:
            raise ValueError("at least one text is expected")
        check_classification_targets(given)
        labels, members = np.unique(given, return_inverse=True)
        weights = None if sample_weight is None else _weights(sample_weight, len(texts))
        bayes = self._bayes()
        settings = bayes.vectors(settings_of(self))
        book, dropped = count(settings, texts, members.tolist(), len(labels), weights, self.n_jobs)
        return TextModel(settings, bayes, tuple(labels.tolist()), book, dropped)

    def _bayes(self) -> Bayes:
        if self.model not in ("auto", "naive-bayes"):
            raise ValueError(f"model must be 'auto' or 'naive-bayes', got {self.model!r}")
        prior = self.class_prior if isinstance(self.class_prior, str) else tuple(self.class_prior)
        return Bayes(self.likelihood, self.alpha, self.estimate, prior)

    def _become(self, model: TextModel, seconds: float, served: ServedText | None = None) -> None:
        served = served or model.compile(self.n_jobs)
        self.model_, self.served_, self._seconds = model, served, seconds
        self.classes_ = np.array(model.classes)

    # Judging is one affine score.

    def predict_joint_log_proba(self, texts: Iterable[str | bytes]) -> NDArray[np.float64]:
        """(N, C) log p(text, c), the score itself: its differences are log-odds and do not saturate."""
        check_is_fitted(self, "served_")
        return self.served_.scores(texts)

    def predict(self, texts: Iterable[str | bytes]) -> NDArray[Any]:
        """(N,) the label of the largest score; of equal ones the first in `classes_`."""
        winners = self.predict_joint_log_proba(texts).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def predict_log_proba(self, texts: Iterable[str | bytes]) -> NDArray[np.float64]:
        """(N, C) log p(c | text)."""
        return log_posterior(self.predict_joint_log_proba(texts))

    def predict_proba(self, texts: Iterable[str | bytes]) -> NDArray[np.float64]:
        """(N, C) p(c | text)."""
        return np.exp(self.predict_log_proba(texts))

    def credible_interval(self, texts: Iterable[str | bytes], level: float = 0.95) -> NDArray[np.float64]:
        """(N, 2) where the log-odds of the predicted label against its runner-up lie, in nats, with probability
        `level`, given how little was seen.

            mean ± z √variance of   log p(label | text, φ) − log p(runner-up | text, φ),      φ ~ p(φ | what was learnt)

        Mean and variance are exact, the shape is taken as normal. The centre is the posterior mean, which is more
        guarded than the difference of `predict_joint_log_proba`: `text.served.Belief` says why, how often the interval
        holds the truth, and that an alpha below 1/2 is taken as 1/2. An interval that contains 0, or lies below it,
        leaves the verdict open. ValueError for a level not between 0 and 1.

        >>> clf = TextClassifier().fit(["cheap pills", "cheap loan", "lunch at noon"], ["spam", "spam", "ham"])
        >>> clf.credible_interval(["cheap"]).round(1).tolist()
        [[-1.8, 8.9]]
        """
        check_is_fitted(self, "served_")
        moments = np.array([each for _, _, each in self.served_.judged(texts)]).reshape(-1, 2)
        return interval(moments[:, 0], moments[:, 1], level)

    def explain(self, texts: Iterable[str | bytes]) -> list[TextExplanation]:
        """Per text: the verdict, and the evidence word by word in decibans, with its places in the text."""
        check_is_fitted(self, "served_")
        return [self.served_.explain(text) for text in listed(texts)]

    @property
    def certificate_(self) -> Certificate:
        """What the fit minimised and how close it came: exactly, by counting."""
        check_is_fitted(self, "model_")
        return self.model_.certificate(self._seconds)

    # The file.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .deciban file, in one step."""
        check_is_fitted(self, "model_")
        store.write(path, self.model_.header(), self.model_.arrays(self.served_))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextClassifier:
        """The classifier in a .deciban file."""
        stored = store.read(path)
        model, served = TextModel.from_stored(stored), ServedText.from_stored(stored)
        settings, bayes = model.settings, model.bayes
        self = cls(
            "naive-bayes",
            likelihood=bayes.likelihood,
            alpha=bayes.alpha,
            estimate=bayes.estimate,
            class_prior=bayes.class_prior,
            words=settings.words,
            max_features=settings.max_features,
            hashed_bits=settings.hashed_bits,
            binary=settings.binary,
            kind=settings.kind,
            random_state=settings.key,
        )
        self._become(model, 0.0, served)
        return self


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels of an object array, which are of one type, as an array of that type."""
    if labels.dtype != object:
        return labels
    kinds = sorted({type(label).__name__ for label in labels})
    if len(kinds) > 1:
        raise ValueError(f"labels of one type are expected; got {' and '.join(kinds)}")
    return np.array(labels.tolist())


def _union(mine: list[Any], theirs: list[Any]) -> list[Any]:
    if len({isinstance(label, str) for label in mine + theirs}) > 1:
        raise ValueError(f"labels like those that were learnt are expected, {mine}; got {theirs}")
    return np.unique(np.array(mine + theirs)).tolist()  # type: ignore[no-any-return]


def _weights(weights: ArrayLike, n: int) -> list[float]:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"sample_weight of {n} numbers, one per text, is expected; its shape is {values.shape}")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise ValueError(f"sample_weight from 0 is expected; that of text {wrong[0]} is {values[wrong[0]]}")
    return values.tolist()  # type: ignore[no-any-return]

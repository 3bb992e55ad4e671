"""What a fitted text classifier says of texts: scores, labels, probabilities, intervals, reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..certificates.credible import interval
from ..scores import log_posterior
from ..verdict import TextExplanation, places_of
from .counting import listed
from .served import ServedText


class Predicts:
    """The methods of `TextClassifier` that read texts and learn nothing: all by its compiled score `served_`."""

    served_: ServedText
    classes_: NDArray[Any]

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

            log-odds ± z √variance,      P(|Z| ≤ z) = level,  Z ~ N(0, 1)

        The variance is that of the posterior of which the log-odds take the means, for words whose errors are
        correlated; the interval is wider where examples are few, alike, or agree little about the class of a word.
        `text.belief.Belief` has the formulas and how often verdicts that it bears out are wrong. An interval that
        contains 0 leaves the verdict open. ValueError for a level not between 0 and 1, AttributeError for a linear
        model.

        >>> from deciban import TextClassifier
        >>> clf = TextClassifier().fit(["cheap pills", "cheap loan", "lunch at noon"], ["spam", "spam", "ham"])
        >>> clf.credible_interval(["cheap"]).round(1).tolist()
        [[-48.6, 53.8]]
        """
        check_is_fitted(self, "served_")
        if self.served_.belief is None:
            raise AttributeError(
                "a credible interval needs a model that counts, and this one was learnt by minimising: "
                "fit with model='naive-bayes'"
            )
        odds = [(s[label] - s[rival], each) for s, (label, rival), each in self.served_.judged(texts)]
        centre, variance = np.array(odds, dtype=np.float64).reshape(-1, 2).T
        return interval(centre, variance, level)

    def explain(self, texts: Iterable[str | bytes], pair: tuple[Any, Any] | None = None) -> list[TextExplanation]:
        """Per text: the verdict, or that of the labels `pair`, the first against the second, and the evidence word by
        word in decibans, with its places in the text."""
        check_is_fitted(self, "served_")
        return [self.served_.explain(text, pair=places_of(pair, self.classes_.tolist())) for text in listed(texts)]

"""What a fitted text classifier says of texts: scores, labels, probabilities, intervals, reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.validation import check_is_fitted

from ..certificates.intervals import credible_interval
from ..scores import log_posterior, posterior
from ..verdict import Explanation, Pair, places_of
from .counting import from_arrow, list_texts
from .served import ServedText


class Predicts:
    """The methods of `TextClassifier` that read texts and learn nothing: all by its compiled score `served_`."""

    served_: ServedText
    classes_: NDArray[Any]

    def predict_joint_log_proba(self, texts: Iterable[str | bytes]) -> NDArray[np.float64]:
        """Return the score of each class: differences are log-odds, which no number of examples bounds.

        Of naive Bayes it is log p(text, c), or with calibration A · log p(text, c) + b_c.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Scores, in nats.
        """
        check_is_fitted(self, "served_")
        return self.served_.joint(from_arrow(texts))

    def predict(self, texts: Iterable[str | bytes]) -> NDArray[Any]:
        """Predict the label of the largest score; of equal ones the first in `classes_`.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        winners = self.predict_joint_log_proba(texts).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def predict_log_proba(self, texts: Iterable[str | bytes]) -> NDArray[np.float64]:
        """Return the log probability of each class, of calibrated models as far as n examples of C classes can tell.

            log (n p_c + 1/C) / (n + 1),      p = softmax of `predict_joint_log_proba`

        The estimate of Krichevsky & Trofimov, IEEE Transactions on Information Theory 27, 1981, for two classes: where
        all n were right, the next may be wrong with probability ½/(n + 1).

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities log p(c | text).
        """
        check_is_fitted(self, "served_")
        return log_posterior(self.served_.scores(from_arrow(texts)))

    def predict_proba(self, texts: Iterable[str | bytes]) -> NDArray[np.float64]:
        """Return the probability of each class: see `predict_log_proba`.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities p(c | text).
        """
        check_is_fitted(self, "served_")
        return posterior(self.served_.scores(from_arrow(texts)))

    def credible_interval(self, texts: Iterable[str | bytes], level: float = 0.95) -> NDArray[np.float64]:
        """Return a credible interval of the log-odds of the predicted label against its runner-up.

            log-odds ± z √variance,      P(|Z| ≤ z) = level,  Z ~ N(0, 1)

        The variance is that of the posterior of which the log-odds take the means, for words whose errors are
        correlated; the interval is wider where examples are few, alike, or agree little about the class of a word. An
        interval that contains 0 leaves the verdict open.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.
        level : float, default=0.95
            Probability that the interval contains the log-odds.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Ends of the interval, in nats.

        Raises
        ------
        ValueError
            If `level` is not between 0 and 1.
        AttributeError
            If the model is not naive Bayes.

        Examples
        --------
        >>> from deciban import TextClassifier
        >>> clf = TextClassifier().fit(["cheap pills", "cheap loan", "lunch at noon"], ["spam", "spam", "ham"])
        >>> clf.credible_interval(["cheap"]).round(1).tolist()
        [[-42.3, 46.5]]
        """
        check_is_fitted(self, "served_")
        if self.served_.belief is None:
            raise AttributeError(
                "a credible interval needs a model that counts, and this one was learnt by minimising: "
                "fit with model='naive-bayes'"
            )
        odds = [(s[label] - s[rival], each) for s, (label, rival), each in self.served_.judged(from_arrow(texts))]
        centre, variance = np.array(odds, dtype=np.float64).reshape(-1, 2).T
        return credible_interval(centre, variance, level)

    def explain(self, texts: Iterable[str | bytes], *, pair: Pair | None = None) -> list[Explanation]:
        """Explain the predictions of texts: the evidence word by word, with its places in the text.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second. By default it is for the winner against its
            runner-up.

        Returns
        -------
        list of Explanation
            The explanation of each text, in decibans.
        """
        check_is_fitted(self, "served_")
        return [self.served_.explain(text, pair=places_of(pair, self.classes_.tolist())) for text in list_texts(texts)]

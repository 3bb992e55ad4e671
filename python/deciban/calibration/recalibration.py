"""Feedback on a calibrated model: the calibrator follows it, the model stays."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.data.validation import check_is_fitted
from deciban.solvers.limits import check_positive
from deciban.threads import OnThreads

from .calibrator import Calibrator
from .examples import examples
from .feedback import Feedback, FeedbackLoss
from .targets import Floats, log_loss


class LearnsFromFeedback(OnThreads):
    """A calibrated model whose calibrator learns from the labels that turn out later."""

    half_life: float | None
    classes_: NDArray[Any]
    calibrator_: Calibrator
    feedback_: Feedback
    suffered_: FeedbackLoss | None
    _frozen: Calibrator

    def scores(self, X: Rows) -> Floats:
        raise NotImplementedError

    @property
    def _margins(self) -> bool:
        raise NotImplementedError

    def recalibrate(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Update the calibrator by feedback; the model stays as it is.

        The examples come in their order, after those of earlier calls. The calibrator becomes what its method fits to
        all it has ever seen, discounted by the half-life: no other curve of its family has a lower log loss on the
        recent past. It forgets an example once it counts less than a millionth. Any split into calls leaves the same
        calibrator, to the last bit where weights are whole numbers.

        With `half_life=None` it is the fit to all examples at once, and on examples from one distribution it converges
        as the fit to as many does. It follows the leader, whose regret is at most Σ_t ℓ_t(θ_t) − ℓ_t(θ_{t+1}) (Lemma
        2.1, Shalev-Shwartz, Found. Trends Mach. Learn. 4, 2012), but for what the correction of the targets changes,
        1/n each. `suffered_` is the loss of every example before the calibrator was fitted to it (Dawid, J. R. Stat.
        Soc. A 147, 1984), and its loss without any feedback; all examples of a call are classified before the
        calibrator is fitted to any of them. The cost is one prediction, and a fit of one curve a class to at most 20
        half-lives of scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, as the model takes them.
        y : array-like of shape (n_samples,)
            Their labels, among `classes_`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight means repetition, one after the other.

        Returns
        -------
        estimator
            The classifier itself.

        Raises
        ------
        ValueError
            If a label is unknown to the model; nothing changes then.
        """
        check_is_fitted(self)
        with all_or_nothing(self):
            half_life = self._half_life()
            given = examples(X, y, sample_weight)
            unknown = sorted(set(given.classes.tolist()) - set(self.classes_.tolist()), key=str)
            if unknown:
                raise ValueError(
                    f"y holds {unknown}, which no class is; classes are {self.classes_.tolist()}: fit anew"
                )
            if not len(given.y):
                return self
            scores = self.scores(given.X)
            places = np.searchsorted(self.classes_, given.labels).astype(np.intp)
            now = [log_loss(judge(scores), places, given.weight) for judge in (self.calibrator_, self._frozen)]
            self.suffered_ = (self.suffered_ or FeedbackLoss()).more(float(given.weight.sum()), *now)
            self.feedback_ = told = self.feedback_.more(scores, places, given.weight, half_life)
            kind = type(self.calibrator_)
            self.calibrator_ = kind.fit(told.scores, told.y, told.worth(half_life), margins=self._margins)
        return self

    def _half_life(self) -> float | None:
        return None if self.half_life is None else check_positive("half_life", self.half_life)

"""Any classifier with probabilities that mean what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.attached import FindsLabelErrors
from deciban.certificates.bound import Probabilities
from deciban.certificates.guarantees import note_recalibration
from deciban.data.capacity import require_room
from deciban.data.classifier import Classifier
from deciban.data.declared_types import Estimator, parameters
from deciban.data.devices import answers, fetch
from deciban.data.estimator import clone
from deciban.data.fit_parameters import is_routing_enabled
from deciban.data.folds import Places, Split, folds_of_any, splits_of
from deciban.data.mixins import ClassifierMixin
from deciban.data.offered import offer_unless
from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.data.validation import check_is_fitted
from deciban.solvers.limits import draw_seed
from deciban.verdict import Explanation, Pair, places_of

from ..calibration.calibrator import CATALOGUE
from ..calibration.choice import CandidateLoss, choose_best, compare_calibrators
from ..calibration.examples import ExamplesOfAny, as_indexable, check, check_together, examples
from ..calibration.feedback import Feedback
from ..calibration.out_of_fold import OutOfFold
from ..calibration.recalibration import LearnsFromFeedback
from ..calibration.responses import floor, response, score_with, without_calibration
from ..calibration.splitting import Folds, Splitter, check_folds, describe_folds, splits
from ..calibration.targets import Floats
from .explaining import explanations, in_units
from .routing import RoutesMetadata

if TYPE_CHECKING:
    from sklearn.utils import Tags

# Of so many parts one is held out.
_PARTS = 5


def _mute(calibrated: Any) -> str:
    """Return why there are no explanations, or nothing."""
    model = calibrated._model()
    if hasattr(type(getattr(model, "estimator", model)), "explain"):
        return ""
    return f"explanations need a model of Deciban, which tells its terms; {type(model).__name__} tells none"


@parameters
class CalibratedClassifier(RoutesMetadata, LearnsFromFeedback, FindsLabelErrors, ClassifierMixin, Estimator):
    """A classifier with a calibrator behind it, fitted to scores of held-out examples.

        log p(c | x) = calibrator(s(x)),      s the classifier's margins or log-probabilities

    Margins are used where there are two classes, log-probabilities for more, if there are both. The decision is the
    class of the largest probability, of equal ones the first: `predict` and `predict_proba` never disagree, and of two
    classes the second is predicted exactly where its probability is above ½ and `decision_function` above 0. Platt
    (1999); Guo, Pleiss, Sun & Weinberger, ICML 2017.

    Parameters
    ----------
    model : classifier, optional
        Any classifier with `decision_function`, `predict_log_proba` or `predict_proba`, of Deciban or scikit-learn, of
        rows, data frames or texts; it is cloned. A calibration of its own that would be thrown away is left out. By
        default a `LinearSVM`; one that is fitted and shall stay so goes into scikit-learn's `FrozenEstimator`.
    method : {"auto", "temperature", "platt", "beta", "isotonic"}, default="auto"
        Calibrator of `deciban.calibration`; "auto" is that with the lowest log loss on held-out examples.
    cv : int, "held-out", splitter or iterable of (train, test), default=5
        Number of folds, each scored by a model fitted to the others; the final model is fitted to all. Or "held-out":
        the model is fitted to four fifths, the calibrator to the rest: one fit instead of cv + 1. Equal examples share
        a fold. Or a splitter of scikit-learn, such as `StratifiedKFold(3)` or, for `fit(X, y, groups=…)`,
        `GroupKFold()`; or pairs of indices, as splitters return them. A fold without which a class is missing is left
        out; where none is left, scores are taken as nats.
    half_life : float or None, default=1000.0
        Half-life of feedback: after so many examples more an example counts half; None: all count alike, for ever.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    estimator_ : classifier
        The fitted model.
    calibrator_ : Calibrator
        The fitted calibrator.
    method_ : str
        Its name.
    tried_ : list
        What "auto" tried, the best first.
    held_out_ : float
        Weight of the examples that the calibrator was fitted to.
    feedback_ : object
        Scores of the feedback that is remembered.
    suffered_ : object
        Loss on feedback; None before.
    certificate_ : Certificate
        Certificate of the model.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> X, y = [[float(i)] for i in range(12)], ["low"] * 5 + ["high", "low"] + ["high"] * 5
    >>> sure = CalibratedClassifier(NaiveBayes("gaussian"), "platt", cv=3).fit(X, y)
    >>> sure.predict([[1.0], [10.0]]).tolist(), sure.held_out_
    (['low', 'high'], 12.0)
    """

    model: Classifier | None = None
    method: str = "auto"
    _: KW_ONLY
    cv: int | str | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None = 5
    half_life: float | None = 1000.0
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        known = get_tags(self._model())
        tags.input_tags, tags.classifier_tags = known.input_tags, known.classifier_tags or tags.classifier_tags
        return tags

    def _model(self) -> Any:
        if self.model is not None:
            return self.model
        from deciban.models.linear_svm import LinearSVM

        model: Any = LinearSVM(random_state=self.random_state)
        return model.set_fit_request(sample_weight=True) if is_routing_enabled() else model

    # Learning.

    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the model, and the calibrator to its scores of held-out examples.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of str
            Examples, as the model takes them.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight means repetition. The model gets them, too: of a pipeline the last step. Where
            scikit-learn routes metadata, the model gets them if it requests them.
        **fit_params : dict
            Parameters of the `fit` of the model, such as `step__name=value` of a pipeline; `groups` is for the splitter
            `cv`. Arrays of N values are cut like X. Where scikit-learn routes metadata, they go to who requests them.

        Returns
        -------
        CalibratedClassifier
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If there is one class only, weights are given for a model that takes none, or parameters make no sense.

        Examples
        --------
        >>> from sklearn.pipeline import make_pipeline
        >>> from deciban import LinearSVM
        >>> from sklearn.preprocessing import StandardScaler
        >>> X, y = [[float(i)] for i in range(12)], ["low"] * 5 + ["high", "low"] + ["high"] * 5
        >>> model = CalibratedClassifier(make_pipeline(StandardScaler(), LinearSVM()), "platt", cv=3)
        >>> model.fit(X, y, sample_weight=[2] * 12).held_out_
        24.0
        """
        with all_or_nothing(self):
            cv, seed = self._folds(), draw_seed(self.random_state)
            self._half_life()
            check(self._model())
            given = examples(X, y, sample_weight)
            require_room(len(given.classes), 8.0 * len(given.y))
            check_together(self._model(), given)
            routed = self._route(sample_weight, fit_params)
            given = given.with_parameters(routed.model)
            if isinstance(cv, str):
                held = self._split(given, seed)
            else:
                held = self._cross(given, splits(given, cv, seed, routed.splitter))
            self._calibrate(held)
        return self

    def _split(self, given: ExamplesOfAny, seed: int) -> OutOfFold:
        """Return scores of the part that is held out, with folds of it for a choice."""
        [first, *_], C = splits_of(folds_of_any(given.X, _PARTS, seed), _PARTS), len(given.classes)
        if len(np.unique(given.y[first[0]])) < C:
            first = np.arange(len(given.y)), first[1][:0]
        self._become(given.fit_model(without_calibration(self._model(), C), first[0]), given)
        held = self._collect(given, [first], lambda inside: self.estimator_)
        return held._replace(fold=folds_of_any(given.X, _PARTS, seed + 1)[held.rows])

    def _cross(self, given: ExamplesOfAny, splits: list[Split]) -> OutOfFold:
        """Return scores of every example by models that did not learn it."""
        model = without_calibration(self._model(), len(given.classes))
        self._become(given.fit_model(clone(model), np.arange(len(given.y))), given)
        if model.get_params(deep=False).get("model") == "auto":  # a text classifier chooses once, from all examples
            model.set_params(model=self.estimator_.model_.name)
        return self._collect(given, splits, lambda inside: given.fit_model(clone(model), inside))

    def _collect(self, given: ExamplesOfAny, splits: list[Split], fit: Callable[[Places], Any]) -> OutOfFold:
        """Return the scores of each split by what `fit` makes of the examples inside."""
        C = len(given.classes)
        return OutOfFold.collect(
            splits,
            given.y,
            given.weight,
            C,
            lambda inside, outside: (score_with(fit(inside), self._response, given.take(outside)), False),
            1 if C == 2 and self._margins else C,
        )

    def _become(self, model: Any, given: ExamplesOfAny) -> None:
        self.estimator_, self.classes_ = model, given.classes
        if not np.array_equal(model.classes_, given.classes):
            raise ValueError(
                f"the model knows the classes {model.classes_.tolist()}, and the labels are {given.classes.tolist()}"
            )
        self._response = response(model, len(given.classes))
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def _calibrate(self, held: OutOfFold) -> None:
        scores, y, weight, rows, fold = held
        self._floor = floor(self._response, scores)
        scores = np.maximum(scores, self._floor)
        self.tried_: list[CandidateLoss] = (
            compare_calibrators(scores, y, weight, fold, self._margins, rows) if self.method == "auto" else []
        )
        kind = choose_best(self.tried_) if self.method == "auto" else CATALOGUE[self.method]
        self.method_, self.held_out_ = kind.name, float(weight.sum())
        self.calibrator_ = self._frozen = kind(len(self.classes_), margins=self._margins)
        if len(y):
            self.calibrator_ = self._frozen = kind.fit(scores, y, weight, margins=self._margins)
        self.feedback_ = Feedback.start(scores, y, weight)
        self.suffered_ = None

    @property
    def _margins(self) -> bool:
        return self._response == "decision_function"

    # Judging.

    def scores(self, X: Rows) -> Floats:
        """Return the scores of the model that the calibrator takes.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of str
            Examples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_scores)
            Margins in one column, or log-probabilities of each class.
        """
        check_is_fitted(self)
        s: Floats = np.maximum(score_with(self.estimator_, self._response, X), self._floor)
        return s

    @answers
    def predict_log_proba(self, X: Rows) -> Floats:
        """Return the calibrated log probability of each class.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of str
            Examples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities log p(c | x).
        """
        return self._log_p(X)

    def _log_p(self, X: Rows) -> Floats:
        s = self.scores(X)
        return self.calibrator_(s)

    @answers
    def predict_proba(self, X: Rows) -> Floats:
        """Return the calibrated probability of each class.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of str
            Examples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities p(c | x); the largest is that of `predict`.
        """
        return _exp(self._log_p(X))

    @answers
    def decision_function(self, X: Rows) -> Floats:
        """Return the calibrated log-odds of two classes, or log probabilities of more.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of str
            Examples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Log-odds in nats, > 0 for `classes_[1]`; log p(c | x) for more classes.
        """
        log_p = self._log_p(X)
        if len(self.classes_) > 2:
            return log_p
        p = _exp(log_p)
        odds: Floats = np.where(p[:, 0] == p[:, 1], 0.0, log_p[:, 1] - log_p[:, 0])
        return odds

    @answers
    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the label of the largest probability; of equal ones the first in `classes_`.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of str
            Examples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        winner = _exp(self._log_p(X)).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winner]
        return labels

    @offer_unless(_mute)
    def explain(self, X: Rows, *, pair: Pair | None = None) -> list[Explanation]:
        """Explain per example why the calibrated verdict and not the class that comes next, or the first label of
        `pair` and not the second, in calibrated decibans, strongest first; prior and terms sum to the log-odds.

        Where the calibrator is a line (of two classes "platt", and "temperature"), evidence is the model's, times the
        slope, and the prior takes the offset. Where it is not, evidence is the model's, times the temperature, and what
        the curve adds to that or takes away, which no feature says, is a term of its own, "(calibration)".
        """
        check_is_fitted(self)
        X, classes = as_indexable(fetch(X)), self.classes_.tolist()
        asked, log_p = places_of(pair, classes), self._log_p(X)
        order = np.argsort(-_exp(log_p), axis=1, kind="stable")
        pairs = [asked or (int(row[0]), int(row[1])) for row in order]
        return explanations(in_units(self.estimator_, self._response), X, log_p, pairs, classes, self.calibrator_)

    @property
    def certificate_(self) -> Any:
        """Certificate of the model; its bounds as far as the calibrated verdict has them."""
        check_is_fitted(self)
        how = Probabilities(
            f"{self.method_} on {describe_folds(self.cv)}", self.tried_[0].log_loss if self.tried_ else None
        )
        return note_recalibration(self.estimator_.certificate_, how, self.method_ != "temperature")

    def _folds(self) -> Folds:
        """Return the number of folds, "held-out", a splitter, or pairs."""
        if self.method != "auto" and not (isinstance(self.method, str) and self.method in CATALOGUE):
            raise ValueError(f"method must be 'auto', {', '.join(map(repr, CATALOGUE))}, got {self.method!r}")
        return check_folds(self.cv)


def _exp(log_p: Floats) -> Floats:
    """Return (N, C) probabilities; two that no rounding puts above ½ are ½ both, so that nobody can read a verdict into
    it."""
    p: Floats = np.exp(log_p)
    if p.shape[1] == 2:
        p[p.max(axis=1) <= 0.5] = 0.5
    return p

"""Any classifier with probabilities that mean what they say."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from deciban.attached import FindsLabelErrors
from deciban.certificates.bound import Probabilities
from deciban.certificates.guarantees import recalibrated
from deciban.data.declared_types import Estimator
from deciban.data.devices import answers, fetched
from deciban.data.fit_parameters import is_routing_enabled
from deciban.data.offered import offered_unless
from deciban.data.transaction import all_or_nothing
from deciban.scores import Explanation
from deciban.solvers.limits import seed_of
from deciban.verdict import TextExplanation, places_of

from ..calibration.calibrator import CATALOGUE, Calibrator
from ..calibration.choice import Tried, chosen, tried
from ..calibration.examples import Examples, brought, check, check_together, examples
from ..calibration.feedback import Feedback
from ..calibration.recalibration import LearnsFromFeedback
from ..calibration.responses import bare, floor, response, said
from ..calibration.splitting import Split, checked_folds, dealt, describe_folds, splits
from ..calibration.targets import Floats
from .explaining import explanations, in_units
from .routing import RoutesMetadata

# Of so many parts one is held out.
_PARTS = 5


def _mute(calibrated: Any) -> str:
    """Why there are no explanations, or nothing."""
    model = calibrated._model()
    if hasattr(type(getattr(model, "estimator", model)), "explain"):
        return ""
    return f"explanations need a model of Deciban, which tells its terms; {type(model).__name__} tells none"


class CalibratedClassifier(RoutesMetadata, LearnsFromFeedback, FindsLabelErrors, ClassifierMixin, Estimator):  # type: ignore[misc]
    """A classifier, and behind it a calibrator that learnt from examples which the classifier did not learn.

        log p(c | x) = calibrator(s(x)),      s the classifier's margins or log-probabilities

    Parameters
    ----------
    model : any classifier with `decision_function`, `predict_log_proba` or `predict_proba`, of Deciban or scikit-learn,
        of rows, data frames or texts; it is cloned. A calibration of its own that would be thrown away is left out.
        None is a `LinearSVM`; one that is fitted and shall stay so goes into scikit-learn's `FrozenEstimator`.
    method : "temperature", "platt", "beta" or "isotonic" (`deciban.calibration`), or "auto": that with the lowest log
        loss on examples that neither the model nor the calibrator learnt.
    cv : so many folds, each scored by a model that learnt the others; the model that judges learns all (Platt 1999);
        None is 5. Or "held-out": the model learns four fifths, the calibrator the rest: one fit instead of cv + 1.
        Equal examples share a fold. Or a splitter of scikit-learn, such as `StratifiedKFold(3)` or, for `fit(X, y,
        groups=…)`, `GroupKFold()`; or pairs of places, to learn and to hold out, as splitters give them. A fold without
        which a class is missing is left out; where none is left, scores are taken as nats.
    half_life : of feedback: after so many examples more an example counts half; None: all count alike, for ever.
    random_state : the seed of the folds.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Margins are asked for where there are two classes, log-probabilities for more, if there are both. The decision is
    the class of the largest probability, of equal ones the first: `predict` and `predict_proba` never disagree, and of
    two classes the second has it exactly where its probability is above ½ and `decision_function` above 0.

    Attributes: `classes_`; `estimator_`, the model; `calibrator_`; `method_`, its name; `tried_`, what "auto" tried,
    the best first; `held_out_`, the weight of the examples that the calibrator learnt at the fit; `feedback_`, the
    scores that it remembers; `suffered_`, what feedback cost, None before; `certificate_`, that of the model.

    >>> from deciban import NaiveBayes
    >>> X, y = [[float(i)] for i in range(12)], ["low"] * 5 + ["high", "low"] + ["high"] * 5
    >>> sure = CalibratedClassifier(NaiveBayes("gaussian"), "platt", cv=3).fit(X, y)
    >>> sure.predict([[1.0], [10.0]]).tolist(), sure.held_out_
    (['low', 'high'], 12.0)
    """

    estimator_: Any
    calibrator_: Calibrator
    classes_: NDArray[Any]

    def __init__(
        self,
        model: Any = None,
        method: str = "auto",
        *,
        cv: int | Any = 5,
        half_life: float | None = 1000.0,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.method = method
        self.cv = cv
        self.half_life = half_life
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the model, and the calibrator to what the model scores without having learnt it.

        Parameters
        ----------
        X : N examples, whatever the model takes.
        y : array-like of shape (N,), the labels.
        sample_weight : array-like of shape (N,), which means repetition; None is 1 each. The model gets them, too: of a
            pipeline the last step. Where scikit-learn routes metadata, the model gets them if it requests them.
        **fit_params : of the `fit` of the model, such as `step__name=value` of a pipeline; `groups` is of the splitter
            `cv`. Arrays of N values are cut like X. Where scikit-learn routes metadata, they go to who requests them.

        Returns
        -------
        self : CalibratedClassifier

        Raises
        ------
        ValueError : of one class, of weights for a model that takes none, of parameters that make no sense.

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
            cv, seed = self._folds(), seed_of(self.random_state)
            self._half_life()
            check(self._model())
            given = examples(X, y, sample_weight)
            check_together(self._model(), given)
            routed = self._route(sample_weight, fit_params)
            given = given.with_parameters(routed.model)
            if isinstance(cv, str):
                scores, rows, fold = self._split(given, seed)
            else:
                scores, rows, fold = self._cross(given, splits(given, cv, seed, routed.splitter))
            self._calibrate(given, scores, rows, fold)
        return self

    def _split(self, given: Examples, seed: int) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
        """Scores of the part that is held out, their places, and folds of it for a choice."""
        part = dealt(given.X, _PARTS, seed)
        inside, outside = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
        if len(np.unique(given.y[inside])) < len(given.classes):
            inside, outside = np.arange(len(part)), outside[:0]
        self._become(given.learnt(bare(self._model(), len(given.classes)), inside), given)
        scores = said(self.estimator_, self._response, given.only(outside)) if len(outside) else self._nothing()
        return scores, outside, dealt(given.X, _PARTS, seed + 1)[outside]

    def _cross(self, given: Examples, folds: list[Split]) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
        """Scores of every example, by models that did not learn it, their places and folds."""
        model, C = bare(self._model(), len(given.classes)), len(given.classes)
        self._become(given.learnt(clone(model), np.arange(len(given.y))), given)
        if model.get_params(deep=False).get("model") == "auto":  # a text classifier chooses once, from all examples
            model.set_params(model=self.estimator_.model_.name)
        held, places = [self._nothing()], [np.zeros(0, dtype=np.intp)]
        for inside, outside in folds:
            if not len(outside) or len(np.unique(given.y[inside])) < C:
                continue
            held.append(said(given.learnt(clone(model), inside), self._response, given.only(outside)))
            places.append(outside)
        fold = np.repeat(np.arange(len(places)), [len(each) for each in places])
        return np.concatenate(held), np.concatenate(places), fold

    def _become(self, model: Any, given: Examples) -> None:
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

    def _calibrate(self, given: Examples, scores: Floats, rows: NDArray[np.intp], fold: NDArray[np.intp]) -> None:
        self._floor = floor(self._response, scores)
        scores, y, weight = np.maximum(scores, self._floor), given.y[rows], given.weight[rows]
        self.tried_: list[Tried] = tried(scores, y, weight, fold, self._margins, rows) if self.method == "auto" else []
        kind = chosen(self.tried_) if self.method == "auto" else CATALOGUE[self.method]
        self.method_, self.held_out_ = kind.name, float(weight.sum())
        self.calibrator_ = self._frozen = kind(len(given.classes), margins=self._margins)
        if len(y):
            self.calibrator_ = self._frozen = kind.fit(scores, y, weight, margins=self._margins)
        self.feedback_ = Feedback.start(scores, y, weight)
        self.suffered_ = None

    @property
    def _margins(self) -> bool:
        return self._response == "decision_function"

    def _nothing(self) -> Floats:
        """Scores of no examples."""
        C = len(self.classes_)
        return np.zeros((0, 1 if C == 2 and self._margins else C))

    # Judging.

    def scores(self, X: Any) -> Floats:
        """(N, K) what the model says and the calibrator is asked of: margins (K = 1) or log-probabilities."""
        check_is_fitted(self)
        s: Floats = np.maximum(said(self.estimator_, self._response, X), self._floor)
        return s

    @answers
    def predict_log_proba(self, X: Any) -> Floats:
        """(N, C) log p(c | x)."""
        return self._log_p(X)

    def _log_p(self, X: Any) -> Floats:
        s = self.scores(X)
        return self.calibrator_(s)

    @answers
    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x): the largest is that of `predict`."""
        return _exp(self._log_p(X))

    @answers
    def decision_function(self, X: Any) -> Floats:
        """(N,) the calibrated log-odds in nats of two classes, > 0 for `classes_[1]`; (N, C) log p(c | x) of more."""
        log_p = self._log_p(X)
        if len(self.classes_) > 2:
            return log_p
        p = _exp(log_p)
        odds: Floats = np.where(p[:, 0] == p[:, 1], 0.0, log_p[:, 1] - log_p[:, 0])
        return odds

    @answers
    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest probability; of equal ones the first in `classes_`."""
        winner = _exp(self._log_p(X)).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winner]
        return labels

    @offered_unless(_mute)
    def explain(self, X: Any, pair: tuple[Any, Any] | None = None) -> list[Explanation | TextExplanation]:
        """Per example: why the calibrated verdict and not the class that comes next, or the first label of `pair` and
        not the second, in calibrated decibans, strongest first; prior and terms sum to the log-odds.

        Where the calibrator is a line (of two classes "platt", and "temperature"), evidence is the model's, times the
        slope, and the prior takes the offset. Where it is not, evidence is the model's, times the temperature, and what
        the curve adds to that or takes away, which no feature says, is a term of its own, "(calibration)".
        """
        check_is_fitted(self)
        X, classes = brought(fetched(X)), self.classes_.tolist()
        asked, log_p = places_of(pair, classes), self._log_p(X)
        order = np.argsort(-_exp(log_p), axis=1, kind="stable")
        pairs = [asked or (int(row[0]), int(row[1])) for row in order]
        return explanations(in_units(self.estimator_, self._response), X, log_p, pairs, classes, self.calibrator_)

    @property
    def certificate_(self) -> Any:
        """What the model minimised, and how close it came; its bounds as far as the calibrated verdict has them."""
        check_is_fitted(self)
        how = Probabilities(
            f"{self.method_} on {describe_folds(self.cv)}", self.tried_[0].log_loss if self.tried_ else None
        )
        return recalibrated(self.estimator_.certificate_, how, self.method_ != "temperature")

    def _folds(self) -> Any:
        """How many folds, "held-out", a splitter, or pairs."""
        if self.method != "auto" and not (isinstance(self.method, str) and self.method in CATALOGUE):
            raise ValueError(f"method must be 'auto', {', '.join(map(repr, CATALOGUE))}, got {self.method!r}")
        return checked_folds(self.cv)


def _exp(log_p: Floats) -> Floats:
    """(N, C) probabilities; two that no rounding puts above ½ are ½ both, so that nobody can read a verdict into it."""
    p: Floats = np.exp(log_p)
    if p.shape[1] == 2:
        p[p.max(axis=1) <= 0.5] = 0.5
    return p
